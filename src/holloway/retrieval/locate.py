"""Locate the files for a task: collects every kind of evidence, adds it up to one score per file, and gives reasons.

task ─> parse ─> text | chunks | symbols | paths | mentioned files | past commits | past sessions | this branch
     ─> one score ─> co-changed files of the best, tested files ─> order of the best by meaning
     ─> files, tests, coupled files
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING

from holloway import git
from holloway.codemap import queries
from holloway.codemap.parse.languages import role_of
from holloway.config import GIT_ASIDE_S
from holloway.errors import HollowayError
from holloway.retrieval.evidence import SCORERS, parse_task, score_by_branch, score_by_sessions, score_related_files
from holloway.retrieval.past_sessions import PastSession
from holloway.safety.repository_text import is_path, only_paths
from holloway.safety.secrets import redact_secrets
from holloway.store import observations
from holloway.text.file_roles import DEMONSTRATION_FOLDERS, is_runnable_test, is_test

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Sequence
    from datetime import datetime

    from holloway.codemap.database import MapDatabase
    from holloway.retrieval.evidence import CoupledFile, FileEvidence
    from holloway.retrieval.file_reranking import FileReranker


TASK_WEIGHTS = {
    "named": 0.4,
    "text": 0.5,
    "piece": 0.5,
    "commits": 0.3,
    "symbol": 0.1,
    "path": 0.2,
    "known": 0.6,
}
"""Weight of full evidence of each kind that depends on the task alone. The best file by these has the score 1, so that
the kinds below weigh the same whatever the task says."""

CONTEXT_WEIGHTS = {
    "together": 0.3,
    "tested": 0.2,
    "sessions": 0.5,
    "recent": 0.5,
    "habit": 1.0,
    "underway": 1.0,
}
"""Weight of full evidence of each kind that leads on from the best files, or that comes from earlier work."""

EVIDENCE_WEIGHTS = TASK_WEIGHTS | CONTEXT_WEIGHTS

ACTIVITY_EVIDENCE = ("recent", "habit", "underway")
"""The kinds of evidence that are the same for any task, because they say where work happens."""

ACTIVITY_MAX = 0.6
"""Most that these add together to a file's score: a file that several of them name is no better than the best match."""

CLEAR_LEAD = 0.75
"""Most that the second file may have of what the task says about the best one, for that one to come first whatever was
active lately."""

CLEAR_LEAD_FACTOR = 1.01
"""Factor on the best score for a file that has a clear lead: enough to come first."""

TASK_FADE_FILES = 10
"""Place at which what the task says counts half: a long task has words of many files, and hardly more of the tenth than
of the thirtieth."""

ROLE_WEIGHTED_EVIDENCE = ("text", "piece", "together")
"""The kinds of evidence that prose, configuration and tests have for almost any task: they contain many words, and a
changelog changes with every file."""

ROLE_SHARE = {
    "source": 1.0,
    "test": 0.95,
    "test_support": 0.6,
    "demonstration": 0.8,
    "config": 0.6,
    "prose": 0.5,
    "other": 0.5,
}
"""Factor on that evidence by the role of a file. Test support is code among the tests that no runner picks
up."""

REASONS_MAX = 4
REASON_MIN = 0.05
TEST_LOOKUP_FACTOR = 4
"""Times the limit: how many of the best paths are divided into files and tests."""
LOCATED_TESTS_MAX = 8
COUPLED_MAX = 8
PAST_SESSIONS = 300
"""Latest sessions that tell where the next one will work."""


@dataclass(frozen=True, slots=True)
class LocatedFile:
    """A file, its score (0 to 1), and the reasons."""

    path: str
    score: float
    reasons: tuple[str, ...]
    symbols: tuple[str, ...] = ()
    """The functions and classes in it that match best."""


@dataclass(frozen=True, slots=True)
class LocateResult:
    """The files, tests and coupled files for a task. No path is in two of them."""

    files: tuple[LocatedFile, ...] = ()
    """Best first; a test only if the task names it, or if there are only tests."""
    tests: tuple[LocatedFile, ...] = ()
    """The tests that a runner picks up, best first; without a match of their own, those of the best files."""
    coupled: tuple[CoupledFile, ...] = ()
    speaks_of_it: bool = False
    """Whether any evidence concerns the task itself; otherwise these are only recently active files."""
    withheld: tuple[str, ...] = ()
    """Paths among the best that read as sentences, for the person only."""
    nameless: tuple[LocatedFile, ...] = ()
    """The same files without their names, for an agent: each with its folder as the path, and what it defines."""
    degraded: str = ""
    """Why the files were not compared by meaning, though a model is configured."""

    @property
    def ranked(self) -> list[LocatedFile]:
        """Files and tests in one ranking, best first."""
        return sorted((*self.files, *self.tests), key=lambda file: -file.score)


