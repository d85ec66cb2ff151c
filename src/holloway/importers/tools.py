"""What a host calls its tools, and what each of them does: the one table, and the events made from it."""

from __future__ import annotations

import posixpath
import re
import shlex
from collections.abc import Mapping
from dataclasses import replace

from holloway.config import SCRATCHPAD_LINES_MAX, SCRATCHPAD_TEXT_CHARS_MAX, TEXT_CHARS_MAX
from holloway.domain.event import Call, Result, ToolKind
from holloway.importers.places import local, names_in, placed
from holloway.importers.reading import items, mapping, text
from holloway.text import edits
from holloway.text.commands import understand
from holloway.text.programs import LIST, SEARCH

TOOL_CHARS_MAX = 100
CALL_CHARS_MAX = 200

KINDS: dict[str, ToolKind] = {
    name: kind
    for kind, names in {
        ToolKind.READ: "read readfile readmanyfiles notebookread view viewimage viewfile openfile cat",
        ToolKind.EDIT: "edit multiedit notebookedit applypatch replace editfile searchreplace strreplace patch "
        "strreplaceeditor strreplacebasededittool replacefilecontent insertedit",
        ToolKind.WRITE: "write writefile create createfile writetofile",
        ToolKind.SEARCH: "grep grepsearch searchfilecontent codebasesearch searchfiles ripgrep",
        ToolKind.LIST: "glob ls list listdirectory listdir globfilesearch filesearch findfiles listfiles",
        ToolKind.SHELL: "bash shell execcommand localshell runshellcommand shellcommand runterminalcmd runcommand "
        "powershell containerexec terminal executecommand",
        ToolKind.WEB: "webfetch websearch googlewebsearch fetchwebpage fetch urlfetch",
        ToolKind.SUBAGENT: "task agent spawnagent invokeagent subagent sendinput runsubagent",
    }.items()
    for name in names.split()
}
"""By the tool's name in lower case, without what separates its words; any other name is of kind `other`."""

ARGUMENTS: dict[str, dict[ToolKind, str]] = {
    "path": {
        **dict.fromkeys(
            (ToolKind.READ, ToolKind.EDIT, ToolKind.WRITE),
            "file_path notebook_path path filePath absolute_path target_file filename file paths",
        ),
        **dict.fromkeys((ToolKind.SEARCH, ToolKind.LIST), "path dir_path directory target_directory dir folder"),
    },
    "pattern": {
        ToolKind.SEARCH: "pattern query regex search_term glob include_pattern",
        ToolKind.LIST: "pattern glob glob_pattern query",
        ToolKind.WEB: "query search_query search_term",
    },
    "command": {ToolKind.SHELL: "command cmd script"},
    "url": dict.fromkeys((ToolKind.WEB, ToolKind.MCP), "url uri"),
}
"""Which argument of a tool of a kind holds what; the first of these names that is there."""

_OLD = "old_string old_str oldString old_text"
_NEW = "new_string new_str newString new_source content contents file_text new_text insert_text"
_PATCH = "input patch command"
_SUBCOMMANDS = {"view": ToolKind.READ, "create": ToolKind.WRITE}
_BARE_NAMES = frozenset({"ls", "tree", "dir", "wc", "du"})
"""Programs whose listings name files without the folder they lie in, or with figures."""
_SEPARATOR = re.compile(r"[_\-. ]")
_PATCHING = re.compile(r"\s*(?:cd [^\n&;]{1,500}&& *)?apply_?patch\b")


def kind_of(tool: str) -> ToolKind:
    """What a tool does, by its name."""
    if tool.startswith(("mcp__", "mcp_")) or "__" in tool.strip("_"):
        return ToolKind.MCP
    return KINDS.get(_folded(tool), ToolKind.OTHER)


def _folded(tool: str) -> str:
    return _SEPARATOR.sub("", tool[:TOOL_CHARS_MAX]).lower()


def call(
    tool: str,
    arguments: Mapping[str, object],
    *,
    at: float,
    call_id: str,
    root: str,
    cwd: str = "",
    actor: str = "",
) -> Call:
    """The use of a tool as an event; of a patch to several files, the first."""
    return calls(tool, arguments, at=at, call_id=call_id, root=root, cwd=cwd, actor=actor)[0]


