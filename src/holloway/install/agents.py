"""Supported agents: where their configuration files are, and which hook events they have."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass, field
from pathlib import Path

from holloway.capture import hosts
from holloway.errors import InvalidInput


@dataclass(frozen=True, slots=True)
class Dialect:
    """Configuration format of one agent: its files by scope, and its hook events with their timeouts in seconds.

    A user's files are relative to the configuration folder, a project's to the project. An agent without `plugin` is
    configured in JSON with the structure of Claude Code's settings.
    """

    agent: str
    label: str
    program: str
    folder: str
    folder_variable: str
    user_file: str
    project_file: str
    events: dict[str, int]
    user_mcp_file: str = ""
    project_mcp_file: str = ""
    mcp_fields: dict[str, object] = field(default_factory=dict)
    """Fields that the agent wants in the entry of an MCP server, in addition to the command."""
    mcp_key: str = "mcpServers"
    """Name of the object that holds the MCP servers; under `mcp`, command and arguments are one list."""
    lists_skills: bool = True
    """Whether the agent lists the skills in `.agents/skills` to its model."""
    plugin: str = ""
    """Name of the text from which our plugin file is made, for agents whose hooks are functions of a plugin."""
    timeouts_in_ms: bool = False
    reads_comments: bool = False
    """Whether the agent reads JSON with comments."""
    note: str = ""
    """Sentence for the person after setup."""
    project_note: str = ""
    """The same, after setup for one project."""

    def config_folder(self) -> Path:
        """Return the agent's configuration folder."""
        moved = os.environ.get(self.folder_variable) if self.folder_variable else ""
        return Path(moved).expanduser() if moved else Path.home() / self.folder

    def is_installed(self) -> bool:
        """Return whether the agent's program or its configuration folder exists on this machine."""
        return bool(shutil.which(self.program)) or self.config_folder().is_dir()


