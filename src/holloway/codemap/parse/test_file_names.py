"""Which files are tests, and what they test: told by their paths, without anything that takes time to load."""

from __future__ import annotations

from functools import lru_cache

PATHS_KEPT = 20_000
"""Paths of which is remembered what they are, because every answer asks again: about 4 MB."""

_FOLDERS = frozenset({"tests", "__tests__", "spec", "specs", "e2e", "testdata"})
_STEM_ENDS = ("_test", "_spec", ".test", ".spec")
_DASHED_ENDS = ("-test", "-spec")
"""What the name of a test may end in; alone it makes none, because `ab-test.ts` may well be a feature."""
_CLASS_ENDS = ("Test", "Tests")
"""What the name of a class of tests ends in, where a file is called after its class."""
_CLASS_SUFFIXES = frozenset({"java", "kt", "cs"})


@lru_cache(PATHS_KEPT)
def is_test(path: str) -> bool:
    """Whether a path looks like a test."""
    *folders, name = path.split("/")
    stem, _, suffix = name.rpartition(".")
    if not _FOLDERS.isdisjoint(folders) or folders[:1] == ["test"]:
        return True
    if "test" in folders and not name.endswith((".py", ".pyi")):
        # A Python package may well be called `test` and be no test, as Django's is.
        return True
    if suffix == "py" and (stem in ("test", "tests", "conftest") or (stem.startswith("test_") and stem != "test_")):
        return True
    if suffix in _CLASS_SUFFIXES and stem.endswith(_CLASS_ENDS):
        return True
    return stem.endswith(_STEM_ENDS) and suffix.replace("_", "x").isalnum()


def is_runnable_test(path: str) -> bool:
    """Whether a test runner would pick a file up by its name, and not only find it beside tests."""
    return bool(tested_stem(path)) or path.rpartition("/")[2] in ("tests.py", "test.py")


def tested_stem(path: str) -> str:
    """The name of the file that a test's own name points to: `test_views.py` and `views.test.ts` give `views`."""
    stem = path.rpartition("/")[2].rpartition(".")[0]
    if stem in ("test", "tests"):
        return ""
    plain = stem.removeprefix("test_")
    end = next((end for end in (*_STEM_ENDS, *_DASHED_ENDS, *_CLASS_ENDS) if plain.endswith(end)), "")
    plain = plain.removesuffix(end)
    return plain if plain != stem else ""
