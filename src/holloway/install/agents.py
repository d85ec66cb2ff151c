"""Supported agents: where their configuration files are, and which hook events they have."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass
from pathlib import Path

from holloway.errors import InvalidInput


@dataclass(frozen=True, slots=True)
class Dialect:
    """Configuration format of one agent: its files by scope, and its hook events with their timeouts in seconds."""

    agent: str
    label: str
    program: str
    folder: str
    folder_variable: str
    user_file: str
    project_file: str
    note: str
    events: dict[str, int]

    def config_folder(self) -> Path:
        """Return the agent's configuration folder."""
        moved = os.environ.get(self.folder_variable)
        return Path(moved).expanduser() if moved else Path.home() / self.folder

    def is_installed(self) -> bool:
        """Return whether the agent's program or its configuration folder exists on this machine."""
        return bool(shutil.which(self.program)) or self.config_folder().is_dir()


CLAUDE_CODE_DIALECT = Dialect(
    agent="claude-code",
    label="Claude Code",
    program="claude",
    folder=".claude",
    folder_variable="CLAUDE_CONFIG_DIR",
    user_file="settings.json",
    project_file=".claude/settings.local.json",
    note="",
    events={
        "SessionStart": 15,
        "UserPromptSubmit": 10,
        "PostToolUse": 5,
        "PostToolUseFailure": 5,
        "PostToolBatch": 5,
        "SubagentStart": 5,
        "SubagentStop": 5,
        "InstructionsLoaded": 5,
        "PreCompact": 5,
        "PostCompact": 5,
        "Stop": 5,
        "SessionEnd": 2,
    },
)
CODEX_DIALECT = Dialect(
    agent="codex",
    label="Codex",
    program="codex",
    folder=".codex",
    folder_variable="CODEX_HOME",
    user_file="hooks.json",
    project_file=".codex/hooks.json",
    note="Codex runs hooks only after you trust them: it asks at its next start; /hooks lists them.",
    events={
        "SessionStart": 15,
        "UserPromptSubmit": 10,
        "PostToolUse": 5,
        "SubagentStart": 5,
        "SubagentStop": 5,
        "PreCompact": 5,
        "PostCompact": 5,
        "Stop": 5,
        "SessionEnd": 2,
    },
)
DIALECTS = {dialect.agent: dialect for dialect in (CLAUDE_CODE_DIALECT, CODEX_DIALECT)}


def find_dialect(agent: str) -> Dialect:
    """Return the dialect of an agent. Raises InvalidInput for an unsupported one."""
    if agent in DIALECTS:
        return DIALECTS[agent]
    hint = f"Supported: {', '.join(DIALECTS)}. Any other agent with MCP support can start `holloway mcp`."
    raise InvalidInput(f"The agent {agent!r} is not supported.", hint)


def hooks_file(dialect: Dialect, scope: str, root: Path) -> Path:
    """Return the file that holds the hooks. In a project, Claude Code's is the local (uncommitted) settings file."""
    return root / dialect.project_file if scope == "project" else dialect.config_folder() / dialect.user_file
