"""SQLite connection of one file: safe opening, atomic transactions, integrity checks, backups and error messages."""

from __future__ import annotations

import os
import sqlite3
import time
from contextlib import contextmanager, suppress

from holloway.config import BACKUPS_KEPT, WAL_TRUNCATE_WAIT_MS
from holloway.errors import HollowayError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path
    from typing import Any

    Values = Sequence[object] | Mapping[str, object]

BUSY_TIMEOUT_MS = 30_000
"""SQLite's lock is unfair: another writer can hold it for seconds, and no caller should see that."""
WAL_RETRY_SECONDS = 0.005

Row = sqlite3.Row


class Database:
    """A connection that reads freely and writes only inside a write transaction."""

    page_bytes = 4_096
    """Page size of a new file; an existing file keeps its page size."""

    def __init__(
        self, file: str | Path, *, synchronous: str = "normal", busy_timeout_ms: int = BUSY_TIMEOUT_MS
    ) -> None:
        self.file = os.fspath(file)
        self._synchronous = synchronous
        self._busy_timeout_ms = busy_timeout_ms
        self._connection: sqlite3.Connection | None = None

    @property
    def path(self) -> Path:
        """Path of the database file."""
        # Importing pathlib takes as long as one query, and hooks need no more than the file name.
        from pathlib import Path

        return Path(self.file)

    @property
    def connection(self) -> sqlite3.Connection:
        """The open connection; opened at its first use."""
        if self._connection is None:
            with translate_errors(self.file):
                self._connection = self._open_connection()
        return self._connection

    def _open_connection(self) -> sqlite3.Connection:
        if not os.path.exists(self.file):
            make_private_folder(self.path.parent)
            os.close(os.open(self.file, os.O_CREAT | os.O_RDWR, 0o600))
        connection = sqlite3.connect(self.file, isolation_level=None, timeout=self._busy_timeout_ms / 1000)
        try:
            connection.row_factory = sqlite3.Row
            connection.execute(f"PRAGMA page_size = {self.page_bytes}")
            connection.execute(f"PRAGMA busy_timeout = {int(self._busy_timeout_ms)}")
            connection.execute("PRAGMA foreign_keys = ON")
            connection.execute("PRAGMA secure_delete = ON")
            self._switch_to_wal(connection)
            connection.execute(f"PRAGMA synchronous = {'FULL' if self._synchronous == 'full' else 'NORMAL'}")
        except BaseException:
            connection.close()
            raise
        return connection

    def _switch_to_wal(self, connection: sqlite3.Connection) -> None:
        """Turn a new file to WAL mode. SQLite does not apply the busy timeout while another process writes to it."""
        deadline = time.monotonic() + self._busy_timeout_ms / 1000
        while connection.execute("PRAGMA journal_mode").fetchone()[0] != "wal":
            try:
                connection.execute("PRAGMA journal_mode = WAL")
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() >= deadline:
                    raise
                time.sleep(WAL_RETRY_SECONDS)

    def close(self) -> None:
        """Close the connection; the next use opens it again."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    @contextmanager
    def write_transaction(self) -> Iterator[None]:
        """Run one write transaction that takes the lock at once: all of its statements are committed, or none is."""
        with translate_errors(self.file):
            if self._is_in_transaction():
                yield
                return
            self.connection.execute("BEGIN IMMEDIATE")
            try:
                yield
                self.connection.execute("COMMIT")
            except BaseException:
                if self._is_in_transaction():
                    self.connection.execute("ROLLBACK")
                raise

    @contextmanager
    def read_snapshot(self) -> Iterator[None]:
        """Keep several reads on one state of the file while others write."""
        with translate_errors(self.file):
            if self._is_in_transaction():
                yield
                return
            self.connection.execute("BEGIN")
            try:
                yield
            finally:
                self.connection.execute("COMMIT")

    def _is_in_transaction(self) -> bool:
        return self.connection.in_transaction

    def execute(self, sql: str, values: Values = ()) -> sqlite3.Cursor:
        """Execute one statement with bound values and return its cursor."""
        with translate_errors(self.file):
            return self.connection.execute(sql, values)

    def fetch_rows(self, sql: str, values: Values = ()) -> list[Row]:
        """Return all rows of a query."""
        with translate_errors(self.file):
            return self.connection.execute(sql, values).fetchall()

    def fetch_row(self, sql: str, values: Values = ()) -> Row | None:
        """Return the first row of a query, or None."""
        with translate_errors(self.file):
            row: Row | None = self.connection.execute(sql, values).fetchone()
            return row

    def fetch_value(self, sql: str, values: Values = ()) -> Any:
        """Return the first column of the first row, or None."""
        row = self.fetch_row(sql, values)
        return row[0] if row is not None else None

    def check_integrity(self) -> list[str]:
        """List what SQLite's checks report about the file, its foreign keys and the text index; empty if sound."""
        problems = [row[0] for row in self.fetch_rows("PRAGMA integrity_check(20)") if row[0] != "ok"]
        problems += [f"a row of {row[0]} points nowhere" for row in self.fetch_rows("PRAGMA foreign_key_check")]
        try:
            with self.write_transaction():
                self.execute("INSERT INTO memories_fts(memories_fts, rank) VALUES ('integrity-check', 1)")
        except DatabaseDamaged:
            problems.append("the text index differs from the memories")
        return problems

    def truncate_wal(self) -> bool:
        """Checkpoint and truncate the write-ahead log; return False while another reader holds it."""
        with self.limit_lock_wait(WAL_TRUNCATE_WAIT_MS):
            row = self.fetch_row("PRAGMA wal_checkpoint(TRUNCATE)")
            return row is not None and row[0] == 0

    @contextmanager
    def limit_lock_wait(self, timeout_ms: int) -> Iterator[None]:
        """Limit the wait for another process's lock while the block runs; after it, DatabaseBusy is raised."""
        self.execute(f"PRAGMA busy_timeout = {int(timeout_ms)}")
        try:
            yield
        finally:
            self.execute(f"PRAGMA busy_timeout = {int(self._busy_timeout_ms)}")

    def backup_to(self, target: Path) -> None:
        """Copy the whole database while others write; the target is atomic: it appears complete or not at all."""
        partial = target.with_name(target.name + ".partial")
        with translate_errors(self.file):
            try:
                make_private_folder(target.parent)
                partial.unlink(missing_ok=True)
                os.close(os.open(partial, os.O_CREAT | os.O_RDWR, 0o600))
                copy = sqlite3.connect(partial, isolation_level=None)
                try:
                    self.connection.backup(copy)
                    copy.execute("PRAGMA journal_mode = DELETE")
                finally:
                    copy.close()
                partial.replace(target)
            except BaseException:
                partial.unlink(missing_ok=True)
                raise

    def replace_with(self, source: Path) -> None:
        """Overwrite this database with another file, in one transaction that other connections survive."""
        with translate_errors(source):
            origin = sqlite3.connect(f"{source.absolute().as_uri()}?mode=ro&immutable=1", uri=True)
            try:
                with translate_errors(self.file):
                    origin.backup(self.connection)
            finally:
                origin.close()


