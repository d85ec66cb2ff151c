"""The review begins with the last session, in as many words as the person cares for."""

from pathlib import Path

import click
import pytest

import holloway
from holloway.cli import review
from holloway.config import SEARCH_RESULTS_MAX
from holloway.domain.memory import Relation, RelationType, State
from tests.cli.conftest import Cli
from tests.cli.test_sessions import watched
from tests.conftest import Repository
from tests.observer.story import Story
from tests.promotion.reader.reading import lesson, read_and_store


def saved(repository: Repository, number: int) -> str:
    """One session after the other, each of which saved something; returns the id of what the first one learned."""
    learned = watched(repository, f"s{number}")
    with holloway.open(repository.root) as memory, memory.store.database.write_transaction():
        change = "UPDATE sessions SET started_at = ?, record = json_set(record, '$.saved_tokens', 1200) WHERE id = ?"
        memory.store.database.execute(change, (f"2026-01-{number + 10}T09:00:00.000Z", f"s{number}"))
    return learned


def test_the_summary_tells_what_was_saved_used_and_learned_and_says_what_is_an_estimate(
    cli: Cli, repository: Repository
) -> None:
    learned = watched(repository)
    with holloway.open(repository.root) as memory, memory.store.database.write_transaction():
        sql = "UPDATE sessions SET record = json_set(record, '$.saved_tokens', 1200, '$.used', json_array(?))"
        memory.store.database.execute(sql, (learned,))
    printed = cli("review").out
    assert "saved about 1,200 tokens of searching (an estimate); used 1, learned 2." in printed
    assert f"used {learned}: " in printed
    assert f"learned {learned}: " in printed
    assert "observer:" not in printed, "what a signal is called inside says nothing to a person"
    assert "used 1, learned 2, saved about 1,200 tokens (an estimate)" in " ".join(cli("sessions").out.split())


@pytest.mark.promise("person")
def test_let_pass_three_times_in_a_row_it_gets_shorter_and_never_disappears(cli: Cli, repository: Repository) -> None:
    shown = []
    for number in range(6):
        saved(repository, number)
        shown.append(cli("review").out)
        assert cli("review").out == shown[-1], "looking twice at one summary is not letting two of them pass"
    assert [text.startswith("Last session: Make the login tests pass") for text in shown] == [True] * 3 + [False] * 3
    assert shown[-1].startswith("Last session: ")


def test_a_decision_makes_it_whole_again(cli: Cli, repository: Repository) -> None:
    for number in range(4):
        learned = saved(repository, number)
        printed = cli("review").out
    assert not printed.startswith("Last session: Make")
    assert cli("review", "--ok", learned).code == 0
    saved(repository, 5)
    assert cli("review").out.startswith("Last session: Make the login tests pass")


