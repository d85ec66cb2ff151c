import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from holloway.errors import InvalidInput
from holloway.store import project as projects
from holloway.store import registry
from tests.conftest import Repository, make_repository

ORIGIN = "git@example.com:acme/shop.git"


def key_of(path: Path, home: Path) -> str:
    return projects.resolve_project(path, home).key


def clone_of(repository: Repository, path: Path, origin: str, *options: str) -> Repository:
    """A clone of a repository that names another address as its origin."""
    repository.git("clone", "-q", *options, f"file://{repository.root}", str(path))
    clone = Repository(path)
    clone.git("remote", "set-url", "origin", origin)
    return clone


def stranger_with(path: Path, origin: str) -> Repository:
    """A repository with another history that names the origin of a project."""
    stranger = make_repository(path, {"strange.txt": "another history"})
    stranger.git("remote", "add", "origin", origin)
    return stranger


@pytest.mark.promise("one-project")
def test_a_clone_with_the_same_origin_and_first_commit_shares_the_memory(
    repository: Repository, tmp_path: Path, home: Path
) -> None:
    repository.git("remote", "add", "origin", ORIGIN)
    clone = clone_of(repository, tmp_path / "elsewhere", "https://example.com/Acme/shop")
    assert key_of(repository.root, home) == key_of(clone.root, home)
    assert projects.find_claim(clone.root, home) is None


@pytest.mark.promise("one-project")
def test_a_folder_that_only_names_the_origin_has_a_separate_memory(
    repository: Repository, tmp_path: Path, home: Path
) -> None:
    repository.git("remote", "add", "origin", ORIGIN)
    first = key_of(repository.root, home)
    stranger = stranger_with(tmp_path / "stranger", ORIGIN)
    assert registry.find_project_key(str(stranger.root), str(home)) == ("", str(stranger.root))
    assert projects.find_owner(stranger.root, home) == ""
    separate = key_of(stranger.root, home)
    assert separate != first
    assert registry.find_project_key(str(stranger.root), str(home))[0] == separate
    assert key_of(repository.root, home) == first, "the origin is still that of the project"


@pytest.mark.promise("one-project")
@pytest.mark.parametrize("is_separate", [True, False])
@pytest.mark.parametrize("is_shallow", [True, False])
def test_the_person_can_join_a_folder_that_only_names_the_origin(
    repository: Repository, tmp_path: Path, home: Path, is_shallow: bool, is_separate: bool
) -> None:
    repository.git("remote", "add", "origin", ORIGIN)
    repository.commit("second.txt", "2")
    first = key_of(repository.root, home)
    path = tmp_path / "other"
    other = clone_of(repository, path, ORIGIN, "--depth=1") if is_shallow else stranger_with(path, ORIGIN)
    claim = projects.find_claim(other.root, home)
    assert claim is not None
    assert ("shallow" in claim.reason) == is_shallow
    if is_separate:
        assert key_of(other.root, home) != first
    assert projects.join_project(other.root, home).key == first
    assert key_of(other.root, home) == first
    assert registry.find_project_key(str(other.root), str(home)) == (first, str(other.root))
    assert projects.find_claim(other.root, home) is None


def test_the_person_can_join_a_fork(repository: Repository, tmp_path: Path, home: Path) -> None:
    repository.git("remote", "add", "origin", ORIGIN)
    first = key_of(repository.root, home)
    fork = clone_of(repository, tmp_path / "fork", "git@example.com:someone/shop.git")
    assert key_of(fork.root, home) != first
    assert projects.join_project(fork.root, home).key == first
    assert key_of(fork.root, home) == first


def test_joining_needs_a_project_to_join(repository: Repository, home: Path) -> None:
    with pytest.raises(InvalidInput, match="No project on this machine"):
        projects.join_project(repository.root, home)


def test_a_shallow_clone_that_gets_its_history_is_recognised(
    repository: Repository, tmp_path: Path, home: Path
) -> None:
    repository.git("remote", "add", "origin", ORIGIN)
    repository.commit("second.txt", "2")
    first = key_of(repository.root, home)
    shallow = clone_of(repository, tmp_path / "shallow", ORIGIN, "--depth=1")
    assert projects.find_owner(shallow.root, home) == ""
    shallow.git("fetch", "-q", "--unshallow", f"file://{repository.root}")
    assert projects.find_owner(shallow.root, home) == first


def test_a_repository_that_takes_the_place_and_the_origin_of_another_is_another_project(
    repository: Repository, tmp_path: Path, home: Path
) -> None:
    repository.git("remote", "add", "origin", ORIGIN)
    first = key_of(repository.root, home)
    repository.root.rename(tmp_path / "away")
    stranger = stranger_with(repository.root, ORIGIN)
    assert key_of(stranger.root, home) != first
    assert key_of(tmp_path / "away", home) == first


def test_a_clone_of_a_folder_on_this_machine_needs_its_history_too(
    repository: Repository, tmp_path: Path, home: Path
) -> None:
    first = key_of(repository.root, home)
    stranger = stranger_with(tmp_path / "stranger", str(repository.root))
    assert key_of(stranger.root, home) != first


def borrow_by_file(stranger: Path, owner: Path) -> None:
    (stranger / ".git").write_text(f"gitdir: {owner}/.git\n")


def borrow_by_link(stranger: Path, owner: Path) -> None:
    (stranger / ".git").symlink_to(owner / ".git")


