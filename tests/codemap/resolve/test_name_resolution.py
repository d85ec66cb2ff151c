"""Members are found in a class and in its bases, those of the project before those from outside."""

from __future__ import annotations

from pathlib import Path

import pytest

from holloway.codemap.resolve.imports.import_resolver import ImportResolver
from holloway.codemap.resolve.name_resolution import NameResolver
from holloway.codemap.resolve.resolution import ResolutionCache, Target, Targets
from holloway.codemap.resolve.scopes import Scopes
from tests.codemap.parse.shown import read
from tests.codemap.resolve.drawn import Files, edges, mapped

OUTSIDE: list[tuple[Files, set[str]]] = [
    (
        {
            "a.py": "from outside import Far\n\nclass Near(Far):\n    pass\n\nclass Here:\n    def go(self):\n        pass\n",
            "b.py": "from a import Near, Here\n\nclass Both(Near, Here):\n    def run(self):\n        self.go()\n",
        },
        {"b.py:Both.run calls a.py:Here.go"},
    ),
    (
        {
            "a.py": "class Zeal:\n    def go(self): ...\n\nclass Able:\n    def go(self): ...\n\nclass Both(Zeal, Able): ...\n\nBoth().go()\n"
        },
        {"a.py calls a.py:Zeal.go"},
    ),
    (
        {
            "src/lib.rs": "pub struct Reader;\nimpl std::io::Read for Reader { fn read(&mut self) { open() } }\npub fn open() {}\n",
        },
        {"src/lib.rs:Reader.read calls src/lib.rs:open"},
    ),
    (
        {
            "p/A.java": "package p;\nimport java.util.Iterator;\nclass A implements Iterator {\n  void next() { new B().go(); }\n}\n",
            "p/B.java": "package p;\nclass B {\n  void go() {}\n}\n",
        },
        {"p/A.java:A.next calls p/B.java:B.go", "p/A.java:A.next instantiates p/B.java:B"},
    ),
    (
        {
            "go.mod": "module m\n",
            "agent/agent.go": "package agent\n\ntype Agent struct{}\n\nfunc (a Agent) Name() {}\n",
            "main.go": 'package main\n\nimport "m/agent"\n\nfunc use(h hook) { h.agent.Name() }\n\ntype hook struct { agent agent.Agent }\n',
        },
        {"main.go:hook typed_as agent/agent.go:Agent", "main.go:use calls agent/agent.go:Agent.Name"},
    ),
]


@pytest.mark.parametrize(("project", "expected"), OUTSIDE)
def test_a_base_from_outside_does_not_hide_what_the_project_has(
    tmp_path: Path, project: Files, expected: set[str]
) -> None:
    found = edges(mapped(tmp_path, project), "calls", "typed_as", "instantiates", "calls_external")
    assert expected <= found
    assert not {edge for edge in found if "calls_external" in edge}


@pytest.mark.parametrize(
    ("source", "targets"),
    [
        ("import { x } from './gone'", ()),
        ("import * as gone from './gone'", ()),
        ("import * as all from './b'", (Target("module", "b.ts"),)),
        ("import * as far from 'react'", (Target("package", "react"),)),
    ],
)
def test_an_import_names_a_module_a_package_or_nothing(source: str, targets: Targets) -> None:
    importer = ImportResolver(["a.ts", "b.ts"], lambda path: "")
    names = NameResolver(importer, lambda path: None, ResolutionCache())
    facts = read("typescript", f"{source}\n")
    assert names.resolve_import(Scopes("a.ts", "typescript", facts), facts.imports[0]) == targets


def test_a_call_without_a_return_type_gives_what_the_function_returns(tmp_path: Path) -> None:
    source = (
        "class Shop:\n    def sell(self):\n        pass\n\ndef made():\n    return Shop()\n\n"
        "def use():\n    made().sell()\n"
    )
    assert "a.py:use calls a.py:Shop.sell" in edges(mapped(tmp_path, {"a.py": source}), "calls")


