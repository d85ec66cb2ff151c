import json
import sqlite3
from pathlib import Path

import pytest

import holloway
from docs.generate import SCHEMA, schema_of
from holloway.errors import HollowayError
from holloway.store import lookup, migrations, operation_log
from holloway.store.database import Database, DatabaseTooNew
from holloway.store.operation_log import LoggedOperation, SharedMemory
from holloway.testing import CountedIds, FakeClock
from tests.conftest import Repository
from tests.store.test_memories import taught

PRIOR = Path(__file__).parents[1] / "prior"


def fresh(path: Path) -> Database:
    database = Database(path)
    migrations.migrate_database(database, FakeClock(), CountedIds())
    return database


def test_the_schema_to_be_read_is_the_one_that_the_migrations_make(tmp_path: Path) -> None:
    database = fresh(tmp_path / "memory.db")
    assert SCHEMA.read_text("utf-8") == schema_of(database)
    database.close()


def test_hooks_know_the_present_schema(tmp_path: Path) -> None:
    database = fresh(tmp_path / "memory.db")
    assert database.fetch_value("PRAGMA user_version") == lookup.SCHEMA_VERSION == len(migrations.MIGRATIONS)
    database.close()


def test_migrating_twice_changes_nothing(tmp_path: Path) -> None:
    database = fresh(tmp_path / "memory.db")
    assert migrations.migrate_database(database, FakeClock(), CountedIds()) == []
    database.close()


