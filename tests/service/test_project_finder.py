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
