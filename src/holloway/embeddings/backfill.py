"""Vectors that are missing: of memories, in small batches that survive a kill, and of queries with a cache."""

from __future__ import annotations

import time
from dataclasses import dataclass
from hashlib import blake2b, sha256
from typing import TYPE_CHECKING, NamedTuple, Protocol

from holloway.config import EMBED_BATCH_TEXTS, PASSAGE_CHARS_MAX, PASSAGE_FILES_MAX
from holloway.errors import EmbeddingFailed, TextNotEmbeddable
from holloway.store.vectors import OutdatedVector, VectorRow, VectorStore

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from holloway.domain.memory import Memory
    from holloway.domain.ports import Embedder
    from holloway.store.vectors import EmbeddingCache

PROBE_TEXT = "A sentence that any model can read."
EDITION = "1"
"""Version of the passage format. With another number, everything is embedded again."""


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


@dataclass(slots=True)
class BackfillResult:
    """The result of a run: texts embedded, texts that the model refused, and why it stopped early."""

    embedded: int = 0
    skipped: int = 0
    failure: EmbeddingFailed | None = None
    out_of_time: bool = False
    stopped: bool = False

    @property
    def is_complete(self) -> bool:
        """Whether every text was tried."""
        return self.failure is None and not (self.out_of_time or self.stopped)


def backfill_vectors(
    embedder: Embedder,
    source: TextSource,
    *,
    deadline_s: float | None = None,
    monotonic: Callable[[], float] = time.monotonic,
    should_stop: Callable[[], bool] = lambda: False,
) -> BackfillResult:
    """Embed until nothing is missing, the deadline passes, the provider fails, or `should_stop` before a batch."""
    run, after, started = BackfillResult(), 0, monotonic()
    while batch := source.list_missing(EMBED_BATCH_TEXTS, after):
        if deadline_s is not None and monotonic() - started >= deadline_s:
            run.out_of_time = True
            break
        if should_stop():
            run.stopped = True
            break
        rows, run.failure = _embed_batch(embedder, batch, run)
        source.save_vectors(rows)
        run.embedded += len(rows)
        if run.failure is not None:
            break
        after = batch[-1].key
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


class MemoryTexts:
    """The memories of a store whose current text has no vector of a model."""

    def __init__(self, vectors: VectorStore, model: str) -> None:
        self._vectors = vectors
        self._model = model

    def list_missing(self, limit: int, after: int) -> list[Pending]:
        """Return passages to embed; confirms memories that changed only in fields that are not embedded."""
        if self._vectors.is_settled(self._model, EDITION):
            return []
        while rows := self._vectors.list_outdated(self._model, EDITION, limit, after):
            pending = [_make_pending(row) for row in rows]
            unchanged = [
                row for row, candidate in zip(rows, pending, strict=True) if row.text_hash == candidate.text_hash
            ]
            if unchanged:
                self._vectors.confirm_unchanged(
                    self._model, [row.seq for row in unchanged], [row.revision for row in unchanged]
                )
            unchanged_seqs = {row.seq for row in unchanged}
            if changed := [candidate for candidate in pending if candidate.key not in unchanged_seqs]:
                return changed
            after = rows[-1].seq
        self._vectors.mark_settled(self._model, EDITION)
        return []

    def save_vectors(self, rows: Sequence[tuple[Pending, bytes]]) -> None:
        """Store vectors of memories that have not changed since they were read."""
        vector_rows = [
            VectorRow(pending.key, pending.owner, pending.revision, pending.text_hash, vector)
            for pending, vector in rows
        ]
        self._vectors.save_vectors(self._model, vector_rows, lambda memory: hash_passage(build_passage(memory)))

    def count_missing(self) -> int:
        """Count the memories without a current vector."""
        if self._vectors.is_settled(self._model, EDITION):
            return 0
        return self._vectors.count_outdated(self._model, EDITION)


def _make_pending(row: OutdatedVector) -> Pending:
    text = build_passage(row.memory)
    return Pending(row.seq, text, hash_passage(text), row.revision, row.memory.id)


def build_passage(memory: Memory) -> str:
    """Return type, modules and files of a memory, then its content."""
    files = memory.files[:PASSAGE_FILES_MAX]
    location = "; ".join(part for part in (", ".join(memory.modules), ", ".join(files)) if part)
    head = f"{memory.type.label} ({location}):" if location else f"{memory.type.label}:"
    return collapse_whitespace(f"{head} {memory.content}")


def collapse_whitespace(text: str) -> str:
    """Collapse white space and cut the text to what a model reads: indentation would take most of its tokens.

    Characters that cannot be encoded are replaced, because tokenizers and servers refuse a whole batch for one.
    """
    flat = " ".join(text[: PASSAGE_CHARS_MAX * 8].split())[:PASSAGE_CHARS_MAX].rstrip()
    return flat.encode("utf-8", "replace").decode()


def hash_passage(passage: str) -> str:
    """Return the hash by which an embedded passage is recognised."""
    return blake2b(passage.encode(), digest_size=16).hexdigest()
