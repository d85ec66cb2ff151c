"""Health check of a code map: whether it exists, has the current version, and how large it has grown."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from holloway.codemap.database import MapDatabase, map_name
from holloway.codemap.history.cochange import last_read_commit
from holloway.errors import HollowayError

NODES_LARGE = 50_000
BYTES_LARGE = 500 * 1024 * 1024
"""Above this, an index run takes a minute rather than seconds, and a search a tenth of a second."""


class MapBusy(HollowayError):
    """Another process is indexing the map."""


@dataclass(frozen=True, slots=True)
class MapUpdate:
    """The result of bringing the map up to date."""

    files: int
    read: int
    removed: int
    resolved: int
    skipped: dict[str, int]
    commits: int
    modules: int
    seconds: float


@dataclass(frozen=True, slots=True)
class MapHealth:
    """Size and state of a map."""

    files: int
    nodes: int
    skipped: int
    size: int
    """Bytes on disk."""
    tip: str
    """Last commit whose history was read."""
    is_current: bool

    @property
    def is_large(self) -> bool:
        """Whether the map is large enough to slow down indexing and search noticeably."""
        return self.nodes > NODES_LARGE or self.size > BYTES_LARGE


def map_file(folder: Path, root: Path) -> Path:
    """Return the path of a checkout's map: each checkout has one, next to the memory that all checkouts share."""
    return folder / map_name(str(root))


def examine_map(path: Path) -> MapHealth | None:
    """Inspect a map without changing it; None if there is no map."""
    if not path.exists():
        return None
    database = MapDatabase(path, busy_timeout_ms=2_000)
    try:
        if not database.is_current or not database.get_meta("indexed_ns"):
            return MapHealth(0, 0, 0, path.stat().st_size, "", False)
        counts = [int(database.fetch_value(f"SELECT COUNT(*) FROM {table}")) for table in ("files", "nodes", "skipped")]
        return MapHealth(counts[0], counts[1], counts[2], path.stat().st_size, last_read_commit(database), True)
    finally:
        database.close()
