"""Reflogs tell what this machine pushed and committed; what an unpacked folder brings along does not count."""

import os
import shutil
import time
from pathlib import Path

import pytest

from holloway import git
from holloway.git import reflogs
from tests.conftest import Repository, make_repository

EMAIL = "person@example.invalid"
LATER = 3_600.0


def write_log(repository: Repository, name: str, action: str, *, at: float | None = None, email: str = EMAIL) -> str:
    """Append an entry to a reflog; returns its commit."""
    commit = repository.git("rev-parse", "HEAD")
    path = repository.root / ".git/logs" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    moment = int(time.time() if at is None else at)
    with path.open("a", encoding="utf-8") as log:
        log.write(f"{'0' * 40} {commit} A Person <{email}> {moment} +0100\t{action}\n")
    return commit


def list_pushed(repository: Repository, email: str = EMAIL) -> list[str]:
    return git.list_pushed_commits(str(repository.root), email, time.time() + 1)


def list_made(repository: Repository, email: str = EMAIL) -> list[str]:
    return git.list_made_commits(str(repository.root), email, time.time() + 1)


@pytest.fixture
def clone(repository: Repository, tmp_path: Path) -> Repository:
    repository.git("config", "receive.denyCurrentBranch", "ignore")
    clone = Repository(tmp_path / "clone")
    repository.git("clone", "-q", str(repository.root), str(clone.root))
    return clone


