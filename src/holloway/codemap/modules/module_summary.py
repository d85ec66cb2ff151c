"""Summarises modules: central files, entry points, tests, packages, and dependencies between modules."""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from holloway.codemap.modules.user_edits import Draft, shown_names
from holloway.codemap.parse.languages import language_of
from holloway.text.file_roles import is_runnable_test, tested_stem

if TYPE_CHECKING:
    from holloway.codemap.modules.detection import SourceFile

CORE_MAX = 5
ENTRIES_MAX = 8
TESTS_MAX = 100
TIES_MAX = 12
PACKAGES_MAX = 12

BUILT_ON_WEIGHT = 0.5
SIZE_WEIGHT = 0.3
ACTIVITY_WEIGHT = 0.2
LINES_COUNTED_MAX = 2_000

LIES_IN_IT = 1.0
CARRIES_A_FILES_NAME = 1.0
CARRIES_ITS_NAME = 0.7
IMPORTS_IT = 1.2
TESTS_IT_MIN = 0.6
"""Scores of the evidence that a test belongs to a module, and the threshold for their sum."""

_TEST_WORD = re.compile(r"^tests?[-_]|[-_]?tests?$")


def standing(
    code: Sequence[SourceFile],
    imports: Mapping[tuple[str, str], float],
    together: Mapping[tuple[str, str], float],
) -> dict[str, float]:
    """Return the importance of each file: how many import it, how large it is, how often it changes with others."""
    paths = [file.path for file in code]
    path_set = frozenset(paths)
    built_on: dict[str, float] = defaultdict(float)
    for (source, target), weight in imports.items():
        if source in path_set and source != target:
            built_on[target] += min(weight, 1.0)
    active: dict[str, float] = defaultdict(float)
    for (source, target), weight in together.items():
        active[source] += weight
        active[target] += weight
    size = {file.path: float(min(file.lines, LINES_COUNTED_MAX)) for file in code}
    criteria = ((BUILT_ON_WEIGHT, built_on), (SIZE_WEIGHT, size), (ACTIVITY_WEIGHT, active))
    importance = dict.fromkeys(paths, 0.0)
    for weight, values in criteria:
        value_max = max((values.get(path, 0.0) for path in paths), default=0.0)
        for path in paths:
            importance[path] += weight * math.sqrt(values.get(path, 0.0) / value_max) if value_max > 0 else 0.0
    return importance


def entries(files: Sequence[str], known: Mapping[str, str]) -> tuple[str, ...]:
    """Return the files of a module that are entry points."""
    return tuple(path for path in files if path in known)[:ENTRIES_MAX]


