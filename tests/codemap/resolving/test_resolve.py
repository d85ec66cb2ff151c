"""Names lead to the things they name, in every language that is read in full; what cannot be followed gives no edge."""

from __future__ import annotations

from pathlib import Path

import pytest

from holloway.codemap.database import MapDatabase, open_map
from holloway.codemap.index import index

Files = dict[str, str]


def mapped(tmp_path: Path, project: Files) -> MapDatabase:
    root = tmp_path / "project"
    for name, text in project.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    database = open_map(tmp_path / "map.db")
    index(database, root, workers=1)
    return database


def edges(database: MapDatabase, *kinds: str) -> set[str]:
    end = "COALESCE(f{0}.path, {0}.name) || CASE WHEN {0}.kind IN ('file', 'package') THEN '' ELSE ':' || {0}.qualified END"
    rows = database.rows(
        f"SELECT {end.format('s')}, e.kind, {end.format('t')} FROM edges e JOIN nodes s ON s.id = e.source"
        " JOIN nodes t ON t.id = e.target LEFT JOIN files fs ON fs.id = s.file LEFT JOIN files ft ON ft.id = t.file"
    )
    return {f"{row[0]} {row[1]} {row[2]}" for row in rows if not kinds or row[1] in kinds}


PYTHON: list[tuple[Files, set[str]]] = [
    (
        {
            "shop/__init__.py": "from .cart import Cart as Basket\n",
            "shop/cart.py": "class Cart:\n    def add(self):\n        return self.total()\n\n    def total(self): ...\n",
            "main.py": "from shop import Basket\n\ndef run():\n    Basket().add()\n",
        },
        {
            "main.py imports shop/__init__.py",
            "main.py imports_symbol shop/cart.py:Cart",
            "main.py:run instantiates shop/cart.py:Cart",
            "main.py:run calls shop/cart.py:Cart.add",
            "shop/cart.py:Cart.add calls shop/cart.py:Cart.total",
            "shop/__init__.py exports shop/cart.py:Cart",
        },
    ),
    (
        {
            "a.py": "import pkg.deep.mod as m\nimport pkg.deep.mod\n\nm.go()\n\ndef f():\n    pkg.deep.mod.go()\n",
            "pkg/__init__.py": "",
            "pkg/deep/__init__.py": "",
            "pkg/deep/mod.py": "def go():\n    pass\n",
        },
        {"a.py calls pkg/deep/mod.py:go", "a.py:f calls pkg/deep/mod.py:go"},
    ),
    (
        {
            "base.py": "class Base:\n    def save(self): ...\n    def clean(self): ...\n",
            "child.py": "from base import Base\n\nclass Child(Base):\n    def save(self):\n        super().save()\n        self.clean()\n",
        },
        {
            "child.py:Child extends base.py:Base",
            "child.py:Child.save overrides base.py:Base.save",
            "child.py:Child.save calls base.py:Base.save",
            "child.py:Child.save calls base.py:Base.clean",
        },
    ),
    (
        {
            "repo.py": "class Repo:\n    def get(self): ...\n\ndef connect() -> Repo:\n    return Repo()\n",
            "app.py": (
                "from repo import Repo, connect\n\nclass App:\n    def __init__(self, repo: Repo):\n        self.repo = repo\n"
                "    def show(self):\n        self.repo.get()\n\ndef main():\n    connect().get()\n    r = connect()\n    r.get()\n"
            ),
        },
        {
            "app.py:App.show calls repo.py:Repo.get",
            "app.py:main calls repo.py:Repo.get",
            "app.py:App.__init__ typed_as repo.py:Repo",
        },
    ),
    (
        {"settings.py": "DEBUG: bool = True\n", "use.py": "from settings import DEBUG\n"},
        {"use.py imports_symbol settings.py:DEBUG"},
    ),
    (
        {
            "src/app/core.py": "def start(): ...\n",
            "src/app/__init__.py": "from .core import *\n",
            "tests/test_core.py": "import app\n\ndef test_start():\n    app.start()\n",
        },
        {
            "tests/test_core.py:test_start calls src/app/core.py:start",
            "src/app/core.py tested_by tests/test_core.py",
        },
    ),
]