def locate_files(
    database: MapDatabase,
    task: str,
    *,
    files_in_play: Sequence[str] = (),
    past: Sequence[PastSession] = (),
    branch: str = "",
    underway: Sequence[str] = (),
    limit: int = 10,
    now: datetime,
    reranker: FileReranker | None = None,
) -> LocateResult:
    """Rank the files of a code map for a task. `files_in_play` lead to other files and are left out themselves.

    `past` are earlier sessions, oldest first; those on the same branch count more. `underway` are files that the branch
    has changed so far. `reranker` orders the best files by meaning too; without it, or if it fails, words decide.
    """
    with database.read_snapshot():
        parsed_task = parse_task(database, task, files_in_play, now)
        evidence_by_kind = {name: score_files(database, parsed_task) for name, score_files in SCORERS.items()}
        evidence_by_kind |= score_by_sessions(database, parsed_task, past, branch)
        evidence_by_kind["underway"] = score_by_branch(database, underway)
        scores = fuse_evidence(evidence_by_kind)
        evidence_by_kind |= score_related_files(database, parsed_task, scores)
        scores = fuse_evidence(evidence_by_kind)
        for path in parsed_task.files_in_play:
            scores.pop(path, None)
    degraded = ""
    if reranker:  # outside of the snapshot, because it writes new vectors into the map
        try:
            scores = _rerank_sources(database, reranker, task, scores, _find_best_by_task(evidence_by_kind))
        except HollowayError as error:
            degraded = error.message
    with database.read_snapshot():
        return replace(_build_result(database, evidence_by_kind, scores, limit), degraded=degraded)


def _find_best_by_task(evidence_by_kind: dict[str, FileEvidence]) -> float:
    """Return the best score that a file has without what was active lately."""
    by_task = {name: evidence for name, evidence in evidence_by_kind.items() if name not in ACTIVITY_EVIDENCE}
    return max(fuse_evidence(by_task).values(), default=0.0)


def _rerank_sources(
    database: MapDatabase, reranker: FileReranker, task: str, scores: dict[str, float], scale: float
) -> dict[str, float]:
    """Return the scores with those of the best files in another order; a test keeps its place among them."""
    files = {path: score for path, score in scores.items() if score > 0 and not is_runnable_test(path)}
    ordered = reranker.rerank(database, task, files, scale)
    return scores | dict(zip(ordered, sorted(files.values(), reverse=True), strict=True))


def fuse_evidence(evidence_by_kind: dict[str, FileEvidence]) -> dict[str, float]:
    """Return one score for each file: what the task says, which fades from its best file on, and what context says."""
    by_task = _add_evidence(evidence_by_kind, TASK_WEIGHTS)
    ranked = sorted((path for path, score in by_task.items() if score > 0), key=lambda path: (-by_task[path], path))
    scores = {
        path: by_task[path] / by_task[ranked[0]] * TASK_FADE_FILES / (TASK_FADE_FILES + place)
        for place, path in enumerate(ranked)
    }
    leads = {name: weight for name, weight in CONTEXT_WEIGHTS.items() if name not in ACTIVITY_EVIDENCE}
    activity = {name: CONTEXT_WEIGHTS[name] for name in ACTIVITY_EVIDENCE}
    for path, score in _add_evidence(evidence_by_kind, leads).items():
        scores[path] = scores.get(path, 0.0) + score
    for path, score in _add_evidence(evidence_by_kind, activity).items():
        scores[path] = scores.get(path, 0.0) + min(score, ACTIVITY_MAX)
    if ranked and _has_clear_lead(ranked, by_task):
        best = max(scores.values())
        scores[ranked[0]] = scores[ranked[0]] if scores[ranked[0]] == best else CLEAR_LEAD_FACTOR * best
    return scores


def _has_clear_lead(ranked: list[str], by_task: dict[str, float]) -> bool:
    """Return whether what the task says speaks for the first of these files far more than for the second."""
    return len(ranked) == 1 or by_task[ranked[1]] <= CLEAR_LEAD * by_task[ranked[0]]


def _add_evidence(evidence_by_kind: dict[str, FileEvidence], weights: dict[str, float]) -> dict[str, float]:
    """Return the weighted sum of these kinds of evidence for each file."""
    scores: dict[str, float] = defaultdict(float)
    for name in evidence_by_kind.keys() & weights.keys():
        for path, value in evidence_by_kind[name].scale_strengths().items():
            role_share = ROLE_SHARE[_find_role(path)] if name in ROLE_WEIGHTED_EVIDENCE else 1.0
            scores[path] += weights[name] * role_share * value
    return scores


def _find_role(path: str) -> str:
    role = role_of(path)
    if role == "source" and not DEMONSTRATION_FOLDERS.isdisjoint(path.split("/")[:-1]):
        return "demonstration"
    return "test_support" if role == "test" and not is_runnable_test(path) else role


