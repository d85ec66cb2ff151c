"""What a tool event is about: files that were read or changed, an error, a search. Light.

Some agents do everything through a shell: what a command reads, changes or searches counts like a tool's own work. A
command is only understood where its first words promise that, because the understanding costs milliseconds.
"""

from __future__ import annotations

import os

from holloway.safety.paths import contained

FILES_MAX = 20
COMMAND_CHARS_MAX = 200_000
FAILURE_CHARS_MAX = 20_000

_FILE_TOOLS = frozenset("read edit write multiedit notebookedit readfile writefile replace view".split())
_SEARCH_TOOLS = frozenset("grep glob grepsearch searchfilecontent".split())
_SHELL_TOOLS = frozenset("bash shell execcommand localshell exec runshellcommand".split())
_PATCH_TOOLS = frozenset(("applypatch",))
_PATHS = ("file_path", "notebook_path", "absolute_path", "path")
_LOOKING = frozenset(
    "cat head tail sed less more nl bat batcat awk rg grep egrep fgrep ag ack apply_patch applypatch".split()
)
"""Programs that read, search or change files that they name."""
_KINDS = ("read", "edit")
_FAILURE_SIGNS = ("rror", "FAIL", "fail", "atal", "panic", "ERR", "not found", "denied", "refused", "xception")
_ANSWERS = ("stdout", "stderr", "output", "content", "text_result_for_llm", "llmContent")


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
    tool, given = _tool(event)
    cwd = event.get("cwd")
    where = cwd if isinstance(cwd, str) else ""
    if tool in _FILE_TOOLS:
        return Subject(_inside([named_file(event)], root, where))
    if tool in _PATCH_TOOLS:
        return Subject(_inside(_patched(_command(given)), root, where))
    if tool in _SEARCH_TOOLS:
        pattern = given.get("pattern")
        return Subject([], "", pattern if isinstance(pattern, str) else "")
    if tool in _SHELL_TOOLS:
        files, pattern = _of_command(_command(given), root, where)
        failure = failure_of(event, _command(given))
        return Subject(files, failure, "" if failure else pattern)
    return Subject([], failure_of(event, "") if event.get("hook_event_name") == "PostToolUseFailure" else "")


def named_file(event: dict[str, object]) -> str:
    """The file that a tool of its own reads or changes, as the host names it."""
    tool, given = _tool(event)
    named = next((value for value in map(given.get, _PATHS) if value), "") if tool in _FILE_TOOLS else ""
    return named if isinstance(named, str) else ""


def is_shell(event: dict[str, object]) -> bool:
    """Whether a tool event is a command in a shell."""
    return _tool(event)[0] in _SHELL_TOOLS


def edited(event: dict[str, object], root: str) -> list[str]:
    """The files that a tool event changed; nothing for one that only looks."""
    tool, _ = _tool(event)
    changes = tool in _PATCH_TOOLS or (tool in _FILE_TOOLS and tool not in ("read", "readfile", "view"))
    return of(event, root).files if changes else []


def failure_of(event: dict[str, object], command: str) -> str:
    """What a tool that failed answered, bounded; empty for one that did not."""
    answered = said(event.get("tool_response"))
    if event.get("hook_event_name") == "PostToolUseFailure":
        return said(event.get("error")) or answered
    if not any(sign in answered for sign in _FAILURE_SIGNS):
        return ""
    from holloway.text.failures import failed  # only where an output looks like a failure

    return answered if failed(answered, False, command[:COMMAND_CHARS_MAX]) else ""


def said(answer: object) -> str:
    """The end of what a tool printed, whatever form the host gives it."""
    if isinstance(answer, dict):
        answer = "\n".join(str(answer[key]) for key in _ANSWERS if answer.get(key))
    return answer[-FAILURE_CHARS_MAX:] if isinstance(answer, str) else ""


def command_of(event: dict[str, object]) -> str:
    """The command of a tool event, as it would be typed; empty where the tool is no shell."""
    return _command(_tool(event)[1]) if is_shell(event) else ""


def _tool(event: dict[str, object]) -> tuple[str, dict[str, object]]:
    """The name of the tool, without what separates its words, and its arguments."""
    name, given = event.get("tool_name"), event.get("tool_input")
    folded = name[:100].replace("_", "").lower() if isinstance(name, str) else ""
    return folded, given if isinstance(given, dict) else {}


def _command(given: dict[str, object]) -> str:
    value = given.get("command") or given.get("cmd") or given.get("input") or ""
    if isinstance(value, list):
        words = [str(word) for word in value[:1_000]]
        value = words[2] if len(words) == 3 and words[1] in ("-c", "-lc") else " ".join(words)
    return value[:COMMAND_CHARS_MAX] if isinstance(value, str) else ""


def _of_command(command: str, root: str, where: str) -> tuple[list[str], str]:
    """The files that a command reads or changes, and what it searches for."""
    if not _LOOKING & {*_first_words(command)}:
        return [], ""
    if "*** Begin Patch" in command:
        return _inside(_patched(command), root, where), ""
    from holloway.text.commands import understand  # only where the command promises files

    files: list[str] = []
    pattern = ""
    for step in understand(command[:FAILURE_CHARS_MAX]):
        if step.kind in _KINDS:
            files += [os.path.join(step.directory, path) for path in step.paths[:FILES_MAX]]
        elif step.kind == "search":
            pattern = pattern or step.pattern
    return _inside(files, root, where), pattern


def _first_words(command: str) -> list[str]:
    """The programs that a command starts with: the first, and the one after a `cd`."""
    words = command[:1_000].split(maxsplit=4)
    return [words[0], words[3]] if words[:1] == ["cd"] and len(words) > 3 else words[:1]


def _patched(patch: str) -> list[str]:
    from holloway.text import edits  # only edits need it

    return [change.path for change in edits.patch(patch)]


def _inside(named: list[str], root: str, where: str) -> list[str]:
    """Those of these files that lie in the project, as it names them, each once."""
    found = [contained(path, root, where) for path in dict.fromkeys(named[:FILES_MAX]) if path and "\0" not in path]
    return [path for path in found if path not in ("", ".")]