def list_rolling_backups(folder: Path) -> list[Path]:
    """Return the rolling backups in a folder, newest first."""
    return sorted(folder.glob("memory-*.db"), reverse=True)


def list_replaced_databases(folder: Path) -> list[Path]:
    """Return the databases that restores replaced, newest first; each can be restored like a backup."""
    return sorted(folder.glob("replaced-*.db"), reverse=True)


def prune_backups(folder: Path, keep_count: int = BACKUPS_KEPT) -> None:
    """Delete all but the newest backups, and partial copies older than a day."""
    yesterday = time.time() - 86_400
    stale_partials = [partial for partial in folder.glob("*.partial") if partial.stat().st_mtime < yesterday]
    for old_backup in [
        *list_rolling_backups(folder)[keep_count:],
        *list_replaced_databases(folder)[keep_count:],
        *stale_partials,
    ]:
        # The new backup is complete; an old one that cannot be deleted now is deleted the next time.
        with suppress(OSError):
            for file in (old_backup, *(old_backup.with_name(old_backup.name + ending) for ending in ("-wal", "-shm"))):
                file.unlink(missing_ok=True)


def copy_file(source: Path, target: Path) -> None:
    """Copy a file that nobody writes to; only its owner can read the copy."""
    # Imported here, because shutil loads every compression module and plain reads need none of them.
    import shutil

    descriptor = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "wb") as copy, source.open("rb") as original:
        shutil.copyfileobj(original, copy)
        copy.flush()
        os.fsync(copy.fileno())


