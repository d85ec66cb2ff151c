"""Files of a project are found by name, by the end of their path, and by what lies beside them."""

from __future__ import annotations

import pytest

from holloway.codemap.resolve.imports.file_tree import (
    AMBIGUOUS_MAX,
    FileTree,
    ends_in,
    find_nearest,
    is_above,
    normalise_path,
)


def tree(*paths: str) -> FileTree:
    return FileTree(paths, lambda path: "")


def test_files_of_a_name_are_those_of_the_family_whatever_their_ending() -> None:
    found = tree("b/cart.py", "a/cart.pyi", "cart.ts", "a/cart_list.py", "a/car.py", "a/.cart.py")
    assert found.find_by_stem("python", "cart") == ["a/cart.pyi", "b/cart.py"]
    assert found.find_by_stem("javascript", "cart") == ["cart.ts"]
    assert found.find_by_stem("python", "nothing") == []
    assert found.find_by_stem("python", "zzz") == []


def test_of_several_files_the_nearest_is_meant_and_of_too_many_none() -> None:
    assert tree("a/views.py", "b/views.py").nearest_by_stem("python", "views", "b/test_views.py") == "b/views.py"
    assert tree("a/views.py").nearest_by_stem("python", "views", "a/views.py") == ""
    many = [f"p{at}/views.py" for at in range(AMBIGUOUS_MAX + 1)]
    assert tree(*many).nearest_by_stem("python", "views", "test_views.py") == ""


def test_the_end_of_a_path_is_whole_names() -> None:
    found = tree("lib/far/end.h", "lib/soft/tend.h")
    assert found.nearest_by_suffix("c", "far/end.h", "a.c") == "lib/far/end.h"
    assert found.nearest_by_suffix("c", "ar/end.h", "a.c") == ""


def test_a_folder_is_of_the_family_whose_files_are_a_package_there() -> None:
    found = tree("go/a.go", "go/b.py", "py/a.py")
    assert [found.family_of(path) for path in ("go/", "py/", "go/a.go", "go/b.py", "x.md")] == [
        "go",
        "",
        "go",
        "python",
        "",
    ]


def test_the_nearest_file_is_found_by_the_name_at_the_end_of_a_path() -> None:
    found = tree("a/lib/end.h", "b/lib/end.h", "b/other/end.h")
    assert found.nearest_by_suffix("c", "lib/end.h", "b/main.c") == "b/lib/end.h"
    assert found.nearest_by_suffix("c", "end.h", "b/other/main.c") == "b/other/end.h"
    assert found.nearest_by_suffix("c", "lib/far.h", "b/main.c") == ""


def test_folders_are_found_by_the_end_of_their_path() -> None:
    found = tree("a/lib/x.go", "b/lib/y.go", "b/tlib/z.go")
    assert sorted(found.find_folders("lib")) == ["a/lib", "b/lib"]
    assert found.find_folders("b/lib") == ["b/lib"]
    assert found.find_folders("none") == []


def test_a_manifest_names_its_folder_and_of_two_equal_names_the_outermost_counts() -> None:
    texts = {"package.json": "shop", "web/package.json": "web", "web/deep/package.json": "shop", "api/package.json": ""}
    found = FileTree([*texts, "web/a.ts"], lambda path: texts[path])
    assert found.manifest_folders["package.json"] == ["", "api", "web", "web/deep"]
    assert found.map_manifest_names("package.json", str.upper) == {"SHOP": "", "WEB": "web"}
    assert found.map_manifest_names("go.mod", str.upper) == {}


def test_the_code_of_a_folder_is_that_of_a_family_with_or_without_its_tests() -> None:
    found = tree("store/open.go", "store/open_test.go", "store/a.py", "store/deep/b.go", "c.go")
    assert found.list_code("store", "go", tests=True) == ["store/open.go", "store/open_test.go"]
    assert found.list_code("store", "go", tests=False) == ["store/open.go"]
    assert found.list_code("", "go", tests=False) == ["c.go"]
    assert found.list_code("none", "go", tests=True) == []
    assert found.folders == {"", "store", "store/deep"}


def test_paths_are_compared_by_whole_names() -> None:
    assert [is_above(*pair) for pair in (("", "a"), ("a", "a"), ("a", "a/b"), ("a", "ab"), ("a/b", "a"))] == [
        True,
        True,
        True,
        False,
        False,
    ]
    assert [ends_in(path, "b/c.h") for path in ("b/c.h", "a/b/c.h", "ab/c.h", "c.h")] == [True, True, False, False]
    assert ends_in("a/b.h", "")


@pytest.mark.parametrize(
    ("path", "normal"),
    [
        ("a/../b.py", "b.py"),
        ("./a//b", "a/b"),
        (".", ""),
        ("a/..", ""),
        ("..", None),
        ("a/../../b", None),
        ("/a", None),
    ],
)
def test_a_path_that_leaves_the_project_is_none(path: str, normal: str | None) -> None:
    assert normalise_path(path) == normal


def test_of_equally_near_files_the_shortest_path_counts_and_then_the_first() -> None:
    assert find_nearest(["far/views.py", "b/x.py", "a/x.py"], "app/main.py") == "a/x.py"
    assert find_nearest(["a/x.py", "app/deep/views.py"], "app/main.py") == "app/deep/views.py"
