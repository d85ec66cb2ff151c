"""Detects the modules of a map, their call flows and the overview, and stores and loads them."""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from dataclasses import asdict, replace
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING

from holloway.codemap.build_commands import detect
from holloway.codemap.modules.detection import detect_modules
from holloway.codemap.modules.entry_points import find_entry_points
from holloway.codemap.modules.module import Module, SourceFile
from holloway.codemap.modules.module_names import add_purposes
from holloway.codemap.modules.overview import Overview, OverviewModule
from holloway.codemap.parse.languages import LANGUAGES
from holloway.domain.codec import decode, encode

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from holloway.codemap.database import MapDatabase
    from holloway.codemap.modules.module import ModuleEdits


GO_STANDARD = frozenset(
    "bufio bytes cmp container context crypto database embed encoding errors expvar flag fmt hash html image io iter "
    "log maps math mime net os path plugin reflect regexp runtime slices sort strconv strings sync syscall testing "
    "text time unicode unique unsafe".split()
)
COCHANGE_COMMITS = 2_000
"""Newest commits that are used for co-change when modules are detected."""
COCHANGE_FILES_MAX = 12
"""Files: a commit with more says little about any two of them."""
FLOW_STEPS_MAX = 4
"""Steps from the entry point: further on, everything reaches everything."""
MODULES_SHOWN = 3
"""Modules that are named per step: those with the most calls."""

Calls = dict[str, dict[str, float]]
"""From a file to the files that it calls, with the weight of each."""
LANGUAGES_SHOWN = 4
CORE_SHOWN = 3


def update_modules(
    database: MapDatabase, root: Path, edits: ModuleEdits, project: str, renamed: Mapping[str, str] | None = None
) -> list[Module]:
    """Detect the modules again, as similar as possible to the previous ones, and store them.

    The caller holds the transaction.
    """
    rows = database.fetch_rows("SELECT path, role, language, lines FROM files ORDER BY path")
    files = [SourceFile(*row) for row in rows]
    links = load_import_weights(database)
    detected = detect_modules(
        files,
        links,
        load_cochange_weights(database),
        [_rename_files(module, renamed or {}) for module in load_modules(database)],
        edits,
        entries=find_entry_points(root, {file.path for file in files}, links),
        packages=load_packages(database),
        project=project,
    )
    completed = _add_flows(database, add_purposes(detected))
    _store_modules(database, completed)
    return completed


def _add_flows(database: MapDatabase, detected: list[Module]) -> list[Module]:
    module_of = {path: module.name for module in detected for path in module.files}
    rows = database.fetch_rows(
        "SELECT s.path, t.path, COUNT(*) FROM edges e JOIN nodes n ON n.id = e.target JOIN files t ON t.id = n.file"
        " JOIN files s ON s.id = e.file WHERE e.kind IN ('calls', 'instantiates') AND t.id != s.id GROUP BY s.id, t.id"
    )
    calls = group_by_caller((row[0], row[1], row[2]) for row in rows)
    return [replace(module, flows=render_flows(module.entries, calls, module_of)) for module in detected]


def _rename_files(module: Module, renamed: Mapping[str, str]) -> Module:
    """Return a module with the current names of its files."""
    return replace(module, files=tuple(renamed.get(path, path) for path in module.files)) if renamed else module


def load_import_weights(database: MapDatabase) -> dict[tuple[str, str], float]:
    """Return how much one file uses another: an import counts 1, each imported or called definition 0.2."""
    rows = database.fetch_rows(
        "SELECT s.path, t.path, SUM(CASE e.kind WHEN 'imports' THEN 1.0 ELSE 0.2 END)"
        " FROM edges e JOIN nodes n ON n.id = e.target JOIN files t ON t.id = n.file JOIN files s ON s.id = e.file"
        " WHERE e.kind IN ('imports', 'imports_symbol', 'calls', 'instantiates', 'extends', 'implements', 'typed_as')"
        " AND t.id != s.id GROUP BY s.id, t.id"
    )
    return {(row[0], row[1]): row[2] for row in rows}


def load_cochange_weights(database: MapDatabase) -> dict[tuple[str, str], float]:
    """Return the co-change weight of each pair of files, over the newest commits."""
    rows = database.fetch_rows(
        "SELECT c.id, p.path FROM"
        " (SELECT id FROM commits WHERE files BETWEEN 2 AND ? ORDER BY at DESC, id DESC LIMIT ?) c"
        ' JOIN commit_files cf ON cf."commit" = c.id JOIN paths p ON p.id = cf.path JOIN files f ON f.path = p.path'
        " ORDER BY c.id, p.path",
        (COCHANGE_FILES_MAX, COCHANGE_COMMITS),
    )
    commits: dict[int, list[str]] = defaultdict(list)
    for row in rows:
        commits[row[0]].append(row[1])
    weights: dict[tuple[str, str], float] = defaultdict(float)
    for paths in commits.values():
        for path, other_path in combinations(paths, 2):
            weights[path, other_path] += 1.0 / (len(paths) - 1)
    return dict(weights)


