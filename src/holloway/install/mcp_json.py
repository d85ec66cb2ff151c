"""Our MCP server in Claude Code's own file: for all projects, or below one of them."""

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
    """The entry that starts `holloway mcp`; `root` names the project that it is for, or none."""

    label: str
    root: str
    launcher: Launcher

    @property
    def what(self) -> str:
        """What it is, in a few words for the person."""
        return "an MCP server" + (" for this project" if self.root else "")

    def put(self, text: str) -> str:
        """The file with the server; an entry of that name which is not ours stays."""
        before = settings_of(text)
        servers, wanted = _servers(before, self._way), entry(self.launcher)
        if NAME in servers:  # be it with nothing: a second entry of that name would hide the first
            current = servers[NAME]
            renewed = {**table(current), **wanted}  # what a person or the agent added to it stays
            keeps = current == renewed or not is_ours(current)
            return text if keeps else jsonc.replaced(text, (*self._way, NAME), renewed)
        made = _added(with_object(text), self._way, wanted)
        put = _servers(settings_of(made), self._way).get(NAME)
        if put != wanted or settings_of(self.taken(made)) != _pruned(before, self._way):
            raise NotUnderstood("cannot be changed without changing something else.")
        return made

    def taken(self, text: str) -> str:
        """The file without the server, and without what would be left empty by that."""
        if not is_ours(_servers(settings_of(text), self._way).get(NAME)):
            return text
        text = jsonc.removed(text, (*self._way, NAME))
        for depth in range(len(self._way), 0, -1):
            rest = jsonc.scan(text).find(self._way[:depth])
            if rest is None or rest.value != {}:
                break
            text = jsonc.removed(text, self._way[:depth])
        return text

    def present(self, text: str) -> bool:
        """Whether our server is there, for all projects or for one."""
        settings = settings_of(text)
        places = [settings, *table(settings.get(PROJECTS)).values()]
        return any(is_ours(table(table(place).get(SERVERS)).get(NAME)) for place in places)

    def means(self, text: str) -> object:
        """The whole file, as its agent reads it."""
        return settings_of(text)

    def note(self, text: str) -> str:
        """Whether the agent will not read this file, or has a server of that name."""
        servers = _servers(settings_of(text), self._way)
        if NAME in servers and not is_ours(servers[NAME]):
            return f"{self.label} has an MCP server {NAME!r} that setup did not write; it was left as it is."
        return not_plain(text, self.label)

    @property
    def _way(self) -> tuple[str, ...]:
        return (PROJECTS, self.root, SERVERS) if self.root else (SERVERS,)


def entry(launcher: Launcher) -> dict[str, Any]:
    """What an agent needs to start the server."""
    return {"command": launcher.mcp[0], "args": list(launcher.mcp[1:])}


def is_ours(value: object) -> bool:
    """Whether a server's entry was written by setup."""
    args = table(value).get("args")
    return isinstance(args, list) and tuple(args) == MCP_ENDING


def _servers(settings: dict[str, Any], way: tuple[str, ...]) -> dict[str, Any]:
    """The servers at the end of the way; what is on the way there has to be objects."""
    place: Any = settings
    for step in way:
        place = place.get(step, {})
        if not isinstance(place, dict):
            raise NotUnderstood(f"has a form of {step!r} that holloway does not know.")
    return cast("dict[str, Any]", place)


def _added(text: str, way: tuple[str, ...], wanted: dict[str, Any]) -> str:
    """Put the entry at the end of the way, which is built from where it ends."""
    known = 0
    while known < len(way) and jsonc.scan(text).find(way[: known + 1]) is not None:
        known += 1
    value: object = wanted
    for step in reversed((*way[known + 1 :], NAME) if known < len(way) else ()):
        value = {step: value}
    return jsonc.added(text, way[:known], way[known] if known < len(way) else NAME, value)


def _pruned(settings: dict[str, Any], way: tuple[str, ...]) -> dict[str, Any]:
    """The settings without empty objects at the end of the way, which are removed with the entry that fills them."""
    if not way or way[0] not in settings:
        return settings
    inner = _pruned(settings[way[0]], way[1:])
    rest = {key: value for key, value in settings.items() if key != way[0]}
    return {**settings, way[0]: inner} if inner else rest
