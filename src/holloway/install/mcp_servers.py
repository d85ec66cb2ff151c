"""Our MCP server in agents' configuration: an entry in a JSON file, a table in Codex's config.toml."""

from __future__ import annotations

import json
import re
import tomllib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

from holloway.install import jsonc
from holloway.install.file_content import (
    UnsupportedConfig,
    as_table,
    describe_lenient_json,
    ensure_object,
    parse_settings,
)
from holloway.install.jsonc import detect_line_ending
from holloway.install.launch_command import MCP_ENDING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from holloway.install.launch_command import Launcher

SERVER_NAME = "holloway"
MCP_JSON_KEY = "mcpServers"
MCP_LIST_KEY = "mcp"
"""Key of the servers in OpenCode and Kilo, where command and arguments are one list."""
PROJECTS = "projects"
MCP_TOML_KEY = "mcp_servers"
STARTUP_TIMEOUT_S = 30
"""Start-up timeout for slow machines; Codex's default is ten seconds."""

_HEADING = re.compile(r"""\s*\[{1,2}(?:"(?:[^"\\]|\\.)*"|'[^']*'|[^\[\],"'])+\]{1,2}\s*(#.*)?$""")
"""A table heading, as opposed to a line of a multi-line array."""

_OURS = re.compile(rf"""\s*\[\s*{MCP_TOML_KEY}\s*\.\s*["']?{SERVER_NAME}["']?\s*[.\]]""")
_CODE = re.compile(r"\s*[^\s#]")


@dataclass(frozen=True, slots=True)
class McpJson:
    """MCP server entry that starts `holloway mcp`; `root` is its project, or empty for all projects of the file.

    `fields` are further fields that the agent wants in the entry.
    """

    label: str
    root: str
    launcher: Launcher
    fields: Mapping[str, object] = field(default_factory=dict)
    reads_comments: bool = False
    key: str = MCP_JSON_KEY

    @property
    def description(self) -> str:
        """Return a short description for the user."""
        return "an MCP server" + (" for this project" if self.root else "")

    def add_entries(self, text: str) -> str:
        """Return the file with our server; a foreign entry of that name stays. Raises UnsupportedConfig."""
        before = parse_settings(text)
        servers = _find_servers(before, self._json_path)
        wanted = {**self.fields, **build_server_entry(self.launcher, is_list=self.key == MCP_LIST_KEY)}
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
        return any(is_our_server(as_table(as_table(section).get(self.key)).get(SERVER_NAME)) for section in sections)

    def describe_problem(self, text: str) -> str:
        """Return a note if the agent cannot read this file, or has a foreign server of that name."""
        servers = _find_servers(parse_settings(text), self._json_path)
        if SERVER_NAME in servers and not is_our_server(servers[SERVER_NAME]):
            return f"{self.label} has an MCP server {SERVER_NAME!r} that setup did not write; it was not changed."
        return "" if self.reads_comments else describe_lenient_json(text, self.label)

    @property
    def _json_path(self) -> tuple[str, ...]:
        return (PROJECTS, self.root, self.key) if self.root else (self.key,)


def build_server_entry(launcher: Launcher, *, is_list: bool = False) -> dict[str, Any]:
    """Return the entry with which an agent starts the server; with `is_list` command and arguments are one list."""
    return {"command": list(launcher.mcp)} if is_list else {"command": launcher.mcp[0], "args": list(launcher.mcp[1:])}


def is_our_server(value: object) -> bool:
    """Return whether setup wrote a server's entry."""
    return tuple(server_words(value)[1:]) == MCP_ENDING


def server_words(value: object) -> list[object]:
    """Return the command of a server's entry with its arguments."""
    command, args = as_table(value).get("command"), as_table(value).get("args")
    return list(command) if isinstance(command, list) else [command, *(args if isinstance(args, list) else [])]


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


