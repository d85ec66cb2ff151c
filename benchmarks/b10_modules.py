"""B10: do the modules of a codebase agree with how its people divide it?

python -m benchmarks --only b10_modules --repos DIR
"""

from __future__ import annotations

import math
import tempfile
from collections import Counter, defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import holloway
from benchmarks import checkout
from benchmarks.divisions import DIVISIONS
from holloway.codemap.manifests import FOLDER_MANIFESTS
from holloway.codemap.modules.module_names import base_folder
from holloway.codemap.modules.partition import find_package, size_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

OURS, TOP_FOLDER, PACKAGE_OR_FOLDER = "modules", "top folder", "package, else folder below the base"
LEAD = 0.10
REPOSITORIES_MIN = 6
QUICK_REPOSITORIES = 2
Labels = dict[str, str]


def run(repos: Path, *, quick: bool = False) -> dict[str, Any]:
    """Map every repository, and compare each way to divide it with that of its people."""
    rows = {}
    for name in list(DIVISIONS)[: QUICK_REPOSITORIES if quick else None]:
        with checkout.checkout_of(repos / name, checkout.cache_folder() / f"b10_{name}") as tree:
            tree.move(checkout.git(repos / name, "rev-parse", "HEAD").strip())
            rows[name] = measure_repository(name, tree.root)
    return _build_result(rows)


def measure_repository(name: str, root: Path) -> dict[str, tuple[float, float, int]]:
    """Return agreement and homogeneity of each division of a repository's source files, and its number of parts."""
    with tempfile.TemporaryDirectory() as home, holloway.open(root, home=Path(home)) as memory:
        memory.map.update()
        modules = {path: module.name for module in memory.map.modules() for path in module.files}
        rows = memory.map.database.fetch_rows("SELECT path, lines FROM files WHERE role = 'source' ORDER BY path")
        paths = [row[0] for row in memory.map.database.fetch_rows("SELECT path FROM files")]
    gold = DIVISIONS[name].label(root, [path for path, _ in rows])
    files = [path for path, _ in rows if gold.get(path)]
    sizes = {path: size_of(lines) for path, lines in rows}
    packages = frozenset(path.rpartition("/")[0] for path in paths if path.rpartition("/")[2] in FOLDER_MANIFESTS)
    divisions = {
        OURS: {path: modules.get(path, "") for path in files},
        TOP_FOLDER: {path: path.partition("/")[0] if "/" in path else "" for path in files},
        PACKAGE_OR_FOLDER: divide_by_package(files, packages - {""}, base_folder(sizes)),
    }
    truth = [gold[path] for path in files]
    return {
        method: (
            adjusted_rand(truth, [labels[path] for path in files]),
            homogeneity(truth, [labels[path] for path in files]),
            len(set(labels.values())),
        )
        for method, labels in divisions.items()
    } | {"people": (1.0, 1.0, len(set(truth))), "files": (0.0, 0.0, len(files))}


def divide_by_package(files: Sequence[str], packages: frozenset[str], base: str) -> Labels:
    """Divide files by the package that contains them; without one, by the first folder below the base folder."""
    labels = {}
    for path in files:
        folder = path.rpartition("/")[0]
        inner = path.removeprefix(f"{base}/") if base and path.startswith(f"{base}/") else path
        labels[path] = find_package(folder, packages) or (inner.partition("/")[0] if "/" in inner else "")
    return labels


def adjusted_rand(truth: Sequence[str], labels: Sequence[str]) -> float:
    """Return the adjusted Rand index of two divisions: 1 if they are the same, 0 if they agree by chance."""
    both = Counter(zip(truth, labels, strict=True))
    pairs = sum(math.comb(count, 2) for count in both.values())
    in_truth = sum(math.comb(count, 2) for count in Counter(truth).values())
    in_labels = sum(math.comb(count, 2) for count in Counter(labels).values())
    expected = in_truth * in_labels / max(math.comb(len(truth), 2), 1)
    highest = (in_truth + in_labels) / 2
    return 1.0 if highest == expected else (pairs - expected) / (highest - expected)


def homogeneity(truth: Sequence[str], labels: Sequence[str]) -> float:
    """Return how far each part holds files of one true part only, from 0 to 1."""
    total = _entropy(Counter(truth).values(), len(truth))
    members: dict[str, list[str]] = defaultdict(list)
    for true_label, label in zip(truth, labels, strict=True):
        members[label].append(true_label)
    rest = sum(len(part) / len(truth) * _entropy(Counter(part).values(), len(part)) for part in members.values())
    return 1.0 - rest / total if total else 1.0


def _entropy(counts: Iterable[int], total: int) -> float:
    return -math.fsum(count / total * math.log(count / total) for count in counts)


def _build_result(rows: Mapping[str, Mapping[str, tuple[float, float, int]]]) -> dict[str, Any]:
    return {"rows": rows}
