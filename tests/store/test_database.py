"""One SQLite file: how it is opened, written, checked and copied, and what its errors say."""

import errno
import os
import sqlite3
import threading
import time
from pathlib import Path

import pytest

import holloway
from holloway.errors import HollowayError
from holloway.store import database
from holloway.store.database import (
    Database,
    DatabaseBusy,
    DatabaseDamaged,
    copy_file,
    is_sound,
    list_replaced_databases,
    list_rolling_backups,
    make_private_folder,
    prune_backups,
    translate_errors,
)


def mode_of(path: Path) -> int:
    return path.stat().st_mode & 0o777


def make_table(database: Database, *numbers: int) -> None:
    with database.write_transaction():
        database.execute("CREATE TABLE IF NOT EXISTS numbers(value INTEGER)")
        for number in numbers:
            database.execute("INSERT INTO numbers VALUES (?)", (number,))


def read_numbers(database: Database) -> list[int]:
    return [row["value"] for row in database.fetch_rows("SELECT value FROM numbers ORDER BY value")]


def write_and_fail(database: Database) -> None:
    with database.write_transaction():
        make_table(database, 2)
        assert read_numbers(database) == [1, 2]
        raise ZeroDivisionError


def translate(path: Path, error: Exception) -> HollowayError:
    with pytest.raises(HollowayError) as raised, translate_errors(path):
        raise error
    return raised.value


def name_error(kind: type[sqlite3.Error], message: str, name: str) -> sqlite3.Error:
    error = kind(message)
    error.sqlite_errorname = name
    return error


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "private" / "numbers.db"


def test_a_new_file_and_its_folder_belong_to_their_owner_alone(file: Path) -> None:
    database = Database(file)
    make_table(database)
    assert (mode_of(file.parent), mode_of(file)) == (0o700, 0o600)
    assert database.path == file
    database.close()


def test_a_folder_that_exists_keeps_its_permissions(tmp_path: Path) -> None:
    (tmp_path / "open").mkdir(mode=0o755)
    make_private_folder(tmp_path / "open")
    make_private_folder(tmp_path / "a" / "b")
    assert (mode_of(tmp_path / "open"), mode_of(tmp_path / "a" / "b")) == (0o755, 0o700)


@pytest.mark.parametrize(("synchronous", "level"), [("full", 2), ("normal", 1)])
def test_a_connection_has_the_settings_that_keep_data_safe(file: Path, synchronous: str, level: int) -> None:
    database = Database(file, synchronous=synchronous, busy_timeout_ms=1_500)
    for pragma, value in {
        "journal_mode": "wal",
        "synchronous": level,
        "foreign_keys": 1,
        "secure_delete": 1,
        "busy_timeout": 1_500,
        "page_size": 4_096,
    }.items():
        assert database.fetch_value(f"PRAGMA {pragma}") == value
    database.close()


def test_opening_a_file_again_does_not_write_its_journal_mode_again(file: Path) -> None:
    first = Database(file)
    make_table(first, 1)
    held = Database(file)
    with held.write_transaction():
        again = Database(file, busy_timeout_ms=1)
        assert read_numbers(again) == [1]
        again.close()
    held.close()
    first.close()


def test_opening_a_new_file_waits_while_another_process_writes_to_it(file: Path) -> None:
    file.parent.mkdir(exist_ok=True)
    writer = sqlite3.connect(file, isolation_level=None, check_same_thread=False)
    writer.execute("BEGIN IMMEDIATE")
    release = threading.Timer(0.1, writer.rollback)
    release.start()
    database = Database(file)
    try:
        assert database.fetch_value("PRAGMA journal_mode") == "wal"
    finally:
        release.join()
        database.close()
        writer.close()


def test_opening_a_new_file_gives_up_after_the_busy_timeout(file: Path) -> None:
    file.parent.mkdir(exist_ok=True)
    writer = sqlite3.connect(file, isolation_level=None)
    writer.execute("BEGIN IMMEDIATE")
    try:
        with pytest.raises(HollowayError, match="busy"):
            Database(file, busy_timeout_ms=20).fetch_value("SELECT 1")
    finally:
        writer.close()


