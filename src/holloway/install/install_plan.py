"""Plan and apply an agent's setup or removal: its files in one plan, applied completely or rolled back."""

from __future__ import annotations

import contextlib
import signal
import threading
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from holloway import extras
from holloway.errors import HollowayError
from holloway.install import file_change as changes
from holloway.install import launch_command, original_files, slash_commands
from holloway.install.agents import CLAUDE_CODE_DIALECT, CODEX_DIALECT, DIALECTS, hooks_file, mcp_file, skill_file
from holloway.install.file_change import ConfigPart, LinkOutsideProject, decode_file
from holloway.install.file_content import CombinedContent, parse_settings
from holloway.install.hooks_json import STATUS, HooksJson, is_our_status_line
from holloway.install.mcp_servers import McpJson, McpToml
from holloway.install.plugin_file import render_plugin_file
from holloway.install.slash_commands import FILE_MARK, OwnFile

if TYPE_CHECKING:
    from collections.abc import Iterator

    from holloway.install.agents import Dialect
    from holloway.install.file_change import ConfigChange
    from holloway.install.file_content import ConfigContent


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
    if "mcp" not in without and mcp_file(dialect, scope, root) and not launch_command.has_mcp_package():
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
    shared_file = skill_file(scope, root) if _is_skill_shared(dialect, scope, root) else None
    for part in list_parts(dialect, scope, root, home):
        if part.path == shared_file:
            continue
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


def _is_skill_shared(dialect: Dialect, scope: str, root: Path) -> bool:
    """Return whether another agent that lists the skill is connected in the scope."""
    others = (other for other in DIALECTS.values() if other.lists_skills and other is not dialect)
    return any(launch_command.HOOK_MARK in _read_file(hooks_file(other, scope, root)) for other in others)


def _read_file(path: Path) -> str:
    try:
        return decode_file(path, original_files.read_config(path))
    except HollowayError:
        return ""


def apply_plan(plan: InstallPlan, home: Path) -> None:
    """Write all changes; if one of a setup fails or is interrupted, roll back the earlier ones and raise.

    A signal is obeyed once all files are written, which takes milliseconds: no copy of a file is left half-way.
    """
    folders = {change.path: original_files.missing_folders(change.path) for change in plan.needed_changes}
    attempted: list[ConfigChange] = []
    try:
        with _signals_held():
            for change in plan.needed_changes:
                attempted.append(change)
                changes.apply_change(change, home, folders[change.path])
    except BaseException:
        for change in () if plan.removes else reversed(attempted):
            with contextlib.suppress(HollowayError, OSError):
                changes.undo_change(change, home)
        raise


@contextlib.contextmanager
def _signals_held() -> Iterator[None]:
    """Hold back the signals with which a person or a system ends a program; they are raised again afterwards."""
    if threading.current_thread() is not threading.main_thread():  # only there can handlers be set
        yield
        return
    received: list[int] = []
    numbers = [number for name in ("SIGINT", "SIGTERM", "SIGHUP") if (number := getattr(signal, name, None))]
    handlers = {number: signal.signal(number, lambda number, frame: received.append(number)) for number in numbers}
    try:
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler or signal.SIG_DFL)
        for number in dict.fromkeys(received):
            signal.raise_signal(number)


