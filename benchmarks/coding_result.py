"""The tables of the coding memories: holloway against simple programs, and the gain of each stage."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from benchmarks.ablation import CONSTANTS, FULL, LIMIT, SWITCHED, VARIANTS, WAYS
from benchmarks.coding_set import LINKS
from benchmarks.scoring import Recalls, chance_of, difference, macro, mean_of, recall_at

if TYPE_CHECKING:
    from benchmarks.coding_set import CodingSet, Question

FAR_DAYS = 30
"""Links within days are what a sprint leaves behind, and favour whatever favours the new; these are looked at apart."""
TASKS = {
    "message": "the message alone",
    "near": "the message, with one of its files in play",
    "names": "the names of code in the message alone",
}


def reciprocal_rank(ranked_commits: Sequence[str], wanted: Iterable[str]) -> float:
    """One over the place of the first that is wanted, nothing beyond the limit."""
    places = [place for place, commit in enumerate(ranked_commits[:LIMIT], start=1) if commit in set(wanted)]
    return 1 / places[0] if places else 0.0


MEASURES: dict[str, Callable[[Sequence[str], frozenset[str]], float]] = {
    "recall": partial(recall_at, LIMIT),
    "MRR": reciprocal_rank,
}


@dataclass(slots=True)
class Measured:
    """The scores of one repository by task, measure and system, for each question in turn."""

    coded: CodingSet
    scores: dict[str, dict[str, dict[str, list[float]]]] = field(
        default_factory=lambda: {task: {measure: defaultdict(list) for measure in MEASURES} for task in TASKS}
    )
    days: dict[str, list[float]] = field(default_factory=lambda: {task: [] for task in TASKS})
    """By task, how far back the link of each question reaches."""

    def note(self, task: str, ranked_commits: Mapping[str, Sequence[str]], question: Question) -> None:
        """Score the answers to one question."""
        self.days[task].append(question.days)
        for name, commits in ranked_commits.items():
            for measure, score in MEASURES.items():
                self.scores[task][measure][name].append(score(commits, question.wanted))


@dataclass(frozen=True, slots=True)
class View:
    """The scores of one task in some repositories, of the questions whose links reach back a number of days."""

    done: Sequence[Measured]
    task: str
    days: float = 0.0

    def of(self, name: str, measure: str = "recall") -> Recalls:
        """One system's scores."""
        scores_by_place = {
            place: [
                score
                for score, days in zip(
                    measurement.scores[self.task][measure].get(name, ()), measurement.days[self.task], strict=False
                )
                if days >= self.days
            ]
            for place, measurement in enumerate(self.done)
        }
        return {place: scores for place, scores in scores_by_place.items() if scores}


def tables(
    measurements: Sequence[Measured], dialogues: Mapping[str, Recalls], tuned: Collection[str]
) -> list[dict[str, Any]]:
    """All of them; `tuned` are the repositories on which defaults were chosen."""
    all_tables = [_sets(measurements), *(_against(View(measurements, task), title) for task, title in TASKS.items())]
    all_tables.append(
        _against(View(measurements, "message", FAR_DAYS), f"{TASKS['message']}, links over {FAR_DAYS} days or more")
    )
    views = _views(measurements, tuned)
    columns: dict[str, Callable[[str], Recalls]] = {name: view.of for name, view in views.items() if view.of(FULL)}
    if dialogues:
        columns["conversations"] = dialogues.__getitem__
    all_tables += [
        _stages(title, columns, names)
        for title, names in (("Ways and fusion", WAYS), ("Stages", SWITCHED), ("Constants", CONSTANTS))
    ]
    return [table for table in all_tables if table["rows"]]


def figures(measurements: Sequence[Measured], dialogues: Mapping[str, Recalls]) -> dict[str, Any]:
    """Every mean, by repository."""
    conversations = {name: mean_of(scores) for name, scores in dialogues.items()}
    return {measurement.coded.name: _means(measurement) for measurement in measurements} | {
        "conversations": conversations
    }


