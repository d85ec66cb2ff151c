"""What agents were told, as a person lists it; and answers of the MCP server among it."""

import pytest

from holloway.errors import InvalidInput
from holloway.service import project_finder, session_pages, told
from holloway.service.holloway import Holloway
from holloway.store import lookup
from holloway.testing import FakeClock
from tests.conftest import Repository
from tests.service.on_disk import watched
from tests.service.test_session_report import began
from tests.store.test_memories import taught
from tests.store.test_told_texts import tell


def walk(memory: Holloway, limit: int) -> list[str]:
    listed, key = [], ""
    while True:
        page = told.list_told_texts(memory, after=key, limit=limit)
        listed += [text.text for text in page.texts]
        key = page.next_key
        if not key:
            return listed


@pytest.mark.parametrize("limit", [1, 2, 3, 50])
def test_pages_have_every_text_once_also_of_the_same_moment(memory: Holloway, clock: FakeClock, limit: int) -> None:
    for number in range(6):
        tell(memory, f"text {number}")
        clock.advance(seconds=number % 2)
    assert walk(memory, limit) == [f"text {number}" for number in reversed(range(6))]


@pytest.mark.parametrize("key", ["x", "~1", "2026~", "x~1", "2026~-1", "2026~" + "9" * 30])
def test_a_key_that_no_page_had_is_refused(memory: Holloway, key: str) -> None:
    with pytest.raises(InvalidInput, match="not the key of a page"):
        told.list_told_texts(memory, after=key)


def test_a_session_in_python_notes_what_it_told(memory: Holloway, clock: FakeClock) -> None:
    stored = taught(memory, "it is generated", files=["README.md"]).id
    with memory.session("one", agent="mine") as session:
        text = session.augment("read_file", {"path": "README.md"}, "# shop")
        assert session.augment("read_file", {"path": "pyproject.toml"}, "x") == ""
    (listed,) = told.list_told_texts(memory, session="one").texts
    assert (listed.text, listed.point, listed.memories) == (text, "tool_result", (stored,))
    (event,) = session_pages.load_story(memory, "one").told
    assert (event.text, event.tokens) == (text, listed.tokens)
    assert [told_memory.memory.id for told_memory in event.memories] == [stored]


def test_nothing_is_noted_while_capture_is_paused(memory: Holloway, repository: Repository) -> None:
    taught(memory, "it is generated", files=["README.md"])
    project_finder.pause(str(repository.root), "capture")
    with memory.session("one") as session:
        assert session.augment("read_file", {"path": "README.md"}, "# shop")
    told.note_told(memory, "mcp-1", "codex", "search_memory", "text")
    assert told.list_told_texts(memory).texts == ()


def test_an_answer_over_mcp_belongs_to_the_session_that_hooks_watch(memory: Holloway) -> None:
    told.note_told(memory, "mcp-1", "claude-code", "search_memory", "first")
    watched(memory, "s1", ended=False)
    told.note_told(memory, "mcp-1", "claude-code", "locate", "second")
    listed = {text.text: (text.session, text.point, text.event) for text in told.list_told_texts(memory).texts}
    assert listed == {"first": ("mcp-1", "mcp", "search_memory"), "second": ("s1", "mcp", "locate")}


def test_what_has_no_text_any_more_is_told_by_the_ledger(memory: Holloway) -> None:
    first, second = taught(memory, "x is y").id, taught(memory, "y is z").id
    began(memory, "s1")
    connection = memory.store.database.connection
    at = "2026-01-05T08:00:00.000Z"
    for memory_id in (first, second):
        lookup.claim_injections(connection, [memory_id], session="s1", agent="a", point="prompt", now=at)
    tell(memory, f"y is z [hw:{second}]")
    events = session_pages.load_story(memory, "s1").told
    assert [(event.text, [item.memory.id for item in event.memories]) for event in events] == [
        (None, [first]),
        (f"y is z [hw:{second}]", [second]),
    ]
