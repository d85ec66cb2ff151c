"""What a file is for, told by its path: source, test, config, prose, or anything else."""

from __future__ import annotations

from holloway.codemap.parse.languages import PROSE_SUFFIXES, language_of, suffix_of
from holloway.codemap.parse.test_file_names import is_test

_CONFIG = frozenset({".toml", ".json", ".yaml", ".yml", ".ini", ".cfg", ".conf", ".env", ".properties", ".xml"})


def role_of(path: str) -> str:
    """`source`, `test`, `config`, `prose` or `other`."""
    if language_of(path):
        return "test" if is_test(path) else "source"
    suffix = suffix_of(path)
    if suffix in PROSE_SUFFIXES:
        return "prose"
    return "config" if suffix in _CONFIG else "other"
