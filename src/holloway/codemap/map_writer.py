"""Writer of the map's rows: files, definitions, text chunks and edges. Callers hold the transaction."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from holloway.codemap.resolve.imports.file_tree import folders_above
from holloway.codemap.resolve.imports.import_resolver import words_in
from holloway.text.file_roles import tested_stem

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from holloway.codemap.database import MapDatabase
    from holloway.codemap.parse.chunks import Chunk
    from holloway.codemap.parse.facts import Definition, Facts, Import
    from holloway.codemap.parse.parse_file import ReadFile
    from holloway.codemap.resolve.edges import Resolution
    from holloway.codemap.resolve.scopes import Scopes

    NodeRow = tuple[int, int, str, str, str, int | None, int, int, str, bool]

_READ = ("path", "size", "mtime_ns", "hash", "language", "role", "lines", "interface", "facts")
"""Columns of the files table, in the order of the first fields of a parsed file."""


class Rows:
    """Writes and deletes files, their definitions, chunks and edges. Unchanged definitions keep their ids."""

    def __init__(self, database: MapDatabase, scopes: Callable[[str], Scopes | None]) -> None:
        self._db = database
        self._scopes = scopes
        self._nodes: dict[str, tuple[int, int | list[int]]] = {}
        """For each path its file id and node ids: the file's node, then its definitions; consecutive ids are stored as
        the first one."""
        self._outside: dict[tuple[str, str], int] = {}
        """Cached nodes of directories and packages, by kind and name."""
        self._last_file = int(database.value("SELECT COALESCE(MAX(id), 0) FROM files"))
        self._last_node = int(database.value("SELECT COALESCE(MAX(id), 0) FROM nodes"))
        self._last_chunk = int(database.value("SELECT COALESCE(MAX(id), 0) FROM chunks"))
        self._is_empty = self._last_node == 0
        """Whether the map was empty at the start: then only rows written by this object can be in it."""

    def put(self, one: ReadFile, facts: Facts, file: int | None) -> int:
        """Write a file in place of its former rows, and return its id. All rows are computed before any is written."""
        number = self._last_file + 1 if file is None else file
        former_ids = {} if file is None else self._kept_ids(file)
        ids = self._same_ids(facts.definitions, former_ids) if former_ids else self._new_ids(len(facts.definitions))
        nodes = self._node_rows(one, number, facts.definitions, ids)
        words = self._words(one.path, facts.imports)
        values = (*one[: len(_READ)], number)
        if file is None:
            self._last_file = number
            self._db.run(f"INSERT INTO files ({', '.join(_READ)}, id) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", values)
        else:
            self._drop_read(file, list(former_ids.values()))
            self._db.run(f"UPDATE files SET {' = ?, '.join(_READ)} = ? WHERE id = ?", values)
        # INSERT OR REPLACE would make the full-text index flush its buffer each time.
        verb = "INSERT" if file is None else "INSERT OR REPLACE"
        self._db.connection.executemany(f"{verb} INTO nodes VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", nodes)
        self._db.connection.executemany("INSERT INTO import_words VALUES (?, ?)", [(word, number) for word in words])
        if one.mentions:
            self._db.run("INSERT INTO mentions VALUES (?, ?)", (number, one.mentions))
        self._put_pieces(one.chunks if file is None else self._changed_pieces(one.chunks, file), number)
        self._nodes[one.path] = (number, ids if isinstance(ids, list) else ids.start)
        return number

    def _drop_read(self, file: int, gone: list[int]) -> None:
        """Delete the parsed rows of a file, and the nodes that it no longer has."""
        self._db.run("DELETE FROM import_words WHERE file = ?", (file,))
        self._db.run("DELETE FROM mentions WHERE file = ?", (file,))
        self._db.run("DELETE FROM edges WHERE file = ? AND origin = 'scip'", (file,))
        nodes = [(node,) for node in gone]
        self._db.connection.executemany("DELETE FROM nodes WHERE id = ?", nodes)
        self._db.connection.executemany("DELETE FROM edges WHERE target = ?", nodes)

    def drop(self, file: int) -> None:
        """Delete a file with all of its rows."""
        self._drop_pieces(row[0] for row in self._db.rows("SELECT id FROM chunks WHERE file = ?", (file,)))
        self.drop_edges([file])
        self._db.run("DELETE FROM edges WHERE file = ?", (file,))
        self._db.run("DELETE FROM edges WHERE target IN (SELECT id FROM nodes WHERE file = ?)", (file,))
        self._db.run("DELETE FROM nodes WHERE file = ?", (file,))
        self._db.run("DELETE FROM import_words WHERE file = ?", (file,))
        self._db.run("DELETE FROM consulted WHERE seen = ?", (file,))
        self._db.run("DELETE FROM mentions WHERE file = ?", (file,))
        self._db.run("DELETE FROM files WHERE id = ?", (file,))

    def drop_edges(self, ids: Iterable[int]) -> None:
        """Delete the resolved edges of these files; they are resolved again in the same transaction."""
        for file in ids:
            self._db.run("DELETE FROM edges WHERE file = ? AND origin = 'ast'", (file,))
            self._db.run("DELETE FROM unresolved WHERE file = ?", (file,))
            self._db.run("DELETE FROM consulted WHERE file = ?", (file,))

    def _node_rows(
        self, one: ReadFile, file: int, definitions: Sequence[Definition], ids: Sequence[int]
    ) -> list[NodeRow]:
        folder, _, name = one.path.rpartition("/")
        file_row = (
            ids[0],
            file,
            "file",
            name,
            one.path,
            self._known_outside("directory", folder),
            1,
            one.lines,
            "",
            True,
        )
        # A method may precede its type in the file: all ids are assigned before any parent is set.
        return [
            file_row,
            *(
                (node, file, kind, name, qualified, ids[parent + 1], line, end_line, signature, exported)
                for node, (kind, name, qualified, parent, line, end_line, signature, exported, _) in zip(
                    ids[1:], definitions, strict=True
                )
            ),
        ]

    def _new_ids(self, count: int) -> range:
        """Reserve ids for a file and its definitions."""
        first = self._last_node + 1
        self._last_node += 1 + count
        return range(first, first + 1 + count)

    def _same_ids(self, definitions: Iterable[Definition], kept: dict[tuple[str, int], int]) -> list[int]:
        """Assign ids to a known file: unchanged definitions keep theirs, which are removed from the given ones."""
        counted: Counter[str] = Counter()
        ids = [kept.pop(("", 0))]
        for definition in definitions:
            key = (definition.qualified, counted[definition.qualified])
            counted[definition.qualified] += 1
            former_id = kept.pop(key, None)
            if former_id is None:
                self._last_node += 1
            ids.append(self._last_node if former_id is None else former_id)
        return ids

    def _kept_ids(self, file: int) -> dict[tuple[str, int], int]:
        """Return the node ids of a file by qualified name and occurrence number."""
        numbered: Counter[str] = Counter()
        ids: dict[tuple[str, int], int] = {}
        for row in self._db.rows("SELECT id, kind, qualified FROM nodes WHERE file = ? ORDER BY id", (file,)):
            key = "" if row[1] == "file" else row[2]
            ids[key, numbered[key]] = row[0]
            numbered[key] += 1
        return ids

    def _words(self, path: str, imports: Iterable[Import]) -> list[str]:
        names = {name for item in imports for name in (item.module, item.symbol)}
        words = {word for name in names for word in words_in(name)}
        words.add(tested_stem(path))
        return sorted(words - {""})

    def _put_pieces(self, pieces: Sequence[Chunk], file: int) -> None:
        start = self._last_chunk + 1
        self._last_chunk += len(pieces)
        self._db.connection.executemany(
            "INSERT INTO chunks VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            [(start + at, file, *piece) for at, piece in enumerate(pieces)],
        )
        self._db.connection.executemany(
            "INSERT INTO chunk_text (rowid, head, body) VALUES (?, ?, ?)",
            [(start + at, piece.head, piece.body) for at, piece in enumerate(pieces)],
        )

    def _changed_pieces(self, pieces: Sequence[Chunk], file: int) -> list[Chunk]:
        """Return the new chunks; those with unchanged text are moved, and obsolete ones are deleted."""
        former_ids: dict[tuple[str, bytes], list[int]] = {}
        for row in self._db.rows("SELECT id, head, hash FROM chunks WHERE file = ?", (file,)):
            former_ids.setdefault((row[1], row[2]), []).append(row[0])
        moved: list[tuple[object, ...]] = []
        fresh: list[Chunk] = []
        for piece in pieces:
            same = former_ids.get((piece.head, piece.hash))
            if same:
                moved.append((*piece[:4], same.pop()))
            else:
                fresh.append(piece)
        self._db.connection.executemany(
            "UPDATE chunks SET kind = ?, name = ?, line = ?, end_line = ? WHERE id = ?", moved
        )
        self._drop_pieces([number for numbers in former_ids.values() for number in numbers])
        return fresh

    def _drop_pieces(self, numbers: Iterable[int]) -> None:
        rows = [(number,) for number in numbers]
        self._db.connection.executemany(
            "INSERT INTO chunk_text (chunk_text, rowid, head, body)"
            " SELECT 'delete', id, head, body FROM chunks WHERE id = ?",
            rows,
        )
        self._db.connection.executemany("DELETE FROM chunks WHERE id = ?", rows)

    def put_resolution(self, path: str, found: Resolution) -> None:
        """Write the edges, unresolved names and consulted files of one file."""
        file, nodes = self._nodes_of(path)
        rows: dict[tuple[int, int, str], tuple[float, int]] = {}
        for kind, at, other, to, is_package, confidence, line, is_reversed in found.edges:
            source = _node(nodes, at)
            target = self._package(other) if is_package else _node(self._nodes_of(other)[1], to)
            key = (target, source, kind) if is_reversed else (source, target, kind)
            rank = (confidence, -line)
            if rows.get(key, rank) <= rank:
                rows[key] = rank
        self._db.connection.executemany(
            "INSERT OR REPLACE INTO edges VALUES (?, ?, ?, 'ast', ?, ?, ?)",
            [(*key, confidence, -line, file) for key, (confidence, line) in sorted(rows.items())],
        )
        self._db.connection.executemany(
            "INSERT INTO unresolved VALUES (?, ?, ?, ?)", [(file, *row) for row in found.unresolved]
        )
        self._db.connection.executemany(
            "INSERT INTO consulted VALUES (?, ?)",
            [(file, self._nodes_of(consulted)[0]) for consulted in sorted(found.consulted)],
        )

    def read_again(self, path: str) -> None:
        """Mark a file as changed, so that the next index parses it again."""
        self._db.run("UPDATE files SET mtime_ns = 0, hash = x'' WHERE path = ?", (path,))

    def _nodes_of(self, path: str) -> tuple[int, int | list[int]]:
        nodes = self._nodes.get(path)
        if nodes is None:
            file = int(self._db.value("SELECT id FROM files WHERE path = ?", (path,)))
            scopes = self._scopes(path)
            nodes = self._nodes[path] = (file, self._in_order(file, scopes.facts.definitions if scopes else ()))
        return nodes

    def _in_order(self, file: int, definitions: Iterable[Definition]) -> list[int]:
        ids = self._kept_ids(file)
        counted: Counter[str] = Counter()
        ordered = [ids["", 0]]
        for definition in definitions:
            ordered.append(ids[definition.qualified, counted[definition.qualified]])
            counted[definition.qualified] += 1
        return ordered

    def _known_outside(self, kind: str, name: str) -> int | None:
        """Return the node of a directory or a package, or None."""
        node = self._outside.get((kind, name))
        if node is None and name and not self._is_empty:
            sql = "SELECT id FROM nodes WHERE file IS NULL AND qualified = ? AND kind = ?"
            node = self._db.value(sql, (name, kind))
            if node is not None:
                self._outside[kind, name] = node
        return node

    def _package(self, name: str) -> int:
        return self._known_outside("package", name) or self._put_outside("package", name, name, None)

    def _put_outside(self, kind: str, name: str, qualified: str, parent: int | None) -> int:
        self._last_node += 1
        self._db.run(
            "INSERT INTO nodes (id, kind, name, qualified, parent) VALUES (?, ?, ?, ?, ?)",
            (self._last_node, kind, name, qualified, parent),
        )
        self._outside[kind, qualified] = self._last_node
        return self._last_node

    def put_directories(self) -> None:
        """Create nodes for all directories that hold a file, delete empty ones, and set the parents of files."""
        # A project may have very many files: rows are streamed.
        needed = folders_above(path for (path,) in self._db.connection.execute("SELECT path FROM files"))
        sql = "SELECT qualified, id FROM nodes WHERE file IS NULL AND kind = 'directory'"
        node_ids: dict[str, int] = {row[0]: row[1] for row in self._db.rows(sql)}
        for folder in sorted(set(node_ids) - needed):
            self._db.run("DELETE FROM nodes WHERE id = ?", (node_ids.pop(folder),))
            self._outside.pop(("directory", folder), None)
        for folder in sorted(needed - set(node_ids)):
            parent, _, name = folder.rpartition("/")
            node_ids[folder] = self._put_outside("directory", name, folder, node_ids.get(parent))
        orphans = self._db.connection.execute("SELECT id, qualified FROM nodes WHERE kind = 'file' AND parent IS NULL")
        self._db.connection.executemany(
            "UPDATE nodes SET parent = ? WHERE id = ?",
            [(node_ids[path.rpartition("/")[0]], node) for node, path in orphans if "/" in path],
        )

    def drop_unused_packages(self) -> None:
        """Delete external packages that no edge refers to any more."""
        self._db.run(
            "DELETE FROM nodes WHERE file IS NULL AND kind = 'package'"
            " AND NOT EXISTS (SELECT 1 FROM edges WHERE target = nodes.id)"
        )


def _node(nodes: int | list[int], at: int) -> int:
    """Return the node id of a definition, or of the file itself."""
    return nodes + at + 1 if isinstance(nodes, int) else nodes[at + 1]
