from __future__ import annotations

import time
import tracemalloc
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from holloway.codemap.database import MapDatabase, open_map
from holloway.codemap.index import update_index
from holloway.codemap.parse import parser
from holloway.codemap.parse.captures import FILE_DEFINITIONS_MAX, FILE_REFERENCES_MAX
from holloway.codemap.parse.facts import Definition, Facts, decode_facts, decode_references
from holloway.codemap.parse.languages import LANGUAGES, load_parser
from holloway.codemap.parse.parser import PARSE_SECONDS_MAX, SIGNATURE_CHARS_MAX, extract_facts
from holloway.codemap.resolve.resolver import Resolver
from tests.codemap.parse.shown import bindings, definitions, imports, read, references
from tests.codemap.test_index import clean, content

if TYPE_CHECKING:
    from holloway.codemap.resolve.resolution import Resolution

PROJECT = {
    "one.py": "from two import two\n\n\ndef one():\n    two()\n",
    "odd.py": "from two import two\n\n\ndef odd():\n    two()\n",
    "two.py": "def two():\n    pass\n",
}


def test_python_definitions_carry_their_kind_place_and_signature() -> None:
    facts = read(
        "python",
        """
        LIMIT = 3

        class Shop(Base, abc.ABC):
            def sell(self, item: Item) -> "Receipt | None":
                def price():
                    return total()
                return price()

        async def main(): ...
        """,
    )
    assert definitions(facts) == [
        "variable LIMIT",
        "class Shop",
        "method Shop.sell -> Receipt",
        "function Shop.sell.price -> =total()",
        "function main",
    ]
    assert facts.definitions[2].signature == 'def sell(self, item: Item) -> "Receipt | None"'
    assert (facts.definitions[2].line, facts.definitions[2].end_line) == (5, 8)
    assert [one.parent for one in facts.definitions] == [-1, -1, 1, 2, -1]
    assert references(facts, "base") == ["base Base @ Shop", "base abc.ABC @ Shop"]


def test_python_imports_keep_relative_dots_aliases_and_stars() -> None:
    facts = read(
        "python",
        """
        import os.path, numpy as np
        from . import a
        from ..b.c import d as e, f
        from g import *
        def late():
            import h
        """,
    )
    assert imports(facts) == ["numpy as np", "os.path", ".: a", "..b.c: d as e", "..b.c: f", "g: *", "h"]
    assert facts.imports[-1].scope == 0


def test_python_names_stand_for_values_types_and_what_a_method_puts_into_self() -> None:
    facts = read(
        "python",
        """
        client = make_client(retries=3)
        class Shop:
            till: Till
            def __init__(self, store: Store, size: int = 0):
                self.store = store
                with open(path) as file:
                    self.rows = Reader(file).rows()
        """,
    )
    assert bindings(facts) == [
        "client = make_client()",
        "rows = Reader().rows() @ Shop",
        "store = store @ Shop",
        "till: Till @ Shop",
        "file = open() @ Shop.__init__",
        "store: Store @ Shop.__init__",
    ]


def test_python_says_what_it_offers() -> None:
    assert read("python", "__all__ = ['a', 'b']\n").exports == ("a", "b")
    assert read("python", "a = 1\n").exports is None


@pytest.mark.parametrize(
    ("text", "exported"),
    [
        ("function a() {}\nexport function b() {}\nfunction c() {}\nexport function d() {}\n", {"b", "d"}),
        ("export function a() {}\nfunction b() {}\n", {"a"}),
        ("function a() {}\nfunction b() {}\nexport { b };\n", {"b"}),
        ("function a() {}\nexport default function b() {}\n", {"b"}),
    ],
)
def test_javascript_offers_what_it_exports_in_place_or_by_name(text: str, exported: set[str]) -> None:
    facts = read("javascript", text)
    assert {definition.name for definition in facts.definitions if definition.exported} == exported


def test_a_method_is_offered_unless_it_is_private() -> None:
    source = "class A {\n  private int a() {}\n  int b() {}\n  public int c(String x) {}\n}\n"
    assert {definition.name for definition in read("java", source).definitions if definition.exported} == {
        "A",
        "b",
        "c",
    }


@pytest.mark.promise("map-languages")
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_query_compiles_and_an_empty_file_says_nothing(language: str) -> None:
    assert load_parser(language)[1].pattern_count > 0
    assert extract_facts(language, b"") == Facts()


