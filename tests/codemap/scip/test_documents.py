"""A SCIP index is read document by document, within limits, and refused if it is none."""

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holloway.codemap.scip import documents as reading
from holloway.codemap.scip.documents import (
    Occurrence,
    SymbolInformation,
    is_augmentation,
    parse_symbol,
    read_documents,
    symbol_kind_and_name,
)
from holloway.errors import HollowayError
from tests.codemap.scip.index_bytes import (
    ADD,
    APP,
    APP_FILE,
    CART_FILE,
    ITEM,
    METADATA,
    RUN,
    Index,
    P,
    document,
    field,
    occurrence,
    packed,
    read_or_refused,
    symbol,
    varint,
)


def test_a_document_has_its_occurrences_with_lines_from_one(index: Index) -> None:
    cart, app = read_documents(index(CART_FILE, field(3, field(1, "external")), APP_FILE))
    assert (cart.path, cart.language, len(cart.occurrences)) == ("src/cart.ts", "typescript", 5)
    assert cart.occurrences[3] == Occurrence(ADD, 11, 1, 9, 21)
    assert cart.occurrences[4] == Occurrence(ITEM, 11, 0, 0, 0)
    assert cart.symbols == {ITEM: SymbolInformation(21, ())}
    assert [one.symbol for one in app.occurrences].count("local 4") == 2


def test_numbers_one_by_one_mean_the_same_as_packed_ones(index: Index) -> None:
    place = b"".join(field(1, number) for number in (300, 4, 301, 2))
    (found,) = read_documents(index(document("a.ts", field(2, place + field(2, ITEM)))))
    assert found.occurrences == [Occurrence(ITEM, 301, 0, 0, 0)]


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


@given(st.binary(max_size=400), st.sampled_from([b"", METADATA]))
def test_random_bytes_are_read_or_refused(tmp_path_factory: pytest.TempPathFactory, data: bytes, head: bytes) -> None:
    path = tmp_path_factory.getbasetemp() / "random.scip"
    path.write_bytes(head + data)
    assert all(reading._is_inside_project(one.path) for one in read_or_refused(path))


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


def test_a_large_number_is_read_in_ten_bytes_and_not_in_eleven(index: Index) -> None:
    roles = 2**62 + 5
    (parsed,) = read_documents(
        index(document("a.ts", field(2, field(1, packed(1, 0, 3)) + field(2, ITEM) + field(3, roles))))
    )
    assert [one.roles for one in parsed.occurrences] == [roles]
    with pytest.raises(HollowayError):
        list(read_documents(index(document("a.ts", varint(7 << 3) + b"\x80" * 10 + b"\x01"))))


def test_relationships_of_a_symbol_are_kept(index: Index) -> None:
    (parsed,) = read_documents(index(document("a.ts", symbol(ADD, ITEM, RUN, kind=7))))
    information = parsed.symbols[ADD]
    assert information.kind == 7
    assert [(one.symbol, one.is_implementation) for one in information.relationships] == [(ITEM, True), (RUN, True)]


def test_a_quoted_namespace_extends_another_module() -> None:
    assert is_augmentation(f"{P}src/`app.ts`/`'./cart'`/Item#")
    assert is_augmentation(f'{P}src/`app.ts`/`"./cart"`/')
    assert not is_augmentation(APP)
    assert not is_augmentation(f"{P}src/`'./cart'`#")
