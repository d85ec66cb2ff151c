"""Which agent runs a hook, and its payload in the one form that the rest reads. Light.

Agents read each other's configuration: the hooks of Claude Code also run under Copilot and Cursor. What an event says
of its host therefore counts more than the name that was written into the configuration.
"""

from __future__ import annotations

import os

CLAUDE_CODE, CODEX, COPILOT, CURSOR, GEMINI = "claude-code", "codex", "copilot", "cursor", "gemini"
NAME_CHARS_MAX = 40
MILESTONES = ("SessionStart", "Stop", "SessionEnd")
"""Where a session or a turn begins or ends."""

_GEMINI_EVENTS = {"BeforeAgent": "UserPromptSubmit", "AfterTool": "PostToolUse", "PreCompress": "PreCompact"}
"""Events of Gemini that have another name elsewhere; it has more, which nobody else knows."""


def detect_host(event: dict[str, object], given: str) -> str:
    """The agent that runs this hook: by the event, by the environment, else as `holloway setup` wrote it down."""
    if "cursor_version" in event or os.environ.get("CURSOR_VERSION"):
        return CURSOR
    if "tool_result" in event and "tool_response" not in event:
        return COPILOT
    if event.get("hook_event_name") in _GEMINI_EVENTS:
        return GEMINI
    if "turn_id" in event or _is_rollout(event.get("transcript_path")):
        return CODEX
    if os.environ.get("COPILOT_CLI"):  # set for all hooks; an agent that Copilot's shell starts inherits it
        return COPILOT
    named = given[:NAME_CHARS_MAX]
    return named if named.isprintable() and named else CLAUDE_CODE


def _is_rollout(transcript: object) -> bool:
    return isinstance(transcript, str) and os.path.basename(transcript).startswith("rollout-")


def normalise_event(event: dict[str, object]) -> dict[str, object]:
    """The event as Claude Code would tell it; the other agents differ in a few names."""
    name = event.get("hook_event_name")
    if isinstance(name, str) and name in _GEMINI_EVENTS:
        event = event | {"hook_event_name": _GEMINI_EVENTS[name]}
    if "tool_response" not in event and "tool_result" in event:
        event = event | {"tool_response": event["tool_result"]}
    if name == "SessionStart" and event.get("source") == "new":  # Copilot's word for it
        event = event | {"source": "startup"}
    return event


def format_response(host: str, name: str, context: str, line: str) -> dict[str, object]:
    """What a hook prints: words for the agent and a line for the person, in the form that the host reads."""
    said: dict[str, object] = {}
    if context:
        said["hookSpecificOutput"] = {"hookEventName": name, "additionalContext": context}
        if host == COPILOT:
            said["additionalContext"] = context
    if line:
        said["systemMessage"] = line
    return said
