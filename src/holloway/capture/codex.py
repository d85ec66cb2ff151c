"""Codex sessions: reads the conversation logs of Codex, its rollouts: `~/.codex/sessions/**/rollout-*.jsonl`.

A line has a time, a type and a payload. Many events are recorded twice, as an item of the conversation and as an event
for the screen; versions differ in which of the two they write. The first one counts.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from holloway.capture import project_paths
from holloway.capture.hosts import CODEX
from holloway.capture.json_lines import (
    TRANSCRIPT_TEXT_CHARS_MAX,
    as_count,
    as_items,
    as_mapping,
    as_text,
    join_text_blocks,
    read_objects,
)
from holloway.capture.session_reader import CALLS_KNOWN_MAX, RUNNING_MAX, Following
from holloway.config import TAG_CHARS_MAX
from holloway.domain.event import Interrupted, Plan, Said, Started, Summarized, Usage

if TYPE_CHECKING:
    from holloway.domain.event import Event

ROLLOUT_FOLDER_LINES = 20
"""Number of lines searched for the working folder of a rollout."""

_SUMMARY_OPENING = "Another language model started to solve this problem"
_HOST_WORDS = ("<", "# AGENTS.md instructions", _SUMMARY_OPENING)
_QUESTION = "request_user_input"
_USER_NOTE = "user_note: "
_REQUEST = "## My request for Codex:"
_CWD = re.compile(r"<cwd>([^<\n]{1,1000})</cwd>")
_EXITED = re.compile(r"^(?:Process exited with code|Exit code:?) (-?\d{1,10})\s*$", re.MULTILINE)
_RUNNING = re.compile(r"^Process running with session ID (\d{1,20})\s*$", re.MULTILINE)
_FAILED = re.compile(
    r"(?:Wall time: [\d.]{1,20} seconds\n)?aborted by user|execution error|exec_command (?:failed|rejected)|failed to |"
    r"write_stdin failed|apply_patch verification failed|unsupported (?:custom tool )?call|command timed out|rejected|"
    r"err:|error:|Script failed",
    re.IGNORECASE,
)
"""Beginning of an output that reports a failure without an exit code."""
_HEADER = "Output:\n"
_HEAD_CHARS = 600
"""Number of characters of an output searched for the exit code."""


def read_session(path: Path, root: Path) -> Iterator[Event]:
    """Yield the events of a rollout, in file order."""
    rollout = _Rollout(path, root)
    for row in read_objects(path):
        yield from rollout.parse_row(row)


def find_rollouts(home: Path, root: Path) -> list[Path]:
    """Return the rollouts of a project, including archived ones."""
    codex_home = os.environ.get("CODEX_HOME")
    folder = Path(codex_home) if codex_home else home / ".codex"
    folders = (folder / name for name in ("sessions", "archived_sessions"))
    files = sorted(path for sessions in folders for path in sessions.rglob("rollout-*.jsonl"))
    return [path for path in files if project_paths.is_project_folder(_working_folder(path), str(root))]


def _working_folder(path: Path) -> str:
    """Return the working folder of a rollout, from its first entry or, in old versions, its first message."""
    for row in islice(read_objects(path), ROLLOUT_FOLDER_LINES):
        payload = as_mapping(row.get("payload", row))
        if folder := as_text(payload.get("cwd"), TRANSCRIPT_TEXT_CHARS_MAX):
            return folder
        if match := _CWD.search(join_text_blocks(payload.get("content"), "input_text")):
            return match[1]
    return ""


def read_metadata(path: Path) -> Mapping[str, object]:
    """Return the metadata in the first entry of a rollout."""
    first = next(islice(read_objects(path), 1), {})
    return as_mapping(first.get("payload")) if first.get("type") == "session_meta" else first


def parent_session(metadata: Mapping[str, object]) -> str:
    """Return the id of the session that started this one as a subagent, from its metadata; empty if none did."""
    spawned = as_mapping(as_mapping(as_mapping(metadata.get("source")).get("subagent")).get("thread_spawn"))
    above = as_text(metadata.get("parent_thread_id") or spawned.get("parent_thread_id"), TAG_CHARS_MAX)
    whole = as_text(metadata.get("session_id"), TAG_CHARS_MAX)
    return whole if above and whole and whole != metadata.get("id") else above


def session_id(metadata: Mapping[str, object], path: Path) -> str:
    """Return the session id of a rollout, from its metadata or else from its file name."""
    return as_text(metadata.get("id"), TAG_CHARS_MAX) or path.stem[-36:]


class _Rollout:
    """Parser of one rollout."""

    def __init__(self, path: Path, root: Path) -> None:
        self._following = Following(root)
        self._path = path
        self._started = False
        self._actor = ""
        self._known: set[str] = set()
        self._running: dict[str, tuple[str, str]] = {}
        """Commands running in the background, by the host's number: the id of the call and its output so far."""
        self._asked: dict[str, str] = {}
        """Calls that only request more output of a background command."""
        self._questions: dict[str, list[object]] = {}
        """Questions of the agent that wait for the user's answers, by the id of the call."""
        self._tokens = -1

    def parse_row(self, row: Mapping[str, object]) -> Iterator[Event]:
        """Yield the events of one line."""
        kind, payload = row.get("type"), as_mapping(row.get("payload"))
        if not payload:  # the first versions had no envelope
            kind, payload = ("response_item" if kind else "session_meta"), row
        at = self._following.entry_time(row.get("timestamp"))
        if not self._started:
            self._started = True
            yield self._parse_start(payload if kind == "session_meta" else {}, at)
        if kind == "response_item":
            yield from self._parse_item(payload)
        elif kind == "event_msg":
            yield from self._parse_event(payload)
        elif kind == "compacted":
            yield from self._parse_summary(payload)
        elif kind == "turn_context":
            self._following.set_folder(payload.get("cwd"))
            if as_mapping(payload.get("collaboration_mode")).get("mode") == "plan":
                yield Plan(at, mode=True)

    def _parse_summary(self, compaction: Mapping[str, object]) -> Iterator[Event]:
        """Yield the summary that replaces the conversation, without the sentence that the host puts before it."""
        text = as_text(compaction.get("message")).strip()
        if text.startswith(_SUMMARY_OPENING):
            text = text.partition("\n")[2].strip()
        if text and not self._actor:
            yield Summarized(self._following.at, text)

    def _parse_start(self, metadata: Mapping[str, object], at: float) -> Started:
        self._following.set_folder(metadata.get("cwd"))
        session, parent = session_id(metadata, self._path), parent_session(metadata)
        self._actor = session if parent else ""
        git = as_mapping(metadata.get("git"))
        branch, commit = as_text(git.get("branch"), 200), as_text(git.get("commit_hash"), TAG_CHARS_MAX)
        return Started(self._following.entry_time(metadata.get("timestamp")), parent or session, CODEX, branch, commit)

    def _parse_item(self, item: Mapping[str, object]) -> Iterator[Event]:
        kind = item.get("type")
        if kind == "message":
            yield from self._parse_message(item)
        elif kind == "reasoning":
            parts = [*as_items(item.get("summary")), *as_items(item.get("content"))]
            if text := join_text_blocks(parts, "summary_text", "reasoning_text", "text").strip():
                yield Said(self._following.at, text, True, self._actor)
        elif kind == "function_call":
            name = as_text(item.get("namespace"), TAG_CHARS_MAX) + as_text(item.get("name"), TAG_CHARS_MAX)
            yield from self._parse_call(name, _parse_arguments(item.get("arguments")), item.get("call_id"))
        elif kind == "custom_tool_call":
            yield from self._parse_call(as_text(item.get("name")), {"input": item.get("input")}, item.get("call_id"))
        elif kind == "local_shell_call":
            yield from self._parse_call(
                "local_shell", as_mapping(item.get("action")), item.get("call_id") or item.get("id")
            )
        elif kind == "web_search_call":
            yield from self._parse_call("web_search", as_mapping(item.get("action")), item.get("id"))
        elif isinstance(kind, str) and kind.endswith("call_output"):
            yield from self._parse_output(as_text(item.get("call_id")), item.get("output"))

    def _parse_message(self, item: Mapping[str, object]) -> Iterator[Event]:
        if item.get("role") == "assistant":
            if text := join_text_blocks(item.get("content"), "output_text", "text").strip():
                yield Said(self._following.at, text, False, self._actor)
        elif item.get("role") == "user" and not self._actor:
            parts = (join_text_blocks([part], "input_text", "text") for part in as_items(item.get("content")))
            prompts = (extract_user_text(part) for part in parts if not part.lstrip().startswith(_HOST_WORDS))
            yield from self._following.record_prompt("\n".join(part for part in prompts if part))

    def _parse_call(self, name: str, arguments: Mapping[str, object], call_id: object) -> Iterator[Event]:
        call_key = as_text(call_id)
        if name == "write_stdin":
            if len(self._asked) < RUNNING_MAX:
                self._asked[call_key] = str(arguments.get("session_id"))[:TAG_CHARS_MAX]
            return
        if len(self._known) < CALLS_KNOWN_MAX:
            self._known.add(call_key)
        if name == _QUESTION and len(self._questions) < RUNNING_MAX:
            self._questions[call_key] = as_items(arguments.get("questions"))
        yield from self._following.record_tool_use(name, arguments, call_id, self._actor)

    def _parse_output(self, call_id: str, result: object) -> Iterator[Event]:
        output, ok = parse_tool_output(result)
        number = self._asked.pop(call_id, "")
        call_id, before = self._running.pop(number, ("", "")) if number else (call_id, "")
        going = _RUNNING.search(output[:_HEAD_CHARS])
        output = as_text(before + _strip_host_lines(output))
        if going and len(self._running) < RUNNING_MAX:
            self._running[going[1]] = (call_id, output)
        else:
            yield from self._following.record_answer(call_id, output, ok=ok)
            yield from self._parse_typed_answers(call_id, output)

    def _parse_typed_answers(self, call_id: str, output: str) -> Iterator[Event]:
        """Yield what the user typed to answer questions of the agent."""
        questions = self._questions.pop(call_id, [])
        if questions and not self._actor:
            answers = islice(as_mapping(_parse_arguments(output).get("answers")).values(), RUNNING_MAX)
            texts = [as_text(text) for answer in answers for text in as_items(as_mapping(answer).get("answers"))]
            yield from self._following.record_typed_answers(
                questions, [text.removeprefix(_USER_NOTE) for text in texts]
            )

    def _parse_event(self, event: Mapping[str, object]) -> Iterator[Event]:
        kind = event.get("type")
        if kind == "item_completed":
            yield from self._parse_completed(as_mapping(event.get("item")))
        elif kind == "user_message" and not self._actor:
            yield from self._following.record_prompt(extract_user_text(as_text(event.get("message"))))
        elif kind == "exec_command_end":
            yield from self._parse_command_run(event, event.get("call_id"))
        elif kind == "mcp_tool_call_end":
            yield from self._parse_mcp_call(event)
        elif kind == "patch_apply_end":
            output = as_text(event.get("stdout")) + as_text(event.get("stderr"))
            yield from self._following.record_answer(event.get("call_id"), output, ok=event.get("success") is not False)
        elif kind == "token_count":
            yield from self._count_tokens(as_mapping(event.get("info")))
        elif kind == "turn_aborted" and event.get("reason", "interrupted") == "interrupted":
            yield Interrupted(self._following.at)

    def _parse_completed(self, item: Mapping[str, object]) -> Iterator[Event]:
        kind, call_id, ok = item.get("type"), item.get("id"), item.get("status") in ("completed", None)
        if kind == "UserMessage" and not self._actor:
            yield from self._following.record_prompt(extract_user_text(join_text_blocks(item.get("content"), "text")))
        elif kind == "CommandExecution":
            yield from self._parse_command_run(item, call_id)
        elif kind == "McpToolCall" and item.get("status") != "inProgress":
            output = join_text_blocks(as_mapping(item.get("result")).get("content"), "text") or as_text(
                str(item.get("error") or "")
            )
            yield from self._following.record_answer(call_id, output, ok=ok and not item.get("error"))
        elif kind == "FileChange":
            yield from self._following.record_answer(call_id, as_text(item.get("stderr")), ok=ok)

    def _parse_command_run(self, run: Mapping[str, object], call_id: object) -> Iterator[Event]:
        """Yield the result of a command, and its call if no tool call started it; skip commands that the user ran."""
        if run.get("source") in ("user_shell", "unified_exec_interaction"):
            return
        if as_text(call_id) not in self._known:
            folder = as_text(run.get("cwd")).removeprefix("file://")
            yield from self._parse_call("exec_command", {"cmd": run.get("command"), "workdir": folder}, call_id)
        output = as_text(run.get("aggregated_output")) or as_text(run.get("stdout")) + as_text(run.get("stderr"))
        code = run.get("exit_code")
        ok = code == 0 if isinstance(code, int) else run.get("status") == "completed"
        yield from self._following.record_answer(call_id, output, ok=ok)

    def _parse_mcp_call(self, event: Mapping[str, object]) -> Iterator[Event]:
        result = as_mapping(event.get("result"))
        answered = as_mapping(result.get("Ok"))
        output = join_text_blocks(answered.get("content"), "text") or as_text(result.get("Err"))
        ok = "Err" not in result and answered.get("isError") is not True and answered.get("is_error") is not True
        yield from self._following.record_answer(event.get("call_id"), output, ok=ok)

    def _count_tokens(self, info: Mapping[str, object]) -> Iterator[Event]:
        """Yield the usage if the total is new: the host repeats the count whenever a limit changes."""
        total = as_count(as_mapping(info.get("total_token_usage")).get("total_tokens"))
        last = as_mapping(info.get("last_token_usage"))
        if last and total != self._tokens:
            input_tokens = as_count(last.get("input_tokens"))
            yield Usage(
                self._following.at,
                input_tokens,
                as_count(last.get("output_tokens")),
                0 if self._actor else input_tokens,
            )
        self._tokens = total


