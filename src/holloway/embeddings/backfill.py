"""Backfill of missing vectors in small batches, so that a killed process loses one batch and the next run continues."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Protocol

from holloway.config import EMBED_BATCH_TEXTS
from holloway.embeddings.embedding_errors import EmbeddingFailed, TextNotEmbeddable

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from holloway.domain.ports import Embedder

PROBE_TEXT = "A sentence that any model can read."


class Pending(NamedTuple):
    """A text without a vector; `key` orders them, the other fields are what its source needs to store the vector."""

    key: int
    text: str
    text_hash: str = ""
    revision: str = ""
    owner: str = ""


class TextSource(Protocol):
    """A source of texts to embed."""

    def list_missing(self, limit: int, after: int) -> Sequence[Pending]:
        """Return texts without a vector and with a key above `after`, ordered by key; empty when all have one."""

    def save_vectors(self, rows: Sequence[tuple[Pending, bytes]]) -> None:
        """Store vectors (float32, little-endian), in one small transaction."""

    def count_missing(self) -> int:
        """Count the texts without a vector."""


@dataclass(slots=True)
class BackfillResult:
    """The result of a run: texts embedded, texts that the model refused, and why it stopped early."""

    embedded: int = 0
    skipped: int = 0
    failure: EmbeddingFailed | None = None
    out_of_time: bool = False

    @property
    def is_complete(self) -> bool:
        """Whether every text was tried."""
        return self.failure is None and not self.out_of_time


def backfill_vectors(
    embedder: Embedder,
    source: TextSource,
    *,
    deadline_s: float | None = None,
    progress: Callable[[int, int], None] | None = None,
    monotonic: Callable[[], float] = time.monotonic,
) -> BackfillResult:
    """Embed until nothing is missing, the deadline passes or the provider fails; one process at a time.

    `progress` is called after each batch with the number of texts embedded so far and the number at the start.
    """
    run, after, started = BackfillResult(), 0, monotonic()
    total = source.count_missing() if progress else 0
    while batch := source.list_missing(EMBED_BATCH_TEXTS, after):
        if deadline_s is not None and monotonic() - started >= deadline_s:
            run.out_of_time = True
            break
        rows, run.failure = _embed_batch(embedder, batch, run)
        source.save_vectors(rows)
        run.embedded += len(rows)
        if run.failure is not None:
            break
        after = batch[-1].key
        if progress:
            progress(run.embedded, total)
    return run


def _embed_batch(
    embedder: Embedder, batch: Sequence[Pending], run: BackfillResult
) -> tuple[list[tuple[Pending, bytes]], EmbeddingFailed | None]:
    """Return the vectors of a batch, and the error that ends the run; vectors made before the error are retained."""
    rows: list[tuple[Pending, bytes]] = []
    try:
        _embed_or_split(embedder, batch, run, rows)
    except EmbeddingFailed as error:
        return rows, error
    return rows, None


def _embed_or_split(
    embedder: Embedder, batch: Sequence[Pending], run: BackfillResult, rows: list[tuple[Pending, bytes]]
) -> None:
    """Embed a batch; a refused batch is halved until the refused text is alone, which is then skipped."""
    try:
        vectors = embedder.embed([pending.text for pending in batch]).astype("<f4", copy=False)
        rows += [(pending, vector.tobytes()) for pending, vector in zip(batch, vectors, strict=True)]
    except TextNotEmbeddable:
        if len(batch) == 1:
            # If the provider refuses the probe too, the text is not the cause, and the run ends.
            embedder.embed([PROBE_TEXT])
            run.skipped += 1
            return
        middle = len(batch) // 2
        _embed_or_split(embedder, batch[:middle], run, rows)
        _embed_or_split(embedder, batch[middle:], run, rows)
