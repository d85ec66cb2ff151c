"""What is said of a module: its central files, where it is entered, its tests, and what it is tied to."""

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
"""What speaks for a test being a module's, and how much there must be of it."""

_TEST_WORD = re.compile(r"^tests?[-_]|[-_]?tests?$")


def standing(
    code: Sequence[SourceFile],
    imports: Mapping[tuple[str, str], float],
    together: Mapping[tuple[str, str], float],
) -> dict[str, float]:
    """How much a file stands out: how many import it, how large it is, how often it changes with others."""
    paths = [file.path for file in code]
    known = frozenset(paths)
    built_on: dict[str, float] = defaultdict(float)
    for (one, other), weight in imports.items():
        if one in known and one != other:
            built_on[other] += min(weight, 1.0)
    active: dict[str, float] = defaultdict(float)
    for (one, other), weight in together.items():
        active[one] += weight
        active[other] += weight
    size = {file.path: float(min(file.lines, LINES_COUNTED_MAX)) for file in code}
    weighed = ((BUILT_ON_WEIGHT, built_on), (SIZE_WEIGHT, size), (ACTIVITY_WEIGHT, active))
    found = dict.fromkeys(paths, 0.0)
    for weight, values in weighed:
        most = max((values.get(path, 0.0) for path in paths), default=0.0)
        for path in paths:
            found[path] += weight * math.sqrt(values.get(path, 0.0) / most) if most > 0 else 0.0
    return found


def entries(files: Sequence[str], known: Mapping[str, str]) -> tuple[str, ...]:
    """The files of a module that are started or imported from outside."""
    return tuple(path for path in files if path in known)[:ENTRIES_MAX]


def packages(files: Sequence[str], used: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    """The external packages that a module uses, those that most of its files use first."""
    counted = Counter(package for path in files for package in set(used.get(path, ())))
    return tuple(sorted(counted, key=lambda package: (-counted[package], package))[:PACKAGES_MAX])


def ties(
    drafts: Sequence[Draft], weights: Mapping[tuple[str, str], float], *, both_ways: bool = False
) -> dict[str, tuple[tuple[str, float], ...]]:
    """What each module is tied to, most first, by the weights between their files."""
    module_of = {path: draft.name for draft in drafts for path in draft.files}
    summed: dict[str, dict[str, float]] = defaultdict(lambda: defaultdict(float))
    for (one, other), weight in weights.items():
        here, there = module_of.get(one), module_of.get(other)
        if here and there and here != there and weight > 0:
            summed[here][there] += weight
            if both_ways:
                summed[there][here] += weight
    return {
        name: tuple(sorted(((other, round(weight, 3)) for other, weight in tied.items()), key=_most_first)[:TIES_MAX])
        for name, tied in summed.items()
    }


def _most_first(tie: tuple[str, float]) -> tuple[float, str]:
    return -tie[1], tie[0]


def homes(drafts: Sequence[Draft]) -> dict[str, str]:
    """The key of the module that a folder is, or that is the largest below it."""
    best: dict[str, tuple[bool, int, str]] = {}
    for draft in drafts:
        folder = draft.folder
        while folder:
            mine = (folder == draft.folder, len(draft.files), draft.key)
            best[folder] = max(best.get(folder, mine), mine)
            folder = folder.rpartition("/")[0]
    return {folder: key for folder, (_, _, key) in best.items()}


def home(folder: str, known: Mapping[str, str]) -> str:
    """The module that a folder lies in or closest to; empty where there is none."""
    while folder and folder not in known:
        folder = folder.rpartition("/")[0]
    return known.get(folder, "")


def tests(
    drafts: Sequence[Draft],
    paths: Sequence[str],
    imports: Mapping[tuple[str, str], float],
    place: Mapping[str, str],
) -> dict[str, tuple[str, ...]]:
    """The tests of each module, the surest first: those that import it, carry a name of it or lie in it.

    What lies beside tests and is none, such as a conftest, comes last.
    """
    lying = {draft.folder: draft.name for draft in sorted(drafts, key=lambda draft: len(draft.files)) if draft.folder}
    stems = _stems(drafts)
    imported = _imported(drafts, frozenset(paths), imports)
    shown = shown_names(drafts)
    found: dict[str, list[tuple[float, str]]] = defaultdict(list)
    for path in paths:
        scores: dict[str, float] = defaultdict(float, imported.get(path, {}))
        for name, weight in _named_after(path, stems).items():
            scores[name] += weight
        if inside := home(path.rpartition("/")[0], lying):
            scores[inside] += LIES_IN_IT
        if path in place:
            scores = {shown.get(place[path].casefold(), place[path]): LIES_IN_IT}
        for name, score in scores.items():
            if score >= TESTS_IT_MIN:
                found[name].append((score, path))
    return {name: _surest(rows) for name, rows in found.items()}


def _surest(rows: list[tuple[float, str]]) -> tuple[str, ...]:
    ordered = sorted((not is_runnable_test(path), -score, path) for score, path in rows)
    return tuple(path for *_, path in ordered[:TESTS_MAX])


def _stems(drafts: Sequence[Draft]) -> dict[str, dict[str, float]]:
    """Names that a test may carry, and the modules that they point to: the more of them, the less each."""
    owners: dict[str, set[str]] = defaultdict(set)
    for draft in drafts:
        for path in draft.files:
            if language_of(path):
                owners[_stem(path)].add(draft.name)
    found = {stem: dict.fromkeys(names, CARRIES_A_FILES_NAME / len(names)) for stem, names in owners.items()}
    for draft in drafts:
        own = found.setdefault(draft.name.rpartition("/")[2].casefold(), {})
        own[draft.name] = max(own.get(draft.name, 0.0), CARRIES_ITS_NAME)
    return found


def _stem(path: str) -> str:
    return path.rpartition("/")[2].partition(".")[0].strip("_").casefold()


def _named_after(path: str, stems: Mapping[str, Mapping[str, float]]) -> dict[str, float]:
    """The modules that the name of a test, or of a folder that it lies in, points to."""
    *folders, _ = path.split("/")
    names = [(tested_stem(path) or _stem(path)).casefold(), *(_TEST_WORD.sub("", each).casefold() for each in folders)]
    found: dict[str, float] = defaultdict(float)
    for name in filter(None, dict.fromkeys(names)):
        for module, weight in stems.get(name, {}).items():
            found[module] = max(found[module], weight)
    return found


def _imported(
    drafts: Sequence[Draft], tests: frozenset[str], imports: Mapping[tuple[str, str], float]
) -> dict[str, dict[str, float]]:
    """How much of what a test imports is each module's. What all tests import says little about any of them."""
    module_of = {path: draft.name for draft in drafts for path in draft.files}
    summed: dict[str, dict[str, float]] = defaultdict(lambda: defaultdict(float))
    for (one, other), weight in imports.items():
        if one in tests and other in module_of and weight > 0:
            summed[one][module_of[other]] += weight
    importers = Counter(name for modules in summed.values() for name in modules)
    for modules in summed.values():
        for name in modules:
            modules[name] *= math.log1p(len(summed) / importers[name])
    return {
        test: {name: IMPORTS_IT * weight / total for name, weight in modules.items()}
        for test, modules in summed.items()
        if (total := sum(modules.values()))
    }
