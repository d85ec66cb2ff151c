"""Hosts (agents) that run our hooks: detects which one runs, and converts its events and our response. Light.

Agents read each other's configuration: the hooks of Claude Code also run under Copilot and Cursor. The event's
evidence of its host therefore takes precedence over the name in the configuration.
"""

from __future__ import annotations

import os

from holloway.text import tools

CLAUDE_CODE, CODEX, COPILOT, CURSOR, GEMINI = "claude-code", "codex", "copilot", "cursor", "gemini"
QWEN, DROID, OPENCODE, KILO, PI = "qwen", "droid", "opencode", "kilo", "pi"
HOST_NAME_CHARS_MAX = 40
EXIT_STATUS_CHARS_MAX = 200
"""Length of the end of a shell's output that is searched for the exit status."""
STATUS_DIGITS_MAX = 11
MILESTONES = ("SessionStart", "Stop", "SessionEnd")
"""Events that begin or end a session or a turn."""


class Host:
    """Differences of one host's events and responses from those of Claude Code."""

    __slots__ = ("events", "exit_status", "fields", "has_flat_context", "has_transcript_reader")

    def __init__(
        self,
        *,
        events: dict[str, str] | None = None,
        fields: dict[str, str] | None = None,
        exit_status: tuple[str, str, str] | None = None,
        has_flat_context: bool = False,
        has_transcript_reader: bool = False,
    ) -> None:
        self.events = events or {}
        """Claude Code's names of the events that this host names differently."""
        self.fields = fields or {}
        """Claude Code's names of the fields that this host names differently."""
        self.exit_status = exit_status
        """Line with the exit status in a shell's output, where the host reports a failure in no other way: how it
        begins, and the texts before and after the number."""
        self.has_flat_context = has_flat_context
        """Whether the host reads `additionalContext` at the top of the response."""
        self.has_transcript_reader = has_transcript_reader
        """Whether the worker can read the host's transcripts."""


HOSTS = {
    CLAUDE_CODE: Host(has_transcript_reader=True),
    CODEX: Host(has_transcript_reader=True),
    COPILOT: Host(
        fields={"tool_result": "tool_response"},
        exit_status=("<shellId: ", " completed with exit code ", ">"),
        has_flat_context=True,
        has_transcript_reader=True,
    ),
    CURSOR: Host(),
    GEMINI: Host(
        # PreCompress comes before every model call, so it is no compaction.
        events={"BeforeAgent": "UserPromptSubmit", "AfterTool": "PostToolUse", "AfterAgent": "Stop"},
        fields={"prompt_response": "last_assistant_message"},
        exit_status=("", "Exit Code: ", ""),
        has_transcript_reader=True,
    ),
    QWEN: Host(has_transcript_reader=True),
    DROID: Host(has_transcript_reader=True),
    OPENCODE: Host(has_transcript_reader=True),
    KILO: Host(has_transcript_reader=True),
    PI: Host(has_transcript_reader=True),
}
"""Every host with its differences; `holloway setup` has a dialect for each of them that it can connect."""
READABLE_HOSTS = frozenset(name for name, host in HOSTS.items() if host.has_transcript_reader)
"""Hosts whose transcripts the worker can read."""
_PLAIN = Host()
_REPORTING_SHELL = "run_shell_command"
_REPORT_HEADS = ("\n<untrusted_context>", "\nCommand: ")
_REPORT_LABELS = ("Process Group PGID: ", "Background PIDs: ", "Signal: ", "Exit Code: ", "Error: (none)")
"""Beginnings of the lines below a command's output in the report on it, the last one first."""
_CONTEXT_TAG = ("<hook_context>", "</hook_context>")
"""Gemini hands the response to a session's start back inside the first prompt, between these tags."""


def detect_host(event: dict[str, object], configured: str) -> str:
    """Return the agent that runs this hook: by the event, the environment, or else as `holloway setup` recorded it."""
    if "cursor_version" in event or os.environ.get("CURSOR_VERSION"):
        return CURSOR
    if "tool_result" in event and "tool_response" not in event:
        return COPILOT
    if str(event.get("hook_event_name")) in HOSTS[GEMINI].events:
        return GEMINI
    if "turn_id" in event or _is_rollout(event.get("transcript_path")):
        return CODEX
    named = configured[:HOST_NAME_CHARS_MAX] if configured.isprintable() else ""
    # Copilot sets this for all hooks, and it runs Claude Code's; an agent that Copilot's shell starts inherits it.
    if named in ("", CLAUDE_CODE) and os.environ.get("COPILOT_CLI"):
        return COPILOT
    return named or CLAUDE_CODE


