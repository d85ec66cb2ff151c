"""The subject of a tool event: the files that it read or changed, its error, its search. Light.

Some agents do everything through a shell, so a command that reads, changes or searches files counts like a tool that
does. A command is only parsed if its first words name such a program, because parsing costs milliseconds.
"""

from __future__ import annotations

import os

from holloway.config import FAILURE_CHARS_MAX
from holloway.safety.paths import contained_path
from holloway.text import tools

FAILED_EVENT = "PostToolUseFailure"
EVENT_FILES_MAX = 20
RESPONSE_DEPTH_MAX = 3
RESPONSE_PARTS_MAX = 100

_FILE_PROGRAMS = frozenset(
    "cat head tail sed less more nl bat batcat awk rg grep egrep fgrep ag ack apply_patch applypatch".split()
)
"""Programs that read, search or change the files that they name."""
_RESPONSE_KEYS = ("stdout", "stderr", "content", "result", "output", "text", "llmContent", "text_result_for_llm")
_FAILURE_SIGNS = ("rror", "FAIL", "fail", "atal", "panic", "ERR", "not found", "denied", "refused", "xception")


class Subject:
    """Files relative to the project, a failure's text and command, and the pattern of a search; each may be empty.

    `kind` is that of the tool, an edit where a file is named for it.
    """

    __slots__ = ("command", "failure", "files", "kind", "pattern")

    def __init__(
        self, files: list[str], failure: str = "", pattern: str = "", command: str = "", kind: str = ""
    ) -> None:
        self.files = files
        self.failure = failure
        self.pattern = pattern
        self.command = command
        self.kind = kind

    def __bool__(self) -> bool:
        return bool(self.files or self.failure or self.pattern)


def find_subject(event: dict[str, object], root: str) -> Subject:
    """Find the files, the failure and the search of a tool event."""
    kind, arguments = _parse_tool(event)
    cwd = event.get("cwd")
    folder = cwd if isinstance(cwd, str) else ""
    if kind in tools.ON_FILES:
        patch = tools.patch_in(arguments)
        paths = _patched_files(patch) if patch else tools.named_files(arguments, kind)
        return Subject(_keep_inside(paths, root, folder), kind=tools.used_as(kind, arguments))
    if kind in tools.LOOKING:
        pattern = tools.find_argument(arguments, "pattern", kind)
        return Subject([], "", pattern if isinstance(pattern, str) else "")
    if kind == tools.SHELL:
        command = extract_command(event)
        files, pattern = _parse_command(command, root, folder)
        failure = extract_failure(event, command)
        return Subject(files, failure, "" if failure else pattern, command if failure else "")
    return Subject([], extract_failure(event, "") if event.get("hook_event_name") == FAILED_EVENT else "")


def find_edited_files(event: dict[str, object], root: str) -> list[str]:
    """Find the files that a tool event changed, also by a patch in a shell command."""
    kind, arguments = _parse_tool(event)
    if kind == tools.SHELL:
        return find_subject(event, root).files if tools.PATCH in extract_command(event) else []
    return find_subject(event, root).files if tools.used_as(kind, arguments) in (tools.EDIT, tools.WRITE) else []


def has_failed(event: dict[str, object], command: str) -> bool:
    """Tell whether a command failed, by its host's word or by its output."""
    return event.get("hook_event_name") == FAILED_EVENT or bool(extract_failure(event, command))


def extract_failure(event: dict[str, object], command: str) -> str:
    """Return the end of a failed tool's output; empty for a tool that did not fail."""
    output = _extract_end(event.get("tool_response"))
    if event.get("hook_event_name") == FAILED_EVENT:
        return _extract_end(event.get("error")) or output
    if not any(sign in output for sign in _FAILURE_SIGNS):
        return ""
    from holloway.text.failures import is_failure  # only where an output looks like a failure

    return output if is_failure(output, False, command[: tools.EDIT_CHARS_MAX]) else ""


def extract_text(response: object, depth: int = 0) -> str:
    """Return the text of a tool's response, whatever its host wraps it in; empty if it has none."""
    if isinstance(response, str):
        return response
    if depth == RESPONSE_DEPTH_MAX:
        return ""
    if isinstance(response, list):
        return "\n".join(filter(None, (extract_text(part, depth + 1) for part in response[:RESPONSE_PARTS_MAX])))
    if isinstance(response, dict):
        return "\n".join(filter(None, (extract_text(response.get(name), depth + 1) for name in _RESPONSE_KEYS)))
    return ""


def _extract_end(response: object) -> str:
    """Return the end of a tool's output, which is where a failure is reported."""
    return extract_text(response)[-FAILURE_CHARS_MAX:]


def extract_command(event: dict[str, object]) -> str:
    """Return the command of a tool event as it would be typed; empty if the tool is no shell."""
    kind, arguments = _parse_tool(event)
    return tools.typed_command(tools.find_argument(arguments, "command", kind))[: tools.EDIT_CHARS_MAX]


def _parse_tool(event: dict[str, object]) -> tuple[str, dict[str, object]]:
    """Return the kind of the tool and its arguments."""
    name, arguments = event.get("tool_name"), event.get("tool_input")
    kind = tools.kind_of(name) if isinstance(name, str) else tools.OTHER
    return kind, arguments if isinstance(arguments, dict) else {}


def _parse_command(command: str, root: str, folder: str) -> tuple[list[str], str]:
    """Return the files that a command reads or changes, and the pattern that it searches for."""
    if not _FILE_PROGRAMS & {*_first_words(command)}:
        return [], ""
    if tools.PATCH in command:
        return _keep_inside(_patched_files(command), root, folder), ""
    from holloway.text.commands import parse_command  # only if the command names such a program

    files: list[str] = []
    pattern = ""
    for step in parse_command(command[:FAILURE_CHARS_MAX]):
        if step.kind in (tools.READ, tools.EDIT):
            files += [os.path.join(step.directory, path) for path in step.paths[:EVENT_FILES_MAX]]
        elif step.kind == "search":
            pattern = pattern or step.pattern
    return _keep_inside(files, root, folder), pattern


def _first_words(command: str) -> list[str]:
    """Return the programs that a command starts with: the first, and the one after a `cd`."""
    words = command[:1_000].split(maxsplit=4)
    return [words[0], words[3]] if words[:1] == ["cd"] and len(words) > 3 else words[:1]


def _patched_files(patch: str) -> list[str]:
    from holloway.text import edit_lines  # only edits need it

    return [change.path for change in edit_lines.parse_patch(patch)]


def _keep_inside(paths: list[str], root: str, folder: str) -> list[str]:
    """Return the paths inside the project, relative to it, each once."""
    inside = [contained_path(path, root, folder) for path in dict.fromkeys(paths[:EVENT_FILES_MAX]) if path]
    return [path for path in inside if path not in ("", ".")]
