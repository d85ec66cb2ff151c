"""holloway in the benchmark on conversations, through its public interface."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import holloway

if TYPE_CHECKING:
    from benchmarks.peers.system import Turn
    from holloway.domain.memory import Memory


class OwnMemory:
    """A memory for each turn, taught and recalled as a user would."""

    def __init__(self) -> None:
        self._folder = TemporaryDirectory(prefix="holloway-b4-")
        project = Path(self._folder.name, "project")
        project.mkdir()
        self.memory = holloway.open(project, home=Path(self._folder.name, "home"))
        self._turns: defaultdict[str, list[str]] = defaultdict(list)

    def ingest(self, turns: Sequence[Turn]) -> None:
        """Teach the turns; words that were said twice are one memory of two turns."""
        for turn in turns:
            stored_memory = self.memory.remember(turn.text, session=turn.session).memory
            assert stored_memory is not None, f"{turn.id} was not kept"
            self._turns[stored_memory.id].append(turn.id)
        self._wait_for_vectors()

    def _wait_for_vectors(self) -> None:
        """Questions catch up a second's worth each, the worker does the rest; here it belongs to the ingest."""
        waiting, before = self.memory.search.to_embed(), -1
        while waiting not in (0, before):
            self.memory.recall("catch up", limit=1)
            waiting, before = self.memory.search.to_embed(), waiting

    def ask(self, question: str, limit: int) -> list[str]:
        """Recall."""
        return self.turns((result.memory for result in self.memory.recall(question, limit=limit)), limit)

    def turns(self, memories: Iterable[Memory], limit: int) -> list[str]:
        """The turns that memories were taught from."""
        return [turn for memory in memories for turn in self._turns[memory.id]][:limit]

    def close(self) -> None:
        """Let go of the files."""
        self.memory.close()
        self._folder.cleanup()