def test_what_was_learned_is_decided_on_card_by_card(
    cli: Cli, repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    watched(repository)
    with holloway.open(repository.root) as memory:
        first, second = (each.id for each in memory.memories())
    monkeypatch.setattr(click, "edit", lambda text: "tests/auth needs REDIS_URL")
    answers = {"o": State.CONFIRMED, "e": State.CONFIRMED}
    with holloway.open(repository.root) as memory:
        for (choice, state), reference in zip(answers.items(), (first, second), strict=True):
            assert review._apply_choice(memory, memory.get(reference), choice)
            assert memory.get(reference).state is state
        assert memory.get(second).content == "tests/auth needs REDIS_URL"
        assert review._apply_choice(memory, memory.get(first), "d")
        assert memory.get(first).deleted_at
        assert not review._apply_choice(memory, memory.get(second), "l")


@pytest.mark.parametrize(("level", "summary", "cards"), [(2, True, True), (3, True, False), (4, False, False)])
def test_the_confident_are_asked_only_what_needs_them_and_the_autonomous_get_no_summary(
    cli: Cli, repository: Repository, level: int, summary: bool, cards: bool
) -> None:
    watched(repository)
    with holloway.open(repository.root) as memory:
        with memory.store.database.write_transaction():
            memory.store.database.execute("UPDATE memories SET review = NULL")
        memory.trust.choose(str(level))
    printed = cli("review").out
    assert ("Last session" in printed) is summary
    assert ("Nothing to review." not in printed) is cards


@pytest.mark.promise("records-wait")
def test_what_an_agent_says_of_the_map_is_approved_or_dropped_in_the_review(cli: Cli, repository: Repository) -> None:
    cli("init")
    with holloway.open(repository.root) as memory:
        memory.map.propose("auth", "has_purpose", memory.map.module("auth").key, agent="mcp", note="Who may enter")
        memory.map.propose("README.md", "documents", "pyproject.toml", agent="mcp")
    card = cli("review")
    assert "Who may enter" in card.out
    assert "no agent reads it before you approve it" in card.out
    purpose, relation = cli("review", "--json").json["proposals"]
    if purpose["statement"].startswith("README"):
        purpose, relation = relation, purpose
    assert "Who may enter" not in cli("modules").out
    assert "Approved 1, dropped 1" in cli("review", "--ok", purpose["id"], "--drop", relation["id"]).out
    assert "Who may enter" in cli("modules").out
    assert cli("review", "--json").json["proposals"] == []


def test_statements_about_the_map_are_decided_on_one_by_one(
    cli: Cli, repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    cli("init")
    answers = iter("odl")
    monkeypatch.setattr(click, "prompt", lambda *arguments, **options: next(answers))
    with holloway.open(repository.root) as memory:
        for path in ("pyproject.toml", "src/shop/auth/tokens.py", "src/shop/auth/session.py"):
            memory.map.propose("README.md", "documents", path, agent="mcp")
        accepted, dropped, later = memory.map.proposals()
        assert review._review_proposals(memory, [accepted, dropped, later]) == 2
        assert memory.map.proposals() == [later]
    assert next(answers, None) is None


def test_cards_are_decided_on_until_the_person_quits(
    cli: Cli, repository: Repository, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for text in ("one holds", "two holds", "three holds", "four holds"):
        cli("remember", text)
    answers = iter("olq")
    monkeypatch.setattr(click, "prompt", lambda *arguments, **options: next(answers))
    with holloway.open(repository.root) as memory:
        cards = memory.memories()
        assert review._review_cards(memory, cards) == 1
        printed = capsys.readouterr().out
    assert [card.id in printed for card in cards] == [True, True, True, False]
    assert next(answers, None) is None


def test_an_edit_that_is_given_up_changes_nothing(
    cli: Cli, repository: Repository, trap: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(click, "edit", lambda text: None)
    with holloway.open(repository.root) as memory:
        before = memory.get(trap)
        assert not review._apply_choice(memory, before, "e")
        assert memory.get(trap) == before
    assert "Not changed; it stays in the review." in capsys.readouterr().out


def test_decisions_are_applied_only_if_every_id_exists(cli: Cli, repository: Repository) -> None:
    learned = watched(repository)
    refused = cli("review", "--ok", learned, "--drop", "ffffff")
    assert refused.code != 0
    with holloway.open(repository.root) as memory:
        assert memory.get(learned).state is not State.CONFIRMED
    assert "Approved 0, dropped 0, later 1; " in cli("review", "--later", learned).out
    assert "Approved 0, dropped 1, later 0; " in cli("review", "--drop", learned).out
    with holloway.open(repository.root) as memory:
        assert memory.get(learned).deleted_at


def test_what_is_left_is_counted_beyond_what_one_review_lists(cli: Cli, tmp_path: Path) -> None:
    count = SEARCH_RESULTS_MAX + 2
    lines = [f"- worker {number} must not read queue {number}" for number in range(count)]
    (tmp_path / "many.md").write_text("\n".join(["# Gotchas", "", *lines]), "utf-8")
    assert f"Imported {count} memories" in cli("import", str(tmp_path / "many.md")).out
    listed = cli("review")
    assert listed.out.count("worker ") == SEARCH_RESULTS_MAX
    assert "2 more wait; they are listed once these are decided." in listed.out
    first = cli("review", "--json").json["results"][0]["id"]
    assert cli("review", "--drop", first).out == f"Approved 0, dropped 1, later 0; {count - 1} left to review.\n"
    for card in cli("review", "--json").json["results"][:2]:
        cli("review", "--drop", card["id"])
    assert "more wait" not in cli("review").out


def test_a_lesson_of_a_reader_is_shown_with_its_quotes_and_its_day(cli: Cli, repository: Repository) -> None:
    cli("init", "--yes")
    rule = "Never run the slow tests of the shop on a laptop"
    said = lesson(rule, f"{rule}, it takes an hour", kind="user_rule")
    with holloway.open(repository.root) as memory:
        read_and_store(memory, Story().user(f"{rule}, it takes an hour. Add a test."), said)
    printed = " ".join(cli("review").out.split())
    assert "you said it in a session; confirm it if it holds for good" in printed
    assert "(proposed by the reader, session of 1970-01-01)" in printed
    assert f"person: “{rule}, it takes an hour”" in printed


def test_one_session_is_reviewed_on_demand(cli: Cli, repository: Repository) -> None:
    learned_id = watched(repository)
    printed = cli("review", "--session", "last").out
    assert printed.startswith("Make the login tests pass\n")
    assert learned_id in printed
    assert "learned, " in printed
    answer = cli("review", "--session", "s1", "--json").json
    assert (answer["session"], answer["mode"]) == ("s1", "each")
    assert learned_id in [card["memory"]["id"] for card in answer["cards"]]
    assert cli("review", "--json").json["session_review"]["session"] == "s1"
    assert cli("review", "--session", "nope").code == 2


def test_a_card_names_the_memory_that_it_contradicts_and_hides_the_text_of_a_quarantined_one(
    cli: Cli, repository: Repository
) -> None:
    learned = watched(repository)
    with holloway.open(repository.root) as memory:
        old = memory.remember("tests/auth runs with the real clock", type="gotcha").memory
        secret = memory.remember("tests/auth wants a paid account", type="gotcha").memory
        assert old
        assert secret
        relations = [Relation(RelationType.CONFLICTS_WITH, memory=other.id) for other in (old, secret)]
        memory.store.memories.update_memory(memory.get(learned), "related", relations=tuple(relations))
        memory.store.memories.update_memory(secret, "quarantined", state=State.QUARANTINED)
    for printed in (cli("review").out, cli("show", learned).out):
        assert f"contradicts {old.id}: tests/auth runs with the real clock" in printed
        assert f"contradicts {secret.id}" in printed
    assert "a paid account" not in cli("show", learned).out
