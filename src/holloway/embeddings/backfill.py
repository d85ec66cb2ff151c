"""Vectors that are missing: of memories in small batches that survive a kill, and of queries with a cache."""

from __future__ import annotations

import time
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, NamedTuple, Protocol

from holloway.config import EMBED_BATCH_TEXTS
from holloway.errors import EmbeddingFailed, TextNotEmbeddable

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from holloway.domain.ports import Embedder
    from holloway.store.vectors import EmbeddingCache


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


def embed_query(query: str, embedder: Embedder, cache: EmbeddingCache | None = None) -> NDArray[np.float32]:
    """Return the vector of a query, from the cache if there is one."""
    if cache is None:
        return _embed_uncached(query, embedder)
    key = sha256(f"{embedder.model}\0{query}".encode("utf-8", "replace")).hexdigest()
    cached = cache.get_vector(key)
    if cached is not None:
        import numpy as np  # choosing a provider loads this module, and must not wait for numpy

        return np.frombuffer(cached, dtype="<f4")
    vector = _embed_uncached(query, embedder)
    cache.put_vector(key, embedder.model, vector.astype("<f4").tobytes())
    return vector


def _embed_uncached(query: str, embedder: Embedder) -> NDArray[np.float32]:
    vector: NDArray[np.float32] = embedder.embed([query], is_query=True)[0]
    return vector
