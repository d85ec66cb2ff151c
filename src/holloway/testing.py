"""Fakes for tests, ours and yours: a clock that stands still and identities that can be told apart."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime, timedelta


class FakeClock:
    """A clock that moves only when it is told to."""

    def __init__(self, start: datetime | None = None) -> None:
        self._now = start or datetime(2026, 1, 5, 9, 0, tzinfo=UTC)

    def now(self) -> datetime:
        """The time that was set."""
        return self._now

    def advance(self, *, days: float = 0, hours: float = 0, seconds: float = 0) -> None:
        """Let time pass."""
        self._now += timedelta(days=days, hours=hours, seconds=seconds)


class CountedIds:
    """Identities that look random and are the same in every run."""

    def __init__(self, seed: str = "") -> None:
        self._seed = seed
        self._count = 0

    def new(self) -> str:
        """The next identity."""
        self._count += 1
        return hashlib.sha256(f"{self._seed}{self._count}".encode()).hexdigest()[:32]
