"""Commands that remove or restore memories: wrong, forget, restore, prune."""

import pytest

import holloway
from holloway.cli import corrections
from tests.cli.conftest import Cli
from tests.conftest import Repository


def test_wrong_forget_and_restore(cli: Cli, trap: str) -> None:
    assert cli("wrong", trap, "--reason", "not-here").code == 0
    assert cli("list", "--json").json["results"] == []
    assert cli("restore", "--last", "--json").json["results"][0]["id"] == trap
    assert cli("forget", trap).code == 0
    assert cli("list", "--deleted", "--json").json["results"][0]["id"] == trap
    assert cli("restore", trap).code == 0
    new = cli("wrong", trap, "refresh() is safe now", "--json").json
    assert (new["content"], cli("show", trap, "--json").json["superseded_by"]) == ("refresh() is safe now", new["id"])


@pytest.mark.promise("asks-first")
def test_forgetting_much_or_for_good_asks_first(cli: Cli, trap: str) -> None:
    for arguments in (("forget", "--all"), ("forget", trap, "--hard")):
        asked = cli(*arguments)
        assert asked.code == 2
        assert "--yes" in asked.err
    assert cli("list", "--json").json["results"]
    done = cli("forget", trap, "--hard", "--yes", "--json").json
    assert done == {"forgotten": [trap], "hard": True, "not_cleaned": []}
    assert cli("show", trap).code == 2


def test_of_several_ids_none_is_touched_when_one_is_wrong(cli: Cli, trap: str) -> None:
    cli("forget", trap)
    assert cli("restore", trap, "zzzzzz").code == 2
    assert cli("list", "--json").json["results"] == []


def test_forgetting_twice_forgets_once(cli: Cli, trap: str) -> None:
    assert cli("forget", trap).out.startswith("Forgot 1 memory.")
    assert "nothing was forgotten" in cli("forget", trap).out


def test_a_program_that_forgets_nothing_is_told_so_in_json(cli: Cli, trap: str) -> None:
    cli("forget", trap)
    assert cli("forget", trap, "--json").json == {"forgotten": [], "hard": False, "not_cleaned": []}


def test_a_wrong_memory_says_how_to_undo_and_what_replaced_it(cli: Cli, trap: str) -> None:
    assert cli("wrong", trap, " ").code == 2
    assert f"{trap} was removed. Undo within 30 days: `holloway restore {trap}`." in cli("wrong", trap).out
    restored = cli("restore", trap)
    assert restored.out.startswith("Restored.\n")
    assert "refresh() burns the token" in restored.out
    replaced = cli("wrong", trap, "refresh()", "is safe", "--note", "since 2.0")
    assert replaced.out.startswith("Replaced; `holloway why` still shows the old text.\n")
    assert "refresh() is safe" in replaced.out
    assert "since 2.0" in cli("why", trap).out


def test_a_memory_that_is_only_partly_wrong_is_corrected_in_place(cli: Cli, trap: str) -> None:
    corrected = cli("wrong", trap, "refresh() burns the token once", "--reason", "partly")
    assert corrected.out.startswith("Corrected; `holloway why` still shows the old text.\n")
    assert "refresh() burns the token once" in corrected.out
    assert f"{trap} was removed." in cli("wrong", trap, "--reason", "outdated").out


def test_memories_are_forgotten_by_session_source_or_all_at_once(cli: Cli, trap: str) -> None:
    cli("remember", "cents, not floats")
    assert "No stored memory matches; nothing was forgotten." in cli("forget", "--session", "s1").out
    assert cli("forget", "--source", "user_taught", "--yes").out.startswith("Forgot 2 memories. Undo with `holloway")
    assert cli("restore", "--last", "--json").json["results"]
    done = cli("forget", "--all", "--yes", "--json").json
    assert (len(done["forgotten"]), done["hard"]) == (2, False)


def test_one_memory_is_forgotten_without_a_question_and_for_good_without_an_undo(cli: Cli, trap: str) -> None:
    assert cli("forget", trap).out == "Forgot 1 memory. Undo with `holloway restore --last`.\n"
    assert cli("forget", trap, "--hard", "--yes").out == "Forgot 1 memory.\n"


def test_a_question_that_is_answered_with_no_changes_nothing(
    cli: Cli, trap: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(corrections, "confirm_action", lambda question, yes: False)
    assert cli("forget", "--all").out == "Nothing was forgotten.\n"
    assert cli("forget", "--all", "--json").json == {"forgotten": [], "hard": False, "not_cleaned": []}
    assert cli("list", "--json").json["results"]


def test_restoring_nothing_says_so(cli: Cli, trap: str) -> None:
    assert "No memory was named." in cli("restore").err
    assert "No memory was forgotten recently." in cli("restore", "--last").err


def test_pruning_tells_what_decayed(cli: Cli, trap: str, repository: Repository) -> None:
    assert cli("prune").out == "Decayed and removed: 0. Erased after the grace period: 0.\n"
    with holloway.open(repository.root) as memory, memory.store.database.write_transaction():
        memory.store.database.execute("UPDATE memories SET half_life_days = 1, last_used_at = '2001-01-01'")
    told = cli("prune").out
    assert told.startswith("Decayed and removed: 1. Erased after the grace period: 0.\n")
    assert f"  decayed: {trap}; `holloway restore ID` restores one.\n" in told
    assert cli("prune", "--json").json == {"faded": [], "removed": []}
