"""Gemini CLI sessions, read from `~/.gemini/tmp/<project>/chats/session-<time>-<id>.jsonl`.

The first line describes the session; each further line is a message, or a change of the session's state. A message is
written again when it gets its tool calls, and all messages are when the host rewrites the conversation, for example to
compact it: each statement and each call counts once. Older versions wrote one document. Subagents write files of their
own in a folder named after the session.
"""

from __future__ import annotations

import hashlib
import heapq
import os
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from holloway.capture import hosts, project_paths
from holloway.capture.gemini_parts import (
    SNAPSHOT,
    join_texts,
    list_applied_lines,
    list_parts,
    list_responses,
    split_hook_text,
    split_user_text,
)
from holloway.capture.json_lines import as_count, as_items, as_mapping, as_text, read_document, read_objects
from holloway.capture.session_reader import CALLS_KNOWN_MAX, HEADER_LINES, SUBAGENTS_MAX, Following
from holloway.config import PATH_CHARS_MAX, TAG_CHARS_MAX
from holloway.domain.event import Said, Started, Summarized, Usage
from holloway.text import tools

if TYPE_CHECKING:
    from holloway.domain.event import Event

CHAT_BYTES_MAX = 128 * 1024 * 1024
ROOT_FILE = ".project_root"
"""File with the working folder of a project's sessions; older versions name the folder after its digest."""

_MESSAGES_MAX = 50_000
_ENDED = ("success", "error", "cancelled")
_NO_PROMPTS = ("<session_context>", "/", "?")
"""Beginnings of the texts of a user that are no part of the conversation: its setting, and commands of the host."""
_SERVER = "MCP Server)"


def read_session(path: Path, root: Path) -> Iterator[Event]:
    """Return the events of a session in time order, with those of its subagents."""
    session = session_id(path)
    streams = [_Session(root, session).read_events(path)]
    for part in islice(sorted((path.parent / session).glob("*.jsonl")) if session else [], SUBAGENTS_MAX):
        streams.append(_Session(root, session, part.stem).read_events(part))
    return heapq.merge(*streams, key=lambda event: event.at)


def find_transcripts(home: Path, root: Path) -> list[Path]:
    """Return the transcripts of a project, from all of its worktrees and subfolders."""
    moved = os.environ.get("GEMINI_CLI_HOME")
    folder = (Path(moved) if moved else home) / ".gemini" / "tmp"
    trees = (str(root), os.path.realpath(root), *project_paths.list_worktrees(str(root)))
    digests = {hashlib.sha256(tree.encode("utf-8", "surrogateescape")).hexdigest() for tree in trees}
    files = [path for pattern in ("*.json", "*.jsonl") for path in sorted(folder.glob(f"*/chats/session-{pattern}"))]
    # A document is written out again as lines when its session is resumed.
    current_files = (path for path in files if path.suffix != ".json" or not path.with_suffix(".jsonl").exists())
    return [path for path in current_files if _is_of_project(path, root, digests)]


def session_id(path: Path) -> str:
    """Return the session id of a transcript; the name of its file if it has none."""
    session = as_text(_read_header(path).get("sessionId"), TAG_CHARS_MAX)
    return session if session and "/" not in session and ".." not in session else path.stem


def read_rows(path: Path) -> Iterator[Mapping[str, object]]:
    """Yield the lines of a transcript; a document is one."""
    if path.suffix == ".json":
        yield read_document(path, CHAT_BYTES_MAX)
    else:
        yield from read_objects(path)


def _read_header(path: Path) -> Mapping[str, object]:
    return next((row for row in islice(read_rows(path), HEADER_LINES) if "sessionId" in row), {})


def _is_of_project(path: Path, root: Path, digests: set[str]) -> bool:
    if folder := _working_folder(path.parent.parent):
        return project_paths.is_project_folder(folder, str(root))
    return path.parent.parent.name in digests or as_text(_read_header(path).get("projectHash")) in digests


def _working_folder(folder: Path) -> str:
    try:
        with (folder / ROOT_FILE).open("rb") as file:
            return file.read(PATH_CHARS_MAX).decode("utf-8", "replace").strip()
    except OSError:
        return ""


