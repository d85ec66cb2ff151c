"""Plan and apply an agent's setup or removal: all files in one plan, applied completely or rolled back."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from holloway import extras
from holloway.errors import HollowayError
from holloway.install import file_change as changes
from holloway.install import launch_command, original_files
from holloway.install.agent_files import list_parts
from holloway.install.file_change import LinkOutsideProject, decode_file
from holloway.install.slash_commands import FILE_MARK

if TYPE_CHECKING:
    from pathlib import Path

    from holloway.install.agents import Dialect
    from holloway.install.file_change import ConfigChange


@dataclass(frozen=True, slots=True)
class InstallPlan:
    """Planned changes of a setup or removal, for all files of an agent in one scope."""

    dialect: Dialect
    scope: str
    root: Path
    removes: bool
    changes: tuple[ConfigChange, ...]
    notes: tuple[str, ...]

    @property
    def needed_changes(self) -> tuple[ConfigChange, ...]:
        """Return the changes that have an effect."""
        return tuple(change for change in self.changes if change.is_needed)


def plan_setup(dialect: Dialect, scope: str, root: Path, home: Path, without: tuple[str, ...] = ()) -> InstallPlan:
    """Plan a setup; an optional file that cannot be parsed is skipped with a note. Raises HollowayError."""
    notes: list[str] = []
    if "mcp" not in without and not launch_command.has_mcp_package():
        needed = f"The MCP server needs an optional package: {extras.install_command('mcp')}, then run setup again."
        without, notes = (*without, "mcp"), [needed]
    planned_changes: list[ConfigChange] = []
    for part in list_parts(dialect, scope, root, home, without):
        try:
            planned_changes.append(changes.plan_removal(part, home) if part.retired else changes.plan_setup(part))
            note = (
                "" if part.retired else part.content.describe_problem(decode_file(part.path, planned_changes[-1].after))
            )
            notes += [f"{part.path}: {note}"] if note else []
        except HollowayError as error:
            if part.needed or isinstance(error, LinkOutsideProject):
                raise
            notes.append(f"{error.message} {error.hint}")
    return InstallPlan(dialect, scope, root, False, tuple(planned_changes), tuple(notes))


def plan_removal(dialect: Dialect, scope: str, root: Path, home: Path) -> InstallPlan:
    """Plan a removal; files that the user edited stay, with a note. Raises HollowayError."""
    planned_changes: list[ConfigChange] = []
    notes: list[str] = []
    for part in list_parts(dialect, scope, root, home):
        try:
            planned_changes.append(changes.plan_removal(part, home))
        except HollowayError as error:
            if part.needed or isinstance(error, LinkOutsideProject):
                raise
            notes.append(f"{error.message} {error.hint}")
            continue
        if FILE_MARK.encode() in (planned_changes[-1].after or b""):
            notes.append(f"{part.path} was edited after setup wrote it, so it stays.")
    return InstallPlan(dialect, scope, root, True, tuple(planned_changes), tuple(notes))


def apply_plan(plan: InstallPlan, home: Path) -> None:
    """Write all changes; if one of a setup fails, roll back the earlier ones and raise."""
    folders = {change.path: original_files.missing_folders(change.path) for change in plan.needed_changes}
    attempted: list[ConfigChange] = []
    try:
        for change in plan.needed_changes:
            attempted.append(change)
            changes.apply_change(change, home, folders[change.path])
    except (HollowayError, OSError):
        for change in () if plan.removes else reversed(attempted):
            with contextlib.suppress(HollowayError, OSError):
                changes.undo_change(change, home)
        raise
