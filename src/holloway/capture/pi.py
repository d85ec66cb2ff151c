"""pi sessions, read from `~/.pi/agent/sessions/<folder>/<time>_<session>.jsonl`.

The first line describes the session; the others are entries of a tree, because the person can go back to an earlier one
and continue from there. All of them happened, so they are read in their order. A fork names the file of its parent and
begins with copies of its entries: they count there.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from holloway.capture import hosts
from holloway.capture.json_lines import (
    as_count,
    as_items,
    as_mapping,
    as_text,
    join_text_blocks,
    read_objects,
)
from holloway.capture.project_paths import was_recorded_in
from holloway.capture.session_reader import COPIED_ENTRIES_MAX, HEADER_LINES, Following
from holloway.config import PATH_CHARS_MAX, TAG_CHARS_MAX
from holloway.domain.event import Interrupted, Said, Started, Summarized, Usage

if TYPE_CHECKING:
    from holloway.domain.event import Event

_EXITED = re.compile(r"\n{1,3}Command exited with code -?\d{1,10}\s{0,3}$", re.MULTILINE)


def read_session(path: Path, root: Path) -> Iterator[Event]:
    """Yield the events of a session, in file order."""
    return _Session(path, root).read_events()


def find_transcripts(home: Path, root: Path) -> list[Path]:
    """Return the transcripts of a project, from all of its worktrees and subfolders."""
    sessions, agent_folder = os.environ.get("PI_CODING_AGENT_SESSION_DIR"), os.environ.get("PI_CODING_AGENT_DIR")
    agent_home = Path(agent_folder).expanduser() if agent_folder else home / ".pi" / "agent"
    folder = Path(sessions).expanduser() if sessions else agent_home / "sessions"
    files = sorted([*folder.glob("*.jsonl"), *folder.glob("*/*.jsonl")])
    return [path for path in files if was_recorded_in(path, root)]


def session_id(path: Path) -> str:
    """Return the session id of a transcript, from the name of its file."""
    return path.stem.partition("_")[2] or path.stem


def _list_copied(path: Path) -> set[str]:
    """Return the ids of the entries of the session that this one was forked from, if that exists."""
    headers = (row for row in islice(read_objects(path), HEADER_LINES) if row.get("type") == "session")
    parent = as_text(next(headers, {}).get("parentSession"), PATH_CHARS_MAX)
    if not parent.endswith(".jsonl") or Path(parent) == path:
        return set()
    ids = (as_text(row.get("id"), TAG_CHARS_MAX) for row in read_objects(Path(parent)) if row.get("type") != "session")
    return set(islice(filter(None, ids), COPIED_ENTRIES_MAX))


class _Session:
    """Parser of one transcript."""

    def __init__(self, path: Path, root: Path) -> None:
        self._path = path
        self._following = Following(root)
        self._copied = _list_copied(path)
        self._is_started = False

    def read_events(self) -> Iterator[Event]:
        """Yield the events of the transcript."""
        for row in read_objects(self._path):
            if as_text(row.get("id"), TAG_CHARS_MAX) not in self._copied:
                yield from self._parse_row(row)

    def _parse_row(self, row: Mapping[str, object]) -> Iterator[Event]:
        at = self._following.entry_time(row.get("timestamp"))
        self._following.set_folder(row.get("cwd"))
        if not self._is_started and at:
            self._is_started = True
            yield Started(at, session_id(self._path), hosts.PI)
        kind, message = row.get("type"), as_mapping(row.get("message"))
        role = message.get("role")
        if kind in ("compaction", "branch_summary"):
            if summary := as_text(row.get("summary")).strip():
                yield Summarized(at, summary)
        elif kind == "custom_message" or role == "custom":
            yield from self._following.record_delivery(
                join_text_blocks(row.get("content", message.get("content")), "text")
            )
        elif role == "user":
            yield from self._following.record_prompt(join_text_blocks(message.get("content"), "text").strip())
        elif role == "assistant":
            yield from self._parse_assistant(message)
        elif role == "toolResult":
            yield from self._parse_result(message)
        elif role == "bashExecution" and message.get("excludeFromContext") is not True:
            # The person ran this command, and the agent reads its output.
            yield from self._following.record_delivery(as_text(message.get("output")))

    def _parse_assistant(self, message: Mapping[str, object]) -> Iterator[Event]:
        for block in map(as_mapping, as_items(message.get("content"))):
            kind = block.get("type")
            if kind in ("text", "thinking"):
                if text := as_text(block.get(str(kind))).strip():
                    yield Said(self._following.at, text, kind == "thinking")
            elif kind == "toolCall":
                arguments = as_mapping(block.get("arguments"))
                yield from self._following.record_tool_use(block.get("name"), arguments, block.get("id"))
        usage = as_mapping(message.get("usage"))
        whole = sum(as_count(usage.get(name)) for name in ("input", "cacheRead", "cacheWrite"))
        written = as_count(usage.get("output"))
        if whole or written:
            yield Usage(self._following.at, whole, written, whole)
        if message.get("stopReason") == "aborted":
            yield Interrupted(self._following.at)

    def _parse_result(self, message: Mapping[str, object]) -> Iterator[Event]:
        output = join_text_blocks(message.get("content"), "text")
        if message.get("isError") is True:
            output = _EXITED.sub("", output, count=1)
        yield from self._following.record_answer(
            message.get("toolCallId"), output, ok=message.get("isError") is not True
        )