def _build_result(
    database: MapDatabase, evidence_by_kind: dict[str, FileEvidence], scores: dict[str, float], limit: int
) -> LocateResult:
    ranked = sorted(scores, key=lambda path: (-scores[path], path))
    ordered = _select_shown_paths(ranked, limit)
    paths, test_paths = _divide_tests(ordered, evidence_by_kind["named"], limit)
    best = scores[ordered[0]] if ordered else 1.0
    strengths = {name: evidence.scale_strengths() for name, evidence in evidence_by_kind.items()}

    def describe(path: str) -> LocatedFile:
        return LocatedFile(
            path,
            round(scores[path] / best, 3),
            tuple(redact_secrets(reason)[0] for reason in _list_reasons(path, evidence_by_kind, strengths)),
            tuple(redact_secrets(name)[0] for name in evidence_by_kind["piece"].symbols[path]),
        )

    tests = tuple(map(describe, test_paths)) or _find_linked_tests(database, paths)
    listed_paths = {*paths, *(test.path for test in tests)}
    coupled = [
        evidence_by_kind["together"].coupled[path]
        for path, _ in sorted(
            evidence_by_kind["together"].strength.items(),
            key=lambda item: (-ROLE_SHARE[role_of(item[0])] * item[1], item[0]),
        )
        if path not in listed_paths and is_path(path) and is_path(evidence_by_kind["together"].coupled[path].other)
    ]
    withheld = tuple(path for path in ranked[:limit] if not is_path(path))
    return LocateResult(
        tuple(map(describe, paths)),
        tests,
        tuple(coupled[:COUPLED_MAX]),
        any(evidence_by_kind[name].strength for name in TASK_WEIGHTS) or evidence_by_kind["sessions"].share >= 1.0,
        withheld,
        tuple(replace(describe(path), path=folder) for path in withheld if is_path(folder := path.rpartition("/")[0])),
    )


def _select_shown_paths(ordered: list[str], limit: int) -> list[str]:
    """Return the best files whose paths are safe to show; more than the limit, because tests are picked from them."""
    return list(islice((path for path in ordered if is_path(path)), TEST_LOOKUP_FACTOR * limit))


def _divide_tests(ordered: list[str], named: FileEvidence, limit: int) -> tuple[list[str], list[str]]:
    """Divide the best paths into files and tests, because a test mostly matches like the file that it tests.

    A test that the task names is one of the files, and so are all of them if there is nothing else.
    """
    tests = [path for path in ordered if is_test(path) and is_runnable_test(path) and path not in named.strength]
    files = [path for path in ordered if path not in set(tests)]
    return (files[:limit], tests[:LOCATED_TESTS_MAX]) if files else (tests[:limit], [])


def _find_linked_tests(database: MapDatabase, files: list[str]) -> tuple[LocatedFile, ...]:
    """Return the tests of the best files by the code map, when no test matches the task itself."""
    code = [path for path in files if not is_test(path)][:3]
    tests = only_paths(queries.find_tests(database, code, LOCATED_TESTS_MAX + len(files)))
    return tuple(LocatedFile(path, 0.0, ()) for path in tests if path not in files)[:LOCATED_TESTS_MAX]


def _list_reasons(
    path: str, evidence_by_kind: dict[str, FileEvidence], strengths: dict[str, dict[str, float]]
) -> tuple[str, ...]:
    weighted_reasons = [
        (EVIDENCE_WEIGHTS[name] * strengths[name].get(path, 0.0), evidence.reason.get(path, ""))
        for name, evidence in evidence_by_kind.items()
    ]
    weighted_reasons.sort(key=lambda item: (-item[0], item[1]))
    return tuple(dict.fromkeys(reason for value, reason in weighted_reasons if reason and value >= REASON_MIN))[
        :REASONS_MAX
    ]


def locate_in_checkout(
    database: MapDatabase,
    connection: sqlite3.Connection,
    root: str,
    task: str,
    *,
    known: Sequence[str] = (),
    limit: int = 10,
    branch: str = "",
    now: datetime,
    reranker: FileReranker | None = None,
) -> LocateResult:
    """Locate the files of a task, using the sessions of the store at `connection` and the branch's own changes."""
    past = [PastSession(*session) for session in observations.list_past_sessions(connection, PAST_SESSIONS)]
    branch = branch or git.current_branch(root)
    if branch == git.default_branch(root):
        branch = ""  # All work ends up there, so it is no one piece of work.
    underway = git.files_underway(root, GIT_ASIDE_S)
    return locate_files(
        database,
        task,
        files_in_play=known,
        past=past,
        branch=branch,
        underway=underway,
        limit=limit,
        now=now,
        reranker=reranker,
    )
