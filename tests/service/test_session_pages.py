"""The list of sessions, and one session with what it was told, used, learned, held and dropped."""

import json

import pytest

from holloway.capture.session_timeline import TranscriptState
from holloway.domain.memory import State
from holloway.errors import InvalidInput
from holloway.service import session_pages
from holloway.service.health import TokenBalance
from holloway.service.holloway import Holloway
from holloway.service.past_sessions import open_session_files
from holloway.service.session_pages import MemoryUse
from holloway.store import lookup, session_ledger
from tests.capture.test_session_files import opened
from tests.conftest import Repository
from tests.service.learned import learn, solved
from tests.service.on_disk import transcript
from tests.service.test_session_report import began, set_record
from tests.store.test_memories import taught

STARTED = "2026-01-05T10:00:00.000Z"


def tell(memory: Holloway, session: str, memory_id: str, at: str = STARTED, point: str = "prompt") -> None:
    connection = memory.store.database.connection
    lookup.claim_injections(connection, [memory_id], session=session, agent="claude-code", point=point, now=at)


def walk(memory: Holloway, limit: int) -> list[str]:
    ids, key = [], ""
    while True:
        page = session_pages.list_session_page(memory, after=key, limit=limit)
        ids += [row.session.id for row in page.sessions]
        key = page.next_key
        if not key:
            return ids


@pytest.mark.parametrize("limit", [1, 2, 50])
def test_pages_have_every_session_once_newest_first(memory: Holloway, limit: int) -> None:
    for number in range(5):
        began(memory, f"s{number}", hour=10 + number // 2)
    began(memory, "s0/helper")
    assert walk(memory, limit) == ["s4", "s3", "s2", "s1", "s0"]


@pytest.mark.parametrize("key", ["x", "2026", "x~s1", "2026~\0"])
def test_a_key_that_no_page_had_is_refused(memory: Holloway, key: str) -> None:
    with pytest.raises(InvalidInput, match="not the key of a page"):
        session_pages.list_session_page(memory, after=key)


def test_a_row_counts_what_a_session_was_told_and_left(memory: Holloway) -> None:
    learn(memory, solved("s1"))
    stored = taught(memory, "Money is integer cents").id
    tell(memory, "s1", stored)
    tell(memory, "s1/helper", stored)
    set_record(memory, "s1", saved_tokens=100, injected_tokens=40)
    (row,) = session_pages.list_session_page(memory).sessions
    learned = [found for found in memory.memories() if found.session == "s1"]
    assert (row.session.id, row.told, row.learned) == ("s1", 1, len(learned))
    assert row.seconds > 0
    assert row.tokens == TokenBalance("s1", 100, 40)
    assert row.to_json()["tokens"] == {"session": "s1", "saved": 100, "injected": 40, "net": 60}
    assert (row.title, row.record["tool_calls"]) == (row.session.task, 3)


def test_each_told_memory_says_what_became_of_it(memory: Holloway) -> None:
    ids = {name: taught(memory, f"memory {name}").id for name in MemoryUse if name is not MemoryUse.UNKNOWN}
    learn(memory, solved("s1"))
    for name, memory_id in ids.items():
        tell(memory, "s1", memory_id, point="tool_result" if name is MemoryUse.CITED else "prompt")
    session_ledger.record_reported_use(memory.store.database, ids[MemoryUse.REPORTED], "s1", STARTED)
    record = {name: [ids[name]] for name in (MemoryUse.CITED, MemoryUse.ACTED_ON, MemoryUse.CONTRADICTED)}
    set_record(memory, "s1", **record)
    memory.forget([ids[MemoryUse.DISMISSED]], hard=True)
    told = session_pages.load_story(memory, "s1").told
    assert [event.point for event in told] == ["prompt", "tool_result"]
    uses = {told_memory.memory.id: told_memory for event in told for told_memory in event.memories}
    assert {name: uses[memory_id].use for name, memory_id in ids.items() if memory_id in uses} == {
        name: name for name in ids if name is not MemoryUse.DISMISSED
    }


def test_a_use_is_unknown_before_the_session_was_learned_from() -> None:
    assert session_pages.find_use("x", {}, set()) is MemoryUse.UNKNOWN
    assert session_pages.find_use("x", {"used": []}, set()) is MemoryUse.DISMISSED


def test_an_erased_memory_was_told_all_the_same(memory: Holloway) -> None:
    began(memory, "s1")
    tell(memory, "s1", "ffffff")
    ((told_memory,),) = [event.memories for event in session_pages.load_story(memory, "s1").told]
    assert (told_memory.memory.id, told_memory.memory.summary, told_memory.exists) == ("ffffff", "", False)


def test_the_timeline_has_what_was_told_between_the_entries_of_the_transcript(
    memory: Holloway, repository: Repository
) -> None:
    open_session_files(memory).learn(opened(transcript(repository.root, "s1")))
    stored = taught(memory, "Money is integer cents").id
    tell(memory, "s1", stored, at="2026-01-04T09:00:01.000Z")
    tell(memory, "s1/helper", taught(memory, "x is y").id, at="2026-01-04T09:00:04.000Z")
    story = session_pages.load_story(memory, "s1")
    assert story.transcript is TranscriptState.READ
    kinds = [row.entry.tool or row.entry.kind if row.entry else "told" for row in story.timeline]
    assert kinds == ["prompt", "Edit", "told", "Bash", "told", "Bash"]
    assert [event.actor for event in story.told] == ["", "helper"]
    assert (story.timeline_total, story.is_complete) == (6, True)
    page = session_pages.load_story(memory, "s1", first=2, limit=2)
    assert (page.timeline, page.timeline_total) == (story.timeline[2:4], 6)


def test_a_story_has_what_was_learned_held_and_dropped(memory: Holloway) -> None:
    learn(memory, solved("s1").records("worth nothing at all", "gotcha").red())
    story = session_pages.load_story(memory, "last")
    assert all(lesson.session == "s1" for lesson in story.learned)
    assert {candidate.state for candidate in story.held} <= {"held"}
    assert {candidate.state for candidate in story.dropped} <= {"dropped"}
    assert len(story.held) + len(story.dropped) > 0
    assert all(candidate.reason for candidate in (*story.held, *story.dropped))
    assert all(lesson.state is not State.CONFIRMED for lesson in story.learned)


def test_texts_of_the_transcript_are_printed_on_request_only(memory: Holloway, repository: Repository) -> None:
    open_session_files(memory).learn(opened(transcript(repository.root, "s1")))
    story = session_pages.load_story(memory, "s1")
    plain, raw = story.to_json(), story.to_json(raw=True)
    assert "Fix the login" not in json.dumps(plain["timeline"])
    assert raw["timeline"][0]["text"] == "Fix the login, part 0"
    assert plain["timeline"][1]["paths"] == ["src/shop/auth/tokens.py"]
    assert (plain["transcript"], plain["timeline_total"]) == ("read", 4)
