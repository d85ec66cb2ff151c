"""The health of a map: whether it is there, current and of a usual size."""

from dataclasses import replace
from pathlib import Path

import pytest

from holloway.codemap.database import open_map
from holloway.codemap.health import BYTES_LARGE, NODES_LARGE, MapHealth, examine_map, map_file
from holloway.codemap.index import update_index

SMALL = MapHealth(1, NODES_LARGE, 0, BYTES_LARGE, "", True)


@pytest.mark.parametrize(("change", "is_large"), [({}, False), ({"nodes": 1}, True), ({"size": 1}, True)])
def test_a_map_is_large_above_either_limit(change: dict[str, int], is_large: bool) -> None:
    grown = {name: getattr(SMALL, name) + more for name, more in change.items()}
    assert replace(SMALL, **grown).is_large is is_large


def test_a_map_is_examined_without_being_changed(tmp_path: Path) -> None:
    (root := tmp_path / "project").mkdir()
    (root / "a.py").write_text("def go():\n    pass\n")
    (root / "b.min.js").write_text("x")
    path = map_file(tmp_path, root)
    assert examine_map(path) is None
    open_map(path).close()
    empty = examine_map(path)
    assert empty == MapHealth(0, 0, 0, path.stat().st_size, "", False)
    database = open_map(path)
    update_index(database, root, workers=1)
    database.close()
    health = examine_map(path)
    assert health is not None
    assert (health.files, health.skipped, health.tip, health.is_current) == (1, 1, "", True)
    assert (health.nodes, health.size) == (2, path.stat().st_size)


def test_two_checkouts_have_two_maps(tmp_path: Path) -> None:
    first, second = (map_file(tmp_path, tmp_path / name) for name in ("one", "two"))
    assert first != second
    assert first.parent == second.parent == tmp_path
