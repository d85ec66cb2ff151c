"""Expressions and types of all languages are written in one notation."""

import pytest

from holloway.codemap.parse.expressions import (
    EXPRESSION_BYTES_MAX,
    RUST_WRAPPERS,
    expand_use_tree,
    extract_type_names,
    normalise_chain,
    strip_unwrapping,
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a.b", "a.b"),
        ("open(1).read", "open().read"),
        ("new Till<Coin>(f(1)).count()", "Till().count()"),
        ("await shop.open('(')", "shop.open()"),
        ("Shop::<Vec<u8>>::new(x)?", "Shop.new()"),
        ("&mut Shop::new()", "Shop.new()"),
        ("a?.b!.c", "a.b.c"),
        ("$this->till->open()", "$this.till.open()"),
        ("a // why\n  .b()", "a.b()"),
        ("rows[0].print", "?.print"),
        ("(x as Y).z", "?.z"),
        ("rows[0]", ""),
        ("", ""),
        ("x" * 500 + ".last", "?.last"),
    ],
)
def test_expressions_of_all_languages_are_chains(text: str, expected: str) -> None:
    assert normalise_chain(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Till", "Till"),
        (": Till", "Till"),
        ("shop.Till[Coin]", "shop.Till"),
        ("Optional['Till']", "Till"),
        ("Till | Box<A | B> | null", "Till|Box"),
        ("Promise<Till>", "Till"),
        ("*pkg.Till", "pkg.Till"),
        ("&'a mut dyn io::Till", "io.Till"),
        ("Till[]", ""),
        ("[]Till", ""),
        ("map[string]Till", ""),
        ("(a: A) => B | C", ""),
        ("x is Till", ""),
        ("typeof x", ""),
        ("string", ""),
    ],
)
def test_annotations_name_classes_and_not_what_holds_many(text: str, expected: str) -> None:
    assert extract_type_names(text) == expected


def test_rust_types_that_hold_one_thing_stand_for_it() -> None:
    assert extract_type_names("Result<Arc<Mutex<Till>>, Error>", RUST_WRAPPERS) == "Till"
    assert strip_unwrapping("open().unwrap().till.lock().count") == "open().till.count"


def test_a_long_expression_keeps_its_last_member_only() -> None:
    assert normalise_chain("a" * (EXPRESSION_BYTES_MAX - 5) + ".last") == "a" * (EXPRESSION_BYTES_MAX - 5) + ".last"
    assert normalise_chain("a" * EXPRESSION_BYTES_MAX + ".last ") == "?.last"
    assert normalise_chain("(" * EXPRESSION_BYTES_MAX + ")") == ""


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("A | B | A", "A|B"),
        ("A | B | C | D | E", "A|B|C|D"),
        ("Map<A | B, C> | D", "Map|D"),
        ("(a: A) => B | C", ""),
        ("A | (() => B)", "A"),
        ("A[]", ""),
        ("x is A", ""),
        ("None", ""),
        ("Optional[Promise[A]]", "A"),
        ("*pkg.A", "pkg.A"),
    ],
)
def test_a_union_names_its_classes_once_and_up_to_four(text: str, names: str) -> None:
    assert extract_type_names(text) == names


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("a", [("a", "", "")]),
        ("a::b", [("a", "b", "")]),
        ("a::b as c", [("a", "b", "c")]),
        ("a::*", [("a", "*", "")]),
        ("a::{self, b}", [("a", "", ""), ("a", "b", "")]),
        ("{a, b::c}", [("a", "", ""), ("b", "c", "")]),
        ("a::{b::{c, d},\n e}", [("a.b", "c", ""), ("a.b", "d", ""), ("a", "e", "")]),
        ("::a::b", [("a", "b", "")]),
    ],
)
def test_a_tree_of_uses_is_written_out(text: str, rows: list[tuple[str, str, str]]) -> None:
    assert expand_use_tree(text) == rows
