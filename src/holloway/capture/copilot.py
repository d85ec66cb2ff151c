"""GitHub Copilot CLI sessions, read from `~/.copilot/session-state/<session>/events.jsonl`.

A line has a type, a time and data. A message of the user that the host wrote itself (a skill, a prompt of an agent,
autopilot) names its source; lines of a subagent name the agent. Unknown types are skipped.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from holloway.capture import project_paths
from holloway.capture.hosts import COPILOT
from holloway.capture.json_lines import as_count, as_items, as_mapping, as_text, read_objects
from holloway.capture.session_reader import CALLS_KNOWN_MAX, RUNNING_MAX, Following
from holloway.config import PATH_CHARS_MAX, TAG_CHARS_MAX
from holloway.domain.event import Interrupted, Plan, Said, Started, Summarized, Usage

if TYPE_CHECKING:
    from holloway.domain.event import Event

EVENTS_FILE = "events.jsonl"
SESSION_FOLDER_LINES = 20
"""Number of lines searched for the working folder of a session."""

_TYPED_BY = (None, "", "user")
"""Sources of the messages that a person typed."""
_STOPPED_BY_USER = ("user_initiated", "user initiated", "user_abort")
_ANSWERED = re.compile(r"User responded: (.+)", re.DOTALL)
_EXITED = re.compile(r"^<(?:shellId: \S{1,100} completed|exited) with exit code (-?\d{1,10})>\s*\Z", re.MULTILINE)
_RUNNING = re.compile(r"^<command with shellId: (\S{1,100}) is (?:still running|running)[^\n]*>\s*\Z", re.MULTILINE)
_TAIL_CHARS = 1_000
"""Number of characters at the end of an output that are searched for the exit code."""
_READS_OUTPUT = ("read_bash", "read_powershell")
_STOPS = ("stop_bash", "stop_powershell")
_SHELLS = ("bash", "powershell", *_READS_OUTPUT)
"""Tools whose output ends with a line of the host about the command; in any other it may be quoted."""
_GUIDANCE = '\n\nTool "{}" succeeded. Additional guidance from postToolUse hooks:\n{}'


def read_session(path: Path, root: Path) -> Iterator[Event]:
    """Yield the events of a session, in file order."""
    session = _Session(path, root)
    for row in read_objects(path):
        yield from session.parse_row(row)
    yield from session.answer_running()


def find_transcripts(home: Path, root: Path) -> list[Path]:
    """Return the transcripts of a project."""
    copilot_home = os.environ.get("COPILOT_HOME")
    folder = (Path(copilot_home) if copilot_home else home / ".copilot") / "session-state"
    files = sorted([*folder.glob(f"*/{EVENTS_FILE}"), *folder.glob("*.jsonl")])
    return [path for path in files if project_paths.is_project_folder(_working_folder(path), str(root))]


def session_id(path: Path) -> str:
    """Return the session id of a transcript, from the name of its folder or, in old versions, of its file."""
    return path.parent.name if path.name == EVENTS_FILE else path.stem


def _working_folder(path: Path) -> str:
    contexts = (
        as_mapping(as_mapping(row.get("data")).get("context"))
        for row in islice(read_objects(path), SESSION_FOLDER_LINES)
    )
    return next((folder for context in contexts if (folder := as_text(context.get("cwd"), PATH_CHARS_MAX))), "")


class _Session:
    """Parser of one transcript."""

    def __init__(self, path: Path, root: Path) -> None:
        self._following = Following(root)
        self._session = session_id(path)
        self._started = False
        self._actor = ""
        self._tools: dict[str, str] = {}
        """Names of the tools that were called, by the id of the call."""
        self._by_user: set[str] = set()
        self._running: dict[str, tuple[str, str]] = {}
        """Commands running in the background, by the host's number: the id of the call and its output so far."""
        self._asked: dict[str, str] = {}
        """Calls that only request more output of a background command."""
        self._questions: dict[str, tuple[str, list[str]]] = {}
        """Questions of the agent, with the choices that it offered."""
        self._guidance = ""
        self._is_metered = False
        self._planning = False

    def parse_row(self, row: Mapping[str, object]) -> Iterator[Event]:
        """Yield the events of one line."""
        kind, data = as_text(row.get("type"), TAG_CHARS_MAX), as_mapping(row.get("data"))
        at = self._following.entry_time(row.get("timestamp"))
        context = as_mapping(data.get("context"))
        if kind.startswith("session."):
            self._following.set_folder(context.get("cwd") or data.get("cwd"))
        if not self._started and at:
            self._started = True
            branch, commit = as_text(context.get("branch"), 200), as_text(context.get("headCommit"), TAG_CHARS_MAX)
            yield Started(at, self._session, COPILOT, branch, commit)
        self._actor = as_text(row.get("agentId") or data.get("parentToolCallId"), TAG_CHARS_MAX)
        if parse := ROWS_READ.get(kind):
            yield from parse(self, data)

    def _parse_user(self, data: Mapping[str, object]) -> Iterator[Event]:
        is_typed = data.get("source") in _TYPED_BY and data.get("isAutopilotContinuation") is not True
        if self._actor or not is_typed:
            return
        yield from self._set_mode(data.get("agentMode"))
        yield from self._following.record_prompt(as_text(data.get("content")).strip())

    def _parse_mode(self, data: Mapping[str, object]) -> Iterator[Event]:
        yield from self._set_mode(data.get("newMode"))

    def _set_mode(self, mode: object) -> Iterator[Event]:
        if not isinstance(mode, str):
            return
        if mode == "plan" and not self._planning:
            yield Plan(self._following.at, mode=True)
        self._planning = mode == "plan"

    def _parse_assistant(self, data: Mapping[str, object]) -> Iterator[Event]:
        for name in ("reasoningText", "content"):
            if text := as_text(data.get(name)).strip():
                yield Said(self._following.at, text, name == "reasoningText", self._actor)
        written = as_count(data.get("outputTokens"))
        if written and not self._is_metered:
            yield Usage(self._following.at, 0, written)

    def _parse_usage(self, data: Mapping[str, object]) -> Iterator[Event]:
        """Yield the tokens of a model call; the messages of versions that record them repeat a part of it."""
        self._is_metered = True
        usage = as_mapping(data.get("usage", data))
        whole = as_count(usage.get("inputTokens"))
        written = as_count(usage.get("outputTokens"))
        if whole or written:
            is_main = not self._actor and usage.get("initiator") != "sub-agent"
            yield Usage(self._following.at, whole, written, whole if is_main else 0)

    def _parse_call(self, data: Mapping[str, object]) -> Iterator[Event]:
        call_id, name = as_text(data.get("toolCallId"), TAG_CHARS_MAX), as_text(data.get("toolName"), TAG_CHARS_MAX)
        raw_arguments = data.get("arguments")
        arguments = {"input": raw_arguments} if isinstance(raw_arguments, str) else as_mapping(raw_arguments)
        if call_id in self._by_user or len(self._tools) >= CALLS_KNOWN_MAX:
            return
        server = as_text(data.get("mcpServerName"), TAG_CHARS_MAX)
        if server:
            name = f"mcp__{server}__{as_text(data.get('mcpToolName'), TAG_CHARS_MAX) or name}"
        self._tools[call_id] = name
        shell = as_text(arguments.get("shellId"), TAG_CHARS_MAX)
        if name in _READS_OUTPUT and shell in self._running:
            self._asked[call_id] = shell
            return
        if name in _STOPS:
            yield from self.answer_running(shell or "unknown")
        if name == "ask_user":
            choices = [as_text(choice).strip() for choice in as_items(arguments.get("choices"))]
            self._questions[call_id] = (as_text(arguments.get("question")).strip(), choices)
        yield from self._following.record_tool_use(name, arguments, call_id, self._actor)

    def _parse_user_request(self, data: Mapping[str, object]) -> Iterator[Event]:
        """Remember a tool call that the user made, not the agent."""
        if len(self._by_user) < CALLS_KNOWN_MAX:
            self._by_user.add(as_text(data.get("toolCallId"), TAG_CHARS_MAX))
        return iter(())

    def _parse_result(self, data: Mapping[str, object]) -> Iterator[Event]:
        call_id = as_text(data.get("toolCallId"), TAG_CHARS_MAX)
        tool = self._tools.get(call_id, "")
        output = self._extract_output(data, tool)
        is_ok = data.get("success") is not False
        code = as_mapping(data.get("shellExecution")).get("exitCode")
        shell = self._asked.pop(call_id, "")
        call_id, before = self._running.pop(shell, ("", "")) if shell else (call_id, "")
        if tool in _SHELLS:
            if running := _RUNNING.search(output[-_TAIL_CHARS:]):
                self._hold_output(running[1], call_id, before + output[: output.rfind(running[0])])
                return
            if exited := _EXITED.search(output[-_TAIL_CHARS:]):
                output = output[: output.rfind(exited[0])]
                code = int(exited[1]) if code is None else code
        yield from self._following.record_answer(call_id, as_text(before + output), ok=is_ok and code in (0, None))
        yield from self._parse_typed_answer(call_id, output)

    def _hold_output(self, shell: str, call_id: str, output: str) -> None:
        if len(self._running) < RUNNING_MAX:
            self._running[shell] = (call_id, as_text(output))

    def answer_running(self, shell: str = "") -> Iterator[Event]:
        """Yield the output so far of commands in the background as their result: of this one, or of all."""
        for name in [shell] if shell else list(self._running):
            call_id, output = self._running.pop(name, ("", ""))
            yield from self._following.record_answer(call_id, output, ok=True)

    def _extract_output(self, data: Mapping[str, object], tool: str) -> str:
        """Return the output of a tool, without the text that hooks added to it."""
        result = as_mapping(data.get("result"))
        output = as_text(result.get("content")) or as_text(as_mapping(data.get("error")).get("message"))
        guidance, self._guidance = self._guidance, ""
        return output.removesuffix(_GUIDANCE.format(tool, guidance)) if guidance else output

    def _parse_typed_answer(self, call_id: str, output: str) -> Iterator[Event]:
        """Yield what the person typed to answer a question of the agent; a choice is in the agent's words."""
        question, choices = self._questions.pop(call_id, ("", None))
        answer = _ANSWERED.match(output)
        if choices is not None and answer and answer[1].strip() not in choices:
            yield from self._following.record_typed_answers([{"question": question}], [answer[1]])

    def _parse_permission(self, data: Mapping[str, object]) -> Iterator[Event]:
        """Yield what the person typed when rejecting a tool call."""
        result = as_mapping(data.get("result"))
        if result.get("kind") == "denied-interactively-by-user":
            yield from self._following.record_prompt(as_text(result.get("feedback")).strip())

    def _parse_notification(self, data: Mapping[str, object]) -> Iterator[Event]:
        """Yield the result of a background command that has ended."""
        kind = as_mapping(data.get("kind"))
        code = kind.get("exitCode")
        if kind.get("type") == "shell_completed" and isinstance(code, int):
            call_id, output = self._running.pop(as_text(kind.get("shellId"), TAG_CHARS_MAX), ("", ""))
            yield from self._following.record_answer(call_id, output, ok=code == 0)

    def _parse_hook(self, data: Mapping[str, object]) -> Iterator[Event]:
        """Remember the text that hooks add to the next tool result."""
        if data.get("hookType") == "postToolUse":
            self._guidance = as_text(as_mapping(data.get("output")).get("additionalContext"))
        return iter(())

    def _parse_compaction(self, data: Mapping[str, object]) -> Iterator[Event]:
        """Yield the summary that replaces the conversation so far; some compactions have none."""
        text = as_text(data.get("summaryContent")).strip()
        if text and not self._actor:
            yield Summarized(self._following.at, text)

    def _parse_abort(self, data: Mapping[str, object]) -> Iterator[Event]:
        if data.get("reason") in _STOPPED_BY_USER:
            yield Interrupted(self._following.at)


ROWS_READ = {
    "user.message": _Session._parse_user,
    "assistant.message": _Session._parse_assistant,
    "session.compaction_complete": _Session._parse_compaction,
    "session.mode_changed": _Session._parse_mode,
    "session.usage_record": _Session._parse_usage,
    "assistant.usage": _Session._parse_usage,
    "tool.user_requested": _Session._parse_user_request,
    "tool.execution_start": _Session._parse_call,
    "tool.execution_complete": _Session._parse_result,
    "permission.completed": _Session._parse_permission,
    "system.notification": _Session._parse_notification,
    "hook.end": _Session._parse_hook,
    "abort": _Session._parse_abort,
}
