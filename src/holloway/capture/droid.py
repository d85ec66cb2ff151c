"""Factory Droid sessions, read from `~/.factory/sessions/<folder>/<session>.jsonl`.

The first line describes the session; messages are in the format of the Anthropic API. The host marks the messages that
only the person or only the model sees. A fork names its parent and repeats its messages; a subagent has a session of
its own that names the session which called it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from holloway.capture import hosts
from holloway.capture.host_text import extract_user_text, list_inserted_texts
from holloway.capture.json_lines import (
    as_items,
    as_mapping,
    as_text,
    join_result_texts,
    join_text_blocks,
    read_objects,
)
from holloway.capture.project_paths import was_recorded_in
from holloway.capture.session_reader import COPIED_ENTRIES_MAX, HEADER_LINES, Following
from holloway.config import TAG_CHARS_MAX
from holloway.domain.event import Interrupted, Plan, Said, Started, Summarized, ToolKind
from holloway.safety.paths import safe_name

if TYPE_CHECKING:
    from holloway.domain.event import Event

_HIDDEN_FROM_USER, _HIDDEN_FROM_MODEL = "llm_only", "user_only"
_PARENTS = ("parent", "forkedFrom", "parentSessionId")
_STOPPED = "Request interrupted by user"
_FAILED = re.compile(r"\AError: Command failed \(exit code: \d{1,10}\)\n")
_EXITED = re.compile(r"\s*\[Process exited with code (-?\d{1,10})\]\s*\Z")
_EXIT_LINE_CHARS = 200


def read_session(path: Path, root: Path) -> Iterator[Event]:
    """Yield the events of a session, in file order."""
    return _Session(path, root).read_events()


def find_transcripts(home: Path, root: Path) -> list[Path]:
    """Return the transcripts of a project, those of subagents included."""
    folder = Path(os.environ.get("FACTORY_HOME_OVERRIDE") or home) / ".factory" / "sessions"
    files = sorted([*folder.glob("*.jsonl"), *folder.glob("*/*.jsonl")])
    return [path for path in files if was_recorded_in(path, root)]


def session_id(path: Path) -> str:
    """Return the session id of a transcript, from the name of its file."""
    return path.stem


def calling_session(path: Path) -> str:
    """Return the session that started this one as a subagent, or an empty text."""
    return as_text(_read_header(path).get("callingSessionId"), TAG_CHARS_MAX)


def _read_header(path: Path) -> Mapping[str, object]:
    rows = islice(read_objects(path), HEADER_LINES)
    return next((row for row in rows if row.get("type") == "session_start"), {})


def _list_copied(path: Path, header: Mapping[str, object]) -> set[str]:
    """Return the ids of the messages of the session that this one was forked from, if that exists."""
    parent = next((name for field in _PARENTS if (name := as_text(header.get(field), TAG_CHARS_MAX))), "")
    if not parent or parent == path.stem:
        return set()
    rows = read_objects(path.with_name(f"{safe_name(parent)}.jsonl"))
    ids = (as_text(row.get("id"), TAG_CHARS_MAX) for row in rows if row.get("type") == "message")
    return set(islice(filter(None, ids), COPIED_ENTRIES_MAX))


class _Session:
    """Parser of one transcript."""

    def __init__(self, path: Path, root: Path) -> None:
        header = _read_header(path)
        self._path = path
        self._following = Following(root)
        self._following.set_folder(header.get("cwd"))
        self._caller = as_text(header.get("callingSessionId"), TAG_CHARS_MAX)
        self._actor = path.stem if self._caller else ""
        self._copied = _list_copied(path, header)
        self._is_started = False
        self._is_planning = False

    def read_events(self) -> Iterator[Event]:
        """Yield the events of the transcript."""
        for row in read_objects(self._path):
            if as_text(row.get("id"), TAG_CHARS_MAX) not in self._copied:
                yield from self._parse_row(row)

    def _parse_row(self, row: Mapping[str, object]) -> Iterator[Event]:
        at = self._following.entry_time(row.get("timestamp"))
        if not self._is_started and at:
            self._is_started = True
            yield Started(at, self._caller or self._path.stem, hosts.DROID)
        message = as_mapping(row.get("message"))
        if row.get("type") == "compaction_state" and not self._actor:
            if summary := as_text(row.get("summaryText")).strip():
                yield Summarized(at, summary)
        elif row.get("type") == "message" and message.get("visibility") != _HIDDEN_FROM_MODEL:
            parse = self._parse_assistant if message.get("role") == "assistant" else self._parse_user
            yield from parse(message)

    def _parse_user(self, message: Mapping[str, object]) -> Iterator[Event]:
        content = message.get("content")
        for block in map(as_mapping, as_items(content)):
            if block.get("type") == "tool_result":
                yield from self._parse_result(block)
        if self._actor or message.get("role") != "user":
            return
        if message.get("visibility") == _HIDDEN_FROM_USER:
            yield from self._following.record_delivery(join_text_blocks(content, "text"))
            return
        for inserted_text in list_inserted_texts(content):
            yield from self._following.record_delivery(*inserted_text)
        text = extract_user_text(join_text_blocks(content, "text"))
        if text == _STOPPED:
            yield Interrupted(self._following.at)
        elif text:
            yield from self._set_mode(message.get("interactionMode"))
            yield from self._following.record_prompt(text)

    def _set_mode(self, mode: object) -> Iterator[Event]:
        if mode == "spec" and not self._is_planning:
            yield Plan(self._following.at, mode=True)
        self._is_planning = mode == "spec"

    def _parse_assistant(self, message: Mapping[str, object]) -> Iterator[Event]:
        for block in map(as_mapping, as_items(message.get("content"))):
            kind = block.get("type")
            if kind in ("text", "thinking"):
                if text := as_text(block.get(str(kind))).strip():
                    yield Said(self._following.at, text, kind == "thinking", self._actor)
            elif kind == "tool_use":
                arguments = as_mapping(block.get("input"))
                yield from self._following.record_tool_use(block.get("name"), arguments, block.get("id"), self._actor)

    def _parse_result(self, block: Mapping[str, object]) -> Iterator[Event]:
        output, call_id = join_result_texts(block.get("content")), block.get("tool_use_id")
        call = self._following.find_open_call(call_id)
        is_ok = block.get("is_error") is not True
        if call is not None and call.kind is ToolKind.SHELL:
            start = max(0, len(output) - _EXIT_LINE_CHARS)
            if exited := _EXITED.search(output, start):
                output, is_ok = output[: exited.start()], is_ok and int(exited[1]) == 0
            output = _FAILED.sub("", output)
        yield from self._following.record_answer(call_id, output, ok=is_ok)
