"""The fields of a journal entry: one table for the hook that writes entries and the reader that builds events. Light.

A row of a table of copied fields is the key in the host's payload, the key in the entry, and the maximum length.
"""

from __future__ import annotations

TOOL_USE = (
    ("tool_name", "tool", 200),
    ("tool_use_id", "call", 200),
    ("agent_id", "agent", 200),
    ("agent_type", "role", 200),
)
SESSION = (
    ("session_id", "session", 1_000),
    ("transcript_path", "transcript", 1_000),
    ("model", "model", 1_000),
    ("permission_mode", "mode", 1_000),
)
TASK = (("subject", "subject", 200), ("taskId", "task", 200), ("status", "status", 200))
"""Arguments of a tool that changes one task of a to-do list."""
TARGET_FIELDS = ("command", "cmd", "pattern", "glob", "query", "url")
"""Arguments of tools from which a call is rebuilt; they have the same key in the entry."""
TARGET_ARGUMENTS = (*TARGET_FIELDS, "description", "subagent_type")
MESSAGES = ("prompt", "source", "reason", "trigger", "last_assistant_message", "compact_summary")

JOURNAL_FIELDS = {
    "at": "time of the event",
    "event": "name of the event, as Claude Code calls it",
    "same": "digest by which the same event of two hosts is recognised",
    "tool": "name of the tool",
    "call": "id of the tool call",
    "agent": "id of the subagent",
    "role": "type of the subagent",
    "cwd": "folder of the agent, relative to the project",
    "path": "first file that the tool was given",
    "more": "other files that it was given; an empty name is a file outside of the project",
    "outside": "whether the first file is outside of the project",
    "command": "shell command",
    "cmd": "shell command, as other hosts call it",
    "pattern": "search pattern",
    "glob": "pattern of file names",
    "query": "search query",
    "url": "address",
    "description": "description of a command or a subagent's task",
    "subagent_type": "type of the subagent that is started",
    "removed": "digests of the lines that an edit removed",
    "added": "digests of the lines that an edit added",
    "edits": "for each file of a patch: path or outside, kind, removed, added",
    "record": "text, type, files, tags and details that the agent asked to remember",
    "plan": "items of the to-do list, each with whether it is done",
    "subject": "text of one task",
    "task": "id of one task",
    "status": "state of one task",
    "failed": "whether the tool failed",
    "error": "error message",
    "interrupted": "whether the user interrupted the tool",
    "changed": "whether the user changed the edit before accepting it",
    "text": "beginning and end of the tool's output",
    "digests": "sketch of an output that is not kept, where the host has no transcript",
    "count": "number of files that a search found",
    "files": "first files that a search found, or files that the agent was sent to",
    "prompt": "the user's prompt",
    "source": "reason for a session's start, or source of a prompt",
    "reason": "reason for a session's end",
    "trigger": "what caused a compaction",
    "last_assistant_message": "last message of the agent",
    "compact_summary": "the agent's summary of a compacted context",
    "session": "id of the session",
    "transcript": "path of the host's transcript",
    "model": "model of the agent",
    "mode": "permission mode",
    "host": "the agent's host",
    "branch": "git branch",
    "commit": "git commit",
}
"""Every field that an entry may have, and its meaning."""
