"""Public projects whose developers keep their agents' sessions in the repository, and those sessions.

`python -m benchmarks.prepare transcripts CLONE DIR` writes the transcripts of a clone to DIR/transcripts/NAME.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks import needs, replay, sessions
from benchmarks.honest_lessons import read_transcript
from benchmarks.told import describe_session, read_recording

if TYPE_CHECKING:
    from pathlib import Path

    from benchmarks.told import Told

TUNED = replay.REPOSITORY
"""The project on which weights and limits were set."""
SEEN = ("cipher-box", "context-evaluator")
"""Projects whose figures were seen once before the weights were final: they decided that sessions are not gated."""
HELD_OUT = ("CyberVPN", "agentv", "git-sync", "leeson", "safecast-map-MCP", "gatomia-vscode")
"""Projects that were only measured, after the last change."""
OTHERS = (*SEEN, *HELD_OUT)


def load_sessions(data: Path, project: str) -> list[Told]:
    """Load the sessions of a project, in time order."""
    if project == TUNED:
        return [read_recording(session) for session in sessions.load_sessions(data / sessions.DEV)]
    events = (list(read_transcript(path)[1]) for path in sorted((data / needs.TRANSCRIPTS / project).glob("*.jsonl")))
    described = (describe_session(session_events) for session_events in events)
    return sorted((session for session in described if session), key=lambda session: session.start)