def test_broken_syntax_costs_only_the_broken_part() -> None:
    source = "def first(): pass\n\ndef second():\n    x = = 3\n\ndef third():\n    return first()\n"
    assert {"function first", "function third -> =first()"} <= set(definitions(read("python", source)))
    script = "export function first() {}\nconst = ;\nexport class Last { run() {} }\n"
    assert {"function first", "class Last", "method Last.run"} <= set(definitions(read("typescript", script)))


def test_bytes_that_are_no_text_are_read_as_far_as_they_can_be() -> None:
    facts = extract_facts("python", b"\xff\xfe\nclass Caf\xe9: pass\nclass Ok: pass\n\x00")
    assert "class Ok" in definitions(facts)
    assert decode_facts(facts.encode_facts()) == facts._replace(references=())
    assert decode_references(facts.encode_references()) == facts.references


@pytest.mark.parametrize("language", ["python", "typescript", "rust"])
def test_the_same_bytes_give_the_same_facts(language: str) -> None:
    source = b"class A { m() { return b.c(d) } }\nfn f() { g() }\nclass B(C):\n  def m(self): return n()\n"
    assert extract_facts(language, source) == extract_facts(language, source)


HOSTILE = {
    "open brackets": ("python", b"(" * 100_000),
    "nested brackets": ("java", b"x = " + b"[" * 100_000 + b"]" * 100_000),
    "nested calls": ("tsx", b"f(" * 100_000 + b")" * 100_000),
    "a long chain": ("go", b"a.b.c.d." * 125_000 + b"e"),
    "a long chain of calls": ("typescript", b"a" + b".b()" * 100_000),
    "a string without an end": ("rust", b'x = "' + b"a" * 1_000_000),
    "a comment without an end": ("cpp", b"/*" * 200_000),
    "nested functions": ("javascript", b"function f(){" * 20_000),
    "nested types": ("typescript", b"let x: " + b"A<" * 50_000),
    "one long name": ("ruby", b"x" * 1_000_000),
    "bytes that are no text": ("kotlin", b"\xff" * 300_000),
    "zeros": ("csharp", b"\0" * 300_000),
    "a tree of uses": ("rust", b"use a::{" * 20_000),
    "nested blocks": ("php", b"<?php " + b"if (1) {" * 20_000),
}


@pytest.mark.promise("map-languages")
@pytest.mark.parametrize(("language", "data"), HOSTILE.values(), ids=HOSTILE)
def test_hostile_files_take_bounded_work(language: str, data: bytes) -> None:
    _is_bounded(language, data)


@pytest.mark.nightly
@pytest.mark.parametrize("language", LANGUAGES)
def test_hostile_files_take_bounded_work_in_every_language(language: str) -> None:
    for _, data in HOSTILE.values():
        _is_bounded(language, data)


def _is_bounded(language: str, data: bytes) -> None:
    started = time.process_time()
    facts = extract_facts(language, data)
    assert time.process_time() - started < 20 * PARSE_SECONDS_MAX
    assert len(facts.definitions) <= FILE_DEFINITIONS_MAX
    assert len(facts.references) <= FILE_REFERENCES_MAX
    assert len(facts.encode_facts()) < 20_000_000
    assert decode_facts(facts.encode_facts()).hash_interface() == facts.hash_interface()


def test_what_was_read_is_not_held() -> None:
    source = b"# A long remark about nothing at all.\n" * 5_000 + b"x = 1\n"
    extract_facts("python", source)
    tracemalloc.start()
    try:
        for _ in range(5):
            extract_facts("python", bytes(bytearray(source)))
        held = tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()
    assert held < len(source)


def test_a_file_with_too_much_in_it_is_cut() -> None:
    source = "".join(f"def f{i}(): g{i}(h{i}, i{i}())\n" for i in range(15_000)).encode()
    facts = extract_facts("python", source)
    assert len(facts.definitions) == FILE_DEFINITIONS_MAX
    assert len(facts.references) == FILE_REFERENCES_MAX


def test_deep_nesting_keeps_the_outer_definitions() -> None:
    source = "".join("  " * depth + f"class C{depth}:\n" for depth in range(60)) + "  " * 60 + "x = 1\n"
    facts = read("python", source)
    assert facts.definitions[0].qualified == "C0"
    assert facts.definitions[2].qualified == "C0.C1.C2"
    assert len(facts.definitions) == 60


def test_require_is_an_import_in_javascript_and_a_call_elsewhere() -> None:
    assert not any("require" in line for line in references(read("javascript", "const fs = require('fs')\n"), "call"))
    assert references(read("python", "def go():\n    require('x')\n"), "call") == ["call require @ go"]


