"""How a map is doing: whether there is one, whether it is of this version, and whether it has grown large."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from holloway.codemap.database import MapDatabase, map_name
from holloway.codemap.history.cochange import read_to

NODES_LARGE = 50_000
BYTES_LARGE = 500 * 1024 * 1024
"""Above this, an index takes a minute rather than seconds, and a search a tenth of a second."""


@dataclass(frozen=True, slots=True)
class Health:
    """What there is of a map."""

    files: int
    nodes: int
    skipped: int
    size: int
    """Bytes on disk."""
    tip: str
    """The commit that the history was read to."""
    is_current: bool

    @property
    def is_large(self) -> bool:
        """Whether one machine begins to feel it."""
        return self.nodes > NODES_LARGE or self.size > BYTES_LARGE


def map_file(folder: Path, root: Path) -> Path:
    """Where the map of a checkout lies: each has its own, beside the memory that they share."""
    return folder / map_name(str(root))


def examine(path: Path) -> Health | None:
    """Look at a map without changing it; None where there is none."""
    if not path.exists():
        return None
    database = MapDatabase(path, busy_timeout_ms=2_000)
    try:
        if not database.is_current or not database.meta("indexed_ns"):
            return Health(0, 0, 0, path.stat().st_size, "", False)
        counts = [int(database.value(f"SELECT COUNT(*) FROM {table}")) for table in ("files", "nodes", "skipped")]
        return Health(counts[0], counts[1], counts[2], path.stat().st_size, read_to(database), True)
    finally:
        database.close()
