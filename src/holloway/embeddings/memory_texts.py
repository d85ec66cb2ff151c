"""Memories as a source of texts to embed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holloway.embeddings import passage_text
from holloway.embeddings.backfill import Pending
from holloway.store.vectors import Outdated, VectorRow, Vectors

if TYPE_CHECKING:
    from collections.abc import Sequence


class MemoryTexts:
    """The memories of a store whose present text has no vector of a model."""

    def __init__(self, vectors: Vectors, model: str) -> None:
        self._vectors = vectors
        self._model = model

    def missing(self, limit: int, after: int) -> list[Pending]:
        """Passages to embed. Memories that changed in what is not embedded are put right on the way."""
        if self._vectors.settled(self._model, passage_text.EDITION):
            return []
        while rows := self._vectors.outdated(self._model, passage_text.EDITION, limit, after):
            pending = [_pending(row) for row in rows]
            same = [row for row, one in zip(rows, pending, strict=True) if row.text_hash == one.text_hash]
            if same:
                self._vectors.confirm(self._model, [row.seq for row in same], [row.revision for row in same])
            known = {row.seq for row in same}
            if changed := [one for one in pending if one.key not in known]:
                return changed
            after = rows[-1].seq
        self._vectors.settle(self._model, passage_text.EDITION)
        return []

    def put(self, rows: Sequence[tuple[Pending, bytes]]) -> None:
        """Keep vectors of memories that are still as they were read."""
        kept = [VectorRow(one.key, one.owner, one.revision, one.text_hash, vector) for one, vector in rows]
        self._vectors.put(self._model, kept, lambda memory: passage_text.text_hash(passage_text.of_memory(memory)))

    def remaining(self) -> int:
        """How many memories wait."""
        if self._vectors.settled(self._model, passage_text.EDITION):
            return 0
        return self._vectors.remaining(self._model, passage_text.EDITION)


def _pending(row: Outdated) -> Pending:
    text = passage_text.of_memory(row.memory)
    return Pending(row.seq, text, passage_text.text_hash(text), row.revision, row.memory.id)