def is_sound(path: Path) -> bool:
    """Return whether a database file opens and passes SQLite's quick check."""
    try:
        connection = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro&immutable=1", uri=True)
        try:
            return bool(connection.execute("PRAGMA quick_check(1)").fetchone()[0] == "ok")
        finally:
            connection.close()
    except sqlite3.Error:
        return False


def make_private_folder(folder: Path) -> None:
    """Create a folder that only its owner may enter, unless it exists."""
    if not folder.is_dir():
        # The parents, too: `mkdir` would create them with the permissions of the umask.
        make_private_folder(folder.parent)
        folder.mkdir(mode=0o700, exist_ok=True)


class DatabaseDamaged(HollowayError):
    """The file is not a sound database any more."""


class DatabaseTooNew(HollowayError):
    """The file was written by a newer release, with migrations that this one does not know."""


class DatabaseBusy(HollowayError):
    """Another process kept the database locked for longer than the busy timeout."""


_DAMAGE_MESSAGES = ("malformed", "not a database", "unsupported file format", "could not decode to utf-8")


def _can_write(path: str | Path) -> bool:
    """Return whether this user may write a database, its log and their folder."""
    file = os.path.abspath(path)
    existing_files = [name for name in (file, file + "-wal", file + "-shm") if os.path.exists(name)]
    return all(os.access(name, os.W_OK) for name in [os.path.dirname(file), *existing_files])


def build_damage_error(path: str | Path, problem: str) -> DatabaseDamaged:
    """Build the error for a damaged file; the hint says how to restore a backup."""
    return DatabaseDamaged(
        f"{path} is damaged: {problem}.",
        "`holloway backup --list` shows the copies; `holloway backup --restore latest` brings the newest back and "
        "keeps the damaged file next to it.",
    )


@contextmanager
def translate_errors(path: str | Path) -> Iterator[None]:
    """Translate errors of SQLite and the system into messages that name the file and say what to do."""
    try:
        yield
    except (sqlite3.Error, OSError) as error:
        raise _translate_error(path, error) from error


def _translate_error(path: str | Path, error: Exception) -> HollowayError:
    if isinstance(error, sqlite3.ProgrammingError) and "same thread" in str(error):
        return HollowayError(
            f"{path} was opened by another thread.",
            "Open the memory in the thread that uses it; its sessions may be used from any thread.",
        )
    text = str(error).lower()
    code = getattr(error, "sqlite_errorname", "") or ""
    if "SQLITE_BUSY" in code or "SQLITE_LOCKED" in code or "locked" in text:
        return DatabaseBusy(
            f"{path} is busy: another process is writing.", "Nothing was written. Try again in a moment."
        )
    if code.startswith(("SQLITE_CORRUPT", "SQLITE_NOTADB")) or any(sign in text for sign in _DAMAGE_MESSAGES):
        return build_damage_error(path, str(error))
    if code.startswith("SQLITE_FULL") or "no space left" in text or "disk is full" in text:
        return HollowayError(f"The disk is full: nothing was written to {path}.", "Free some space, then try again.")
    if code.startswith("SQLITE_READONLY") and _can_write(path):
        return build_damage_error(path, "its header marks it as read-only, although the file is writable")
    if code.startswith("SQLITE_READONLY") or "readonly" in text or "read-only" in text or "permission denied" in text:
        return HollowayError(
            f"{path} cannot be written: {error}.", "Check the permissions, or set HOLLOWAY_HOME to another folder."
        )
    if code.startswith("SQLITE_CANTOPEN") or isinstance(error, OSError):
        return HollowayError(f"{path} cannot be opened: {error}.", "Check the folder, or set HOLLOWAY_HOME.")
    return HollowayError(f"{path}: {error}.", "Nothing was written. `holloway doctor` shows more.")
