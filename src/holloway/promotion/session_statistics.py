"""Statistics of a session: the files, modules, errors and sightings that are counted whatever its outcome."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holloway.config import TEXT_CHARS_MAX
from holloway.observer.signals.signal import SignalName
from holloway.promotion.candidate import sighting_key
from holloway.safety import secrets
from holloway.store.observations import ErrorSeen, Observed, Sighting
from holloway.text.sanitize import clean, one_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holloway.domain.session import Session
    from holloway.observer.activity import Account
    from holloway.observer.signals.signal import Signal

SIGHTINGS_MAX = 600


def collect_statistics(
    activity: Account, session: Session, signals: Sequence[Signal], modules: Sequence[str]
) -> Observed:
    """Collect what a session adds to the statistics."""
    pairs = [signal for signal in signals if signal.name is SignalName.CO_ACCESS]
    errors = [signal for signal in signals if signal.name is SignalName.ERROR_RETRY]
    others = [signal for signal in signals if signal.name not in (SignalName.CO_ACCESS, SignalName.FILE_ACCESS)]
    return Observed(
        session=session.id,
        at=session.last_event_at,
        files=tuple(
            (path, 1 + (path in activity.edited) + any(action.kind == "write" for action in actions))
            for path, actions in activity.touched.items()
        ),
        modules=tuple(modules),
        pairs=tuple((*sorted(signal.files), bool(signal.facts["edited"])) for signal in pairs),  # type: ignore[misc]
        sightings=tuple(
            # The facts of a signal that quotes somebody are left out.
            Sighting(signal.name, sighting_key(signal), {} if signal.quotes else signal.facts)
            for signal in others[:SIGHTINGS_MAX]
        ),
        errors=tuple(map(_describe_error, errors)),
    )


def _describe_error(signal: Signal) -> ErrorSeen:
    return ErrorSeen(
        str(signal.facts["fingerprint"]),
        "shell",
        _redact_line(signal.facts["error"]),
        _redact_line(signal.facts["fix"]),
        int(str(signal.facts["retries"])),
    )


def _redact_line(text: object) -> str:
    return one_line(secrets.redact(clean(str(text)))[0], TEXT_CHARS_MAX)
