"""Small files of a project that say how it is put together, read with care: none is trusted to be what it should."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import cast

from holloway.codemap.parse import source_files
from holloway.config import RULE_FILE_BYTES_MAX

FOLDER_MANIFESTS = frozenset(
    "Cargo.toml build.gradle build.gradle.kts composer.json go.mod package.json pom.xml pyproject.toml setup.py".split()
)
"""A folder with one of these is a package of its own."""

Table = dict[str, object]


def text(root: Path, name: str) -> str:
    """The text of a small regular file inside the project; anything else reads as empty."""
    data = source_files.read(root, name)
    if isinstance(data, str) or len(data) > RULE_FILE_BYTES_MAX:
        return ""
    return source_files.text_of(data).decode("utf-8", "replace").replace("\r\n", "\n")


def json_table(source: str) -> Table:
    """A JSON object; empty where it is none."""
    try:
        found = json.loads(source)
    except (ValueError, RecursionError):
        return {}
    return cast(Table, found) if isinstance(found, dict) else {}


def toml_table(source: str) -> Table:
    """A TOML document; empty where it is none."""
    try:
        return tomllib.loads(source)
    except (ValueError, RecursionError):
        return {}


def inner(table: Table, *keys: str) -> Table:
    """A table inside others; empty where there is none."""
    for key in keys:
        found = table.get(key)
        if not isinstance(found, dict):
            return {}
        table = cast(Table, found)
    return table


def string(table: Table, key: str) -> str:
    """A string of a table; empty where it is none."""
    found = table.get(key)
    return found if isinstance(found, str) else ""
