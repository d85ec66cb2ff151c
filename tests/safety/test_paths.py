"""A path is inside of the project, or it is nowhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from holloway.errors import InvalidInput
from holloway.safety.paths import contained_path, path_exists, resolve_in_project, safe_name

if TYPE_CHECKING:
    from pathlib import Path


def test_a_path_is_named_from_the_project_wherever_it_is_named_from(tmp_path: Path) -> None:
    root = tmp_path / "shop"
    (root / "src").mkdir(parents=True)
    assert contained_path("src/a.py", str(root)) == "src/a.py"
    assert contained_path("a.py", str(root), str(root / "src")) == "src/a.py"
    assert contained_path(str(root / "src"), str(root)) == "src"
    assert contained_path(".", str(root)) == "."


def test_what_leads_out_by_its_name_or_by_a_link_is_outside(tmp_path: Path) -> None:
    root = tmp_path / "shop"
    root.mkdir()
    (root / "link").symlink_to(tmp_path)
    assert contained_path("../shopping/a.py", str(root)) == contained_path("link/a.py", str(root)) == ""
    with pytest.raises(InvalidInput, match="outside"):
        resolve_in_project("link/a.py", str(root))


@pytest.mark.parametrize("name", ["a\0b.py", "\0", "half \ud800.py"])
def test_a_name_that_no_disk_can_hold_is_nowhere(tmp_path: Path, name: str) -> None:
    assert contained_path(name, str(tmp_path)) == ""
    assert contained_path("a.py", str(tmp_path), str(tmp_path / "src") + name) == ""


def test_an_unusable_path_is_named_by_its_beginning(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput) as refusal:
        resolve_in_project("a" * 5_000, str(tmp_path))
    assert refusal.value.message == f"'{'a' * 80}' is not a usable path."


def test_a_path_exists_if_the_project_has_a_file_or_folder_of_that_name(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "a.py").touch()
    assert [path_exists(name, str(tmp_path)) for name in ("src", "src/a.py", "src/b.py", "a\0b")] == [
        *(True, True, False, False)
    ]


def test_a_path_inside_is_resolved_from_the_folder_of_the_caller_and_then_from_the_root(tmp_path: Path) -> None:
    root, where = str(tmp_path), str(tmp_path / "src")
    assert resolve_in_project("a.py", root) == "a.py"
    assert resolve_in_project("a.py", root, where) == "src/a.py"
    assert resolve_in_project("../a.py", root, where) == "a.py"
    assert resolve_in_project("src/a.py", root, str(tmp_path.parent)) == "src/a.py"


@pytest.mark.parametrize(
    ("session", "name"),
    [
        ("3f2a-9c_1b", "3f2a-9c_1b"),
        ("../../etc/passwd", "______etc_passwd"),
        ("\u00e9t\u00e9", "_t_"),
        ("", "unknown"),
        ("a" * 101, "a" * 100),
    ],
)
def test_a_session_has_a_harmless_file_name(session: str, name: str) -> None:
    assert safe_name(session) == name
