"""Qwen Code sessions, read from `~/.qwen/projects/<folder>/chats/<session>.jsonl`.

The lines resemble those of Claude Code, and their messages are in the format of the Gemini API. A session that was
branched off begins with copies of another's lines, which name it: they count there. Subagents write files of their own.
"""

from __future__ import annotations

import heapq
import os
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from holloway.capture import hosts
from holloway.capture.gemini_parts import (
    SNAPSHOT,
    join_texts,
    list_applied_lines,
    list_parts,
    list_responses,
    split_hook_text,
    split_user_text,
)
from holloway.capture.json_lines import as_count, as_items, as_mapping, as_text, read_objects
from holloway.capture.project_paths import was_recorded_in
from holloway.capture.session_reader import SUBAGENTS_MAX, Following
from holloway.config import TAG_CHARS_MAX
from holloway.domain.event import Said, Started, Summarized, ToolKind, Usage
from holloway.safety.paths import safe_name

if TYPE_CHECKING:
    from holloway.domain.event import Event

_TYPED = (None, "mid_turn_user_message", "realtime_message")
"""Subtypes of the messages that a person typed or spoke; the host wrote the others."""


def read_session(path: Path, root: Path) -> Iterator[Event]:
    """Return the events of a session in time order, with those of its subagents."""
    streams = [_Session(root, path).read_events(path)]
    for part in islice(sorted((path.parent.parent / "subagents" / path.stem).glob("agent-*.jsonl")), SUBAGENTS_MAX):
        streams.append(_Session(root, path, part.stem.removeprefix("agent-")).read_events(part))
    return heapq.merge(*streams, key=lambda event: event.at)


def find_transcripts(home: Path, root: Path) -> list[Path]:
    """Return the transcripts of a project, from all of its worktrees and subfolders."""
    moved = os.environ.get("QWEN_RUNTIME_DIR") or os.environ.get("QWEN_HOME")
    folder = (Path(moved).expanduser() if moved else home / ".qwen") / "projects"
    files = sorted([*folder.glob("*/chats/*.jsonl"), *folder.glob("*/chats/archive/*.jsonl")])
    return [path for path in files if was_recorded_in(path, root)]


def session_id(path: Path) -> str:
    """Return the session id of a transcript, from the name of its file."""
    return path.stem


class _Session:
    """Parser of one transcript; `actor` is set for that of a subagent of the session in `path`."""

    def __init__(self, root: Path, path: Path, actor: str = "") -> None:
        self._following = Following(root)
        self._path = path
        self._actor = actor
        self._is_started = bool(actor)
        self._sources: dict[str, bool] = {}
        """Whether the session that lines were copied from still exists, by its id."""

    def read_events(self, path: Path) -> Iterator[Event]:
        """Yield the events of the transcript, in file order."""
        for row in read_objects(path):
            if not self._is_copied(row):
                yield from self._parse_row(row)

    def _is_copied(self, row: Mapping[str, object]) -> bool:
        source = as_text(as_mapping(row.get("forkedFrom")).get("sessionId"), TAG_CHARS_MAX)
        if source and source not in self._sources:
            self._sources[source] = self._path.with_name(f"{safe_name(source)}.jsonl").is_file()
        return bool(source) and self._sources[source]

    def _parse_row(self, row: Mapping[str, object]) -> Iterator[Event]:
        at = self._following.entry_time(row.get("timestamp"))
        self._following.set_folder(row.get("cwd"))
        if not self._is_started and at:
            self._is_started = True
            yield Started(at, self._path.stem, hosts.QWEN, as_text(row.get("gitBranch"), TAG_CHARS_MAX))
        kind, content = row.get("type"), as_mapping(row.get("message")).get("parts")
        if kind == "user":
            yield from self._parse_user(row, content)
        elif kind == "assistant":
            yield from self._parse_assistant(row, content)
        elif kind == "tool_result":
            yield from self._parse_result(as_mapping(row.get("toolCallResult")), content)
        elif row.get("subtype") == "chat_compression" and not self._actor:
            yield from self._parse_compaction(as_mapping(row.get("systemPayload")))

    def _parse_user(self, row: Mapping[str, object], content: object) -> Iterator[Event]:
        if self._actor:
            return
        typed, added = split_user_text(content)
        displayed = as_mapping(row.get("systemPayload")).get("displayText")
        if row.get("subtype") not in _TYPED:
            yield from self._following.record_delivery(typed, report=row.get("subtype") == "notification")
            return
        if isinstance(displayed, str) and displayed.strip() != typed:  # the model gets the text of a command
            added = "\n".join(filter(None, (typed, added)))
        yield from self._following.record_delivery(added)
        yield from self._following.record_prompt(as_text(displayed).strip() or typed)

    def _parse_assistant(self, row: Mapping[str, object], content: object) -> Iterator[Event]:
        for part in list_parts(content):
            if text := as_text(part.get("text")).strip():
                yield Said(self._following.at, text, part.get("thought") is True, self._actor)
            if call := as_mapping(part.get("functionCall")):
                arguments = as_mapping(call.get("args"))
                yield from self._following.record_tool_use(call.get("name"), arguments, call.get("id"), self._actor)
        usage = as_mapping(row.get("usageMetadata"))
        whole = as_count(usage.get("promptTokenCount"))
        written = as_count(usage.get("candidatesTokenCount"))
        if whole or written:
            yield Usage(self._following.at, whole, written, 0 if self._actor else whole)

    def _parse_result(self, result: Mapping[str, object], content: object) -> Iterator[Event]:
        display = as_mapping(result.get("resultDisplay"))
        applied_lines = list_applied_lines(display)
        for response in list_responses(content):
            output, hook_text = split_hook_text(response.text)
            call = self._following.find_open_call(response.call_id)
            if display.get("type") == "shell_result":
                output = as_text(display.get("output"))
            elif call is not None and call.kind is ToolKind.SHELL:
                output = hosts.find_output(output)
            yield from self._following.record_answer(
                response.call_id,
                output,
                ok=not response.has_error
                and result.get("status", "success") == "success"
                and display.get("exitCode") in (None, 0),
                changed_by_user=applied_lines is not None,
                applied=applied_lines or (),
            )
            yield from self._following.record_delivery(hook_text)

    def _parse_compaction(self, payload: Mapping[str, object]) -> Iterator[Event]:
        """Yield the summary that replaces the conversation so far."""
        turns = map(as_mapping, as_items(payload.get("compressedHistory")))
        summary = next((text for turn in turns if SNAPSHOT in (text := join_texts(turn.get("parts")))), "")
        if summary:
            yield Summarized(self._following.at, summary)
