"""Overview of a codebase (languages, modules, build and test commands), stored in the map and cheap to load."""

from __future__ import annotations

import json
import sqlite3
from dataclasses import dataclass
from pathlib import Path

from holloway.codemap.database import MAP_VERSION


@dataclass(frozen=True, slots=True)
class OverviewModule:
    """A module as the brief shows it."""

    name: str
    folder: str
    files: int
    core: tuple[str, ...]
    tests: str = ""


@dataclass(frozen=True, slots=True)
class Overview:
    """Summary of a codebase. Without a map, everything is empty."""

    files: int = 0
    source_files: int = 0
    languages: tuple[tuple[str, int], ...] = ()
    modules: tuple[OverviewModule, ...] = ()
    build: tuple[str, ...] = ()
    test: tuple[str, ...] = ()
    lint: tuple[str, ...] = ()
    test_tool: str = ""

    @property
    def unnamed_test_tool(self) -> str:
        """The test framework, if no test command mentions it."""
        is_mentioned = any(self.test_tool.lower() in command.lower() for command in self.test)
        return self.test_tool if self.test and not is_mentioned else ""


def load_overview(path: Path) -> Overview | None:
    """Load the overview without opening the full map; None if it is missing or has another version."""
    if not path.exists():
        return None
    try:
        connection = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, timeout=0.2)
        try:
            (version,) = connection.execute("PRAGMA user_version").fetchone()
            row = connection.execute("SELECT value FROM meta WHERE key = 'overview'").fetchone()
        finally:
            connection.close()
        return parse_overview(row[0]) if row and version == MAP_VERSION else None
    except (sqlite3.Error, ValueError, KeyError, TypeError):
        return None


def parse_overview(text: str) -> Overview:
    """Parse a stored overview."""
    data = json.loads(text)
    parts = tuple(OverviewModule(**{**part, "core": tuple(part["core"])}) for part in data["modules"])
    languages = tuple((str(language), int(number)) for language, number in data["languages"])
    lists = {name: tuple(data[name]) for name in ("build", "test", "lint")}
    return Overview(**{**data, **lists, "modules": parts, "languages": languages})
