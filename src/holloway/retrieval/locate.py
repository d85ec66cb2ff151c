"""The files that a task is about: every kind of evidence asked, brought to one scale, added up, and named as a reason.

task ─> understand ─> text of pieces | names of symbols | paths | named outright | past commits, sessions | what is busy
     ─> one score ─> what changes with, or is used by, the best ─> files, tests, coupled files
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
"""What full evidence of each kind is worth."""

OF_THE_TASK = ("named", "text", "piece", "symbol", "path", "commits", "sessions", "known")
"""The kinds that speak of the task; the others hold for any."""

ROLE_SHARE = {"source": 1.0, "test": 0.95, "config": 0.6, "prose": 0.5, "other": 0.5}
"""What the same evidence is worth for a file that is there for something else than the product's own code."""

REASONS_MAX = 4
REASON_MIN = 0.05
LOOKED_AT = 4
"""Times the limit: so many of the best files are looked at for tests."""
TESTS_MAX = 8
COUPLED_MAX = 8


@dataclass(frozen=True, slots=True)
class LocatedFile:
    """A file, how sure it is (0 to 1), and why."""

    path: str
    score: float
    reasons: tuple[str, ...]
    symbols: tuple[str, ...] = ()
    """The parts of it that fit best: functions and classes."""


@dataclass(frozen=True, slots=True)
class Located:
    """Where a task happens."""

    files: tuple[LocatedFile, ...] = ()
    tests: tuple[str, ...] = ()
    coupled: tuple[Coupled, ...] = ()
    speaks_of_it: bool = False
    """Whether anything bears on the task itself; else these are only files that are worked on anyway."""


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
    """Rank the files of a map for a task. `known` are files already in play: they are not answered, they lead on.

    `past` are earlier sessions, in order of time; those on the same branch say more. `underway` are files that the
    branch changed so far.
    """
    with database.snapshot():
        asked = understand(database, task, known, now)
        found = {name: ask(database, asked) for name, ask in ASKED.items()}
        found |= by_sessions(database, asked, past, branch) | {"underway": by_branch(database, underway)}
        scores = fused(found)
        found |= followed(database, asked, scores)
        scores = fused(found)
        for path in asked.known:
            scores.pop(path, None)
        return _answer(database, found, scores, limit)


def fused(found: dict[str, Evidence]) -> dict[str, float]:
    """One score for each file: the weighted sum of what each kind of evidence says."""
    scores: dict[str, float] = defaultdict(float)
    for name, evidence in found.items():
        for path, value in evidence.scaled().items():
            scores[path] += WEIGHTS[name] * value
    return {path: ROLE_SHARE[role_of(path)] * score for path, score in scores.items()}


def _answer(database: MapDatabase, found: dict[str, Evidence], scores: dict[str, float], limit: int) -> Located:
    ordered = _shown_paths(sorted(scores, key=lambda path: (-scores[path], path)), limit)
    code = [path for path in ordered if not is_test(path)]
    best = scores[ordered[0]] if ordered else 1.0
    worth = {name: evidence.scaled() for name, evidence in found.items()}
    files = tuple(
        LocatedFile(
            path,
            round(scores[path] / best, 3),
            tuple(redact(reason)[0] for reason in _reasons(path, found, worth)),
            tuple(redact(name)[0] for name in found["piece"].symbols[path]),
        )
        for path in ordered[:limit]
    )
    shown = {file.path for file in files}
    tests = [path for path in ordered if is_test(path) and is_runnable_test(path)][:TESTS_MAX]
    coupled = [
        found["together"].coupled[path]
        for path, _ in sorted(
            found["together"].strength.items(), key=lambda item: (-ROLE_SHARE[role_of(item[0])] * item[1], item[0])
        )
        if path not in shown and is_path(path) and is_path(found["together"].coupled[path].other)
    ]
    return Located(
        files,
        tuple(tests) or only_paths(queries.tests_of(database, code[:3], TESTS_MAX)),
        tuple(coupled[:COUPLED_MAX]),
        any(found[name].strength for name in OF_THE_TASK),
    )


def _shown_paths(ordered: list[str], limit: int) -> list[str]:
    """The best files whose paths may be shown; more than the limit, because tests are looked for behind it."""
    return list(islice((path for path in ordered if is_path(path)), LOOKED_AT * limit))


def _reasons(path: str, found: dict[str, Evidence], worth: dict[str, dict[str, float]]) -> tuple[str, ...]:
    said = [
        (WEIGHTS[name] * worth[name].get(path, 0.0), evidence.reason.get(path, "")) for name, evidence in found.items()
    ]
    said.sort(key=lambda item: (-item[0], item[1]))
    return tuple(dict.fromkeys(reason for value, reason in said if reason and value >= REASON_MIN))[:REASONS_MAX]
