"""Whatever the edits and their order, the map ends as one clean index would make it."""

from __future__ import annotations

import gc
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holloway.codemap import index, process_pool
from holloway.codemap.database import MapDatabase, open_map
from holloway.codemap.index import update_index

FILES: dict[str, list[str]] = {
    "pkg/__init__.py": ["", "from .a import one\n", "from .b import *\n", "from pkg.a import one as two\n"],
    "pkg/a.py": [
        "def one():\n    return Thing()\n\nclass Thing:\n    def go(self):\n        return one()\n",
        "from .b import helper as one\n",
        "import pkg.b\n\ndef one():\n    pkg.b.helper()\n\nclass Thing(pkg.b.Base):\n    def go(self):\n        self.stop()\n",
    ],
    "pkg/b.py": [
        "def helper():\n    pass\n\nclass Base:\n    def stop(self):\n        pass\n",
        "from .a import Thing\n\n\ndef helper() -> Thing:\n    return Thing()\n",
        "from . import a\n\nhelper = a.one\nclass Base(a.Thing):\n    pass\n",
    ],
    "pkg/sub/__init__.py": ["", "from ..a import Thing\n"],
    "pkg/sub/deep.py": ["import b\n\nb.helper()\n", "from pkg import one\n\ndef deep():\n    one().go()\n"],
    "b.py": ["def helper():\n    pass\n", "from pkg import one\n\none()\n"],
    "tests/test_a.py": [
        "from pkg.a import one\n\ndef test_one():\n    one()\n",
        "import pkg\n\ndef test_one():\n    pkg.one().go()\n",
    ],
    "pkg/sub/far.py": ["import pkg\n\npkg.b.helper()\npkg.sub.deep.deep()\npkg.plain.late.last()\n"],
    "pkg/plain/late.py": ["def last():\n    pass\n", "import sub.deep\n\nsub.deep.deep()\n"],
    "loose/deep/end.py": ["def end():\n    pass\n"],
    "loose.py": ["import sub\n\nsub.deep.deep()\n", "import loose.deep\n\nloose.deep.end.end()\n"],
    "app.ts": ["import { run } from '@m/web'\nimport { go } from '@here/two-words'\nrun()\ngo()\n"],
    "web/package.json": ['{"name": "@m/web", "main": "dist/start.js"}\n'],
    "web/src/start.ts": ["export function run() {}\n", "export * from './two-words'\n"],
    "web/src/index.ts": ["export { go as run } from './two-words'\n"],
    "web/src/two-words.ts": ["export function go() {}\n"],
    "tsconfig.json": ['{"compilerOptions": {"paths": {"@here/*": ["./web/src/*", "./lib/*/src"]}}}\n'],
    "lib/two-words/src/index.ts": ["export const go = () => {}\n"],
    "Cargo.toml": ['[package]\nname = "the-crate"\n'],
    "src/lib.rs": ["mod part;\npub fn open() { part::read() }\n", "pub fn read() {}\n"],
    "src/part.rs": ["pub fn read() {}\n", "use super::open;\npub fn read() { open() }\n"],
    "src/part/mod.rs": ["pub fn read() {}\n"],
    "tests/all.rs": ["use the_crate::part;\nuse the_crate::open;\nfn all() { open(); part::read() }\n"],
    "top.go": ["package m\n\nfunc Top() {}\n"],
    "cmd/other.go": ['package main\n\nimport "example.org/m"\n\nfunc other() { m.Top() }\n'],
    "web/index.ts": ["export * from './run'\n", "import { run } from './run'\nrun()\n"],
    "web/run.ts": [
        "export function run() { return new Box() }\nexport class Box { open() {} }\n",
        "import Box from './box'\nexport const run = () => { new Box().open() }\n",
    ],
    "web/box.ts": ["export default class Box { open() { this.close() }\n close() {} }\n", "export const x = 1\n"],
    "web/run/index.ts": ["export function run() {}\n"],
    "go.mod": ["module example.org/m\n"],
    "cmd/main.go": ['package main\n\nimport "example.org/m/store"\n\nfunc main() { store.Open().Get() }\n'],
    "store/open.go": ["package store\n\nfunc Open() *Store { return &Store{} }\n"],
    "store/store.go": [
        "package store\n\ntype Store struct{}\n\nfunc (s *Store) Get() { helper() }\n",
        "package store\n\nfunc (s *Store) Get() { s.Put() }\n\nfunc (s *Store) Put() {}\n\ntype Store struct{}\n",
    ],
    "store/help.go": ["package store\n\nfunc helper() {}\n", "package store\n\ntype Other struct{}\n"],
    "README.md": ["# One\n\ntext\n", "# Two\n\nother words\n"],
}