@pytest.mark.promise("old-databases")
@pytest.mark.parametrize("done", range(len(migrations.MIGRATIONS)))
def test_a_file_of_any_earlier_schema_is_brought_up_to_date(
    repository: Repository, tmp_path: Path, done: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    with holloway.open(repository.root) as memory:
        path = memory.project.database_path
    path.unlink()
    early = Database(path)
    with monkeypatch.context() as patched:
        patched.setattr(migrations, "MIGRATIONS", migrations.MIGRATIONS[:done])
        migrations.migrate_database(early, FakeClock(), CountedIds())
    early.close()
    with holloway.open(repository.root) as memory:
        assert memory.store.database.check_integrity() == []
        assert taught(memory, "works").id


@pytest.mark.promise("old-databases")
@pytest.mark.parametrize("prior", sorted(PRIOR.glob("*.db")), ids=lambda path: path.stem)
def test_databases_of_earlier_releases_open_with_all_they_hold(repository: Repository, prior: Path) -> None:
    with holloway.open(repository.root) as memory:
        path = memory.project.database_path
    path.unlink()
    path.write_bytes(prior.read_bytes())
    with holloway.open(repository.root) as memory:
        assert memory.store.database.check_integrity() == []
        assert {each.content for each in memory.memories()} == {"tests/auth hangs without REDIS_URL", "money is cents"}
        assert memory.recall("redis")[0].memory.files == ("tests/auth",)


@pytest.mark.promise("old-databases")
def test_uses_are_counted_anew_from_what_sessions_left_instead_of_showings(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = migrations.MIGRATIONS.index(migrations.uses_0011)
    with monkeypatch.context() as patched:
        patched.setattr(migrations, "MIGRATIONS", migrations.MIGRATIONS[:before])
        with holloway.open(repository.root) as memory:
            database = memory.store.database
            for later_column in (
                migrations.STATED,
                migrations.split_statements(migrations.MUTED)[0],
                migrations.CHOSEN,
            ):
                database.execute(later_column)  # memories are written with it
            helped, ignored = taught(memory, "helped"), taught(memory, "ignored")
            for name in ("stated_at", "muted", "chosen"):
                database.execute(f"ALTER TABLE memories DROP COLUMN {name}")
            database.execute("UPDATE memories SET use_count = 12")
            for session, record in (("s1", json.dumps({"used": [helped.id]})), ("s2", "{}"), ("torn", '{"used": [')):
                database.execute(
                    "INSERT INTO sessions(id, agent, started_at, last_event_at, record) VALUES (?, '', '', '', ?)",
                    (session, record),
                )
            for session, said in (("s1", helped.id), ("mcp-1", helped.id), ("s2", ignored.id)):
                point = "asked" if said == helped.id else "prompt"
                database.execute(
                    "INSERT INTO injections(session, context, memory, point, at) VALUES (?, -1, ?, ?, '')",
                    (session, said, point),
                )
    with holloway.open(repository.root) as memory:
        assert [memory.get(each.id).use_count for each in (helped, ignored)] == [2, 0]


@pytest.mark.promise("old-databases")
@pytest.mark.parametrize("failing", range(1, len(migrations.MIGRATIONS)))
def test_an_interrupted_migration_changes_nothing(
    tmp_path: Path, failing: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    database = Database(tmp_path / "memory.db")
    whole = migrations.MIGRATIONS

    def interrupted(database: Database, ids: object) -> None:
        whole[failing](database, CountedIds())
        raise KeyboardInterrupt

    interrupted.__name__ = whole[failing].__name__
    with monkeypatch.context() as patched:
        patched.setattr(migrations, "MIGRATIONS", (*whole[:failing], interrupted, *whole[failing + 1 :]))
        with pytest.raises(KeyboardInterrupt):
            migrations.migrate_database(database, FakeClock(), CountedIds())
    assert migrations.list_applied(database) == [step.__name__ for step in whole[:failing]]
    before = schema_of(database)
    assert whole[failing].__name__ not in before
    migrations.migrate_database(database, FakeClock(), CountedIds())
    assert SCHEMA.read_text("utf-8") == schema_of(database)
    database.close()


@pytest.mark.promise("old-databases")
def test_a_newer_file_is_refused_and_left_alone(repository: Repository) -> None:
    with holloway.open(repository.root) as memory:
        path = memory.project.database_path
    connection = sqlite3.connect(path)
    connection.execute("INSERT INTO migrations(name, at) VALUES ('telepathy_0099', '2030')")
    connection.commit()
    connection.close()
    before = path.read_bytes()
    with pytest.raises(DatabaseTooNew, match="telepathy_0099") as caught:
        holloway.open(repository.root)
    assert "Upgrade" in caught.value.hint
    assert path.read_bytes() == before


@pytest.mark.promise("backups")
def test_a_file_with_memories_is_copied_before_it_is_migrated(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(migrations, "MIGRATIONS", migrations.MIGRATIONS[:3])
        with holloway.open(repository.root) as memory:
            folder = memory.project.backups_folder
    assert not folder.exists()
    with holloway.open(repository.root):
        assert len(list(folder.glob("memory-*.db"))) == 1


def test_a_folder_in_the_databases_place_is_named(repository: Repository) -> None:
    with holloway.open(repository.root) as memory:
        path = memory.project.database_path
    path.unlink()
    path.mkdir()
    with pytest.raises(HollowayError, match="cannot be opened"):
        holloway.open(repository.root)


def test_operations_and_bases_move_to_rows_that_fit_their_pages(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    database = Database(tmp_path / "memory.db")
    steps = migrations.MIGRATIONS
    monkeypatch.setattr(migrations, "MIGRATIONS", steps[: steps.index(migrations.sharing_rows_0020)])
    migrations.migrate_database(database, FakeClock(), CountedIds())
    body = "x" * 1_500
    rows = [LoggedOperation(f"{number:012x}.a", f"m{number}", "r", number, body, False) for number in range(200)]
    operation_log.add_operations(database, rows, is_incoming=True)
    shared = [SharedMemory(row.memory, row.memory, {"local": body}) for row in rows]
    for memory in shared:
        operation_log.save_shared(database, memory)
    database.execute("VACUUM")
    pages = database.fetch_value("PRAGMA page_count")
    monkeypatch.undo()
    assert migrations.migrate_database(database, FakeClock(), CountedIds()) == ["sharing_rows_0020"]
    assert operation_log.list_operations(database, [row.memory for row in rows]) == rows
    assert operation_log.list_shared_by_name(database, ["m7"]) == {"m7": shared[7]}
    assert operation_log.add_operations(database, rows[:3], is_incoming=True) == 0, "ids stay unique"
    database.execute("VACUUM")
    assert database.fetch_value("PRAGMA page_count") < 0.6 * pages
    database.close()
