"""Projects are found by a folder, paused, and restored from their backups."""

from pathlib import Path

import pytest

import holloway
from holloway.errors import HollowayError, InvalidInput
from holloway.service import project_finder
from tests.conftest import Repository


def test_backups_are_listed_found_and_restored(memory: holloway.Holloway, repository: Repository) -> None:
    root = str(repository.root)
    memory.remember("tokens live an hour")
    backup = memory.store.create_backup()
    memory.remember("something new")
    memory.close()
    assert project_finder.list_backups(root) == [backup]
    assert project_finder.find_backup(root, "latest") == backup
    assert project_finder.find_backup(root, backup.name) == backup
    with pytest.raises(HollowayError, match="nonsense"):
        project_finder.find_backup(root, "nonsense")
    restored, previous = project_finder.restore_backup(root, backup.name)
    assert restored == backup
    assert previous is not None
    assert project_finder.list_backups(root) == [backup, previous]
    with project_finder.open_project(root) as again:
        assert [stored.content for stored in again.memories()] == ["tokens live an hour"]


def test_a_project_that_moved_is_found_by_another_of_its_folders(memory: holloway.Holloway, tmp_path: Path) -> None:
    root = memory.project.root
    found = project_finder.find_project(str(root), memory.home)
    assert found is not None
    assert found.key == memory.project.key
    (tmp_path / "elsewhere").mkdir()
    assert project_finder.find_project(str(tmp_path / "elsewhere"), memory.home) is None


def test_a_path_that_is_no_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for path in (tmp_path / "file", tmp_path / "gone"):
        with pytest.raises(InvalidInput, match="is not a folder"):
            project_finder.open_project(str(path))


def test_a_project_is_paused_here_or_everywhere_and_resumed(memory: holloway.Holloway, repository: Repository) -> None:
    root = str(repository.root)
    assert project_finder.paused_where(root) == {}
    assert not project_finder.resume(root)
    assert project_finder.pause(root, "capture") == "capture"
    assert project_finder.pause(root, "injection", everywhere=True) == "injection"
    assert project_finder.paused_where(root) == {"here": "capture", "everywhere": "injection"}
    assert project_finder.resume(root, "capture")
    assert project_finder.paused_where(root) == {"everywhere": "injection"}
    assert project_finder.resume(root, everywhere=True)


def test_only_a_repository_or_a_known_folder_is_registered(repository: Repository, tmp_path: Path, home: Path) -> None:
    plain = tmp_path / "plain"
    plain.mkdir()
    assert not project_finder.begin(str(plain))
    assert not (home / "projects").exists()
    assert project_finder.begin(str(repository.root))
    assert len(list((home / "projects").iterdir())) == 1
    project_finder.open_project(plain).close()
    assert project_finder.begin(str(plain))


def test_the_root_of_a_project_is_found_from_below(repository: Repository, home: Path) -> None:
    assert project_finder.project_root(str(repository.root / "src/shop")) == repository.root
    assert not home.exists()


def test_a_folder_without_a_memory_reads_as_an_empty_one_and_leaves_nothing(repository: Repository, home: Path) -> None:
    with project_finder.open_project(repository.root, create=False) as passing:
        assert passing.memories() == []
        assert passing.project.root == repository.root
    assert not (home / "projects").exists()
    with pytest.raises(project_finder.NoMemory, match="There is no memory for"):
        project_finder.known_project(str(repository.root))