def write(root: Path, name: str, text: str | None) -> None:
    path = root / name
    if text is None:
        path.unlink(missing_ok=True)
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def content(database: MapDatabase) -> dict[str, list[tuple[object, ...]]]:
    """The whole map without ids, which depend on the order of work."""
    node = "COALESCE((SELECT path FROM files WHERE id = {0}.file) || ':', '') || {0}.kind || ' ' || {0}.qualified"
    queries = {
        "files": "SELECT path, language, role, hash, interface, lines FROM files",
        "nodes": f"SELECT {node.format('n')}, n.line, n.end_line, n.signature, n.exported, {node.format('p')} FROM nodes n"
        " LEFT JOIN nodes p ON p.id = n.parent",
        "edges": f"SELECT {node.format('s')}, {node.format('t')}, e.kind, e.origin, e.confidence, e.line, f.path FROM edges e"
        " LEFT JOIN nodes s ON s.id = e.source LEFT JOIN nodes t ON t.id = e.target LEFT JOIN files f ON f.id = e.file",
        "unresolved": "SELECT f.path, u.kind, u.name, u.line FROM unresolved u JOIN files f ON f.id = u.file",
        "consulted": "SELECT f.path, s.path FROM consulted c LEFT JOIN files f ON f.id = c.file LEFT JOIN files s ON s.id = c.seen",
        "chunks": "SELECT f.path, c.kind, c.name, c.line, c.end_line, c.head, c.body FROM chunks c JOIN files f ON f.id = c.file",
        "text": "SELECT term, doc, cnt FROM chunk_vocabulary",
    }
    database.execute("CREATE VIRTUAL TABLE IF NOT EXISTS temp.chunk_vocabulary USING fts5vocab (main, chunk_text, row)")
    return {name: sorted((tuple(row) for row in database.fetch_rows(sql)), key=repr) for name, sql in queries.items()}


def clean(root: Path, place: Path) -> dict[str, list[tuple[object, ...]]]:
    database = open_map(place)
    update_index(database, root, workers=1)
    try:
        return content(database)
    finally:
        database.close()


def test_a_method_may_stand_before_its_type_or_in_another_file(tmp_path: Path) -> None:
    root = tmp_path / "project"
    write(root, "store/get.go", "package store\n\nfunc (s *Store) Get() { s.Put() }\n")
    write(
        root,
        "store/store.go",
        "package store\n\nfunc (s *Store) Put() { s.Get() }\n\ntype Store struct{}\n\nfunc (s *Store) End() {}\n",
    )
    database = open_map(tmp_path / "map.db")
    update_index(database, root, workers=1)
    parents = "SELECT n.qualified, p.qualified FROM nodes n JOIN nodes p ON p.id = n.parent WHERE n.kind = 'method'"
    assert {tuple(row) for row in database.fetch_rows(parents)} == {
        ("Store.Get", "store/get.go"),
        ("Store.Put", "Store"),
        ("Store.End", "Store"),
    }
    calls = (
        "SELECT s.qualified, t.qualified FROM edges e JOIN nodes s ON s.id = e.source JOIN nodes t ON t.id = e.target"
        " WHERE e.kind = 'calls'"
    )
    assert {tuple(row) for row in database.fetch_rows(calls)} == {
        ("Store.Get", "Store.Put"),
        ("Store.Put", "Store.Get"),
    }


def test_a_piece_whose_text_stays_keeps_its_number_wherever_it_moves(tmp_path: Path) -> None:
    root = tmp_path / "project"
    write(root, "a.py", "def first():\n    return 1\n\n\ndef second():\n    return 2\n")
    database = open_map(tmp_path / "map.db")
    update_index(database, root, workers=1)
    before = {row[0]: row[1] for row in database.fetch_rows("SELECT name, id FROM chunks WHERE kind = 'function'")}
    write(root, "a.py", "import os\n\n\ndef first():\n    return 3\n\n\ndef second():\n    return 2\n")
    update_index(database, root, workers=1, only=["a.py"])
    after = {row[0]: (row[1], row[2]) for row in database.fetch_rows("SELECT name, id, line FROM chunks")}
    assert after["second"] == (before["second"], 8)
    assert after["first"][0] != before["first"]
    assert content(database) == clean(root, tmp_path / "clean.db")


edits = st.lists(
    st.sampled_from(sorted(FILES)).flatmap(
        lambda name: st.tuples(st.just(name), st.one_of(st.none(), st.sampled_from(FILES[name])))
    ),
    min_size=1,
    max_size=6,
)


