"""Diff between the source files and the map, and the invalidation of files whose names may now resolve differently."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING

from holloway.codemap.parse.languages import PACKAGE_FAMILIES, PACKAGE_FILE_STEMS, find_family
from holloway.codemap.parse.source_files import UNFIT_REASONS, SkippedFile
from holloway.codemap.resolve.imports.file_tree import MANIFESTS, folders_above

if TYPE_CHECKING:
    from holloway.codemap.database import MapDatabase
    from holloway.codemap.parse.parser import ParsedFile
    from holloway.codemap.resolve.imports.import_resolver import ImportResolver
    from holloway.store.database import Row

Before = dict[str, tuple[int, str]]
"""Files of the previous map: path to id and language."""


class MapChange:
    """The difference between the source files and the map, filled in as files are read."""

    def __init__(
        self, stored_rows: dict[str, Row], removed_ids: dict[str, int], skipped: list[SkippedFile], *, is_first: bool
    ) -> None:
        self.stored_rows = stored_rows
        """Rows of the map for the files that are compared."""
        self.removed_ids = removed_ids
        self.skipped = skipped
        self.is_first = is_first
        """Whether the map was empty."""
        self.written_ids: dict[str, int] = {}
        self.changed_interface_ids: set[int] = set()
        """Ids of files whose interface changed, so that files that use them must be resolved again."""
        self.renamed: dict[str, str] = {}
        copies = Counter(stored_rows[path]["hash"] for path in removed_ids)
        self._by_hash = {
            stored_rows[path]["hash"]: path for path in removed_ids if copies[stored_rows[path]["hash"]] == 1
        }
        """Removed files by content hash; hashes that occur more than once are left out as ambiguous."""

    @property
    def added_paths(self) -> set[str]:
        """Files that were not in the map."""
        return self.written_ids.keys() - self.stored_rows.keys()

    @property
    def changed_paths(self) -> set[str]:
        """Files that were added, removed or changed."""
        return self.written_ids.keys() | self.removed_ids.keys()

    @property
    def affects_imports(self) -> bool:
        """Whether imports may resolve differently: files were added or removed, or a manifest changed."""
        return bool(self.added_paths or self.removed_ids) or self.has_manifest

    @property
    def has_manifest(self) -> bool:
        """Whether a manifest changed, such as package.json, which decides how all imports resolve."""
        return any(path.rpartition("/")[2] in MANIFESTS for path in self.changed_paths)

    def reuse_id(self, parsed_file: ParsedFile) -> int | None:
        """Return the id a file keeps: its own, or that of a removed file with the same content (a rename)."""
        if parsed_file.path in self.stored_rows:
            return int(self.stored_rows[parsed_file.path]["id"])
        old = self._by_hash.pop(parsed_file.hash, None)
        if old is None:
            return None
        self.renamed[old] = parsed_file.path
        return self.removed_ids[old]

    def skip_file(self, parsed_file: ParsedFile, reason: str) -> None:
        """Skip a file after all; its previous rows are removed."""
        self.skipped.append(
            SkippedFile(parsed_file.path, reason, *(parsed_file[1:3] if reason in UNFIT_REASONS else ()))
        )
        self.renamed = {old: new for old, new in self.renamed.items() if new != parsed_file.path}
        if parsed_file.path in self.stored_rows:
            self.removed_ids[parsed_file.path] = self.stored_rows[parsed_file.path]["id"]


def find_affected_files(database: MapDatabase, change: MapChange, importer: ImportResolver) -> set[int]:
    """Return the ids of files whose names may resolve differently now, provided that no manifest changed."""
    changed = _find_rerouted_files(database, change, importer) if change.affects_imports else set()
    # A file that consulted one whose imports may resolve differently depends on those imports too.
    through = json.dumps(sorted(changed | change.changed_interface_ids | set(change.removed_ids.values())))
    sql = "SELECT file FROM consulted WHERE seen IN (SELECT value FROM json_each(?))"
    return changed | {row[0] for row in database.fetch_rows(sql, (through,))}


def _find_rerouted_files(database: MapDatabase, change: MapChange, importer: ImportResolver) -> set[int]:
    """Return the ids of files whose imports may resolve differently, because files were added or removed."""
    came_or_went = change.added_paths | change.removed_ids.keys()
    before = _load_previous_files(database, change)
    folders = {path.rpartition("/")[0] for path in came_or_went}
    neighbours = {
        file
        for path, (file, language) in before.items()
        if path.rpartition("/")[0] in folders and find_family(language) in PACKAGE_FAMILIES
    }
    changed = neighbours | _find_files_below_packages(before, came_or_went)
    words = {word for path in came_or_went for word in importer.words_for(path)}
    other_folders = folders_above(before) ^ folders_above(importer.tree.paths)
    for path in came_or_went:
        passed, names = _trace_package_path(database, before, path, other_folders)
        changed |= passed
        words |= names
    for word in words:
        changed.update(row[0] for row in database.fetch_rows("SELECT file FROM import_words WHERE word = ?", (word,)))
    return changed


def _load_previous_files(database: MapDatabase, change: MapChange) -> Before:
    added = change.added_paths
    rows = database.fetch_rows("SELECT path, id, language FROM files")
    stayed = {row[0]: (row[1], row[2]) for row in rows if row[0] not in added}
    return stayed | {path: (file, change.stored_rows[path]["language"]) for path, file in change.removed_ids.items()}


def _find_files_below_packages(before: Before, came_or_went: set[str]) -> set[int]:
    """Return files below an added or removed package file: they reach it without its name (`from . import x`)."""
    stems = ((path.rpartition("/")[0], path.rpartition("/")[2].partition(".")[0]) for path in came_or_went)
    faces = {(folder, PACKAGE_FILE_STEMS[stem]) for folder, stem in stems if stem in PACKAGE_FILE_STEMS}
    return {
        file
        for path, (file, language) in before.items()
        for folder, wanted in faces
        if find_family(language) == wanted and (not folder or path.startswith(folder + "/"))
    }


def _trace_package_path(
    database: MapDatabase, before: Before, path: str, other_folders: set[str]
) -> tuple[set[int], set[str]]:
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
            passed |= _find_files_naming(database, name, package[0])
        if not folder or (package is not None and folder not in other_folders):
            break
        folder, _, name = folder.rpartition("/")
        names.add(name)
    return passed, names


def _find_files_naming(database: MapDatabase, name: str, consulted_file: int) -> set[int]:
    """Return the files that consulted another file and contain a name."""
    sql = (
        "SELECT c.file FROM consulted c JOIN files f ON f.id = c.file JOIN mentions m ON m.file = f.id"
        " WHERE c.seen = ? AND (instr(f.facts, ?) OR instr(m.data, ?))"
    )
    return {row[0] for row in database.fetch_rows(sql, (consulted_file, name.encode(), name.encode()))}
