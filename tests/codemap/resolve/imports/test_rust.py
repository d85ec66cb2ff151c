"""Module paths and crates of Rust lead to files."""

from __future__ import annotations

from pathlib import Path

import pytest

from holloway.codemap.resolve.imports.file_tree import FileTree, ImportTarget
from holloway.codemap.resolve.imports.rust import RustImports
from tests.codemap.resolve.drawn import Files, edges, mapped

PROJECTS: list[tuple[Files, set[str]]] = [
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


@pytest.mark.parametrize(("project", "expected"), PROJECTS)
def test_names_are_followed_to_what_they_name(tmp_path: Path, project: Files, expected: set[str]) -> None:
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
