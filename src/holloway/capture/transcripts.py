"""Transcripts of all supported agents on this machine, found and read through one interface."""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from holloway.capture import claude_code, codex
from holloway.capture.json_lines import parse_time, read_objects

if TYPE_CHECKING:
    from holloway.domain.event import Event

HEAD_LINES = 50
"""Number of lines searched for the start time of a transcript."""
NESTING_MAX = 8
"""Maximum depth of subagents that start subagents."""


@dataclass(frozen=True, slots=True)
class Transcript:
    """A session on disk; `parts` are files of its subagents whose names do not refer to it."""

    agent: str
    path: Path
    session: str
    started_at: float
    size: int
    modified_at: float
    parts: tuple[Path, ...] = ()


def find_transcripts(root: Path, home: Path | None = None) -> list[Transcript]:
    """Return the transcripts of a project from all supported agents, oldest first."""
    person = home or Path.home()
    listed = [_describe_file(claude_code.AGENT, path, path.stem) for path in claude_code.find_transcripts(person, root)]
    listed += _group_rollouts(codex.find_rollouts(person, root))
    existing = (transcript for transcript in listed if transcript)
    return sorted(existing, key=lambda transcript: (transcript.started_at, str(transcript.path)))


def read_events(transcript: Transcript, root: Path, seen: set[int] | None = None) -> Iterator[Event]:
    """Return the events of a session; entries that are already in `seen` are left out."""
    if transcript.agent == claude_code.AGENT:
        return claude_code.read_session(transcript.path, root, seen)
    streams = [codex.read_session(path, root) for path in (transcript.path, *transcript.parts)]
    return heapq.merge(*streams, key=lambda event: event.at)


def open_transcript(path: Path, agent: str) -> Transcript | None:
    """Return the transcript in a file that this agent wrote; None if the file does not exist."""
    session = path.stem if agent == claude_code.AGENT else codex.session_id(codex.read_metadata(path), path)
    return _describe_file(agent, path, session)


def _group_rollouts(paths: list[Path]) -> list[Transcript | None]:
    """Group rollouts into sessions: a subagent's rollout belongs to the session that started it, if that exists."""
    metadata = {path: codex.read_metadata(path) for path in paths}
    owners = {codex.session_id(meta, path): path for path, meta in metadata.items()}
    parts: dict[Path, list[Path]] = {}
    for path in metadata:
        owner = path
        for _ in range(NESTING_MAX):
            owner = owners.get(codex.parent_session(metadata[owner]), owner)
        parts.setdefault(owner, []).append(path)
    sessions = []
    for owner, files in parts.items():
        session = _describe_file(codex.AGENT, owner, codex.session_id(metadata[owner], owner))
        sessions.append(replace(session, parts=tuple(file for file in files if file != owner)) if session else None)
    return sessions


def _describe_file(agent: str, path: Path, session: str) -> Transcript | None:
    try:
        about = path.stat()
    except OSError:
        return None
    times = (parse_time(row.get("timestamp"), 0.0) for row in islice(read_objects(path), HEAD_LINES))
    started = next((time for time in times if time), about.st_mtime)
    return Transcript(agent, path, session, started, about.st_size, about.st_mtime)
