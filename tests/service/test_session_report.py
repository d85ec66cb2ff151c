"""Reports on sessions, and the summary of the last one: full, short, or nothing."""

import json

import pytest

from holloway.domain.memory import ReviewReason, State
from holloway.domain.work import Outcome
from holloway.errors import InvalidInput
from holloway.service import session_report
from holloway.service.holloway import Holloway
from holloway.service.session_report import SHORT_AFTER
from holloway.store import lookup, session_ledger
from tests.observer.story import Story
from tests.service.learned import REFUSED, learn


def began(memory: Holloway, session: str, hour: int = 10) -> None:
    """A session that is not over."""
    at = f"2026-01-05T{hour}:00:00.000Z"
    lookup.touch_session(memory.store.database.connection, session, "claude-code", at)


def solve(memory: Holloway, session: str, name: str = "REDIS_URL", at: float = 1_000.0) -> str:
    """A session that solved an error; returns the id of what was learned."""
    story = Story(session, at=at).edit("src/shop/auth/tokens.py")
    story.shell("pytest -q", REFUSED.replace("localhost", name.lower()), ok=False)
    learned = learn(memory, story.shell(f"{name}=fake:// pytest -q", "12 passed in 0.3s"))
    (stored,) = [found.memory for found in learned.promotion.candidates if found.signal.name == "error_retry"]
    assert stored
    return stored


def set_record(memory: Holloway, session: str, **fields: object) -> None:
    database = memory.store.database
    record = session_ledger.load_session_record(database, session) | fields
    with database.write_transaction():
        database.execute("UPDATE sessions SET record = ? WHERE id = ?", (json.dumps(record), session))


def test_a_session_is_found_by_the_beginning_of_its_id(memory: Holloway) -> None:
    with pytest.raises(InvalidInput, match="There is no session yet"):
        session_report.find_session(memory, "last")
    for number in range(7):
        began(memory, f"abc{number}")
    began(memory, "xyz", hour=11)
    assert session_report.find_session(memory, "abc3").id == "abc3"
    assert session_report.find_session(memory, "x").id == "xyz"
    assert session_report.find_session(memory, "last").id == "xyz"
    with pytest.raises(InvalidInput, match="There is no session 'nope'"):
        session_report.find_session(memory, "nope")
    with pytest.raises(InvalidInput, match="There is no session ''"):
        session_report.find_session(memory, "")
    with pytest.raises(InvalidInput) as refusal:
        session_report.find_session(memory, "abc")
    assert str(refusal.value) == "abc could be abc0, abc1, abc2, abc3, abc4."


def test_a_report_has_what_was_learned_and_what_was_used_while_it_exists(memory: Holloway) -> None:
    lesson = solve(memory, "s1")
    used = memory.remember("Money is integer cents").memory
    assert used is not None
    set_record(memory, "s1", used=[used.id, "ffffff"])
    report = session_report.explain_session(memory, "s1")
    assert report.session.id == "s1"
    assert [found.id for found in report.used] == [used.id]
    assert lesson in [found.id for found in report.learned]
    assert {found.signal for found in report.candidates} >= {"error_retry"}
    memory.forget([lesson], hard=True)
    assert lesson not in [found.id for found in session_report.explain_session(memory, "s1").learned]


def test_the_summary_is_of_the_last_session_that_ended(memory: Holloway) -> None:
    assert session_report.summarize_session(memory) is None
    lesson = solve(memory, "s1")
    began(memory, "s2")
    summary = session_report.summarize_session(memory)
    assert summary is not None
    assert (summary.session.id, summary.session.outcome, summary.short) == ("s1", Outcome.SUCCESS, False)
    assert lesson in [found.id for found in summary.learned]
    assert [found.id for found in summary.to_decide] == [found.id for found in summary.learned]


def test_a_session_that_left_nothing_has_no_summary_unless_it_saved_tokens(memory: Holloway) -> None:
    learn(memory, Story("s1").read("README.md"))
    assert session_report.summarize_session(memory) is None
    set_record(memory, "s1", saved_tokens=120)
    summary = session_report.summarize_session(memory)
    assert summary is not None
    assert (summary.saved_tokens, summary.learned, summary.used) == (120, (), ())


