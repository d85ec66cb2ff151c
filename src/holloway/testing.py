"""Deterministic fakes for tests, ours and yours: clock, ids, embedding model and language model."""

from __future__ import annotations

import hashlib
import re
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from holloway.domain.ports import Completion

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holloway.domain.ports import Vectors

_WORD = re.compile(r"\w+")


class FakeClock:
    """Clock that only moves when a test advances it."""

    def __init__(self, start: datetime | None = None) -> None:
        self._now = start or datetime(2026, 1, 5, 9, 0, tzinfo=UTC)

    def now(self) -> datetime:
        """Return the current fake time."""
        return self._now

    def advance(self, *, days: float = 0, hours: float = 0, seconds: float = 0) -> None:
        """Move the clock forward."""
        self._now += timedelta(days=days, hours=hours, seconds=seconds)


class CountedIds:
    """Ids that look random and are the same in every run."""

    def __init__(self, seed: str = "") -> None:
        self._seed = seed
        self._count = 0

    def new(self) -> str:
        """Return the next id."""
        self._count += 1
        return hashlib.sha256(f"{self._seed}{self._count}".encode()).hexdigest()[:32]


class FakeWriter:
    """Fake language model that returns answers from a list; exceptions in it are raised. `asked` has every prompt."""

    provider = "fake"
    model = "fake"

    def __init__(self, *answers: str | Exception) -> None:
        self._answers = list(answers)
        self.asked: list[str] = []

    def complete(self, prompt: str, *, max_tokens: int, deadline_s: float, system: str = "") -> Completion:
        """Return the next answer, or raise it if it is an exception."""
        self.asked.append(prompt)
        answer = self._answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return Completion(answer, len(prompt.split()), len(answer.split()))


class FakeEmbedder:
    """Fake embedding model: texts that share words are similar, and vectors are the same on every machine.

    `asked` has every text that was embedded, in order.
    """

    def __init__(self, dims: int = 64, model: str = "fake") -> None:
        self.dims = dims
        self.model = model
        self.related_from = 0.0
        self.asked: list[str] = []

    def embed(self, texts: Sequence[str], *, is_query: bool = False) -> Vectors:
        """Return one unit vector per text: each word is hashed to a dimension and a sign."""
        import numpy as np  # not needed by users of the clock alone

        self.asked += texts
        vectors = np.zeros((len(texts), self.dims), dtype=np.float32)
        for row, text in zip(vectors, texts, strict=True):
            for word in _WORD.findall(text.casefold()):
                number = int.from_bytes(hashlib.blake2b(word.encode("utf-8", "replace"), digest_size=8).digest())
                row[number % self.dims] += 1 if number >> 63 else -1
            if not row.any():
                row[0] = 1
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        return vectors
