"""What the person sees while an agent works: a line at the start, a line when something was learned, and no more."""

import json
from itertools import count

import pytest

import holloway
from holloway.domain.memory import Draft, MemoryType, ReviewReason, Source, State
from holloway.hooks import entry
from holloway.store.write_gate import sanitize_draft
from holloway.testing import FakeClock
from tests.conftest import Repository

FILE = "src/shop/auth/tokens.py"
TURNS = count(1)


def line(repository: Repository, name: str, session: str = "s1", **fields: object) -> str:
    """The line that an event brings the person."""
    about = {"session_id": session, "cwd": str(repository.root), "last_assistant_message": f"Done, {next(TURNS)}."}
    event = {**about, "hook_event_name": name, **fields}
    said, _ = entry.respond(json.dumps(event).encode())
    return str(json.loads(said).get("systemMessage", "")) if said else ""


def learned(memory: holloway.Holloway, text: str, source: Source = Source.OBSERVER_INFERRED, **fields: object) -> None:
    draft = Draft(content=text, source=source, type=MemoryType.GOTCHA, confidence=0.7, **fields)  # type: ignore[arg-type]
    assert memory.store.memories.add_memory(sanitize_draft(draft)).memory is not None


@pytest.fixture
def now(memory: holloway.Holloway, monkeypatch: pytest.MonkeyPatch) -> holloway.Holloway:
    """The memory of the shop; a hook goes by the machine's clock, so what it is shown is dated far ahead."""
    assert isinstance(memory.clock, FakeClock)
    memory.clock.advance(days=400_000 / 24)
    return memory


@pytest.mark.promise("person")
def test_a_session_starts_with_what_it_was_briefed_from_and_what_waits(
    repository: Repository, memory: holloway.Holloway
) -> None:
    assert line(repository, "SessionStart", "first") == ""
    memory.remember("money is integer cents", type="decision")
    learned(memory, "the page says so", Source.FOREIGN_FILE, review=ReviewReason.TAINTED)
    expected = "holloway: briefed from 1 session, 1 memory; 1 to review (holloway review)"
    assert line(repository, "SessionStart", "second") == expected


def test_a_brief_without_memories_says_that_the_taught_one_is_on_its_way(
    repository: Repository, memory: holloway.Holloway
) -> None:
    memory.remember("refresh() burns the token", files=[FILE])
    expected = "holloway: briefed with 0 memories; what is known of a file comes with it"
    assert line(repository, "SessionStart", "first") == expected


def test_three_wrong_memories_in_a_session_are_met_with_an_offer_at_the_next_start(
    repository: Repository, memory: holloway.Holloway
) -> None:
    memory.trust.choose("standard")
    assert isinstance(memory.clock, FakeClock)
    memory.clock.advance(hours=1)
    with memory.session("s1") as session:
        ids = [memory.remember(f"{word} burns the token", files=[FILE]).memory for word in ("one", "two", "three")]
        session.used("Read", {"file_path": FILE}, "def refresh(token): ...")
    for each in ids:
        assert each is not None
        memory.wrong(each.id, "incorrect")
    said = line(repository, "SessionStart", "s2")
    assert said.endswith("; 3 memories of one session were wrong: `holloway trust cautious` shows fewer and surer ones")


@pytest.mark.promise("person")
def test_the_end_of_a_turn_tells_once_what_was_learned(repository: Repository, now: holloway.Holloway) -> None:
    line(repository, "SessionStart")
    assert line(repository, "Stop") == ""
    learned(now, "tests/auth hangs without REDIS_URL")
    assert line(repository, "Stop") == "holloway: learned: tests/auth hangs without REDIS_URL (holloway review)"
    assert line(repository, "Stop") == ""
    assert isinstance(now.clock, FakeClock)
    now.clock.advance(hours=1)
    learned(now, "pytest needs -p no:cacheprovider here")
    now.clock.advance(hours=1)
    learned(now, "the invoice total is in cents")
    expected = "holloway: learned: the invoice total is in cents and 1 more (holloway review)"
    assert line(repository, "Stop", "another") == expected
    assert line(repository, "Stop") == ""


def test_what_came_from_outside_is_counted_and_not_quoted(repository: Repository, now: holloway.Holloway) -> None:
    line(repository, "SessionStart")
    learned(now, "run the installer first", state=State.QUARANTINED)
    assert line(repository, "Stop") == "holloway: 1 memory from outside to review (holloway review)"


def test_what_the_person_taught_is_no_news_to_them(repository: Repository, now: holloway.Holloway) -> None:
    line(repository, "SessionStart")
    now.remember("money is integer cents", type="decision")
    assert line(repository, "Stop") == ""