def calls(
    tool: str,
    arguments: Mapping[str, object],
    *,
    at: float,
    call_id: str,
    root: str,
    cwd: str = "",
    actor: str = "",
) -> list[Call]:
    """The use of a tool as events: one, or one for each file that a patch changes."""
    name, call_id = text(tool, TOOL_CHARS_MAX), text(call_id, CALL_CHARS_MAX)
    kind, command = kind_of(name), ""
    if kind is ToolKind.SHELL:
        command = _command(_argument(arguments, "command", kind))
    if changes := edits.patch(_patch_in(kind, arguments, command)):
        return [_patched(change, name, at, part(call_id, n), root, cwd, actor) for n, change in enumerate(changes)]
    if kind is ToolKind.EDIT:
        kind = _SUBCOMMANDS.get(text(arguments.get("command"), TOOL_CHARS_MAX), kind)
    path, outside = placed(_one(_argument(arguments, "path", kind)), root, cwd)
    removed, added = _lines(kind, arguments)
    return [
        Call(
            at,
            call_id,
            kind,
            name,
            path="" if path == "." else path,
            pattern=text(_one(_argument(arguments, "pattern", kind)), TEXT_CHARS_MAX),
            command=local(command, root, _folder(arguments, root, cwd)) if command else "",
            url=text(_argument(arguments, "url", kind), TEXT_CHARS_MAX),
            removed=removed,
            added=added,
            outside=outside,
            actor=text(actor, CALL_CHARS_MAX),
        )
    ]


def part(call_id: str, n: int) -> str:
    """The id of the n-th event that one use of a tool was made into; the first has the id of the use."""
    return f"{call_id}#{n + 1}" if n and call_id else call_id


def results(result: Result, parts: int) -> list[Result]:
    """The answer to a use of a tool that was made into so many events."""
    return [replace(result, call=part(result.call, n)) for n in range(max(1, parts))]


def files_in(output: str, of: Call, root: str, cwd: str = "") -> tuple[str, ...]:
    """The files that a search or a listing found, be it one in a shell, where its output names them one a line."""
    if of.kind is ToolKind.SEARCH or (of.kind is ToolKind.LIST and of.pattern):
        return names_in(output, root, cwd)
    if of.kind is ToolKind.SHELL:
        looking = (step for step in understand(of.command) if step.kind in (SEARCH, LIST))
        if (step := next(looking, None)) and step.program not in _BARE_NAMES:
            return names_in(output, root, posixpath.join(root, step.directory))
    return ()


def _patched(change: edits.Change, tool: str, at: float, call_id: str, root: str, cwd: str, actor: str) -> Call:
    path, outside = placed(change.path, root, cwd)
    kind = ToolKind.WRITE if change.kind == "write" else ToolKind.EDIT
    return Call(
        at,
        call_id,
        kind,
        tool,
        path=path,
        removed=_kept(change.removed),
        added=_kept(change.added),
        outside=outside,
        actor=text(actor, CALL_CHARS_MAX),
    )


def _patch_in(kind: ToolKind, arguments: Mapping[str, object], command: str) -> str:
    """The patch that a use of a tool applies, be it through a shell; nothing where there is none."""
    given = _first(arguments, _PATCH) if kind is ToolKind.EDIT else command if _PATCHING.match(command) else ""
    return given if isinstance(given, str) and edits.is_patch(given) else ""


def _lines(kind: ToolKind, arguments: Mapping[str, object]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    if kind not in (ToolKind.EDIT, ToolKind.WRITE):
        return (), ()
    removed: list[str] = []
    added: list[str] = []
    for edit in [arguments, *map(mapping, items(arguments.get("edits")))][: SCRATCHPAD_LINES_MAX + 1]:
        old, new = _first(edit, _OLD), _first(edit, _NEW)
        gone, come = edits.changed(*(whole if isinstance(whole, str) else "" for whole in (old, new)))
        removed += gone
        added += come
    return _kept(removed), _kept(added)


def _kept(lines: list[str]) -> tuple[str, ...]:
    return tuple(text(line) for line in lines[:SCRATCHPAD_LINES_MAX])


def _argument(arguments: Mapping[str, object], what: str, kind: ToolKind) -> object:
    return _first(arguments, ARGUMENTS[what].get(kind, ""))


def _first(arguments: Mapping[str, object], names: str) -> object:
    return next((arguments[name] for name in names.split() if arguments.get(name)), "")


def _one(value: object) -> object:
    """The value, or the first of a list of them."""
    return value[0] if isinstance(value, list) and value else value


def _command(given: object) -> str:
    """A command as it would be typed: hosts give a text, a list of words, or a shell with a text for it."""
    if isinstance(given, list):
        words = [text(word, edits.EDIT_CHARS_MAX) for word in items(given)]
        if len(words) == 3 and words[1] in ("-c", "-lc", "-ic"):
            return words[2]
        return text(shlex.join(words), SCRATCHPAD_TEXT_CHARS_MAX)
    return text(given, edits.EDIT_CHARS_MAX)


def _folder(arguments: Mapping[str, object], root: str, cwd: str) -> str:
    """The folder that a command runs in."""
    given = text(_first(arguments, "workdir working_directory cwd"), TEXT_CHARS_MAX)
    return posixpath.join(cwd or root, given) if given else cwd