MEMBERS: list[tuple[Files, set[str]]] = [
    (
        {
            "a.py": "from b import *\n\ndef use():\n    far()\n    near()\n",
            "b.py": "from c import *\n\ndef near(): ...\n",
            "c.py": "from a import *\n\ndef far(): ...\n",
        },
        {"a.py:use calls b.py:near", "a.py:use calls c.py:far"},
    ),
    (
        {
            "a.py": "import pkg\nimport pkg.part\n\ndef use():\n    pkg.part.go()\n    pkg.run()\n",
            "pkg/__init__.py": "def run(): ...\n",
            "pkg/part.py": "def go(): ...\n",
        },
        {"a.py:use calls pkg/part.py:go", "a.py:use calls pkg/__init__.py:run"},
    ),
    (
        {
            "a.py": "class Shop:\n    @property\n    def till(self) -> 'Till':\n        ...\n\n"
            "class Till:\n    def open(self): ...\n\ndef use(shop: Shop):\n    shop.till.open()\n",
        },
        {"a.py:use calls a.py:Till.open"},
    ),
    (
        {
            "a.py": "class A:\n    def go(self): ...\n\nclass B:\n    def go(self): ...\n\n"
            "def use(x: A | B):\n    x.go()\n",
        },
        {"a.py:use calls a.py:A.go", "a.py:use calls a.py:B.go"},
    ),
    (
        {
            "a.py": "class A:\n    def go(self): ...\n\nclass B(A):\n    def go(self):\n        super().go()\n",
        },
        {"a.py:B.go calls a.py:A.go"},
    ),
    (
        {
            "a.py": "class Till:\n    def open(self): ...\n\nclass Factory:\n"
            "    def __call__(self) -> Till:\n        ...\n\nmake = Factory()\nmake().open()\n",
        },
        {"a.py calls a.py:Factory.__call__", "a.py calls a.py:Till.open"},
    ),
    (
        {
            "a.ts": "import make from './b'\nexport function use() { make() }\n",
            "b.ts": "export default function go() {}\n",
        },
        {"a.ts:use calls b.ts:go"},
    ),
    (
        {
            "p/A.java": "package p;\nimport static p.B.go;\nclass A { void use() { go(); } }\n",
            "p/B.java": "package p;\nclass B { static void go() {} }\n",
        },
        {"p/A.java:A.use calls p/B.java:B.go"},
    ),
    (
        {
            "src/lib.rs": "mod part;\nuse crate::part::inner::go;\npub fn run() { go() }\n",
            "src/part.rs": "pub mod inner {\n    pub fn go() {}\n}\n",
        },
        {"src/lib.rs:run calls src/part.rs:inner.go"},
    ),
    (
        {"a.rs": "mod inner {\n    pub fn go() {}\n}\nfn run() { inner::go(); inner::none() }\n"},
        {"a.rs:run calls a.rs:inner.go"},
    ),
    (
        {"a.ts": "namespace inner {\n  export function go() {}\n}\nfunction run() { inner.go(); inner.none() }\n"},
        {"a.ts:run calls a.ts:inner.go"},
    ),
    (
        {
            "go.mod": "module m\n",
            "a.go": "package main\n\nfunc main() { t := Till{}; t.Open(); run() }\n",
            "b.go": "package main\n\ntype Till struct{}\n\nfunc run() {}\n",
            "c.go": "package main\n\nfunc (t Till) Open() {}\n",
        },
        {"a.go:main calls c.go:Till.Open", "a.go:main calls b.go:run"},
    ),
]


@pytest.mark.parametrize(("project", "expected"), MEMBERS)
def test_a_call_leads_to_the_definition_that_its_language_means_and_nowhere_else(
    tmp_path: Path, project: Files, expected: set[str]
) -> None:
    assert edges(mapped(tmp_path, project), "calls") == expected