def _views(measurements: Sequence[Measured], tuned: Collection[str]) -> dict[str, View]:
    chosen_on = [measurement for measurement in measurements if measurement.coded.name in tuned]
    confirmed = [measurement for measurement in measurements if measurement.coded.name not in tuned]
    return {
        "message, tuned on": View(chosen_on, "message"),
        "message, confirmed": View(confirmed, "message"),
        "near, tuned on": View(chosen_on, "near"),
        "near, confirmed": View(confirmed, "near"),
        "names": View(measurements, "names"),
        f"message, {FAR_DAYS} days": View(measurements, "message", FAR_DAYS),
        f"near, {FAR_DAYS} days": View(measurements, "near", FAR_DAYS),
    }


def _sets(measurements: Sequence[Measured]) -> dict[str, Any]:
    rows = []
    for coded in (measurement.coded for measurement in measurements):
        questions = coded.questions
        links = Counter(question.link for question in questions)
        far = sum(question.days >= FAR_DAYS for question in questions)
        wanted = sum(len(question.wanted) for question in questions) / len(questions)
        rows.append([coded.name, len(coded.memories), len(questions), *(links[link] for link in LINKS), far, wanted])
    links_columns = [*(f"by {link}" for link in LINKS), f"over {FAR_DAYS} days", "wanted, mean"]
    return {"title": "What is asked", "columns": ["repository", "memories", "questions", *links_columns], "rows": rows}


def _against(view: View, title: str) -> dict[str, Any]:
    names = [name for name in view.done[0].scores[view.task]["recall"] if name not in VARIANTS]
    repositories = [view.done[place].coded.name for place in view.of(FULL)]
    columns = [
        "method",
        *repositories,
        f"recall@{LIMIT}",
        "holloway finds more by",
        "p",
        f"MRR@{LIMIT}",
        "more by",
        "p",
    ]
    rows = [_row(view, name) for name in (FULL, *names)] if repositories else []
    return {"title": f"Against simple programs: {title}", "columns": columns, "rows": rows}


def _row(view: View, name: str) -> list[str]:
    cells = [name, *(f"{sum(values) / len(values):.3f}" for values in view.of(name).values())]
    for measure in MEASURES:
        mine, full = view.of(name, measure), view.of(FULL, measure)
        cells.append(str(macro(mine)) if name == FULL else f"{mean_of(mine):.3f}")
        if name == FULL:
            cells += ["", ""]
        else:
            more = macro(difference(full, mine))
            cells += [
                f"{more.mean:+.3f} ({more.low:+.3f} to {more.high:+.3f})",
                f"{chance_of(difference(full, mine)):.4f}",
            ]
    return cells


def _stages(title: str, columns: Mapping[str, Callable[[str], Recalls]], names: Iterable[str]) -> dict[str, Any]:
    counts = {column: sum(map(len, of(FULL).values())) for column, of in columns.items()}
    first = [FULL, *(f"{mean_of(of(FULL)):.3f}" for of in columns.values())]
    rows = [[name, *(_change(of(FULL), of(name)) for of in columns.values())] for name in names]
    return {
        "title": title,
        "columns": ["changed", *(f"{name} ({counts[name]})" for name in columns)],
        "rows": [first, *rows],
    }


def _change(full: Recalls, other: Recalls) -> str:
    if not other:
        return ""
    gain = difference(other, full)
    if not any(value for values in gain.values() for value in values):
        return "0"
    return f"{mean_of(gain):+.3f}{'*' if chance_of(gain) < 0.05 else ''}"


def _means(measurement: Measured) -> dict[str, Any]:
    return {
        task: {
            measure: {name: sum(values) / len(values) for name, values in systems.items() if values}
            for measure, systems in measures.items()
        }
        for task, measures in measurement.scores.items()
    }
