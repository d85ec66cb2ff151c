import os
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holloway.codemap.scip import documents as reading
from holloway.codemap.scip import edges as drawing
from holloway.codemap.scip.documents import (
    Document,
    Occurrence,
    SymbolInformation,
    parse_symbol,
    read_documents,
    symbol_kind_and_name,
)
from holloway.codemap.scip.edges import ScipEdge, derive_edges
from holloway.errors import HollowayError

P = "scip-x npm shop 1.0 "
APP, CART, ITEM = f"{P}src/`app.ts`/", f"{P}src/`cart.ts`/", f"{P}src/`cart.ts`/Item#"
ADD, RUN = f"{P}src/`cart.ts`/Cart#add().", f"{P}src/`app.ts`/run()."


def varint(value: int) -> bytes:
    head = bytes([value & 0x7F | (0x80 if value > 0x7F else 0)])
    return head + varint(value >> 7) if value > 0x7F else head


def field(number: int, value: int | str | bytes) -> bytes:
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    data = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(data)) + data


def packed(*numbers: int) -> bytes:
    return b"".join(map(varint, numbers))


def occurrence(symbol: str, place: tuple[int, ...], roles: int = 0, enclosing: tuple[int, ...] = ()) -> bytes:
    around = field(7, packed(*enclosing)) if enclosing else b""
    return field(2, field(1, packed(*place)) + field(2, symbol) + field(3, roles) + around)


def symbol(name: str, *implemented: str, kind: int = 0) -> bytes:
    related = b"".join(field(4, field(1, one) + field(3, 1)) for one in implemented)
    return field(3, field(1, name) + field(3, "# Documentation") + related + field(5, kind) + field(6, "shown"))


def document(path: str, *parts: bytes) -> bytes:
    return field(2, field(4, "typescript") + field(1, path) + b"".join(parts))


METADATA = field(1, field(2, field(1, "scip-x")) + field(3, "file:///shop") + field(4, 1))
CART_FILE = document(
    "src/cart.ts",
    occurrence(CART, (0, 0, 0), 1, (0, 0, 40, 0)),
    occurrence(ITEM, (2, 17, 21), 1, (2, 0, 4, 1)),
    occurrence(f"{P}src/`cart.ts`/Cart#", (6, 13, 17), 1, (6, 0, 30, 1)),
    occurrence(ADD, (10, 2, 5), 1, (8, 2, 20, 3)),
    occurrence(ITEM, (10, 12, 16)),
    symbol(ITEM, kind=21),
)
APP_FILE = document(
    "src/app.ts",
    occurrence(APP, (0, 0, 0), 1, (0, 0, 9, 0)),
    occurrence(CART, (0, 20, 28)),
    occurrence(f"{P}src/`cart.ts`/Cart#", (0, 9, 13), 2),
    occurrence(RUN, (3, 9, 12), 1, (3, 0, 7, 1)),
    occurrence("local 4", (4, 8, 9), 1),
    occurrence(ADD, (5, 4, 7)),
    occurrence("local 4", (5, 8, 9)),
    occurrence("scip-x npm typescript 5.9 lib/`a.d.ts`/Map#", (6, 4, 7)),
)


@pytest.fixture
def index(tmp_path: Path) -> Callable[..., Path]:
    def write(*parts: bytes, head: bytes = METADATA) -> Path:
        path = tmp_path / "index.scip"
        path.write_bytes(head + b"".join(parts))
        return path

    return write


Index = Callable[..., Path]


def test_a_document_has_its_occurrences_with_lines_from_one(index: Index) -> None:
    cart, app = read_documents(index(CART_FILE, field(3, field(1, "external")), APP_FILE))
    assert (cart.path, cart.language, len(cart.occurrences)) == ("src/cart.ts", "typescript", 5)
    assert cart.occurrences[3] == Occurrence(ADD, 11, 11, 2, 1, 9, 21)
    assert cart.occurrences[4] == Occurrence(ITEM, 11, 11, 12, 0, 0, 0)
    assert cart.symbols == {ITEM: SymbolInformation(21, ())}
    assert [one.symbol for one in app.occurrences].count("local 4") == 2


def test_numbers_one_by_one_mean_the_same_as_packed_ones(index: Index) -> None:
    place = b"".join(field(1, number) for number in (300, 4, 301, 2))
    (found,) = read_documents(index(document("a.ts", field(2, place + field(2, ITEM)))))
    assert found.occurrences == [Occurrence(ITEM, 301, 302, 4, 0, 0, 0)]


def test_what_is_not_needed_is_passed_over(index: Index) -> None:
    fixed = varint(90 << 3 | 1) + bytes(8) + varint(91 << 3 | 5) + bytes(4)
    text = field(5, "export {}")
    (found,) = read_documents(
        index(document("a.ts", fixed, text, field(2, fixed + field(1, packed(1, 0, 3)) + field(2, ITEM))))
    )
    assert [one.line for one in found.occurrences] == [2]


@pytest.mark.parametrize("place", [(), (1,), (1, 2), (1, 2, 3, 4, 5), (1 << 63, 0, 1), (2**64 - 1, 0, 1)])
def test_an_occurrence_at_no_possible_place_is_left_out(index: Index, place: tuple[int, ...]) -> None:
    (found,) = read_documents(index(document("a.ts", occurrence(ITEM, place), occurrence("", (1, 2, 3)))))
    assert found.occurrences == []


