"""Which files are the project's own, also where git does not say."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from holloway import git
from holloway.codemap.parse import source_files
from tests.conftest import Repository, make_repository

OWN = [".gitignore", "a.py", "lib/b.py"]


@pytest.fixture
def project(tmp_path: Path) -> Repository:
    repository = make_repository(tmp_path / "project", dict.fromkeys(OWN[1:], "x = 1\n"))
    repository.commit(".gitignore", "secret.txt\n/logs/\n")
    for name in ("secret.txt", "lib/secret.txt", "logs/today.py"):
        path = repository.root / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("x\n")
    return repository


def with_a_broken_index(root: Path, _: pytest.MonkeyPatch) -> None:
    (root / ".git/index").write_bytes(b"no index at all")


def without_git(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(root / "nothing"))


def of_another_person(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # What git itself tests its refusal with: it then takes every repository for somebody else's.
    real = git._safe_environment
    monkeypatch.setattr(git, "_safe_environment", lambda: real() | {"GIT_TEST_ASSUME_DIFFERENT_OWNER": "1"})


@pytest.mark.promise("repository-is-not-trusted")
@pytest.mark.parametrize("trouble", [with_a_broken_index, without_git, of_another_person])
def test_where_git_fails_ignored_files_are_still_left_out(
    project: Repository, monkeypatch: pytest.MonkeyPatch, trouble: Callable[[Path, pytest.MonkeyPatch], None]
) -> None:
    assert source_files.list_names(project.root) == OWN
    trouble(project.root, monkeypatch)
    assert git.tracked_files(str(project.root)) is None
    assert source_files.list_names(project.root) == OWN
    assert source_files.list_matching(project.root, ["lib", "secret.txt", "logs"]) == ["lib/b.py"]


def test_a_checkout_in_which_everything_is_ignored_has_no_files(tmp_path: Path) -> None:
    repository = make_repository(tmp_path / "project", {})
    (repository.root / ".gitignore").write_text("*\n")
    (repository.root / "a.py").write_text("x = 1\n")
    assert source_files.list_names(repository.root) == []


def test_a_repository_within_a_checkout_is_another_project_and_within_a_folder_it_is_not(
    project: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_repository(project.root / "inner", {"c.py": "x = 1\n"})
    without_git(project.root, monkeypatch)
    assert source_files.list_names(project.root) == OWN
    assert "project/inner/c.py" in source_files.list_names(project.root.parent)


def test_an_ignore_file_that_is_a_link_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "rules").write_text("*\n")
    root = tmp_path / "project"
    root.mkdir()
    (root / "a.py").write_text("x = 1\n")
    (root / ".gitignore").symlink_to(tmp_path / "rules")
    assert source_files.list_names(root) == [".gitignore", "a.py"]
