"""Summarises modules: central files, entry points, tests, packages, and dependencies between modules."""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from holloway.codemap.modules.module import ModuleDraft, map_display_names
from holloway.codemap.parse.languages import language_of
from holloway.text.file_roles import is_runnable_test, tested_stem

if TYPE_CHECKING:
    from holloway.codemap.modules.module import SourceFile

CORE_MAX = 5
ENTRIES_MAX = 8
MODULE_TESTS_MAX = 100
TIES_MAX = 12
PACKAGES_MAX = 12

BUILT_ON_WEIGHT = 0.5
SIZE_WEIGHT = 0.3
ACTIVITY_WEIGHT = 0.2
RANKED_LINES_MAX = 2_000

INSIDE_SCORE = 1.0
FILE_NAME_SCORE = 1.0
MODULE_NAME_SCORE = 0.7
IMPORT_SCORE = 1.2
TEST_SCORE_MIN = 0.6
"""Scores of the evidence that a test belongs to a module, and the threshold for their sum."""

_TEST_WORD = re.compile(r"^tests?[-_]|[-_]?tests?$")


def rank_files(
    code: Sequence[SourceFile],
    imports: Mapping[tuple[str, str], float],
    cochanges: Mapping[tuple[str, str], float],
) -> dict[str, float]:
    """Return the importance of each file: how many import it, how large it is, how often it changes with others."""
    paths = [file.path for file in code]
    path_set = frozenset(paths)
    built_on: dict[str, float] = defaultdict(float)
    for (source, target), weight in imports.items():
        if source in path_set and source != target:
            built_on[target] += min(weight, 1.0)
    active: dict[str, float] = defaultdict(float)
    for (source, target), weight in cochanges.items():
        active[source] += weight
        active[target] += weight
    size = {file.path: float(min(file.lines, RANKED_LINES_MAX)) for file in code}
    criteria = ((BUILT_ON_WEIGHT, built_on), (SIZE_WEIGHT, size), (ACTIVITY_WEIGHT, active))
    importance = dict.fromkeys(paths, 0.0)
    for weight, values in criteria:
        value_max = max((values.get(path, 0.0) for path in paths), default=0.0)
        for path in paths:
            importance[path] += weight * math.sqrt(values.get(path, 0.0) / value_max) if value_max > 0 else 0.0
    return importance


def select_entries(files: Sequence[str], entry_points: Mapping[str, str]) -> tuple[str, ...]:
    """Return the files of a module that are entry points."""
    return tuple(path for path in files if path in entry_points)[:ENTRIES_MAX]


