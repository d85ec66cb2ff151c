"""The map's own file: derived, so a file of another version or a broken one is made anew instead of migrated."""

from __future__ import annotations

import os
import sqlite3
from contextlib import contextmanager, suppress

from holloway.store.database import Database

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from holloway.codemap.resolve.imports.import_resolver import Importer

MAP_VERSION = 11
"""Raised when the schema, a query, the resolver or what is left out changes what a map says: older ones are rebuilt."""

CACHE_KB = 64 * 1024
TEXT_GATHERED_BYTES = 1 << 20
TEXT_GATHERED_FILLING_BYTES = 32 << 20
"""What the text index gathers before it writes it out, usually and while an empty map is filled; it takes twice that.
"""
FILLED_TABLES = frozenset({"nodes", "edges", "unresolved", "consulted", "import_words", "chunks"})
"""Tables that an index of a whole project fills."""


class MapDatabase(Database):
    """The map of one checkout."""

    page_bytes = 16_384
    """Long rows are written a quarter faster than into SQLite's usual 4,096, and read as fast."""
    importer: tuple[tuple[str, str], Importer] | None = None
    """What finds the files behind imports, and what it was made from."""

    def _open(self) -> sqlite3.Connection:
        connection = super()._open()
        # What is deleted here stands in the code anyway, and in its history.
        connection.execute("PRAGMA secure_delete = OFF")
        # One writer puts in and takes out whole files: looking up each reference would find what it just wrote.
        connection.execute("PRAGMA foreign_keys = OFF")
        connection.execute(f"PRAGMA cache_size = {-CACHE_KB}")
        return connection

    @property
    def is_current(self) -> bool:
        """Whether the file holds a map of this version."""
        return bool(self.value("PRAGMA user_version") == MAP_VERSION)

    def prepare(self) -> None:
        """Make the tables, in place of those of another version."""
        if self.is_current:
            return
        with self.write():
            if self.value("PRAGMA user_version") == MAP_VERSION:
                return  # Another process was faster.
            for name, kind in [(row[0], row[1]) for row in self.rows(_OWN_TABLES)]:
                if kind == "table":
                    self.run(f'DROP TABLE IF EXISTS "{name}"')
            for statement in schema():
                self.run(statement)
            self.run(f"PRAGMA user_version = {MAP_VERSION}")

    @contextmanager
    def filling(self) -> Iterator[None]:
        """Fill an empty map faster: the indexes are made at the end, from sorted rows. Inside a transaction."""
        made = [
            statement
            for statement in schema()
            if statement.startswith("CREATE INDEX") and statement.split()[4] in FILLED_TABLES
        ]
        for statement in made:
            self.run(f"DROP INDEX {statement.split()[2]}")
        self._gather(TEXT_GATHERED_FILLING_BYTES)
        yield
        self._gather(TEXT_GATHERED_BYTES)
        for statement in made:
            self.run(statement)

    def _gather(self, size: int) -> None:
        self.run("INSERT INTO chunk_text (chunk_text, rank) VALUES ('hashsize', ?)", (size,))

    def meta(self, key: str, default: str = "") -> str:
        """A remark about the map as a whole."""
        found = self.value("SELECT value FROM meta WHERE key = ?", (key,))
        return default if found is None else str(found)

    def note(self, key: str, value: str) -> None:
        """Keep a remark; inside a transaction of the caller."""
        self.run("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, value))


_OWN_TABLES = (
    "SELECT name, type FROM sqlite_master WHERE name NOT LIKE 'sqlite_%' AND name NOT LIKE 'chunk_text_%'"
    " AND name NOT LIKE 'commit_text_%'"
)


def schema() -> list[str]:
    """The statements that make an empty map."""
    with open(os.path.join(os.path.dirname(__file__), "schema.sql"), encoding="utf-8") as text:
        lines = [line for line in text.read().splitlines() if not line.startswith("--")]
    return [statement.strip() for statement in "\n".join(lines).split(";\n") if statement.strip()]


def map_name(root: str) -> str:
    """The name of the file that holds the map of a checkout; the folder is that of the project's memory."""
    import zlib  # only where a map is looked for by its checkout

    return f"map-{zlib.crc32(root.encode('utf-8', 'replace')):08x}.db"


def open_map(file: str | Path) -> MapDatabase:
    """The map in that file, ready to be read and written; a file that is no database is replaced by an empty map."""
    database = MapDatabase(file)
    try:
        database.prepare()
    except Exception as error:
        cause = error.__cause__ or error
        if not isinstance(cause, sqlite3.DatabaseError) or isinstance(cause, sqlite3.OperationalError):
            raise
        database.close()
        for ending in ("", "-wal", "-shm"):
            with suppress(FileNotFoundError):
                os.unlink(database.file + ending)
        database = MapDatabase(file)
        database.prepare()
    return database