@pytest.mark.parametrize(
    "path",
    ["", "/etc/passwd", "../a.ts", "a/../../b.ts", "a//b.ts", "./a.ts", "C:/a.ts", "a\\b.ts", "a\0.ts", "x" * 2_000],
)
def test_a_document_outside_of_the_project_is_left_out(index: Index, path: str) -> None:
    assert [one.path for one in read_documents(index(document(path), APP_FILE))] == ["src/app.ts"]


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"hello, world\n",
        b"\x89PNG\r\n\x1a\n" + bytes(40),
        b"SQLite format 3\0" + bytes(200),
        b"\x1f\x8b\x08\0" + bytes(40),
        b"{" * 500,
        CART_FILE,
        METADATA + b"\x80" * 20,
        METADATA + field(2, field(1, b"\xff\xfe.ts")),
        METADATA + field(2, field(2, b"\x0b")),
        METADATA + field(2, varint(1 << 3 | 2) + varint(99) + b"a.ts"),
        METADATA + varint(2 << 3 | 2) + varint(1 << 40),
        METADATA + varint(2 << 3 | 2) + varint(1 << 62),
    ],
)
def test_a_foreign_or_hostile_file_is_an_error_that_names_it(index: Index, data: bytes) -> None:
    path = index(data, head=b"")
    with pytest.raises(HollowayError, match=r"index\.scip is not a complete SCIP index") as caught:
        list(read_documents(path))
    assert "Run the indexer again" in caught.value.hint


def test_what_cannot_be_opened_is_an_error_that_names_it(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for name in ("missing", "pipe", "."):
        with pytest.raises(HollowayError, match=str(tmp_path)):
            next(read_documents(tmp_path / name))


def test_a_file_cut_off_anywhere_gives_only_whole_documents(index: Index) -> None:
    path = index(CART_FILE, APP_FILE)
    ends = {len(METADATA): 0, len(METADATA + CART_FILE): 1, path.stat().st_size: 2}
    for end in reversed(range(path.stat().st_size + 1)):
        os.truncate(path, end)
        if end in ends:
            assert len(list(read_documents(path))) == ends[end]
        else:
            with pytest.raises(HollowayError):
                list(read_documents(path))


def test_documents_come_before_the_rest_of_the_file_is_read(index: Index) -> None:
    documents = read_documents(index(CART_FILE, b"\x80"))
    assert next(documents).path == "src/cart.ts"
    with pytest.raises(HollowayError):
        next(documents)


@pytest.mark.parametrize(
    ("limit", "value"),
    [("DOCUMENT_BYTES_MAX", 40), ("INDEX_BYTES_MAX", 400), ("TOP_FIELDS_MAX", 2), ("OCCURRENCES_MAX", 4)],
)
def test_what_is_larger_than_allowed_is_refused(
    index: Index, monkeypatch: pytest.MonkeyPatch, limit: str, value: int
) -> None:
    path = index(CART_FILE, APP_FILE)
    assert len(list(read_documents(path))) == 2
    monkeypatch.setattr(reading, limit, value)
    with pytest.raises(HollowayError, match=r"larger than allowed|has more than"):
        list(read_documents(path))


def test_an_index_with_too_many_definitions_is_refused(index: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drawing, "SCIP_DEFINITIONS_MAX", 3)
    with pytest.raises(HollowayError, match="more than 3 symbols"):
        next(derive_edges(partial(read_documents, index(CART_FILE))))


@given(st.binary(max_size=400), st.sampled_from([b"", METADATA]))
def test_random_bytes_are_read_or_refused(tmp_path_factory: pytest.TempPathFactory, data: bytes, head: bytes) -> None:
    path = tmp_path_factory.getbasetemp() / "random.scip"
    path.write_bytes(head + data)
    assert all(reading._is_inside_project(one.path) for one in read_or_refused(path))


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


def read_or_refused(path: Path) -> Iterator[Document]:
    try:
        yield from read_documents(path)
    except HollowayError as error:
        if str(path) not in error.message:
            raise


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("local 12", ("local", "12")),
        (RUN, ("method", "run")),
        (ITEM, ("type", "Item")),
        (APP, ("namespace", "app.ts")),
        (f"{P}src/`a.ts`/Cart#`<constructor>`().", ("method", "<constructor>")),
        (f"{P}a/b.", ("term", "b")),
        (f"{P}a/f(+2).", ("method", "f")),
        (f"{P}a/f().(x)", ("parameter", "x")),
        (f"{P}a/C#[T]", ("type_parameter", "T")),
        (f"{P}a/m!", ("macro", "m")),
        (f"{P}a/odd``:", ("", "")),
        (f"{P}a/`tick``ed name`.", ("term", "tick`ed name")),
        ("scip-python python flask 3 `flask.app`/__init__:", ("namespace", "flask.app")),
        ("scip-python python . . `a.b`/C#m().", ("method", "m")),
        ("no symbol at all", ("", "")),
        (f"{P}broken(", ("", "")),
        (P + "a/" * 3_000, ("", "")),
        ("", ("", "")),
    ],
)
def test_a_symbol_says_what_it_is(text: str, expected: tuple[str, str]) -> None:
    assert symbol_kind_and_name(text) == expected


def test_the_parts_of_a_symbol_are_unescaped() -> None:
    parsed = parse_symbol("my  scheme . @a/b  c 1.0 `x y`/C#m(+1).")
    assert parsed[:4] == ("my scheme", "", "@a/b c", "1.0")
    assert parsed.descriptors == (("namespace", "x y"), ("type", "C"), ("method", "m"))


@given(st.text(alphabet="ab `.:/#!()[] local", max_size=200) | st.text())
def test_any_text_is_a_symbol_or_none(text: str) -> None:
    kind, _ = symbol_kind_and_name(text)
    assert (kind == "") == (not parse_symbol(text).descriptors)


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
