"""The facts beside its events that a session is measured against; None is unknown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

FULL = "full"
"""The group of sessions that get everything."""


@dataclass(frozen=True, slots=True)
class Shown:
    """A memory that the session was shown: where, when, and what it is about."""

    memory: str
    point: str
    at: float
    tokens: int = 0
    files: tuple[str, ...] = ()
    command: str = ""
    fingerprint: str = ""
    """The error that the memory has the fix of."""


class Answer(NamedTuple):
    """One answer of holloway to a running session."""

    point: str
    outcome: str
    """full, degraded, dropped or empty."""
    degraded_step: str = ""
    """How far a degraded answer came, or why a dropped one was stopped."""
    milliseconds: float = 0.0


class StoreFigures(NamedTuple):
    """The size and quality of the store."""

    memories: int
    mean_confidence: float | None
    module_coverage: float | None


@dataclass(frozen=True, slots=True)
class Before:
    """Facts about a session that its events do not carry."""

    files: frozenset[str] = frozenset()
    """Files that other sessions opened."""
    errors: frozenset[str] = frozenset()
    """Fingerprints of errors that other sessions solved."""
    dead_end_files: frozenset[str] = frozenset()
    shown: tuple[Shown, ...] = ()
    corrected: int = 0
    flagged: int = 0
    trust_level: int = 1
    prefetched: Mapping[str, int] | None = None
    """Files that were handed over before the agent asked for them, with their tokens."""
    located: Mapping[str, float] = field(default_factory=dict)
    """Files that the agent was sent to with a prompt, and when."""
    search_tokens: float = 0.0
    """Mean tokens that earlier sessions spent on searching for each file they opened; 0 is unknown."""
    group: str | None = None
    methodology: str | None = None
    role: str | None = None
    modules: tuple[str, ...] | None = None
    resumed: bool | None = None
    resumed_at: float = 0.0
    """When a resumed session was resumed, in seconds since 1970."""
    answers: tuple[Answer, ...] | None = None
    store: StoreFigures | None = None
