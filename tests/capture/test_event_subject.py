"""Which files, failures and searches a tool event is about, whatever the agent calls its tools."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holloway.capture import event_subject
from holloway.config import FAILURE_CHARS_MAX
from tests.outside_input import JSON, bounded_time, text_of

PATCH = """\
*** Begin Patch
*** Update File: src/a.py
@@
-one
+two
*** Add File: docs/new.md
+text
*** Update File: /etc/passwd
@@
-x
+y
*** End Patch
"""
FAILED = "E   KeyError: 'colour'\n1 failed"


def about(root: Path, tool: str, arguments: object, **more: object) -> event_subject.Subject:
    event = {"hook_event_name": "PostToolUse", "tool_name": tool, "tool_input": arguments, "cwd": str(root), **more}
    return event_subject.find_subject(event, str(root))


def test_a_tool_that_takes_a_list_of_files_is_about_all_that_lie_here(tmp_path: Path) -> None:
    given = {"paths": ["src/a.py", "/etc/passwd", 7, "src/b.py"]}
    assert about(tmp_path, "read_many_files", given).files == ["src/a.py", "src/b.py"]


@pytest.mark.parametrize(
    ("command", "files"),
    [
        ("cat src/a.py", ["src/a.py"]),
        ("sed -n '1,200p' src/a.py", ["src/a.py"]),
        ("nl -ba src/a.py | sed -n '1,40p'", ["src/a.py"]),
        ("head -50 src/a.py src/b.py", ["src/a.py", "src/b.py"]),
        ("cd src && cat a.py", ["src/a.py"]),
        ("sed -i 's/one/two/' src/a.py", ["src/a.py"]),
        ("cat src/a.py && pytest -q", ["src/a.py"]),
        (f"apply_patch <<'EOF'\n{PATCH}EOF", ["src/a.py", "docs/new.md"]),
        ("cat /etc/passwd", []),
        ("cat ../../etc/passwd", []),
        ("cat", []),
        ("pytest -q", []),
        ("git status", []),
        ("echo 'cat src/a.py'", []),
        ("", []),
    ],
)
def test_a_command_is_about_the_files_that_it_reads_or_changes(tmp_path: Path, command: str, files: list[str]) -> None:
    assert about(tmp_path, "Bash", {"command": command}).files == files


@pytest.mark.parametrize(
    ("tool", "arguments", "files"),
    [
        ("Read", {"file_path": "src/a.py"}, ["src/a.py"]),
        ("read_file", {"absolute_path": "src/a.py"}, ["src/a.py"]),
        ("NotebookEdit", {"notebook_path": "a.ipynb"}, ["a.ipynb"]),
        ("apply_patch", {"command": PATCH}, ["src/a.py", "docs/new.md"]),
        ("apply_patch", {"input": PATCH}, ["src/a.py", "docs/new.md"]),
        ("shell", {"command": ["bash", "-lc", "cat src/a.py"]}, ["src/a.py"]),
        ("exec_command", {"cmd": "cat src/a.py"}, ["src/a.py"]),
        ("run_terminal_cmd", {"command": "cat src/a.py"}, ["src/a.py"]),
        ("str_replace_editor", {"command": "view", "path": "src/a.py"}, ["src/a.py"]),
        ("view_file", {"target_file": "src/a.py"}, ["src/a.py"]),
        ("Read", {"file_path": ["src/a.py"]}, ["src/a.py"]),
        ("Read", {"file_path": [["src/a.py"], 7]}, []),
        ("Read", {"file_path": {"src/a.py": 1}}, []),
        ("Read", {"file_path": "src/\0.py"}, []),
        ("Read", "src/a.py", []),
        ("Bash", {"command": 7}, []),
        ("Telepathy", {"file_path": "src/a.py"}, []),
        (7, {}, []),
    ],
)
def test_every_host_has_names_of_its_own_for_the_same_tools(
    tmp_path: Path, tool: str, arguments: object, files: list[str]
) -> None:
    assert about(tmp_path, tool, arguments).files == files


@pytest.mark.parametrize(
    ("tool", "arguments", "changes"),
    [
        ("Edit", {"file_path": "src/a.py"}, True),
        ("create_file", {"path": "src/a.py"}, True),
        ("apply_patch", {"input": PATCH}, True),
        ("str_replace_editor", {"command": "str_replace", "path": "src/a.py"}, True),
        ("str_replace_editor", {"command": "view", "path": "src/a.py"}, False),
        ("view", {"path": "src/a.py"}, False),
        ("Bash", {"command": "cat src/a.py"}, False),
    ],
)
def test_a_tool_that_only_shows_a_file_has_not_changed_it(
    tmp_path: Path, tool: str, arguments: object, changes: bool
) -> None:
    found = event_subject.find_edited_files(
        {"tool_name": tool, "tool_input": arguments, "cwd": str(tmp_path)}, str(tmp_path)
    )
    assert ("src/a.py" in found) is changes


def test_a_relative_path_is_taken_from_where_the_agent_stands(tmp_path: Path) -> None:
    (tmp_path / "web").mkdir()
    there = str(tmp_path / "web")
    assert about(tmp_path, "Bash", {"command": "cat app.ts"}, cwd=there).files == ["web/app.ts"]
    assert about(tmp_path, "Read", {"file_path": "app.ts"}, cwd=there).files == ["web/app.ts"]


@pytest.mark.parametrize(
    ("tool", "arguments", "pattern"),
    [
        ("Grep", {"pattern": "refresh"}, "refresh"),
        ("grep_search", {"pattern": "refresh"}, "refresh"),
        ("Bash", {"command": "rg -n refresh src"}, "refresh"),
        ("Bash", {"command": "grep -rn 'refresh' ."}, "refresh"),
        ("Bash", {"command": "cat a.py | grep refresh"}, ""),
        ("Grep", {"pattern": 7}, ""),
    ],
)
def test_a_search_is_one_in_a_shell_too(tmp_path: Path, tool: str, arguments: object, pattern: str) -> None:
    assert about(tmp_path, tool, arguments).pattern == pattern


@pytest.mark.parametrize("answer", [FAILED, {"stdout": FAILED}, {"output": FAILED}, {"text_result_for_llm": FAILED}])
def test_a_failure_is_seen_in_the_answer_where_the_host_does_not_tell_of_it(tmp_path: Path, answer: object) -> None:
    assert about(tmp_path, "Bash", {"command": "pytest -q"}, tool_response=answer).failure == FAILED


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ("printed", "printed"),
        ({"stdout": "out", "stderr": "err"}, "out\nerr"),
        ({"content": [{"type": "text", "text": "one"}, {"type": "text", "text": "two"}]}, "one\ntwo"),
        ({"llmContent": "read"}, "read"),
        ({"result": {"content": {"text": {"text": "too deep"}}}}, ""),
        (None, ""),
        (7, ""),
    ],
)
def test_the_words_of_an_answer_are_found_in_whatever_it_is_wrapped(answer: object, said: str) -> None:
    assert event_subject.extract_text(answer) == said


def test_a_file_that_speaks_of_errors_is_no_failure(tmp_path: Path) -> None:
    source = "class ShopError(Exception):\n    pass\n"
    found = about(tmp_path, "Bash", {"command": "cat src/a.py"}, tool_response=source)
    assert (found.files, found.failure) == (["src/a.py"], "")


def test_a_failure_that_the_host_tells_of_needs_no_signs(tmp_path: Path) -> None:
    told = {"hook_event_name": "PostToolUseFailure", "error": "nothing to see"}
    assert about(tmp_path, "Bash", {"command": "make"}, **told).failure == "nothing to see"
    assert about(tmp_path, "mcp__db__query", {}, **told).failure == "nothing to see"
    assert not about(tmp_path, "mcp__db__query", {}, tool_response="1 failed")


FIELDS = ("file_path", "path", "paths", "command", "pattern", "patch", "input", "edits", "notebook_path")
COMMANDS = text_of(
    "cat ", "sed -n ", "apply_patch <<E\n", PATCH, "../", "/etc/passwd", "src/a.py", "&&", "$(", "'", "|", "cd "
)


@given(
    st.sampled_from(["Bash", "Edit", "Grep", "Read", "apply_patch", "shell", "mcp__a__b"]) | JSON,
    st.dictionaries(st.sampled_from(FIELDS), JSON | COMMANDS, max_size=4) | JSON,
    st.dictionaries(st.sampled_from(["cwd", "error", "tool_response", "hook_event_name"]), JSON | COMMANDS, max_size=4),
)
def test_any_event_is_about_files_of_the_project_and_a_short_failure(
    tool: object, arguments: object, fields: dict[str, object]
) -> None:
    event = {"tool_name": tool, "tool_input": arguments, **fields}
    with bounded_time():
        subject = event_subject.find_subject(event, "/project")
        event_subject.find_edited_files(event, "/project")
    assert not [path for path in subject.files if path.startswith(("/", "../"))]
    assert len(subject.failure) <= FAILURE_CHARS_MAX


@pytest.mark.parametrize(
    ("event", "failed"),
    [
        ({"hook_event_name": "PostToolUseFailure"}, True),
        ({"hook_event_name": "PostToolUseFailure", "error": "nothing to see"}, True),
        ({"hook_event_name": "PostToolUse", "tool_response": FAILED}, True),
        ({"hook_event_name": "PostToolUse", "tool_response": "12 passed"}, False),
        ({"hook_event_name": "PostToolUse"}, False),
    ],
)
def test_a_command_fails_by_the_word_of_its_host_or_by_its_output(event: dict[str, object], failed: bool) -> None:
    assert event_subject.has_failed(event, "pytest -q") is failed
