import os
from pathlib import Path

import pytest

from holloway.store.local_key import LOCAL_KEY_BYTES, load_key, load_or_create_key


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "keys"
    place.mkdir()
    return place


def test_a_key_is_created_once_and_private(folder: Path) -> None:
    assert load_key(folder, "archive.key") is None
    key = load_or_create_key(folder, "archive.key")
    assert len(key) == LOCAL_KEY_BYTES
    assert load_or_create_key(folder, "archive.key") == load_key(folder, "archive.key") == key
    assert load_or_create_key(folder, "other.key") != key
    assert sorted(path.name for path in folder.iterdir()) == ["archive.key", "other.key"]
    assert (folder / "archive.key").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("damaged", ["", "zz", "00" * (LOCAL_KEY_BYTES - 1), "00" * (LOCAL_KEY_BYTES + 1)])
def test_a_damaged_key_is_none_and_is_replaced(folder: Path, damaged: str) -> None:
    (folder / "archive.key").write_text(damaged)
    assert load_key(folder, "archive.key") is None
    key = load_or_create_key(folder, "archive.key")
    assert load_key(folder, "archive.key") == key
    assert [path.name for path in folder.iterdir()] == ["archive.key"]


def test_of_two_processes_that_create_a_key_the_first_wins(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = bytes(LOCAL_KEY_BYTES)
    link = os.link

    def overtaken(source: Path, target: Path) -> None:
        Path(target).write_text(first.hex())
        link(source, target)

    monkeypatch.setattr(os, "link", overtaken)
    assert load_or_create_key(folder, "archive.key") == first
    assert [path.name for path in folder.iterdir()] == ["archive.key"]
