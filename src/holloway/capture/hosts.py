"""Detects the agent (host) that runs a hook, and converts its event payload and our response between formats. Light.

Agents read each other's configuration: the hooks of Claude Code also run under Copilot and Cursor. The event's
evidence of its host therefore takes precedence over the name in the configuration.
"""

from __future__ import annotations

import os

CLAUDE_CODE, CODEX, COPILOT, CURSOR, GEMINI = "claude-code", "codex", "copilot", "cursor", "gemini"
OPENCODE = "opencode"
READABLE_HOSTS = frozenset({CLAUDE_CODE, CODEX, COPILOT, OPENCODE})
"""Hosts whose transcripts the worker can read."""
HOST_NAME_CHARS_MAX = 40
MILESTONES = ("SessionStart", "Stop", "SessionEnd")
"""Events that begin or end a session or a turn."""

_GEMINI_EVENTS = {"BeforeAgent": "UserPromptSubmit", "AfterTool": "PostToolUse", "PreCompress": "PreCompact"}
"""Gemini events that other hosts name differently; its other events exist only there."""


def detect_host(event: dict[str, object], configured: str) -> str:
    """Return the agent that runs this hook: by the event, the environment, or else as `holloway setup` recorded it."""
    if "cursor_version" in event or os.environ.get("CURSOR_VERSION"):
        return CURSOR
    if "tool_result" in event and "tool_response" not in event:
        return COPILOT
    if str(event.get("hook_event_name")) in _GEMINI_EVENTS:
        return GEMINI
    if "turn_id" in event or _is_rollout(event.get("transcript_path")):
        return CODEX
    if os.environ.get("COPILOT_CLI"):  # set for all hooks; an agent that Copilot's shell starts inherits it
        return COPILOT
    named = configured[:HOST_NAME_CHARS_MAX]
    return named if named.isprintable() and named else CLAUDE_CODE


def _is_rollout(transcript: object) -> bool:
    return isinstance(transcript, str) and os.path.basename(transcript).startswith("rollout-")


def normalise_event(event: dict[str, object]) -> dict[str, object]:
    """Return the event with the names that Claude Code uses; other agents differ in a few."""
    name = event.get("hook_event_name")
    if isinstance(name, str) and name in _GEMINI_EVENTS:
        event = event | {"hook_event_name": _GEMINI_EVENTS[name]}
    if "tool_response" not in event and "tool_result" in event:
        event = event | {"tool_response": event["tool_result"]}
    if name == "SessionStart" and event.get("source") == "new":  # Copilot's word for it
        event = event | {"source": "startup"}
    return event


def format_response(host: str, name: str, context: str, line: str) -> dict[str, object]:
    """Return the output of a hook in the host's format: context for the agent and a line for the user.

    At the end of a turn, context is a question that keeps the agent at work.
    """
    response: dict[str, object] = {}
    if context and name == "Stop":
        response |= {"decision": "block", "reason": context}
    elif context:
        response["hookSpecificOutput"] = {"hookEventName": name, "additionalContext": context}
        if host == COPILOT:
            response["additionalContext"] = context
    if line:
        response["systemMessage"] = line
    return response
