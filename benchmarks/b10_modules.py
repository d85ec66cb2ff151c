"""B10: do the modules of a codebase agree with how its people divide it?

python -m benchmarks --only b10_modules --repos DIR
"""

from __future__ import annotations

import math
import tempfile
from collections import Counter, defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import holloway
from benchmarks import checkout
from benchmarks.divisions import DIVISIONS, Owners
from benchmarks.targets import target

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

OURS, TOP_FOLDER = METHODS = ("modules", "top folder")
LEAD = 0.10
BETTER_MIN = 6
QUICK_REPOSITORIES = 2
HOW = [
    "People's own division of the source files: the packages that a workspace declares, or the owners in CODEOWNERS. "
    "Files that these say nothing about, or that only a rule for everything matches, are left out, and so are tests.",
    "Agreement is the adjusted Rand index: 1 if two divisions are the same, 0 if they agree by chance. Homogeneity is "
    "1 if each part holds files of one of the people's parts only; many small parts have it for nothing.",
    "A package of a workspace has a manifest, and a folder with a manifest is a module: there both agree by design.",
]


class Agreement(NamedTuple):
    """How far a division agrees with that of people, and its number of parts."""

    rand: float
    homogeneity: float
    parts: int


class Measured(NamedTuple):
    """A repository: its divided files, the parts that people made of them, and how far each method agrees."""

    files: int
    parts: int
    agreements: dict[str, Agreement]


def run(repos: Path, *, quick: bool = False) -> dict[str, Any]:
    """Map every repository, and compare each way to divide it with that of its people."""
    rows = {}
    for name in list(DIVISIONS)[: QUICK_REPOSITORIES if quick else None]:
        with checkout.checkout_of(repos / name, checkout.cache_folder() / f"b10_{name}") as tree:
            tree.move(checkout.git(repos / name, "rev-parse", "HEAD").strip())
            rows[name] = measure_repository(name, tree.root)
    return _build_result(rows)


def measure_repository(name: str, root: Path) -> Measured:
    """Compare each division of a repository's source files with that of its people."""
    with tempfile.TemporaryDirectory() as home, holloway.open(root, home=Path(home)) as memory:
        memory.map.update()
        modules = {path: module.name for module in memory.map.modules() for path in module.files}
        rows = memory.map.database.fetch_rows("SELECT path FROM files WHERE role = 'source' ORDER BY path")
    gold = DIVISIONS[name].label(root, [row[0] for row in rows])
    divisions = {
        OURS: [modules.get(path, "") for path in gold],
        TOP_FOLDER: [path.partition("/")[0] if "/" in path else "" for path in gold],
    }
    truth = list(gold.values())
    agreements = {
        method: Agreement(adjusted_rand(truth, labels), homogeneity(truth, labels), len(set(labels)))
        for method, labels in divisions.items()
    }
    return Measured(len(truth), len(set(truth)), agreements)


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
    remaining = sum(len(part) / len(truth) * _entropy(Counter(part).values(), len(part)) for part in members.values())
    return 1.0 - remaining / total if total else 1.0


def _entropy(counts: Iterable[int], total: int) -> float:
    return -math.fsum(count / total * math.log(count / total) for count in counts)


def _build_result(measured: Mapping[str, Measured]) -> dict[str, Any]:
    rows = [
        [
            name,
            kind_of(name),
            repository.files,
            repository.parts,
            *(figure for method in METHODS for figure in repository.agreements[method]),
        ]
        for name, repository in measured.items()
    ]
    leads = [
        repository.agreements[OURS].rand - repository.agreements[TOP_FOLDER].rand for repository in measured.values()
    ]
    figures = ("agreement", "homogeneity", "parts")
    return {
        "title": "B10: modules",
        "question": "Do the modules of a codebase agree with how its people divide it?",
        "how": HOW,
        "targets": [
            target(
                f"repositories where modules are not {LEAD:.2f} ahead of one module per top folder",
                sum(lead < LEAD for lead in leads),
                max(len(leads) - BETTER_MIN, 0),
                f"of {len(leads)}",
            )
        ],
        "tables": [
            {
                "title": "Agreement with people's own division",
                "columns": [
                    *("repository", "divided by", "files", "parts of the people"),
                    *(f"{method}: {figure}" for method in METHODS for figure in figures),
                ],
                "rows": rows,
            }
        ],
    }


def kind_of(name: str) -> str:
    """Return what a repository's people divide it by."""
    return "owners" if isinstance(DIVISIONS[name], Owners) else "packages"
