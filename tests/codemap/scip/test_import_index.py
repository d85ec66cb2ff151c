"""What a precise index knows of a file outranks what its syntax suggests, for as long as the file is the same."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from holloway.codemap.index import update_index
from holloway.codemap.scip import import_index
from holloway.errors import HollowayError
from tests.codemap.resolve.drawn import mapped
from tests.codemap.scip.index_bytes import METADATA, P, document, occurrence

if TYPE_CHECKING:
    from holloway.codemap.database import MapDatabase

ONE, TWO, USE = f"{P}`a.py`/one().", f"{P}`c.py`/two().", f"{P}`b.py`/use()."
PROJECT = {
    "a.py": "def one():\n    pass\n",
    "b.py": "from a import one\n\ndef use():\n    one()\n",
    "c.py": "def two():\n    pass\n",
}
INDEX = METADATA + b"".join(
    [
        document("a.py", occurrence(ONE, (0, 4, 7), 1, (0, 0, 1, 8))),
        document("b.py", occurrence(USE, (2, 4, 7), 1, (2, 0, 3, 9)), occurrence(TWO, (3, 4, 7))),
        document("c.py", occurrence(TWO, (0, 4, 7), 1, (0, 0, 1, 8))),
    ]
)


@pytest.fixture
def database(tmp_path: Path) -> MapDatabase:
    """A map whose files are older than any index."""
    database = mapped(tmp_path, PROJECT)
    old = time.time_ns() - 60 * 10**9
    for name in PROJECT:
        os.utime(tmp_path / "project" / name, ns=(old, old))
    update_index(database, tmp_path / "project", workers=1)
    return database


def brought_in(database: MapDatabase, root: Path, data: bytes) -> int:
    (root / import_index.DEFAULT_NAME).write_bytes(data)
    with database.write_transaction():
        return import_index.import_scip_index(database, root)


def uses(database: MapDatabase) -> dict[tuple[str, str], float]:
    """What `use` leads to, by name and origin, and how sure that is."""
    rows = database.fetch_rows(
        "SELECT t.name, e.origin, e.confidence FROM edges e JOIN nodes s ON s.id = e.source AND s.name = 'use'"
        " JOIN nodes t ON t.id = e.target"
    )
    return {(row[0], row[1]): row[2] for row in rows}


def test_an_edge_that_the_index_does_not_know_counts_less_and_one_that_it_knows_is_there(
    database: MapDatabase, tmp_path: Path
) -> None:
    assert brought_in(database, tmp_path / "project", INDEX) == 2
    assert uses(database) == {("one", "ast"): import_index.OUTRANKED, ("two", "scip"): 1.0}


def test_what_is_annotated_begins_above_the_name_that_the_index_knows(tmp_path: Path) -> None:
    shop = "class Shop {\n  int open;\n  @Inject\n  Shop() {}\n  @Override\n  @Slow(\n    2)\n  int sell() { return open; }\n}\n"
    desk = "class Desk {\n  @Deprecated\n  int serve(Shop one) { return one.sell(); }\n  Shop made() { return new Shop(); }\n}\n"
    database = mapped(tmp_path, {"Shop.java": shop, "Desk.java": desk})
    name = f"{P}shop/Shop#"
    parts = (
        document(
            "Shop.java",
            occurrence(name, (0, 6, 10), 1, (0, 0, 8, 1)),
            occurrence(f"{name}open.", (1, 6, 10), 1),
            occurrence(f"{name}`<init>`().", (3, 2, 6), 1, (2, 2, 3, 11)),
            occurrence(f"{name}sell().", (7, 6, 10), 1, (4, 2, 7, 30)),
            occurrence(f"{name}open.", (7, 22, 26)),
        ),
        document(
            "Desk.java",
            occurrence(f"{P}shop/Desk#serve().", (2, 6, 11), 1, (1, 2, 2, 45)),
            occurrence(f"{name}sell().", (2, 36, 40)),
            occurrence(f"{P}shop/Desk#made().", (3, 7, 11), 1, (3, 2, 3, 36)),
            occurrence(f"{name}`<init>`().", (3, 27, 31)),
        ),
    )
    brought_in(database, tmp_path / "project", METADATA + b"".join(parts))
    precise_ones = database.fetch_rows(
        "SELECT s.qualified, e.kind, t.qualified FROM edges e JOIN nodes s ON s.id = e.source"
        " JOIN nodes t ON t.id = e.target WHERE e.origin = 'scip' AND e.kind != 'imports'"
    )
    assert {tuple(row) for row in precise_ones} == {
        ("Desk.serve", "calls", "Shop.sell"),
        ("Desk.made", "calls", "Shop.Shop"),
    }


@pytest.mark.parametrize("only", [["a.py"], None])
def test_a_file_that_is_resolved_anew_stays_outranked(
    database: MapDatabase, tmp_path: Path, only: list[str] | None
) -> None:
    root = tmp_path / "project"
    brought_in(database, root, INDEX)
    (root / "a.py").write_text("def one():\n    return other()\n\n\ndef other():\n    pass\n")
    done = update_index(database, root, workers=1, only=only)
    assert done.resolved == 2
    assert uses(database) == {("one", "ast"): import_index.OUTRANKED, ("two", "scip"): 1.0}


def test_a_file_that_changed_is_left_to_its_syntax(database: MapDatabase, tmp_path: Path) -> None:
    root = tmp_path / "project"
    brought_in(database, root, INDEX)
    (root / "b.py").write_text(PROJECT["b.py"] + "\n")
    update_index(database, root, workers=1)
    (found,) = uses(database).items()
    assert found[0] == ("one", "ast")
    assert found[1] > import_index.OUTRANKED


def test_a_damaged_index_takes_nothing_away_and_is_an_error_where_it_was_chosen(
    database: MapDatabase, tmp_path: Path
) -> None:
    root = tmp_path / "project"
    brought_in(database, root, INDEX)
    before = uses(database)
    assert brought_in(database, root, INDEX[:-1]) == 0
    with pytest.raises(HollowayError, match="is not a complete SCIP index"):
        import_index.import_scip_index(database, root, root / import_index.DEFAULT_NAME)
    assert uses(database) == before


def test_a_damaged_index_is_read_again_when_it_was_made_anew(database: MapDatabase, tmp_path: Path) -> None:
    root = tmp_path / "project"
    assert brought_in(database, root, b"\x0f" + INDEX[1:]) == 0
    damaged = (root / import_index.DEFAULT_NAME).stat()
    (root / import_index.DEFAULT_NAME).write_bytes(INDEX)
    for later_ns, expected in ((0, 0), (1_000_000, 2)):
        os.utime(root / import_index.DEFAULT_NAME, ns=(damaged.st_atime_ns, damaged.st_mtime_ns + later_ns))
        with database.write_transaction():
            assert import_index.import_scip_index(database, root) == expected
