"""An agent is asked for its lessons only where a person wants it, once, and after it fixed something."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from holloway.config import change_setting
from holloway.hooks.lesson_question import find_failed_calls, has_fixed, read_session
from holloway.service.project_finder import refresh_hook_settings
from tests.hooks.asking import event, hook

if TYPE_CHECKING:
    import holloway
    from tests.conftest import Repository

FAILED: dict[str, object] = {"event": "PostToolUseFailure", "command": "pytest -q", "failed": True}
EDITED: dict[str, object] = {"event": "PostToolUse", "path": "a.py", "removed": ["x"], "added": ["y"]}
PASSED: dict[str, object] = {"event": "PostToolUse", "command": "pytest  -q"}


@pytest.fixture
def wanted(memory: holloway.Holloway) -> None:
    change_setting("learning.ask_at_stop", "on")
    refresh_hook_settings()


def fix_something(repository: Repository) -> None:
    run: dict[str, Any] = {"tool_name": "Bash", "tool_input": {"command": "pytest -q"}}
    edit = {"file_path": str(repository.root / "README.md"), "old_string": "a", "new_string": "b"}
    hook(event(repository, "SessionStart", source="startup"))
    hook(event(repository, "PostToolUseFailure", tool_use_id="c1", error="Exit code 1\nE assert", **run))
    hook(event(repository, tool_name="Edit", tool_use_id="c2", tool_input=edit, tool_response={}))
    hook(event(repository, tool_use_id="c3", tool_response={"stdout": "1 passed"}, **run))


def stop(repository: Repository, *, host: str = "claude-code", **fields: Any) -> dict[str, object]:
    answer = hook(event(repository, "Stop", **fields), host=host)
    assert (answer.code, answer.stderr) == (0, b"")
    return dict(json.loads(answer.stdout)) if answer.stdout else {}


@pytest.mark.usefixtures("wanted")
def test_a_session_that_fixed_something_is_asked_once(repository: Repository) -> None:
    fix_something(repository)
    answer = stop(repository)
    assert answer["decision"] == "block"
    assert "note" in str(answer["reason"])
    assert "--why" in str(answer["reason"])
    assert "decision" not in stop(repository)
    assert "decision" not in stop(repository, stop_hook_active=True)


@pytest.mark.usefixtures("wanted")
def test_an_agent_that_already_goes_on_is_never_asked(repository: Repository) -> None:
    fix_something(repository)
    assert "decision" not in stop(repository, stop_hook_active=True)


@pytest.mark.usefixtures("wanted")
@pytest.mark.parametrize("host", ["copilot", "gemini", "opencode"])
def test_a_host_that_cannot_be_asked_is_not(repository: Repository, host: str) -> None:
    fix_something(repository)
    assert "decision" not in stop(repository, host=host)


def test_nobody_is_asked_without_the_setting(repository: Repository, memory: holloway.Holloway) -> None:
    fix_something(repository)
    assert "decision" not in stop(repository)


@pytest.mark.parametrize(
    ("rows", "fixed"),
    [
        ([FAILED, EDITED, PASSED], True),
        ([FAILED, PASSED], False),
        ([EDITED, PASSED], False),
        ([EDITED, FAILED, PASSED], False),
        ([FAILED, EDITED, {**PASSED, "command": "pytest -q other"}], False),
        ([FAILED, EDITED, {**PASSED, "failed": True}], False),
        ([{**FAILED, "interrupted": True}, EDITED, PASSED], False),
        ([], False),
    ],
)
def test_a_fix_is_a_failure_an_edit_and_the_same_command_that_works(rows: list[dict[str, object]], fixed: bool) -> None:
    assert has_fixed(rows) == fixed


def test_a_fix_before_the_session_was_resumed_does_not_count() -> None:
    start: dict[str, object] = {"event": "SessionStart", "source": "resume"}
    assert not has_fixed(read_session([FAILED, EDITED, PASSED, start]))
    assert has_fixed(read_session([start, FAILED, {**start, "source": "compact"}, EDITED, PASSED]))


def test_the_exit_code_of_a_command_in_codex_is_in_its_transcript() -> None:
    def output(call: object, text: object) -> dict[str, object]:
        return {"type": "response_item", "payload": {"call_id": call, "output": text}}

    rows: list[dict[str, object]] = [
        output("c1", "Wall time: 0 s\nProcess exited with code 2\nOutput:\n"),
        output("c2", "Process exited with code 0\n"),
        output(["c3"], "Process exited with code 1"),
        output("c4", {"text": "Process exited with code 1"}),
        output("c5", "Process exited with code "),
        {"payload": "x"},
    ]
    assert find_failed_calls(rows) == {"c1", "c5"}
    run: dict[str, object] = {"event": "PostToolUse", "command": "pytest -q"}
    assert has_fixed([{**run, "call": "c1"}, EDITED, {**run, "call": "c2"}], {"c1"})
