"""Setting an agent up, and taking it back: all files at once, shown first, written whole or not at all."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from holloway import extras
from holloway.errors import HollowayError
from holloway.install import file_change as changes
from holloway.install import launch_command, original_files
from holloway.install.agent_files import parts
from holloway.install.file_change import LeadsOut, decoded
from holloway.install.slash_commands import FILE_MARK

if TYPE_CHECKING:
    from pathlib import Path

    from holloway.install.agents import Dialect
    from holloway.install.file_change import Change


@dataclass(frozen=True, slots=True)
class Plan:
    """What setup or removal would do to all files of an agent in one scope."""

    dialect: Dialect
    scope: str
    root: Path
    removes: bool
    changes: tuple[Change, ...]
    notes: tuple[str, ...]

    @property
    def needed(self) -> tuple[Change, ...]:
        """The changes that do something."""
        return tuple(change for change in self.changes if change.needed)


def setup(chosen: Dialect, scope: str, root: Path, home: Path, without: tuple[str, ...] = ()) -> Plan:
    """What would be written; a file that is not understood and not needed is left out, with a note."""
    notes: list[str] = []
    if "mcp" not in without and not launch_command.serves_mcp():
        needed = f"The MCP server needs an optional package: {extras.install('mcp')}, then run setup again."
        without, notes = (*without, "mcp"), [needed]
    made: list[Change] = []
    for part in parts(chosen, scope, root, home, without):
        try:
            made.append(changes.removal(part, home) if part.retired else changes.setup(part))
            note = "" if part.retired else part.content.note(decoded(part.path, made[-1].after))
            notes += [f"{part.path}: {note}"] if note else []
        except HollowayError as error:
            if part.needed or isinstance(error, LeadsOut):
                raise
            notes.append(f"{error.message} {error.hint}")
    return Plan(chosen, scope, root, False, tuple(made), tuple(notes))


def removal(chosen: Dialect, scope: str, root: Path, home: Path) -> Plan:
    """What would be taken out; what a person made their own stays, with a note."""
    made: list[Change] = []
    notes: list[str] = []
    for part in parts(chosen, scope, root, home):
        try:
            made.append(changes.removal(part, home))
        except HollowayError as error:
            if part.needed or isinstance(error, LeadsOut):
                raise
            notes.append(f"{error.message} {error.hint}")
            continue
        if FILE_MARK.encode() in (made[-1].after or b""):
            notes.append(f"{part.path} was edited since setup wrote it; it stays.")
    return Plan(chosen, scope, root, True, tuple(made), tuple(notes))


def apply(plan: Plan, home: Path) -> None:
    """Write all changes; where one of a setup cannot be written, those before it are taken back."""
    folders = {change.path: original_files.missing_folders(change.path) for change in plan.needed}
    done: list[Change] = []
    try:
        for change in plan.needed:
            done.append(change)
            changes.apply(change, home, folders[change.path])
    except (HollowayError, OSError):
        for change in () if plan.removes else reversed(done):
            with contextlib.suppress(HollowayError, OSError):
                changes.undo(change, home)
        raise
