"""The reader of an injection: whatever a parallel process showed first is not shown again, and nothing else is lost."""

from holloway.injection import known_facts, memory_text
from holloway.injection.reader import Reader
from holloway.service.holloway import Holloway
from tests.store.test_memories import taught

FILE = "src/shop/auth/tokens.py"


def reader(memory: Holloway, session: str = "s1") -> Reader:
    project = memory.project
    now = "2026-01-05T09:00:00.000Z"
    return Reader(
        session=session, agent="test", folder=str(project.folder), root=str(project.root), now=now, wait_ms=100
    )


def test_of_memories_that_two_processes_show_at_once_each_is_shown_by_one(memory: Holloway) -> None:
    first, second = (taught(memory, f"trap number {number}", files=[FILE]).id for number in range(2))
    view, parallel = reader(memory).open(), reader(memory).open()
    assert view is not None
    assert parallel is not None
    with view, parallel:
        rows = known_facts.find_for_files(view, [FILE], 5)
        assert parallel.claim([first], "tool_result") == [first]
        text = memory_text.show_rows(view, rows, "tool_result", 300)
        assert f"hw:{second}" in text
        assert f"hw:{first}" not in text
        assert memory_text.show_rows(parallel, rows, "tool_result", 300) == ""


def test_a_new_context_allows_a_memory_to_be_shown_again(memory: Holloway) -> None:
    trap = taught(memory, "a trap", files=[FILE]).id
    agent = reader(memory)
    for _ in range(2):
        view = agent.open()
        assert view is not None
        with view:
            assert [row["id"] for row in known_facts.find_for_files(view, [FILE], 5)] == [trap]
            assert view.claim([trap], "step") == [trap]
        agent.forget_shown()


def test_a_project_without_a_store_has_nothing_to_read(memory: Holloway) -> None:
    agent = reader(memory)
    agent.folder += "/nowhere"
    assert agent.open() is None


def test_a_memory_of_a_missing_file_is_withheld_and_remembered_as_missing(memory: Holloway) -> None:
    trap = taught(memory, "a trap", files=[FILE]).id
    (memory.project.root / FILE).unlink()
    agent = reader(memory)
    view = agent.open()
    assert view is not None
    with view:
        assert known_facts.find_for_files(view, [FILE], 5) == []
    assert agent.missing == [trap]