def rank_packages(files: Sequence[str], used: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    """Return the external packages that a module uses, those used by most of its files first."""
    counted = Counter(package for path in files for package in set(used.get(path, ())))
    return tuple(sorted(counted, key=lambda package: (-counted[package], package))[:PACKAGES_MAX])


def rank_connections(
    drafts: Sequence[ModuleDraft], weights: Mapping[tuple[str, str], float], *, is_undirected: bool = False
) -> dict[str, tuple[tuple[str, float], ...]]:
    """Return the modules that each module is connected to, strongest first, by the weights between their files."""
    module_of = {path: draft.name for draft in drafts for path in draft.files}
    summed: dict[str, dict[str, float]] = defaultdict(lambda: defaultdict(float))
    for (source, target), weight in weights.items():
        source_module, target_module = module_of.get(source), module_of.get(target)
        if source_module and target_module and source_module != target_module and weight > 0:
            summed[source_module][target_module] += weight
            if is_undirected:
                summed[target_module][source_module] += weight
    return {
        name: tuple(
            sorted(((target, round(weight, 3)) for target, weight in weights_by_module.items()), key=_connection_order)[
                :TIES_MAX
            ]
        )
        for name, weights_by_module in summed.items()
    }


def _connection_order(tie: tuple[str, float]) -> tuple[float, str]:
    return -tie[1], tie[0]


def map_folders(drafts: Sequence[ModuleDraft]) -> dict[str, str]:
    """Return for each folder the key of its module, or of the largest module below it."""
    best: dict[str, tuple[bool, int, str]] = {}
    for draft in drafts:
        folder = draft.folder
        while folder:
            candidate = (folder == draft.folder, len(draft.files), draft.key)
            best[folder] = max(best.get(folder, candidate), candidate)
            folder = folder.rpartition("/")[0]
    return {folder: key for folder, (_, _, key) in best.items()}


def find_module(folder: str, module_by_folder: Mapping[str, str]) -> str:
    """Return the module of a folder or of its nearest parent; empty if no parent has one."""
    while folder and folder not in module_by_folder:
        folder = folder.rpartition("/")[0]
    return module_by_folder.get(folder, "")


def find_tests(
    drafts: Sequence[ModuleDraft],
    paths: Sequence[str],
    imports: Mapping[tuple[str, str], float],
    chosen_modules: Mapping[str, str],
) -> dict[str, tuple[str, ...]]:
    """Return the tests of each module, most confident first: they import it, share a name with it or are inside it.

    Helper files among the tests, such as a conftest, come last.
    """
    module_by_folder = {
        draft.folder: draft.name for draft in sorted(drafts, key=lambda draft: len(draft.files)) if draft.folder
    }
    stems = _index_stems(drafts)
    imported = _weigh_imports(drafts, frozenset(paths), imports)
    display_names = map_display_names(drafts)
    scored_tests: dict[str, list[tuple[float, str]]] = defaultdict(list)
    for path in paths:
        scores: dict[str, float] = defaultdict(float, imported.get(path, {}))
        for name, weight in _match_names(path, stems).items():
            scores[name] += weight
        if containing_module := find_module(path.rpartition("/")[0], module_by_folder):
            scores[containing_module] += INSIDE_SCORE
        if path in chosen_modules:
            scores = {display_names.get(chosen_modules[path].casefold(), chosen_modules[path]): INSIDE_SCORE}
        for name, score in scores.items():
            if score >= TEST_SCORE_MIN:
                scored_tests[name].append((score, path))
    return {name: _most_confident(rows) for name, rows in scored_tests.items()}


def _most_confident(rows: list[tuple[float, str]]) -> tuple[str, ...]:
    ordered = sorted((not is_runnable_test(path), -score, path) for score, path in rows)
    return tuple(path for *_, path in ordered[:MODULE_TESTS_MAX])


def _index_stems(drafts: Sequence[ModuleDraft]) -> dict[str, dict[str, float]]:
    """Return names that a test may have and the modules that they point to; ambiguous names count less."""
    owners: dict[str, set[str]] = defaultdict(set)
    for draft in drafts:
        for path in draft.files:
            if language_of(path):
                owners[_file_stem(path)].add(draft.name)
    weights = {stem: dict.fromkeys(names, FILE_NAME_SCORE / len(names)) for stem, names in owners.items()}
    for draft in drafts:
        module_weights = weights.setdefault(draft.name.rpartition("/")[2].casefold(), {})
        module_weights[draft.name] = max(module_weights.get(draft.name, 0.0), MODULE_NAME_SCORE)
    return weights


def _file_stem(path: str) -> str:
    return path.rpartition("/")[2].partition(".")[0].strip("_").casefold()


def _match_names(path: str, stems: Mapping[str, Mapping[str, float]]) -> dict[str, float]:
    """Return the modules that the name of a test, or of a folder above it, points to."""
    *folders, _ = path.split("/")
    names = [
        (tested_stem(path) or _file_stem(path)).casefold(),
        *(_TEST_WORD.sub("", folder).casefold() for folder in folders),
    ]
    weights: dict[str, float] = defaultdict(float)
    for name in filter(None, dict.fromkeys(names)):
        for module, weight in stems.get(name, {}).items():
            weights[module] = max(weights[module], weight)
    return weights


def _weigh_imports(
    drafts: Sequence[ModuleDraft], tests: frozenset[str], imports: Mapping[tuple[str, str], float]
) -> dict[str, dict[str, float]]:
    """Return the share of each module in a test's imports. Modules that all tests import count less."""
    module_of = {path: draft.name for draft in drafts for path in draft.files}
    summed: dict[str, dict[str, float]] = defaultdict(lambda: defaultdict(float))
    for (source, target), weight in imports.items():
        if source in tests and target in module_of and weight > 0:
            summed[source][module_of[target]] += weight
    importers = Counter(name for modules in summed.values() for name in modules)
    for modules in summed.values():
        for name in modules:
            modules[name] *= math.log1p(len(summed) / importers[name])
    return {
        test: {name: IMPORT_SCORE * weight / total for name, weight in modules.items()}
        for test, modules in summed.items()
        if (total := sum(modules.values()))
    }
