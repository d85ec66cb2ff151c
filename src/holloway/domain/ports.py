"""What the core asks of the outside world, so that the same inputs give the same bytes."""

from __future__ import annotations

import secrets
from datetime import UTC, datetime
from typing import Protocol


class Clock(Protocol):
    """Tells the time."""

    def now(self) -> datetime:
        """The time in UTC."""


class Ids(Protocol):
    """Mints identities."""

    def new(self) -> str:
        """Thirty-two hexadecimal digits that nobody else has."""


class SystemClock:
    """The machine's clock."""

    def now(self) -> datetime:
        """The time in UTC."""
        return datetime.now(UTC)


class RandomIds:
    """Identities from the operating system's randomness."""

    def new(self) -> str:
        """Thirty-two hexadecimal digits that nobody else has."""
        return secrets.token_hex(16)


def stamp(moment: datetime) -> str:
    """A moment as the store writes it: UTC, milliseconds, sortable as text."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.") + f"{moment.microsecond // 1000:03d}Z"


def moment(text: str) -> datetime:
    """The moment behind a stamp."""
    return datetime.fromisoformat(text)
