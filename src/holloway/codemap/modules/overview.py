"""A codebase on one page: its languages, its modules, how it is built and tested. Kept in the map, cheap to read."""

from __future__ import annotations

import json
import sqlite3
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from holloway.codemap import commands

if TYPE_CHECKING:
    from holloway.codemap.database import MapDatabase
    from holloway.codemap.modules.detection import Module

LANGUAGES_SHOWN = 4
CORE_SHOWN = 3

_NAMES = {
    "typescript": "TypeScript",
    "tsx": "TypeScript",
    "javascript": "JavaScript",
    "cpp": "C++",
    "csharp": "C#",
    "php": "PHP",
}


@dataclass(frozen=True, slots=True)
class Part:
    """A module as a brief shows it."""

    name: str
    folder: str
    files: int
    core: tuple[str, ...]
    tests: str = ""
    purpose: str = ""


@dataclass(frozen=True, slots=True)
class Overview:
    """What there is. Without a map, everything is empty."""

    files: int = 0
    source_files: int = 0
    languages: tuple[tuple[str, int], ...] = ()
    modules: tuple[Part, ...] = ()
    build: tuple[str, ...] = ()
    test: tuple[str, ...] = ()
    lint: tuple[str, ...] = ()


def look(database: MapDatabase, root: Path, modules: list[Module]) -> Overview:
    """Put the page together from a map and keep it there. The caller holds the transaction."""
    rows = database.rows("SELECT language, COUNT(*) FROM files WHERE language != '' GROUP BY language")
    counted: dict[str, int] = {}
    for language, number in rows:
        name = _NAMES.get(language, language.title())
        counted[name] = counted.get(name, 0) + number
    names = {row[0] for row in database.rows("SELECT path FROM files")}
    told = commands.read(root, names)
    made = Overview(
        files=len(names),
        source_files=sum(counted.values()),
        languages=tuple(sorted(counted.items(), key=lambda item: (-item[1], item[0]))[:LANGUAGES_SHOWN]),
        modules=tuple(_part(module) for module in modules if not module.hidden and not module.support),
        build=told.build,
        test=told.test,
        lint=told.lint,
    )
    database.note("overview", json.dumps(asdict(made), ensure_ascii=False))
    return made


def _part(module: Module) -> Part:
    return Part(
        module.name,
        module.folder,
        len(module.files),
        module.core[:CORE_SHOWN],
        module.tests[0] if module.tests else "",
        module.purpose,
    )


def load(path: Path) -> Overview | None:
    """The page of a map, read without opening the whole of it; None where there is none that is understood."""
    if not path.exists():
        return None
    try:
        connection = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, timeout=0.2)
        try:
            row = connection.execute("SELECT value FROM meta WHERE key = 'overview'").fetchone()
        finally:
            connection.close()
        return parse(row[0]) if row else None
    except (sqlite3.Error, ValueError, KeyError, TypeError):
        return None


def parse(text: str) -> Overview:
    """The page as it was kept."""
    data = json.loads(text)
    parts = tuple(Part(**{**part, "core": tuple(part["core"])}) for part in data["modules"])
    languages = tuple((str(language), int(number)) for language, number in data["languages"])
    lists = {name: tuple(data[name]) for name in ("build", "test", "lint")}
    return Overview(**{**data, **lists, "modules": parts, "languages": languages})
