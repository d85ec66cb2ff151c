"""Claude Code plugins, generated from setup: one with hooks, commands and skill, one with the MCP server.

A user may install the plugin before holloway. Its hooks then do nothing, and it declares no MCP server: Claude Code
would report one that cannot start.
"""

from __future__ import annotations

import json
from importlib import metadata, resources
from typing import TYPE_CHECKING

from holloway import __version__
from holloway.install import mcp_servers, slash_commands
from holloway.install.agents import CLAUDE_CODE_DIALECT
from holloway.install.launch_command import LAUNCHER_BY_NAME

if TYPE_CHECKING:
    from collections.abc import Mapping

PLUGIN_FOLDER = "plugin"
MCP_FOLDER = "plugin-mcp"
WRAPPER = "plugin_hook.sh"
MARK = "# Written by `make docs` from what holloway setup writes."


def render_plugins() -> dict[str, str]:
    """Return every file of the plugins and of the marketplace that offers them, by its path in the repository."""
    plugins = {PLUGIN_FOLDER: _describe_plugin("holloway", metadata.metadata("holloway")["Summary"])}
    plugins[MCP_FOLDER] = _describe_plugin(
        "holloway-mcp", "The MCP server of holloway, which has to be installed with it."
    )
    author = {"name": "The holloway developers"}
    shared_files = {
        ".claude-plugin/marketplace.json": _render_json(
            {
                "name": "holloway",
                "description": plugins[PLUGIN_FOLDER]["description"],
                "owner": author,
                "plugins": [{**about, "source": f"./{folder}"} for folder, about in plugins.items()],
            }
        ),
        f"{PLUGIN_FOLDER}/hooks/hooks.json": _render_json(
            {"description": "What holloway notes and says", "hooks": _plugin_hooks()}
        ),
        f"{PLUGIN_FOLDER}/hooks/{WRAPPER}": resources.files(__package__).joinpath("texts", WRAPPER).read_text("utf-8"),
        f"{PLUGIN_FOLDER}/skills/holloway/SKILL.md": slash_commands.render_skill(LAUNCHER_BY_NAME, MARK),
        f"{MCP_FOLDER}/.mcp.json": _render_json(
            {mcp_servers.MCP_JSON_KEY: {mcp_servers.SERVER_NAME: mcp_servers.build_server_entry(LAUNCHER_BY_NAME)}}
        ),
    }
    manifests = {
        f"{folder}/.claude-plugin/plugin.json": _render_json({**about, "author": author, "license": "Apache-2.0"})
        for folder, about in plugins.items()
    }
    commands = {
        f"{PLUGIN_FOLDER}/commands/{name}.md": slash_commands.render_command(name, LAUNCHER_BY_NAME, MARK)
        for name in slash_commands.SLASH_COMMANDS
    }
    return {**shared_files, **manifests, **commands}


def _describe_plugin(name: str, description: str) -> dict[str, str]:
    return {"name": name, "version": __version__, "description": description}


def _plugin_hooks() -> dict[str, object]:
    """Return the hooks by event; each passes its event to the wrapper, which has no JSON parser."""
    wrapper = f"${{CLAUDE_PLUGIN_ROOT}}/hooks/{WRAPPER}"
    return {
        event: [{"hooks": [{"type": "command", "command": f'sh "{wrapper}" {event}', "timeout": timeout_s}]}]
        for event, timeout_s in CLAUDE_CODE_DIALECT.events.items()
    }


def _render_json(value: Mapping[str, object]) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"
