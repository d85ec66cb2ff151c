"""Connect agents: write hooks and MCP servers into their configuration, and remove exactly those entries again."""

from holloway.install.agents import CLAUDE_CODE, CODEX, DIALECTS, Dialect, config_file, dialect
from holloway.install.hooks_json import handler
from holloway.install.install_plan import Plan, apply, removal, setup

__all__ = [
    "CLAUDE_CODE",
    "CODEX",
    "DIALECTS",
    "Dialect",
    "Plan",
    "apply",
    "config_file",
    "dialect",
    "handler",
    "removal",
    "setup",
]
