"""Files of a project are found by name, by the end of their path, and by what lies beside them."""

from __future__ import annotations

from holloway.codemap.resolve.imports.file_tree import AMBIGUOUS_MAX, FileTree


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
