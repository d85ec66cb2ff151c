"""Sessions of Codex, read from the rollouts it leaves: `~/.codex/sessions/**/rollout-*.jsonl`.

A line has a time, a type and a payload. The same thing is often told twice, as an item of the conversation and as an
event for the screen; which of the two is there depends on the version. Whichever comes first counts.
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
from holloway.capture.json_lines import (
    TEXT_CHARS_MAX,
    as_count,
    as_items,
    as_mapping,
    as_text,
    join_text_blocks,
    read_objects,
)
from holloway.capture.session_reader import Following
from holloway.config import TAG_CHARS_MAX
from holloway.domain.event import Interrupted, Plan, Said, Started, Usage

if TYPE_CHECKING:
    from holloway.domain.event import Event

AGENT = "codex"
HEAD_LINES = 20
"""Within so many lines a rollout says where it was made."""
RUNNING_MAX = 1_000
CALLS_KNOWN_MAX = 100_000

_HOST_WORDS = ("<", "# AGENTS.md instructions", "Another language model started to solve this problem")
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
"""How an answer begins that tells of a failure and has no exit code."""
_HEADER = "Output:\n"
_HEAD_CHARS = 600
"""Within so many characters an answer says how the command ended."""


def read_session(path: Path, root: Path) -> Iterator[Event]:
    """The events of a rollout, in its order."""
    rollout = _Rollout(path, root)
    for row in read_objects(path):
        yield from rollout.parse_row(row)


def find_rollouts(home: Path, root: Path) -> list[Path]:
    """The rollouts of a project, archived ones included."""
    given = os.environ.get("CODEX_HOME")
    folder = Path(given) if given else home / ".codex"
    found = (folder / name for name in ("sessions", "archived_sessions"))
    files = sorted(path for each in found for path in each.rglob("rollout-*.jsonl"))
    return [path for path in files if project_paths.is_project_folder(_working_folder(path), str(root))]


def _working_folder(path: Path) -> str:
    """Where a rollout was made: its first entry says, in old versions the first message."""
    for row in islice(read_objects(path), HEAD_LINES):
        payload = as_mapping(row.get("payload", row))
        if folder := as_text(payload.get("cwd"), TEXT_CHARS_MAX):
            return folder
        if told := _CWD.search(join_text_blocks(payload.get("content"), "input_text")):
            return told[1]
    return ""


def read_metadata(path: Path) -> Mapping[str, object]:
    """What a rollout says of itself in its first entry."""
    first = next(islice(read_objects(path), 1), {})
    return as_mapping(first.get("payload")) if first.get("type") == "session_meta" else first


def parent_session(told: Mapping[str, object]) -> str:
    """The session that started this one as a subagent, by what a rollout says of itself."""
    spawned = as_mapping(as_mapping(as_mapping(told.get("source")).get("subagent")).get("thread_spawn"))
    above = as_text(told.get("parent_thread_id") or spawned.get("parent_thread_id"), TAG_CHARS_MAX)
    whole = as_text(told.get("session_id"), TAG_CHARS_MAX)
    return whole if above and whole and whole != told.get("id") else above


def session_id(told: Mapping[str, object], path: Path) -> str:
    """The id of a rollout's session; its file is named after it."""
    return as_text(told.get("id"), TAG_CHARS_MAX) or path.stem[-36:]