def borrow_common_folder(stranger: Path, owner: Path) -> None:
    (stranger / ".git").mkdir()
    (stranger / ".git/HEAD").write_text("ref: refs/heads/main\n")
    (stranger / ".git/commondir").write_text(f"{owner}/.git\n")


def borrow_refs(stranger: Path, owner: Path) -> None:
    make_repository(stranger, {})
    shutil.rmtree(stranger / ".git/refs")
    (stranger / ".git/refs").symlink_to(owner / ".git/refs")
    (stranger / ".git/objects/info/alternates").write_text(f"{owner}/.git/objects\n")
    shutil.copyfile(owner / ".git/config", stranger / ".git/config")


def borrow_one_ref(stranger: Path, owner: Path) -> None:
    make_repository(stranger, {})
    (stranger / ".git/refs/heads/main").unlink()
    (stranger / ".git/refs/heads/main").symlink_to(owner / ".git/refs/heads/main")
    (stranger / ".git/objects/info/alternates").write_text(f"{owner}/.git/objects\n")
    shutil.copyfile(owner / ".git/config", stranger / ".git/config")


@pytest.mark.promise("one-project")
@pytest.mark.parametrize("borrow", [borrow_by_file, borrow_by_link, borrow_common_folder, borrow_refs, borrow_one_ref])
@pytest.mark.parametrize("origin", ["", ORIGIN])
def test_a_folder_that_borrows_the_history_of_another_has_a_separate_memory(
    repository: Repository, tmp_path: Path, home: Path, borrow: Callable[[Path, Path], None], origin: str
) -> None:
    if origin:
        repository.git("remote", "add", "origin", origin)
    first = key_of(repository.root, home)
    stranger = tmp_path / "stranger"
    stranger.mkdir()
    borrow(stranger, repository.root)
    assert registry.find_project_key(str(stranger), str(home))[0] == ""
    assert projects.find_owner(stranger, home) == ""
    separate = key_of(stranger, home)
    assert separate != first
    assert key_of(stranger, home) == separate, "and stays so"
    assert registry.find_project_key(str(stranger), str(home)) == (separate, str(stranger))


def test_a_worktree_of_a_bare_repository_shares_the_memory_of_its_siblings(
    repository: Repository, tmp_path: Path, home: Path
) -> None:
    repository.git("clone", "-q", "--bare", str(repository.root), str(tmp_path / "bare.git"))
    bare = Repository(tmp_path / "bare.git")
    for name in ("one", "two"):
        bare.git("worktree", "add", "-q", "-b", name, str(tmp_path / name))
    first = key_of(tmp_path / "one", home)
    assert registry.find_project_key(str(tmp_path / "two"), str(home)) == (first, str(tmp_path / "two"))


def test_a_project_that_was_registered_without_its_first_commit_gets_it(
    repository: Repository, tmp_path: Path, home: Path
) -> None:
    repository.git("remote", "add", "origin", ORIGIN)
    found = projects.resolve_project(repository.root, home)
    about = json.loads((found.folder / "project.json").read_text())
    about["identities"] = [name for name in about["identities"] if name.startswith("origin:")]
    (found.folder / "project.json").write_text(json.dumps(about))
    (home / "registry.json").unlink()
    clone = clone_of(repository, tmp_path / "clone", ORIGIN)
    assert projects.find_owner(clone.root, home) == ""
    assert key_of(repository.root, home) == found.key
    assert projects.find_owner(clone.root, home) == found.key


def test_a_checkout_that_names_an_unknown_origin_has_no_owner(
    repository: Repository, tmp_path: Path, home: Path
) -> None:
    repository.git("remote", "add", "origin", ORIGIN)
    key_of(repository.root, home)
    clone = clone_of(repository, tmp_path / "fork", "git@example.com:else/shop.git")
    assert projects.find_owner(clone.root, home) == ""
    clone.git("remote", "remove", "origin")
    assert projects.find_owner(clone.root, home) == projects.find_owner(repository.root, home) != ""


def test_a_checkout_is_asked_about_once_until_it_changes(repository: Repository, home: Path) -> None:
    home.mkdir()
    root = str(repository.root)
    assert not projects.is_asked(root, home)
    projects.note_asked(root, home)
    assert projects.is_asked(root, home)
    repository.git("remote", "add", "origin", ORIGIN)
    assert not projects.is_asked(root, home)
    for number in range(projects.ASKED_MAX):
        projects.note_asked(f"/elsewhere/{number}", home)
    assert len(json.loads((home / "asked.json").read_text())) == projects.ASKED_MAX


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
    assert key_of(clone_of(repository, tmp_path / "clone", ORIGIN).root, home) == first


def test_an_origin_that_changes_is_an_alias_too(repository: Repository, home: Path) -> None:
    repository.git("remote", "add", "origin", ORIGIN)
    first = key_of(repository.root, home)
    repository.git("remote", "set-url", "origin", "git@example.com:neworg/shop.git")
    assert projects.find_owner(repository.root, home) == first
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


def test_the_files_of_a_project_lie_in_its_data_folder(repository: Repository, home: Path) -> None:
    project = projects.resolve_project(repository.root, home)
    places = (project.database_path, project.backups_folder, project.journal_folder, project.checkpoints_folder)
    assert [place.name for place in places] == ["memory.db", "backups", "journal", "checkpoints"]
    assert {place.parent for place in places} == {project.folder} == {home / "projects" / project.key}
