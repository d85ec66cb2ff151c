"""B3: from the text of an issue to the file that its fix edits, in the project as it was before the fix.

python -m benchmarks --only b3_issues --data DIR --repos DIR
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks import baselines, checkout, predictor
from benchmarks.baselines import Contents, is_source, is_test, rank_keys
from benchmarks.checkout import Checkout, checkout_of, git
from benchmarks.repositories import TABLE
from benchmarks.scoring import SEED, Estimate, estimate

if TYPE_CHECKING:
    from benchmarks.predictor import Predictor

REPOSITORIES = ("django", "flask", "requests")
DJANGO_BELOW = 13_000
"""Of django's issues, those before this number; there are more than twice as many."""
LIMITS = (1, 5, 10)
ASKED = 100
NAMED_BONUS = 0.1
"""Share of the best score that a file gains when its name is mentioned; a module counts twice, a path three times."""
ALL = "all"
HOW = [
    f"SWE-bench Lite: the issues of flask and requests, and those of django numbered below {DJANGO_BELOW:,}. The "
    "question is the issue's statement, the project that of the base commit with its history and nothing later; "
    "wanted is the file that the fix edits (each fix edits one). Acc@k is the share of issues with that file among "
    "the first k.",
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


def run(
    data: Path,
    repos: Path,
    systems: Sequence[Predictor] | None = None,
    *,
    names: Sequence[str] = REPOSITORIES,
) -> dict[str, Any]:
    """Every figure, by repository and over all issues."""
    under_test = predictor.predictors() if systems is None else systems
    instances = json.loads((data / "swe_bench_lite_dev.json").read_text(encoding="utf-8"))
    places: dict[str, list[Places]] = {}
    for name in names:
        chosen = [instance for instance in instances if instance["repo"] == TABLE[name].place and is_asked(instance)]
        places[name] = replay(repos / name, cases_of(repos / name, chosen), under_test)
    places[ALL] = [case_places for group in places.values() for case_places in group]
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
        "figures": json.loads(
            json.dumps(figures, default=lambda measure: [measure.mean, measure.low, measure.high, measure.cases])
        ),
    }


def is_asked(instance: dict[str, str]) -> bool:
    """Whether an instance of SWE-bench Lite is one of those that are measured here."""
    repository, _, number = instance["instance_id"].rpartition("-")
    return repository != "django__django" or int(number) < DJANGO_BELOW


def cases_of(repository: Path, instances: Iterable[dict[str, str]]) -> list[Case]:
    """The issues of one repository, the oldest base commit first, so that the checkout moves little."""
    cases = [
        Case(
            instance["instance_id"],
            instance["repo"],
            instance["base_commit"],
            float(git(repository, "log", "-1", "--format=%ct", instance["base_commit"])),
            instance["problem_statement"],
            frozenset(re.findall(r"^--- a/(\S+)", instance["patch"], re.MULTILINE)),
        )
        for instance in instances
    ]
    return sorted(cases, key=lambda case: (case.at, case.name))


def replay(repository: Path, cases: Sequence[Case], systems: Sequence[Predictor]) -> list[Places]:
    """Return the rank of the wanted file for every system; the baselines' are cached until something changes."""
    with checkout_of(repository, checkout.cache_folder() / f"b3_{repository.name}") as place:
        baseline_places = _cached_baselines(place, cases)
        places = [dict(baseline_places[case.name]) for case in cases]
        for system in systems:
            for at, case in enumerate(cases):
                place.move(case.commit)
                (system.advance if at else system.open)(place.root)
                answer = system.files(case.statement, (), ASKED, case.at)
                places[at][system.name] = _place(
                    [path for path in answer if is_source(path) and not is_test(path)], case
                )
        return places


def _place(ranked_paths: Sequence[str], case: Case) -> int:
    return next((at for at, path in enumerate(ranked_paths) if path in case.wanted), max(len(ranked_paths), ASKED))


def _cached_baselines(place: Checkout, cases: Sequence[Case]) -> dict[str, Places]:
    code = b"".join(Path(str(source_file)).read_bytes() for source_file in (__file__, baselines.__file__))
    file = checkout.cache_folder() / f"{place.root.name}_{hashlib.sha256(code).hexdigest()[:16]}.json"
    cached_places: dict[str, Places] = json.loads(file.read_text()) if file.exists() else {}
    contents = Contents(wanted=lambda path: not is_test(path))
    for case in cases:
        if case.name not in cached_places:
            place.move(case.commit)
            contents.follow(place.root)
            scores = contents.index.scores(case.statement)
            best = max(scores.values(), default=1.0)
            mentioned = score_mentions(case.statement, contents.blobs)
            boosted = {path: score + NAMED_BONUS * best * mentioned[path] for path, score in scores.items()}
            lists = {"BM25 over contents": scores, "BM25 with named paths": boosted}
            cached_places[case.name] = {name: _place(rank_keys(scores), case) for name, scores in lists.items()}
    file.write_text(json.dumps(cached_places))
    return cached_places


def score_mentions(statement: str, paths: Iterable[str]) -> defaultdict[str, int]:
    """How clearly a text names files: by path (3), as a module or something in one (2), by the mere name (1)."""
    mentioned = {match.replace("\\", "/") for match in _PATH.findall(statement)}
    folders = {mention.lstrip("./") for mention in mentioned if "/" in mention}
    names = {mention.rsplit("/", 1)[-1] for mention in mentioned} - {"__init__.py"}
    dotted = {
        ".".join(dotted_name.split(".")[:depth]) for dotted_name in _DOTTED.findall(statement) for depth in range(2, 14)
    }
    ranks: defaultdict[str, int] = defaultdict(int)
    for path in paths:
        module = path.removesuffix(".py").removesuffix("/__init__").removeprefix("src/").replace("/", ".")
        if any(path == folder or path.endswith("/" + folder) or folder.endswith("/" + path) for folder in folders):
            ranks[path] = 3
        elif "." in module and module in dotted:
            ranks[path] = 2
        elif path.rsplit("/", 1)[-1] in names:
            ranks[path] = 1
    return ranks


def _accuracies(places: Sequence[Places]) -> dict[str, list[Estimate]]:
    systems = dict.fromkeys(system for case_places in places for system in case_places)
    return {
        system: [estimate([float(case_places[system] < limit) for case_places in places]) for limit in LIMITS]
        for system in systems
    }
