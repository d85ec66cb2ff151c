"""Add and remove our MCP server in Claude Code's JSON file, for all projects or for one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from holloway.install import jsonc
from holloway.install.file_content import (
    UnsupportedConfig,
    as_table,
    describe_lenient_json,
    ensure_object,
    parse_settings,
)
from holloway.install.launch_command import MCP_ENDING

if TYPE_CHECKING:
    from holloway.install.launch_command import Launcher

SERVER_NAME = "holloway"
MCP_JSON_KEY = "mcpServers"
PROJECTS = "projects"


@dataclass(frozen=True, slots=True)
class McpJson:
    """MCP server entry that starts `holloway mcp`; `root` is its project, or empty for all projects."""

    label: str
    root: str
    launcher: Launcher

    @property
    def description(self) -> str:
        """Return a short description for the user."""
        return "an MCP server" + (" for this project" if self.root else "")

    def add_entries(self, text: str) -> str:
        """Return the file with our server; a foreign entry of that name stays. Raises UnsupportedConfig."""
        before = parse_settings(text)
        servers, wanted = _find_servers(before, self._json_path), build_server_entry(self.launcher)
        if SERVER_NAME in servers:  # even if empty: a second entry of that name would hide the first
            current = servers[SERVER_NAME]
            merged = {**as_table(current), **wanted}  # keys that the user or the agent added stay
            is_unchanged = current == merged or not is_our_server(current)
            return text if is_unchanged else jsonc.replace_value(text, (*self._json_path, SERVER_NAME), merged)
        new_text = _add_server(ensure_object(text), self._json_path, wanted)
        stored_entry = _find_servers(parse_settings(new_text), self._json_path).get(SERVER_NAME)
        if stored_entry != wanted or parse_settings(self.remove_entries(new_text)) != _prune_empty(
            before, self._json_path
        ):
            raise UnsupportedConfig("cannot be changed without changing other entries.")
        return new_text

    def remove_entries(self, text: str) -> str:
        """Return the file without our server and without containers left empty."""
        if not is_our_server(_find_servers(parse_settings(text), self._json_path).get(SERVER_NAME)):
            return text
        text = jsonc.remove_value(text, (*self._json_path, SERVER_NAME))
        for depth in range(len(self._json_path), 0, -1):
            container = jsonc.scan_text(text).find_node(self._json_path[:depth])
            if container is None or container.value != {}:
                break
            text = jsonc.remove_value(text, self._json_path[:depth])
        return text

    def has_entries(self, text: str) -> bool:
        """Return whether the file has our server, for all projects or for one."""
        settings = parse_settings(text)
        sections = [settings, *as_table(settings.get(PROJECTS)).values()]
        return any(
            is_our_server(as_table(as_table(section).get(MCP_JSON_KEY)).get(SERVER_NAME)) for section in sections
        )

    def parse_meaning(self, text: str) -> object:
        """Return the parsed file."""
        return parse_settings(text)

    def describe_problem(self, text: str) -> str:
        """Return a note if the agent cannot read this file, or has a foreign server of that name."""
        servers = _find_servers(parse_settings(text), self._json_path)
        if SERVER_NAME in servers and not is_our_server(servers[SERVER_NAME]):
            return f"{self.label} has an MCP server {SERVER_NAME!r} that setup did not write; it was not changed."
        return describe_lenient_json(text, self.label)

    @property
    def _json_path(self) -> tuple[str, ...]:
        return (PROJECTS, self.root, MCP_JSON_KEY) if self.root else (MCP_JSON_KEY,)


def build_server_entry(launcher: Launcher) -> dict[str, Any]:
    """Return the entry with which an agent starts the server."""
    return {"command": launcher.mcp[0], "args": list(launcher.mcp[1:])}


def is_our_server(value: object) -> bool:
    """Return whether setup wrote a server's entry."""
    args = as_table(value).get("args")
    return isinstance(args, list) and tuple(args) == MCP_ENDING


def _find_servers(settings: dict[str, Any], path: tuple[str, ...]) -> dict[str, Any]:
    """Return the servers at a path. Raises UnsupportedConfig if a step is not an object."""
    section: Any = settings
    for step in path:
        section = section.get(step, {})
        if not isinstance(section, dict):
            raise UnsupportedConfig(f"has an unknown structure in {step!r}.")
    return cast("dict[str, Any]", section)


def _add_server(text: str, path: tuple[str, ...], wanted: dict[str, Any]) -> str:
    """Add the entry at a path; create the objects that are missing on the way."""
    existing_depth = 0
    while existing_depth < len(path) and jsonc.scan_text(text).find_node(path[: existing_depth + 1]) is not None:
        existing_depth += 1
    value: object = wanted
    for step in reversed((*path[existing_depth + 1 :], SERVER_NAME) if existing_depth < len(path) else ()):
        value = {step: value}
    return jsonc.add_member(
        text, path[:existing_depth], path[existing_depth] if existing_depth < len(path) else SERVER_NAME, value
    )


def _prune_empty(settings: dict[str, Any], path: tuple[str, ...]) -> dict[str, Any]:
    """Return the settings without empty objects at the end of a path, as they are after a removal."""
    if not path or path[0] not in settings:
        return settings
    inner = _prune_empty(settings[path[0]], path[1:])
    other_settings = {key: value for key, value in settings.items() if key != path[0]}
    return {**settings, path[0]: inner} if inner else other_settings