def test_a_file_that_cannot_be_opened_leaves_no_connection_behind(file: Path) -> None:
    file.parent.mkdir()
    file.write_text("this is not a database, however long the text that stands in it may be " * 20)
    database = Database(file)
    for _ in range(2):
        with pytest.raises(DatabaseDamaged, match=r"numbers\.db is damaged"):
            database.fetch_value("SELECT 1")


def test_a_closed_database_opens_again_at_its_next_use(file: Path) -> None:
    database = Database(file)
    make_table(database, 3)
    database.close()
    database.close()
    assert read_numbers(database) == [3]
    database.close()


def test_a_transaction_that_fails_changes_nothing_and_one_inside_another_belongs_to_it(file: Path) -> None:
    database = Database(file)
    make_table(database, 1)
    with pytest.raises(ZeroDivisionError):
        write_and_fail(database)
    assert read_numbers(database) == [1]
    with database.write_transaction():
        make_table(database, 4)
    assert read_numbers(database) == [1, 4]
    database.close()


def test_a_write_transaction_takes_the_lock_before_its_first_statement(file: Path) -> None:
    first, second = Database(file), Database(file, busy_timeout_ms=1)
    make_table(first)
    with first.write_transaction(), pytest.raises(DatabaseBusy, match="another process is writing"):
        make_table(second, 1)
    first.close()
    second.close()


def test_reads_in_a_snapshot_do_not_see_what_others_write_meanwhile(file: Path) -> None:
    reader, writer = Database(file), Database(file)
    make_table(writer, 1)
    with reader.read_snapshot():
        assert read_numbers(reader) == [1]
        make_table(writer, 2)
        with reader.read_snapshot():
            assert read_numbers(reader) == [1]
    assert read_numbers(reader) == [1, 2]
    reader.close()
    writer.close()


def test_a_query_returns_rows_one_row_one_value_or_none(file: Path) -> None:
    database = Database(file)
    make_table(database, 5, 6)
    assert read_numbers(database) == [5, 6]
    row = database.fetch_row("SELECT value, value + 1 AS next FROM numbers WHERE value = :value", {"value": 6})
    assert row is not None
    assert (row["value"], row["next"]) == (6, 7)
    assert database.fetch_row("SELECT value FROM numbers WHERE value = 9") is None
    assert database.fetch_value("SELECT value, 1 FROM numbers WHERE value = ?", (5,)) == 5
    assert database.fetch_value("SELECT value FROM numbers WHERE value = 9") is None
    assert database.execute("UPDATE numbers SET value = value + 1").rowcount == 2
    database.close()


def test_a_sound_store_has_no_problems_and_a_broken_one_names_each(memory: holloway.Holloway) -> None:
    database = memory.store.database
    memory.remember("the gate is half open", files=["src/shop/auth/tokens.py"])
    assert database.check_integrity() == []
    with database.write_transaction():
        database.execute("INSERT INTO memories_fts(memories_fts) VALUES ('delete-all')")
    database.execute("PRAGMA foreign_keys = OFF")
    database.execute("INSERT INTO memory_files(seq, path, place) VALUES (404, 'nowhere.py', 1)")
    assert database.check_integrity() == [
        "a row of memory_files points nowhere",
        "the text index differs from the memories",
    ]


def test_the_log_is_truncated_unless_a_reader_holds_it(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database, "WAL_TRUNCATE_WAIT_MS", 10)
    writer, reader = Database(file), Database(file)
    make_table(writer, 1)
    log = file.with_name(file.name + "-wal")
    with reader.read_snapshot():
        read_numbers(reader)
        make_table(writer, 2)
        assert writer.truncate_wal() is False
        assert log.stat().st_size > 0
    assert writer.truncate_wal() is True
    assert log.stat().st_size == 0
    assert writer.fetch_value("PRAGMA busy_timeout") == 30_000
    writer.close()
    reader.close()


def test_the_wait_for_a_lock_is_limited_only_inside_the_block(file: Path) -> None:
    first, second = Database(file), Database(file)
    make_table(first)
    with first.write_transaction(), second.limit_lock_wait(10):
        begin = time.monotonic()
        with pytest.raises(DatabaseBusy):
            make_table(second, 1)
        assert time.monotonic() - begin < 10
    assert second.fetch_value("PRAGMA busy_timeout") == 30_000
    first.close()
    second.close()


