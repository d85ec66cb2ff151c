"""A project's memory that grows from one size to the next, for what is measured as it does."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import holloway
from benchmarks.generated.corpus import Corpus
from holloway.domain.memory import Draft
from holloway.store.filter import Filter
from holloway.store.write_gate import sanitize_draft
from holloway.testing import CountedIds, FakeClock

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime
    from pathlib import Path

BATCH = 1_000
"""Memories, or rows of a baseline, to a transaction."""


class Growing:
    """A project's memory that grows through the same gate as any other."""

    def __init__(self, root: Path, home: Path, start: datetime | None = None) -> None:
        self.clock = FakeClock(start)
        self.corpus = Corpus()
        self.memory = holloway.open(root, home=home, clock=self.clock, ids=CountedIds())
        self.store = self.memory.store
        self.root = str(self.memory.project.root)

    def add(self, draft: Draft) -> None:
        """Pass the gate and be stored."""
        self.store.memories.add_memory(sanitize_draft(draft, self.root))

    def plant(self, files: Sequence[str], traps: int) -> None:
        """Teach each of these files its traps."""
        with self.store.database.write_transaction():
            for path in files:
                for number in range(traps):
                    text = f"Trap {number} of {path}: the planted fixture must be closed before it is opened again."
                    self.add(Draft(text, files=(path,)))

    def grow(self, size: int) -> float:
        """Add memories, a thousand to a transaction, until the store has `size`; returns the memories per second."""
        missing = size - self.store.memories.count_memories(Filter())
        drafts = [self.corpus.draft() for _ in range(missing)]
        start = time.perf_counter()
        for at in range(0, missing, BATCH):
            with self.store.database.write_transaction():
                for draft in drafts[at : at + BATCH]:
                    self.clock.advance(seconds=60)
                    self.add(draft)
        return missing / (time.perf_counter() - start)
