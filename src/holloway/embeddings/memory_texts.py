"""Memories as a source of texts to embed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holloway.embeddings import passage_text
from holloway.embeddings.backfill import Pending
from holloway.store.vectors import Outdated, VectorRow, Vectors

if TYPE_CHECKING:
    from collections.abc import Sequence


class MemoryTexts:
    """The memories of a store whose current text has no vector of a model."""

    def __init__(self, vectors: Vectors, model: str) -> None:
        self._vectors = vectors
        self._model = model

    def missing(self, limit: int, after: int) -> list[Pending]:
        """Return passages to embed; confirms memories that changed only in fields that are not embedded."""
        if self._vectors.settled(self._model, passage_text.EDITION):
            return []
        while rows := self._vectors.outdated(self._model, passage_text.EDITION, limit, after):
            pending = [_pending(row) for row in rows]
            unchanged = [
                row for row, candidate in zip(rows, pending, strict=True) if row.text_hash == candidate.text_hash
            ]
            if unchanged:
                self._vectors.confirm(self._model, [row.seq for row in unchanged], [row.revision for row in unchanged])
            unchanged_seqs = {row.seq for row in unchanged}
            if changed := [candidate for candidate in pending if candidate.key not in unchanged_seqs]:
                return changed
            after = rows[-1].seq
        self._vectors.settle(self._model, passage_text.EDITION)
        return []

    def put(self, rows: Sequence[tuple[Pending, bytes]]) -> None:
        """Store vectors of memories that have not changed since they were read."""
        vector_rows = [
            VectorRow(pending.key, pending.owner, pending.revision, pending.text_hash, vector)
            for pending, vector in rows
        ]
        self._vectors.put(
            self._model, vector_rows, lambda memory: passage_text.text_hash(passage_text.of_memory(memory))
        )

    def remaining(self) -> int:
        """Count the memories without a current vector."""
        if self._vectors.settled(self._model, passage_text.EDITION):
            return 0
        return self._vectors.remaining(self._model, passage_text.EDITION)


def _pending(row: Outdated) -> Pending:
    text = passage_text.of_memory(row.memory)
    return Pending(row.seq, text, passage_text.text_hash(text), row.revision, row.memory.id)