def extract_user_text(message: str) -> str:
    """Return the text that the user typed, without the context that an editor put before it."""
    return message.rpartition(_REQUEST)[2].strip()


def parse_tool_output(result: object) -> tuple[str, bool]:
    """Return the output of a tool and whether it succeeded, judged by the exit code or the failure text in it."""
    whole = as_mapping(result)
    output = join_text_blocks(whole.get("content", result), "input_text", "output_text", "text")
    if output.startswith("{") and '"metadata"' in output:
        response = _parse_arguments(result)
        code = as_mapping(response.get("metadata")).get("exit_code")
        return as_text(response.get("output")), code in (0, None)
    if exit_match := _EXITED.search(output[:_HEAD_CHARS]):
        return output, int(exit_match[1]) == 0
    return output, whole.get("success") is not False and not _FAILED.match(output)


def _strip_host_lines(text: str) -> str:
    """Return the output without the header that the host adds."""
    head, header, output = text.partition(_HEADER)
    about = len(head) < _HEAD_CHARS and (_EXITED.search(head) or _RUNNING.search(head))
    return output if header and about else text


def _parse_arguments(arguments: object) -> Mapping[str, object]:
    """Return the arguments of a call, decoded if they are a JSON string; empty if they are malformed."""
    try:
        return as_mapping(json.loads(arguments)) if isinstance(arguments, str) else as_mapping(arguments)
    except (ValueError, RecursionError):
        return {}
