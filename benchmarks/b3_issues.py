"""B3: from the text of an issue to the file that its fix edits, in the project as it was before the fix.

python -m benchmarks.b3_issues --data DIR --repos DIR [--sample N] [--only REPO] [--json OUT]
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks import baselines, checkout, predictor
from benchmarks.baselines import Contents, estimate, is_source, is_test, ranked
from benchmarks.checkout import Checkout, checkout_of, git

if TYPE_CHECKING:
    from benchmarks.predictor import Predictor

REPOSITORIES = {"django": "django/django", "flask": "pallets/flask", "requests": "psf/requests"}
LIMITS = (1, 5, 10)
ASKED = 100
NAMED_BONUS = 0.1
"""Share of the best score that a file gains when its name is mentioned; a module counts twice, a path three times."""
SEED = baselines.SEED
ALL = "all"
HOW = [
    "The dev instances of SWE-bench Lite. The question is the issue's statement, the project that of the base commit "
    "with its history and nothing later; wanted is the file that the fix edits (each fix edits one). Acc@k is the "
    "share of issues with that file among the first k.",
    "Tests and what is no source file are taken out of every list before it is cut.",
    "The baseline is BM25 over contents and paths of the sources that are no tests, with a bonus for files that the "
    "statement names by path, module or name.",
    "Intervals are the middle 95 % of 2,000 bootstrap means over the issues.",
]
_PATH = re.compile(r"[\w./\\-]{1,300}\.\w{1,10}")
_DOTTED = re.compile(r"[A-Za-z_]\w{0,80}(?:\.[A-Za-z_]\w{0,80}){1,12}")

Places = dict[str, int]
"""System, then the place of the wanted file in its list; the list's length where it is not there."""


@dataclass(frozen=True, slots=True)
class Case:
    """One issue: the commit that it was fixed upon and the file that the fix edits."""

    name: str
    repository: str
    commit: str
    at: float
    statement: str
    wanted: frozenset[str]


def main() -> None:
    """Measure and print; write JSON if asked to."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder with the data sets")
    parser.add_argument("--repos", type=Path, help="folder with clones of django, flask and requests")
    parser.add_argument("--sample", type=int, default=1, help="every n-th issue only")
    parser.add_argument("--only", choices=tuple(REPOSITORIES), help="one repository")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    names = [options.only] if options.only else list(REPOSITORIES)
    result = run(options.data, options.repos, sample=options.sample, names=names)
    for row in result["tables"][0]["rows"]:
        print("  ".join(str(cell) for cell in row))
    if options.json:
        options.json.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


def run(
    data: Path,
    repos: Path | None,
    systems: Sequence[Predictor] | None = None,
    *,
    sample: int = 1,
    names: Sequence[str] = tuple(REPOSITORIES),
) -> dict[str, Any]:
    """Every figure, by repository and over all issues."""
    folder = checkout.need(repos, {name: REPOSITORIES[name] for name in names})
    under_test = predictor.predictors() if systems is None else systems
    instances = json.loads((data / "swe_bench_lite_dev.json").read_text(encoding="utf-8"))
    places: dict[str, list[Places]] = {}
    for name in names:
        chosen = [one for one in instances if one["repo"] == REPOSITORIES[name]]
        places[name] = replay(folder / name, cases_of(folder / name, chosen)[::sample], under_test)
    places[ALL] = [one for group in places.values() for one in group]
    figures = {name: _accuracies(group) for name, group in places.items() if group}
    rows = [
        [name, system, *map(str, accuracies), accuracies[0].cases]
        for name, systems_of in figures.items()
        for system, accuracies in systems_of.items()
    ]
    columns = ["repository", "system", *(f"Acc@{limit} (95 % interval)" for limit in LIMITS), "issues"]
    return {
        "title": "B3: issues",
        "question": "Which file has to be edited, told the issue?",
        "how": HOW,
        "seed": SEED,
        "targets": [],
        "tables": [{"title": "Issue to file", "columns": columns, "rows": rows}],
        "figures": json.loads(json.dumps(figures, default=lambda one: [one.mean, one.low, one.high, one.cases])),
    }


def cases_of(repository: Path, instances: Iterable[dict[str, str]]) -> list[Case]:
    """The issues of one repository, the oldest base commit first, so that the checkout moves little."""
    cases = [
        Case(
            one["instance_id"],
            one["repo"],
            one["base_commit"],
            float(git(repository, "log", "-1", "--format=%ct", one["base_commit"])),
            one["problem_statement"],
            frozenset(re.findall(r"^--- a/(\S+)", one["patch"], re.MULTILINE)),
        )
        for one in instances
    ]
    return sorted(cases, key=lambda case: (case.at, case.name))


def replay(repository: Path, cases: Sequence[Case], systems: Sequence[Predictor]) -> list[Places]:
    """Where every system has the wanted file: the baseline's from the last run where nothing changed."""
    with checkout_of(repository, checkout.cache_folder() / f"b3_{repository.name}") as place:
        known = _cached_baselines(place, cases)
        places = [dict(known[case.name]) for case in cases]
        for system in systems:
            for at, case in enumerate(cases):
                place.move(case.commit)
                (system.advance if at else system.open)(place.root)
                answer = system.files(case.statement, (), ASKED, case.at)
                places[at][system.name] = _place(
                    [path for path in answer if is_source(path) and not is_test(path)], case
                )
        return places


