import json
import os
from pathlib import Path

import pytest

from holloway.errors import InvalidInput
from holloway.store import project as projects
from holloway.store import registry
from tests.conftest import Repository, make_repository

ORIGIN = "git@example.com:acme/shop.git"


def key_of(path: Path, home: Path) -> str:
    return projects.resolve_project(path, home).key


@pytest.mark.promise("one-project")
def test_a_clone_shares_the_memory_by_its_origin(repository: Repository, tmp_path: Path, home: Path) -> None:
    repository.git("remote", "add", "origin", ORIGIN)
    other = make_repository(tmp_path / "elsewhere", {"x": "1"})
    other.git("remote", "add", "origin", "https://example.com/Acme/shop")
    assert key_of(repository.root, home) == key_of(other.root, home)


@pytest.mark.promise("one-project")
def test_a_worktree_shares_the_memory(repository: Repository, tmp_path: Path, home: Path) -> None:
    first = key_of(repository.root, home)
    repository.git("worktree", "add", "-q", "-b", "side", str(tmp_path / "side"))
    assert projects.find_project(tmp_path / "side", home) is not None
    assert key_of(tmp_path / "side", home) == first


@pytest.mark.promise("one-project")
def test_a_moved_folder_keeps_its_memory_by_its_first_commit(
    repository: Repository, tmp_path: Path, home: Path
) -> None:
    first = key_of(repository.root, home)
    repository.root.rename(tmp_path / "moved")
    assert key_of(tmp_path / "moved", home) == first


@pytest.mark.promise("one-project")
def test_an_origin_that_is_added_later_is_an_alias(repository: Repository, tmp_path: Path, home: Path) -> None:
    first = key_of(repository.root, home)
    repository.git("remote", "add", "origin", ORIGIN)
    assert key_of(repository.root, home) == first
    other = make_repository(tmp_path / "clone", {"y": "1"})
    other.git("remote", "add", "origin", ORIGIN)
    assert key_of(other.root, home) == first


def test_an_origin_that_changes_is_an_alias_too(repository: Repository, home: Path) -> None:
    repository.git("remote", "add", "origin", ORIGIN)
    first = key_of(repository.root, home)
    repository.git("remote", "set-url", "origin", "git@example.com:neworg/shop.git")
    assert key_of(repository.root, home) == first
    repository.git("remote", "set-url", "origin", ORIGIN)
    assert key_of(repository.root, home) == first


def test_a_clone_of_a_folder_on_this_machine_shares_its_memory(
    repository: Repository, tmp_path: Path, home: Path
) -> None:
    first = key_of(repository.root, home)
    repository.git("clone", "-q", str(repository.root), str(tmp_path / "clone"))
    assert key_of(tmp_path / "clone", home) == first


@pytest.mark.promise("one-project")
def test_a_fork_has_a_memory_of_its_own(repository: Repository, tmp_path: Path, home: Path) -> None:
    repository.git("remote", "add", "origin", ORIGIN)
    first = key_of(repository.root, home)
    repository.git("clone", "-q", str(repository.root), str(tmp_path / "fork"))
    fork = Repository(tmp_path / "fork")
    fork.git("remote", "set-url", "origin", "git@example.com:someone/shop.git")
    assert key_of(fork.root, home) != first


def test_another_repository_in_the_same_place_is_another_project(
    repository: Repository, tmp_path: Path, home: Path
) -> None:
    repository.git("remote", "add", "origin", ORIGIN)
    first = key_of(repository.root, home)
    repository.root.rename(tmp_path / "away")
    other = make_repository(repository.root, {"different.txt": "history"})
    other.git("remote", "add", "origin", "git@example.com:acme/other.git")
    assert projects.find_project(other.root, home) is None
    assert key_of(other.root, home) != first
    assert key_of(tmp_path / "away", home) == first


def test_a_folder_without_git_is_known_by_its_path(tmp_path: Path, home: Path) -> None:
    plain = tmp_path / "plain"
    (plain / "deep").mkdir(parents=True)
    assert key_of(plain, home) == key_of(plain / "deep", home)


