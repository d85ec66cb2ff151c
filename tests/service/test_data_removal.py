"""Deleting everything about one project."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from filelock import FileLock

import holloway
from holloway.errors import HollowayError
from holloway.service import background_worker
from holloway.service.data_removal import delete_project_data
from holloway.store.filter import Filter
from tests.store.test_memories import taught

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Repository

CANARY = "the zanzibar ledger must be told first"


@pytest.mark.promise("forget-project")
def test_nothing_of_a_project_is_left_and_another_and_the_persons_own_stay(
    repository: Repository, home: Path, tmp_path: Path
) -> None:
    other_root = tmp_path / "other"
    other_root.mkdir()
    with holloway.open(other_root) as other:
        taught(other, "of the other project")
    with holloway.open(repository.root) as memory:
        taught(memory, CANARY)
        memory.remember("of all my projects", user=True)
        with memory.session("s1", agent="claude-code", task=CANARY) as session:
            session.used("bash", {"command": CANARY}, CANARY, ok=True)
        memory.store.create_backup()
        memory.map.update()
        project = memory.project
    delete_project_data(project)
    assert [path for path in home.rglob("*") if path.is_file() and b"zanzibar" in path.read_bytes()] == []
    with holloway.open(repository.root) as memory:
        assert memory.project.key == project.key
        assert memory.memories() == []
        assert [stored.content for stored in memory.user.memories.find_memories(Filter())] == ["of all my projects"]
    with holloway.open(other_root) as other:
        assert [stored.content for stored in other.memories()] == ["of the other project"]


def test_while_the_worker_runs_nothing_is_deleted(repository: Repository) -> None:
    with holloway.open(repository.root) as memory:
        taught(memory, CANARY)
        project = memory.project
    lock = FileLock(background_worker.lock_file(str(project.folder)))
    with lock, pytest.raises(HollowayError, match="nothing was deleted"):
        delete_project_data(project)
    with holloway.open(repository.root) as memory:
        assert [stored.content for stored in memory.memories()] == [CANARY]
