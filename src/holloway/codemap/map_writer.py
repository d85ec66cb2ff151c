"""Rows of the map: what one file brings in and what leaves with it. Callers hold the transaction."""

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
"""The columns of a file, as a `ReadFile` begins."""


class Rows:
    """Writes files, their definitions, pieces and edges. Ids of what stays are kept."""

    def __init__(self, database: MapDatabase, scopes: Callable[[str], Scopes | None]) -> None:
        self._db = database
        self._scopes = scopes
        self._nodes: dict[str, tuple[int, int | list[int]]] = {}
        """For each file its id and its nodes: its own, then those of its definitions. Of consecutive ones the first."""
        self._outside: dict[tuple[str, str], int] = {}
        """Directories and packages by kind and name, as far as they were asked for."""
        self._last_file = int(database.value("SELECT COALESCE(MAX(id), 0) FROM files"))
        self._last_node = int(database.value("SELECT COALESCE(MAX(id), 0) FROM nodes"))
        self._last_chunk = int(database.value("SELECT COALESCE(MAX(id), 0) FROM chunks"))
        self._is_empty = self._last_node == 0
        """Whether the map was: then nothing is looked for in it that was not put there just now."""

    def put(self, one: ReadFile, facts: Facts, file: int | None) -> int:
        """Write a file in place of what was known of it. All is worked out before anything is written."""
        number = self._last_file + 1 if file is None else file
        kept = {} if file is None else self._kept_ids(file)
        ids = self._same_ids(facts.definitions, kept) if kept else self._new_ids(len(facts.definitions))
        nodes = self._node_rows(one, number, facts.definitions, ids)
        words = self._words(one.path, facts.imports)
        values = (*one[: len(_READ)], number)
        if file is None:
            self._last_file = number
            self._db.run(f"INSERT INTO files ({', '.join(_READ)}, id) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", values)
        else:
            self._drop_read(file, list(kept.values()))
            self._db.run(f"UPDATE files SET {' = ?, '.join(_READ)} = ? WHERE id = ?", values)
        # Replacing would make the text index write out what it has gathered, each time.
        verb = "INSERT" if file is None else "INSERT OR REPLACE"
        self._db.connection.executemany(f"{verb} INTO nodes VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", nodes)
        self._db.connection.executemany("INSERT INTO import_words VALUES (?, ?)", [(word, number) for word in words])
        if one.mentions:
            self._db.run("INSERT INTO mentions VALUES (?, ?)", (number, one.mentions))
        self._put_pieces(one.chunks if file is None else self._changed_pieces(one.chunks, file), number)
        self._nodes[one.path] = (number, ids if isinstance(ids, list) else ids.start)
        return number

    def _drop_read(self, file: int, gone: list[int]) -> None:
        """Take out what was read from a file, and the nodes that it no longer has."""
        self._db.run("DELETE FROM import_words WHERE file = ?", (file,))
        self._db.run("DELETE FROM mentions WHERE file = ?", (file,))
        self._db.run("DELETE FROM edges WHERE file = ? AND origin = 'scip'", (file,))
        nodes = [(node,) for node in gone]
        self._db.connection.executemany("DELETE FROM nodes WHERE id = ?", nodes)
        self._db.connection.executemany("DELETE FROM edges WHERE target = ?", nodes)

    def drop(self, file: int) -> None:
        """Take a file out, with all that it brought."""
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
        """Take out what was resolved for these files; in the same transaction it is resolved again."""
        for file in ids:
            self._db.run("DELETE FROM edges WHERE file = ? AND origin = 'ast'", (file,))
            self._db.run("DELETE FROM unresolved WHERE file = ?", (file,))
            self._db.run("DELETE FROM consulted WHERE file = ?", (file,))

    def _node_rows(
        self, one: ReadFile, file: int, definitions: Sequence[Definition], ids: Sequence[int]
    ) -> list[NodeRow]:
        folder, _, name = one.path.rpartition("/")
        own = (ids[0], file, "file", name, one.path, self._known_outside("directory", folder), 1, one.lines, "", True)
        # A method may stand before the type that it is of: all have their ids before any says where it belongs.
        return [
            own,
            *(
                (node, file, kind, name, qualified, ids[parent + 1], line, end_line, signature, exported)
                for node, (kind, name, qualified, parent, line, end_line, signature, exported, _) in zip(
                    ids[1:], definitions, strict=True
                )
            ),
        ]

    def _new_ids(self, count: int) -> range:
        """Ids for a file and so many definitions."""
        first = self._last_node + 1
        self._last_node += 1 + count
        return range(first, first + 1 + count)

    def _same_ids(self, definitions: Iterable[Definition], kept: dict[tuple[str, int], int]) -> list[int]:
        """The same for a file that is known: what is still there keeps its id, and is taken out of `kept`."""
        counted: Counter[str] = Counter()
        ids = [kept.pop(("", 0))]
        for definition in definitions:
            key = (definition.qualified, counted[definition.qualified])
            counted[definition.qualified] += 1
            known = kept.pop(key, None)
            if known is None:
                self._last_node += 1
            ids.append(self._last_node if known is None else known)
        return ids

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
        """The pieces that are new. Those with the text of one that was there take its place, the rest of them goes."""
        there: dict[tuple[str, bytes], list[int]] = {}
        for row in self._db.rows("SELECT id, head, hash FROM chunks WHERE file = ?", (file,)):
            there.setdefault((row[1], row[2]), []).append(row[0])
        moved: list[tuple[object, ...]] = []
        fresh: list[Chunk] = []
        for piece in pieces:
            same = there.get((piece.head, piece.hash))
            if same:
                moved.append((*piece[:4], same.pop()))
            else:
                fresh.append(piece)
        self._db.connection.executemany(
            "UPDATE chunks SET kind = ?, name = ?, line = ?, end_line = ? WHERE id = ?", moved
        )
        self._drop_pieces([number for numbers in there.values() for number in numbers])
        return fresh

    def _drop_pieces(self, numbers: Iterable[int]) -> None:
        gone = [(number,) for number in numbers]
        self._db.connection.executemany(
            "INSERT INTO chunk_text (chunk_text, rowid, head, body)"
            " SELECT 'delete', id, head, body FROM chunks WHERE id = ?",
            gone,
        )
        self._db.connection.executemany("DELETE FROM chunks WHERE id = ?", gone)

    def put_resolution(self, path: str, found: Resolution) -> None:
        """Write what a file's names were found to mean."""
        file, own = self._nodes_of(path)
        rows: dict[tuple[int, int, str], tuple[float, int]] = {}
        for kind, at, other, to, is_package, confidence, line, is_reversed in found.edges:
            source = _node(own, at)
            target = self._package(other) if is_package else _node(self._nodes_of(other)[1], to)
            key = (target, source, kind) if is_reversed else (source, target, kind)
            sure = (confidence, -line)
            if rows.get(key, sure) <= sure:
                rows[key] = sure
        self._db.connection.executemany(
            "INSERT OR REPLACE INTO edges VALUES (?, ?, ?, 'ast', ?, ?, ?)",
            [(*key, confidence, -line, file) for key, (confidence, line) in sorted(rows.items())],
        )
        self._db.connection.executemany(
            "INSERT INTO unresolved VALUES (?, ?, ?, ?)", [(file, *row) for row in found.unresolved]
        )
        self._db.connection.executemany(
            "INSERT INTO consulted VALUES (?, ?)", [(file, self._nodes_of(seen)[0]) for seen in sorted(found.consulted)]
        )

    def read_again(self, path: str) -> None:
        """Have the next index look at a file as if it had changed."""
        self._db.run("UPDATE files SET mtime_ns = 0, hash = x'' WHERE path = ?", (path,))

    def _nodes_of(self, path: str) -> tuple[int, int | list[int]]:
        found = self._nodes.get(path)
        if found is None:
            file = int(self._db.value("SELECT id FROM files WHERE path = ?", (path,)))
            scopes = self._scopes(path)
            found = self._nodes[path] = (file, self._in_order(file, scopes.facts.definitions if scopes else ()))
        return found

    def _in_order(self, file: int, definitions: Iterable[Definition]) -> list[int]:
        kept = self._kept_ids(file)
        counted: Counter[str] = Counter()
        ordered = [kept["", 0]]
        for definition in definitions:
            ordered.append(kept[definition.qualified, counted[definition.qualified]])
            counted[definition.qualified] += 1
        return ordered

    def _known_outside(self, kind: str, name: str) -> int | None:
        """The node of a directory or a package, where there is one."""
        found = self._outside.get((kind, name))
        if found is None and name and not self._is_empty:
            sql = "SELECT id FROM nodes WHERE file IS NULL AND qualified = ? AND kind = ?"
            found = self._db.value(sql, (name, kind))
            if found is not None:
                self._outside[kind, name] = found
        return found

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
        """Directories that hold a file, each the parent of what lies in it; and no package that nobody uses."""
        # There may be very many: they are looked at one by one.
        needed = folders_above(path for (path,) in self._db.connection.execute("SELECT path FROM files"))
        sql = "SELECT qualified, id FROM nodes WHERE file IS NULL AND kind = 'directory'"
        known: dict[str, int] = {row[0]: row[1] for row in self._db.rows(sql)}
        for folder in sorted(set(known) - needed):
            self._db.run("DELETE FROM nodes WHERE id = ?", (known.pop(folder),))
            self._outside.pop(("directory", folder), None)
        for folder in sorted(needed - set(known)):
            parent, _, name = folder.rpartition("/")
            known[folder] = self._put_outside("directory", name, folder, known.get(parent))
        homeless = self._db.connection.execute("SELECT id, qualified FROM nodes WHERE kind = 'file' AND parent IS NULL")
        self._db.connection.executemany(
            "UPDATE nodes SET parent = ? WHERE id = ?",
            [(known[path.rpartition("/")[0]], node) for node, path in homeless if "/" in path],
        )

    def drop_unused_packages(self) -> None:
        """An external package is in the map as long as a file mentions it."""
        self._db.run(
            "DELETE FROM nodes WHERE file IS NULL AND kind = 'package'"
            " AND NOT EXISTS (SELECT 1 FROM edges WHERE target = nodes.id)"
        )


def _node(nodes: int | list[int], at: int) -> int:
    """The node of a definition, or of the file itself."""
    return nodes + at + 1 if isinstance(nodes, int) else nodes[at + 1]
