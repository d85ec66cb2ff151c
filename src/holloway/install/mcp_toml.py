"""Our MCP server in Codex's config.toml, as a table of its own at the end; no other line is touched."""

from __future__ import annotations

import json
import re
import tomllib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from holloway.install.file_content import NotUnderstood, table
from holloway.install.jsonc import line_end
from holloway.install.mcp_json import NAME, is_ours

if TYPE_CHECKING:
    from holloway.install.launch_command import Launcher

SERVERS = "mcp_servers"
STARTUP_S = 30
"""A slow machine takes a while to load the server; Codex gives up after ten seconds."""

_HEADING = re.compile(r"""\s*\[{1,2}(?:"(?:[^"\\]|\\.)*"|'[^']*'|[^\[\],"'])+\]{1,2}\s*(#.*)?$""")
"""A line that opens a table, and no part of a list over several lines."""

_OURS = re.compile(rf"""\s*\[\s*{SERVERS}\s*\.\s*["']?{NAME}["']?\s*[.\]]""")
_CODE = re.compile(r"\s*[^\s#]")


@dataclass(frozen=True, slots=True)
class McpToml:
    """The table that starts `holloway mcp`."""

    label: str
    launcher: Launcher

    @property
    def what(self) -> str:
        """What it is, in a few words for the person."""
        return "an MCP server"

    def put(self, text: str) -> str:
        """The file with the server; an entry of that name which is not ours stays."""
        before = parsed(text)
        current, wanted = found(before), entry(self.launcher)
        if current is not None and (not is_ours(current) or all(current.get(key) == wanted[key] for key in wanted)):
            return text
        added = text + _gap(text) + _block(wanted, line_end(text))
        made = added if current is None else _rewritten(text, wanted)
        return _checked(made, before, {**(current or {}), **wanted})

    def taken(self, text: str) -> str:
        """The file without the server's table and the tables below it, which without it would break the file."""
        before = parsed(text)
        if not is_ours(found(before)):
            return text
        return _checked(_without_tables(text), before, None)

    def present(self, text: str) -> bool:
        """Whether the server is there and ours."""
        return is_ours(found(parsed(text)))

    def means(self, text: str) -> object:
        """The whole file, as its agent reads it."""
        return parsed(text)

    def note(self, text: str) -> str:
        """Whether there is another server of that name."""
        current = found(parsed(text))
        if current is not None and not is_ours(current):
            return f"{self.label} has an MCP server {NAME!r} that setup did not write; it was left as it is."
        return ""


def entry(launcher: Launcher) -> dict[str, Any]:
    """What Codex needs to start the server."""
    return {"command": launcher.mcp[0], "args": list(launcher.mcp[1:]), "startup_timeout_sec": STARTUP_S}


def parsed(text: str) -> dict[str, Any]:
    """The TOML of a text."""
    try:
        return tomllib.loads(text.removeprefix("\ufeff"))
    except (ValueError, RecursionError) as error:
        raise NotUnderstood(f"is not valid TOML: {error}.") from None


def found(settings: dict[str, Any]) -> dict[str, Any] | None:
    """What stands under our name."""
    servers = settings.get(SERVERS, {})
    one = servers.get(NAME) if isinstance(servers, dict) else servers
    if one is not None and not isinstance(one, dict):
        raise NotUnderstood(f"has a form of {SERVERS!r} that holloway does not know.")
    return one


def _checked(made: str, before: dict[str, Any], wanted: dict[str, Any] | None) -> str:
    """The new text, if it says what it should and says everything else as before."""
    after = parsed(made)
    if found(after) != wanted or _others(after) != _others(before):
        raise NotUnderstood("cannot be changed without changing something else.")
    return made


def _others(settings: dict[str, Any]) -> dict[str, Any]:
    servers = {name: one for name, one in table(settings.get(SERVERS)).items() if name != NAME}
    rest = {key: value for key, value in settings.items() if key != SERVERS}
    return {**rest, SERVERS: servers} if servers else rest


def _block(wanted: dict[str, Any], end: str) -> str:
    lines = [f"[{SERVERS}.{NAME}]", *(_assigned(key, value) for key, value in wanted.items())]
    return "".join(line + end for line in lines)


def _assigned(key: str, value: object) -> str:
    return f"{key} = {json.dumps(value, ensure_ascii=False)}"


def _gap(text: str) -> str:
    """What separates a new table from what stands before it: the end of that line, and an empty line."""
    end = line_end(text)
    if not text.strip("\ufeff \t\r\n"):
        return ""
    return end if text.endswith("\n") else end * 2


def _rewritten(text: str, wanted: dict[str, Any]) -> str:
    """Our table with other values on its lines; what a person added to it stays."""
    lines, inside = text.splitlines(keepends=True), False
    for number, line in enumerate(lines):
        if _HEADING.match(line):
            inside = bool(_OURS.match(line)) and line.partition("]")[0].count(".") == 1
        key = line.partition("=")[0].strip()
        if inside and key in wanted:
            lines[number] = _assigned(key, wanted[key]) + line_end(text)
    return "".join(lines)


def _without_tables(text: str) -> str:
    """Cut our tables; comments and empty lines before the next heading belong to that one."""
    kept: list[str] = []
    waiting: list[str] = []
    cutting = False
    for line in text.splitlines(keepends=True):
        if _HEADING.match(line):
            starts = bool(_OURS.match(line))
            kept += [] if starts and cutting else waiting
            if starts and not cutting and kept and not kept[-1].strip():
                kept.pop()
            waiting, cutting = [], starts
        if cutting and _CODE.match(line):
            waiting = []
        elif cutting:
            waiting.append(line)
        else:
            kept.append(line)
    return "".join(kept + waiting)
