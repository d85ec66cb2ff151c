"""What cannot be followed gives no edge, and following comes to an end."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from holloway.codemap.resolve.imports.import_resolver import ImportResolver
from holloway.codemap.resolve.name_resolution import NameResolver
from holloway.codemap.resolve.resolution import Resolution
from holloway.codemap.resolve.resolver import Resolver
from tests.codemap.resolve.drawn import edges, mapped

if TYPE_CHECKING:
    from holloway.codemap.resolve.resolution import Targets
    from holloway.codemap.resolve.scopes import Scopes


@pytest.mark.promise("map-does-not-guess")
def test_what_cannot_be_followed_is_kept_apart_and_gives_no_edge(tmp_path: Path) -> None:
    database = mapped(
        tmp_path, {"a.py": "def f(thing):\n    thing.run()\n", "b.py": "class Job:\n    def run(self): ...\n"}
    )
    assert not edges(database, "calls")
    assert [tuple(row) for row in database.fetch_rows("SELECT kind, name, line FROM unresolved")] == [
        ("call", "run", 2)
    ]


def test_cycles_of_imports_and_aliases_come_to_an_end(tmp_path: Path) -> None:
    database = mapped(
        tmp_path,
        {
            "a.py": "from b import *\nfrom b import x as y\nx = y\ny = x\nx()\n",
            "b.py": "from a import *\nfrom a import y as x\n",
        },
    )
    assert "a.py imports b.py" in edges(database)


def woven(count: int) -> str:
    """Functions that each may give what four others give."""
    return "".join(
        f"def f{number}(x):\n" + "".join(f"    if x: return f{(number + step) % count}(x)\n" for step in (1, 3, 7, 12))
        for number in range(count)
    )


def test_functions_that_give_what_each_other_give_are_followed_once_and_not_on_every_way(tmp_path: Path) -> None:
    thing = "class Thing:\n    def go(self): ...\n\n"
    source = f"{thing}{woven(40)}\ndef f40():\n    return Thing()\n\nf0(1).go()\n".replace("return f39(", "return f40(")
    assert "a.py calls a.py:Thing.go" in edges(mapped(tmp_path, {"a.py": source}), "calls")


def test_modules_that_offer_all_of_each_other_are_asked_once_for_a_name(tmp_path: Path) -> None:
    count = 30
    project = {
        f"m{number}.py": "".join(f"from m{(number + step) % count} import *\n" for step in (1, 3, 7, 12))
        for number in range(count)
    }
    project["m29.py"] += "\ndef far(): ...\n"
    database = mapped(tmp_path, project | {"main.py": "from m0 import *\n\nfar()\nnowhere()\n"})
    assert "main.py calls m29.py:far" in edges(database, "calls")


_OFFERS_ALL = {
    "py": ("from m{} import *\n", "nowhere()\n"),
    "ts": ("export * from './m{}'\n", "import {{ gone }} from './m0'\ngone()\n"),
    "rs": ("pub use crate::m{}::*;\n", "fn f() {{ missing() }}\n"),
}


@pytest.mark.parametrize("ending", _OFFERS_ALL)
def test_a_name_that_none_of_many_has_is_looked_for_once_in_each(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ending: str
) -> None:
    offers, mentions = _OFFERS_ALL[ending]
    asked: list[str] = []
    in_scope = NameResolver.resolve_in_scope

    def counted(self: NameResolver, scopes: Scopes, scope: int, name: str) -> Targets:
        asked.append(name)
        return in_scope(self, scopes, scope, name)

    monkeypatch.setattr(NameResolver, "resolve_in_scope", counted)

    def lookups(count: int) -> int:
        asked.clear()
        all_of_all = "".join(offers.format(number) for number in range(count)) + mentions.format()
        project = {f"m{number}.{ending}": all_of_all for number in range(count)}
        project["lib.rs"] = "".join(f"mod m{number};\n" for number in range(count))
        mapped(tmp_path / str(count), project | {"Cargo.toml": '[package]\nname = "x"\n[lib]\npath = "lib.rs"\n'})
        return len(asked)

    assert 0 < lookups(24) < 5 * lookups(12)  # four times as many: each file for each


def test_what_a_package_takes_from_its_part_comes_before_the_part_itself(tmp_path: Path) -> None:
    database = mapped(
        tmp_path,
        {
            "pkg/__init__.py": "from .name import *\n",
            "pkg/name.py": "def name(): ...\n",
            "main.py": "from pkg import *\n\nname()\n",
        },
    )
    assert "main.py calls pkg/name.py:name" in edges(database, "calls")


def test_a_file_that_is_not_in_the_map_has_no_edges() -> None:
    resolver = Resolver(ImportResolver([], lambda path: ""), lambda path: None, lambda path: [])
    assert resolver.resolve_file("gone.py") == Resolution([], [], set())


MEANINGS: list[tuple[dict[str, str], set[str]]] = [
    (
        {
            "pkg/__init__.py": "from pkg.part import go\n",
            "pkg/part.py": "def go(): ...\n",
            "a.py": "from pkg import go\n",
        },
        {
            "pkg/__init__.py exports pkg/part.py:go",
            "pkg/__init__.py imports pkg/part.py",
            "pkg/__init__.py imports_symbol pkg/part.py:go",
            "a.py imports pkg/__init__.py",
            "a.py imports_symbol pkg/part.py:go",
        },
    ),
    (
        {"a.ts": "export { go } from './b'\n", "b.ts": "export function go() {}\n"},
        {"a.ts exports b.ts:go", "a.ts imports_symbol b.ts:go", "a.ts imports b.ts"},
    ),
    (
        {"a.py": "import json\n\ndef f():\n    json.dumps(1)\n"},
        {"a.py imports json", "a.py:f calls_external json"},
    ),
    (
        {
            "a.py": "class A:\n    def __init__(self): ...\n    def go(self): ...\n\n"
            "class B(A):\n    def __init__(self):\n        super().__init__()\n    def go(self): ...\n    def new(self): ...\n"
        },
        {
            "a.py:B extends a.py:A",
            "a.py:B.go overrides a.py:A.go",
            "a.py:B.__init__ calls a.py:A.__init__",
        },
    ),
    (
        {"a.py": "class A:\n    def __init__(self): ...\n    def __call__(self): ...\n\na = A()\na()\n"},
        {"a.py instantiates a.py:A", "a.py calls a.py:A.__init__", "a.py calls a.py:A.__call__"},
    ),
    (
        {
            "shop/cart.py": "def add(): ...\n",
            "tests/test_cart.py": "def test_it(): ...\n",
            "till.py": "def sell(): ...\n",
            "tests/test_sale.py": "from till import sell\n",
        },
        {
            "tests/test_sale.py imports till.py",
            "tests/test_sale.py imports_symbol till.py:sell",
            "till.py tested_by tests/test_sale.py",
            "shop/cart.py tested_by tests/test_cart.py",
        },
    ),
    (
        {
            "go.mod": "module m\n",
            "store/a.go": "package store\n\nfunc Open() {}\n",
            "store/b.go": "package store\n\nfunc Close() {}\n",
            "main.go": 'package main\n\nimport "m/store"\n\nfunc main() { store.Open() }\n',
        },
        {"main.go imports store/a.go", "main.go imports store/b.go", "main.go:main calls store/a.go:Open"},
    ),
    (
        {
            "I.java": "interface I { void go(); }\n",
            "A.java": "class A implements I { public void go() {} }\n",
        },
        {"A.java:A implements I.java:I", "A.java:A.go overrides I.java:I.go"},
    ),
]


@pytest.mark.parametrize(("project", "expected"), MEANINGS)
def test_a_mention_has_the_edges_of_its_meaning_and_no_others(
    tmp_path: Path, project: dict[str, str], expected: set[str]
) -> None:
    shown = {edge for edge in edges(mapped(tmp_path, project)) if " defines " not in edge and " contains " not in edge}
    assert shown == expected


def test_names_that_nothing_binds_are_kept_with_their_first_line_except_builtins(tmp_path: Path) -> None:
    source = (
        "import gone.part\nfrom .nowhere import x\n\ndef f(thing):\n    print(thing)\n    lost()\n    thing.lost()\n"
    )
    database = mapped(tmp_path, {"pkg/a.py": source})
    rows = database.fetch_rows("SELECT kind, name, line FROM unresolved ORDER BY line")
    assert [tuple(row) for row in rows] == [("imports", ".nowhere", 2), ("call", "lost", 6)]
