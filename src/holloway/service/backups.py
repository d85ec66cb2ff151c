"""Copies of a project's memory: which there are, and bringing one back, also where the memory itself does not open."""

from __future__ import annotations

from pathlib import Path

from holloway.service.project_finder import known_project
from holloway.store.database import replaced, rolling
from holloway.store.store import backup_named, restore


def copies(path: str) -> list[Path]:
    """The copies of the project that holds a folder, newest first, then what earlier restores put aside."""
    folder = known_project(path).backups
    return [*rolling(folder), *replaced(folder)]


def copy_named(path: str, wanted: str) -> Path:
    """The copy that a name, or `latest`, means."""
    return backup_named(known_project(path), wanted)


def bring_back(path: str, wanted: str) -> tuple[Path, Path | None]:
    """Put a copy in the memory's place; returns it, and where the state before that is kept."""
    return restore(known_project(path), wanted)
