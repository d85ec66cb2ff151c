"""The SQLite database of the code map; it is derived, so a broken file or another version is rebuilt, not migrated."""

from __future__ import annotations

import os
import sqlite3
from contextlib import contextmanager, suppress

from holloway.store.database import Database

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from holloway.codemap.resolve.imports.import_resolver import ImportResolver

MAP_VERSION = 12
"""Version of the map's content. Raise it when the schema, a query, the resolver or the exclusion rules change what a
map contains: older maps are rebuilt."""

CACHE_KB = 64 * 1024
FTS_BUFFER_BYTES = 1 << 20
FTS_BULK_BUFFER_BYTES = 32 << 20
"""Bytes that the full-text index buffers before it writes them out: normally, and while an empty map is filled. SQLite
uses twice that much memory."""
FILLED_TABLES = frozenset({"nodes", "edges", "unresolved", "consulted", "import_words", "chunks"})
"""Tables that a full index run fills."""


class MapDatabase(Database):
    """SQLite connection to the map of one checkout."""

    page_bytes = 16_384
    """Long rows are written 25 % faster than with SQLite's default of 4,096 bytes, and read just as fast."""
    importer: tuple[tuple[str, str], ImportResolver] | None = None
    """Cached import resolver, with the key of the state it was built from."""

    def _open_connection(self) -> sqlite3.Connection:
        connection = super()._open_connection()
        # Deleted content is still in the source files and the git history, so overwriting it protects nothing.
        connection.execute("PRAGMA secure_delete = OFF")
        # One writer inserts and deletes complete files: checking every reference would only confirm its own writes.
        connection.execute("PRAGMA foreign_keys = OFF")
        connection.execute(f"PRAGMA cache_size = {-CACHE_KB}")
        return connection

    @property
    def is_current(self) -> bool:
        """Whether the file holds a map of the current version."""
        return bool(self.fetch_value("PRAGMA user_version") == MAP_VERSION)

    def prepare_schema(self) -> None:
        """Create the tables, replacing those of another version."""
        if self.is_current:
            return
        with self.write_transaction():
            if self.fetch_value("PRAGMA user_version") == MAP_VERSION:
                return  # Another process was faster.
            for name, kind in [(row[0], row[1]) for row in self.fetch_rows(_LIST_TABLES_SQL)]:
                if kind == "table":
                    self.execute(f'DROP TABLE IF EXISTS "{name}"')
            for statement in schema_statements():
                self.execute(statement)
            self.execute(f"PRAGMA user_version = {MAP_VERSION}")

    @contextmanager
    def bulk_load(self) -> Iterator[None]:
        """Speed up filling an empty map: drop its indexes and rebuild them at the end. Call inside a transaction."""
        index_statements = [
            statement
            for statement in schema_statements()
            if statement.startswith("CREATE INDEX") and statement.split()[4] in FILLED_TABLES
        ]
        for statement in index_statements:
            self.execute(f"DROP INDEX {statement.split()[2]}")
        self._set_fts_buffer(FTS_BULK_BUFFER_BYTES)
        yield
        self._set_fts_buffer(FTS_BUFFER_BYTES)
        for statement in index_statements:
            self.execute(statement)

    def _set_fts_buffer(self, size: int) -> None:
        self.execute("INSERT INTO chunk_text (chunk_text, rank) VALUES ('hashsize', ?)", (size,))

    def get_meta(self, key: str, default: str = "") -> str:
        """Return a metadata value of the map, or the default."""
        value = self.fetch_value("SELECT value FROM meta WHERE key = ?", (key,))
        return default if value is None else str(value)

    def set_meta(self, key: str, value: str) -> None:
        """Store a metadata value; the caller holds the transaction."""
        self.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, value))


_LIST_TABLES_SQL = (
    "SELECT name, type FROM sqlite_master WHERE name NOT LIKE 'sqlite_%' AND name NOT LIKE 'chunk_text_%'"
    " AND name NOT LIKE 'commit_text_%'"
)


def schema_statements() -> list[str]:
    """Return the SQL statements that create an empty map."""
    with open(os.path.join(os.path.dirname(__file__), "schema.sql"), encoding="utf-8") as text:
        lines = [line for line in text.read().splitlines() if not line.startswith("--")]
    return [statement.strip() for statement in "\n".join(lines).split(";\n") if statement.strip()]


def map_name(root: str) -> str:
    """Return the name of the file that holds the map of a checkout; it is stored in the project's memory folder."""
    import zlib  # loaded only when a map is located by its checkout

    return f"map-{zlib.crc32(root.encode('utf-8', 'replace')):08x}.db"


def open_map(file: str | Path) -> MapDatabase:
    """Open the map in that file for reading and writing; a file that is no database is replaced by an empty map.

    Raises the original error when the file cannot be opened for another reason, such as a lock.
    """
    database = MapDatabase(file)
    try:
        database.prepare_schema()
    except Exception as error:
        cause = error.__cause__ or error
        if not isinstance(cause, sqlite3.DatabaseError) or isinstance(cause, sqlite3.OperationalError):
            raise
        database.close()
        for ending in ("", "-wal", "-shm"):
            with suppress(FileNotFoundError):
                os.unlink(database.file + ending)
        database = MapDatabase(file)
        database.prepare_schema()
    return database
