"""Drops the events of excluded files and commands from a session that is read or watched."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from holloway.capture.tool_events import whole_call_id
from holloway.domain.event import Call, Event, Recorded, Result

if TYPE_CHECKING:
    from holloway.capture.exclusions import Exclusions

DROPPED_CALLS_MAX = 10_000


class EventFilter:
    """The filter of one session: the result of a call that was dropped is dropped too."""

    def __init__(self, exclusions: Exclusions) -> None:
        self._exclusions = exclusions
        self._dropped: dict[str, None] = {}

    def admit(self, event: Event) -> Event | None:
        """Return an event as it may be captured; None if it is about an excluded file or command."""
        if not self._exclusions:
            return event
        if isinstance(event, Call):
            return self._admit_call(event)
        if isinstance(event, Result):
            if whole_call_id(event.call) in self._dropped:
                return None
            return replace(event, files=tuple(self._exclusions.without_excluded(event.files))) if event.files else event
        if isinstance(event, Recorded) and any(map(self._exclusions.has_path, event.files)):
            return None
        return event

    def _admit_call(self, call: Call) -> Call | None:
        is_excluded = bool(call.path) and self._exclusions.has_path(call.path)
        if not is_excluded and not (call.command and self._exclusions.has_command(call.command)):
            return call
        self._dropped[whole_call_id(call.call)] = None
        if len(self._dropped) > DROPPED_CALLS_MAX:
            del self._dropped[next(iter(self._dropped))]
        return None