def test_a_backup_is_complete_private_and_a_single_file(file: Path, tmp_path: Path) -> None:
    database = Database(file)
    make_table(database, 1, 2)
    target = tmp_path / "copies" / "memory-1.db"
    target.parent.mkdir(mode=0o700)
    target.with_name("memory-1.db.partial").write_text("left behind by a crash")
    database.backup_to(target)
    database.close()
    assert [path.name for path in target.parent.iterdir()] == ["memory-1.db"]
    assert mode_of(target) == 0o600
    copy = sqlite3.connect(target)
    assert copy.execute("PRAGMA journal_mode").fetchone() == ("delete",)
    assert copy.execute("SELECT count(*) FROM numbers").fetchone() == (2,)
    copy.close()


def test_a_backup_that_fails_leaves_nothing_behind(file: Path, tmp_path: Path) -> None:
    database = Database(file)
    make_table(database, 1)
    occupied = tmp_path / "copies" / "memory-1.db"
    occupied.mkdir(parents=True)
    with pytest.raises(HollowayError, match="cannot be opened"):
        database.backup_to(occupied)
    database.close()
    assert [path.name for path in occupied.parent.iterdir()] == ["memory-1.db"]


def test_a_restored_file_replaces_the_content_for_open_connections_too(file: Path, tmp_path: Path) -> None:
    database, other = Database(file), Database(file)
    make_table(database, 1)
    database.backup_to(tmp_path / "copy.db")
    make_table(database, 2)
    assert read_numbers(other) == [1, 2]
    database.replace_with(tmp_path / "copy.db")
    assert read_numbers(database) == read_numbers(other) == [1]
    database.close()
    other.close()


def test_copies_are_listed_newest_first_by_kind(tmp_path: Path) -> None:
    for name in ("memory-1.db", "memory-2.db", "replaced-1.db", "replaced-3.db", "memory-2.db-wal", "other.db"):
        (tmp_path / name).touch()
    assert [path.name for path in list_rolling_backups(tmp_path)] == ["memory-2.db", "memory-1.db"]
    assert [path.name for path in list_replaced_databases(tmp_path)] == ["replaced-3.db", "replaced-1.db"]


def test_a_copy_that_goes_takes_its_log_along(tmp_path: Path) -> None:
    for name in ("replaced-1.db", "replaced-1.db-wal", "replaced-1.db-shm", "replaced-2.db", "replaced-2.db-wal"):
        (tmp_path / name).touch()

    prune_backups(tmp_path, keep_count=1)

    assert sorted(path.name for path in tmp_path.iterdir()) == ["replaced-2.db", "replaced-2.db-wal"]


def test_only_the_newest_backups_and_partial_copies_of_the_last_day_stay(tmp_path: Path) -> None:
    for name in ("memory-1.db", "memory-2.db", "memory-3.db", "young.partial", "old.partial"):
        (tmp_path / name).touch()
    day_s = 86_400
    os.utime(tmp_path / "young.partial", times=(time.time() - day_s + 60,) * 2)
    os.utime(tmp_path / "old.partial", times=(time.time() - day_s - 60,) * 2)
    prune_backups(tmp_path, keep_count=2)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["memory-2.db", "memory-3.db", "young.partial"]


def test_a_copied_file_can_be_read_by_its_owner_alone(tmp_path: Path) -> None:
    (tmp_path / "source").write_bytes(b"content")
    (tmp_path / "source").chmod(0o644)
    (tmp_path / "target").write_bytes(b"something longer that was there")
    (tmp_path / "target").unlink()
    copy_file(tmp_path / "source", tmp_path / "target")
    assert ((tmp_path / "target").read_bytes(), mode_of(tmp_path / "target")) == (b"content", 0o600)
    copy_file(tmp_path / "target", tmp_path / "source")
    assert (tmp_path / "source").read_bytes() == b"content"


