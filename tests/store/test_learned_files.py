"""Which transcript files were read, so that none is read twice."""

from dataclasses import replace
from pathlib import Path

import pytest

import holloway
from holloway.store import learned_files
from holloway.store.learned_files import LearnedFile

ONE = LearnedFile("/a/one.jsonl", "s1", 10, 5.0, "2026-01-05", attempts=2, error="broken")


def test_a_record_is_stored_replaced_and_deleted(memory: holloway.Holloway) -> None:
    database = memory.store.database
    assert learned_files.find_learned_file(database, ONE.path) is None
    learned_files.save_learned_file(database, ONE)
    assert learned_files.find_learned_file(database, ONE.path) == ONE
    learned_files.save_learned_file(database, newer := replace(ONE, attempts=0, error=""))
    assert learned_files.load_learned_files(database) == {ONE.path: newer}
    learned_files.delete_learned_file(database, ONE.path)
    assert learned_files.load_learned_files(database) == {}


@pytest.mark.parametrize("text", ["{", "[]", '{"path": "/a"}', '{"unknown": 1}'])
def test_a_damaged_record_counts_as_none(memory: holloway.Holloway, text: str) -> None:
    learned_files.save_learned_file(memory.store.database, ONE)
    with memory.store.database.write_transaction():
        memory.store.database.execute("UPDATE meta SET value = ? WHERE key LIKE 'read:%'", (text,))
    assert learned_files.find_learned_file(memory.store.database, ONE.path) is None
    assert learned_files.load_learned_files(memory.store.database) == {}


def test_records_of_missing_files_and_the_oldest_above_the_limit_are_deleted(
    memory: holloway.Holloway, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(learned_files, "READS_KEPT_MAX", 2)
    database = memory.store.database
    for number in range(3):
        (path := tmp_path / f"{number}.jsonl").touch()
        learned_files.save_learned_file(database, replace(ONE, path=str(path), modified_at=float(number)))
    assert learned_files.delete_missing_files(database) == 1
    assert set(learned_files.load_learned_files(database)) == {str(tmp_path / f"{n}.jsonl") for n in (1, 2)}
    (tmp_path / "2.jsonl").unlink()
    assert learned_files.delete_missing_files(database) == 1
    assert set(learned_files.load_learned_files(database)) == {str(tmp_path / "1.jsonl")}
    assert learned_files.delete_missing_files(database) == 0


def test_a_session_in_a_database_is_kept_as_long_as_the_database(memory: holloway.Holloway, tmp_path: Path) -> None:
    (database := tmp_path / "sessions.db").touch()
    learned_files.save_learned_file(memory.store.database, replace(ONE, path=str(database / "ses_1")))
    assert learned_files.delete_missing_files(memory.store.database) == 0
    database.unlink()
    assert learned_files.delete_missing_files(memory.store.database) == 1
