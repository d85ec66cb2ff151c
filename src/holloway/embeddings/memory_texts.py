"""The text of a memory that is embedded: location first, then content; and memories as a source of such texts."""

from __future__ import annotations

from hashlib import blake2b
from typing import TYPE_CHECKING

from holloway.config import PASSAGE_CHARS_MAX, PASSAGE_FILES_MAX
from holloway.embeddings.backfill import Pending
from holloway.store.vectors import OutdatedVector, VectorRow, VectorStore

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holloway.domain.memory import Memory


EDITION = "1"
"""Version of the passage format. With another number, everything is embedded again."""


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


def collapse_whitespace(text: str, limit_chars: int = PASSAGE_CHARS_MAX) -> str:
    """Collapse white space and cut the text to what a model reads: indentation would take most of its tokens.

    Characters that cannot be encoded are replaced, because tokenizers and servers refuse a whole batch for one.
    """
    flat = " ".join(text[: limit_chars * 8].split())[:limit_chars].rstrip()
    return flat.encode("utf-8", "replace").decode()


def hash_passage(passage: str) -> str:
    """Return the hash by which an embedded passage is recognised."""
    return blake2b(passage.encode(), digest_size=16).hexdigest()
