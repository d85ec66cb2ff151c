"""Paths as the project names them, wherever the agent stood when it named them."""

from pathlib import Path

import pytest

from holloway.capture import project_paths
from tests.conftest import Repository, make_repository

TOKENS = "src/shop/auth/tokens.py"


@pytest.mark.parametrize(
    ("named", "folder"),
    [
        (TOKENS, ""),
        ("tokens.py", "src/shop/auth"),
        ("../auth/tokens.py", "src/shop/billing"),
        ("{root}/" + TOKENS, "src"),
    ],
)
def test_a_path_is_taken_from_the_folder_that_it_was_named_in(repository: Repository, named: str, folder: str) -> None:
    root = str(repository.root)
    cwd = str(repository.root / folder) if folder else ""
    assert project_paths.place_path(named.format(root=root), root, cwd) == (TOKENS, False)


@pytest.mark.parametrize("named", ["../tokens.py", "/etc/passwd", "src/../../shop2/a.py", "~/.ssh/id_rsa"])
def test_a_path_outside_stays_as_it_was_given(repository: Repository, named: str) -> None:
    assert project_paths.place_path(named, str(repository.root)) == (named, True)


def test_a_link_that_leads_out_of_the_project_is_outside(repository: Repository, tmp_path: Path) -> None:
    (repository.root / "out").symlink_to(tmp_path)
    assert project_paths.place_path("out/secrets.txt", str(repository.root)) == ("out/secrets.txt", True)


def test_a_file_of_another_working_tree_is_the_projects_own(repository: Repository, tmp_path: Path) -> None:
    repository.git("worktree", "add", "-q", "-b", "side", str(tmp_path / "side"))
    root, side = str(repository.root), str(tmp_path / "side")
    assert project_paths.place_path(f"{side}/{TOKENS}", root, side) == (TOKENS, False)
    assert project_paths.place_path("tokens.py", root, f"{side}/src/shop/auth") == (TOKENS, False)
    assert project_paths.is_project_folder(side, root)


def test_another_repository_inside_of_the_project_is_not_the_project(repository: Repository) -> None:
    inner = make_repository(repository.root / "vendor/other", {"a.py": ""}).root
    assert not project_paths.is_project_folder(str(inner), str(repository.root))
    assert project_paths.is_project_folder(str(repository.root / "src"), str(repository.root))


def test_a_folder_without_git_has_what_lies_in_it(tmp_path: Path) -> None:
    (tmp_path / "plain/src").mkdir(parents=True)
    assert project_paths.is_project_folder(str(tmp_path / "plain/src"), str(tmp_path / "plain"))
    assert not project_paths.is_project_folder(str(tmp_path), str(tmp_path / "plain"))
    assert not project_paths.is_project_folder("", str(tmp_path / "plain"))


def test_a_command_says_in_which_folder_it_was_run_unless_it_goes_elsewhere(repository: Repository) -> None:
    root, cwd = str(repository.root), str(repository.root / "src/shop")
    assert project_paths.localise_command("pytest -q", root, cwd) == "cd src/shop && pytest -q"
    assert project_paths.localise_command("pytest -q", root, root) == "pytest -q"
    assert project_paths.localise_command(f"pytest {root}/tests", root, cwd) == "pytest tests"
    assert project_paths.localise_command("cd /elsewhere && make", root, cwd) == "cd /elsewhere && make"


def test_the_files_that_a_search_names_are_those_of_the_project(repository: Repository) -> None:
    root, cwd = str(repository.root), str(repository.root / "src/shop")
    said = (
        f"auth/tokens.py:1:def refresh\nauth/tokens.py:9:x\n{root}/README.md\n/etc/hosts.conf\n../../../up.py\nword\n"
    )
    assert project_paths.names_in(said, root, cwd) == (TOKENS, "README.md")
    assert project_paths.project_names(["auth/tokens.py", "", "../../../up.py", 7], root, cwd) == (TOKENS,)


@pytest.mark.parametrize("named", [None, "", 3, ["a"]])
def test_what_names_no_path_is_neither_inside_nor_outside(repository: Repository, named: object) -> None:
    assert project_paths.place_path(named, str(repository.root)) == ("", False)
