"""Notes that agents record through the server: kept, counted, and learned from once the connection is over."""

import threading

import pytest

import holloway
from holloway.capture import journal
from holloway.config import RECORDS_PER_SESSION_MAX
from holloway.domain.memory import MemoryType, Source, State
from holloway.errors import InvalidInput
from holloway.service import agent_notes
from holloway.service.agent_notes import Recording
from holloway.service.holloway import Holloway
from holloway.service.session import checkpoint_file
from tests.observer.story import Story
from tests.service.learned import learn

FACT = "Rounding happens once, at the end, because of VAT"
OTHER = "Dates are kept as UTC, because offices differ"
TOKEN = "ghp_" + "aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zA1bC2"
KIND = MemoryType.DECISION


def learned(memory: Holloway) -> list[tuple[str, State]]:
    return [(stored.content, stored.state) for stored in memory.memories()]


def files_of(memory: Holloway, session: str) -> list[str]:
    return sorted(path.name for path in memory.project.checkpoints_folder.glob(f"{session}*"))


def test_notes_are_counted_and_wait_for_review_after_the_end(memory: Holloway) -> None:
    recording = Recording("mcp-1")
    assert recording.count(memory) == 0
    assert recording.record(memory, FACT, kind=KIND, files=["src/shop/billing/invoice.py"]) == (1, ())
    assert recording.record(memory, OTHER, kind=KIND) == (2, ())
    assert recording.count(memory) == 2
    assert learned(memory) == []
    assert recording.finish(memory) is not None
    assert sorted(learned(memory)) == sorted([(FACT, State.QUARANTINED), (OTHER, State.QUARANTINED)])
    (fact,) = [stored for stored in memory.memories() if stored.content == FACT]
    assert (fact.type, fact.source, fact.files) == (KIND, Source.AGENT_EXPLICIT, ("src/shop/billing/invoice.py",))
    assert files_of(memory, "mcp-1") == []


def test_a_secret_in_a_note_is_cut_out_before_it_is_kept(memory: Holloway) -> None:
    count, redacted = Recording("mcp-1").record(memory, f"The token is {TOKEN} in CI", kind=KIND)
    assert count == 1
    assert redacted
    assert TOKEN not in "".join(path.read_text() for path in memory.project.checkpoints_folder.glob("*.json"))


def test_notes_of_one_session_are_bounded(memory: Holloway) -> None:
    recording = Recording("mcp-1")
    for number in range(RECORDS_PER_SESSION_MAX):
        assert recording.record(memory, f"fact number {number} of the shop", kind=KIND)[0] == number + 1
    with pytest.raises(InvalidInput, match=f"has asked for {RECORDS_PER_SESSION_MAX} things"):
        recording.record(memory, FACT, kind=KIND)
    assert recording.count(memory) == RECORDS_PER_SESSION_MAX


def test_a_connection_that_recorded_nothing_ends_without_a_word(memory: Holloway) -> None:
    assert Recording("mcp-1").finish(memory) is None
    assert learned(memory) == []


def test_what_is_left_of_a_killed_connection_is_learned_and_a_living_one_is_left_alone(memory: Holloway) -> None:
    alive, killed = Recording("mcp-alive"), Recording("mcp-killed")
    alive.record(memory, FACT, kind=KIND)
    killed.record(memory, OTHER, kind=KIND)
    assert agent_notes.finish_left(memory) == 0
    assert killed._held is not None
    killed._held.release()
    assert agent_notes.finish_left(memory) == 1
    assert learned(memory) == [(OTHER, State.QUARANTINED)]
    assert files_of(memory, "mcp-killed") == []
    assert files_of(memory, "mcp-alive") == ["mcp-alive.json", "mcp-alive.lock"]
    alive.finish(memory)
    assert agent_notes.finish_left(memory) == 0
    assert len(learned(memory)) == 2


def test_checkpoints_of_other_sessions_are_not_taken_for_connections(memory: Holloway) -> None:
    session = memory.session("own")
    session.record(FACT)
    session.checkpoint()
    assert agent_notes.finish_left(memory) == 0
    assert checkpoint_file(memory.project, "own").exists()


def test_a_note_that_a_watched_session_has_too_is_dropped(memory: Holloway) -> None:
    recording = Recording("mcp-1")
    recording.record(memory, FACT, kind=KIND)
    recording.record(memory, OTHER, kind=KIND)
    call = {"tool_name": "mcp__holloway__record_memory", "tool_use_id": "t1", "tool_input": {"text": FACT}}
    event: dict[str, object] = {"hook_event_name": "PostToolUse", "session_id": "watched", **call}
    entry = journal.entry_of(event, "2026-01-05T09:00:00Z", str(memory.project.root))
    journal.append_entry(str(memory.project.journal_folder), "watched", entry)
    recording.finish(memory)
    assert learned(memory) == [(OTHER, State.QUARANTINED)]


@pytest.mark.parametrize(("later_s", "expected"), [(60.0, 1), (-86_400.0, 2)])
def test_a_note_that_a_session_of_the_same_time_was_learned_with_is_dropped(
    memory: Holloway, later_s: float, expected: int
) -> None:
    recording = Recording("mcp-1")
    recording.record(memory, FACT, kind=KIND)
    recording.record(memory, OTHER, kind=KIND)
    at = memory.clock.now().timestamp() + later_s
    learn(memory, Story("watched", at=at).read("src/shop/billing/invoice.py").records(FACT, "decision").ends())
    result = recording.finish(memory)
    assert result is not None
    assert sum(candidate.signal.name == "agent_record" for candidate in result.promotion.candidates) == expected


def test_notes_come_from_any_thread_and_another_one_may_finish(memory: Holloway) -> None:
    recording = Recording("mcp-1")
    failures: list[BaseException] = []

    def record(number: int) -> None:
        try:
            with holloway.open(memory.project.root) as own:
                recording.record(own, f"fact number {number} of the shop", kind=KIND)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=record, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert recording.count(memory) == 4
    recording.finish(memory)
    assert len(learned(memory)) == 4


def test_a_note_from_the_shell_waits_for_the_worker_and_tells_what_was_cut_out(memory: Holloway) -> None:
    assert agent_notes.record_once(memory, FACT, kind=KIND, files=()) == ()
    (kind,) = agent_notes.record_once(memory, f"The token is {TOKEN} in CI", kind=KIND, files=())
    assert "github" in kind
    notes = files_of(memory, f"{agent_notes.PREFIX}{agent_notes.SHELL_NOTES}")
    assert len([name for name in notes if name.endswith(".json")]) == 2
    assert learned(memory) == []


def test_notes_from_the_shell_that_wait_are_bounded(memory: Holloway, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(agent_notes, "RECORDS_PER_SESSION_MAX", 1)
    agent_notes.record_once(memory, FACT, kind=KIND, files=())
    with pytest.raises(InvalidInput, match="1 notes wait"):
        agent_notes.record_once(memory, OTHER, kind=KIND, files=())
