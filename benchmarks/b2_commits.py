"""B2: from a commit's message to its files, and from one of its files to the others, as the project was before it.

python -m benchmarks --only b2_commits --data DIR --repos DIR
"""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks import baselines, checkout, predictor
from benchmarks.baselines import Contents, History, fuse_ranks, is_source, rank_keys
from benchmarks.checkout import Checkout, checkout_of, git
from benchmarks.scoring import SEED, Estimate, estimate, recall_at

if TYPE_CHECKING:
    from benchmarks.predictor import Predictor

REPOSITORIES = ("flask", "hono")
LEARNED_SHARE = 0.8
TASK_A_LIMIT, TASK_B_LIMIT = 10, 5
ASKED = 50
TASKS = {
    "message": "Message to files, R@10",
    "file": "One file to the others, R@5",
    "file and message": "One file and the message to the others, R@5",
}
HOW = [
    "Commits without merges that touch 1 to 10 source files, in time order. The first 80 % of the time are only "
    "learned; each later commit is predicted from its parent (contents and history), then learned.",
    "Source files are files of code, tests included; prose, data and configuration are neither asked for nor counted.",
    "Wanted are the commit's source files that exist in its parent: a file that is not there yet cannot be found. "
    "Commits without any are left out, and from one file to the others those with fewer than two.",
    "From one file to the others: each wanted file is the question once; the commit counts with the mean.",
    "The checkout has no branch, tag or remote: nobody can see later commits. The baselines learn from ancestors only, "
    "follow renames, and split and stem identifiers (BM25: k1 1.2, b 0.75, path included; kNN: 50 commits, squared "
    "BM25 scores; co-change: weighted by the commit's size; RRF: k 20).",
    "Intervals are the middle 95 % of 2,000 bootstrap means over the commits.",
]

Scores = dict[str, dict[str, float]]
"""Task, then system, then the score of one commit."""


@dataclass(frozen=True, slots=True)
class Case:
    """One commit to predict: the commit before it, and the files that were wanted."""

    commit: str
    parent: str
    at: float
    message: str
    wanted: tuple[str, ...]


def run(
    data: Path,
    repos: Path,
    systems: Sequence[Predictor] | None = None,
    *,
    sample: int = 1,
    names: Sequence[str] = REPOSITORIES,
) -> dict[str, Any]:
    """Every figure, by repository; of every n-th commit."""
    under_test = predictor.predictors() if systems is None else systems
    figures, rows = {}, defaultdict[str, list[list[Any]]](list)
    for name in names:
        listed = data / f"cochange_{name}.jsonl"
        cases = cases_of(repos / name, [json.loads(line) for line in listed.read_text().splitlines()])
        scored = replay(repos / name, cases[::sample], under_test)
        figures[name] = {task: _estimates(scored, task) for task in TASKS}
        for task, systems_of in figures[name].items():
            rows[task] += [[name, system, str(recall), recall.cases] for system, recall in systems_of.items()]
    columns = ["repository", "system", "mean (95 % interval)", "commits"]
    return {
        "title": "B2: commits",
        "question": "Which files does a change need, told its message, or one of them?",
        "how": HOW,
        "seed": SEED,
        "targets": [],
        "tables": [{"title": TASKS[task], "columns": columns, "rows": rows[task]} for task in TASKS],
        "figures": json.loads(
            json.dumps(figures, default=lambda measure: [measure.mean, measure.low, measure.high, measure.cases])
        ),
    }


def cases_of(repository: Path, commits: Sequence[dict[str, Any]], *, newest: int | None = None) -> list[Case]:
    """The commits to predict: those after the learned share whose files were, at least in part, there before.

    `newest`, if given, is how many of them, counted from the end.
    """
    counted = [commit for commit in commits if 1 <= sum(map(is_source, commit["files"])) <= baselines.COMMIT_FILES_MAX]
    first, last = counted[0]["t"], counted[-1]["t"]
    later = [commit for commit in counted if commit["t"] > first + LEARNED_SHARE * (last - first)]
    cases: list[Case] = []
    for commit in reversed(later):
        if len(cases) == newest:
            break
        before = set(git(repository, "ls-tree", "-r", "-z", "--name-only", f"{commit['h']}^").split("\0"))
        wanted = tuple(sorted(path for path in commit["files"] if is_source(path) and path in before))
        if wanted:
            parent = git(repository, "rev-parse", f"{commit['h']}^").strip()
            cases.append(Case(commit["h"], parent, commit["t"], f"{commit['s']}\n\n{commit['b']}".strip(), wanted))
    return cases[::-1]


