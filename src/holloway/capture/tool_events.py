"""The use of a tool as events, whatever its host calls it."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Mapping
from dataclasses import replace

from holloway.capture.json_lines import as_text
from holloway.capture.project_paths import localise_command, names_in, place_path
from holloway.config import SCRATCHPAD_LINES_MAX, TEXT_CHARS_MAX
from holloway.domain.event import Call, Result, ToolKind
from holloway.text import edit_lines, tools
from holloway.text.commands import parse_command
from holloway.text.programs import LIST, SEARCH

CALL_CHARS_MAX = 200

_BARE_NAMES = frozenset({"ls", "tree", "dir", "wc", "du"})
"""Programs whose listings name files without the folder they lie in, or with figures."""
_PATCHING = re.compile(r"\s*(?:cd [^\n&;]{1,500}&& *)?apply_?patch\b")


def kind_of(tool: str) -> ToolKind:
    """What a tool does, by its name."""
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
    """The use of a tool as an event; of a patch to several files, the first."""
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
) -> list[Call]:
    """The use of a tool as events: one, or one for each file that a patch changes or a list names."""
    name, call_id = as_text(tool, tools.NAME_CHARS_MAX), as_text(call_id, CALL_CHARS_MAX)
    kind = kind_of(name)
    command = as_text(tools.typed_command(tools.find_argument(arguments, "command", kind)), tools.EDIT_CHARS_MAX)
    if changes := edit_lines.parse_patch(_patch_in(kind, arguments, command)):
        return [
            _build_patch_call(change, name, at, part_id(call_id, n), root, cwd, actor)
            for n, change in enumerate(changes)
        ]
    kind = ToolKind(tools.used_as(kind, arguments))
    removed, added = _edit_lines(kind, arguments)
    made = Call(
        at,
        call_id,
        kind,
        name,
        pattern=as_text(_first_value(tools.find_argument(arguments, "pattern", kind)), TEXT_CHARS_MAX),
        command=localise_command(command, root, _command_folder(arguments, root, cwd)) if command else "",
        url=as_text(tools.find_argument(arguments, "url", kind), TEXT_CHARS_MAX),
        removed=removed,
        added=added,
        actor=as_text(actor, CALL_CHARS_MAX),
    )
    places = in_turn(kind, (place_path(path, root, cwd) for path in tools.named_files(arguments, kind) or [""]))
    return [
        replace(made, call=part_id(call_id, n), path="" if path == "." else path, outside=outside)
        for n, (path, outside) in enumerate(places)
    ]


def in_turn(kind: ToolKind, places: Iterable[tuple[str, bool]]) -> list[tuple[str, bool]]:
    """The places that a use of a tool is an event for, each with whether it lies outside; those outside come first.

    Each is answered with what all of them hold: that must not count as seen in the project before it came from outside.
    A search in several folders is one search, and it stands in the first.
    """
    ordered = sorted(places, key=lambda place: not place[1])
    return ordered if kind in tools.ON_FILES else ordered[:1]


def part_id(call_id: str, n: int) -> str:
    """The id of the n-th event that one use of a tool was made into; the first has the id of the use."""
    return f"{call_id}#{n + 1}" if n and call_id else call_id


def build_results(result: Result, parts: int) -> list[Result]:
    """The answer to a use of a tool that was made into so many events."""
    return [replace(result, call=part_id(result.call, n)) for n in range(max(1, parts))]


def files_in(output: str, of: Call, root: str, cwd: str = "") -> tuple[str, ...]:
    """The files that a search or a listing found, be it one in a shell, where its output names them one a line."""
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
        actor=as_text(actor, CALL_CHARS_MAX),
    )


def _patch_in(kind: ToolKind, arguments: Mapping[str, object], command: str) -> str:
    """The patch that a use of a tool applies, be it through a shell; nothing where there is none."""
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
    """The value, or the first of a list of them."""
    return value[0] if isinstance(value, list) and value else value


def _command_folder(arguments: Mapping[str, object], root: str, cwd: str) -> str:
    """The folder that a command runs in."""
    given = as_text(tools.first_argument(arguments, "workdir working_directory cwd"), TEXT_CHARS_MAX)
    return posixpath.join(cwd or root, given) if given else cwd
