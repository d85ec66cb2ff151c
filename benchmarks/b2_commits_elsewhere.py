"""B2 on repositories that nothing of holloway was developed on: other languages, other habits, one table.

python -m benchmarks --only b2_commits_elsewhere --repos DIR
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from benchmarks import b2_commits, predictor, prepare
from benchmarks.b2_commits import TASKS, Scores
from benchmarks.repositories import TABLE
from benchmarks.scoring import SEED, compute_paired_chance

if TYPE_CHECKING:
    from benchmarks.predictor import Predictor


class Source(NamedTuple):
    """The facts about a repository."""

    language: str
    is_looked_into: bool
    """Whether its misses were read when a rule was fixed; the others only confirmed it."""


SOURCES = {
    "express": Source("JavaScript", is_looked_into=True),
    "gson": Source("Java", is_looked_into=True),
    "ripgrep": Source("Rust", is_looked_into=True),
    "serilog": Source("C#", is_looked_into=True),
    "sinatra": Source("Ruby", is_looked_into=True),
    "axum": Source("Rust", is_looked_into=False),
    "core": Source("TypeScript", is_looked_into=False),
    "fmt": Source("C++", is_looked_into=False),
    "gin": Source("Go", is_looked_into=False),
    "guzzle": Source("PHP", is_looked_into=False),
    "httpx": Source("Python", is_looked_into=False),
}
LAST = 25
"""Commits of each repository that are predicted, the newest before its tip."""
OURS = "holloway"
ALL = "mean of the repositories"
HOW = [
    f"As B2, on the last {LAST} commits before a fixed one of each repository. No weight was set on any of them. Of "
    "those marked as looked into, the misses were read when two rules were fixed (a word that up to half of the "
    "pieces have counts; links, ids, numbers of issues and signatures in a task are not words of it); the others "
    "were measured afterwards, to see whether that holds.",
    "p is how often chance alone would make holloway and the named baseline differ as much: the signs of the "
    "differences between the same commits flipped at random, 2,000 times.",
]


def run(
    repos: Path,
    systems: Sequence[Predictor] | None = None,
    *,
    last: int = LAST,
    names: Sequence[str] = (),
) -> dict[str, Any]:
    """Every figure, by repository and over all of them; without names, of all repositories."""
    under_test = predictor.predictors() if systems is None else systems
    tips = {name: TABLE[name].tip for name in names or SOURCES}
    return result_of({name: replay_last_commits(repos / name, tip, under_test, last) for name, tip in tips.items()})


def result_of(scored: Mapping[str, Sequence[Scores]]) -> dict[str, Any]:
    """Return the result that the page shows from the scores of each repository's commits."""
    measured_tasks = [
        task for task in TASKS if any(case_scores[task] for scores in scored.values() for case_scores in scores)
    ]
    return {
        "title": "B2: commits of other repositories",
        "question": "Does what was developed on a few repositories hold on others?",
        "how": HOW,
        "seed": SEED,
        "targets": [],
        "tables": [_table(scored, task) for task in measured_tasks],
        "figures": {name: {task: _means(scores, task) for task in TASKS} for name, scores in scored.items()},
    }


def replay_last_commits(repository: Path, tip: str, systems: Sequence[Predictor], last: int) -> list[Scores]:
    """The scores of a repository's last commits before one of them."""
    cases = b2_commits.cases_of(repository, prepare.commits_of(repository, tip), newest=last)
    return b2_commits.replay(repository, cases, systems)


def _means(scored: Sequence[Scores], task: str) -> dict[str, float]:
    task_scores = [scores[task] for scores in scored if scores[task]]
    return {
        system: sum(case_scores[system] for case_scores in task_scores) / len(task_scores)
        for system in (task_scores[0] if task_scores else ())
    }


def _table(scored: Mapping[str, Sequence[Scores]], task: str) -> dict[str, Any]:
    """A row for each repository, one for their mean: every system, and holloway against the best of the others."""
    means = {name: system_means for name, scores in scored.items() if (system_means := _means(scores, task))}
    systems = list(next(iter(means.values())))
    against = [system for system in systems if system != OURS][-1]
    rows: list[list[Any]] = []
    for name, system_means in means.items():
        task_scores = [scores[task] for scores in scored[name] if scores[task]]
        chance = compute_paired_chance(
            [case_scores[OURS] for case_scores in task_scores], [case_scores[against] for case_scores in task_scores]
        )
        about = [TABLE[name].place, SOURCES[name].language, "yes" if SOURCES[name].is_looked_into else "no"]
        rows.append([*about, *(f"{system_means[system]:.3f}" for system in systems), f"{chance:.3f}", len(task_scores)])
    pooled = [case_scores[task] for scores in scored.values() for case_scores in scores if case_scores[task]]
    chance = compute_paired_chance(
        [case_scores[OURS] for case_scores in pooled], [case_scores[against] for case_scores in pooled]
    )
    over_all = (
        f"{sum(system_means[system] for system_means in means.values()) / len(means):.3f}" for system in systems
    )
    rows.append([ALL, "", "", *over_all, f"{chance:.3f}", len(pooled)])
    columns = ["repository", "language", "looked into", *systems, f"p against {against}", "commits"]
    return {"title": TASKS[task], "columns": columns, "rows": rows}