class _Rollout:
    """One rollout, being read."""

    def __init__(self, path: Path, root: Path) -> None:
        self._following = Following(root)
        self._path = path
        self._started = False
        self._actor = ""
        self._known: set[str] = set()
        self._running: dict[str, tuple[str, str]] = {}
        """Commands that go on in the background, by the host's number: which call it was, and its output so far."""
        self._asked: dict[str, str] = {}
        """Calls that only ask for more output of such a command."""
        self._tokens = -1

    def parse_row(self, row: Mapping[str, object]) -> Iterator[Event]:
        """What one line tells."""
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
        elif kind == "turn_context":
            self._following.set_folder(payload.get("cwd"))
            if as_mapping(payload.get("collaboration_mode")).get("mode") == "plan":
                yield Plan(at, mode=True)

    def _parse_start(self, told: Mapping[str, object], at: float) -> Started:
        self._following.set_folder(told.get("cwd"))
        own, above = session_id(told, self._path), parent_session(told)
        self._actor = own if above else ""
        git = as_mapping(told.get("git"))
        branch, commit = as_text(git.get("branch"), 200), as_text(git.get("commit_hash"), TAG_CHARS_MAX)
        return Started(self._following.entry_time(told.get("timestamp")), above or own, AGENT, branch, commit)

    def _parse_item(self, item: Mapping[str, object]) -> Iterator[Event]:
        kind = item.get("type")
        if kind == "message":
            yield from self._parse_message(item)
        elif kind == "reasoning":
            parts = [*as_items(item.get("summary")), *as_items(item.get("content"))]
            if said := join_text_blocks(parts, "summary_text", "reasoning_text", "text").strip():
                yield Said(self._following.at, said, True, self._actor)
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
            if said := join_text_blocks(item.get("content"), "output_text", "text").strip():
                yield Said(self._following.at, said, False, self._actor)
        elif item.get("role") == "user" and not self._actor:
            parts = (join_text_blocks([part], "input_text", "text") for part in as_items(item.get("content")))
            own = (extract_user_text(part) for part in parts if not part.lstrip().startswith(_HOST_WORDS))
            yield from self._following.record_prompt("\n".join(part for part in own if part))

    def _parse_call(self, name: str, arguments: Mapping[str, object], call_id: object) -> Iterator[Event]:
        known = as_text(call_id)
        if name == "write_stdin":
            if len(self._asked) < RUNNING_MAX:
                self._asked[known] = str(arguments.get("session_id"))[:TAG_CHARS_MAX]
            return
        if len(self._known) < CALLS_KNOWN_MAX:
            self._known.add(known)
        yield from self._following.record_tool_use(name, arguments, call_id, self._actor)

    def _parse_output(self, call_id: str, given: object) -> Iterator[Event]:
        said, ok = parse_tool_output(given)
        number = self._asked.pop(call_id, "")
        call_id, before = self._running.pop(number, ("", "")) if number else (call_id, "")
        going = _RUNNING.search(said[:_HEAD_CHARS])
        said = as_text(before + _strip_host_lines(said))
        if going and len(self._running) < RUNNING_MAX:
            self._running[going[1]] = (call_id, said)
        else:
            yield from self._following.record_answer(call_id, said, ok=ok)

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
            said = as_text(event.get("stdout")) + as_text(event.get("stderr"))
            yield from self._following.record_answer(event.get("call_id"), said, ok=event.get("success") is not False)
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
            said = join_text_blocks(as_mapping(item.get("result")).get("content"), "text") or as_text(
                str(item.get("error") or "")
            )
            yield from self._following.record_answer(call_id, said, ok=ok and not item.get("error"))
        elif kind == "FileChange":
            yield from self._following.record_answer(call_id, as_text(item.get("stderr")), ok=ok)

    def _parse_command_run(self, run: Mapping[str, object], call_id: object) -> Iterator[Event]:
        """A command ended; it may have been run by other means than a call of a tool, by the user for one."""
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
        said = join_text_blocks(answered.get("content"), "text") or as_text(result.get("Err"))
        ok = "Err" not in result and answered.get("isError") is not True and answered.get("is_error") is not True
        yield from self._following.record_answer(event.get("call_id"), said, ok=ok)

    def _count_tokens(self, info: Mapping[str, object]) -> Iterator[Event]:
        """The count is told again whenever a limit changes; only a new total is a new use."""
        total = as_count(as_mapping(info.get("total_token_usage")).get("total_tokens"))
        last = as_mapping(info.get("last_token_usage"))
        if last and total != self._tokens:
            taken = as_count(last.get("input_tokens"))
            yield Usage(self._following.at, taken, as_count(last.get("output_tokens")), 0 if self._actor else taken)
        self._tokens = total


def extract_user_text(said: str) -> str:
    """What the user typed, without what an editor put before it."""
    return said.rpartition(_REQUEST)[2].strip()


def parse_tool_output(given: object) -> tuple[str, bool]:
    """What a tool said and whether it went well, by the exit code that stands in it."""
    whole = as_mapping(given)
    said = join_text_blocks(whole.get("content", given), "input_text", "output_text", "text")
    if said.startswith("{") and '"metadata"' in said:
        told = _parse_arguments(given)
        code = as_mapping(told.get("metadata")).get("exit_code")
        return as_text(told.get("output")), code in (0, None)
    if found := _EXITED.search(said[:_HEAD_CHARS]):
        return said, int(found[1]) == 0
    return said, whole.get("success") is not False and not _FAILED.match(said)


def _strip_host_lines(said: str) -> str:
    """The output alone, without what the host says about it."""
    head, header, rest = said.partition(_HEADER)
    about = len(head) < _HEAD_CHARS and (_EXITED.search(head) or _RUNNING.search(head))
    return rest if header and about else said


def _parse_arguments(given: object) -> Mapping[str, object]:
    """Arguments, which come as JSON in a text."""
    try:
        return as_mapping(json.loads(given)) if isinstance(given, str) else as_mapping(given)
    except (ValueError, RecursionError):
        return {}
