"""Imports of Go, Java, Rust, C, Ruby and PHP lead to files."""

from __future__ import annotations

from pathlib import Path

import pytest

from holloway.codemap.resolve.imports.file_tree import FileTree, ImportTarget
from holloway.codemap.resolve.imports.other_languages import RustImports
from tests.codemap.resolve.drawn import Files, edges, mapped

GO_PROJECTS: list[tuple[Files, set[str]]] = [
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
JAVA_PROJECTS: list[tuple[Files, set[str]]] = [
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
RUST_PROJECTS: list[tuple[Files, set[str]]] = [
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


@pytest.mark.parametrize(("project", "expected"), GO_PROJECTS)
def test_names_of_go_are_followed_to_what_they_name(tmp_path: Path, project: Files, expected: set[str]) -> None:
    assert expected - edges(mapped(tmp_path, project)) == set()


def test_the_version_at_the_end_of_a_path_is_not_the_name_of_the_package(tmp_path: Path) -> None:
    project = {
        "go.mod": "module example.org/shop\n",
        "store/v2/open.go": "package store\n\nfunc Open() {}\n",
        "main.go": 'package main\n\nimport "example.org/shop/store/v2"\n\nfunc main() { store.Open() }\n',
    }
    assert "main.go:main calls store/v2/open.go:Open" in edges(mapped(tmp_path, project))


@pytest.mark.parametrize(("project", "expected"), JAVA_PROJECTS)
def test_names_of_java_are_followed_to_what_they_name(tmp_path: Path, project: Files, expected: set[str]) -> None:
    assert expected - edges(mapped(tmp_path, project)) == set()


def test_a_static_import_names_a_member_of_the_class_of_its_file(tmp_path: Path) -> None:
    project = {
        "a/Tools.java": "package a;\n\npublic class Tools {\n  public static void fix() {}\n}\n",
        "b/Use.java": "package b;\n\nimport static a.Tools.fix;\n\nclass Use {\n  void run() { fix(); }\n}\n",
    }
    assert edges(mapped(tmp_path, project), "calls") == {"b/Use.java:Use.run calls a/Tools.java:Tools.fix"}


@pytest.mark.parametrize(("project", "expected"), RUST_PROJECTS)
def test_names_of_rust_are_followed_to_what_they_name(tmp_path: Path, project: Files, expected: set[str]) -> None:
    assert expected - edges(mapped(tmp_path, project)) == set()


def test_super_of_a_module_inside_a_file_is_the_file(tmp_path: Path) -> None:
    project = {
        "Cargo.toml": '[package]\nname = "one"\n',
        "src/lib.rs": "pub mod deep;\npub fn go() {}\n",
        "src/deep.rs": "pub fn go() {}\n\nmod inner {\n    use super::go;\n    fn run() { go(); }\n}\n",
    }
    assert edges(mapped(tmp_path, project), "calls") == {"src/deep.rs:inner.run calls src/deep.rs:go"}


def test_each_program_is_a_crate_of_its_own(tmp_path: Path) -> None:
    project = {
        "Cargo.toml": '[package]\nname = "one"\n',
        "src/lib.rs": "pub fn open() {}\n",
        "src/main.rs": "mod inner {\n    use crate::start;\n    fn run() { start(); }\n}\nfn start() {}\n",
        "src/bin/other.rs": "mod part;\nfn main() { part::go(); }\n",
        "src/bin/part.rs": "use one::open;\npub fn go() { open(); }\n",
    }
    assert edges(mapped(tmp_path, project), "calls") == {
        "src/main.rs:inner.run calls src/main.rs:start",
        "src/bin/other.rs:main calls src/bin/part.rs:go",
        "src/bin/part.rs:go calls src/lib.rs:open",
    }


def find(module: str, origin: str = "src/lib.rs") -> ImportTarget:
    texts = {"Cargo.toml": '[package]\nname = "the-shop"\n', "kit/Cargo.toml": '[package]\nname = "kit"\n'}
    paths = [
        "src/lib.rs",
        "src/part.rs",
        "src/part/deep.rs",
        "src/till/mod.rs",
        "kit/src/lib.rs",
        "kit/src/a.rs",
        *texts,
    ]
    return RustImports(FileTree(paths, lambda path: texts.get(path, ""))).find_target(origin, module)


@pytest.mark.parametrize(
    ("module", "origin", "path"),
    [
        ("crate", "src/part.rs", "src/lib.rs"),
        ("crate::part::deep::Thing", "src/till/mod.rs", "src/part/deep.rs"),
        ("crate::till", "src/part.rs", "src/till/mod.rs"),
        ("self::deep", "src/part.rs", "src/part/deep.rs"),
        ("super::till", "src/part.rs", "src/till/mod.rs"),
        ("super::super::till", "src/part/deep.rs", "src/till/mod.rs"),
        ("part", "src/lib.rs", "src/part.rs"),
        ("the_shop::part", "kit/src/a.rs", "src/part.rs"),
        ("kit::a::Thing", "src/part.rs", "kit/src/a.rs"),
    ],
)
def test_a_module_path_leads_to_its_deepest_file(module: str, origin: str, path: str) -> None:
    assert find(module, origin) == ImportTarget(path)


def test_a_path_without_a_crate_is_a_local_module_only_if_all_of_it_is_there() -> None:
    assert find("part::deep") == ImportTarget("src/part/deep.rs")
    assert find("part::Thing") == ImportTarget(package="part")
    assert find("serde::de") == ImportTarget(package="serde")


def test_an_included_file_is_found_beside_or_by_the_end_of_its_path(tmp_path: Path) -> None:
    project = {
        "src/a.c": '#include "lib/b.h"\n#include "far/c.h"\n#include <stdio.h>\nint main() { return 0; }\n',
        "src/lib/b.h": "int b(void);\n",
        "include/far/c.h": "int c(void);\n",
    }
    assert edges(mapped(tmp_path, project), "imports") == {
        "src/a.c imports src/lib/b.h",
        "src/a.c imports include/far/c.h",
        "src/a.c imports stdio.h",
    }


def test_a_required_file_is_found_beside_below_lib_or_by_the_end_of_its_path(tmp_path: Path) -> None:
    project = {
        "lib/a.rb": "require_relative 'b'\nrequire 'shop/cart'\nrequire 'far/end'\nrequire 'rails/all'\n",
        "lib/b.rb": "class B\nend\n",
        "lib/shop/cart.rb": "class Cart\nend\n",
        "vendor_code/far/end.rb": "class End\nend\n",
    }
    assert edges(mapped(tmp_path, project), "imports") == {
        "lib/a.rb imports lib/b.rb",
        "lib/a.rb imports lib/shop/cart.rb",
        "lib/a.rb imports vendor_code/far/end.rb",
        "lib/a.rb imports rails",
    }


def test_a_class_is_found_by_the_part_of_its_name_that_folders_have(tmp_path: Path) -> None:
    project = {
        "src/Shop/Cart.php": "<?php\nnamespace App\\Shop;\nclass Cart {}\n",
        "public/index.php": "<?php\nuse App\\Shop\\Cart;\nuse Far\\Away\\Thing;\n$cart = new Cart();\n",
    }
    assert edges(mapped(tmp_path, project), "imports") == {
        "public/index.php imports src/Shop/Cart.php",
        "public/index.php imports Far",
    }