start = st.sets(st.sampled_from(sorted(FILES)))
rounds = st.lists(edits, min_size=1, max_size=4)


@pytest.mark.promise("map-is-true")
@settings(max_examples=60, deadline=None, derandomize=True)
@given(start=start, rounds=rounds, data=st.data())
def test_any_sequence_of_edits_ends_in_the_map_of_one_clean_index(
    start: set[str], rounds: list[list[tuple[str, str | None]]], data: st.DataObject
) -> None:
    edited(start, rounds, data)


@pytest.mark.nightly
@settings(max_examples=1_500, deadline=None)
@given(start=start, rounds=rounds, data=st.data())
def test_any_other_sequence_of_edits_does_too(
    start: set[str], rounds: list[list[tuple[str, str | None]]], data: st.DataObject
) -> None:
    edited(start, rounds, data)


def edited(start: set[str], rounds: list[list[tuple[str, str | None]]], data: st.DataObject) -> None:
    with TemporaryDirectory() as folder:
        base = Path(folder)
        root = base / "project"
        root.mkdir()
        for name in sorted(start):
            write(root, name, data.draw(st.sampled_from(FILES[name])))
        database = open_map(base / "map.db")
        update_index(database, root, workers=1)
        for number, one in enumerate(rounds):
            for name, text in one:
                write(root, name, text)
            update_index(database, root, workers=1, only=[name for name, _ in one] if number % 2 else None)
            assert content(database) == clean(root, base / f"clean-{number}.db")
        database.close()


@pytest.mark.parametrize("frozen", [True, False])
def test_the_collector_of_the_program_is_left_as_it_was(tmp_path: Path, frozen: bool) -> None:
    (tmp_path / "a.py").write_text("def one(): ...\n")
    (gc.freeze if frozen else gc.unfreeze)()
    try:
        before = gc.get_freeze_count()
        database = open_map(tmp_path / "map.db")
        update_index(database, tmp_path, workers=1)
        database.close()
        assert gc.isenabled()
        assert bool(gc.get_freeze_count()) is bool(before) is frozen
    finally:
        gc.freeze()  # as it is for all tests


@pytest.mark.parametrize(
    ("workers", "files", "started"), [(2, 3, [2]), (3, 3, [3]), (1, 3, []), (2, 2, []), (0, 3, [4])]
)
def test_processes_parse_many_files_if_there_is_more_than_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, workers: int, files: int, started: list[int]
) -> None:
    counts: list[int] = []

    def start_workers(count: int, *arguments: object) -> AbstractContextManager[None]:
        counts.append(count)
        return nullcontext()

    monkeypatch.setattr(index, "PARALLEL_FILES_MIN", 3)
    monkeypatch.setattr("os.cpu_count", lambda: 4)
    monkeypatch.setattr(process_pool, "start_workers", start_workers)
    root = tmp_path / "project"
    root.mkdir()
    for number in range(files):
        (root / f"f{number}.py").write_text("x = 1\n")
    database = open_map(tmp_path / "map.db")
    update_index(database, root, workers=workers)
    assert database.fetch_value("SELECT count(*) FROM files") == files
    database.close()
    assert counts == started


def test_only_an_update_of_all_files_counts_as_an_index(tmp_path: Path) -> None:
    root = tmp_path / "project"
    write(root, "a.py", "A = 1\n")
    write(root, "b.py", "B = 1\n")
    database = open_map(tmp_path / "map.db")
    update_index(database, root, workers=1, only=["a.py"])
    assert not database.get_meta("indexed_ns")
    update_index(database, root, workers=1)
    indexed = database.get_meta("indexed_ns")
    assert indexed
    update_index(database, root, workers=1, only=["b.py"])
    assert database.get_meta("indexed_ns") == indexed


def test_a_change_of_a_configuration_that_another_extends_resolves_all_files_again(tmp_path: Path) -> None:
    root = tmp_path / "project"
    write(root, "tsconfig.json", '{"extends": "./config/shared"}')
    write(root, "config/shared.json", '{"compilerOptions": {"paths": {"@/*": ["../src/*"]}}}')
    write(root, "src/a.ts", "export function load() {}\n")
    write(root, "lib/a.ts", "export function load() {}\n")
    write(root, "main.ts", "import { load } from '@/a'\nload()\n")
    database = open_map(tmp_path / "map.db")
    update_index(database, root, workers=1)
    write(root, "config/shared.json", '{"compilerOptions": {"paths": {"@/*": ["../lib/*"]}}}')
    update_index(database, root, workers=1)
    assert content(database) == clean(root, tmp_path / "clean.db")
