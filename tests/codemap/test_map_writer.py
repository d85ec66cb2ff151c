"""Rows of a file replace its former ones; what stays the same keeps its id."""

from __future__ import annotations

from pathlib import Path

import pytest

from holloway.codemap.database import MapDatabase, open_map
from holloway.codemap.map_writer import MapWriter
from holloway.codemap.parse.facts import Facts
from holloway.codemap.parse.parser import ParsedFile, parse_file
from holloway.codemap.parse.source_files import ListedFile
from holloway.codemap.resolve.resolution import Edge, Resolution
from holloway.codemap.resolve.scopes import Scopes

SHOP = "import money\n\n\nclass Shop:\n    def sell(self):\n        pass\n\n\ndef make():\n    pass\n"


class Writing:
    """A map that files are written to, each time by a new writer unless one is kept."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "project"
        self.root.mkdir()
        self.database = open_map(folder / "map.db")
        self.parsed: dict[str, ParsedFile] = {}
        self.renew()

    def renew(self) -> None:
        self.writer = MapWriter(self.database, self.load_scopes)

    def load_scopes(self, path: str) -> Scopes | None:
        facts = self.parsed[path].facts
        return Scopes(path, "python", facts) if facts else None

    def write(self, path: str, text: str, file: int | None = None) -> int:
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)
        parsed = self.parsed[path] = parse_file(self.root, ListedFile(path, len(text), 7))
        with self.database.write_transaction():
            return self.writer.write_file(parsed, parsed.facts or Facts(), file)

    def rows(self, sql: str) -> list[tuple[object, ...]]:
        return [tuple(row) for row in self.database.fetch_rows(sql)]

    def ids(self) -> dict[str, int]:
        return {row[0]: row[1] for row in self.database.fetch_rows("SELECT qualified, id FROM nodes")}

    def found(self, word: str) -> list[str]:
        sql = "SELECT c.name FROM chunk_text t JOIN chunks c ON c.id = t.rowid WHERE chunk_text MATCH ? ORDER BY c.id"
        return [row[0] for row in self.database.fetch_rows(sql, (word,))]


@pytest.fixture
def writing(tmp_path: Path) -> Writing:
    return Writing(tmp_path)


def edge(kind: str, source: int, path: str, target: int, *, line: int = 1, confidence: float = 0.9) -> Edge:
    return Edge(kind, source, path, target, is_package=False, confidence=confidence, line=line)


def resolve(writing: Writing, path: str, *edges: Edge, consulted: set[str] | None = None) -> None:
    with writing.database.write_transaction():
        writing.writer.write_resolution(path, Resolution(list(edges), [("call", "gone", 3)], consulted or set()))


def edges(database: MapDatabase) -> list[tuple[object, ...]]:
    sql = (
        "SELECT s.qualified, e.kind, t.qualified, e.line, e.confidence FROM edges e"
        " JOIN nodes s ON s.id = e.source JOIN nodes t ON t.id = e.target ORDER BY 1, 2, 3"
    )
    return [tuple(row) for row in database.fetch_rows(sql)]


def test_a_file_is_written_with_its_definitions_words_and_chunks(writing: Writing) -> None:
    file = writing.write("pkg/shop.py", SHOP)
    assert writing.rows("SELECT id, path, size, mtime_ns, language, role, lines FROM files") == [
        (file, "pkg/shop.py", len(SHOP), 7, "python", "source", 11)
    ]
    assert writing.rows("SELECT kind, qualified, line, end_line, exported FROM nodes ORDER BY id") == [
        ("file", "pkg/shop.py", 1, 11, 1),
        ("class", "Shop", 4, 6, 1),
        ("method", "Shop.sell", 5, 6, 1),
        ("function", "make", 9, 10, 1),
    ]
    ids = writing.ids()
    parents = {row[0]: row[1] for row in writing.rows("SELECT qualified, parent FROM nodes")}
    assert parents["Shop.sell"] == ids["Shop"]
    assert parents["Shop"] == parents["make"] == ids["pkg/shop.py"]
    assert writing.rows("SELECT word, file FROM import_words") == [("money", file)]
    assert writing.rows("SELECT data FROM mentions") == [(writing.parsed["pkg/shop.py"].mentions,)]
    assert writing.found("sell") == ["Shop"]


def test_unchanged_definitions_keep_their_ids_and_removed_ones_lose_their_rows(writing: Writing) -> None:
    file = writing.write("shop.py", SHOP)
    before = writing.ids()
    changed = "import cash\n\n\ndef new():\n    pass\n\n\n" + SHOP.replace("import money\n\n\n", "").replace(
        "make", "build"
    )
    assert writing.write("shop.py", changed, file) == file
    after = writing.ids()
    assert {name: after[name] for name in ("shop.py", "Shop", "Shop.sell")} == {
        name: before[name] for name in ("shop.py", "Shop", "Shop.sell")
    }
    assert "make" not in after
    assert not {after["new"], after["build"]} & set(before.values())
    assert writing.rows("SELECT word FROM import_words") == [("cash",)]
    assert (writing.found("build"), writing.found("make")) == (["build"], [])


def test_definitions_of_one_name_are_told_apart_by_their_order(writing: Writing) -> None:
    file = writing.write("a.py", "def one():\n    return 1\n\n\ndef one():\n    return 2\n")
    before = writing.rows("SELECT id, line FROM nodes WHERE name = 'one' ORDER BY id")
    writing.write("a.py", "\n\ndef one():\n    return 1\n\n\ndef one():\n    return 2\n", file)
    after = writing.rows("SELECT id, line FROM nodes WHERE name = 'one' ORDER BY id")
    assert [row[0] for row in after] == [row[0] for row in before]
    assert [row[1] for row in after] == [3, 7]


def test_an_edge_leads_to_the_right_one_of_several_definitions_of_a_name(writing: Writing) -> None:
    writing.write("a.py", "def once():\n    pass\n\n\n" * 3 + "def use():\n    pass\n")
    writing.renew()
    resolve(writing, "a.py", edge("calls", 3, "a.py", 2))
    sql = "SELECT s.name, t.line FROM edges e JOIN nodes s ON s.id = e.source JOIN nodes t ON t.id = e.target"
    assert writing.rows(sql) == [("use", 9)]


def test_a_chunk_that_only_moved_keeps_its_row_and_can_still_be_found(writing: Writing) -> None:
    file = writing.write("a.py", SHOP)
    (chunk,) = writing.rows("SELECT id, line FROM chunks WHERE name = 'make'")
    writing.write("a.py", SHOP.replace("import money\n", "import money\nimport cash\n"), file)
    (moved,) = writing.rows("SELECT id, line FROM chunks WHERE name = 'make'")
    assert moved[0] == chunk[0]
    assert moved[1] == int(str(chunk[1])) + 1
    assert writing.found("make") == ["make"]


def test_edges_lead_to_definitions_files_and_packages_and_the_surest_is_kept(writing: Writing) -> None:
    writing.write("a.py", SHOP)
    writing.write("b.py", "def use():\n    pass\n")
    resolve(
        writing,
        "b.py",
        edge("calls", 0, "a.py", 2, line=9, confidence=0.5),
        edge("calls", 0, "a.py", 2, line=5),
        edge("calls", 0, "a.py", 2, line=4),
        edge("imports", -1, "a.py", -1),
        Edge("tested_by", -1, "a.py", -1, is_package=False, confidence=0.7, line=1, reverse=True),
        Edge("imports", -1, "json", -1, is_package=True, confidence=1.0, line=2),
        consulted={"a.py"},
    )
    assert edges(writing.database) == [
        ("a.py", "tested_by", "b.py", 1, 0.7),
        ("b.py", "imports", "a.py", 1, 0.9),
        ("b.py", "imports", "json", 2, 1.0),
        ("use", "calls", "make", 4, 0.9),
    ]
    assert writing.rows("SELECT file, kind, name, line FROM unresolved") == [(2, "call", "gone", 3)]
    assert writing.rows("SELECT file, seen FROM consulted") == [(2, 1)]


def test_a_later_writer_finds_the_nodes_of_earlier_ones(writing: Writing) -> None:
    writing.write("a.py", SHOP)
    writing.write("b.py", "def use():\n    pass\n")
    package = Edge("imports", -1, "json", -1, is_package=True, confidence=1.0, line=2)
    resolve(writing, "b.py", package)
    ids = writing.ids()
    writing.renew()
    resolve(writing, "a.py", edge("calls", 1, "b.py", 0), package)
    assert ("Shop.sell", "calls", "use", 1, 0.9) in edges(writing.database)
    assert ("a.py", "imports", "json", 2, 1.0) in edges(writing.database)
    assert writing.ids() == ids


def test_resolved_edges_of_a_file_can_be_deleted_alone(writing: Writing) -> None:
    writing.write("a.py", SHOP)
    file = writing.write("b.py", "def use():\n    pass\n")
    resolve(writing, "b.py", edge("calls", 0, "a.py", 2), consulted={"a.py"})
    writing.database.execute("INSERT INTO edges VALUES (5, 1, 'calls', 'scip', 1.0, 1, ?)", (file,))
    writing.writer.delete_edges([file])
    assert writing.rows("SELECT origin FROM edges") == [("scip",)]
    assert writing.rows("SELECT * FROM unresolved") == writing.rows("SELECT * FROM consulted") == []
    writing.write("b.py", "def use():\n    return 1\n", file)
    assert writing.rows("SELECT * FROM edges") == []


def test_a_deleted_file_leaves_nothing_behind(writing: Writing) -> None:
    file = writing.write("a.py", SHOP)
    writing.write("b.py", "def use():\n    pass\n")
    resolve(writing, "b.py", edge("calls", 0, "a.py", 2), consulted={"a.py"})
    resolve(writing, "a.py", edge("calls", 2, "b.py", 0))
    writing.writer.delete_file(file)
    for table in ("chunks", "nodes", "import_words", "mentions", "unresolved"):
        assert writing.rows(f"SELECT 1 FROM {table} WHERE file = {file}") == []
    assert writing.rows("SELECT * FROM edges") == writing.rows("SELECT * FROM consulted") == []
    assert writing.rows("SELECT path FROM files") == [("b.py",)]
    assert writing.found("sell") == []


def test_directories_come_and_go_with_their_files(writing: Writing) -> None:
    file = writing.write("src/shop/a.py", "x = 1\n")
    writing.write("b.py", "x = 1\n")
    writing.writer.update_directories()
    parents = "SELECT n.qualified, p.qualified FROM nodes n LEFT JOIN nodes p ON p.id = n.parent ORDER BY 1, 2"
    assert writing.rows(parents) == [
        ("b.py", None),
        ("src", None),
        ("src/shop", "src"),
        ("src/shop/a.py", "src/shop"),
        ("x", "b.py"),
        ("x", "src/shop/a.py"),
    ]
    writing.write("src/shop/a.py", "y = 1\n", file)
    assert ("src/shop/a.py", "src/shop") in writing.rows(parents)
    writing.writer.delete_file(file)
    writing.writer.update_directories()
    assert writing.rows(parents) == [("b.py", None), ("x", "b.py")]


def test_packages_that_nobody_uses_are_deleted(writing: Writing) -> None:
    file = writing.write("a.py", SHOP)
    resolve(writing, "a.py", Edge("imports", -1, "json", -1, is_package=True, confidence=1.0, line=2))
    writing.writer.delete_unused_packages()
    assert "json" in writing.ids()
    writing.writer.delete_edges([file])
    writing.writer.delete_unused_packages()
    assert "json" not in writing.ids()


def test_a_file_that_is_marked_changed_looks_like_another_one(writing: Writing) -> None:
    writing.write("a.py", SHOP)
    writing.writer.mark_changed("a.py")
    assert writing.rows("SELECT mtime_ns, hash FROM files") == [(0, b"")]
