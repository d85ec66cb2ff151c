"""Sessions that agents have left on this machine, found and read the same way whichever agent it was."""

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
"""Within so many lines a transcript says when it began."""
NESTING_MAX = 8
"""How deep subagents may start one another."""


@dataclass(frozen=True, slots=True)
class Transcript:
    """A session on disk; `parts` are files that its subagents wrote and that no name ties to it."""

    agent: str
    path: Path
    session: str
    started_at: float
    size: int
    modified_at: float
    parts: tuple[Path, ...] = ()


def find_transcripts(root: Path, home: Path | None = None) -> list[Transcript]:
    """The sessions of a project that any known agent has left, the oldest first."""
    person = home or Path.home()
    listed = [_describe_file(claude_code.AGENT, path, path.stem) for path in claude_code.find_transcripts(person, root)]
    listed += _group_rollouts(codex.find_rollouts(person, root))
    return sorted((each for each in listed if each), key=lambda each: (each.started_at, str(each.path)))


def read_events(transcript: Transcript, root: Path, seen: set[int] | None = None) -> Iterator[Event]:
    """What happened in a session. With `seen`, what another one of them told already is left out."""
    if transcript.agent == claude_code.AGENT:
        return claude_code.read_session(transcript.path, root, seen)
    streams = [codex.read_session(path, root) for path in (transcript.path, *transcript.parts)]
    return heapq.merge(*streams, key=lambda event: event.at)


def open_transcript(path: Path, agent: str) -> Transcript | None:
    """The session in a file that an agent is known to have written; nothing where it is not there."""
    session = path.stem if agent == claude_code.AGENT else codex.session_id(codex.read_metadata(path), path)
    return _describe_file(agent, path, session)


def _group_rollouts(paths: list[Path]) -> list[Transcript | None]:
    """The rollouts as sessions: those of subagents go with the session that started them, if it is there."""
    told = {path: codex.read_metadata(path) for path in paths}
    owners = {codex.session_id(meta, path): path for path, meta in told.items()}
    parts: dict[Path, list[Path]] = {}
    for path in told:
        owner = path
        for _ in range(NESTING_MAX):
            owner = owners.get(codex.parent_session(told[owner]), owner)
        parts.setdefault(owner, []).append(path)
    made = []
    for owner, files in parts.items():
        one = _describe_file(codex.AGENT, owner, codex.session_id(told[owner], owner))
        made.append(replace(one, parts=tuple(file for file in files if file != owner)) if one else None)
    return made


def _describe_file(agent: str, path: Path, session: str) -> Transcript | None:
    try:
        about = path.stat()
    except OSError:
        return None
    times = (parse_time(row.get("timestamp"), 0.0) for row in islice(read_objects(path), HEAD_LINES))
    started = next((time for time in times if time), about.st_mtime)
    return Transcript(agent, path, session, started, about.st_size, about.st_mtime)
