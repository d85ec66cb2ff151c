"""What a file says of names is found by scope, the innermost that binds a name first."""

from __future__ import annotations

import pytest

from holloway.codemap.parse.facts import MODULE_SCOPE, Binding, Import
from holloway.codemap.resolve.resolution import TARGETS_MAX
from holloway.codemap.resolve.scopes import Scopes, first_name
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


def test_a_scope_knows_its_names_and_which_of_them_it_defines() -> None:
    file_scopes = scopes("from b import go\nfrom c import *\n\nx = go()\n\ndef run():\n    y = x\n\ndef go(): ...\n")
    assert set(file_scopes.names_in(MODULE_SCOPE)) == {"go", "x", "run"}
    assert file_scopes.names_in(99) == set()
    assert [file_scopes.has_name(MODULE_SCOPE, name) for name in ("go", "x", "y")] == [True, True, False]
    assert [file_scopes.has_definition(MODULE_SCOPE, name) for name in ("go", "run", "none")] == [True, True, False]
    defined = dict(file_scopes.defined_in(MODULE_SCOPE))
    assert {file_scopes.facts.definitions[index].name for index in defined.values()} >= {"run", "go"}
    assert list(file_scopes.defined_in(99)) == []
    assert [item.module for item in file_scopes.stars] == ["c"]
    assert file_scopes.find_sources(MODULE_SCOPE, "none") == ()


@pytest.mark.parametrize(
    ("language", "source", "is_closed"),
    [
        ("python", "from a import b\n", True),
        ("python", "from a import *\n", False),
        ("go", "package m\n", False),
        ("typescript", "import { a } from './b'\n", True),
    ],
)
def test_a_file_is_closed_unless_other_files_add_names_to_it(language: str, source: str, is_closed: bool) -> None:
    assert scopes(source, language).is_closed is is_closed


def test_methods_of_other_languages_than_python_see_the_names_of_their_class() -> None:
    source = "class A {\n  int x;\n  void go() { int y = x; }\n}\n"
    file_scopes = scopes(source, "java")
    index_of = {definition.qualified: index for index, definition in enumerate(file_scopes.facts.definitions)}
    assert file_scopes.binding_scope(index_of["A.go"], "x") == index_of["A"]
    assert file_scopes.binding_scope(index_of["A.go"], "none") == index_of["A"]
    assert file_scopes.binding_scope(MODULE_SCOPE, "x") == MODULE_SCOPE


def test_bases_are_kept_by_their_class_and_a_chain_begins_with_its_first_name() -> None:
    file_scopes = scopes("class A: ...\n\nclass B(A, far.C): ...\n")
    index_of = {definition.qualified: index for index, definition in enumerate(file_scopes.facts.definitions)}
    assert file_scopes.bases == {index_of["B"]: ["A", "far.C"]}
    assert [first_name(text) for text in ("a.b().c", "a().b", "a", "a()()")] == ["a", "a", "a", "a"]