CLAUDE_CODE_DIALECT = Dialect(
    agent=hosts.CLAUDE_CODE,
    label="Claude Code",
    program="claude",
    folder=".claude",
    folder_variable="CLAUDE_CONFIG_DIR",
    user_file="settings.json",
    project_file=".claude/settings.local.json",
    user_mcp_file=".claude.json",
    project_mcp_file=".claude.json",
    lists_skills=False,
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
    agent=hosts.CODEX,
    label="Codex",
    program="codex",
    folder=".codex",
    folder_variable="CODEX_HOME",
    user_file="hooks.json",
    project_file=".codex/hooks.json",
    user_mcp_file="config.toml",
    project_mcp_file=".codex/config.toml",
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
    note="Codex runs hooks only after you trust them: it asks at its next start; /hooks lists them.",
)
COPILOT_DIALECT = Dialect(
    agent=hosts.COPILOT,
    label="Copilot CLI",
    program="copilot",
    folder=".copilot",
    folder_variable="COPILOT_HOME",
    user_file="hooks/holloway.json",
    project_file=".github/hooks/holloway.json",
    user_mcp_file="mcp-config.json",
    mcp_fields={"type": "local", "tools": ["*"]},
    events={"SessionStart": 15, "UserPromptSubmit": 10, "PostToolUse": 5, "Stop": 5, "SessionEnd": 2},
    project_note="Copilot CLI runs a project's hooks only in a folder that you trust; it asks at its next start.",
)
GEMINI_DIALECT = Dialect(
    agent=hosts.GEMINI,
    label="Gemini CLI",
    program="gemini",
    folder=".gemini",
    folder_variable="",
    user_file="settings.json",
    project_file=".gemini/settings.json",
    user_mcp_file="settings.json",
    project_mcp_file=".gemini/settings.json",
    events={"SessionStart": 15, "BeforeAgent": 10, "AfterTool": 5, "AfterAgent": 5, "SessionEnd": 2},
    timeouts_in_ms=True,
    reads_comments=True,
    project_note="Gemini CLI runs a project's hooks only in a folder that you trust: /permissions trust in Gemini CLI.",
)
QWEN_DIALECT = Dialect(
    agent=hosts.QWEN,
    label="Qwen Code",
    program="qwen",
    folder=".qwen",
    folder_variable="",
    user_file="settings.json",
    project_file=".qwen/settings.json",
    user_mcp_file="settings.json",
    project_mcp_file=".qwen/settings.json",
    events={
        "SessionStart": 15,
        "UserPromptSubmit": 10,
        "PostToolUse": 5,
        "PostToolUseFailure": 5,
        "PostToolBatch": 5,
        "SubagentStart": 5,
        "InstructionsLoaded": 5,
        "Stop": 5,
        "SessionEnd": 2,
    },
    timeouts_in_ms=True,
    reads_comments=True,
)
DROID_DIALECT = Dialect(
    agent=hosts.DROID,
    label="Factory Droid",
    program="droid",
    folder=".factory",
    folder_variable="",
    user_file="settings.json",
    project_file=".factory/settings.json",
    user_mcp_file="mcp.json",
    project_mcp_file=".factory/mcp.json",
    mcp_fields={"type": "stdio"},
    events={"SessionStart": 15, "UserPromptSubmit": 10, "PostToolUse": 5, "Stop": 5, "SessionEnd": 2},
    reads_comments=True,
)
_OPENCODE_EVENTS = {
    "SessionStart": 15,
    "UserPromptSubmit": 10,
    "PostToolUse": 5,
    "PostToolUseFailure": 5,
    "Stop": 5,
    "SessionEnd": 2,
}
OPENCODE_DIALECT = Dialect(
    agent=hosts.OPENCODE,
    label="OpenCode",
    program="opencode",
    folder=".config/opencode",
    folder_variable="OPENCODE_CONFIG_DIR",
    user_file="plugins/holloway.js",
    project_file=".opencode/plugins/holloway.js",
    user_mcp_file="opencode.json",
    project_mcp_file=".opencode/opencode.json",
    mcp_fields={"type": "local", "enabled": True},
    mcp_key="mcp",
    events=_OPENCODE_EVENTS,
    plugin="opencode.js",
    reads_comments=True,
    note="OpenCode installs its plugin package at the next start, once, which can take a minute.",
)
KILO_DIALECT = Dialect(
    agent=hosts.KILO,
    label="Kilo",
    program="kilo",
    folder=".config/kilo",
    folder_variable="",
    user_file="plugins/holloway.js",
    project_file=".kilo/plugins/holloway.js",
    user_mcp_file="kilo.json",
    project_mcp_file=".kilo/kilo.json",
    mcp_fields={"type": "local", "enabled": True},
    mcp_key="mcp",
    events=_OPENCODE_EVENTS,
    plugin="opencode.js",
    reads_comments=True,
    note="Kilo installs its plugin package at the next start, once, which can take a minute.",
)
PI_DIALECT = Dialect(
    agent=hosts.PI,
    label="pi",
    program="pi",
    folder=".pi/agent",
    folder_variable="PI_CODING_AGENT_DIR",
    user_file="extensions/holloway.ts",
    project_file=".pi/extensions/holloway.ts",
    events=_OPENCODE_EVENTS,
    plugin="pi.ts",
)
DIALECTS = {
    dialect.agent: dialect
    for dialect in (
        CLAUDE_CODE_DIALECT,
        CODEX_DIALECT,
        COPILOT_DIALECT,
        GEMINI_DIALECT,
        QWEN_DIALECT,
        DROID_DIALECT,
        OPENCODE_DIALECT,
        KILO_DIALECT,
        PI_DIALECT,
    )
}


def find_dialect(agent: str) -> Dialect:
    """Return the dialect of an agent. Raises InvalidInput for an unsupported one."""
    if agent in DIALECTS:
        return DIALECTS[agent]
    hint = f"Supported: {', '.join(DIALECTS)}. Any other agent with MCP support can start `holloway mcp`."
    raise InvalidInput(f"The agent {agent!r} is not supported.", hint)


def hooks_file(dialect: Dialect, scope: str, root: Path) -> Path:
    """Return the file that holds the hooks. In a project, Claude Code's is the local (uncommitted) settings file."""
    return root / dialect.project_file if scope == "project" else dialect.config_folder() / dialect.user_file


def skill_file(scope: str, root: Path) -> Path:
    """Return the file of our skill, which all agents share that list skills."""
    return (root if scope == "project" else Path.home()) / ".agents/skills/holloway/SKILL.md"


def mcp_file(dialect: Dialect, scope: str, root: Path) -> Path | None:
    """Return the file that holds MCP servers; None if the agent has none in this scope that setup can write.

    Claude Code keeps the servers of a user and of each project in one file.
    """
    if dialect is CLAUDE_CODE_DIALECT:
        moved = os.environ.get(dialect.folder_variable)
        return (Path(moved).expanduser() if moved else Path.home()) / dialect.user_mcp_file
    if scope == "project":
        return root / dialect.project_mcp_file if dialect.project_mcp_file else None
    return dialect.config_folder() / dialect.user_mcp_file if dialect.user_mcp_file else None
