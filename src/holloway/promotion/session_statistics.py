"""Statistics of a session: the files, modules, errors and sightings that are counted whatever its outcome."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holloway.config import TEXT_CHARS_MAX
from holloway.observer.signals.signal import SignalName
from holloway.promotion.candidate import build_sighting_key
from holloway.safety import secrets
from holloway.store.observations import ErrorSighting, SessionObservations, SignalSighting
from holloway.text.sanitize import clean_text, one_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holloway.domain.session import SessionSummary
    from holloway.observer.activity import SessionActivity
    from holloway.observer.signals.signal import Signal

SIGHTINGS_MAX = 600


def collect_statistics(
    activity: SessionActivity, session: SessionSummary, signals: Sequence[Signal], modules: Sequence[str]
) -> SessionObservations:
    """Collect what a session adds to the statistics."""
    pairs = [signal for signal in signals if signal.name is SignalName.CO_ACCESS]
    errors = [signal for signal in signals if signal.name is SignalName.ERROR_RETRY]
    counted_signals = [
        signal for signal in signals if signal.name not in (SignalName.CO_ACCESS, SignalName.FILE_ACCESS)
    ]
    return SessionObservations(
        session=session.id,
        at=session.last_event_at,
        files=tuple(
            (path, 1 + (path in activity.edited_files) + any(action.kind == "write" for action in actions))
            for path, actions in activity.touched_files.items()
        ),
        modules=tuple(modules),
        pairs=tuple((*sorted(signal.files), bool(signal.facts["edited"])) for signal in pairs),  # type: ignore[misc]
        sightings=tuple(
            # The facts of a signal that quotes somebody are left out.
            SignalSighting(signal.name, build_sighting_key(signal), {} if signal.quotes else signal.facts)
            for signal in counted_signals[:SIGHTINGS_MAX]
        ),
        errors=tuple(map(_describe_error, errors)),
    )


def _describe_error(signal: Signal) -> ErrorSighting:
    return ErrorSighting(
        str(signal.facts["fingerprint"]),
        "shell",
        _redact_line(signal.facts["error"]),
        _redact_line(signal.facts["fix"]),
        int(str(signal.facts["retries"])),
    )


def _redact_line(text: object) -> str:
    return one_line(secrets.redact_secrets(clean_text(str(text)))[0], TEXT_CHARS_MAX)