def test_a_push_of_this_machine_is_listed(clone: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    clone.commit("a.py", "x = 1\n")
    assert list_pushed(clone, "test@example.invalid") == []
    moment = f"{int(time.time())} +0000"
    command = ["git", "-c", "user.name=Test", "-c", f"user.email={EMAIL}", "push", "-q", "origin", "main"]
    environment = os.environ | {"GIT_COMMITTER_DATE": moment}
    import subprocess

    subprocess.run(command, cwd=clone.root, env=environment, check=True)
    assert list_pushed(clone) == [clone.git("rev-parse", "HEAD")]
    assert list_pushed(clone, "other@example.invalid") == []


def test_a_clone_or_fetch_alone_is_no_push(clone: Repository) -> None:
    for action in ("clone: from https://x.example/y", "fetch: fast-forward", "update by fetch", "commit: x"):
        write_log(clone, "refs/remotes/origin/main", action)
    assert list_pushed(clone) == []
    commit = write_log(clone, "refs/remotes/origin/feature/x", "update by push")
    assert list_pushed(clone) == [commit]


def test_commits_made_here_are_listed_newest_first(repository: Repository) -> None:
    first = write_log(repository, "HEAD", "commit (initial): x")
    repository.commit("a.py", "x = 1\n")
    second = write_log(repository, "HEAD", "commit: y")
    write_log(repository, "HEAD", "checkout: moving from main to x")
    assert list_made(repository) == [second, first]
    assert list_made(repository, "other@example.invalid") == []


def test_pulls_and_clones_are_no_commits_made_here(repository: Repository) -> None:
    for action in ("pull: Fast-forward", "clone: from x", "reset: moving to HEAD~1", "checkout: moving to commit"):
        write_log(repository, "HEAD", action)
    assert list_made(repository) == []


def test_entries_from_before_the_folder_came_here_do_not_count(repository: Repository) -> None:
    write_log(repository, "HEAD", "commit: x", at=time.time() - LATER)
    assert list_made(repository) == []


def test_entries_of_the_future_do_not_count(repository: Repository) -> None:
    write_log(repository, "HEAD", "commit: x", at=time.time() + LATER)
    assert list_made(repository) == []


def test_without_files_in_the_git_folder_nothing_proves_when_it_came(tmp_path: Path) -> None:
    assert reflogs._find_arrival(str(tmp_path / "none")) == float("inf")


def test_a_link_to_the_logs_of_another_repository_is_not_read(repository: Repository, tmp_path: Path) -> None:
    other = make_repository(tmp_path / "other", {"a.py": "x = 1\n"})
    write_log(other, "HEAD", "commit: x")
    write_log(other, "refs/remotes/origin/main", "update by push")
    logs = repository.root / ".git/logs"
    shutil.rmtree(logs)
    logs.symlink_to(other.root / ".git/logs", target_is_directory=True)
    assert (list_made(repository), list_pushed(repository)) == ([], [])
    logs.unlink()
    (logs / "refs/remotes/origin").mkdir(parents=True)
    (logs / "refs/remotes/origin/main").symlink_to(other.root / ".git/logs/refs/remotes/origin/main")
    (logs / "HEAD").symlink_to(other.root / ".git/logs/HEAD")
    assert (list_made(repository), list_pushed(repository)) == ([], [])


def test_a_git_file_that_leads_to_another_repository_proves_nothing(repository: Repository, tmp_path: Path) -> None:
    write_log(repository, "HEAD", "commit: x")
    write_log(repository, "refs/remotes/origin/main", "update by push")
    posing = Repository(tmp_path / "posing")
    posing.root.mkdir()
    (posing.root / ".git").write_text(f"gitdir: {repository.root}/.git\n", "utf-8")
    assert (list_made(posing), list_pushed(posing)) == ([], [])
    assert git.list_made_commits(str(tmp_path / "none"), EMAIL, time.time()) == []


def test_a_worktree_has_a_log_of_its_own_and_shares_those_of_the_remotes(clone: Repository, tmp_path: Path) -> None:
    pushed = write_log(clone, "refs/remotes/origin/main", "update by push")
    clone.git("worktree", "add", "-q", str(tmp_path / "tree"), "-b", "side")
    tree = Repository(tmp_path / "tree")
    made = tree.commit("b.py", "x = 2\n")
    write_log(clone, "worktrees/tree/HEAD", "commit: misplaced")
    log = clone.root / ".git/worktrees/tree/logs/HEAD"
    entry = f"{'0' * 40} {made} A <{EMAIL}> {int(time.time())} +0000\tcommit: side\n"
    log.write_text(log.read_text("utf-8") + entry, "utf-8")
    assert list_made(tree) == [made]
    assert list_pushed(tree) == [pushed]


def test_the_number_of_logs_and_actions_is_limited(clone: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reflogs, "_LOGS_MAX", 2)
    names = [f"refs/remotes/origin/{name}" for name in "abc"]
    shutil.rmtree(clone.root / ".git/logs/refs/remotes")
    commits = []
    for name in names:
        clone.commit(f"{name[-1]}.py", "x = 1\n")
        commits.append(write_log(clone, name, "update by push"))
    assert list_pushed(clone) == commits[:2]
    monkeypatch.setattr(reflogs, "_ACTIONS_MAX", 1)
    assert list_pushed(clone) == commits[:1]


def test_a_remote_is_known_by_its_refs_or_by_the_configuration(repository: Repository, clone: Repository) -> None:
    root = str(repository.root)
    assert not git.has_remote(root)
    assert git.has_remote(str(clone.root))
    repository.git("remote", "add", "fork", "https://x.example/y")
    assert git.has_remote(root)
    repository.git("remote", "remove", "fork")
    assert not git.has_remote(root)
    head = repository.git("rev-parse", "HEAD")
    repository.git("update-ref", "refs/remotes/origin/main", head)
    repository.git("pack-refs", "--all")
    shutil.rmtree(repository.root / ".git/refs/remotes", ignore_errors=True)
    assert git.has_remote(root)


@pytest.mark.parametrize(
    "line",
    [
        "",
        "x",
        f"{'0' * 40} {'g' * 40} A <{EMAIL}> 1 +0000\tcommit: x",
        f"{'0' * 40} {'a' * 40} A <{EMAIL}> soon +0000\tcommit: x",
        f"{'0' * 40} {'a' * 40} A {EMAIL} 1 +0000\tcommit: x",
        "\0" * 50,
    ],
)
def test_a_damaged_log_is_skipped(repository: Repository, line: str) -> None:
    (repository.root / ".git/logs/HEAD").write_text(line + "\n", "utf-8")
    assert list_made(repository) == []
    commit = write_log(repository, "HEAD", "commit: x")
    assert list_made(repository) == [commit]
