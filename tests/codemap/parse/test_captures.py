"""Captures of a query become definitions, imports, mentions and bindings, each bounded."""

from __future__ import annotations

import pytest
from tree_sitter import QueryCursor

from holloway.codemap.parse import captures
from holloway.codemap.parse.captures import FileCaptures
from holloway.codemap.parse.languages import load_parser


def captured(language: str, source: str) -> FileCaptures:
    """All captures of a piece of code."""
    parser, query = load_parser(language)
    data = source.encode()
    result = FileCaptures(language, data)
    result.read_matches(QueryCursor(query).matches(parser.parse(data).root_node), {})
    return result


def called(found: FileCaptures) -> list[str]:
    return sorted(name for kind, name in found.mentions if kind == "call")


def test_definitions_have_the_place_of_their_node_and_of_their_name() -> None:
    source = "class Shop:\n    def sell(self) -> Price: ...\n"
    shop, sell = sorted(captured("python", source).definitions)
    assert (shop.kind, shop.name, shop.start, shop.name_at) == ("class", "Shop", 0, 6)
    assert (sell.kind, sell.name, sell.returns, sell.is_declaration) == ("function", "sell", "Price", False)
    assert source[sell.start : sell.end].startswith("def sell")


def test_imports_have_module_symbol_alias_and_line() -> None:
    found = captured("python", "import os\nfrom far.away import one as two\nfrom near import *\n")
    assert [row[1:] for row in sorted(found.imports)] == [
        (1, "os", "", "", False),
        (2, "far.away", "one", "two", False),
        (3, "near", "*", "", False),
    ]
    assert found.star_positions == {found.imports[-1][0]}
    assert len(found.imported_positions) == 1


def test_what_is_exported_again_is_an_import_and_an_export() -> None:
    found = captured("typescript", "export { a as b } from './x'\nexport * from './y'\n")
    assert [row[2:] for row in sorted(found.imports)] == [("./x", "a", "b", True), ("./y", "*", "", True)]
    assert found.exports == ["b"]


def test_mentions_are_grouped_by_kind_and_name_with_their_lines() -> None:
    found = captured("python", "def f():\n    run()\n    a.b().c()\n    run()\n")
    assert called(found) == ["a.b", "a.b().c", "run"]
    assert [line for _, line in found.mentions["call", "run"]] == [2, 4]
    assert found.mention_count == 4


def test_the_arguments_of_a_long_call_do_not_hide_it() -> None:
    long = ", ".join(f"value_{number}" for number in range(200))
    assert "build().send" in called(captured("python", f"build({long}).send({long})\n"))


def test_bases_types_and_type_parameters_are_kept_apart() -> None:
    found = captured("typescript", "class Box<T> extends Base implements Open { item: T; price: Price }\n")
    assert [row[2:] for row in found.bases] == [("base", "Base"), ("implements", "Open")]
    assert found.generics == {"T"}
    typed = {name for end, (_, _, name) in found.typed_mentions.items() if end not in found.claimed_ends}
    assert {"Price"} <= typed
    assert "Base" not in typed


def test_values_types_and_members_of_self_are_bound() -> None:
    found = captured("python", "x = make()\ny: Shop = z\nclass A:\n    def __init__(self, b: B):\n        self.b = b\n")
    bound = {(name, expression, is_type) for _, name, expression, is_type in found.bindings}
    assert {("x", "make()", False), ("y", "Shop", True), ("b", "B", True), ("self.b", "b", False)} <= bound


def test_return_values_and_exported_definitions_are_recorded() -> None:
    assert [expression for _, expression in captured("python", "def f():\n    return make().x\n").returns] == [
        "make().x"
    ]
    source = "export default function f() {}\nexport const a = 1\n"
    ranges = sorted(captured("typescript", source).exported_ranges)
    assert [(source[start:end], is_default) for start, end, is_default in ranges] == [
        ("function f() {}", True),
        ("const a = 1", False),
    ]


def test_a_use_tree_is_expanded_and_a_submodule_is_an_import_of_self() -> None:
    found = captured("rust", "mod part;\nuse far::{one, two::Three as T};\n")
    assert sorted(row[1:5] for row in found.imports) == [
        (1, "self.part", "", "part"),
        (2, "far", "one", ""),
        (2, "far.two", "Three", "T"),
    ]


def test_a_block_that_extends_a_type_has_the_name_of_the_type_alone() -> None:
    found = captured("rust", "impl<T> Open for shop::Cart<T> { fn open(&self) {} }\n")
    assert [(one.kind, one.name) for one in sorted(found.definitions)] == [("impl", "shop.Cart"), ("function", "open")]


