"""A store as a whole: values by key, backups, space on disk, and what restoring replaces."""

import os
from datetime import timedelta
from pathlib import Path

import pytest

import holloway
from holloway.config import BACKUP_EVERY_HOURS, VACUUM_ABOVE_WASTE_BYTES
from holloway.errors import HollowayError, InvalidInput
from holloway.store.database import DatabaseDamaged, is_sound, list_replaced_databases
from holloway.store.store import Store, find_backup_file, restore_backup_file
from holloway.testing import CountedIds, FakeClock


@pytest.fixture
def store(memory: holloway.Holloway) -> Store:
    memory.remember("the gate is half open")
    return memory.store


def read_contents(store: Store) -> set[str]:
    return {row["content"] for row in store.database.fetch_rows("SELECT content FROM memories")}


def test_a_value_is_stored_under_its_key_and_replaced(store: Store) -> None:
    assert store.get_meta("mark") == ""
    store.set_meta("mark", "one")
    assert store.get_meta("mark") == "one"
    store.set_meta("mark", "two")
    assert store.get_meta("mark") == "two"


def test_a_value_that_does_not_change_is_not_written(store: Store) -> None:
    store.set_meta("mark", "one")
    before = store.database.connection.total_changes
    store.set_meta("mark", "one")
    assert store.database.connection.total_changes == before


def test_a_backup_is_named_by_its_time_and_due_once_a_day(store: Store, clock: FakeClock) -> None:
    first = store.backup_if_due()
    assert first is not None
    assert (first.name, is_sound(first)) == ("memory-2026-01-05T090000000Z.db", True)
    day = timedelta(hours=BACKUP_EVERY_HOURS)
    for age, is_due in ((day - timedelta(seconds=1), False), (day + timedelta(seconds=1), True)):
        made_at = (clock.now() - age).timestamp()
        os.utime(first, (made_at, made_at))
        clock.advance(seconds=0.001)
        backup = store.backup_if_due()
        assert (backup is not None) is is_due


def test_free_pages_are_returned_to_the_disk_once_they_are_many(store: Store) -> None:
    store.database.execute("CREATE TABLE waste(data BLOB)")
    assert store.vacuum_if_due() is False
    store.database.execute("INSERT INTO waste VALUES (zeroblob(?))", (VACUUM_ABOVE_WASTE_BYTES + 100_000,))
    store.database.execute("DELETE FROM waste")
    assert store.vacuum_if_due() is True
    assert store.database.fetch_value("PRAGMA freelist_count") == 0
    assert store.vacuum_if_due() is False


def test_a_store_whose_file_was_emptied_is_not_taken_for_a_new_one(store: Store) -> None:
    project = store.project
    store.create_backup()
    store.close()
    for file in project.folder.glob("memory.db*"):
        file.unlink()
    with pytest.raises(DatabaseDamaged, match="it is empty, although it has backups"):
        Store(project)
    project.database_path.touch()
    with pytest.raises(DatabaseDamaged) as raised:
        Store(project)
    assert "--restore latest" in raised.value.hint


def test_restoring_brings_the_backup_back_and_keeps_the_replaced_state(store: Store, clock: FakeClock) -> None:
    backup = store.create_backup()
    store.database.execute("UPDATE memories SET content = 'changed since'")
    clock.advance(hours=1)
    source, replaced = restore_backup_file(store.project, "latest", clock)
    assert source == backup
    assert replaced == store.project.backups_folder / "replaced-2026-01-05T100000000Z.db"
    assert read_contents(store) == {"the gate is half open"}
    restore_backup_file(store.project, replaced.name, FakeClock())
    assert read_contents(store) == {"changed since"}


def test_restoring_where_the_file_is_gone_replaces_nothing(store: Store) -> None:
    store.create_backup()
    store.close()
    for file in store.project.folder.glob("memory.db*"):
        file.unlink()
    _, replaced = restore_backup_file(store.project, "latest")
    assert replaced is None
    assert list_replaced_databases(store.project.backups_folder) == []
    assert read_contents(store) == {"the gate is half open"}


def test_restoring_over_a_damaged_file_keeps_that_file(store: Store) -> None:
    store.create_backup()
    store.close()
    for file in store.project.folder.glob("memory.db-*"):
        file.unlink()
    store.project.database_path.write_bytes(b"not a database " * 500)
    _, replaced = restore_backup_file(store.project, "latest")
    assert replaced is not None
    assert replaced.read_bytes().startswith(b"not a database")
    assert read_contents(store) == {"the gate is half open"}
    assert not (store.project.folder / "memory.db.restoring").exists()


def test_a_damaged_backup_is_refused_and_latest_means_the_newest_sound_one(store: Store, clock: FakeClock) -> None:
    older = store.create_backup()
    clock.advance(hours=1)
    newer = store.create_backup()
    newer.write_bytes(b"not a database " * 500)
    assert find_backup_file(store.project, "latest") == older
    with pytest.raises(HollowayError, match="is damaged; nothing was changed"):
        restore_backup_file(store.project, newer.name)
    assert read_contents(store) == {"the gate is half open"}


def test_a_backup_is_found_by_name_stem_or_path(store: Store) -> None:
    with pytest.raises(HollowayError, match="There is no backup of shop yet"):
        find_backup_file(store.project, "latest")
    backup = store.create_backup()
    for name in (backup.name, backup.stem, str(backup)):
        assert find_backup_file(store.project, name) == backup
    with pytest.raises(InvalidInput, match="There is no backup 'memory-1'") as raised:
        find_backup_file(store.project, "memory-1")
    assert backup.name in raised.value.hint


def test_pending_migrations_back_the_file_up_first(store: Store, tmp_path: Path) -> None:
    store.database.execute(
        "DELETE FROM migrations WHERE number >= (SELECT number FROM migrations WHERE name = 'sharing_0019')"
    )
    store.close()
    with pytest.raises(HollowayError):  # a migration meets its own result
        Store(store.project, clock=FakeClock(), ids=CountedIds())
    assert len(list(store.project.backups_folder.glob("memory-*.db"))) == 1
