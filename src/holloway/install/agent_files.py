"""Configuration files that setup writes for each agent and scope, and the content of each."""

from __future__ import annotations

import contextlib
import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from holloway.errors import HollowayError
from holloway.install import launch_command, original_files, slash_commands
from holloway.install.agents import CLAUDE_CODE, CODEX, Dialect, config_file
from holloway.install.file_change import Part, decoded
from holloway.install.file_content import settings_of
from holloway.install.hooks_json import STATUS, HooksJson, is_our_status
from holloway.install.mcp_json import McpJson
from holloway.install.mcp_toml import McpToml
from holloway.install.own_file import OwnFile

if TYPE_CHECKING:
    from collections.abc import Iterator

    from holloway.install.file_content import Content


def parts(chosen: Dialect, scope: str, root: Path, home: Path, without: tuple[str, ...] = ()) -> list[Part]:
    """Return the files that setup writes for an agent in a scope; the one with the hooks comes first."""
    launcher, project = launch_command.by_path(), scope == "project"
    base = root / chosen.folder if project else chosen.home()

    def part(path: Path, content: Content, *, needed: bool = False, inside: bool = project) -> Part:
        return Part(path, content, chosen.agent, scope, root, needed, inside)

    with_status = chosen is CLAUDE_CODE and "statusline" not in without and not _has_status_line(scope, root)
    parts_list = [part(config_file(chosen, scope, root), HooksJson(chosen, launcher, with_status), needed=True)]
    if "mcp" not in without and chosen is CODEX:
        parts_list.append(part(base / "config.toml", McpToml(chosen.label, launcher)))
    elif "mcp" not in without:
        content = McpJson(chosen.label, str(root) if project else "", launcher)
        parts_list.append(part(claude_json(), content, inside=False))
    if "commands" not in without:
        texts = _texts(chosen, scope, root, launcher)
        parts_list += [part(path, _own(path, description, text, home)) for path, description, text in texts]
    for name in slash_commands.RETIRED if chosen is CLAUDE_CODE else ():
        path = base / "commands" / f"{name}.md"
        retired_part = part(
            path, _own(path, f"the command /{name}, which is /{slash_commands.COMMANDS[name]} now", "", home)
        )
        parts_list.append(replace(retired_part, retired=True))
    return parts_list


def claude_json() -> Path:
    """Return the file in which Claude Code stores MCP servers, per user and per project."""
    moved = os.environ.get(CLAUDE_CODE.folder_variable)
    return (Path(moved).expanduser() if moved else Path.home()) / ".claude.json"


def _texts(
    chosen: Dialect, scope: str, root: Path, launcher: launch_command.Launcher
) -> Iterator[tuple[Path, str, str]]:
    """Yield the files that setup owns (path, description, text): slash commands, or for Codex a skill."""
    if chosen is CODEX:
        base = root if scope == "project" else Path.home()
        yield base / ".agents/skills/holloway/SKILL.md", "the skill $holloway", slash_commands.skill(launcher)
        return
    base = root / chosen.folder if scope == "project" else chosen.home()
    for name, called in slash_commands.COMMANDS.items():
        yield base / "commands" / f"{called}.md", f"the command /{called}", slash_commands.command(name, launcher)


def _own(path: Path, what: str, words: str, home: Path) -> OwnFile:
    """Return the content of a file that setup owns; it may be overwritten if its hash is the recorded one."""
    record, current = original_files.record(path, home), None
    with contextlib.suppress(HollowayError):
        current = original_files.read(path)
    return OwnFile(
        what, words, current is not None and record is not None and record.after == original_files.sha256(current)
    )


def _has_status_line(scope: str, root: Path) -> bool:
    """Return whether the user has a status line: a foreign one in this file, or any in a file of lower precedence."""
    own_file = config_file(CLAUDE_CODE, scope, root)
    lower_files = [CLAUDE_CODE.home() / CLAUDE_CODE.user_file, root / CLAUDE_CODE.folder / "settings.json"]
    lower_status_lines = [_status_line(path) for path in (lower_files if scope == "project" else ())]
    current = _status_line(own_file)
    return any(lower_status_lines) or bool(current and not is_our_status(current))


def _status_line(path: Path) -> object:
    try:
        return settings_of(decoded(path, original_files.read(path))).get(STATUS)
    except HollowayError:
        return None
