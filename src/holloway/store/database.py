"""One SQLite file: opened safely, written in whole transactions, checked, backed up."""

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
"""SQLite's lock is unfair: a busy neighbour can hold others up for seconds, and no caller should see that."""

Row = sqlite3.Row


class Database:
    """A connection that reads freely and writes only inside `write()`."""

    page_bytes = 4_096
    """How large the pages of a new file are; one that is there keeps its own."""

    def __init__(
        self, file: str | Path, *, synchronous: str = "normal", busy_timeout_ms: int = BUSY_TIMEOUT_MS
    ) -> None:
        self.file = os.fspath(file)
        self._synchronous = synchronous
        self._busy_timeout_ms = busy_timeout_ms
        self._connection: sqlite3.Connection | None = None

    @property
    def path(self) -> Path:
        """Where the file is."""
        # Loading it takes as long as opening a file and asking it something, for which a name is enough.
        from pathlib import Path

        return Path(self.file)

    @property
    def connection(self) -> sqlite3.Connection:
        """The open connection; opened at its first use."""
        if self._connection is None:
            with translated(self.file):
                self._connection = self._open()
        return self._connection

    def _open(self) -> sqlite3.Connection:
        if not os.path.exists(self.file):
            make_folder(self.path.parent)
            os.close(os.open(self.file, os.O_CREAT | os.O_RDWR, 0o600))
        connection = sqlite3.connect(self.file, isolation_level=None, timeout=self._busy_timeout_ms / 1000)
        try:
            connection.row_factory = sqlite3.Row
            connection.execute(f"PRAGMA page_size = {self.page_bytes}")
            connection.execute(f"PRAGMA busy_timeout = {int(self._busy_timeout_ms)}")
            connection.execute("PRAGMA foreign_keys = ON")
            connection.execute("PRAGMA secure_delete = ON")
            if connection.execute("PRAGMA journal_mode").fetchone()[0] != "wal":
                connection.execute("PRAGMA journal_mode = WAL")
            connection.execute(f"PRAGMA synchronous = {'FULL' if self._synchronous == 'full' else 'NORMAL'}")
        except BaseException:
            connection.close()
            raise
        return connection

    def close(self) -> None:
        """Close the connection; the next use opens it again."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    @contextmanager
    def write(self) -> Iterator[None]:
        """One transaction, taken at once: everything inside is written, or nothing is."""
        with translated(self.file):
            if self._writing():
                yield
                return
            self.connection.execute("BEGIN IMMEDIATE")
            try:
                yield
                self.connection.execute("COMMIT")
            except BaseException:
                if self._writing():
                    self.connection.execute("ROLLBACK")
                raise

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """One state of the file for several reads, whatever others write meanwhile."""
        with translated(self.file):
            if self._writing():
                yield
                return
            self.connection.execute("BEGIN")
            try:
                yield
            finally:
                self.connection.execute("COMMIT")

    def _writing(self) -> bool:
        return self.connection.in_transaction

    def run(self, sql: str, values: Values = ()) -> sqlite3.Cursor:
        """Execute one statement with bound values."""
        with translated(self.file):
            return self.connection.execute(sql, values)

    def rows(self, sql: str, values: Values = ()) -> list[Row]:
        """All rows of a query."""
        with translated(self.file):
            return self.connection.execute(sql, values).fetchall()

    def row(self, sql: str, values: Values = ()) -> Row | None:
        """The first row of a query, if any."""
        with translated(self.file):
            found: Row | None = self.connection.execute(sql, values).fetchone()
            return found

    def value(self, sql: str, values: Values = ()) -> Any:
        """The first column of the first row, or None."""
        found = self.row(sql, values)
        return found[0] if found is not None else None

    def problems(self) -> list[str]:
        """What SQLite's own checks say is wrong: of the file, of its references, of the text index."""
        found = [row[0] for row in self.rows("PRAGMA integrity_check(20)") if row[0] != "ok"]
        found += [f"a row of {row[0]} points nowhere" for row in self.rows("PRAGMA foreign_key_check")]
        try:
            with self.write():
                self.run("INSERT INTO memories_fts(memories_fts, rank) VALUES ('integrity-check', 1)")
        except Damaged:
            found.append("the text index differs from the memories")
        return found

    def truncate_wal(self) -> bool:
        """Move the write-ahead log into the file and empty it; False while another reader holds it."""
        with self.lock_timeout(WAL_TRUNCATE_WAIT_MS):
            row = self.row("PRAGMA wal_checkpoint(TRUNCATE)")
            return row is not None and row[0] == 0

    @contextmanager
    def lock_timeout(self, timeout_ms: int) -> Iterator[None]:
        """Wait at most this long for another process's lock while the block runs; then `Busy` is raised."""
        self.run(f"PRAGMA busy_timeout = {int(timeout_ms)}")
        try:
            yield
        finally:
            self.run(f"PRAGMA busy_timeout = {int(self._busy_timeout_ms)}")

    def backup(self, target: Path) -> None:
        """Copy the whole database, while others go on writing; the target appears complete or not at all."""
        partial = target.with_name(target.name + ".partial")
        with translated(self.file):
            try:
                make_folder(target.parent)
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
        """Make this database equal to another file, in one transaction that other connections survive."""
        with translated(source):
            origin = sqlite3.connect(f"{source.absolute().as_uri()}?mode=ro&immutable=1", uri=True)
            try:
                with translated(self.file):
                    origin.backup(self.connection)
            finally:
                origin.close()


