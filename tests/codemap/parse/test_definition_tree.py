"""A definition belongs to the one around it, or to the type that it is declared on."""

from __future__ import annotations

from typing import Any, cast

from holloway.codemap.parse.definition_tree import DEFINITION_DEPTH_MAX, UNNAMED, DefinitionMatch, DefinitionTree
from holloway.codemap.parse.facts import MODULE_SCOPE

NODE = cast("Any", None)


def match(start: int, end: int, kind: str, name: str, receiver: str = "", *, is_declaration: bool = False) -> Any:
    return DefinitionMatch(start, end, kind, name, start + 1, NODE, "", receiver, is_declaration)


def tree(*matches: DefinitionMatch, selves: tuple[str, ...] = ("self",)) -> DefinitionTree:
    return DefinitionTree(list(matches), selves)


def names(built: DefinitionTree) -> list[str]:
    return [built.qualified_name(index) for index in range(len(built.ordered)) if index not in built.dropped]


def test_a_definition_is_named_after_those_around_it_in_the_order_of_the_file() -> None:
    built = tree(
        match(60, 70, "function", "after"),
        match(10, 50, "class", "Shop"),
        match(20, 40, "function", "sell"),
        match(25, 30, "function", "price"),
    )
    assert names(built) == ["Shop", "Shop.sell", "Shop.sell.price", "after"]
    assert [built.parent_of(index) for index in range(4)] == [MODULE_SCOPE, 0, 1, MODULE_SCOPE]
    assert [built.is_method(index) for index in range(4)] == [False, True, False, False]


def test_a_byte_is_in_the_innermost_definition_that_contains_it() -> None:
    built = tree(match(10, 50, "class", "Shop"), match(20, 40, "function", "sell"), match(60, 70, "variable", "x"))
    assert [built.scope_at(at) for at in (0, 10, 20, 39, 40, 50, 65)] == [-1, 0, 1, 1, 0, -1, -1]
    assert [built.innermost_at(at) for at in (0, 15, 39, 45, 55)] == [-1, 0, 1, 0, -1]


def test_two_matches_of_one_name_are_one_definition_and_the_first_kind_wins() -> None:
    built = tree(match(10, 20, "variable", "run"), match(10, 20, "function", "run"))
    assert [(one.kind, one.name) for one in built.ordered] == [("function", "run")]


def test_two_names_of_one_statement_are_siblings() -> None:
    first = match(10, 20, "variable", "a")
    built = tree(first, first._replace(name="b", name_at=14))
    assert names(built) == ["a", "b"]
    assert built.lexical == [-1, -1]


def test_an_impl_block_and_a_receiver_stand_for_their_type() -> None:
    built = tree(
        match(0, 10, "class", "Shop"),
        match(20, 50, "impl", "Shop"),
        match(30, 40, "function", "sell"),
        match(60, 70, "function", "buy", "pkg.Shop"),
        match(80, 90, "function", "ship", "Elsewhere"),
    )
    assert names(built) == ["Shop", "Shop.sell", "Shop.buy", "Elsewhere.ship"]
    assert [built.parent_of(index) for index in (2, 3, 4)] == [0, 0, MODULE_SCOPE]
    assert [built.is_method(index) for index in (2, 3, 4)] == [True, True, True]
    assert (built.external_type(3), built.external_type(4)) == ("", "Elsewhere")
    assert built.scope_at(25) == 0


def test_an_impl_block_of_a_type_elsewhere_gives_its_name() -> None:
    built = tree(match(20, 50, "impl", "Far"), match(30, 40, "function", "go"))
    assert names(built) == ["Far.go"]
    assert built.parent_of(1) == MODULE_SCOPE


def test_what_is_set_on_self_belongs_to_the_class_around_it() -> None:
    built = tree(
        match(0, 100, "class", "Shop"), match(10, 90, "function", "open"), match(20, 30, "function", "close", "self")
    )
    assert names(built) == ["Shop", "Shop.open", "Shop.close"]
    alone = tree(match(10, 90, "function", "open"), match(20, 30, "function", "close", "self"))
    assert names(alone) == ["open", "open.close"]
    nested = tree(
        match(0, 99, "function", "outer"), match(10, 90, "function", "open"), match(20, 30, "function", "close", "self")
    )
    assert names(nested) == ["outer", "outer.open", "outer.open.close"]


def test_local_variables_and_unnamed_functions_are_dropped_into_what_contains_them() -> None:
    built = tree(
        match(0, 100, "function", "run"),
        match(10, 20, "variable", "local"),
        match(30, 60, UNNAMED, ""),
        match(40, 50, "function", "inner"),
        match(110, 120, "variable", "LIMIT"),
    )
    assert names(built) == ["run", "run.inner", "LIMIT"]
    assert built.dropped == {1, 2}
    assert built.scope_at(35) == 0
    assert built.scope_at(45) == 1


def test_an_unnamed_function_that_a_name_is_given_is_that_definition() -> None:
    built = tree(match(10, 50, "function", "run"), match(20, 50, UNNAMED, ""))
    assert [one.name for one in built.ordered] == ["run"]


def test_a_declaration_gives_way_to_the_definition_and_the_first_of_several_stays() -> None:
    full = tree(match(0, 10, "function", "go", is_declaration=True), match(20, 30, "function", "go"))
    assert (full.dropped, full.new_indexes) == ({0}, [0, 0])
    only = tree(
        match(0, 10, "function", "go", is_declaration=True), match(20, 30, "function", "go", is_declaration=True)
    )
    assert (only.dropped, only.new_indexes) == ({1}, [0, 0])


def test_definitions_that_are_nested_too_deep_count_as_top_level() -> None:
    nested = [match(index, 1_000 - index, "class", f"c{index}") for index in range(DEFINITION_DEPTH_MAX + 1)]
    assert tree(*nested).lexical == [*range(-1, DEFINITION_DEPTH_MAX - 1), MODULE_SCOPE]
