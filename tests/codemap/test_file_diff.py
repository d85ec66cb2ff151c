"""A look at some paths alone leaves the map that a look at all files would."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest

from holloway.codemap.database import MapDatabase, open_map
from holloway.codemap.file_diff import MapChange
from holloway.codemap.index import update_index
from holloway.codemap.parse import source_files
from holloway.codemap.parse.parser import ParsedFile
from holloway.codemap.parse.source_files import SkippedFile
from tests.codemap.test_index import clean, content, write
from tests.conftest import make_repository

PROJECT = {
    "main.py": "from shop.cart import add\n\nadd()\n",
    "shop/__init__.py": "",
    "shop/cart.py": "def add():\n    pass\n",
    "shop/deep/tax.py": "def tax():\n    pass\n",
    "shopping.py": "def other():\n    pass\n",
}


@pytest.fixture(params=["git", "no git"])
def root(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    folder = tmp_path / "project"
    for name, text in PROJECT.items():
        write(folder, name, text)
    if request.param == "git":
        subprocess.run(["git", "init", "-q", str(folder)], check=True)
    return folder


def mapped(root: Path) -> MapDatabase:
    database = open_map(root.parent / "map.db")
    update_index(database, root, workers=1)
    return database


def assert_like_clean(database: MapDatabase, root: Path) -> None:
    assert content(database) == clean(root, root.parent / "clean.db")
    skipped = "SELECT path, reason FROM skipped ORDER BY path"
    whole = open_map(root.parent / "clean.db")
    assert [tuple(row) for row in database.fetch_rows(skipped)] == [tuple(row) for row in whole.fetch_rows(skipped)]


def test_a_folder_that_was_renamed_stands_for_the_files_that_it_had_and_has(root: Path) -> None:
    database = mapped(root)
    (root / "shop").rename(root / "store")
    update_index(database, root, workers=1, only=["shop", "store"])
    assert_like_clean(database, root)
    assert database.fetch_value("SELECT COUNT(*) FROM files WHERE path LIKE 'store/%'") == 3


def test_a_folder_that_went_takes_what_was_left_out_of_it_along(root: Path) -> None:
    write(root, "shop/lib.min.js", "x")
    database = mapped(root)
    for path in sorted((root / "shop").rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()
    (root / "shop").rmdir()
    update_index(database, root, workers=1, only=["shop"])
    assert_like_clean(database, root)


def test_very_many_paths_are_looked_at_as_few_are(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source_files, "_GIT_NAMES_MAX", 1)
    database = mapped(root)
    write(root, "shop/new.py", "def new():\n    pass\n")
    write(root, "far/new.py", "def far():\n    pass\n")
    update_index(database, root, workers=1, only=["shop/new.py", "far"])
    assert_like_clean(database, root)
    assert database.fetch_value("SELECT COUNT(*) FROM files") == len(PROJECT) + 2


def test_what_no_look_at_all_files_would_list_is_left_out(root: Path) -> None:
    database = mapped(root)
    write(root.parent, "outside.py", "def secret():\n    pass\n")
    write(root, ".git/hooks/odd.py", "def odd():\n    pass\n")
    asked = ["../outside.py", str(root.parent / "outside.py"), "shop/../../outside.py", ".git/hooks/odd.py", "", "."]
    update_index(database, root, workers=1, only=asked)
    assert_like_clean(database, root)


def test_a_hidden_folder_of_a_project_without_git_is_left_out(tmp_path: Path) -> None:
    root = tmp_path / "project"
    write(root, "main.py", PROJECT["main.py"])
    database = mapped(root)
    write(root, ".cache/made.py", "def made():\n    pass\n")
    update_index(database, root, workers=1, only=[".cache/made.py"])
    assert_like_clean(database, root)


def test_a_submodule_hides_neither_itself_nor_what_git_ignores(tmp_path: Path) -> None:
    inner = make_repository(tmp_path / "inner")
    outer = make_repository(tmp_path / "outer")
    git = ["git", "-C", str(outer.root), "-c", "protocol.file.allow=always"]
    subprocess.run([*git, "submodule", "add", "-q", str(inner.root), "sub"], check=True, capture_output=True)
    outer.commit(".gitignore", "ignored.py\n")
    database = mapped(outer.root)
    write(outer.root, "sub/new.py", "def inside():\n    pass\n")
    write(outer.root, "ignored.py", "def ignored():\n    pass\n")
    update_index(database, outer.root, workers=1, only=["sub/new.py", "ignored.py"])
    assert_like_clean(database, outer.root)


def build_change(removed: dict[str, int]) -> MapChange:
    rows: Any = {
        "a.py": {"id": 1, "hash": b"one"},
        "b.py": {"id": 2, "hash": b"two"},
        "c.py": {"id": 3, "hash": b"two"},
    }
    return MapChange(rows, dict(removed), [], is_first=False)


def test_a_file_keeps_its_number_or_takes_that_of_the_file_it_was() -> None:
    change = build_change({"a.py": 1})
    assert change.reuse_id(ParsedFile("b.py", 1, 1, b"other")) == 2
    assert change.reuse_id(ParsedFile("new.py", 1, 1, b"other")) is None
    assert change.reuse_id(ParsedFile("new.py", 1, 1, b"one")) == 1
    assert change.renamed == {"a.py": "new.py"}
    assert change.reuse_id(ParsedFile("copy.py", 1, 1, b"one")) is None


def test_a_file_that_was_two_files_is_no_rename() -> None:
    change = build_change({"b.py": 2, "c.py": 3})
    assert change.reuse_id(ParsedFile("new.py", 1, 1, b"two")) is None


def test_a_file_that_is_skipped_after_all_leaves_the_map() -> None:
    change = build_change({"a.py": 1})
    change.reuse_id(ParsedFile("new.py", 1, 1, b"one"))
    change.skip_file(ParsedFile("new.py", 7, 8), "vanished")
    change.skip_file(ParsedFile("b.py", 7, 8), "minified")
    assert change.skipped == [SkippedFile("new.py", "vanished"), SkippedFile("b.py", "minified", 7, 8)]
    assert change.renamed == {}
    assert change.removed_ids == {"a.py": 1, "b.py": 2}


def test_imports_are_affected_by_files_that_come_or_go_and_by_manifests() -> None:
    change = build_change({})
    change.written_ids = {"a.py": 1}
    assert (change.added_paths, change.changed_paths) == (set(), {"a.py"})
    assert not change.affects_imports
    change.written_ids = {"web/package.json": 4, "a.py": 1}
    assert change.has_manifest
    assert build_change({"a.py": 1}).affects_imports
