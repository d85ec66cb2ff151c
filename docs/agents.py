"""Generates the pages of further agents, and the matrix of all agents, from the table that setup uses."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import PurePosixPath

from docs.events import HOOK_EVENTS
from holloway.capture.hosts import HOSTS, READABLE_HOSTS
from holloway.install import CLAUDE_CODE_DIALECT, CODEX_DIALECT, DIALECTS, Dialect

LIMITS = {
    "copilot": (
        "It also runs Claude Code's hooks in a project (`.claude/settings.local.json`); an event counts once.",
        "Setup adds no hooks between steps or for subagents there.",
        "Tried with release 1.0.102 and a scripted model.",
    ),
    "gemini": (
        "The hooks are entries in your `settings.json`; comments in it stay.",
        "It repeats the brief inside the first prompt; holloway does not take it for your words.",
        "Setup adds no hook between steps there.",
        "Tried with release 0.61.0 and a scripted model, without a person.",
    ),
    "qwen": (
        "The hooks are entries in your `settings.json`; comments in it stay.",
        "Without a person it did not report a session's end.",
        "Tried with release 0.24.4 and a scripted model, without a person.",
    ),
    "droid": (
        "`droid exec` reports no prompts, and no commands that failed: there is no fix with an error.",
        "Where both your settings and the project's have hooks, it passes only the project's response on.",
        "Tried with release 0.215.0 and a scripted model, without a person.",
    ),
    "opencode": (
        "The brief is part of the system prompt of each request, the same text each time.",
        "Tried with release 1.18.33 and a scripted model, without a person.",
    ),
    "kilo": (
        "It runs the same plugin as [OpenCode](opencode.md).",
        "Tried with release 7.7.7 and a scripted model, without a person.",
    ),
    "pi": (
        "The brief is part of the system prompt; what belongs to a prompt is a message of its own.",
        "It has no MCP servers; agents use the commands.",
        "Tried with release 0.87.1 and a scripted model, without a person.",
    ),
}
"""Facts about an agent that a person should know, one sentence each."""
TOLD = {
    "SessionStart": "the brief",
    "UserPromptSubmit": "files and memories for the prompt",
    "PostToolUse": "gotchas with a file, fixes with an error",
    "PostToolBatch": "between steps",
}
"""Columns of the matrix: the event at which an agent is told something."""


def further_dialects() -> list[Dialect]:
    """Return the agents whose pages are generated."""
    return [dialect for dialect in DIALECTS.values() if dialect not in (CLAUDE_CODE_DIALECT, CODEX_DIALECT)]


def render_page(dialect: Dialect) -> str:
    """Return the page of one agent."""
    command = f"holloway setup {dialect.agent}"
    lines = [
        f"# {dialect.label}",
        "",
        "Written by `make docs` from the table of agents.",
        "",
        f"`{command}` connects it for all your projects: it shows the change and asks first. Each project gets",
        f"its memory with `holloway init`. `{command} --remove` restores every byte, and `holloway doctor`",
        "checks the connection.",
        "",
        "## What it writes",
        "",
        "| what | for all projects | `--scope project` |",
        "| --- | --- | --- |",
        *_file_rows(dialect),
        "",
        *_folder_sentence(dialect),
        "The files of a project name an interpreter of this machine: do not commit them.",
        "`--without mcp` leaves the MCP server out, `--without commands` the skill."
        if dialect.user_mcp_file
        else "Setup writes no MCP server.",
        "",
        "## When it speaks",
        "",
        "| event | what holloway does |",
        "| --- | --- |",
        *(f"| `{event}` | {HOOK_EVENTS[_our_name(dialect, event)]} |" for event in dialect.events),
        "",
        "## What to know",
        "",
        *(
            f"- {sentence}"
            for sentence in (*filter(None, (dialect.note, dialect.project_note)), *LIMITS[dialect.agent])
        ),
        _describe_transcripts(dialect),
        "",
        "Everything else is as with [Claude Code](claude-code.md#it-stays-out-of-the-way): a hook has a deadline,",
        "never blocks the agent, and says nothing where it has nothing to say.",
        "",
    ]
    return "\n".join(lines)


def render_matrix() -> str:
    """Return the table of all agents: what each is told, and whether past sessions can be read."""
    head = ["agent", "command", *TOLD.values(), "MCP server", "past sessions"]
    rows = [f"| {' | '.join(head)} |", f"|{' --- |' * len(head)}"]
    for dialect in DIALECTS.values():
        names = {_our_name(dialect, event) for event in dialect.events}
        marks = [event in names for event in TOLD]
        marks += [bool(dialect.user_mcp_file), dialect.agent in READABLE_HOSTS]
        page = f"[{dialect.label}](docs/{dialect.agent}.md)"
        cells = [page, f"`holloway setup {dialect.agent}`", *("yes" if mark else "-" for mark in marks)]
        rows.append(f"| {' | '.join(cells)} |")
    return "\n".join(rows)


def _our_name(dialect: Dialect, event: str) -> str:
    """Return Claude Code's name of an event."""
    return HOSTS[dialect.agent].events.get(event, event)


def _file_rows(dialect: Dialect) -> list[str]:
    folder = PurePosixPath("~") / dialect.folder
    hooks = "a plugin" if dialect.plugin else "hooks"
    rows = [f"| {hooks} | `{folder / dialect.user_file}` | `{dialect.project_file}` |"]
    if dialect.user_mcp_file:
        project = f"`{dialect.project_mcp_file}`" if dialect.project_mcp_file else "none"
        servers = "the [MCP server](mcp.md), if its package is installed"
        rows.append(f"| {servers} | `{folder / dialect.user_mcp_file}` | {project} |")
    if dialect.lists_skills:
        skill = ".agents/skills/holloway/SKILL.md"
        rows.append(f"| a skill, which agents share | `~/{skill}` | `{skill}` |")
    return rows


def _folder_sentence(dialect: Dialect) -> list[str]:
    return [f"`{dialect.folder_variable}` moves the files of the person."] if dialect.folder_variable else []


def _describe_transcripts(dialect: Dialect) -> str:
    if dialect.agent in READABLE_HOSTS:
        return "- `holloway learn` reads past sessions from its own files."
    return "- Past sessions cannot be read: holloway learns from the sessions that its hooks saw."


def _page_of(dialect: Dialect) -> Callable[[], str]:
    return lambda: render_page(dialect)


PAGES: dict[str, Callable[[], str]] = {f"{dialect.agent}.md": _page_of(dialect) for dialect in further_dialects()}
"""Generated pages by file name."""