SCRIPT: list[tuple[Files, set[str]]] = [
    (
        {
            "src/index.ts": "export * from './router'\nexport { default as App, helper as h } from './app'\n",
            "src/router.ts": "export class Router { match(path: string) { return this.find(path) }\n find(p: string) { return p } }\n",
            "src/app.ts": "import { Router } from './router'\nexport default class App { private router: Router = new Router()\n run() { this.router.match('/') } }\nexport const helper = () => new App()\n",
            "src/main.ts": "import { App, h } from './index'\nimport * as all from './index'\nconst app = new App()\napp.run()\nh().run()\nfunction go() { new all.Router() }\n",
        },
        {
            "src/main.ts imports src/index.ts",
            "src/main.ts instantiates src/app.ts:App",
            "src/main.ts calls src/app.ts:App.run",
            "src/main.ts calls src/app.ts:helper",
            "src/main.ts:go instantiates src/router.ts:Router",
            "src/app.ts:App.run calls src/router.ts:Router.match",
            "src/router.ts:Router.match calls src/router.ts:Router.find",
        },
    ),
    (
        {
            "tsconfig.json": '{ // comment\n "compilerOptions": { "baseUrl": ".", "paths": { "@/*": ["src/*"] }, } }',
            "src/lib/date.ts": "export function format() {}\n",
            "src/page.tsx": "import { format } from '@/lib/date'\nexport const Page = () => { format(); return <div/> }\n",
        },
        {"src/page.tsx imports src/lib/date.ts", "src/page.tsx:Page calls src/lib/date.ts:format"},
    ),
    (
        {
            "package.json": '{"workspaces": ["packages/*"]}',
            "packages/core/package.json": '{"name": "@acme/core", "main": "dist/index.js"}',
            "packages/core/src/index.ts": "export function boot() {}\n",
            "packages/web/package.json": '{"name": "@acme/web"}',
            "packages/web/src/app.js": "import { boot } from '@acme/core'\nimport React from 'react'\nboot()\n",
        },
        {
            "packages/web/src/app.js imports packages/core/src/index.ts",
            "packages/web/src/app.js calls packages/core/src/index.ts:boot",
            "packages/web/src/app.js imports react",
        },
    ),
    (
        {
            "lib/util.js": "function one() {}\nmodule.exports = { one }\n",
            "lib/use.js": "const { one } = require('./util')\nfunction two() { one() }\n",
        },
        {"lib/use.js imports lib/util.js"},
    ),
    (
        {
            "a.ts": "export interface Store { get(): void }\nexport abstract class Base {}\n",
            "b.ts": "import { Store, Base } from './a.js'\nexport class Memory extends Base implements Store { get() {} }\n",
        },
        {"b.ts imports a.ts", "b.ts:Memory extends a.ts:Base", "b.ts:Memory implements a.ts:Store"},
    ),
]

GO: list[tuple[Files, set[str]]] = [
    (
        {
            "go.mod": "module example.org/shop\n\ngo 1.22\n",
            "cmd/shop/main.go": 'package main\n\nimport (\n\t"fmt"\n\n\tst "example.org/shop/internal/store"\n)\n\nfunc main() {\n\ts := st.Open()\n\ts.Get()\n\tfmt.Println()\n}\n',
            "internal/store/open.go": "package store\n\nfunc Open() *Store { return &Store{} }\n",
            "internal/store/store.go": "package store\n\ntype Store struct{ cache Cache }\n\nfunc (s *Store) Get() { s.cache.Read(); helper() }\n",
            "internal/store/cache.go": "package store\n\ntype Cache struct{}\n\nfunc (c Cache) Read() {}\n\nfunc helper() {}\n",
        },
        {
            "cmd/shop/main.go imports internal/store/open.go",
            "cmd/shop/main.go:main calls internal/store/open.go:Open",
            "cmd/shop/main.go:main calls internal/store/store.go:Store.Get",
            "cmd/shop/main.go:main calls_external fmt",
            "internal/store/store.go:Store.Get calls internal/store/cache.go:Cache.Read",
            "internal/store/store.go:Store.Get calls internal/store/cache.go:helper",
            "internal/store/open.go:Open instantiates internal/store/store.go:Store",
        },
    )
]

