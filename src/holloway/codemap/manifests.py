"""Reads manifests such as package.json and pyproject.toml defensively; their content is untrusted."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import cast

from holloway.codemap.parse import source_files
from holloway.config import RULE_FILE_BYTES_MAX

FOLDER_MANIFESTS = frozenset(
    "Cargo.toml build.gradle build.gradle.kts composer.json go.mod package.json pom.xml project.json pyproject.toml "
    "setup.py".split()
)
"""A folder with one of these files is a separate package."""

Table = dict[str, object]


def read_text(root: Path, name: str) -> str:
    """Return the text of a small regular file inside the project; empty for anything else."""
    data = source_files.read_bytes(root, name)
    if isinstance(data, str) or len(data) > RULE_FILE_BYTES_MAX:
        return ""
    return source_files.to_utf8(data).decode("utf-8", "replace").replace("\r\n", "\n")


def parse_json_table(source: str) -> Table:
    """Parse a JSON object; empty if the text is not a JSON object."""
    try:
        value = json.loads(source)
    except (ValueError, RecursionError):
        return {}
    return cast("Table", value) if isinstance(value, dict) else {}


def parse_toml_table(source: str) -> Table:
    """Parse a TOML document; empty if the text is not valid TOML."""
    try:
        return tomllib.loads(source)
    except (ValueError, RecursionError):
        return {}


def nested_table(table: Table, *keys: str) -> Table:
    """Return a nested table; empty if it does not exist."""
    for key in keys:
        value = table.get(key)
        if not isinstance(value, dict):
            return {}
        table = cast("Table", value)
    return table


def get_string(table: Table, key: str) -> str:
    """Return a string of a table; empty if the value is no string."""
    value = table.get(key)
    return value if isinstance(value, str) else ""
