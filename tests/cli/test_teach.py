"""Teaching about a file, from the command line."""

from pathlib import Path

import pytest

from tests.cli.conftest import Cli
from tests.cli.test_reader import type_answers
from tests.conftest import Repository

TOKENS = "src/shop/auth/tokens.py"


def test_a_text_is_taught_about_its_file(cli: Cli) -> None:
    done = cli("teach", TOKENS, "--text", "refresh() burns the token", "--type", "gotcha", "--json").json
    assert (done["files"], done["type"], done["outcome"]) == ([TOKENS], "gotcha", "added")
    printed = cli("teach", TOKENS, "--text", "a token is checked once").out
    assert printed.startswith("Taught; agents read it when they open the file.\n")
    assert "a token is checked once" in printed


def test_the_text_is_asked_for_on_a_terminal(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "There is no text to teach" in cli("teach", TOKENS).err
    assert type_answers("refresh() burns the token\n", monkeypatch, "teach", TOKENS) == 0
    printed = capsys.readouterr().out
    assert f"What should agents know about {TOKENS}?" in printed
    assert "Taught; agents read it when they open the file." in printed


def test_a_path_is_taken_from_the_current_folder(
    cli: Cli, repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(Path(repository.root, "src/shop/auth"))
    assert cli("teach", "tokens.py", "--text", "refresh() burns the token", "--json").json["files"] == [TOKENS]


def test_a_file_that_is_not_there_is_refused(cli: Cli) -> None:
    refused = cli("teach", "src/nowhere.py", "--text", "x is y")
    assert (refused.code, "src/nowhere.py does not exist" in refused.err) == (2, True)
