"""Tests of the locks that running processes hold."""

from __future__ import annotations

from pathlib import Path

import pytest
from filelock import FileLock

from holloway.store import process_lock


@pytest.mark.parametrize("is_locked", [process_lock.is_locked, process_lock._is_locked_elsewhere])
def test_a_lock_is_seen_while_it_is_held(tmp_path: Path, is_locked: object) -> None:
    path = str(tmp_path / "job.lock")
    assert callable(is_locked)
    assert not is_locked(path)
    with FileLock(path):
        assert is_locked(path)
    assert not is_locked(path)
