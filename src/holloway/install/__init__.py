"""Connect agents: write hooks and MCP servers into their configuration, and remove exactly those entries again."""

from holloway.install.agents import CLAUDE_CODE_DIALECT, CODEX_DIALECT, DIALECTS, Dialect, find_dialect, hooks_file
from holloway.install.hooks_json import build_handler
from holloway.install.install_plan import InstallPlan, apply_plan, plan_removal, plan_setup

__all__ = [
    "CLAUDE_CODE_DIALECT",
    "CODEX_DIALECT",
    "DIALECTS",
    "Dialect",
    "InstallPlan",
    "apply_plan",
    "build_handler",
    "find_dialect",
    "hooks_file",
    "plan_removal",
    "plan_setup",
]
