"""Locate the files for a task: collects every kind of evidence, adds it up to one score per file, and gives reasons.

task ─> parse ─> text | chunks | symbols | paths | mentioned files | past commits | past sessions | recent activity
     ─> one score ─> co-changed files and imports of the best ─> files, tests, coupled files
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from holloway.codemap import queries
from holloway.codemap.parse.languages import role_of
from holloway.retrieval.evidence import ASKED, by_branch, by_sessions, followed, understand
from holloway.safety.repository_text import is_path, only_paths
from holloway.safety.secrets import redact
from holloway.text.file_roles import is_runnable_test, is_test

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from holloway.codemap.database import MapDatabase
    from holloway.retrieval.evidence import Coupled, Evidence
    from holloway.retrieval.past_sessions import PastSession

WEIGHTS = {
    "named": 0.4,
    "text": 0.5,
    "piece": 0.5,
    "commits": 0.3,
    "symbol": 0.1,
    "path": 0.2,
    "known": 0.6,
    "together": 0.3,
    "neighbour": 0.05,
    "busy": 0.1,
    "sessions": 0.3,
    "recent": 1.2,
    "underway": 1.0,
}
"""Weight of full evidence of each kind."""

OF_THE_TASK = ("named", "text", "piece", "symbol", "path", "commits", "sessions", "known")
"""The kinds of evidence that depend on the task; the others are the same for any task."""

ROLE_SHARE = {"source": 1.0, "test": 0.95, "config": 0.6, "prose": 0.5, "other": 0.5}
"""Factor on the evidence by the role of a file."""

REASONS_MAX = 4
REASON_MIN = 0.05
LOOKED_AT = 4
"""Times the limit: how many of the best files are searched for tests."""
TESTS_MAX = 8
COUPLED_MAX = 8


@dataclass(frozen=True, slots=True)
class LocatedFile:
    """A file, its score (0 to 1), and the reasons."""

    path: str
    score: float
    reasons: tuple[str, ...]
    symbols: tuple[str, ...] = ()
    """The functions and classes in it that match best."""


@dataclass(frozen=True, slots=True)
class Located:
    """The files, tests and coupled files for a task."""

    files: tuple[LocatedFile, ...] = ()
    tests: tuple[str, ...] = ()
    coupled: tuple[Coupled, ...] = ()
    speaks_of_it: bool = False
    """Whether any evidence concerns the task itself; otherwise these are only recently active files."""


def locate(
    database: MapDatabase,
    task: str,
    *,
    known: Sequence[str] = (),
    past: Sequence[PastSession] = (),
    branch: str = "",
    underway: Sequence[str] = (),
    limit: int = 10,
    now: datetime,
) -> Located:
    """Rank the files of a code map for a task. `known` are files already in play: they lead to others and are left out.

    `past` are earlier sessions, oldest first; those on the same branch count more. `underway` are files that the branch
    has changed so far.
    """
    with database.snapshot():
        parsed_task = understand(database, task, known, now)
        evidence_by_kind = {name: score_files(database, parsed_task) for name, score_files in ASKED.items()}
        evidence_by_kind |= by_sessions(database, parsed_task, past, branch) | {
            "underway": by_branch(database, underway)
        }
        scores = fused(evidence_by_kind)
        evidence_by_kind |= followed(database, parsed_task, scores)
        scores = fused(evidence_by_kind)
        for path in parsed_task.known:
            scores.pop(path, None)
        return _answer(database, evidence_by_kind, scores, limit)


def fused(found: dict[str, Evidence]) -> dict[str, float]:
    """Return one score for each file: the weighted sum of all evidence, times the factor of its role."""
    scores: dict[str, float] = defaultdict(float)
    for name, evidence in found.items():
        for path, value in evidence.scaled().items():
            scores[path] += WEIGHTS[name] * value
    return {path: ROLE_SHARE[role_of(path)] * score for path, score in scores.items()}


def _answer(database: MapDatabase, found: dict[str, Evidence], scores: dict[str, float], limit: int) -> Located:
    ordered = _shown_paths(sorted(scores, key=lambda path: (-scores[path], path)), limit)
    code = [path for path in ordered if not is_test(path)]
    best = scores[ordered[0]] if ordered else 1.0
    strengths = {name: evidence.scaled() for name, evidence in found.items()}
    files = tuple(
        LocatedFile(
            path,
            round(scores[path] / best, 3),
            tuple(redact(reason)[0] for reason in _reasons(path, found, strengths)),
            tuple(redact(name)[0] for name in found["piece"].symbols[path]),
        )
        for path in ordered[:limit]
    )
    listed_paths = {file.path for file in files}
    tests = [path for path in ordered if is_test(path) and is_runnable_test(path)][:TESTS_MAX]
    coupled = [
        found["together"].coupled[path]
        for path, _ in sorted(
            found["together"].strength.items(), key=lambda item: (-ROLE_SHARE[role_of(item[0])] * item[1], item[0])
        )
        if path not in listed_paths and is_path(path) and is_path(found["together"].coupled[path].other)
    ]
    return Located(
        files,
        tuple(tests) or only_paths(queries.tests_of(database, code[:3], TESTS_MAX)),
        tuple(coupled[:COUPLED_MAX]),
        any(found[name].strength for name in OF_THE_TASK),
    )


def _shown_paths(ordered: list[str], limit: int) -> list[str]:
    """Return the best files whose paths are safe to show; more than the limit, because tests are picked from them."""
    return list(islice((path for path in ordered if is_path(path)), LOOKED_AT * limit))


def _reasons(path: str, found: dict[str, Evidence], worth: dict[str, dict[str, float]]) -> tuple[str, ...]:
    weighted_reasons = [
        (WEIGHTS[name] * worth[name].get(path, 0.0), evidence.reason.get(path, "")) for name, evidence in found.items()
    ]
    weighted_reasons.sort(key=lambda item: (-item[0], item[1]))
    return tuple(dict.fromkeys(reason for value, reason in weighted_reasons if reason and value >= REASON_MIN))[
        :REASONS_MAX
    ]
