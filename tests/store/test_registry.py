"""The registry maps a folder to its project, and is rebuilt from the projects' own files."""

import json
from pathlib import Path

import pytest

from holloway.store import registry
from tests.conftest import Repository, make_repository


def write_project(home: Path, key: str, roots: list[str], identities: list[str]) -> None:
    folder = home / "projects" / key
    folder.mkdir(parents=True)
    (folder / "project.json").write_text(json.dumps({"roots": roots, "identities": identities, "name": [key]}))


def test_a_lost_or_damaged_index_is_rebuilt_from_the_projects(tmp_path: Path) -> None:
    home = str(tmp_path)
    assert registry.read_registry(home) == {"roots": {}, "identities": {}}
    write_project(tmp_path, "shop-1", ["/a", "/b"], ["origin:x"])
    write_project(tmp_path, "till-2", ["/c"], [])
    (tmp_path / "projects/broken").mkdir()
    rebuilt = {"roots": {"/a": "shop-1", "/b": "shop-1", "/c": "till-2"}, "identities": {"origin:x": "shop-1"}}
    for text in ("{", "[]", '{"roots": {}}', '{"roots": 1, "identities": {}}'):
        (tmp_path / "registry.json").write_text(text)
        assert registry.read_registry(home) == rebuilt
    (tmp_path / "registry.json").write_text('{"roots": {"/z": "k"}, "identities": {}}')
    assert registry.read_registry(home) == {"roots": {"/z": "k"}, "identities": {}}


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"roots": [], "identities": []}', '{"roots": 1}'])
def test_a_damaged_project_file_names_nothing(tmp_path: Path, text: str) -> None:
    (tmp_path / "project.json").write_text(text)
    assert registry.read_project(str(tmp_path)) == {"identities": [], "roots": [], "name": []}


def write_index(home: Path, roots: dict[str, str], identities: dict[str, str]) -> None:
    home.mkdir(exist_ok=True)
    (home / "registry.json").write_text(json.dumps({"roots": roots, "identities": identities}))


def test_a_root_with_a_new_origin_has_no_key_until_git_was_asked(repository: Repository, home: Path) -> None:
    root = str(repository.root)
    write_index(home, {root: "shop"}, {"origin:github.com/a/b": "shop"})
    repository.git("remote", "add", "origin", "https://github.com/c/d.git")
    assert registry.find_project_key(root, str(home)) == ("", root)


def test_a_worktree_belongs_to_the_project_of_its_main_root(repository: Repository, home: Path, tmp_path: Path) -> None:
    repository.git("worktree", "add", "-q", "-b", "side", str(tmp_path / "side"))
    write_index(home, {str(repository.root): "shop"}, {})
    assert registry.find_project_key(str(tmp_path / "side"), str(home)) == ("shop", str(tmp_path / "side"))
    other = make_repository(tmp_path / "other")
    assert registry.find_project_key(str(other.root), str(home)) == ("", "")


def test_a_folder_without_git_belongs_to_the_nearest_root_above(home: Path, tmp_path: Path) -> None:
    deep = tmp_path / "plain/a/b"
    deep.mkdir(parents=True)
    write_index(home, {str(tmp_path / "plain"): "plain"}, {})
    assert registry.find_project_key(str(deep), str(home)) == ("plain", str(tmp_path / "plain"))
    assert registry.find_project_key(str(tmp_path), str(home)) == ("", "")


@pytest.mark.parametrize(
    ("project", "everywhere", "mode"),
    [
        (None, None, ""),
        ("capture", None, "capture"),
        (None, "injection", "injection"),
        ("capture", "capture", "capture"),
        ("capture", "injection", "all"),
        ("all", None, "all"),
        ("", None, "all"),
        ("nonsense", None, "all"),
    ],
)
def test_what_is_paused_here_or_everywhere_is_paused(
    home: Path, project: str | None, everywhere: str | None, mode: str
) -> None:
    folder = Path(registry.get_project_folder(str(home), "shop"))
    folder.mkdir(parents=True)
    for place, text in ((folder, project), (home, everywhere)):
        if text is not None:
            (place / "paused").write_text(f"{text}\n")
    assert registry.get_paused_mode(str(home), "shop") == mode


def test_a_worktree_belongs_to_the_project_of_a_sibling_if_the_main_root_is_unknown(
    repository: Repository, home: Path, tmp_path: Path
) -> None:
    other = make_repository(tmp_path / "other")
    for owner, names in ((repository, ("one", "two")), (other, ("far",))):
        for name in names:
            owner.git("worktree", "add", "-q", "-b", name, str(tmp_path / name))
    roots = {str(tmp_path / "far"): "far", str(tmp_path / "one"): "shop", str(tmp_path / "nowhere"): "gone"}
    write_index(home, roots, {})
    assert registry.find_project_key(str(tmp_path / "two"), str(home)) == ("shop", str(tmp_path / "two"))
    write_index(home, {str(tmp_path / "far"): "far"}, {})
    assert registry.find_project_key(str(tmp_path / "two"), str(home)) == ("", "")