def test_a_folder_that_gets_git_later_keeps_its_memory(tmp_path: Path, home: Path) -> None:
    (tmp_path / "plain").mkdir()
    first = key_of(tmp_path / "plain", home)
    make_repository(tmp_path / "plain", {"a": "1"})
    assert key_of(tmp_path / "plain", home) == first


def test_a_repository_is_known_by_its_first_commit_from_then_on(tmp_path: Path, home: Path) -> None:
    fresh = make_repository(tmp_path / "fresh", {})
    fresh.git("checkout", "-q", "--orphan", "trunk")
    fresh.git("branch", "-D", "main")
    first = key_of(fresh.root, home)
    fresh.commit("a.txt", "1")
    key_of(fresh.root, home)
    fresh.root.rename(tmp_path / "moved")
    assert key_of(tmp_path / "moved", home) == first


def test_every_subfolder_leads_to_the_root(repository: Repository, home: Path) -> None:
    found = projects.resolve_project(repository.root / "src/shop/auth", home)
    assert found.root == repository.root.resolve()


def test_looking_creates_nothing(repository: Repository, home: Path) -> None:
    assert projects.find_project(repository.root, home) is None
    assert not home.exists()


@pytest.mark.parametrize("damage", ["", "{", "[]", '{"roots": 3}', "\x00\xff"])
def test_a_lost_or_broken_registry_is_made_again(repository: Repository, home: Path, damage: str) -> None:
    first = key_of(repository.root, home)
    (home / "registry.json").write_text(damage, "latin-1")
    assert registry.find_project_key(str(repository.root), str(home)) == (first, str(repository.root.resolve()))
    (home / "registry.json").unlink()
    assert key_of(repository.root, home) == first


def test_two_projects_of_one_name_have_two_folders(tmp_path: Path, home: Path) -> None:
    one = make_repository(tmp_path / "a/shop", {"a": "1"})
    two = make_repository(tmp_path / "b/shop", {"b": "2"})
    assert key_of(one.root, home) != key_of(two.root, home)
    assert len(projects.list_projects(home)) == 2


def test_a_path_that_is_no_folder_is_named(tmp_path: Path, home: Path) -> None:
    with pytest.raises(InvalidInput, match="nowhere"):
        projects.resolve_project(tmp_path / "nowhere", home)


@pytest.mark.promise("private-files")
def test_the_data_folder_is_private(repository: Repository, home: Path) -> None:
    found = projects.resolve_project(repository.root, home)
    for folder in (home, found.folder):
        assert folder.stat().st_mode & 0o077 == 0
    assert (home / "registry.json").stat().st_mode & 0o077 == 0


def test_a_project_folder_says_what_it_belongs_to(repository: Repository, home: Path) -> None:
    found = projects.resolve_project(repository.root, home)
    about = json.loads((found.folder / "project.json").read_text())
    assert about["roots"] == [str(repository.root.resolve())]
    assert about["identities"] == [f"root:{repository.git('rev-list', '--max-parents=0', 'HEAD')}"]


def test_another_repository_without_an_origin_in_the_same_place_is_another_project(
    repository: Repository, tmp_path: Path, home: Path
) -> None:
    first = key_of(repository.root, home)
    repository.root.rename(tmp_path / "away")
    other = make_repository(repository.root, {"different.txt": "history"})
    assert key_of(other.root, home) != first
    assert key_of(tmp_path / "away", home) == first


@pytest.mark.promise("private-files")
def test_every_folder_down_to_the_project_is_private_whatever_the_umask(repository: Repository, home: Path) -> None:
    umask = os.umask(0)
    try:
        folder = projects.resolve_project(repository.root, home).folder
        assert [path.stat().st_mode & 0o777 for path in (home, home / "projects", folder)] == [0o700] * 3
        (home / "projects").chmod(0o755)  # as earlier releases left it
        repository.git("remote", "add", "origin", "git@example.com:acme/shop.git")
        projects.resolve_project(repository.root, home)
        assert (home / "projects").stat().st_mode & 0o777 == 0o700
    finally:
        os.umask(umask)
