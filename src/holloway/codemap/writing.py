"""Rows of the map: what one file brings in and what leaves with it. Callers hold the transaction."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING

from holloway.codemap.reading.facts import MODULE_SCOPE
from holloway.codemap.reading.roles import tested_stem
from holloway.codemap.resolving.imports import words_in

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from holloway.codemap.database import MapDatabase
    from holloway.codemap.reading.facts import Definition, Facts, Import
    from holloway.codemap.reading.read import ReadFile
    from holloway.codemap.resolving.resolve import Resolution

    NodeRow = tuple[int, int, str, str, str, int | None, int, int, str, bool]

_READ = ("path", "size", "mtime_ns", "hash", "language", "role", "lines", "interface", "facts")
"""The columns of a file, as a `ReadFile` begins."""


class Rows:
    """Writes files, their definitions, pieces and edges. Ids of what stays are kept."""

    def __init__(self, database: MapDatabase) -> None:
        self._db = database
        self._nodes: dict[int, list[int]] = {}
        self._file_nodes: dict[str, tuple[int, int]] = {}
        outside = database.rows("SELECT id, kind, qualified FROM nodes WHERE file IS NULL")
        self._directories: dict[str, int] = {row[2]: row[0] for row in outside if row[1] == "directory"}
        self._packages: dict[str, int] = {row[2]: row[0] for row in outside if row[1] == "package"}
        self._last_file = int(database.value("SELECT COALESCE(MAX(id), 0) FROM files"))
        self._last_node = int(database.value("SELECT COALESCE(MAX(id), 0) FROM nodes"))
        self._last_chunk = int(database.value("SELECT COALESCE(MAX(id), 0) FROM chunks"))

    def file_ids(self) -> dict[str, int]:
        """All indexed files."""
        return {row[0]: row[1] for row in self._db.rows("SELECT path, id FROM files")}

    def put(self, one: ReadFile, facts: Facts, file: int | None) -> int:
        """Write a file in place of what was known of it. All is worked out before anything is written."""
        kept = None if file is None else self._kept_ids(file)
        number = self._last_file + 1 if file is None else file
        ids, nodes = self._node_rows(one, number, facts.definitions, kept)
        words = self._words(one.path, facts.imports)
        values = (*one[: len(_READ)], number)
        if file is None:
            self._last_file = number
            self._db.run(f"INSERT INTO files ({', '.join(_READ)}, id) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", values)
        else:
            self._drop_read(file, kept or {})
            self._db.run(f"UPDATE files SET {' = ?, '.join(_READ)} = ? WHERE id = ?", values)
        # Replacing would make the text index write out what it has gathered, each time.
        verb = "INSERT" if file is None else "INSERT OR REPLACE"
        self._db.connection.executemany(f"{verb} INTO nodes VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", nodes)
        self._db.connection.executemany("INSERT INTO import_words VALUES (?, ?)", [(word, number) for word in words])
        self._put_pieces(one, number)
        self._nodes[number] = ids
        self._file_nodes[one.path] = (number, nodes[0][0])
        return number

    def _drop_read(self, file: int, gone: dict[tuple[str, int], int]) -> None:
        """Take out what was read from a file, and the nodes that it no longer has."""
        self._drop_pieces(file)
        self._db.run("DELETE FROM import_words WHERE file = ?", (file,))
        self._db.run("DELETE FROM edges WHERE file = ? AND origin = 'scip'", (file,))
        nodes = [(node,) for node in gone.values()]
        self._db.connection.executemany("DELETE FROM nodes WHERE id = ?", nodes)
        self._db.connection.executemany("DELETE FROM edges WHERE target = ?", nodes)

    def drop(self, file: int) -> None:
        """Take a file out, with all that it brought."""
        self._drop_pieces(file)
        self.drop_edges([file])
        self._db.run("DELETE FROM edges WHERE file = ?", (file,))
        self._db.run("DELETE FROM edges WHERE target IN (SELECT id FROM nodes WHERE file = ?)", (file,))
        self._db.run("DELETE FROM nodes WHERE file = ?", (file,))
        self._db.run("DELETE FROM import_words WHERE file = ?", (file,))
        self._db.run("DELETE FROM consulted WHERE seen = ?", (file,))
        self._db.run("DELETE FROM files WHERE id = ?", (file,))

    def drop_edges(self, ids: Iterable[int]) -> None:
        """Take out what was resolved for these files; in the same transaction it is resolved again."""
        for file in ids:
            self._db.run("DELETE FROM edges WHERE file = ? AND origin = 'ast'", (file,))
            self._db.run("DELETE FROM unresolved WHERE file = ?", (file,))
            self._db.run("DELETE FROM consulted WHERE file = ?", (file,))

    def _node_rows(
        self, one: ReadFile, file: int, definitions: Sequence[Definition], kept: dict[tuple[str, int], int] | None
    ) -> tuple[list[int], list[NodeRow]]:
        """The ids of a file's definitions and the rows of its nodes; what stays is taken out of `kept`."""

        def id_of(key: tuple[str, int]) -> int:
            if kept and (known := kept.pop(key, None)) is not None:
                return known
            self._last_node += 1
            return self._last_node

        folder, _, name = one.path.rpartition("/")
        node = id_of(("", 0))
        rows: list[NodeRow] = [
            (node, file, "file", name, one.path, self._directories.get(folder), 1, one.lines, "", True)
        ]
        ids: list[int] = []
        counted: Counter[str] = Counter()
        for definition in definitions:
            ids.append(id_of((definition.qualified, counted[definition.qualified])))
            counted[definition.qualified] += 1
        # A method may stand before the type that it is of: all have their ids before any says where it belongs.
        for own, (kind, name, qualified, parent, line, end_line, signature, exported, _) in zip(
            ids, definitions, strict=True
        ):
            above = ids[parent] if parent != MODULE_SCOPE else node
            rows.append((own, file, kind, name, qualified, above, line, end_line, signature, exported))
        return ids, rows

    def _kept_ids(self, file: int) -> dict[tuple[str, int], int]:
        """The ids of a file's nodes by name; those of one name are told apart by their order."""
        numbered: Counter[str] = Counter()
        kept: dict[tuple[str, int], int] = {}
        for row in self._db.rows("SELECT id, kind, qualified FROM nodes WHERE file = ? ORDER BY id", (file,)):
            key = "" if row[1] == "file" else row[2]
            kept[key, numbered[key]] = row[0]
            numbered[key] += 1
        return kept

    def _words(self, path: str, imports: Iterable[Import]) -> list[str]:
        names = {name for one in imports for name in (one.module, one.symbol)}
        words = {word for name in names for word in words_in(name)}
        words.add(tested_stem(path))
        return sorted(words - {""})

    def _put_pieces(self, one: ReadFile, file: int) -> None:
        start = self._last_chunk + 1
        self._last_chunk += len(one.chunks)
        self._db.connection.executemany(
            "INSERT INTO chunks VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            [(start + at, file, *chunk) for at, chunk in enumerate(one.chunks)],
        )
        self._db.connection.executemany(
            "INSERT INTO chunk_text (rowid, head, body) VALUES (?, ?, ?)",
            [(start + at, chunk.head, chunk.body) for at, chunk in enumerate(one.chunks)],
        )

    def _drop_pieces(self, file: int) -> None:
        self._db.run(
            "INSERT INTO chunk_text (chunk_text, rowid, head, body)"
            " SELECT 'delete', id, head, body FROM chunks WHERE file = ?",
            (file,),
        )
        self._db.run("DELETE FROM chunks WHERE file = ?", (file,))

    def put_resolution(self, path: str, found: Resolution) -> None:
        """Write what a file's names were found to mean."""
        file, _ = self._node_of(path)
        rows: dict[tuple[int, int, str], tuple[float, int]] = {}
        for edge in found.edges:
            source = self._definition_node(path, edge.source)
            target = self._package(edge.path) if edge.is_package else self._definition_node(edge.path, edge.target)
            if edge.reverse:
                source, target = target, source
            key = (source, target, edge.kind)
            if key not in rows or rows[key] < (edge.confidence, -edge.line):
                rows[key] = (edge.confidence, -edge.line)
        self._db.connection.executemany(
            "INSERT OR REPLACE INTO edges VALUES (?, ?, ?, 'ast', ?, ?, ?)",
            [(*key, confidence, -line, file) for key, (confidence, line) in sorted(rows.items())],
        )
        self._db.connection.executemany(
            "INSERT INTO unresolved VALUES (?, ?, ?, ?)", [(file, *row) for row in found.unresolved]
        )
        self._db.connection.executemany(
            "INSERT INTO consulted VALUES (?, ?)", [(file, self._node_of(seen)[0]) for seen in sorted(found.consulted)]
        )

    def read_again(self, path: str) -> None:
        """Have the next index look at a file as if it had changed."""
        self._db.run("UPDATE files SET mtime_ns = 0, hash = x'' WHERE path = ?", (path,))

    def _node_of(self, path: str) -> tuple[int, int]:
        if path not in self._file_nodes:
            row = self._db.row(
                "SELECT f.id, n.id FROM files f JOIN nodes n ON n.file = f.id AND n.kind = 'file' WHERE f.path = ?",
                (path,),
            )
            assert row is not None, path  # noqa: S101  (the resolver names only files that are in the map)
            self._file_nodes[path] = (row[0], row[1])
        return self._file_nodes[path]

    def _definition_node(self, path: str, index: int) -> int:
        file, node = self._node_of(path)
        if index == MODULE_SCOPE:
            return node
        if file not in self._nodes:
            self._nodes[file] = self._in_order(file)
        return self._nodes[file][index]

    def _in_order(self, file: int) -> list[int]:
        """Node ids in the order of the file's definitions."""
        kept = self._kept_ids(file)
        counted: Counter[str] = Counter()
        ordered: list[int] = []
        for definition in json.loads(self._db.value("SELECT facts FROM files WHERE id = ?", (file,)))[1]:
            ordered.append(kept[definition[2], counted[definition[2]]])
            counted[definition[2]] += 1
        return ordered

    def _package(self, name: str) -> int:
        if name not in self._packages:
            self._last_node += 1
            self._packages[name] = self._last_node
            self._db.run(
                "INSERT INTO nodes (id, kind, name, qualified) VALUES (?, 'package', ?, ?)",
                (self._last_node, name, name),
            )
        return self._packages[name]

    def put_directories(self) -> None:
        """Directories that hold a file, each the parent of what lies in it; and no package that nobody uses."""
        needed: set[str] = set()
        paths = [row[0] for row in self._db.rows("SELECT path FROM files")]
        for path in paths:
            folder = path.rpartition("/")[0]
            while folder and folder not in needed:
                needed.add(folder)
                folder = folder.rpartition("/")[0]
        known = self._directories
        for folder in sorted(set(known) - needed):
            self._db.run("DELETE FROM nodes WHERE id = ?", (known.pop(folder),))
        for folder in sorted(needed):
            parent = known.get(folder.rpartition("/")[0])
            if folder not in known:
                self._last_node += 1
                known[folder] = self._last_node
                self._db.run(
                    "INSERT INTO nodes (id, kind, name, qualified, parent) VALUES (?, 'directory', ?, ?, ?)",
                    (known[folder], folder.rpartition("/")[2], folder, parent),
                )
        rows = self._db.rows("SELECT id, qualified FROM nodes WHERE kind = 'file' AND parent IS NULL")
        self._db.connection.executemany(
            "UPDATE nodes SET parent = ? WHERE id = ?",
            [(known[row[1].rpartition("/")[0]], row[0]) for row in rows if "/" in row[1]],
        )

    def drop_unused_packages(self) -> None:
        """An external package is in the map as long as a file mentions it."""
        self._db.run(
            "DELETE FROM nodes WHERE kind = 'package' AND NOT EXISTS (SELECT 1 FROM edges WHERE target = nodes.id)"
        )
