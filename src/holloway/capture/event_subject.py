"""What a tool event is about: files that were read or changed, an error, a search. Light.

Some agents do everything through a shell: what a command reads, changes or searches counts like a tool's own work. A
command is only understood where its first words promise that, because the understanding costs milliseconds.
"""

from __future__ import annotations

import os

from holloway.config import FAILURE_CHARS_MAX
from holloway.safety.paths import contained
from holloway.text import tools

FILES_MAX = 20
NAMED_CHARS_MAX = 20_000
NAMED_WORDS_MAX = 500
"""Bounds on what is looked at for names of files in a prompt."""
ANSWER_DEPTH_MAX = 3
ANSWER_PARTS_MAX = 100

_LOOKING = frozenset(
    "cat head tail sed less more nl bat batcat awk rg grep egrep fgrep ag ack apply_patch applypatch".split()
)
"""Programs that read, search or change files that they name."""
_ANSWERS = ("stdout", "stderr", "content", "result", "output", "text", "llmContent", "text_result_for_llm")
_FAILURE_SIGNS = ("rror", "FAIL", "fail", "atal", "panic", "ERR", "not found", "denied", "refused", "xception")


class Subject:
    """The files as the project names them, the failure, and the pattern of a search; each may be nothing."""

    __slots__ = ("failure", "files", "pattern")

    def __init__(self, files: list[str], failure: str = "", pattern: str = "") -> None:
        self.files = files
        self.failure = failure
        self.pattern = pattern

    def __bool__(self) -> bool:
        return bool(self.files or self.failure or self.pattern)


def of(event: dict[str, object], root: str) -> Subject:
    """What a tool event is about."""
    kind, given = _tool(event)
    cwd = event.get("cwd")
    where = cwd if isinstance(cwd, str) else ""
    if kind in tools.ON_FILES:
        patch = tools.patch_in(given)
        named = _patched(patch) if patch else tools.named_files(given, kind)
        return Subject(_inside(named, root, where))
    if kind in tools.LOOKING:
        pattern = tools.argument(given, "pattern", kind)
        return Subject([], "", pattern if isinstance(pattern, str) else "")
    if kind == tools.SHELL:
        command = command_of(event)
        files, pattern = _of_command(command, root, where)
        failure = failure_of(event, command)
        return Subject(files, failure, "" if failure else pattern)
    return Subject([], failure_of(event, "") if event.get("hook_event_name") == "PostToolUseFailure" else "")


def named_files(text: str, root: str) -> list[str]:
    """The files of the project that a text names by their paths, in the order in which it does."""
    import re  # only where a prompt came

    words = re.findall(r"[\w.@+/\[\]-]{3,200}", text[:NAMED_CHARS_MAX])[:NAMED_WORDS_MAX]
    found = []
    for word in dict.fromkeys(word.strip(".").removeprefix("./") for word in words if "." in word or "/" in word):
        path = contained(word, root)
        if path and os.path.isfile(os.path.join(root, path)):
            found.append(path)
    return found


def edited(event: dict[str, object], root: str) -> list[str]:
    """The files that a tool event changed; nothing for one that only looks."""
    kind, given = _tool(event)
    return of(event, root).files if tools.used_as(kind, given) in (tools.EDIT, tools.WRITE) else []


def failure_of(event: dict[str, object], command: str) -> str:
    """What a tool that failed answered, bounded; empty for one that did not."""
    answered = _end(event.get("tool_response"))
    if event.get("hook_event_name") == "PostToolUseFailure":
        return _end(event.get("error")) or answered
    if not any(sign in answered for sign in _FAILURE_SIGNS):
        return ""
    from holloway.text.failures import failed  # only where an output looks like a failure

    return answered if failed(answered, False, command[: tools.EDIT_CHARS_MAX]) else ""


def words(answer: object, depth: int = 0) -> str:
    """All that a tool said, whatever its host wraps it in; empty for an answer without words."""
    if isinstance(answer, str):
        return answer
    if depth == ANSWER_DEPTH_MAX:
        return ""
    if isinstance(answer, list):
        return "\n".join(filter(None, (words(each, depth + 1) for each in answer[:ANSWER_PARTS_MAX])))
    if isinstance(answer, dict):
        return "\n".join(filter(None, (words(answer.get(name), depth + 1) for name in _ANSWERS)))
    return ""


def _end(answer: object) -> str:
    """The end of what a tool printed, where a failure stands."""
    return words(answer)[-FAILURE_CHARS_MAX:]


def command_of(event: dict[str, object]) -> str:
    """The command of a tool event, as it would be typed; empty where the tool is no shell."""
    kind, given = _tool(event)
    return tools.typed(tools.argument(given, "command", kind))[: tools.EDIT_CHARS_MAX]


def _tool(event: dict[str, object]) -> tuple[str, dict[str, object]]:
    """What the tool does, and its arguments."""
    name, given = event.get("tool_name"), event.get("tool_input")
    kind = tools.kind_of(name) if isinstance(name, str) else tools.OTHER
    return kind, given if isinstance(given, dict) else {}


def _of_command(command: str, root: str, where: str) -> tuple[list[str], str]:
    """The files that a command reads or changes, and what it searches for."""
    if not _LOOKING & {*_first_words(command)}:
        return [], ""
    if tools.PATCH in command:
        return _inside(_patched(command), root, where), ""
    from holloway.text.commands import understand  # only where the command promises files

    files: list[str] = []
    pattern = ""
    for step in understand(command[:FAILURE_CHARS_MAX]):
        if step.kind in (tools.READ, tools.EDIT):
            files += [os.path.join(step.directory, path) for path in step.paths[:FILES_MAX]]
        elif step.kind == "search":
            pattern = pattern or step.pattern
    return _inside(files, root, where), pattern


def _first_words(command: str) -> list[str]:
    """The programs that a command starts with: the first, and the one after a `cd`."""
    words = command[:1_000].split(maxsplit=4)
    return [words[0], words[3]] if words[:1] == ["cd"] and len(words) > 3 else words[:1]


def _patched(patch: str) -> list[str]:
    from holloway.text import edit_lines  # only edits need it

    return [change.path for change in edit_lines.patch(patch)]


def _inside(named: list[str], root: str, where: str) -> list[str]:
    """Those of these files that lie in the project, as it names them, each once."""
    found = [contained(path, root, where) for path in dict.fromkeys(named[:FILES_MAX]) if path]
    return [path for path in found if path not in ("", ".")]
