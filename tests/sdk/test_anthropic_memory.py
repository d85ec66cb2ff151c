"""Anthropic's memory tool, called through the SDK's own dispatch as its runner does."""

import pytest
from anthropic.lib.tools import ToolError

from holloway.sdk.anthropic_memory import MemoryTool
from holloway.service.holloway import Holloway
from holloway.service.project_finder import pause
from tests.conftest import Repository

NOTES = "/memories/notes/auth.md"
SECRET = "x8Kq2LmZ7vRt4YbN1cWp9HsD3fGj6QkT0aUe"


@pytest.fixture
def tool(memory: Holloway, repository: Repository) -> MemoryTool:
    memory.remember("money is integer cents", type="decision")
    return MemoryTool(repository.root)


def call(tool: MemoryTool, command: str, **fields: object) -> str:
    return str(tool.call({"command": command, **fields}))


def create(tool: MemoryTool, path: str, text: str) -> str:
    return call(tool, "create", path=path, file_text=text)


@pytest.mark.promise("sdk")
def test_the_brief_is_a_file_that_is_always_there(tool: MemoryTool) -> None:
    assert call(tool, "view", path="/memories") == "Files in /memories/:\n/memories/project.md"
    assert "money is integer cents [hw:" in call(tool, "view", path="/memories/project.md")
    for command in ({"command": "delete"}, {"command": "create", "file_text": "mine"}):
        with pytest.raises(ToolError):
            tool.call({**command, "path": "/memories/project.md"})


@pytest.mark.promise("sdk")
def test_a_file_is_written_changed_and_read_as_it_is(tool: MemoryTool) -> None:
    create(tool, NOTES, "tests need REDIS_URL\nrun them one by one")
    assert call(tool, "view", path=NOTES) == "     1\ttests need REDIS_URL\n     2\trun them one by one"
    call(tool, "str_replace", path=NOTES, old_str="one by one", new_str="in parallel")
    call(tool, "insert", path=NOTES, insert_line=1, insert_text="and a database\n")
    assert call(tool, "view", path=NOTES, view_range=[2, -1]) == "     2\tand a database\n     3\trun them in parallel"
    assert NOTES in call(tool, "view", path="/memories")
    assert NOTES in call(tool, "view", path="/memories/notes")


def test_what_is_written_is_a_memory_that_people_see_without_its_secrets(tool: MemoryTool, memory: Holloway) -> None:
    create(tool, NOTES, "the token is ghp_" + SECRET)
    (found,) = [each for each in memory.memories() if "the token is" in each.content]
    assert SECRET not in found.content
    assert found.state == "quarantined"


def test_files_and_folders_are_renamed_and_deleted(tool: MemoryTool) -> None:
    create(tool, NOTES, "one")
    create(tool, "/memories/notes/billing.md", "two")
    call(tool, "rename", old_path="/memories/notes", new_path="/memories/old")
    listed = call(tool, "view", path="/memories/old")
    assert listed.split("\n")[1:] == ["/memories/old/auth.md", "/memories/old/billing.md"]
    with pytest.raises(ToolError, match="already exists"):
        call(tool, "rename", old_path="/memories/old/auth.md", new_path="/memories/old/billing.md")
    call(tool, "rename", old_path="/memories/old", new_path="/memories")
    assert call(tool, "view", path="/memories/auth.md") == "     1\tone"
    call(tool, "rename", old_path="/memories/auth.md", new_path="/memories/old/auth.md")
    call(tool, "delete", path="/memories/old")
    call(tool, "delete", path="/memories/billing.md")
    assert call(tool, "view", path="/memories") == "Files in /memories/:\n/memories/project.md"


@pytest.mark.parametrize(
    "path",
    [
        "/etc/passwd",
        "/memories/../../etc",
        "memories/..",
        "/memories//x",
        "/memoriesx/a",
        "",
        "/memories/" + "x" * 5000,
    ],
)
def test_a_path_that_leads_elsewhere_is_refused(tool: MemoryTool, path: str) -> None:
    for command in ("view", "delete"):
        with pytest.raises(ToolError):
            call(tool, command, path=path)
    with pytest.raises(ToolError):
        create(tool, path, "x")


@pytest.mark.parametrize(
    "given",
    [
        {"command": "str_replace", "path": NOTES, "old_str": "nowhere", "new_str": "x"},
        {"command": "str_replace", "path": NOTES, "old_str": "", "new_str": "x"},
        {"command": "insert", "path": NOTES, "insert_line": 99, "insert_text": "x"},
        {"command": "insert", "path": NOTES, "insert_line": "first", "insert_text": "x"},
        {"command": "view", "path": "/memories/none.md"},
        {"command": "delete", "path": "/memories/none.md"},
        {"command": "rename", "old_path": "/memories/none.md", "new_path": "/memories/x.md"},
        {"command": "delete", "path": "/memories"},
        {"command": "rename", "old_path": NOTES, "new_path": "/memories"},
        {"command": "create", "path": NOTES, "file_text": "x" * 5000},
        {"command": "create", "path": NOTES, "file_text": ""},
        {"command": "create", "path": "/memories/" + "deep/" * 100 + "x.md", "file_text": "x"},
    ],
)
def test_what_cannot_be_done_is_told_and_changes_nothing(tool: MemoryTool, given: dict[str, object]) -> None:
    create(tool, NOTES, "tests need REDIS_URL")
    with pytest.raises(ToolError):
        tool.call(given)
    assert call(tool, "view", path=NOTES) == "     1\ttests need REDIS_URL"


@pytest.mark.promise("pause")
def test_a_pause_holds_here_too(tool: MemoryTool, memory: Holloway, repository: Repository) -> None:
    create(tool, NOTES, "tests need REDIS_URL")
    pause(str(repository.root), "injection")
    with pytest.raises(ToolError, match="paused"):
        call(tool, "view", path=NOTES)
    pause(str(repository.root), "capture")
    with pytest.raises(ToolError, match="paused"):
        create(tool, "/memories/more.md", "x y z")
    assert not [each for each in memory.memories() if each.content == "x y z"]
