"""What a file is for, told by its path: source, test, config, prose, or anything else."""

from __future__ import annotations

import re
from functools import lru_cache

from holloway.codemap.reading.languages import PROSE_SUFFIXES, language_of, suffix_of

_TEST = re.compile(
    r"(^|/)(tests|__tests__|specs?|e2e|testdata)/|^test/|(^|/)test/(?!.*\.pyi?$)"
    r"|(^|/)(test_[^/]+|tests?|conftest)\.py$|_test\.\w+$|_spec\.\w+$|\.(test|spec)\.\w+$|Tests?\.(java|kt|cs)$"
)
"""A Python package may well be called `test` and be no test, as Django's is."""
_CONFIG = frozenset({".toml", ".json", ".yaml", ".yml", ".ini", ".cfg", ".conf", ".env", ".properties", ".xml"})
_STEM = re.compile(r"^test_|^tests?$|_test$|_spec$|\.(test|spec)$|Tests?$")


@lru_cache(maxsize=200_000)
def is_test(path: str) -> bool:
    """Whether a path looks like a test."""
    return _TEST.search(path) is not None


@lru_cache(maxsize=200_000)
def role_of(path: str) -> str:
    """`source`, `test`, `config`, `prose` or `other`."""
    if language_of(path):
        return "test" if is_test(path) else "source"
    suffix = suffix_of(path)
    if suffix in PROSE_SUFFIXES:
        return "prose"
    return "config" if suffix in _CONFIG else "other"


def is_runnable_test(path: str) -> bool:
    """Whether a test runner would pick a file up by its name, and not only find it beside tests."""
    return bool(tested_stem(path)) or path.rpartition("/")[2] in ("tests.py", "test.py")


def tested_stem(path: str) -> str:
    """The name of the file that a test's own name points to: `test_views.py` and `views.test.ts` give `views`."""
    stem = path.rpartition("/")[2].rpartition(".")[0]
    plain = _STEM.sub("", stem)
    return plain if plain != stem else ""