def _is_rollout(transcript: object) -> bool:
    return isinstance(transcript, str) and os.path.basename(transcript).startswith("rollout-")


def normalise_event(event: dict[str, object]) -> dict[str, object]:
    """Return the event with the names that Claude Code uses; other agents differ in a few."""
    about = HOSTS[detect_host(event, "")]
    name = str(event.get("hook_event_name"))
    changes: dict[str, object] = {
        ours: event[theirs] for theirs, ours in about.fields.items() if theirs in event and ours not in event
    }
    if name in about.events:
        changes["hook_event_name"] = about.events[name]
    if name == "SessionStart" and event.get("source") == "new":  # Copilot's word for it
        changes["source"] = "startup"
    prompt = event.get("prompt")
    if isinstance(prompt, str) and _CONTEXT_TAG[0] in prompt:
        changes["prompt"] = _remove_returned_context(prompt)
    event = event | changes
    if about.exit_status:
        event |= _describe_failed_command(event, about)
    return event | _unwrap_shell_report(event) if event.get("tool_name") == _REPORTING_SHELL else event


def _remove_returned_context(prompt: str) -> str:
    """Return a prompt without the text that a hook gave the host."""
    start, end = _CONTEXT_TAG
    while (opening := prompt.find(start)) >= 0 and (closing := prompt.find(end, opening)) >= 0:
        prompt = prompt[:opening] + prompt[closing + len(end) :]
    return prompt.strip()


def _describe_failed_command(event: dict[str, object], about: Host) -> dict[str, object]:
    """Return the changes that make an event a failure, if its command ended with another status than 0."""
    tool = event.get("tool_name")
    if event.get("hook_event_name") != "PostToolUse" or tools.kind_of(str(tool)) != tools.SHELL:
        return {}
    from holloway.capture.event_subject import extract_text  # only for a shell of such a host

    output = extract_text(event.get("tool_response"))
    is_failed = parse_exit_status(output, about) != 0
    return {"hook_event_name": "PostToolUseFailure", "error": output} if is_failed else {}


def parse_exit_status(output: str, about: Host) -> int:
    """Return the exit status that the host appended to a command's output; 0 if it appended none."""
    start, before, after = about.exit_status or ("", "", "")
    for line in reversed(output[-EXIT_STATUS_CHARS_MAX:].split("\n") if before else []):
        head, mark, rest = line.partition(before)
        number = rest.partition(after)[0] if after else rest
        is_status = mark and (head.startswith(start) if start else not head)
        if is_status and len(number) <= STATUS_DIGITS_MAX and number.removeprefix("-").isdecimal():
            return int(number)
    return 0


def _unwrap_shell_report(event: dict[str, object]) -> dict[str, object]:
    """Return the changes that leave only a command's output of the report that Gemini CLI and Qwen Code make of it."""
    from holloway.capture.event_subject import extract_text  # only for a shell of such a host

    output, error = extract_text(event.get("tool_response")), event.get("error")
    changes: dict[str, object] = {"tool_response": find_output(output)} if output else {}
    return changes | {"error": find_output(error)} if isinstance(error, str) else changes


def find_output(report: str) -> str:
    """Return the output in the report of a command; any other text as it is."""
    head, mark, output = f"\n{report}".partition("\nOutput: ")
    if not mark or (head and not head.startswith(_REPORT_HEADS)):
        return report
    output = output.rstrip().removesuffix("</untrusted_context>").rstrip()
    for label in _REPORT_LABELS:
        before_label, _, line = output.rpartition("\n")
        output = before_label if line.startswith(label) else output
    return output


def format_response(host: str, name: str, context: str, line: str) -> dict[str, object]:
    """Return the output of a hook in the host's format: context for the agent and a line for the user.

    At the end of a turn, context is a question that keeps the agent at work.
    """
    response: dict[str, object] = {}
    if context and name == "Stop":
        response |= {"decision": "block", "reason": context}
    elif context:
        response["hookSpecificOutput"] = {"hookEventName": name, "additionalContext": context}
        if HOSTS.get(host, _PLAIN).has_flat_context:
            response["additionalContext"] = context
    if line:
        response["systemMessage"] = line
    return response