def test_a_file_is_sound_if_sqlite_can_read_all_of_it(file: Path, tmp_path: Path) -> None:
    database = Database(file)
    make_table(database, *range(5_000))
    database.backup_to(tmp_path / "copy.db")
    database.close()
    assert is_sound(tmp_path / "copy.db") is True
    content = bytearray((tmp_path / "copy.db").read_bytes())
    content[8_192:12_288] = b"\xff" * 4_096
    (tmp_path / "copy.db").write_bytes(content)
    assert is_sound(tmp_path / "copy.db") is False
    (tmp_path / "text.db").write_text("no database at all " * 100)
    assert is_sound(tmp_path / "text.db") is False
    assert is_sound(tmp_path / "missing.db") is False


def test_another_thread_is_told_to_open_the_memory_itself(file: Path) -> None:
    database = Database(file)
    make_table(database)
    raised: list[HollowayError] = []

    def read() -> None:
        try:
            database.fetch_value("SELECT 1")
        except HollowayError as error:
            raised.append(error)

    thread = threading.Thread(target=read)
    thread.start()
    thread.join()
    database.close()
    assert "was opened by another thread" in str(raised[0])
    assert "in the thread that uses it" in raised[0].hint


ERRORS = [
    (name_error(sqlite3.OperationalError, "x", "SQLITE_BUSY_SNAPSHOT"), DatabaseBusy, "is busy", "Try again"),
    (name_error(sqlite3.OperationalError, "x", "SQLITE_LOCKED"), DatabaseBusy, "is busy", "Try again"),
    (sqlite3.OperationalError("database is locked"), DatabaseBusy, "is busy", "Nothing was written"),
    (name_error(sqlite3.DatabaseError, "x", "SQLITE_CORRUPT_VTAB"), DatabaseDamaged, "is damaged: x", "backup"),
    (name_error(sqlite3.DatabaseError, "x", "SQLITE_NOTADB"), DatabaseDamaged, "is damaged: x", "backup"),
    (sqlite3.DatabaseError("image is malformed"), DatabaseDamaged, "is damaged: image is malformed", "--restore"),
    (name_error(sqlite3.OperationalError, "x", "SQLITE_FULL"), HollowayError, "The disk is full", "Free some space"),
    (OSError(errno.ENOSPC, "No space left on device"), HollowayError, "The disk is full", "Free some space"),
    (name_error(sqlite3.OperationalError, "x", "SQLITE_READONLY"), DatabaseDamaged, "marks it as read-only", "backup"),
    (sqlite3.OperationalError("readonly"), HollowayError, "cannot be written: readonly", "Check the permissions"),
    (OSError(errno.EROFS, "Read-only file system"), HollowayError, "cannot be written", "Check the permissions"),
    (PermissionError(errno.EACCES, "Permission denied"), HollowayError, "cannot be written", "Check the permissions"),
    (name_error(sqlite3.OperationalError, "x", "SQLITE_CANTOPEN"), HollowayError, "cannot be opened: x", "folder"),
    (IsADirectoryError(errno.EISDIR, "Is a directory"), HollowayError, "cannot be opened", "Check the folder"),
    (sqlite3.OperationalError("no such table: x"), HollowayError, "no such table: x", "holloway doctor"),
    (sqlite3.ProgrammingError("wrong number of bindings"), HollowayError, "wrong number", "holloway doctor"),
]


@pytest.mark.parametrize(("error", "kind", "message", "hint"), ERRORS, ids=[str(index) for index in range(len(ERRORS))])
def test_every_error_names_the_file_and_the_next_step(
    tmp_path: Path, error: Exception, kind: type[HollowayError], message: str, hint: str
) -> None:
    raised = translate(tmp_path / "memory.db", error)
    assert type(raised) is kind
    assert str(tmp_path / "memory.db") in str(raised)
    assert message in str(raised)
    assert hint in raised.hint


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_file_that_the_user_may_not_write_is_not_called_damaged(file: Path) -> None:
    database = Database(file)
    make_table(database)
    database.close()
    file.chmod(0o400)
    with pytest.raises(HollowayError, match="cannot be written") as raised:
        make_table(database, 1)
    database.close()
    assert not isinstance(raised.value, DatabaseDamaged)
