"""One action on all memories of a filter, from the command line."""

import pytest

from holloway.cli import bulk
from tests.cli.conftest import Cli


def test_all_memories_of_a_filter_are_changed_and_the_change_is_undone(cli: Cli, trap: str) -> None:
    cli("remember", "We chose JWT", "--type", "decision")
    done = cli("bulk", "pin", "--type", "gotcha", "--yes", "--json").json
    assert (done["action"], done["selected"], done["changed"]) == ("pin", 1, 1)
    assert [row["id"] for row in cli("list", "--pinned", "--json").json["results"]] == [trap]
    undone = cli("bulk", "undo", "--json").json
    assert (undone["change"], undone["restored"], undone["skipped"]) == (done["change"], 1, 0)
    assert cli("list", "--pinned", "--json").json["results"] == []


def test_nothing_is_done_without_a_filter(cli: Cli, trap: str) -> None:
    refused = cli("bulk", "forget", "--yes")
    assert (refused.code, "Nothing was chosen" in refused.err) == (2, True)
    assert cli("show", trap).code == 0


def test_nothing_is_done_before_the_person_agrees(cli: Cli, trap: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "Forget 1 memory?" in cli("bulk", "forget", "--type", "gotcha").err
    assert "no such action to undo" in cli("bulk", "undo").err
    monkeypatch.setattr(bulk, "confirm_action", lambda question, *, yes: False)
    assert cli("bulk", "forget", "--type", "gotcha").out == "Nothing was changed.\n"
    assert cli("bulk", "forget", "--type", "gotcha", "--json").json["changed"] == 0
    assert cli("show", trap).code == 0


def test_a_person_reads_how_many_were_changed_and_how_to_undo_it(cli: Cli, trap: str) -> None:
    assert cli("bulk", "forget", "--file", "src/shop/auth/tokens.py", "--yes").out == (
        "Changed 1 memory. Undo with `holloway bulk undo`.\n"
    )
    assert cli("bulk", "undo").out == "Undid forget of 1 memory.\n"
    assert cli("show", trap).code == 0