def _place(found: Sequence[str], case: Case) -> int:
    return next((at for at, path in enumerate(found) if path in case.wanted), max(len(found), ASKED))


def _cached_baselines(place: Checkout, cases: Sequence[Case]) -> dict[str, Places]:
    code = b"".join(Path(str(one)).read_bytes() for one in (__file__, baselines.__file__))
    file = checkout.cache_folder() / f"{place.root.name}_{hashlib.sha256(code).hexdigest()[:16]}.json"
    known: dict[str, Places] = json.loads(file.read_text()) if file.exists() else {}
    contents = Contents(wanted=lambda path: not is_test(path))
    for case in cases:
        if case.name not in known:
            place.move(case.commit)
            contents.follow(place.root)
            scores = contents.index.scores(case.statement)
            best = max(scores.values(), default=1.0)
            mentioned = named(case.statement, contents.blobs)
            boosted = {path: score + NAMED_BONUS * best * mentioned[path] for path, score in scores.items()}
            lists = {"BM25 over contents": scores, "BM25 with named paths": boosted}
            known[case.name] = {name: _place(ranked(one), case) for name, one in lists.items()}
    file.write_text(json.dumps(known))
    return known


def named(statement: str, paths: Iterable[str]) -> defaultdict[str, int]:
    """How clearly a text names files: by path (3), as a module or something in one (2), by the mere name (1)."""
    mentioned = {match.replace("\\", "/") for match in _PATH.findall(statement)}
    folders = {one.lstrip("./") for one in mentioned if "/" in one}
    names = {one.rsplit("/", 1)[-1] for one in mentioned} - {"__init__.py"}
    dotted = {".".join(one.split(".")[:depth]) for one in _DOTTED.findall(statement) for depth in range(2, 14)}
    found: defaultdict[str, int] = defaultdict(int)
    for path in paths:
        module = path.removesuffix(".py").removesuffix("/__init__").removeprefix("src/").replace("/", ".")
        if any(path == one or path.endswith("/" + one) or one.endswith("/" + path) for one in folders):
            found[path] = 3
        elif "." in module and module in dotted:
            found[path] = 2
        elif path.rsplit("/", 1)[-1] in names:
            found[path] = 1
    return found


def _accuracies(places: Sequence[Places]) -> dict[str, list[baselines.Estimate]]:
    systems = dict.fromkeys(system for one in places for system in one)
    return {
        system: [estimate([float(one[system] < limit) for one in places]) for limit in LIMITS] for system in systems
    }


if __name__ == "__main__":
    main()
