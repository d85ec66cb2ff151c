"""The one table of journal fields, against the hook that writes them and the reader that reads them."""

from __future__ import annotations

import ast
import inspect
from pathlib import Path

import pytest

from docs.architecture import SOURCE, WALK_STEPS
from holloway.capture import journal, journal_reader
from holloway.capture.journal_fields import (
    JOURNAL_FIELDS,
    MESSAGES,
    SESSION,
    TARGET_ARGUMENTS,
    TARGET_FIELDS,
    TASK,
    TOOL_USE,
)

NOW = "2026-03-01T10:00:00.000Z"
PATCH = "*** Begin Patch\n*** Update File: a.py\n-x\n+y\n*** End Patch"
SENTENCE = "The client keeps its release tokens in the harbour vault, which every worker may open."
NESTED = {"text", "type", "files", "path", "outside", "kind", "removed", "added"}
"""Keys of the objects inside `record` and `edits`."""


def entry(root: Path, name: str, tool: str = "", **payload: object) -> dict[str, object]:
    event = {"hook_event_name": name, "tool_name": tool, "cwd": str(root / "web"), **payload}
    return journal.entry_of(event, NOW, str(root), "claude-code")


@pytest.fixture
def entries(tmp_path: Path) -> list[dict[str, object]]:
    (tmp_path / "web").mkdir()
    about = {key: "x" for key, _, _ in (*TOOL_USE[1:], *SESSION)}
    texts = dict.fromkeys((*TARGET_ARGUMENTS, *(key for key, _, _ in TASK)), "x")
    failure = {"is_error": True, "error": "no", "interrupted": True, "userModified": True, "filenames": ["a.py"]}
    edits = [{"old_string": "a", "new_string": "b"}]
    return [
        entry(tmp_path, "SessionStart", **about, **dict.fromkeys(MESSAGES, "x")),
        entry(tmp_path, "UserPromptSubmit", prompt="x", permission_mode="plan"),
        entry(tmp_path, "PostToolUse", "Bash", tool_input=texts, tool_response={"stdout": "x", **failure}),
        entry(tmp_path, "PostToolUse", "Edit", tool_input={"file_path": str(tmp_path / "a.py"), "edits": edits}),
        entry(tmp_path, "PostToolUse", "Read", tool_input={"file_path": "/elsewhere/a.py"}, tool_response=SENTENCE),
        entry(tmp_path, "PostToolUse", "Read", tool_input={"path": [str(tmp_path / "a.py"), str(tmp_path / "b.py")]}),
        entry(tmp_path, "PostToolUse", "apply_patch", tool_input={"input": PATCH}),
        entry(tmp_path, "PostToolUse", "TodoWrite", tool_input={"todos": [{"content": "x", "status": "completed"}]}),
        entry(tmp_path, "PostToolUse", "mcp__holloway__record_memory", tool_input={"text": "x", "files": ["a.py"]}),
        journal.located_entry(["a.py"], NOW),
    ]


def test_the_hook_writes_no_field_that_the_table_does_not_have(entries: list[dict[str, object]]) -> None:
    assert {field for entry in entries for field in entry} <= JOURNAL_FIELDS.keys()


def test_the_table_has_no_field_that_no_hook_writes(entries: list[dict[str, object]]) -> None:
    assert JOURNAL_FIELDS.keys() - {field for entry in entries for field in entry} == set()


def test_the_reader_asks_for_no_field_that_the_table_does_not_have() -> None:
    calls = [node for node in ast.walk(ast.parse(inspect.getsource(journal_reader))) if isinstance(node, ast.Call)]
    asked = {
        str(call.args[0].value)
        for call in calls
        if isinstance(call.func, ast.Attribute) and call.func.attr == "get"
        if call.args and isinstance(call.args[0], ast.Constant)
    }
    assert asked
    assert asked <= JOURNAL_FIELDS.keys() | NESTED
    assert set(TARGET_FIELDS) <= JOURNAL_FIELDS.keys()


@pytest.mark.parametrize(("path", "step"), WALK_STEPS)
def test_the_walk_of_an_event_names_files_that_exist(path: str, step: str) -> None:
    assert (SOURCE / path).is_file()
    assert step
