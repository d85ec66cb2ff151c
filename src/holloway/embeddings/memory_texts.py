"""Memories as a source of texts to embed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holloway.embeddings import passage_text
from holloway.embeddings.backfill import Pending
from holloway.store.vectors import OutdatedVector, VectorRow, VectorStore

if TYPE_CHECKING:
    from collections.abc import Sequence


class MemoryTexts:
    """The memories of a store whose current text has no vector of a model."""

    def __init__(self, vectors: VectorStore, model: str) -> None:
        self._vectors = vectors
        self._model = model

    def list_missing(self, limit: int, after: int) -> list[Pending]:
        """Return passages to embed; confirms memories that changed only in fields that are not embedded."""
        if self._vectors.is_settled(self._model, passage_text.EDITION):
            return []
        while rows := self._vectors.list_outdated(self._model, passage_text.EDITION, limit, after):
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
        self._vectors.mark_settled(self._model, passage_text.EDITION)
        return []

    def save_vectors(self, rows: Sequence[tuple[Pending, bytes]]) -> None:
        """Store vectors of memories that have not changed since they were read."""
        vector_rows = [
            VectorRow(pending.key, pending.owner, pending.revision, pending.text_hash, vector)
            for pending, vector in rows
        ]
        self._vectors.save_vectors(
            self._model, vector_rows, lambda memory: passage_text.hash_passage(passage_text.build_passage(memory))
        )

    def count_missing(self) -> int:
        """Count the memories without a current vector."""
        if self._vectors.is_settled(self._model, passage_text.EDITION):
            return 0
        return self._vectors.count_outdated(self._model, passage_text.EDITION)


def _make_pending(row: OutdatedVector) -> Pending:
    text = passage_text.build_passage(row.memory)
    return Pending(row.seq, text, passage_text.hash_passage(text), row.revision, row.memory.id)
