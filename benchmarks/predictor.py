"""Who answers: a predictor follows a checkout through its history and names the files that a task needs."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Protocol

from holloway.codemap.database import MapDatabase, open_map
from holloway.codemap.history.sync import sync_history
from holloway.codemap.index import update_index
from holloway.retrieval.locate import locate_files


class Predictor(Protocol):
    """A system under test. It may use the checkout and its history, and nothing else."""

    @property
    def name(self) -> str:
        """Its name in the tables."""

    def open(self, root: Path) -> None:
        """A new checkout: forget the last one and learn this one."""

    def advance(self, root: Path) -> None:
        """The checkout has moved to another commit, usually a few commits on."""

    def files(self, task: str, files_in_use: Sequence[str], limit: int, now: float) -> list[str]:
        """Files for a task, the best first: its text (may be empty), files already in play, the time in seconds."""


class HollowayPredictor:
    """holloway's answer: its map follows what is checked out, and `locate` is asked as a user would ask it."""

    name = "holloway"

    def __init__(self) -> None:
        self._folder = TemporaryDirectory(prefix="holloway-map-")
        self._map: MapDatabase | None = None
        self._opened = 0

    def open(self, root: Path) -> None:
        """Map a checkout."""
        if self._map is not None:
            self._map.close()
        self._opened += 1
        self._map = open_map(Path(self._folder.name) / f"map-{self._opened}.db")
        self.advance(root)

    def advance(self, root: Path) -> None:
        """Bring the map up to date."""
        assert self._map is not None
        update_index(self._map, root, workers=1)
        sync_history(self._map, root, now=datetime.now(UTC))

    def files(self, task: str, files_in_use: Sequence[str], limit: int, now: float) -> list[str]:
        """Ask the map."""
        assert self._map is not None
        located = locate_files(
            self._map, task, files_in_play=files_in_use, limit=limit, now=datetime.fromtimestamp(now, UTC)
        )
        return [file.path for file in located.ranked]


def predictors() -> list[Predictor]:
    """The systems under test."""
    return [HollowayPredictor()]
