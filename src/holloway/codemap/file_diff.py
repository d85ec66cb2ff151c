"""Diff between the source files and the map, and the invalidation of files whose names may now resolve differently."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING

from holloway.codemap.parse.languages import family
from holloway.codemap.parse.source_files import UNFIT, Skipped
from holloway.codemap.resolve.imports.file_tree import MANIFESTS, folders_above
from holloway.codemap.resolve.language_families import FACES, PACKAGE_FAMILIES

if TYPE_CHECKING:
    from holloway.codemap.database import MapDatabase
    from holloway.codemap.parse.parse_file import ReadFile
    from holloway.codemap.resolve.imports.import_resolver import Importer
    from holloway.store.database import Row

Before = dict[str, tuple[int, str]]
"""Files of the previous map: path to id and language."""


class Change:
    """The difference between the source files and the map, filled in as files are read."""

    def __init__(self, known: dict[str, Row], gone: dict[str, int], skipped: list[Skipped], *, is_first: bool) -> None:
        self.known = known
        """Rows of the map for the files that are compared."""
        self.gone = gone
        self.skipped = skipped
        self.is_first = is_first
        """Whether the map was empty."""
        self.read: dict[str, int] = {}
        self.seen: set[int] = set()
        """Ids of files whose interface changed, so that files that use them must be resolved again."""
        self.renamed: dict[str, str] = {}
        copies = Counter(known[path]["hash"] for path in gone)
        self._by_hash = {known[path]["hash"]: path for path in gone if copies[known[path]["hash"]] == 1}
        """Removed files by content hash; hashes that occur more than once are left out as ambiguous."""

    @property
    def added(self) -> set[str]:
        """Files that were not in the map."""
        return self.read.keys() - self.known.keys()

    @property
    def paths(self) -> set[str]:
        """Files that were added, removed or changed."""
        return self.read.keys() | self.gone.keys()

    @property
    def is_of_names(self) -> bool:
        """Whether imports may resolve differently: files were added or removed, or a manifest changed."""
        return bool(self.added or self.gone) or self.has_manifest

    @property
    def has_manifest(self) -> bool:
        """Whether a manifest changed, such as package.json, which decides how all imports resolve."""
        return any(path.rpartition("/")[2] in MANIFESTS for path in self.paths)

    def former_id(self, one: ReadFile) -> int | None:
        """Return the id a file keeps: its own, or that of a removed file with the same content (a rename)."""
        if one.path in self.known:
            return int(self.known[one.path]["id"])
        old = self._by_hash.pop(one.hash, None)
        if old is None:
            return None
        self.renamed[old] = one.path
        return self.gone[old]

    def leave_out(self, one: ReadFile, reason: str) -> None:
        """Skip a file after all; its previous rows are removed."""
        self.skipped.append(Skipped(one.path, reason, *(one[1:3] if reason in UNFIT else ())))
        self.renamed = {old: new for old, new in self.renamed.items() if new != one.path}
        if one.path in self.known:
            self.gone[one.path] = self.known[one.path]["id"]


def touched_by(database: MapDatabase, change: Change, importer: Importer) -> set[int]:
    """Return the ids of files whose names may resolve differently now, provided that no manifest changed."""
    changed = _led_elsewhere(database, change, importer) if change.is_of_names else set()
    # A file that consulted one whose imports may resolve differently depends on those imports too.
    through = json.dumps(sorted(changed | change.seen | set(change.gone.values())))
    sql = "SELECT file FROM consulted WHERE seen IN (SELECT value FROM json_each(?))"
    return changed | {row[0] for row in database.rows(sql, (through,))}


def _led_elsewhere(database: MapDatabase, change: Change, importer: Importer) -> set[int]:
    """Return the ids of files whose imports may resolve differently, because files were added or removed."""
    came_or_went = change.added | change.gone.keys()
    before = _before(database, change)
    folders = {path.rpartition("/")[0] for path in came_or_went}
    neighbours = {
        file
        for path, (file, language) in before.items()
        if path.rpartition("/")[0] in folders and family(language) in PACKAGE_FAMILIES
    }
    changed = neighbours | _below_faces(before, came_or_went)
    words = {word for path in came_or_went for word in importer.words_for(path)}
    other_folders = folders_above(before) ^ folders_above(importer.tree.paths)
    for path in came_or_went:
        passed, names = _way_down(database, before, path, other_folders)
        changed |= passed
        words |= names
    for word in words:
        changed.update(row[0] for row in database.rows("SELECT file FROM import_words WHERE word = ?", (word,)))
    return changed


def _before(database: MapDatabase, change: Change) -> Before:
    added = change.added
    rows = database.rows("SELECT path, id, language FROM files")
    stayed = {row[0]: (row[1], row[2]) for row in rows if row[0] not in added}
    return stayed | {path: (file, change.known[path]["language"]) for path, file in change.gone.items()}


def _below_faces(before: Before, came_or_went: set[str]) -> set[int]:
    """Return files below an added or removed package file: they reach it without its name (`from . import x`)."""
    stems = ((path.rpartition("/")[0], path.rpartition("/")[2].partition(".")[0]) for path in came_or_went)
    faces = {(folder, FACES[stem]) for folder, stem in stems if stem in FACES}
    return {
        file
        for path, (file, language) in before.items()
        for folder, wanted in faces
        if family(language) == wanted and (not folder or path.startswith(folder + "/"))
    }


def _way_down(database: MapDatabase, before: Before, path: str, other_folders: set[str]) -> tuple[set[int], set[str]]:
    """Find how `package.module` may reach a file without importing it.

    Returns the files that consulted the package and contain the module's name; and the names of folders in between that
    have no package file or did not exist before.
    """
    passed: set[int] = set()
    names: set[str] = set()
    folder, _, name = path.rpartition("/")
    name = name.partition(".")[0]
    is_python = path.endswith((".py", ".pyi"))
    if is_python and name == "__init__":
        folder, _, name = folder.rpartition("/")
    while is_python or folder in other_folders:
        package = before.get(f"{folder}/__init__.py".lstrip("/"), before.get(f"{folder}/__init__.pyi".lstrip("/")))
        if package is not None:
            passed |= _who_wrote(database, name, package[0])
        if not folder or (package is not None and folder not in other_folders):
            break
        folder, _, name = folder.rpartition("/")
        names.add(name)
    return passed, names


def _who_wrote(database: MapDatabase, name: str, seen: int) -> set[int]:
    """Return the files that consulted another file and contain a name."""
    sql = (
        "SELECT c.file FROM consulted c JOIN files f ON f.id = c.file JOIN mentions m ON m.file = f.id"
        " WHERE c.seen = ? AND (instr(f.facts, ?) OR instr(m.data, ?))"
    )
    return {row[0] for row in database.rows(sql, (seen, name.encode(), name.encode()))}
