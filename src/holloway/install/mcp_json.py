"""Add and remove our MCP server in Claude Code's JSON file, for all projects or for one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from holloway.install import jsonc
from holloway.install.file_content import NotUnderstood, not_plain, settings_of, table, with_object
from holloway.install.launch_command import MCP_ENDING

if TYPE_CHECKING:
    from holloway.install.launch_command import Launcher

NAME = "holloway"
SERVERS = "mcpServers"
PROJECTS = "projects"


@dataclass(frozen=True, slots=True)
class McpJson:
    """MCP server entry that starts `holloway mcp`; `root` is its project, or empty for all projects."""

    label: str
    root: str
    launcher: Launcher

    @property
    def what(self) -> str:
        """Return a short description for the user."""
        return "an MCP server" + (" for this project" if self.root else "")

    def put(self, text: str) -> str:
        """Return the file with our server; a foreign entry of that name stays. Raises NotUnderstood."""
        before = settings_of(text)
        servers, wanted = _servers(before, self._way), entry(self.launcher)
        if NAME in servers:  # even if empty: a second entry of that name would hide the first
            current = servers[NAME]
            merged = {**table(current), **wanted}  # keys that the user or the agent added stay
            is_unchanged = current == merged or not is_ours(current)
            return text if is_unchanged else jsonc.replaced(text, (*self._way, NAME), merged)
        new_text = _added(with_object(text), self._way, wanted)
        stored_entry = _servers(settings_of(new_text), self._way).get(NAME)
        if stored_entry != wanted or settings_of(self.taken(new_text)) != _pruned(before, self._way):
            raise NotUnderstood("cannot be changed without changing other entries.")
        return new_text

    def taken(self, text: str) -> str:
        """Return the file without our server and without containers left empty."""
        if not is_ours(_servers(settings_of(text), self._way).get(NAME)):
            return text
        text = jsonc.removed(text, (*self._way, NAME))
        for depth in range(len(self._way), 0, -1):
            container = jsonc.scan(text).find(self._way[:depth])
            if container is None or container.value != {}:
                break
            text = jsonc.removed(text, self._way[:depth])
        return text

    def present(self, text: str) -> bool:
        """Return whether the file has our server, for all projects or for one."""
        settings = settings_of(text)
        sections = [settings, *table(settings.get(PROJECTS)).values()]
        return any(is_ours(table(table(section).get(SERVERS)).get(NAME)) for section in sections)

    def means(self, text: str) -> object:
        """Return the parsed file."""
        return settings_of(text)

    def note(self, text: str) -> str:
        """Return a note if the agent cannot read this file, or has a foreign server of that name."""
        servers = _servers(settings_of(text), self._way)
        if NAME in servers and not is_ours(servers[NAME]):
            return f"{self.label} has an MCP server {NAME!r} that setup did not write; it was not changed."
        return not_plain(text, self.label)

    @property
    def _way(self) -> tuple[str, ...]:
        return (PROJECTS, self.root, SERVERS) if self.root else (SERVERS,)


def entry(launcher: Launcher) -> dict[str, Any]:
    """Return the entry with which an agent starts the server."""
    return {"command": launcher.mcp[0], "args": list(launcher.mcp[1:])}


def is_ours(value: object) -> bool:
    """Return whether setup wrote a server's entry."""
    args = table(value).get("args")
    return isinstance(args, list) and tuple(args) == MCP_ENDING


def _servers(settings: dict[str, Any], way: tuple[str, ...]) -> dict[str, Any]:
    """Return the servers at a path. Raises NotUnderstood if a step is not an object."""
    section: Any = settings
    for step in way:
        section = section.get(step, {})
        if not isinstance(section, dict):
            raise NotUnderstood(f"has an unknown structure in {step!r}.")
    return cast("dict[str, Any]", section)


def _added(text: str, way: tuple[str, ...], wanted: dict[str, Any]) -> str:
    """Add the entry at a path; create the objects that are missing on the way."""
    existing_depth = 0
    while existing_depth < len(way) and jsonc.scan(text).find(way[: existing_depth + 1]) is not None:
        existing_depth += 1
    value: object = wanted
    for step in reversed((*way[existing_depth + 1 :], NAME) if existing_depth < len(way) else ()):
        value = {step: value}
    return jsonc.added(text, way[:existing_depth], way[existing_depth] if existing_depth < len(way) else NAME, value)


def _pruned(settings: dict[str, Any], way: tuple[str, ...]) -> dict[str, Any]:
    """Return the settings without empty objects at the end of a path, as they are after a removal."""
    if not way or way[0] not in settings:
        return settings
    inner = _pruned(settings[way[0]], way[1:])
    other_settings = {key: value for key, value in settings.items() if key != way[0]}
    return {**settings, way[0]: inner} if inner else other_settings