def replay(repository: Path, cases: Sequence[Case], systems: Sequence[Predictor]) -> list[Scores]:
    """The scores of every case: the baselines' are cached until something changes, the systems' are measured."""
    with checkout_of(repository, checkout.cache_folder() / f"b2_{repository.name}") as place:
        baseline_scores = _cached_baselines(place, cases)
        scored = [{task: dict(baseline_scores[case.commit].get(task, {})) for task in TASKS} for case in cases]
        for system in systems:
            for at, case in enumerate(cases):
                place.move(case.parent)
                (system.advance if at else system.open)(place.root)
                for task, score in _ask(system, case).items():
                    scored[at][task][system.name] = score
        return scored


def _ask(system: Predictor, case: Case) -> dict[str, float]:
    """One system on one commit, by task."""

    def found(task: str, *given_paths: str) -> list[str]:
        answer = system.files(task, given_paths, ASKED, case.at)
        return [path for path in answer if is_source(path) and path not in given_paths]

    scores = {"message": recall_at(TASK_A_LIMIT, found(case.message), case.wanted)}
    if len(case.wanted) > 1:
        for task, message in (("file", ""), ("file and message", case.message)):
            scores[task] = _mean_over_files(case, {path: found(message, path) for path in case.wanted})
    return scores


def _mean_over_files(case: Case, answers: dict[str, list[str]]) -> float:
    recalls = [
        recall_at(TASK_B_LIMIT, ranked_paths, set(case.wanted) - {path}) for path, ranked_paths in answers.items()
    ]
    return sum(recalls) / len(recalls)


def _cached_baselines(place: Checkout, cases: Sequence[Case]) -> dict[str, Scores]:
    """The baselines' scores by commit; they depend on nothing but the history and the code that computes them."""
    code = b"".join(Path(str(source_file)).read_bytes() for source_file in (__file__, baselines.__file__))
    file = checkout.cache_folder() / f"{place.root.name}_{hashlib.sha256(code).hexdigest()[:16]}.json"
    cached_scores: dict[str, Scores] = json.loads(file.read_text()) if file.exists() else {}
    contents, history = Contents(), History()
    for case in cases:
        if case.commit not in cached_scores:
            place.move(case.parent)
            contents.follow(place.root)
            history.follow(place.root)
            cached_scores[case.commit] = _baselines(case, contents, history)
    file.write_text(json.dumps(cached_scores))
    return cached_scores


def _baselines(case: Case, contents: Contents, history: History) -> Scores:
    """Every baseline on one commit."""
    by_content = rank_keys(contents.index.scores(case.message))
    by_commits = rank_keys(history.similar(case.message, contents.blobs))
    lists = {
        "BM25 over contents": by_content,
        "kNN over commits": by_commits,
        "RRF of both": fuse_ranks(by_content, by_commits),
    }
    scores: Scores = {
        "message": {name: recall_at(TASK_A_LIMIT, ranked_paths, case.wanted) for name, ranked_paths in lists.items()}
    }
    if len(case.wanted) > 1:
        moved = {path: rank_keys(history.together(path, contents.blobs)) for path in case.wanted}
        with_message = {
            path: [other_path for other_path in fuse_ranks(with_it, by_content, by_commits) if other_path != path]
            for path, with_it in moved.items()
        }
        scores["file"] = {"co-change": _mean_over_files(case, moved)}
        scores["file and message"] = {
            "co-change": scores["file"]["co-change"],
            "RRF with the message": _mean_over_files(case, with_message),
        }
    return scores


def _estimates(scored: Sequence[Scores], task: str) -> dict[str, Estimate]:
    systems = dict.fromkeys(system for scores in scored for system in scores[task])
    return {
        system: estimate([scores[task][system] for scores in scored if system in scores[task]]) for system in systems
    }
