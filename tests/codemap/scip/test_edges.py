"""Occurrences of a SCIP index become edges between files and definitions."""

from collections.abc import Iterable
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holloway.codemap.scip import documents as reading
from holloway.codemap.scip import edges as drawing
from holloway.codemap.scip.documents import read_documents
from holloway.codemap.scip.edges import ScipEdge, derive_edges
from holloway.errors import HollowayError
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


def test_an_index_with_too_many_definitions_is_refused(index: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drawing, "SCIP_DEFINITIONS_MAX", 3)
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
