"""A project that a test writes down, its map, and the edges of it as short lines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holloway.codemap.database import MapDatabase, open_map
from holloway.codemap.index import update_index

if TYPE_CHECKING:
    from pathlib import Path

Files = dict[str, str]


def mapped(tmp_path: Path, project: Files) -> MapDatabase:
    """The map of these files."""
    root = tmp_path / "project"
    for name, text in project.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    database = open_map(tmp_path / "map.db")
    update_index(database, root, workers=1)
    return database


def edges(database: MapDatabase, *kinds: str) -> set[str]:
    """All edges, or those of some kinds: `main.py:run calls shop.py:Cart.add`."""
    end = "COALESCE(f{0}.path, {0}.name) || CASE WHEN {0}.kind IN ('file', 'package') THEN '' ELSE ':' || {0}.qualified END"
    rows = database.fetch_rows(
        f"SELECT {end.format('s')}, e.kind, {end.format('t')} FROM edges e JOIN nodes s ON s.id = e.source"
        " JOIN nodes t ON t.id = e.target LEFT JOIN files fs ON fs.id = s.file LEFT JOIN files ft ON ft.id = t.file"
    )
    return {f"{row[0]} {row[1]} {row[2]}" for row in rows if not kinds or row[1] in kinds}