def load_packages(database: MapDatabase) -> dict[str, list[str]]:
    """Return the external packages that each file uses."""
    packages_by_file: dict[str, list[str]] = defaultdict(list)
    for row in database.fetch_rows(
        "SELECT f.path, n.name FROM edges e JOIN nodes n ON n.id = e.target AND n.kind = 'package'"
        " JOIN files f ON f.id = e.file WHERE e.kind = 'imports' ORDER BY f.path, n.name"
    ):
        if not _is_standard(row[1]):
            packages_by_file[row[0]].append(row[1])
    return dict(packages_by_file)


def _is_standard(package: str) -> bool:
    """Whether a package belongs to the language's standard library, which says nothing about a module."""
    head = package.partition(".")[0]
    is_go = "/" in package or package.isalpha()
    return (
        package in sys.stdlib_module_names
        or package.startswith("node:")
        or head in ("std", "core", "alloc", "java", "javax", "kotlin")
        or (is_go and package.partition("/")[0] in GO_STANDARD)
    )


def _store_modules(database: MapDatabase, detected: list[Module]) -> None:
    database.execute("DELETE FROM module_files")
    database.execute("DELETE FROM modules")
    ids = {row[0]: row[1] for row in database.fetch_rows("SELECT path, id FROM files")}
    for order, module in enumerate(detected):
        detail = json.dumps(encode(module), ensure_ascii=False)
        database.execute(
            "INSERT OR REPLACE INTO modules VALUES (?, ?, ?, ?, ?)",
            (module.name, module.folder, module.purpose, order, detail),
        )
        database.connection.executemany(
            "INSERT OR REPLACE INTO module_files VALUES (?, ?, ?)",
            [(ids[path], module.name, rank) for rank, path in enumerate(module.files) if path in ids],
        )


def load_modules(database: MapDatabase) -> list[Module]:
    """Load the modules as they were last stored, those of the product first."""
    return [
        decode(Module, json.loads(row[0]))
        for row in database.fetch_rows("SELECT detail FROM modules ORDER BY position")
    ]


def trace_flow(entry: str, calls: Calls, module_of: Mapping[str, str]) -> tuple[tuple[str, ...], ...]:
    """Return the modules that an entry point reaches, step by step; each is named where it is first reached."""
    visited = {entry}
    seen_modules = {module_of[entry]} if entry in module_of else set()
    steps: list[tuple[str, ...]] = [tuple(seen_modules)]
    frontier = [entry]
    for _ in range(FLOW_STEPS_MAX):
        weights: dict[str, float] = defaultdict(float)
        next_paths: set[str] = set()
        for path in frontier:
            for other, weight in calls.get(path, {}).items():
                if other not in visited:
                    next_paths.add(other)
                    if (module := module_of.get(other, "")) not in seen_modules | {""}:
                        weights[module] += weight
        ranked_modules = sorted(weights, key=lambda module: (-weights[module], module))
        seen_modules.update(ranked_modules)
        if ranked_modules:
            steps.append(tuple(ranked_modules[:MODULES_SHOWN]))
        visited |= next_paths
        frontier = sorted(next_paths)
    return tuple(steps) if len(steps) > 1 else ()


def render_flows(entries: Iterable[str], calls: Calls, module_of: Mapping[str, str]) -> tuple[str, ...]:
    """Render the flows of a module's entry points for people: `cli → service → store, codemap`."""
    rendered: dict[str, None] = {}
    for entry in entries:
        if steps := trace_flow(entry, calls, module_of):
            rendered[" → ".join(", ".join(step) for step in steps)] = None
    return tuple(rendered)


def group_by_caller(rows: Iterable[tuple[str, str, float]]) -> Calls:
    """Group rows of caller, callee and weight by caller."""
    calls: Calls = defaultdict(dict)
    for caller, callee, weight in rows:
        calls[caller][callee] = weight
    return calls


def build_overview(database: MapDatabase, root: Path, modules: list[Module]) -> Overview:
    """Build the overview from a map and store it there. The caller holds the transaction."""
    rows = database.fetch_rows("SELECT language, COUNT(*) FROM files WHERE language != '' GROUP BY language")
    counted: dict[str, int] = {}
    for language, number in rows:
        name = str(LANGUAGES.get(language) or language.title())
        counted[name] = counted.get(name, 0) + number
    names = {row[0] for row in database.fetch_rows("SELECT path FROM files")}
    commands = detect.detect_commands(root, names)
    overview = Overview(
        files=len(names),
        source_files=sum(counted.values()),
        languages=tuple(sorted(counted.items(), key=lambda item: (-item[1], item[0]))[:LANGUAGES_SHOWN]),
        modules=tuple(_summarise_module(module) for module in modules if not module.hidden and not module.support),
        build=commands.build,
        test=commands.test,
        lint=commands.lint,
        test_tool=commands.test_tool,
    )
    database.set_meta("overview", json.dumps(asdict(overview), ensure_ascii=False))
    return overview


def _summarise_module(module: Module) -> OverviewModule:
    return OverviewModule(
        module.name,
        module.folder,
        len(module.files),
        module.core[:CORE_SHOWN],
        module.tests[0] if module.tests else "",
    )