RUST: list[tuple[Files, set[str]]] = [
    (
        {
            "Cargo.toml": '[package]\nname = "grep-tool"\n',
            "src/lib.rs": "pub mod search;\nmod walk;\npub use search::Searcher;\n",
            "src/search.rs": "use crate::walk::walk;\n\npub struct Searcher;\n\nimpl Searcher {\n    pub fn new() -> Searcher { Searcher }\n    pub fn run(&self) { self.step(); walk(); }\n    fn step(&self) {}\n}\n",
            "src/walk.rs": "pub fn walk() {}\n",
            "src/main.rs": "use grep_tool::Searcher;\n\nfn main() {\n    let s = Searcher::new();\n    s.run();\n}\n",
        },
        {
            "src/lib.rs imports src/search.rs",
            "src/search.rs imports src/walk.rs",
            "src/search.rs:Searcher.run calls src/walk.rs:walk",
            "src/search.rs:Searcher.run calls src/search.rs:Searcher.step",
        },
    )
]

JAVA: list[tuple[Files, set[str]]] = [
    (
        {
            "src/main/java/org/shop/Cart.java": "package org.shop;\n\nimport org.shop.money.Price;\n\npublic class Cart extends Base {\n  private Price price = new Price();\n  public void pay() { price.charge(); done(); }\n  void done() {}\n}\n",
            "src/main/java/org/shop/Base.java": "package org.shop;\n\npublic abstract class Base {}\n",
            "src/main/java/org/shop/money/Price.java": "package org.shop.money;\n\npublic class Price {\n  public void charge() {}\n}\n",
        },
        {
            "src/main/java/org/shop/Cart.java imports src/main/java/org/shop/money/Price.java",
            "src/main/java/org/shop/Cart.java:Cart extends src/main/java/org/shop/Base.java:Base",
            "src/main/java/org/shop/Cart.java:Cart.pay calls src/main/java/org/shop/money/Price.java:Price.charge",
            "src/main/java/org/shop/Cart.java:Cart.pay calls src/main/java/org/shop/Cart.java:Cart.done",
        },
    )
]

REST: list[tuple[Files, set[str]]] = [
    (
        {"src/a.c": '#include "lib/b.h"\nint main() { return 0; }\n', "src/lib/b.h": "int b(void);\n"},
        {"src/a.c imports src/lib/b.h"},
    ),
    ({"lib/a.rb": "require_relative 'b'\n", "lib/b.rb": "class B\nend\n"}, {"lib/a.rb imports lib/b.rb"}),
]


@pytest.mark.parametrize(("project", "expected"), [*PYTHON, *SCRIPT, *GO, *RUST, *JAVA, *REST])
def test_names_are_followed_to_what_they_name(tmp_path: Path, project: Files, expected: set[str]) -> None:
    found = edges(mapped(tmp_path, project))
    assert expected - found == set()


@pytest.mark.promise("map-does-not-guess")
def test_what_cannot_be_followed_is_kept_apart_and_gives_no_edge(tmp_path: Path) -> None:
    database = mapped(
        tmp_path, {"a.py": "def f(thing):\n    thing.run()\n", "b.py": "class Job:\n    def run(self): ...\n"}
    )
    assert not edges(database, "calls")
    assert [tuple(row) for row in database.rows("SELECT kind, name, line FROM unresolved")] == [("call", "run", 2)]


def test_a_name_of_the_standard_library_is_not_taken_for_a_file_elsewhere(tmp_path: Path) -> None:
    database = mapped(
        tmp_path,
        {"a.py": "import json\n\njson.dumps(1)\n", "pkg/__init__.py": "", "pkg/json.py": "def dumps(x): ...\n"},
    )
    assert edges(database) == {"a.py imports json", "a.py calls_external json"}


def test_cycles_of_imports_and_aliases_come_to_an_end(tmp_path: Path) -> None:
    database = mapped(
        tmp_path,
        {
            "a.py": "from b import *\nfrom b import x as y\nx = y\ny = x\nx()\n",
            "b.py": "from a import *\nfrom a import y as x\n",
        },
    )
    assert "a.py imports b.py" in edges(database)


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
