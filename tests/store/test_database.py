"""What a folder of copies keeps."""

from pathlib import Path

from holloway.store.database import prune_backups


def test_a_copy_that_goes_takes_its_log_along(tmp_path: Path) -> None:
    for name in ("replaced-1.db", "replaced-1.db-wal", "replaced-1.db-shm", "replaced-2.db", "replaced-2.db-wal"):
        (tmp_path / name).touch()

    prune_backups(tmp_path, keep_count=1)

    assert sorted(path.name for path in tmp_path.iterdir()) == ["replaced-2.db", "replaced-2.db-wal"]
