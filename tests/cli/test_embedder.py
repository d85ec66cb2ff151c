"""The embedding model, from the command line."""

import pytest

from holloway.service import background_worker
from tests.cli.conftest import Cli


def test_the_embedder_is_switched_shown_and_stopped(cli: Cli, trap: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(background_worker, "start", lambda folder, root: True)
    assert cli("embedder", "use", "off").out == (
        "off  search by words only\n  `embedding.provider` is off: search goes by words only.\n"
    )
    printed = cli("embedder", "use", "builtin").out
    assert "  0 of 1 memories embedded; 1 waiting, the worker goes on when it next runs\n" in printed
    assert "`holloway embedder stop` goes back to off." in printed
    assert cli("embedder", "--json").json["waiting"] == 1
    assert cli("embedder", "stop", "--json").json["provider"] == "off"
    assert "No switch of the embedder" in cli("embedder", "stop").err
    assert trap


def test_a_provider_is_needed(cli: Cli) -> None:
    refused = cli("embedder", "use")
    assert (refused.code, "The provider is missing" in refused.err) == (2, True)
