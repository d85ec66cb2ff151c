"""Ports to the outside world (clock, ids, models), passed in so that the same inputs give the same bytes."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import TypeAlias

    from numpy import float32  # light code reads these ports, and numpy is not light
    from numpy.typing import NDArray

    Vectors: TypeAlias = NDArray[float32]


class Clock(Protocol):
    """Tells the time."""

    def now(self) -> datetime:
        """The time in UTC."""


class Ids(Protocol):
    """Generates ids."""

    def new(self) -> str:
        """Return a unique id of thirty-two hexadecimal digits."""


class Embedder(Protocol):
    """Turns texts into vectors; similar meaning gives similar vectors."""

    @property
    def model(self) -> str:
        """Names the model, its version and its size; vectors of two models are never compared."""

    @property
    def dims(self) -> int:
        """Number of dimensions of a vector; 0 while only the provider knows."""

    @property
    def related_from(self) -> float:
        """The cosine below which two texts have nothing to do with each other; 0 where nobody measured it."""

    def embed(self, texts: Sequence[str], *, is_query: bool = False) -> Vectors:
        """One row of length 1 for each text; a query may be treated differently from what is searched."""


class Reranker(Protocol):
    """Scores a few texts more precisely than a search over all texts can."""

    @property
    def name(self) -> str:
        """Display name of the model."""

    def score(self, query: str, texts: Sequence[str], *, deadline_s: float) -> list[float] | None:
        """Return a relevance score for each text, on any scale; None if the deadline passed first."""


class Completion(NamedTuple):
    """The text of a language model and the tokens it took; 0 if the provider does not report them."""

    text: str
    tokens_in: int = 0
    tokens_out: int = 0


class Writer(Protocol):
    """A language model. Nothing depends on one: every caller has a fallback for when a call fails."""

    @property
    def provider(self) -> str:
        """Name of the provider."""

    @property
    def model(self) -> str:
        """The model's name."""

    def complete(self, prompt: str, *, max_tokens: int, deadline_s: float, system: str = "") -> Completion:
        """Return one completion within the deadline; raises HollowayError if the call fails."""


class SystemClock:
    """The machine's clock."""

    def now(self) -> datetime:
        """The time in UTC."""
        return datetime.now(UTC)


class RandomIds:
    """Identities from the operating system's randomness."""

    def new(self) -> str:
        """Return a unique id of thirty-two hexadecimal digits."""
        return os.urandom(16).hex()


def format_stamp(moment: datetime) -> str:
    """A moment as the store writes it: UTC, milliseconds, sortable as text."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.") + f"{moment.microsecond // 1000:03d}Z"


def parse_stamp(text: str) -> datetime:
    """The moment behind a stamp."""
    return datetime.fromisoformat(text)