def test_what_was_forgotten_is_not_summarized(memory: Holloway) -> None:
    used = memory.remember("Money is integer cents").memory
    assert used is not None
    lesson = solve(memory, "s1")
    set_record(memory, "s1", used=[used.id], saved_tokens=1)
    before = session_report.summarize_session(memory)
    assert before is not None
    assert used.id in [found.id for found in before.used]
    assert used.id not in [found.id for found in before.to_decide]
    memory.forget([lesson, used])
    after = session_report.summarize_session(memory)
    assert after is not None
    assert (after.used, lesson in [found.id for found in after.learned]) == ((), False)


def test_a_memory_of_an_earlier_session_is_not_learned_again(memory: Holloway) -> None:
    lesson = solve(memory, "s1")
    solve(memory, "s2", at=9_000.0)
    assert lesson in [found.id for found in session_report.explain_session(memory, "s2").learned]
    summary = session_report.summarize_session(memory)
    assert summary is None or lesson not in [found.id for found in summary.learned]


def test_a_higher_trust_level_asks_less_and_the_highest_says_nothing(
    memory: Holloway, monkeypatch: pytest.MonkeyPatch
) -> None:
    lesson = solve(memory, "s1")
    assert memory.get(lesson).state is State.UNCONFIRMED
    monkeypatch.setenv("HOLLOWAY_TRUST_LEVEL", "3")
    database = memory.store.database
    with database.write_transaction():
        database.execute("UPDATE memories SET review = NULL")
    summary = session_report.summarize_session(memory)
    assert summary is not None
    assert summary.to_decide == ()
    with database.write_transaction():
        database.execute("UPDATE memories SET review = ? WHERE id = ?", (str(ReviewReason.INFERRED), lesson))
    summary = session_report.summarize_session(memory)
    assert summary is not None
    assert [found.id for found in summary.to_decide] == [lesson]
    monkeypatch.setenv("HOLLOWAY_TRUST_LEVEL", "4")
    assert session_report.summarize_session(memory) is None


def show_all(memory: Holloway, *numbers: int) -> list[bool]:
    """Show the summary of these sessions, each twice; returns whether they were short."""
    shown = []
    for number in numbers:
        learn(memory, Story(f"s{number}", at=1_000.0 + 10_000 * number).read("README.md"))
        set_record(memory, f"s{number}", saved_tokens=1)
        summaries = [session_report.show_summary(memory) for _ in range(2)]
        assert summaries[0] is not None
        assert summaries[1] == summaries[0]
        assert summaries[0].session.id == f"s{number}"
        shown.append(summaries[0].short)
    return shown


def test_summaries_that_are_ignored_become_short_until_the_person_decides(memory: Holloway) -> None:
    assert show_all(memory, *range(1, SHORT_AFTER + 3)) == [False] * SHORT_AFTER + [True, True]
    session_report.note_decision(memory)
    assert show_all(memory, 8, 9) == [False, False]


def test_a_decision_before_any_summary_counts_for_the_first(memory: Holloway) -> None:
    session_report.note_decision(memory)
    assert show_all(memory, *range(1, SHORT_AFTER + 2)) == [False] * SHORT_AFTER + [True]


def test_looking_at_the_summary_without_showing_it_counts_nothing(memory: Holloway) -> None:
    learn(memory, Story("s1").read("README.md"))
    set_record(memory, "s1", saved_tokens=1)
    session_report.summarize_session(memory)
    assert memory.store.get_meta("summary_told") in (None, "")
    session_report.show_summary(memory)
    assert json.loads(str(memory.store.get_meta("summary_told"))) == {
        "session": "s1",
        "passed": 0,
        "left": [],
    }


def test_a_damaged_note_of_what_was_shown_counts_as_none(memory: Holloway) -> None:
    memory.store.set_meta("summary_told", "[]")
    assert show_all(memory, 1) == [False]
