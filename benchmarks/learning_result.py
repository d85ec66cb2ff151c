"""The learning curve's figures as tables: as the project went on, and on the same later sessions again and again."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from statistics import fmean
from typing import Any

from benchmarks import machine, trivial
from benchmarks.scoring import SEED, Estimate, estimate

MARKS = (0, 1, 5, 15, 30, 100)
"""Sessions after which is looked at what is known; the last look is after all of them."""
WINDOW = 20
"""Sessions that a window has."""
OURS = "holloway"
UNTAUGHT = "holloway, no session learned"
METHODS = (OURS, UNTAUGHT, trivial.CONTENTS, *trivial.METHODS, trivial.FUSED)

Figures = dict[str, tuple[float, float]]
"""Recall and discovery calls avoided, by method."""


@dataclass(frozen=True, slots=True)
class Met:
    """The errors of one session: how many, and how many of them were known how well."""

    errors: int = 0
    before: int = 0
    solved: int = 0
    telling: int = 0
    """Solved by more than an edit at the very place that the error names: something to hand over."""
    told: int = 0

    def __add__(self, other: Met) -> Met:
        return Met(*(getattr(self, counter.name) + getattr(other, counter.name) for counter in fields(Met)))


@dataclass(frozen=True, slots=True)
class Looked:
    """The sessions known when one began, and the figures with them; no figures without files to find."""

    learned: int
    figures: Figures
    met: Met


@dataclass(frozen=True, slots=True)
class Kept:
    """The store after a number of sessions."""

    learned: int
    memories: Mapping[str, int]
    states: Mapping[str, int]
    store_mb: float
    learning_ms: float


@dataclass(slots=True)
class Curve:
    """The measurements of one project."""

    looked: list[Looked] = field(default_factory=list)
    fixed: dict[int, list[Figures]] = field(default_factory=dict)
    """By how many sessions were known: the figures of the same later sessions."""
    kept: list[Kept] = field(default_factory=list)


def result(curve: Curve, took_ms: Sequence[float]) -> dict[str, Any]:
    """Tables for a reader, figures for the plots."""
    later = len(next(iter(curve.fixed.values())))
    return {
        "title": "The learning curve",
        "question": "What does holloway know after one session, after five, after a hundred?",
        "seed": SEED,
        "targets": [],
        "tables": [
            _over_time("Recall@10", 0, curve.looked),
            _over_time("DCA@10, an upper bound,", 1, curve.looked),
            {
                "title": f"Recall@10 of the same {later} later sessions, by number of sessions learned before each",
                "columns": ["sessions learned", *METHODS],
                "rows": [
                    [depth, *(str(_of(figures, name, 0)) for name in METHODS)]
                    for depth, figures in sorted(curve.fixed.items())
                ],
            },
            _errors(curve.looked),
            {
                "title": "What is kept, and what learning costs",
                "columns": [
                    "sessions learned",
                    "memories",
                    "by type",
                    "by state",
                    "store (MB)",
                    _LEARNING,
                    "LLM calls",
                ],
                "rows": [_tabulate_snapshot(snapshot) for snapshot in curve.kept],
            },
        ],
        "figures": {
            "windows": [_window(window) for window in _windows(curve.looked)],
            "same_sessions": {
                str(depth): {name: _numbers(_of(figures, name, 0)) for name in METHODS}
                for depth, figures in sorted(curve.fixed.items())
            },
            "learning_cpu_ms": {f"p{share}": machine.quantile(took_ms, share / 100) for share in (50, 95)},
        },
        "how": [f"{len(curve.looked)} {HOW[0]}", *HOW[1:]],
    }


_LEARNING = f"learning (CPU ms a session, median of {WINDOW})"


def _of(figures: Sequence[Figures], name: str, which: int) -> Estimate:
    return estimate([session_figures[name][which] for session_figures in figures])


def _numbers(measure: Estimate) -> list[float]:
    return [round(value, 4) for value in (measure.mean, measure.low, measure.high)]


def _from(mark: int, looked: Sequence[Looked]) -> list[Looked]:
    """Return the looks that knew at least a number of sessions."""
    return [session for session in looked if session.learned >= mark]


def _last(looked: Sequence[Looked]) -> list[Looked]:
    """The last looks that make up a window."""
    with_files = [place for place, session in enumerate(looked) if session.figures]
    return list(looked[with_files[-WINDOW:][0] :])


def _group_by_mark(looked: Sequence[Looked]) -> list[list[Looked]]:
    """Return the looks after each mark, and the last ones; a mark with too few of them is left out."""
    following = [_from(mark, looked) for mark in MARKS]
    full = [sessions for sessions in following if sum(bool(session.figures) for session in sessions) > WINDOW]
    return [*full, _last(looked)]


def _over_time(title_start: str, which: int, looked: Sequence[Looked]) -> dict[str, Any]:
    rows = []
    for following in _group_by_mark(looked):
        figures = [session.figures for session in following if session.figures][:WINDOW]
        rows.append([following[0].learned, *(str(_of(figures, name, which)) for name in METHODS)])
    title = f"{title_start} of the next {WINDOW} sessions, as the project went on"
    return {"title": title, "columns": ["sessions learned", *METHODS], "rows": rows}


def _errors(looked: Sequence[Looked]) -> dict[str, Any]:
    marks = [mark for mark in MARKS if _from(mark, looked)]
    spans = [*zip(marks, [*marks[1:], sys.maxsize], strict=True), (0, sys.maxsize)]
    rows = []
    for low, high in spans:
        met = sum((session.met for session in looked if low <= session.learned < high), Met())
        range_text = f"{low} to {high - 1}" if high < sys.maxsize else f"{low} and more" if low else "all"
        range_text = str(low) if high == low + 1 else range_text
        share = f"{met.told / met.errors:.1%}" if met.errors else ""
        rows.append([range_text, met.errors, met.before, met.solved, met.telling, met.told, share])
    columns = [
        *("sessions learned", "errors", "met before", "solved before"),
        *("by more than the error says", "fix handed over", "share"),
    ]
    return {"title": "Errors that were known when they came back", "columns": columns, "rows": rows}


def _tabulate_snapshot(snapshot: Kept) -> list[Any]:
    listed = [
        ", ".join(f"{name} {count}" for name, count in sorted(counts.items()))
        for counts in (snapshot.memories, snapshot.states)
    ]
    return [snapshot.learned, sum(snapshot.memories.values()), *listed, snapshot.store_mb, snapshot.learning_ms, 0]


def _windows(looked: Sequence[Looked]) -> list[list[Looked]]:
    """Windows that do not overlap, of sessions with files to find; the rest at the end joins the last one."""
    with_figures = [session for session in looked if session.figures]
    starts = list(range(0, max(1, len(with_figures) - WINDOW + 1), WINDOW))
    return [with_figures[start : start + WINDOW] if start != starts[-1] else with_figures[start:] for start in starts]


def _window(window: Sequence[Looked]) -> dict[str, Any]:
    figures = [session.figures for session in window]
    return {
        "learned": round(fmean(session.learned for session in window), 1),
        "sessions": len(window),
        "recall": {name: _numbers(_of(figures, name, 0)) for name in METHODS},
        "avoided": {name: _numbers(_of(figures, name, 1)) for name in METHODS},
    }


HOW = [
    "recorded sessions of one project in time order, each through the real pipeline when it ended: observed, "
    "judged, promoted, the worker's chores done, vectors included. Before each session the branch and the checkout are "
    "as they were when it began, the map is brought up to date, and every method is asked with what had ended by then.",
    f"As the project went on: the mean over the next {WINDOW} sessions that had files to find, beside the same methods "
    "with the same knowledge. Tasks and code change on the way, so these rows are not the same exam.",
    "The same later sessions: the second half, asked again and again, as if holloway had been installed so many "
    "sessions before each one. Only what is known differs. Rows at 0 are what the code, its history and the prompt "
    "give without any session.",
    "Intervals are the middle 95 % of 2,000 bootstrap means over the sessions.",
    "DCA@10 is the share of discovery calls that ten named files could have saved, an upper bound.",
    "Errors: failing shell commands with a fingerprint, each once a session. Met and solved before: by any session "
    "that was learned from. By more than the error says: not where a compiler, a linter or a merge pointed at the "
    "place that was fixed. Fix handed over: the hook's own lookup finds a memory that it may show at the default "
    "trust level.",
    "Learning is CPU time, map excluded; no language model is asked.",
]
