"""Small read-only queries on the map database: paths, definitions, imports, tests and neighbouring files."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from holloway.codemap.graph import BY_NAME_MIN, rank_tests
from holloway.text.identifiers import quote_term

if TYPE_CHECKING:
    from collections.abc import Iterable

    from holloway.codemap.database import MapDatabase

DEFINERS_MAX = 60
NEIGHBOURS_MAX = 60
SHARED_COMMIT_FILES_MAX = 12
"""Files: a commit with more says little about any two of them."""
USE_WEIGHT = 0.5
"""Weight of a file that uses another one, or is used by it."""


def list_paths(database: MapDatabase) -> list[str]:
    """Return the paths of all files in the map."""
    return [row[0] for row in database.fetch_rows("SELECT path FROM files")]


def filter_existing(database: MapDatabase, candidates: Iterable[str]) -> set[str]:
    """Return those of these files that are in the map."""
    sql = "SELECT path FROM files WHERE path IN (SELECT value FROM json_each(?))"
    return {row[0] for row in database.fetch_rows(sql, (json.dumps(list(candidates)),))}


def find_module(database: MapDatabase, path: str) -> str:
    """Return the module that a file belongs to, or an empty string."""
    sql = "SELECT m.module FROM module_files m JOIN files f ON f.id = m.file WHERE f.path = ?"
    return str(database.fetch_value(sql, (path,)) or "")


def complete_path(database: MapDatabase, text: str, limit: int) -> list[str]:
    """Return the files whose path contains a text, the shortest paths first."""
    sql = "SELECT path FROM files WHERE instr(lower(path), lower(?)) ORDER BY length(path), path LIMIT ?"
    return [row[0] for row in database.fetch_rows(sql, (text, limit))]


def count_unassigned_files(database: MapDatabase) -> int:
    """Count the source files that belong to no module."""
    sql = "SELECT count(*) FROM files WHERE role = 'source' AND id NOT IN (SELECT file FROM module_files)"
    return int(database.fetch_value(sql))


def count_skipped(database: MapDatabase) -> dict[str, int]:
    """Return the number of skipped files by reason."""
    return {row[0]: row[1] for row in database.fetch_rows("SELECT reason, COUNT(*) FROM skipped GROUP BY reason")}


def count_commits_and_modules(database: MapDatabase) -> tuple[int, int]:
    """Return how many commits and modules the map has."""
    (row,) = database.fetch_rows("SELECT (SELECT COUNT(*) FROM commits), (SELECT COUNT(*) FROM modules)")
    return int(row[0]), int(row[1])


def find_definers(database: MapDatabase, name: str) -> list[tuple[str, str]]:
    """Return the files that define a name, with the kind of definition."""
    sql = "SELECT DISTINCT f.path, n.kind FROM nodes n JOIN files f ON f.id = n.file WHERE n.name = ? LIMIT ?"
    return [(row[0], row[1]) for row in database.fetch_rows(sql, (name, DEFINERS_MAX))]


def has_name(database: MapDatabase, name: str) -> bool:
    """Whether a name occurs in the code: each of its parts is one of the words there."""
    words = [word for word in re.split(r"\W+", name.casefold().replace("_", "")) if word]
    sql = "SELECT 1 FROM chunk_text WHERE chunk_text MATCH ? LIMIT 1"
    return bool(words) and all(database.fetch_value(sql, (quote_term(word),)) for word in words)


def find_tests(database: MapDatabase, tested: Iterable[str], limit: int) -> list[str]:
    """Return the tests of these files, most confident first."""
    return [path for path, _ in rank_tests(database, list(tested), limit)]


def find_tested(database: MapDatabase, tests: Iterable[str]) -> dict[str, str]:
    """Return for each of these tests the file that it is named after, if there is one."""
    rows = database.fetch_rows(
        "SELECT x.path, s.path FROM files x JOIN nodes t ON t.file = x.id AND t.qualified = x.path AND t.kind = 'file'"
        " JOIN edges e ON e.target = t.id AND e.kind = 'tested_by' AND e.confidence > ?"
        " JOIN nodes n ON n.id = e.source JOIN files s ON s.id = n.file"
        " WHERE x.path IN (SELECT value FROM json_each(?)) ORDER BY x.path, s.path DESC",
        (BY_NAME_MIN, json.dumps(list(tests))),
    )
    return {row[0]: row[1] for row in rows}


def find_connected(database: MapDatabase, sources: Iterable[str], targets: Iterable[str]) -> set[str]:
    """Return those of the other files that use one of some files, or are used by one."""
    some_json, others_json = json.dumps(list(sources)), json.dumps(list(targets))
    used = {row[1] for row in database.fetch_rows(_TIES_SQL, (some_json, others_json))}
    return used | {row[0] for row in database.fetch_rows(_TIES_SQL, (others_json, some_json))}


_TIES_SQL = (
    "SELECT DISTINCT s.path, t.path FROM files s JOIN edges e ON e.file = s.id JOIN nodes n ON n.id = e.target"
    " JOIN files t ON t.id = n.file"
    " WHERE s.path IN (SELECT value FROM json_each(?)) AND t.path IN (SELECT value FROM json_each(?))"
)


def find_neighbours(database: MapDatabase, queried_paths: Iterable[str]) -> dict[str, dict[str, float]]:
    """Return for each file its neighbours (files that it uses or that use it) by confidence; the file itself has 1."""
    neighbours: dict[str, dict[str, float]] = {path: {path: 1.0} for path in queried_paths}
    for sql in (_USES_SQL, _USED_BY_SQL):
        for path, other, confidence in database.fetch_rows(sql, (json.dumps(list(neighbours)),)):
            if len(neighbours[path]) <= NEIGHBOURS_MAX:
                neighbours[path][other] = max(neighbours[path].get(other, 0.0), USE_WEIGHT * confidence)
    return neighbours


def weigh_imports(database: MapDatabase, paths: Iterable[str]) -> dict[tuple[str, str], float]:
    """Return how many imports lead from one file to another, for every pair with one of these files."""
    rows = database.fetch_rows(
        "SELECT s.path, t.path, COUNT(*) FROM edges e JOIN nodes n ON n.id = e.target JOIN files t ON t.id = n.file"
        " JOIN files s ON s.id = e.file WHERE e.kind IN ('imports', 'imports_symbol') AND s.id != t.id"
        " AND (s.path IN (SELECT value FROM json_each(:paths)) OR t.path IN (SELECT value FROM json_each(:paths)))"
        " GROUP BY s.id, t.id",
        {"paths": json.dumps(list(paths))},
    )
    return {(row[0], row[1]): float(row[2]) for row in rows}


def count_shared_commits(database: MapDatabase, paths: Iterable[str]) -> dict[tuple[str, str], int]:
    """Return in how many small commits each pair of these files changed together, the paths of a pair in order."""
    rows = database.fetch_rows(
        "SELECT p.path, q.path, COUNT(*) FROM paths p JOIN commit_files a ON a.path = p.id"
        ' JOIN commits c ON c.id = a."commit" AND c.files <= :files JOIN commit_files b ON b."commit" = c.id'
        " JOIN paths q ON q.id = b.path AND q.path > p.path"
        " WHERE p.path IN (SELECT value FROM json_each(:paths)) AND q.path IN (SELECT value FROM json_each(:paths))"
        " GROUP BY p.id, q.id",
        {"paths": json.dumps(list(paths)), "files": SHARED_COMMIT_FILES_MAX},
    )
    return {(row[0], row[1]): row[2] for row in rows}


_USES_SQL = (
    "SELECT s.path, t.path, MAX(e.confidence) FROM files s JOIN edges e ON e.file = s.id"
    " JOIN nodes n ON n.id = e.target JOIN files t ON t.id = n.file"
    " WHERE s.path IN (SELECT value FROM json_each(?)) AND t.id != s.id"
    " GROUP BY s.id, t.id ORDER BY 3 DESC, COUNT(*) DESC, 2"
)
_USED_BY_SQL = (
    "SELECT s.path, t.path, MAX(e.confidence) FROM files s JOIN nodes n ON n.file = s.id"
    " JOIN edges e ON e.target = n.id JOIN files t ON t.id = e.file"
    " WHERE s.path IN (SELECT value FROM json_each(?)) AND t.id != s.id"
    " GROUP BY s.id, t.id ORDER BY 3 DESC, COUNT(*) DESC, 2"
)
