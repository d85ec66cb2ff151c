"""Conversion of tool calls and their results to events, independent of the host's tool names."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from holloway.capture.json_lines import as_text
from holloway.capture.project_paths import localise_command, names_in, place_path
from holloway.config import CALL_ID_CHARS_MAX, SCRATCHPAD_LINES_MAX, SHORT_TEXT_CHARS_MAX
from holloway.domain.event import Call, Result, ToolKind
from holloway.text import edit_lines, tools
from holloway.text.commands import parse_command
from holloway.text.tools import LIST, SEARCH

_BARE_NAMES = frozenset({"ls", "tree", "dir", "wc", "du"})
"""Programs whose listings name files without their folder, or together with numbers."""
_PATCHING = re.compile(r"\s*(?:cd [^\n&;]{1,500}&& *)?apply_?patch\b")


def kind_of(tool: str) -> ToolKind:
    """Return the kind of a tool from its name."""
    return ToolKind(tools.kind_of(tool))


def build_call(
    tool: str,
    arguments: Mapping[str, object],
    *,
    at: float,
    call_id: str,
    root: str,
    cwd: str = "",
    actor: str = "",
) -> Call:
    """Return the event of a tool call; for a patch to several files, the event of the first."""
    return build_calls(tool, arguments, at=at, call_id=call_id, root=root, cwd=cwd, actor=actor)[0]


def build_calls(
    tool: str,
    arguments: Mapping[str, object],
    *,
    at: float,
    call_id: str,
    root: str,
    cwd: str = "",
    actor: str = "",
    changes: Sequence[edit_lines.Change] = (),
) -> list[Call]:
    """Return the events of a tool call: one, or one for each file that a patch changes or a list names.

    `changes` are the files that the host says the call has changed; they take precedence over its arguments.
    """
    name, call_id = as_text(tool, tools.TOOL_NAME_CHARS_MAX), as_text(call_id, CALL_ID_CHARS_MAX)
    kind = kind_of(name)
    command = as_text(tools.typed_command(tools.find_argument(arguments, "command", kind)), tools.EDIT_CHARS_MAX)
    if changes := changes or edit_lines.parse_patch(_patch_in(kind, arguments, command)):
        return [
            _build_patch_call(change, name, at, part_id(call_id, n), root, cwd, actor)
            for n, change in enumerate(changes)
        ]
    kind = ToolKind(tools.used_as(kind, arguments))
    removed, added = _edit_lines(kind, arguments)
    call = Call(
        at,
        call_id,
        kind,
        name,
        pattern=as_text(_first_value(tools.find_argument(arguments, "pattern", kind)), SHORT_TEXT_CHARS_MAX),
        command=localise_command(command, root, _command_folder(arguments, root, cwd)) if command else "",
        url=as_text(tools.find_argument(arguments, "url", kind), SHORT_TEXT_CHARS_MAX),
        removed=removed,
        added=added,
        actor=as_text(actor, CALL_ID_CHARS_MAX),
    )
    places = in_turn(kind, (place_path(path, root, cwd) for path in tools.named_files(arguments, kind) or [""]))
    return [
        replace(call, call=part_id(call_id, n), path="" if path == "." else path, outside=outside)
        for n, (path, outside) in enumerate(places)
    ]


def in_turn(kind: ToolKind, places: Iterable[tuple[str, bool]]) -> list[tuple[str, bool]]:
    """Return the paths that a tool call gets an event for, each with whether it is outside; those outside come first.

    Each event gets the output of all paths: text from outside must not count as first seen inside the project.
    A search in several folders is one search, with the first folder as its path.
    """
    ordered = sorted(places, key=lambda place: not place[1])
    return ordered if kind in tools.ON_FILES else ordered[:1]


def part_id(call_id: str, n: int) -> str:
    """Return the id of the n-th event of a tool call; the first event has the id of the call."""
    return f"{call_id}#{n + 1}" if n and call_id else call_id


def whole_call_id(part: str) -> str:
    """Return the id of the tool call to which an event belongs."""
    call_id, mark, number = part.rpartition("#")
    return call_id if mark and number.isdigit() else part


def build_results(result: Result, parts: int) -> list[Result]:
    """Return a copy of the result for each of the events of a tool call."""
    return [replace(result, call=part_id(result.call, n)) for n in range(max(1, parts))]


def files_in(output: str, of: Call, root: str, cwd: str = "") -> tuple[str, ...]:
    """Return the files that a search or a listing found, also one in a shell; the output names one per line."""
    if of.kind is ToolKind.SEARCH or (of.kind is ToolKind.LIST and of.pattern):
        return names_in(output, root, cwd)
    if of.kind is ToolKind.SHELL:
        looking = (step for step in parse_command(of.command) if step.kind in (SEARCH, LIST))
        if (step := next(looking, None)) and step.program not in _BARE_NAMES:
            return names_in(output, root, posixpath.join(root, step.directory))
    return ()


def _build_patch_call(
    change: edit_lines.Change, tool: str, at: float, call_id: str, root: str, cwd: str, actor: str
) -> Call:
    path, outside = place_path(change.path, root, cwd)
    kind = ToolKind.WRITE if change.kind == "write" else ToolKind.EDIT
    return Call(
        at,
        call_id,
        kind,
        tool,
        path=path,
        removed=_bound_lines(change.removed),
        added=_bound_lines(change.added),
        outside=outside,
        actor=as_text(actor, CALL_ID_CHARS_MAX),
    )


def _patch_in(kind: ToolKind, arguments: Mapping[str, object], command: str) -> str:
    """Return the patch that a tool call applies, also through a shell; empty if it applies no patch."""
    if kind is ToolKind.EDIT:
        return tools.patch_in(arguments)
    return command if tools.PATCH in command and _PATCHING.match(command) else ""


def _edit_lines(kind: ToolKind, arguments: Mapping[str, object]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    if kind not in (ToolKind.EDIT, ToolKind.WRITE):
        return (), ()
    removed, added = edit_lines.changed_by(arguments)
    return _bound_lines(removed), _bound_lines(added)


def _bound_lines(lines: list[str]) -> tuple[str, ...]:
    return tuple(as_text(line) for line in lines[:SCRATCHPAD_LINES_MAX])


def _first_value(value: object) -> object:
    """Return the value, or the first item if it is a list."""
    return value[0] if isinstance(value, list) and value else value


def _command_folder(arguments: Mapping[str, object], root: str, cwd: str) -> str:
    """Return the folder that a command runs in."""
    folder = as_text(tools.first_argument(arguments, "workdir working_directory cwd"), SHORT_TEXT_CHARS_MAX)
    return posixpath.join(cwd or root, folder) if folder else cwd