def rolling(folder: Path) -> list[Path]:
    """The backups in a folder, newest first."""
    return sorted(folder.glob("memory-*.db"), reverse=True)


def replaced(folder: Path) -> list[Path]:
    """What restores put aside, newest first; it can be restored like a backup."""
    return sorted(folder.glob("replaced-*.db"), reverse=True)


def roll(folder: Path, keep: int = BACKUPS_KEPT) -> None:
    """Keep the newest backups only."""
    yesterday = time.time() - 86_400
    left_over = [partial for partial in folder.glob("*.partial") if partial.stat().st_mtime < yesterday]
    for old in [*rolling(folder)[keep:], *replaced(folder)[keep:], *left_over]:
        # The new copy is complete; an old one that cannot be removed now goes the next time.
        with suppress(OSError):
            for file in (old, *(old.with_name(old.name + ending) for ending in ("-wal", "-shm"))):
                file.unlink(missing_ok=True)


def copy_file(source: Path, target: Path) -> None:
    """Copy a file that nobody writes to, readable by its owner only."""
    # It brings every compression along, and whoever only asks something waits for none of them.
    import shutil

    descriptor = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "wb") as copy, source.open("rb") as original:
        shutil.copyfileobj(original, copy)
        copy.flush()
        os.fsync(copy.fileno())


def is_sound(path: Path) -> bool:
    """Whether a database file opens and passes SQLite's own check."""
    try:
        connection = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro&immutable=1", uri=True)
        try:
            return bool(connection.execute("PRAGMA quick_check(1)").fetchone()[0] == "ok")
        finally:
            connection.close()
    except sqlite3.Error:
        return False


def make_folder(folder: Path) -> None:
    """A folder that only its owner may enter."""
    if not folder.is_dir():
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)


class Damaged(HollowayError):
    """The file is not a sound database any more."""


class Newer(HollowayError):
    """The file was written by a later release."""


class Busy(HollowayError):
    """Others kept the database locked for longer than anybody should wait."""


_SIGNS_OF_DAMAGE = ("malformed", "not a database", "unsupported file format", "could not decode to utf-8")


def _may_write(path: str | Path) -> bool:
    """Whether the system lets this user write a database, its log and their folder."""
    file = os.path.abspath(path)
    there = [name for name in (file, file + "-wal", file + "-shm") if os.path.exists(name)]
    return all(os.access(name, os.W_OK) for name in [os.path.dirname(file), *there])


def damage(path: str | Path, seen: str) -> Damaged:
    """The message for a file that is not sound, with the way back."""
    return Damaged(
        f"{path} is damaged: {seen}.",
        "`holloway backup --list` shows the copies; `holloway backup --restore latest` brings the newest back and "
        "keeps the damaged file beside it.",
    )


@contextmanager
def translated(path: str | Path) -> Iterator[None]:
    """SQLite's and the system's errors as messages that name the file and say what to do."""
    try:
        yield
    except (sqlite3.Error, OSError) as error:
        raise _translation(path, error) from error


def _translation(path: str | Path, error: Exception) -> HollowayError:
    if isinstance(error, sqlite3.ProgrammingError) and "same thread" in str(error):
        return HollowayError(
            f"{path} was opened by another thread.",
            "Open the memory in the thread that uses it; a session of it may be asked from any.",
        )
    text = str(error).lower()
    code = getattr(error, "sqlite_errorname", "") or ""
    if "SQLITE_BUSY" in code or "SQLITE_LOCKED" in code or "locked" in text:
        return Busy(f"{path} is busy: another process is writing.", "Nothing was written. Try again in a moment.")
    if code.startswith(("SQLITE_CORRUPT", "SQLITE_NOTADB")) or any(sign in text for sign in _SIGNS_OF_DAMAGE):
        return damage(path, str(error))
    if code.startswith("SQLITE_FULL") or "no space left" in text or "disk is full" in text:
        return HollowayError(f"The disk is full: nothing was written to {path}.", "Free some space, then try again.")
    if code.startswith("SQLITE_READONLY") and _may_write(path):
        return damage(path, "its header forbids to write it, although the file may be written")
    if code.startswith("SQLITE_READONLY") or "readonly" in text or "read-only" in text or "permission denied" in text:
        return HollowayError(
            f"{path} cannot be written: {error}.", "Check the permissions, or set HOLLOWAY_HOME to another folder."
        )
    if code.startswith("SQLITE_CANTOPEN") or isinstance(error, OSError):
        return HollowayError(f"{path} cannot be opened: {error}.", "Check the folder, or set HOLLOWAY_HOME.")
    return HollowayError(f"{path}: {error}.", "Nothing was written. `holloway doctor` looks closer.")