@dataclass(frozen=True, slots=True)
class McpToml:
    """TOML table that starts `holloway mcp`."""

    label: str
    launcher: Launcher

    @property
    def description(self) -> str:
        """Return a short description for the user."""
        return "an MCP server"

    def add_entries(self, text: str) -> str:
        """Return the file with our server; a foreign entry of that name stays. Raises UnsupportedConfig."""
        before = parse_toml(text)
        current, wanted = (
            find_server(before),
            {**build_server_entry(self.launcher), "startup_timeout_sec": STARTUP_TIMEOUT_S},
        )
        if current is not None and (
            not is_our_server(current) or all(current.get(key) == wanted[key] for key in wanted)
        ):
            return text
        added = text + _separator_before(text) + _render_table(wanted, detect_line_ending(text))
        new_text = added if current is None else _rewrite_values(text, wanted)
        return _check_result(new_text, before, {**(current or {}), **wanted})

    def remove_entries(self, text: str) -> str:
        """Return the file without our table and its subtables. Raises UnsupportedConfig."""
        before = parse_toml(text)
        if not is_our_server(find_server(before)):
            return text
        return _check_result(_without_tables(text), before, None)

    def has_entries(self, text: str) -> bool:
        """Return whether the file has our server."""
        return is_our_server(find_server(parse_toml(text)))

    def describe_problem(self, text: str) -> str:
        """Return a note if there is a foreign server of that name."""
        current = find_server(parse_toml(text))
        if current is not None and not is_our_server(current):
            return f"{self.label} has an MCP server {SERVER_NAME!r} that setup did not write; it was not changed."
        return ""


def parse_toml(text: str) -> dict[str, Any]:
    """Parse a TOML text. Raises UnsupportedConfig."""
    try:
        return tomllib.loads(text.removeprefix("\ufeff"))
    except (ValueError, RecursionError) as error:
        raise UnsupportedConfig(f"is not valid TOML: {error}.") from None


def find_server(settings: dict[str, Any]) -> dict[str, Any] | None:
    """Return the server entry with our name, or None. Raises UnsupportedConfig if it is not a table."""
    servers = settings.get(MCP_TOML_KEY, {})
    server = servers.get(SERVER_NAME) if isinstance(servers, dict) else servers
    if server is not None and not isinstance(server, dict):
        raise UnsupportedConfig(f"has an unknown structure in {MCP_TOML_KEY!r}.")
    return server


def _check_result(new_text: str, before: dict[str, Any], wanted: dict[str, Any] | None) -> str:
    """Return the new text after checking that our entry is as wanted and nothing else changed; else raise."""
    after = parse_toml(new_text)
    if find_server(after) != wanted or _without_our_server(after) != _without_our_server(before):
        raise UnsupportedConfig("cannot be changed without changing other entries.")
    return new_text


def _without_our_server(settings: dict[str, Any]) -> dict[str, Any]:
    servers = {name: server for name, server in as_table(settings.get(MCP_TOML_KEY)).items() if name != SERVER_NAME}
    other_settings = {key: value for key, value in settings.items() if key != MCP_TOML_KEY}
    return {**other_settings, MCP_TOML_KEY: servers} if servers else other_settings


def _render_table(wanted: dict[str, Any], end: str) -> str:
    lines = [f"[{MCP_TOML_KEY}.{SERVER_NAME}]", *(_render_assignment(key, value) for key, value in wanted.items())]
    return "".join(line + end for line in lines)


def _render_assignment(key: str, value: object) -> str:
    return f"{key} = {json.dumps(value, ensure_ascii=False)}"


def _separator_before(text: str) -> str:
    """Return the separator before a new table: a line ending if it is missing, and an empty line."""
    end = detect_line_ending(text)
    if not text.strip("\ufeff \t\r\n"):
        return ""
    return end if text.endswith("\n") else end * 2


def _rewrite_values(text: str, wanted: dict[str, Any]) -> str:
    """Update the values in our table; keys that the user added stay."""
    lines, inside = text.splitlines(keepends=True), False
    for number, line in enumerate(lines):
        if _HEADING.match(line):
            inside = bool(_OURS.match(line)) and line.partition("]")[0].count(".") == 1
        key = line.partition("=")[0].strip()
        if inside and key in wanted:
            lines[number] = _render_assignment(key, wanted[key]) + detect_line_ending(text)
    return "".join(lines)


def _without_tables(text: str) -> str:
    """Remove our tables; comments and empty lines before the next heading belong to that heading and stay."""
    lines: list[str] = []
    pending_lines: list[str] = []
    is_cutting = False
    for line in text.splitlines(keepends=True):
        if _HEADING.match(line):
            is_ours_start = bool(_OURS.match(line))
            lines += [] if is_ours_start and is_cutting else pending_lines
            if is_ours_start and not is_cutting and lines and not lines[-1].strip():
                lines.pop()
            pending_lines, is_cutting = [], is_ours_start
        if is_cutting and _CODE.match(line):
            pending_lines = []
        elif is_cutting:
            pending_lines.append(line)
        else:
            lines.append(line)
    return "".join(lines + pending_lines)