def list_parts(dialect: Dialect, scope: str, root: Path, home: Path, without: tuple[str, ...] = ()) -> list[ConfigPart]:
    """Return the files that setup writes for an agent in a scope; the one with the hooks comes first."""
    launcher, project = launch_command.launch_by_path(), scope == "project"
    base = root / dialect.folder if project else dialect.config_folder()

    def make_part(path: Path, content: ConfigContent, *, needed: bool = False, inside: bool = project) -> ConfigPart:
        return ConfigPart(path, content, dialect.agent, scope, root, needed, inside)

    hooks_path = hooks_file(dialect, scope, root)
    hooks: ConfigContent
    if dialect.plugin:
        hooks = _owned_file(hooks_path, "a plugin", render_plugin_file(dialect, launcher), home)
    else:
        with_status = (
            dialect is CLAUDE_CODE_DIALECT and "statusline" not in without and not _has_status_line(scope, root)
        )
        hooks = HooksJson(dialect, launcher, with_status)
    servers_path = mcp_file(dialect, scope, root) if "mcp" not in without else None
    if servers_path == hooks_path:
        hooks = CombinedContent((hooks, _server_content(dialect, scope, root, launcher)))
    parts_list = [make_part(hooks_path, hooks, needed=True)]
    if servers_path and servers_path != hooks_path:
        is_inside = project and dialect is not CLAUDE_CODE_DIALECT
        servers = _server_content(dialect, scope, root, launcher)
        parts_list.append(make_part(servers_path, servers, inside=is_inside))
    if "commands" not in without:
        texts = _owned_texts(dialect, scope, root, launcher)
        parts_list += [make_part(path, _owned_file(path, description, text, home)) for path, description, text in texts]
    for name in slash_commands.RETIRED if dialect is CLAUDE_CODE_DIALECT else ():
        path = base / "commands" / f"{name}.md"
        retired_part = make_part(
            path,
            _owned_file(path, f"the command /{name}, which is /{slash_commands.SLASH_COMMANDS[name]} now", "", home),
        )
        parts_list.append(replace(retired_part, retired=True))
    return parts_list


def _server_content(dialect: Dialect, scope: str, root: Path, launcher: launch_command.Launcher) -> ConfigContent:
    if dialect is CODEX_DIALECT:
        return McpToml(dialect.label, launcher)
    nested_root = str(root) if dialect is CLAUDE_CODE_DIALECT and scope == "project" else ""
    return McpJson(dialect.label, nested_root, launcher, dialect.mcp_fields, dialect.reads_comments, dialect.mcp_key)


def _owned_texts(
    dialect: Dialect, scope: str, root: Path, launcher: launch_command.Launcher
) -> Iterator[tuple[Path, str, str]]:
    """Yield the files that setup owns (path, description, text): slash commands for Claude Code, a skill for others."""
    if dialect.lists_skills:
        yield skill_file(scope, root), "the skill $holloway", slash_commands.render_skill(launcher)
    if dialect is not CLAUDE_CODE_DIALECT:
        return
    base = root / dialect.folder if scope == "project" else dialect.config_folder()
    for name, called in slash_commands.SLASH_COMMANDS.items():
        yield (
            base / "commands" / f"{called}.md",
            f"the command /{called}",
            slash_commands.render_command(name, launcher),
        )


def _owned_file(path: Path, description: str, text: str, home: Path) -> OwnFile:
    """Return the content of a file that setup owns; it may be overwritten if its hash is the recorded one."""
    record, current = original_files.load_record(path, home), None
    with contextlib.suppress(HollowayError):
        current = original_files.read_config(path)
    return OwnFile(
        description,
        text,
        current is not None and record is not None and record.after == original_files.hash_bytes(current),
    )


def _has_status_line(scope: str, root: Path) -> bool:
    """Return whether the user has a status line: a foreign one in this file, or any in a file of lower precedence."""
    own_file = hooks_file(CLAUDE_CODE_DIALECT, scope, root)
    lower_files = [
        CLAUDE_CODE_DIALECT.config_folder() / CLAUDE_CODE_DIALECT.user_file,
        root / CLAUDE_CODE_DIALECT.folder / "settings.json",
    ]
    lower_status_lines = [_read_status_line(path) for path in (lower_files if scope == "project" else ())]
    current = _read_status_line(own_file)
    return any(lower_status_lines) or bool(current and not is_our_status_line(current))


def _read_status_line(path: Path) -> object:
    try:
        return parse_settings(decode_file(path, original_files.read_config(path))).get(STATUS)
    except HollowayError:
        return None
