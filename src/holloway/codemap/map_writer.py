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
    from holloway.codemap.parse.parser import ParsedFile
    from holloway.codemap.resolve.resolution import Resolution
    from holloway.codemap.resolve.scopes import Scopes

    NodeRow = tuple[int, int, str, str, str, int | None, int, int, str, bool]

_FILE_COLUMNS = ("path", "size", "mtime_ns", "hash", "language", "role", "lines", "interface", "facts")
"""Columns of the files table, in the order of the first fields of a parsed file."""


class MapWriter:
    """Writes and deletes files, their definitions, chunks and edges. Unchanged definitions keep their ids."""

    def __init__(self, database: MapDatabase, scopes: Callable[[str], Scopes | None]) -> None:
        self._db = database
        self._scopes = scopes
        self._nodes: dict[str, tuple[int, int | list[int]]] = {}
        """For each path its file id and node ids: the file's node, then its definitions; consecutive ids are stored as
        the first one."""
        self._outside: dict[tuple[str, str], int] = {}
        """Cached nodes of directories and packages, by kind and name."""
        self._last_file = int(database.fetch_value("SELECT COALESCE(MAX(id), 0) FROM files"))
        self._last_node = int(database.fetch_value("SELECT COALESCE(MAX(id), 0) FROM nodes"))
        self._last_chunk = int(database.fetch_value("SELECT COALESCE(MAX(id), 0) FROM chunks"))
        self._is_empty = self._last_node == 0
        """Whether the map was empty at the start: then only rows written by this object can be in it."""

    def write_file(self, parsed_file: ParsedFile, facts: Facts, file: int | None) -> int:
        """Write a file in place of its former rows, and return its id. All rows are computed before any is written."""
        number = self._last_file + 1 if file is None else file
        former_ids = {} if file is None else self._load_ids(file)
        ids = (
            self._reuse_ids(facts.definitions, former_ids) if former_ids else self._reserve_ids(len(facts.definitions))
        )
        nodes = self._build_node_rows(parsed_file, number, facts.definitions, ids)
        words = self._import_words(parsed_file.path, facts.imports)
        values = (*parsed_file[: len(_FILE_COLUMNS)], number)
        if file is None:
            self._last_file = number
            self._db.execute(
                f"INSERT INTO files ({', '.join(_FILE_COLUMNS)}, id) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", values
            )
        else:
            self._delete_parsed_rows(file, list(former_ids.values()))
            self._db.execute(f"UPDATE files SET {' = ?, '.join(_FILE_COLUMNS)} = ? WHERE id = ?", values)
        # INSERT OR REPLACE would make the full-text index flush its buffer each time.
        verb = "INSERT" if file is None else "INSERT OR REPLACE"
        self._db.connection.executemany(f"{verb} INTO nodes VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", nodes)
        self._db.connection.executemany("INSERT INTO import_words VALUES (?, ?)", [(word, number) for word in words])
        if parsed_file.mentions:
            self._db.execute("INSERT INTO mentions VALUES (?, ?)", (number, parsed_file.mentions))
        self._write_chunks(
            parsed_file.chunks if file is None else self._replace_chunks(parsed_file.chunks, file), number
        )
        self._nodes[parsed_file.path] = (number, ids if isinstance(ids, list) else ids.start)
        return number

    def _delete_parsed_rows(self, file: int, removed_nodes: list[int]) -> None:
        """Delete the parsed rows of a file, and the nodes that it no longer has."""
        self._db.execute("DELETE FROM import_words WHERE file = ?", (file,))
        self._db.execute("DELETE FROM mentions WHERE file = ?", (file,))
        self._db.execute("DELETE FROM edges WHERE file = ? AND origin = 'scip'", (file,))
        nodes = [(node,) for node in removed_nodes]
        self._db.connection.executemany("DELETE FROM nodes WHERE id = ?", nodes)
        self._db.connection.executemany("DELETE FROM edges WHERE target = ?", nodes)

    def delete_file(self, file: int) -> None:
        """Delete a file with all of its rows."""
        self._delete_chunks(row[0] for row in self._db.fetch_rows("SELECT id FROM chunks WHERE file = ?", (file,)))
        self.delete_edges([file])
        self._db.execute("DELETE FROM edges WHERE file = ?", (file,))
        self._db.execute("DELETE FROM edges WHERE target IN (SELECT id FROM nodes WHERE file = ?)", (file,))
        self._db.execute("DELETE FROM nodes WHERE file = ?", (file,))
        self._db.execute("DELETE FROM import_words WHERE file = ?", (file,))
        self._db.execute("DELETE FROM consulted WHERE seen = ?", (file,))
        self._db.execute("DELETE FROM mentions WHERE file = ?", (file,))
        self._db.execute("DELETE FROM file_vectors WHERE file = ?", (file,))
        self._db.execute("DELETE FROM files WHERE id = ?", (file,))

    def delete_edges(self, ids: Iterable[int]) -> None:
        """Delete the resolved edges of these files; they are resolved again in the same transaction."""
        for file in ids:
            self._db.execute("DELETE FROM edges WHERE file = ? AND origin = 'ast'", (file,))
            self._db.execute("DELETE FROM unresolved WHERE file = ?", (file,))
            self._db.execute("DELETE FROM consulted WHERE file = ?", (file,))

    def _build_node_rows(
        self, parsed_file: ParsedFile, file: int, definitions: Sequence[Definition], ids: Sequence[int]
    ) -> list[NodeRow]:
        folder, _, name = parsed_file.path.rpartition("/")
        file_row = (
            ids[0],
            file,
            "file",
            name,
            parsed_file.path,
            self._find_external_node("directory", folder),
            1,
            parsed_file.lines,
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

    def _reserve_ids(self, count: int) -> range:
        """Reserve ids for a file and its definitions."""
        first = self._last_node + 1
        self._last_node += 1 + count
        return range(first, first + 1 + count)

    def _reuse_ids(self, definitions: Iterable[Definition], former_ids: dict[tuple[str, int], int]) -> list[int]:
        """Assign ids to a known file: unchanged definitions keep theirs, which are removed from the given ones."""
        counted: Counter[str] = Counter()
        ids = [former_ids.pop(("", 0))]
        for definition in definitions:
            key = (definition.qualified, counted[definition.qualified])
            counted[definition.qualified] += 1
            former_id = former_ids.pop(key, None)
            if former_id is None:
                self._last_node += 1
            ids.append(self._last_node if former_id is None else former_id)
        return ids

    def _load_ids(self, file: int) -> dict[tuple[str, int], int]:
        """Return the node ids of a file by qualified name and occurrence number."""
        numbered: Counter[str] = Counter()
        ids: dict[tuple[str, int], int] = {}
        for row in self._db.fetch_rows("SELECT id, kind, qualified FROM nodes WHERE file = ? ORDER BY id", (file,)):
            key = "" if row[1] == "file" else row[2]
            ids[key, numbered[key]] = row[0]
            numbered[key] += 1
        return ids

    def _import_words(self, path: str, imports: Iterable[Import]) -> list[str]:
        names = {name for item in imports for name in (item.module, item.symbol)}
        words = {word for name in names for word in words_in(name)}
        words.add(tested_stem(path))
        return sorted(words - {""})

    def _write_chunks(self, pieces: Sequence[Chunk], file: int) -> None:
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

    def _replace_chunks(self, pieces: Sequence[Chunk], file: int) -> list[Chunk]:
        """Return the new chunks; those with unchanged text are moved, and obsolete ones are deleted."""
        former_ids: dict[tuple[str, bytes], list[int]] = {}
        for row in self._db.fetch_rows("SELECT id, head, hash FROM chunks WHERE file = ?", (file,)):
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
        self._delete_chunks([number for numbers in former_ids.values() for number in numbers])
        return fresh

    def _delete_chunks(self, numbers: Iterable[int]) -> None:
        rows = [(number,) for number in numbers]
        self._db.connection.executemany(
            "INSERT INTO chunk_text (chunk_text, rowid, head, body)"
            " SELECT 'delete', id, head, body FROM chunks WHERE id = ?",
            rows,
        )
        self._db.connection.executemany("DELETE FROM chunks WHERE id = ?", rows)

    def write_resolution(self, path: str, resolution: Resolution) -> None:
        """Write the edges, unresolved names and consulted files of one file."""
        file, nodes = self._load_nodes(path)
        rows: dict[tuple[int, int, str], tuple[float, int]] = {}
        for kind, at, other, to, is_package, confidence, line, is_reversed in resolution.edges:
            source = _node_at(nodes, at)
            target = self._get_package(other) if is_package else _node_at(self._load_nodes(other)[1], to)
            key = (target, source, kind) if is_reversed else (source, target, kind)
            rank = (confidence, -line)
            if rows.get(key, rank) <= rank:
                rows[key] = rank
        self._db.connection.executemany(
            "INSERT OR REPLACE INTO edges VALUES (?, ?, ?, 'ast', ?, ?, ?)",
            [(*key, confidence, -line, file) for key, (confidence, line) in sorted(rows.items())],
        )
        self._db.connection.executemany(
            "INSERT INTO unresolved VALUES (?, ?, ?, ?)", [(file, *row) for row in resolution.unresolved]
        )
        self._db.connection.executemany(
            "INSERT INTO consulted VALUES (?, ?)",
            [(file, self._load_nodes(consulted)[0]) for consulted in sorted(resolution.consulted)],
        )

    def mark_changed(self, path: str) -> None:
        """Mark a file as changed, so that the next index parses it again."""
        self._db.execute("UPDATE files SET mtime_ns = 0, hash = x'' WHERE path = ?", (path,))

    def _load_nodes(self, path: str) -> tuple[int, int | list[int]]:
        nodes = self._nodes.get(path)
        if nodes is None:
            file = int(self._db.fetch_value("SELECT id FROM files WHERE path = ?", (path,)))
            scopes = self._scopes(path)
            nodes = self._nodes[path] = (file, self._order_ids(file, scopes.facts.definitions if scopes else ()))
        return nodes

    def _order_ids(self, file: int, definitions: Iterable[Definition]) -> list[int]:
        ids = self._load_ids(file)
        counted: Counter[str] = Counter()
        ordered = [ids["", 0]]
        for definition in definitions:
            ordered.append(ids[definition.qualified, counted[definition.qualified]])
            counted[definition.qualified] += 1
        return ordered

    def _find_external_node(self, kind: str, name: str) -> int | None:
        """Return the node of a directory or a package, or None."""
        node = self._outside.get((kind, name))
        if node is None and name and not self._is_empty:
            sql = "SELECT id FROM nodes WHERE file IS NULL AND qualified = ? AND kind = ?"
            node = self._db.fetch_value(sql, (name, kind))
            if node is not None:
                self._outside[kind, name] = node
        return node

    def _get_package(self, name: str) -> int:
        return self._find_external_node("package", name) or self._write_external_node("package", name, name, None)

    def _write_external_node(self, kind: str, name: str, qualified: str, parent: int | None) -> int:
        self._last_node += 1
        self._db.execute(
            "INSERT INTO nodes (id, kind, name, qualified, parent) VALUES (?, ?, ?, ?, ?)",
            (self._last_node, kind, name, qualified, parent),
        )
        self._outside[kind, qualified] = self._last_node
        return self._last_node

    def update_directories(self) -> None:
        """Create nodes for all directories that hold a file, delete empty ones, and set the parents of files."""
        # A project may have very many files: rows are streamed.
        needed = folders_above(path for (path,) in self._db.connection.execute("SELECT path FROM files"))
        sql = "SELECT qualified, id FROM nodes WHERE file IS NULL AND kind = 'directory'"
        node_ids: dict[str, int] = {row[0]: row[1] for row in self._db.fetch_rows(sql)}
        for folder in sorted(set(node_ids) - needed):
            self._db.execute("DELETE FROM nodes WHERE id = ?", (node_ids.pop(folder),))
            self._outside.pop(("directory", folder), None)
        for folder in sorted(needed - set(node_ids)):
            parent, _, name = folder.rpartition("/")
            node_ids[folder] = self._write_external_node("directory", name, folder, node_ids.get(parent))
        orphans = self._db.connection.execute("SELECT id, qualified FROM nodes WHERE kind = 'file' AND parent IS NULL")
        self._db.connection.executemany(
            "UPDATE nodes SET parent = ? WHERE id = ?",
            [(node_ids[path.rpartition("/")[0]], node) for node, path in orphans if "/" in path],
        )

    def delete_unused_packages(self) -> None:
        """Delete external packages that no edge refers to any more."""
        self._db.execute(
            "DELETE FROM nodes WHERE file IS NULL AND kind = 'package'"
            " AND NOT EXISTS (SELECT 1 FROM edges WHERE target = nodes.id)"
        )


def _node_at(nodes: int | list[int], at: int) -> int:
    """Return the node id of a definition, or of the file itself."""
    return nodes + at + 1 if isinstance(nodes, int) else nodes[at + 1]