def test_a_signature_is_the_head_of_a_definition_on_one_line() -> None:
    def signature(language: str, source: str) -> str:
        return read(language, source).definitions[0].signature

    assert (
        signature("python", "def go(\n    a: int,\n    b: int,\n) -> int:\n    return a\n")
        == "def go( a: int, b: int, ) -> int"
    )
    assert signature("python", "LIMIT = [\n    1,\n]\n") == "LIMIT = ["
    assert signature("typescript", "export const go = (a: number) => {\n  return a\n}\n").endswith("go = (a: number)")
    assert len(signature("python", f"def go({'a' * 500}): ...\n")) == SIGNATURE_CHARS_MAX


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    for name, text in PROJECT.items():
        (folder / name).write_text(text)
    return folder


def callers(database: MapDatabase) -> set[str]:
    sql = "SELECT s.name FROM edges e JOIN nodes s ON s.id = e.source WHERE e.kind = 'calls'"
    return {row[0] for row in database.fetch_rows(sql)}


def skipped(database: MapDatabase) -> dict[str, str]:
    return {row[0]: row[1] for row in database.fetch_rows("SELECT path, reason FROM skipped")}


def facts_that_trip(language: str, data: bytes) -> Facts:
    if b"odd" in data:
        raise IndexError("out of range")
    return extract_facts(language, data)


def facts_that_cannot_be_written(language: str, data: bytes) -> Facts:
    facts = extract_facts(language, data)
    lost = Definition("function", "lost", "lost", 99, 1, 1, "", True, "")
    return facts._replace(definitions=(lost,)) if b"odd" in data else facts


@pytest.mark.usefixtures("mistakes_are_contained")
@pytest.mark.parametrize(
    ("tripping", "reason"),
    [
        (facts_that_trip, "reading failed (IndexError)"),
        (facts_that_cannot_be_written, "writing failed (IndexError)"),
    ],
)
def test_a_file_that_trips_the_reader_is_left_out_and_said(
    root: Path, monkeypatch: pytest.MonkeyPatch, tripping: object, reason: str
) -> None:
    database = open_map(root.parent / "map.db")
    update_index(database, root, workers=1)
    assert callers(database) == {"one", "odd"}
    monkeypatch.setattr(parser, "extract_facts", tripping)
    (root / "odd.py").write_text(PROJECT["odd.py"] + "\n")
    (root / "one.py").write_text(PROJECT["one.py"].replace("one", "first"))
    done = update_index(database, root, workers=1, only=["odd.py", "one.py"])
    assert (done.files, done.skipped) == (2, 1)
    assert callers(database) == {"first"}
    assert skipped(database) == {"odd.py": reason}
    monkeypatch.undo()
    update_index(database, root, workers=1)
    assert not skipped(database)
    assert content(database) == clean(root, root.parent / "clean.db")


@pytest.mark.usefixtures("mistakes_are_contained")
def test_a_file_that_trips_the_resolver_stays_without_edges_and_is_tried_again(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    resolve = Resolver.resolve_file

    def tripping(self: Resolver, path: str) -> Resolution:
        if path == "odd.py":
            raise RecursionError
        return resolve(self, path)

    monkeypatch.setattr(Resolver, "resolve_file", tripping)
    database = open_map(root.parent / "map.db")
    for _ in range(2):
        done = update_index(database, root, workers=1)
        assert (done.files, done.skipped) == (3, 1)
        assert callers(database) == {"one"}
        assert skipped(database) == {"odd.py": "resolving failed (RecursionError)"}
    monkeypatch.undo()
    update_index(database, root, workers=1)
    assert not skipped(database)
    assert content(database) == clean(root, root.parent / "clean.db")


def test_in_the_tests_of_the_map_a_mistake_is_raised(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parser, "extract_facts", facts_that_trip)
    with pytest.raises(IndexError):
        update_index(open_map(root.parent / "map.db"), root, workers=1)


def test_a_name_in_a_type_is_a_reference_unless_it_is_a_type_parameter() -> None:
    facts = read(
        "typescript",
        """
        function sell(item: Item): Receipt { return item.bill as Bill }
        class Box<T> { held: T; first: Item }
        """,
    )
    assert references(facts, "typed") == [
        "typed Bill @ sell",
        "typed Item @ sell",
        "typed Receipt @ sell",
        "typed Item @ Box",
    ]
