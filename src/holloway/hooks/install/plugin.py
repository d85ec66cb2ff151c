"""The Claude Code plugin: the same hooks, server, commands and skill as setup writes, as files of a folder."""

from __future__ import annotations

import json
from importlib import metadata
from typing import TYPE_CHECKING

from holloway import __version__
from holloway.hooks.install import mcp_json, text
from holloway.hooks.install.dialects import CLAUDE_CODE
from holloway.hooks.install.hooks_json import hooks
from holloway.hooks.install.launch import BY_NAME

if TYPE_CHECKING:
    from collections.abc import Mapping

FOLDER = "plugin"
MARK = "# Written by `make docs` from what holloway setup writes."


def files() -> dict[str, str]:
    """Every file of the plugin and of the marketplace that offers it, by its path in the repository."""
    about = metadata.metadata("holloway")
    described = {"name": "holloway", "version": __version__, "description": about["Summary"]}
    author = {"name": "The holloway developers"}
    offered = {**described, "source": f"./{FOLDER}"}
    market = {"name": "holloway", "description": about["Summary"], "owner": author, "plugins": [offered]}
    made = {
        ".claude-plugin/marketplace.json": _json(market),
        f"{FOLDER}/.claude-plugin/plugin.json": _json({**described, "author": author, "license": "Apache-2.0"}),
        f"{FOLDER}/hooks/hooks.json": _json(
            {"description": "What holloway notes and says", "hooks": hooks(CLAUDE_CODE, BY_NAME)}
        ),
        f"{FOLDER}/.mcp.json": _json({mcp_json.SERVERS: {mcp_json.NAME: mcp_json.entry(BY_NAME)}}),
        f"{FOLDER}/skills/holloway/SKILL.md": text.skill(BY_NAME, MARK),
    }
    commands = {f"{FOLDER}/commands/{name}.md": text.command(name, BY_NAME, MARK) for name in text.COMMANDS}
    return {**made, **commands}


def _json(value: Mapping[str, object]) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"