def packages(files: Sequence[str], used: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    """Return the external packages that a module uses, those used by most of its files first."""
    counted = Counter(package for path in files for package in set(used.get(path, ())))
    return tuple(sorted(counted, key=lambda package: (-counted[package], package))[:PACKAGES_MAX])


def ties(
    drafts: Sequence[Draft], weights: Mapping[tuple[str, str], float], *, both_ways: bool = False
) -> dict[str, tuple[tuple[str, float], ...]]:
    """Return the modules that each module is connected to, strongest first, by the weights between their files."""
    module_of = {path: draft.name for draft in drafts for path in draft.files}
    summed: dict[str, dict[str, float]] = defaultdict(lambda: defaultdict(float))
    for (source, target), weight in weights.items():
        source_module, target_module = module_of.get(source), module_of.get(target)
        if source_module and target_module and source_module != target_module and weight > 0:
            summed[source_module][target_module] += weight
            if both_ways:
                summed[target_module][source_module] += weight
    return {
        name: tuple(
            sorted(((target, round(weight, 3)) for target, weight in weights_by_module.items()), key=_most_first)[
                :TIES_MAX
            ]
        )
        for name, weights_by_module in summed.items()
    }


def _most_first(tie: tuple[str, float]) -> tuple[float, str]:
    return -tie[1], tie[0]


def homes(drafts: Sequence[Draft]) -> dict[str, str]:
    """Return for each folder the key of its module, or of the largest module below it."""
    best: dict[str, tuple[bool, int, str]] = {}
    for draft in drafts:
        folder = draft.folder
        while folder:
            candidate = (folder == draft.folder, len(draft.files), draft.key)
            best[folder] = max(best.get(folder, candidate), candidate)
            folder = folder.rpartition("/")[0]
    return {folder: key for folder, (_, _, key) in best.items()}


def home(folder: str, known: Mapping[str, str]) -> str:
    """Return the module of a folder or of its nearest parent; empty if no parent has one."""
    while folder and folder not in known:
        folder = folder.rpartition("/")[0]
    return known.get(folder, "")


def tests(
    drafts: Sequence[Draft],
    paths: Sequence[str],
    imports: Mapping[tuple[str, str], float],
    place: Mapping[str, str],
) -> dict[str, tuple[str, ...]]:
    """Return the tests of each module, most confident first: they import it, share a name with it or are inside it.

    Helper files among the tests, such as a conftest, come last.
    """
    module_by_folder = {
        draft.folder: draft.name for draft in sorted(drafts, key=lambda draft: len(draft.files)) if draft.folder
    }
    stems = _stems(drafts)
    imported = _imported(drafts, frozenset(paths), imports)
    display_names = shown_names(drafts)
    scored_tests: dict[str, list[tuple[float, str]]] = defaultdict(list)
    for path in paths:
        scores: dict[str, float] = defaultdict(float, imported.get(path, {}))
        for name, weight in _named_after(path, stems).items():
            scores[name] += weight
        if containing_module := home(path.rpartition("/")[0], module_by_folder):
            scores[containing_module] += LIES_IN_IT
        if path in place:
            scores = {display_names.get(place[path].casefold(), place[path]): LIES_IN_IT}
        for name, score in scores.items():
            if score >= TESTS_IT_MIN:
                scored_tests[name].append((score, path))
    return {name: _surest(rows) for name, rows in scored_tests.items()}


def _surest(rows: list[tuple[float, str]]) -> tuple[str, ...]:
    ordered = sorted((not is_runnable_test(path), -score, path) for score, path in rows)
    return tuple(path for *_, path in ordered[:TESTS_MAX])


def _stems(drafts: Sequence[Draft]) -> dict[str, dict[str, float]]:
    """Return names that a test may have and the modules that they point to; ambiguous names count less."""
    owners: dict[str, set[str]] = defaultdict(set)
    for draft in drafts:
        for path in draft.files:
            if language_of(path):
                owners[_stem(path)].add(draft.name)
    weights = {stem: dict.fromkeys(names, CARRIES_A_FILES_NAME / len(names)) for stem, names in owners.items()}
    for draft in drafts:
        module_weights = weights.setdefault(draft.name.rpartition("/")[2].casefold(), {})
        module_weights[draft.name] = max(module_weights.get(draft.name, 0.0), CARRIES_ITS_NAME)
    return weights


def _stem(path: str) -> str:
    return path.rpartition("/")[2].partition(".")[0].strip("_").casefold()


def _named_after(path: str, stems: Mapping[str, Mapping[str, float]]) -> dict[str, float]:
    """Return the modules that the name of a test, or of a folder above it, points to."""
    *folders, _ = path.split("/")
    names = [
        (tested_stem(path) or _stem(path)).casefold(),
        *(_TEST_WORD.sub("", folder).casefold() for folder in folders),
    ]
    weights: dict[str, float] = defaultdict(float)
    for name in filter(None, dict.fromkeys(names)):
        for module, weight in stems.get(name, {}).items():
            weights[module] = max(weights[module], weight)
    return weights


def _imported(
    drafts: Sequence[Draft], tests: frozenset[str], imports: Mapping[tuple[str, str], float]
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
        test: {name: IMPORTS_IT * weight / total for name, weight in modules.items()}
        for test, modules in summed.items()
        if (total := sum(modules.values()))
    }
