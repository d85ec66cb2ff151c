"""Build files are read inside the project only, and a command is one plain line."""

from pathlib import Path

import pytest

from holloway.codemap.build_commands.build_file import (
    BUILD_COMMAND_CHARS_MAX,
    BuildFiles,
    is_safe,
    pick_available,
    prefix_folder,
)


def test_files_are_found_by_the_index_or_on_the_disk_and_read_once(tmp_path: Path) -> None:
    (tmp_path / "uv.lock").write_text("x")
    (tmp_path / "Makefile").write_text("all:\r\n")
    (tmp_path / "folder").mkdir()
    project = BuildFiles(tmp_path, frozenset({"Makefile", "tests/a.py"}))
    assert project.has_file("uv.lock")
    assert not project.has_file("folder", "gone")
    assert project.first_existing("gone", "Makefile", "uv.lock") == "Makefile"
    assert (project.has_folder("test", "tests"), project.has_folder("test")) == (True, False)
    assert project.read_text("Makefile") == "all:\n"
    (tmp_path / "Makefile").write_text("other")
    assert project.read_text("Makefile") == "all:\n"
    assert project.read_text("gone") == ""


def test_a_folder_is_a_project_with_names_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "web").mkdir()
    (tmp_path / "web/package.json").write_text("{}")
    inner = BuildFiles(tmp_path, frozenset({"web/package.json", "website/a.ts", "go.mod"})).enter_folder("web")
    assert inner.names == {"package.json"}
    assert inner.read_text("package.json") == "{}"
    assert inner.read_text("go.mod") == ""


def test_a_link_is_no_file_of_the_project(tmp_path: Path) -> None:
    (tmp_path / "outside").write_text("secret")
    (tmp_path / "inside").mkdir()
    (tmp_path / "inside/uv.lock").symlink_to(tmp_path / "outside")
    assert not BuildFiles(tmp_path / "inside", frozenset()).has_file("uv.lock")


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ('pip install -e ".[dev]"', True),
        ("make test", True),
        ("", False),
        ("make; rm -rf /", False),
        ("make | sh", False),
        ("make\ntest", False),
        ("make $HOME", False),
        ("x" * BUILD_COMMAND_CHARS_MAX, True),
        ("x" * (BUILD_COMMAND_CHARS_MAX + 1), False),
        ("deploy --key=AKIA" + "IOSFODNN7EXAMPLQ", False),
    ],
)
def test_a_command_is_safe_if_no_shell_splits_it_and_it_has_no_secret(command: str, expected: bool) -> None:
    assert is_safe(command) is expected


@pytest.mark.parametrize(
    ("folder", "expected"),
    [
        ("", "make"),
        ("api/v2", "cd api/v2 && make"),
        ("../out", ""),
        ("a b", ""),
        ("a;b", ""),
        ("a/b/c/d/e/f", ""),
    ],
)
def test_a_folder_that_is_safe_to_type_goes_before_the_command(folder: str, expected: str) -> None:
    assert prefix_folder(folder, "make") == expected


def test_available_names_come_in_the_wanted_order() -> None:
    assert pick_available(("lint", "check", "vet"), {"vet", "lint", "test"}) == ["lint", "vet"]
