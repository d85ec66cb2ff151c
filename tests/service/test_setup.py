from pathlib import Path

import pytest
from filelock import FileLock

from holloway.errors import HollowayError
from holloway.service import background_worker, setup
from holloway.service.holloway import Holloway
from tests.conftest import Repository


def test_an_examination_covers_the_project_and_the_agents(memory: Holloway, repository: Repository, home: Path) -> None:
    names = [check.name for check in setup.examine(str(repository.root / "src"), home)]
    assert {"git", "worker"} <= set(names)
    assert [name for name in names if "claude" in name.lower()] != []


def test_all_data_is_deleted_and_files_of_others_stay(memory: Holloway, home: Path) -> None:
    memory.close()
    (home / "notes.txt").write_text("mine")
    assert setup.delete_data(home) == ["notes.txt"]
    assert [path.name for path in home.iterdir()] == ["notes.txt"]


def test_nothing_is_deleted_while_a_worker_runs(memory: Holloway, home: Path) -> None:
    memory.close()
    with FileLock(background_worker.lock_file(str(memory.project.folder))), pytest.raises(HollowayError):
        setup.delete_data(home)
    assert memory.project.folder.exists()