class _Session:
    """Parser of one transcript; `actor` is set for that of a subagent."""

    def __init__(self, root: Path, session: str, actor: str = "") -> None:
        self._following = Following(root)
        self._session = session
        self._actor = actor
        self._is_started = bool(actor)
        self._recorded: set[tuple[str, ...]] = set()
        """Messages and parts of messages that were read, because lines repeat them."""

    def read_events(self, path: Path) -> Iterator[Event]:
        """Yield the events of the transcript, in file order."""
        self._following.set_folder(_working_folder(path.parent.parent.parent if self._actor else path.parent.parent))
        for row in read_rows(path):
            yield from self._parse_row(row)

    def _parse_row(self, row: Mapping[str, object]) -> Iterator[Event]:
        if not self._is_started and (at := self._following.entry_time(row.get("startTime", row.get("timestamp")))):
            self._is_started = True
            yield Started(at, self._session, hosts.GEMINI)
        if "$set" in row:
            rewritten = as_mapping(row["$set"]).get("messages")
            for message in map(as_mapping, rewritten[:_MESSAGES_MAX] if isinstance(rewritten, list) else []):
                yield from self._parse_rewritten(message)
            return
        listed = row.get("messages")
        messages = listed[:_MESSAGES_MAX] if isinstance(listed, list) else [row]
        for message in map(as_mapping, messages):
            yield from self._parse_message(message)

    def _parse_message(self, message: Mapping[str, object]) -> Iterator[Event]:
        self._set_time(message.get("timestamp"))
        message_id = as_text(message.get("id"), TAG_CHARS_MAX)
        if message.get("type") == "user" and self._is_first(message_id):
            yield from self._parse_user(message)
        elif message.get("type") == "gemini":
            self._is_first(message_id)
            yield from self._parse_model(message, message_id)

    def _parse_rewritten(self, message: Mapping[str, object]) -> Iterator[Event]:
        """Yield the new events of a message of the conversation that the host rewrote: its own, or a summary."""
        message_id = as_text(message.get("id"), TAG_CHARS_MAX)
        if (message_id,) in self._recorded:
            yield from self._parse_message(message)
        elif self._is_first(message_id) and message.get("type") == "user":
            text = join_texts(message.get("content"))
            if SNAPSHOT in text and not self._actor:
                yield Summarized(self._following.at, text)
            else:
                yield from self._following.record_delivery(text)

    def _parse_user(self, message: Mapping[str, object]) -> Iterator[Event]:
        content = message.get("content")
        if self._actor or any("functionResponse" in part for part in list_parts(content)):
            return
        typed, added = split_user_text(message.get("displayContent") or content)
        if message.get("displayContent"):  # the model gets another text, for example that of a command
            whole = split_user_text(content)
            added = "\n".join(filter(None, (whole.typed if whole.typed != typed else "", whole.added)))
        yield from self._following.record_delivery(added)
        if typed.startswith(_NO_PROMPTS[0]):
            yield from self._following.record_delivery(typed)
        elif not typed.startswith(_NO_PROMPTS):
            yield from self._following.record_prompt(typed)

    def _parse_model(self, message: Mapping[str, object], message_id: str) -> Iterator[Event]:
        thoughts = map(as_mapping, as_items(message.get("thoughts")))
        thinking = "\n".join(
            as_text(thought.get("description")) or as_text(thought.get("subject")) for thought in thoughts
        )
        for text, is_thinking in ((thinking, True), (join_texts(message.get("content")), False)):
            if text.strip() and self._is_first(message_id, "thinking" if is_thinking else "text"):
                yield Said(self._following.at, as_text(text).strip(), is_thinking, self._actor)
        yield from self._count_tokens(as_mapping(message.get("tokens")), message_id)
        calls = [as_mapping(call) for call in as_items(message.get("toolCalls"))]
        for call in calls:
            yield from self._parse_call(call, message_id)
        for call in calls:
            yield from self._parse_result(call, message_id)

    def _parse_call(self, call: Mapping[str, object], message_id: str) -> Iterator[Event]:
        call_id = f"{message_id}/{as_text(call.get('id'), TAG_CHARS_MAX)}"
        name = as_text(call.get("name"), TAG_CHARS_MAX)
        if as_text(call.get("displayName"), PATH_CHARS_MAX).endswith(_SERVER) and tools.kind_of(name) != tools.MCP:
            name = f"mcp__{name}"
        if self._is_first(call_id, "call"):
            arguments = as_mapping(call.get("args"))
            yield from self._following.record_tool_use(name, arguments, call_id, self._actor)

    def _parse_result(self, call: Mapping[str, object], message_id: str) -> Iterator[Event]:
        call_id = f"{message_id}/{as_text(call.get('id'), TAG_CHARS_MAX)}"
        if call.get("status") not in _ENDED or not self._is_first(call_id, "result"):
            return
        self._set_time(call.get("timestamp"))
        responses = list(list_responses(call.get("result")))
        report, hook_text = split_hook_text("\n".join(response.text for response in responses))
        is_shell = tools.kind_of(as_text(call.get("name"))) == tools.SHELL
        status = hosts.parse_exit_status(report, hosts.HOSTS[hosts.GEMINI]) if is_shell else 0
        applied_lines = list_applied_lines(call.get("resultDisplay"))
        yield from self._following.record_answer(
            call_id,
            hosts.find_output(report) if is_shell else report,
            ok=call.get("status") == "success" and not status and not any(reply.has_error for reply in responses),
            changed_by_user=applied_lines is not None,
            applied=applied_lines or (),
        )
        yield from self._following.record_delivery(hook_text)

    def _count_tokens(self, tokens: Mapping[str, object], message_id: str) -> Iterator[Event]:
        whole = as_count(tokens.get("input"))
        written = as_count(tokens.get("output")) + as_count(tokens.get("thoughts"))
        if (whole or written) and self._is_first(message_id, "tokens"):
            yield Usage(self._following.at, whole, written, 0 if self._actor else whole)

    def _set_time(self, stamp: object) -> None:
        """Advance to the time of an entry; a line may repeat an earlier one."""
        before = self._following.at
        self._following.at = max(before, self._following.entry_time(stamp))

    def _is_first(self, *key: str) -> bool:
        """Return whether a message or a part of it was not read before."""
        if key in self._recorded:
            return False
        if len(self._recorded) < CALLS_KNOWN_MAX:
            self._recorded.add(key)
        return True
