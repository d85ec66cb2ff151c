"""Paths that people name are taken from where they stand, and a missing file is answered with the closest one."""

import pytest

import holloway
from holloway.errors import InvalidInput
from holloway.service.project_paths import closest_path, existing_files, resolve_path


def test_a_path_is_taken_from_the_folder_and_else_from_the_root(memory: holloway.Holloway) -> None:
    root = memory.project.root
    auth = root / "src/shop/auth"
    assert resolve_path(root, "tokens.py", auth) == "src/shop/auth/tokens.py"
    assert resolve_path(root, "README.md", auth) == "README.md"
    assert resolve_path(root, "gone.py", auth) == "gone.py"
    assert resolve_path(root, "README.md") == "README.md"


def test_existing_files_are_named_and_missing_ones_are_refused(memory: holloway.Holloway) -> None:
    auth = memory.project.root / "src/shop/auth"
    assert existing_files(memory.project, ["tokens.py", "README.md"], auth) == ("src/shop/auth/tokens.py", "README.md")
    with pytest.raises(InvalidInput, match=r"token\.py does not exist in shop") as caught:
        existing_files(memory.project, ["README.md", "token.py"])
    assert caught.value.hint == "Did you mean src/shop/auth/tokens.py?"
    with pytest.raises(InvalidInput) as caught:
        existing_files(memory.project, ["zeppelin.py"], auth)
    assert caught.value.hint == f"Paths are taken from {auth}."


def test_the_closest_path_has_a_similar_name_whatever_its_ending() -> None:
    candidates = ["src/cart.py", "lib/cart.ts", "src/till.py", "Makefile"]
    assert closest_path("lib/cart.js", candidates) == "lib/cart.ts"
    assert closest_path("src/tils.py", candidates) == "src/till.py"
    assert closest_path("makefile", candidates) == "Makefile"
    assert closest_path("zeppelin.py", candidates) == ""
    assert closest_path("x.py", []) == ""


def test_a_file_of_exactly_that_name_is_closer_than_a_similar_name_in_a_shorter_path() -> None:
    candidates = ["test/test_retry.py", "src/http/util/retry.py", "src/http/util/retry.ts", "docs/retry.md"]
    assert closest_path("retry.py", candidates) == "src/http/util/retry.py"
    assert closest_path("http/retry.js", candidates) == "src/http/util/retry.ts", "the same name with another ending"
    assert closest_path("retrys.py", candidates) in candidates
