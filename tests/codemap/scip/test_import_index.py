"""A SCIP index gives edges between definitions, and they outrank those from syntax while the file is the same."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holloway.codemap.index import update_index
from holloway.codemap.scip import documents as reading
from holloway.codemap.scip import import_index
from holloway.codemap.scip.documents import read_documents
from holloway.codemap.scip.import_index import ScipEdge, derive_edges
from holloway.errors import HollowayError
from tests.codemap.resolve.drawn import mapped
from tests.codemap.scip.index_bytes import (
    ADD,
    APP_FILE,
    CART,
    CART_FILE,
    ITEM,
    METADATA,
    Index,
    P,
    document,
    occurrence,
    read_or_refused,
    symbol,
)

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


def test_an_index_with_too_many_definitions_is_refused(index: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(import_index, "SCIP_DEFINITIONS_MAX", 3)
    with pytest.raises(HollowayError, match="more than 3 symbols"):
        next(derive_edges(partial(read_documents, index(CART_FILE))))


@pytest.mark.promise("scip")
@given(st.lists(st.tuples(st.integers(0, 2_000), st.integers(0, 255)), max_size=12))
def test_a_damaged_index_gives_edges_or_is_refused(
    tmp_path_factory: pytest.TempPathFactory, changes: list[tuple[int, int]]
) -> None:
    data = bytearray(METADATA + CART_FILE + APP_FILE)
    for at, byte in changes:
        data[at % len(data)] = byte
    path = tmp_path_factory.getbasetemp() / "damaged.scip"
    path.write_bytes(data)
    documents = list(read_or_refused(path))
    lines = {(one.path, occurrence.line) for one in documents for occurrence in one.occurrences}
    assert all((edge.target_path, edge.target_line) in lines for edge in derive_edges(lambda: documents))


def found(*parts: bytes) -> set[ScipEdge]:
    documents = [
        reading._parse_document(data)
        for part in parts
        for _, data in reading._parse_fields(part)
        if isinstance(data, bytes)
    ]
    return set(derive_edges(lambda: documents))


def kinds(all_edges: Iterable[ScipEdge]) -> set[tuple[str, str, int, str, int]]:
    return {(one.kind, one.source_path, one.source_line, one.target_path, one.target_line) for one in all_edges}


def test_files_and_definitions_are_tied_whatever_the_order(index: Index) -> None:
    expected = {
        ("imports", "src/app.ts", 1, "src/cart.ts", 1),
        ("references", "src/app.ts", 6, "src/cart.ts", 11),
        ("references", "src/cart.ts", 11, "src/cart.ts", 3),
    }
    assert kinds(derive_edges(partial(read_documents, index(CART_FILE, APP_FILE)))) == expected
    assert kinds(derive_edges(partial(read_documents, index(APP_FILE, CART_FILE)))) == expected


def test_a_reference_knows_the_innermost_definition_around_it() -> None:
    within = {edge.source_path: edge.within for edge in found(CART_FILE, APP_FILE) if edge.kind == "references"}
    assert within == {"src/app.ts": 4, "src/cart.ts": 11}


def test_a_reference_between_and_after_definitions_is_within_none() -> None:
    f, g = f"{P}f().", f"{P}g()."
    one = occurrence(f, (2, 4, 5), 1, (2, 0, 4, 1))
    both = [one, occurrence(g, (8, 4, 5), 1, (8, 0, 8, 30))]
    uses = [occurrence(f, (line, 6, 7)) for line in (0, 3, 6, 8, 9)]
    edges_found = found(document("a.py", *uses, *both))
    assert sorted((edge.source_line, edge.within) for edge in edges_found) == [(1, 0), (4, 3), (7, 0), (9, 9), (10, 0)]


def test_a_name_in_an_import_statement_ties_files_but_is_no_reference() -> None:
    only_import = document("b.ts", occurrence(ITEM, (0, 9, 13), 2))
    assert {(edge.kind, edge.source_path) for edge in found(CART_FILE, only_import)} == {
        ("imports", "b.ts"),
        ("references", "src/cart.ts"),
    }


def test_local_symbols_of_the_same_number_are_not_tied_across_files() -> None:
    here = document("a.ts", occurrence("local 1", (0, 0, 1), 1))
    there = document("b.ts", occurrence("local 1", (0, 0, 1)))
    assert found(here, there) == set()


def test_a_symbol_that_two_files_define_is_not_guessed_into_an_edge() -> None:
    clash = document("src/other.ts", occurrence(ADD, (1, 0, 3), 1))
    before, after = found(CART_FILE, APP_FILE), found(CART_FILE, APP_FILE, clash)
    assert {edge.target_line for edge in before - after} == {11}
    assert not any(edge.target_path == "src/other.ts" for edge in after)


def test_a_file_that_an_index_holds_twice_defines_its_symbols_once() -> None:
    assert found(CART_FILE, CART_FILE, APP_FILE) == found(CART_FILE, APP_FILE)


def test_a_module_that_others_add_to_is_imported_from_its_own_file() -> None:
    added = f"{P}src/`app.ts`/`'./cart'`/"
    adds = document("src/app.ts", occurrence(added, (0, 15, 23), 1), occurrence(f"{added}Item#", (1, 12, 16), 1))
    user = document("src/b.ts", *(occurrence(name, (0, 20, 28)) for name in (CART, added)))
    assert {
        (edge.source_path, edge.target_path) for edge in found(CART_FILE, adds, user) if edge.kind == "imports"
    } == {("src/b.ts", "src/cart.ts")}


@pytest.mark.promise("scip")
def test_relationships_become_edges_of_what_is_known_about_them() -> None:
    base, thing, face = f"{P}Base#", f"{P}Thing#", f"{P}Face#"
    base_run, thing_run = f"{P}Base#run().", f"{P}Thing#run()."
    above = document(
        "above.ts",
        *(occurrence(name, (at, 0, 1), 1) for at, name in enumerate((base, face, base_run))),
        symbol(face, kind=21),
    )
    below = document(
        "below.ts",
        *(occurrence(name, (at, 0, 1), 1) for at, name in enumerate((thing, thing_run))),
        symbol(thing, base, face, f"{P}Elsewhere#"),
        symbol(thing_run, base_run),
        symbol(f"{P}Undefined#", base),
    )
    assert kinds(found(above, below)) == {
        ("extends", "below.ts", 1, "above.ts", 1),
        ("implements", "below.ts", 1, "above.ts", 2),
        ("overrides", "below.ts", 2, "above.ts", 3),
    }


def test_ranges_that_overlap_as_none_can_are_worked_through_once_each() -> None:
    many = 5_000
    parts = [occurrence(f"{P}f{at}().", (at, 0, 1), 1, (at, 0, many, 0)) for at in range(many)]
    parts += [occurrence(f"{P}f0().", (at, 2, 3)) for at in range(many)]
    assert len(found(document("a.py", *parts))) == many


def test_files_are_tied_once_however_often_one_names_the_other() -> None:
    user = document("b.ts", *(occurrence(ITEM, (line, 0, 4)) for line in (1, 2, 3)))
    edges_found = [edge for edge in list_edges(CART_FILE, user) if edge.source_path == "b.ts"]
    assert [edge.kind for edge in edges_found].count("imports") == 1
    assert sorted(edge.source_line for edge in edges_found if edge.kind == "references") == [2, 3, 4]


def list_edges(*parts: bytes) -> list[ScipEdge]:
    documents = [
        reading._parse_document(data)
        for part in parts
        for _, data in reading._parse_fields(part)
        if isinstance(data, bytes)
    ]
    return list(derive_edges(lambda: documents))


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


def test_a_reference_to_a_class_is_its_instantiation_where_the_syntax_has_a_call_and_its_use_as_a_type_elsewhere(
    tmp_path: Path,
) -> None:
    files = {"a.py": "class One:\n    pass\n", "b.py": "def use(one):\n    One()\n\ndef show(one):\n    print(One)\n"}
    database = mapped(tmp_path, files)
    one = f"{P}`a.py`/One#"
    data = METADATA + b"".join(
        [
            document("a.py", occurrence(one, (0, 6, 9), 1, (0, 0, 1, 8))),
            document(
                "b.py",
                occurrence(f"{P}`b.py`/use().", (0, 4, 7), 1, (0, 0, 1, 9)),
                occurrence(one, (1, 4, 7)),
                occurrence(f"{P}`b.py`/show().", (3, 4, 8), 1, (3, 0, 4, 14)),
                occurrence(one, (4, 10, 13)),
            ),
        ]
    )
    brought_in(database, tmp_path / "project", data)
    rows = database.fetch_rows(
        "SELECT s.name, e.kind FROM edges e JOIN nodes s ON s.id = e.source JOIN nodes t ON t.id = e.target"
        " WHERE e.origin = 'scip' AND t.name = 'One'"
    )
    assert {tuple(row) for row in rows} == {("use", "instantiates"), ("show", "typed_as")}


def test_a_chosen_index_that_is_no_regular_file_or_missing_gives_no_edges(
    database: MapDatabase, tmp_path: Path
) -> None:
    (tmp_path / "real.scip").write_bytes(INDEX)
    (tmp_path / "link.scip").symlink_to(tmp_path / "real.scip")
    for name in ("link.scip", "gone.scip", "."):
        with database.write_transaction():
            assert import_index.import_scip_index(database, tmp_path / "project", tmp_path / name) == 0
    with database.write_transaction():
        assert import_index.import_scip_index(database, tmp_path / "project", tmp_path / "real.scip") == 2
        assert import_index.import_scip_index(database, tmp_path / "project", tmp_path / "real.scip") == 0
