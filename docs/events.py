"""Generates the page of events from the event types, with the table of hook actions."""

from __future__ import annotations

import dataclasses
import typing

from holloway.domain import event

MEANINGS = {
    "at": "when, in seconds since 1970",
    "session": "the host's name of the session",
    "agent": "the agent: `claude-code`, `codex`, or what the caller says",
    "branch": "the branch that is checked out",
    "commit": "the commit that is checked out",
    "type": "what kind of session, or of memory, if the caller knows",
    "phase": "one of the six phases of work, if the caller knows",
    "task": "the task in the caller's words",
    "work_unit": "the methodology's unit of work: its path and label",
    "planned_steps": "how many steps were planned; 0 if nobody said",
    "text": "the words, bounded",
    "call": "the id that ties a call to its result",
    "kind": "what the tool does: see the kinds below",
    "tool": "the host's own name of the tool",
    "path": "the file, relative to the project",
    "pattern": "what was searched for, or which files were listed",
    "command": "the shell command, as it would be typed in the project's root",
    "url": "the address that was opened",
    "removed": "lines that an edit took out",
    "added": "lines that an edit put in",
    "outside": "whether the path lies outside of the project",
    "actor": "which subagent; empty for the agent itself",
    "ok": "whether the tool succeeded",
    "files": "files of the project that are named",
    "details": "typed details of a memory, as JSON",
    "tags": "tags of a memory",
    "count": "how many there were, where not all are kept",
    "changed_by_user": "whether the user changed the agent's edit",
    "applied": "the lines that the user made of it, where that is known",
    "untracked": "whether git does not know the file",
    "digests": "sketch of a long result, where its whole text is not given",
    "report": "whether a subagent or a program in the background reports; its own steps may be recorded",
    "thinking": "whether it was thought and not said",
    "tokens_in": "tokens that went to the model",
    "tokens_out": "tokens that came from it",
    "context": "how full its context was, in tokens",
    "items": "what is to do: each with its text and whether it is done",
    "mode": "whether the agent only plans at the moment",
    "name": "the part of the work",
    "validated": "whether it was shown to be right",
    "passed": "whether the check passed",
    "findings": "what it found",
    "reason": "the host's word for why it ended",
    "outcome": "success, partial, failure or cancelled, where the caller knows",
}
HOOK_EVENTS = {
    "SessionStart": "gives the brief and a line for you, again after compaction; has the worker started",
    "InstructionsLoaded": "keeps in mind what the host loaded, so that it is not injected again",
    "UserPromptSubmit": "notes the prompt; answers with files, tests, traps and dead ends, if something is good "
    "enough, and notes which files it named",
    "PostToolUse": "notes the call; answers with the traps of a file, or with what a search was after",
    "PostToolUseFailure": "notes the failure; answers with its known fix",
    "PostToolBatch": "answers once before the next model call: a dead end, a recipe's next step, a known answer",
    "SubagentStart": "gives a subagent the brief of its role",
    "SubagentStop": "notes that it ended",
    "PreCompact": "notes that the context will be compacted",
    "PostCompact": "lets every memory be shown once more, because the agent has forgotten it",
    "Stop": "notes that the turn ended; now and then has the worker started",
    "SessionEnd": "notes that the session is over and has the worker learn from it",
}
HEAD = """# Events

Written by `make docs` from `holloway/domain/event.py`. Hooks, transcripts and agents in Python all become these events;
nothing that learns knows which agent it was. Unknown fields, tools and events of a host are passed over.
"""


def render_page() -> str:
    """Render every event with its fields, the kinds of tools, and the hook actions."""
    lines = [HEAD]
    for kind in typing.get_args(event.Event):
        lines += [f"## {kind.__name__}", "", " ".join((kind.__doc__ or "").split()), ""]
        lines += ["| field | default | meaning |", "| --- | --- | --- |"]
        lines += [*map(_render_row, dataclasses.fields(kind)), ""]
    kinds = ", ".join(f"`{kind.value}`" for kind in event.ToolKind)
    lines += ["## Kinds of tools", "", f"{kinds}: {event.ToolKind.__doc__}", ""]
    lines += ["## What a hook does with its event", "", "| event | what happens |", "| --- | --- |"]
    lines += [f"| `{name}` | {description} |" for name, description in HOOK_EVENTS.items()]
    return "\n".join(
        [*lines, "", "Which of them an agent has, and how they are installed, is on the agent's own page.", ""]
    )


def _render_row(field: dataclasses.Field[object]) -> str:
    default = "needed" if field.default is dataclasses.MISSING else _render_default(field.default)
    return f"| `{field.name}` | {default} | {MEANINGS[field.name]} |"


def _render_default(default: object) -> str:
    return {"": "empty", "()": "none", "None": "unknown", "True": "yes", "False": "no"}.get(str(default), str(default))