def test_an_element_is_called_if_its_name_is_no_tag() -> None:
    found = captured("tsx", "const x = <div>\n<Shop/><a.b/></div>\n")
    assert called(found) == ["Shop", "a.b"]
    assert [line for _, line in found.mentions["call", "Shop"]] == [2]


def test_calls_among_the_tokens_of_a_macro_are_found_with_their_path() -> None:
    found = captured("rust", "fn f() { assert_eq!(shop::open(1), x.close(), plain()); }\n")
    assert {"shop.open", "plain"} <= set(called(found))
    assert any(name.endswith(".close") for name in called(found))


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("a::B<T>::c", ("a.B", "c")),
        ("run", ("", "run")),
        ("Box::operator==", ("Box", "operator==")),
        ("Map<K, V<K>>::operator[]", ("Map", "operator[]")),
        ("operator_name", ("", "operator_name")),
        ("shop::operator_count", ("shop", "operator_count")),
        ("Box::operator<=>", ("Box", "operator<=>")),
    ],
)
def test_a_name_of_cpp_is_split_into_its_class_and_itself(name: str, expected: tuple[str, str]) -> None:
    assert captures._split_scope(name) == expected


def test_a_test_macro_of_cpp_is_named_by_its_arguments() -> None:
    found = captured("cpp", "TEST_F(ShopTest, Sells) { open(); }\n")
    assert [one.name for one in found.definitions] == ["ShopTest.Sells"]


def test_no_more_than_the_limits_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(captures, "FILE_REFERENCES_MAX", 3)
    monkeypatch.setattr(captures, "FILE_DEFINITIONS_MAX", 2)
    source = "".join(f"import m{n}\ndef f{n}():\n    x{n} = g{n}()\n    return g{n}()\n" for n in range(9))
    found = captured("python", source)
    assert (len(found.definitions), len(found.imports), found.mention_count) == (2, 2, 3)
    assert (len(found.bindings), len(found.returns)) == (3, 3)


def test_an_included_file_is_an_import_of_its_line() -> None:
    found = captured("php", "<?php\n\nrequire_once 'shop/cart.php';\n  include(\"till.php\");\n")
    assert [row[1:] for row in sorted(found.imports)] == [
        (3, "shop/cart.php", "", "", False),
        (4, "till.php", "", "", False),
    ]


def test_classes_of_java_have_bases_calls_and_instantiations() -> None:
    source = "class A extends B implements C {\n int f() { x.open(); new Cart(); return make().g(); } }"
    found = captured("java", source)
    assert [row[1:] for row in sorted(found.bases)] == [(1, "base", "B"), (1, "implements", "C")]
    assert called(found) == ["make", "make().g", "x.open"]
    assert [line for _, line in found.mentions["new", "Cart"]] == [2]


def test_a_use_of_php_is_the_file_of_its_class_and_names_its_alias() -> None:
    found = captured("php", "<?php\nuse Far\\{One, Two as T};\n")
    assert [row[1:] for row in sorted(found.imports)] == [
        (2, "Far.One", "One", "", False),
        (2, "Far.Two", "Two", "T", False),
    ]


def test_parts_of_a_value_and_names_of_exports_are_bound() -> None:
    found = captured("typescript", "const { a, b } = load()\nexport { a as c }\nexport default make()\n")
    assert [row[1:] for row in found.bindings] == [
        ("a", "load().a", False),
        ("b", "load().b", False),
        ("c", "a", False),
        ("default", "make()", False),
    ]
    assert found.exports == ["c", "default"]


def test_the_package_of_a_file_is_the_first_that_it_names() -> None:
    assert captured("go", "package shop\n").package == "shop"
    assert captured("java", "package org.shop.till;\nclass A {}\n").package == "org.shop.till"
    assert captured("python", "x = 1\n").package == ""


def test_a_method_of_an_unknown_value_in_a_macro_is_unknown() -> None:
    assert called(captured("rust", "fn f() { assert!(a.b.c(1), $x.y(2), z::<T>::w(3)); }")) == ["?.w", "?.y", "a.b.c"]


def test_functions_without_a_name_and_anonymous_classes_are_definitions() -> None:
    found = captured("javascript", "export default function() { go() }\n")
    assert ("function", "default") in [(match.kind, match.name) for match in found.definitions]
    found = captured("java", "Runnable r = new Runnable() { public void run() { go(); } };")
    assert [(match.kind, match.name) for match in sorted(found.definitions)] == [
        ("class", "Runnable{}"),
        ("function", "run"),
    ]
