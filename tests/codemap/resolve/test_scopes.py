"""What a file says of names is found by scope, the innermost that binds a name first."""

from __future__ import annotations

import pytest

from holloway.codemap.parse.facts import MODULE_SCOPE, Binding, Import
from holloway.codemap.resolve.resolution import TARGETS_MAX
from holloway.codemap.resolve.scopes import Scopes
from tests.codemap.parse.shown import read


def scopes(source: str, language: str = "python") -> Scopes:
    return Scopes("a", language, read(language, source))


def test_all_that_a_scope_says_of_a_name_is_kept_definitions_before_values_before_imports() -> None:
    found = scopes("from b import go\n\ngo = other\n\ndef go(): ...\n").find_sources(MODULE_SCOPE, "go")
    assert [type(saying) for saying in found] == [int, int, Binding, Import]


def test_a_name_that_is_bound_again_and_again_stays_small() -> None:
    found = scopes("def run():\n" + "".join(f"    x = f{at}()\n" for at in range(99))).find_sources(0, "x")
    assert 1 < len(found) <= TARGETS_MAX + 1
    assert isinstance(found[0], Binding)
    assert found[0].expression == "f0()"


def test_a_name_is_bound_by_the_innermost_scope_and_a_class_is_not_seen_from_its_methods() -> None:
    found = scopes(
        """
        x = f()
        class A:
            x = g()
            def go(self): return x
            def own(self): x = h()
        """
    )
    at = {definition.qualified: index for index, definition in enumerate(found.facts.definitions)}
    assert found.binding_scope(at["A"], "x") == at["A"]
    assert found.binding_scope(at["A.own"], "x") == at["A.own"]
    assert found.binding_scope(at["A.go"], "x") == MODULE_SCOPE
    assert found.binding_scope(at["A.go"], "self") == at["A"]


@pytest.mark.parametrize(
    ("language", "source", "name"),
    [
        ("python", "import a.b.c\n", "a"),
        ("python", "import a.b as d\n", "d"),
        ("go", 'package m\n\nimport "example.org/store/v2"\n', "store"),
        ("go", 'package m\n\nimport "example.org/store"\n', "store"),
        ("java", "import org.shop.Cart;\n", "Cart"),
    ],
)
def test_an_import_is_known_by_the_name_that_its_language_gives_it(language: str, source: str, name: str) -> None:
    assert [type(saying) for saying in scopes(source, language).find_sources(MODULE_SCOPE, name)] == [Import]


def test_the_names_of_a_file_are_those_of_all_its_scopes_and_what_code_calls_itself() -> None:
    assert scopes("def go():\n    x = f()\n").all_names() == {"go", "x", "self", "cls", "super"}


def test_a_scope_belongs_to_the_class_around_it_or_to_the_module() -> None:
    file_scopes = scopes("def first():\n    def inner(): ...\n\nclass A:\n    def go(self):\n        def deep(): ...\n")
    index_of = {definition.qualified: index for index, definition in enumerate(file_scopes.facts.definitions)}
    assert index_of["first"] == 0
    for name in ("first", "first.inner"):
        assert file_scopes.find_class(index_of[name]) == MODULE_SCOPE
    for name in ("A", "A.go", "A.go.deep"):
        assert file_scopes.find_class(index_of[name]) == index_of["A"]
    assert file_scopes.parent_of(index_of["A.go"]) == index_of["A"]
    assert file_scopes.kind_of(index_of["A.go"]) == "method"
    assert file_scopes.by_qualified["A.go"] == [index_of["A.go"]]
