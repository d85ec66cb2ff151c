"""Our plugin file in an agent whose hooks are functions of a plugin: OpenCode, Kilo, pi.

The plugin passes each event to the hook program with the names of Claude Code, and hands the response to the agent.
"""

from __future__ import annotations

import json
import re
from importlib import resources
from string import Template
from typing import TYPE_CHECKING

from holloway.install.slash_commands import FILE_MARK

if TYPE_CHECKING:
    from holloway.install.agents import Dialect
    from holloway.install.launch_command import Launcher

CLIENT = "hook_client.js"
"""Text that every plugin begins with: how it calls the hook program."""

_COMMAND = re.compile(r"^const HOOK = (\[.{1,10000}\])$", re.MULTILINE)


def render_plugin_file(dialect: Dialect, launcher: Launcher) -> str:
    """Render the plugin file of an agent, which starts the hook program without a shell."""
    texts = resources.files(__package__).joinpath("texts")
    client = Template(texts.joinpath(CLIENT).read_text("utf-8")).substitute(
        mark=FILE_MARK,
        label=dialect.label,
        command=json.dumps([*launcher.hook, dialect.agent]),
        limits=json.dumps(dialect.events),
    )
    return client + texts.joinpath(dialect.plugin).read_text("utf-8")


def find_plugin_command(text: str) -> list[str]:
    """Return the command with which a plugin file of ours starts the hook program; empty in any other file."""
    match = _COMMAND.search(text) if FILE_MARK in text else None
    try:
        words = json.loads(match[1]) if match else []
    except ValueError:
        return []
    return [str(word) for word in words]
