"""The files that a task is about: every kind of evidence asked, brought to one scale, added up, and named as a reason.

task ─> understand ─> text of pieces | names of symbols | paths | named outright | past commits | what is busy
     ─> one score ─> what changes with, or is used by, the best ─> files, tests, coupled files
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter, defaultdict
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from holloway.codemap import history
from holloway.codemap.roles import is_runnable_test, is_test, role_of
from holloway.text.identifiers import parts
from holloway.text.query import STOP_WORDS, quoted

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime

    from holloway.codemap.database import MapDatabase

WEIGHTS = {
    "named": 1.0,
    "text": 1.0,
    "commits": 0.5,
    "symbol": 0.3,
    "path": 0.3,
    "known": 0.6,
    "together": 0.2,
    "neighbour": 0.1,
    "busy": 0.1,
}
"""What full evidence of each kind is worth."""

ROLE_SHARE = {"source": 1.0, "test": 0.95, "config": 0.6, "prose": 0.5, "other": 0.5}
"""What the same evidence is worth for a file that is there for something else than the product's own code."""

TASK_CHARS_MAX = 20_000
TERMS_MAX = 200
"""Distinct words of a task that are weighed."""
TERMS_SEARCHED = 40
"""Of them, those that are looked for: the rarest, and those that the task repeats."""
COMMON_SHARE = 0.2
"""A word that more pieces have tells nothing."""
COUNTED_MAX = 4_000
"""Pieces with a word that are counted: whether it is in more does not matter."""
COMMIT_FILES_MAX = 10
"""Files: a commit with more says little about any one of them."""
LIKENESS_FULL = 0.25
"""How much of a task the most similar message must cover for its files to count in full."""
PIECES_MAX = 600
"""Pieces of files that the text search returns."""
PIECE_DECAY = 0.5
"""The second best piece of a file counts half, the third a quarter."""
HEAD_WEIGHT = 2.0
"""A word in a piece's path or name, against one in its body."""
SEEDS = 5
"""Best files whose partners and neighbours are looked at."""
REASONS_MAX = 4
REASON_MIN = 0.05
TESTS_MAX = 8
COUPLED_MAX = 8

_PATH = re.compile(r"[\w.@+-]*(?:/[\w.@+-]+)+|[\w-]+\.[A-Za-z]{1,5}\b")
_DOTTED = re.compile(r"\b[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+")
_IDENTIFIER = re.compile(r"[A-Za-z_$][\w$]{2,}")
_WORD = re.compile(r"\w{2,}")


@dataclass(frozen=True, slots=True)
class LocatedFile:
    """A file, how sure it is (0 to 1), and why."""

    path: str
    score: float
    reasons: tuple[str, ...]
    symbols: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Located:
    """Where a task happens."""

    files: tuple[LocatedFile, ...] = ()
    tests: tuple[str, ...] = ()
    coupled: tuple[tuple[str, str], ...] = ()
    """Files that change with them, and with which."""


@dataclass(slots=True)
class Task:
    """What was asked, taken apart once."""

    text: str
    known: tuple[str, ...]
    now: datetime
    terms: dict[str, int] = field(default_factory=dict)
    """The words, and how often each is said."""
    identifiers: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Evidence:
    """What one kind of evidence says: a strength for each file, and words for the reason."""

    strength: dict[str, float] = field(default_factory=dict)
    reason: dict[str, str] = field(default_factory=dict)
    share: float = 1.0
    """How far this kind of evidence can be trusted for this task."""

    def scaled(self) -> dict[str, float]:
        """Strengths with the best at the share."""
        best = max(self.strength.values(), default=0.0)
        return {path: self.share * value / best for path, value in self.strength.items()} if best > 0 else {}


def locate(database: MapDatabase, task: str, *, known: Sequence[str] = (), limit: int = 10, now: datetime) -> Located:
    """Rank the files of a map for a task. `known` are files already in play: they are not answered, they lead on."""
    asked = understand(task, known, now)
    with database.snapshot():
        found = {name: ask(database, asked) for name, ask in ASKED.items()}
        scores = fused(found)
        found |= followed(database, asked, scores)
        scores = fused(found)
        for path in asked.known:
            scores.pop(path, None)
        return _answer(database, asked, found, scores, limit)


def understand(task: str, known: Sequence[str], now: datetime) -> Task:
    """The words to look for and the names that are meant as names."""
    text = task[:TASK_CHARS_MAX]
    words: Counter[str] = Counter()
    for word in _WORD.findall(text):
        for form in {word.replace("_", "").casefold(), *parts(word)}:
            if len(form) > 1 and form not in STOP_WORDS:
                words[form] += 1
    identifiers = [
        word for word in dict.fromkeys(_IDENTIFIER.findall(text)) if "_" in word.strip("_") or len(parts(word)) > 1
    ]
    return Task(text, tuple(known), now, dict(words.most_common(TERMS_MAX)), identifiers[:TERMS_MAX])


def fused(found: dict[str, Evidence]) -> dict[str, float]:
    """One score for each file: the weighted sum of what each kind of evidence says."""
    scores: dict[str, float] = defaultdict(float)
    for name, evidence in found.items():
        for path, value in evidence.scaled().items():
            scores[path] += WEIGHTS[name] * value
    return {path: ROLE_SHARE[role_of(path)] * score for path, score in scores.items()}


def by_text(database: MapDatabase, task: Task) -> Evidence:
    """Pieces of files that hold the words, by BM25; the best few of a file count."""
    if not task.terms:
        return Evidence()
    searched = telling(database, task.terms)
    if not searched:
        return Evidence()
    rows = database.rows(
        "SELECT f.path, c.name, -t.score FROM (SELECT rowid, bm25(chunk_text, ?, 1.0) AS score FROM chunk_text"
        " WHERE chunk_text MATCH ? ORDER BY score LIMIT ?) t"
        " JOIN chunks c ON c.id = t.rowid JOIN files f ON f.id = c.file ORDER BY t.score",
        (HEAD_WEIGHT, " OR ".join(quoted(term) for term in searched), PIECES_MAX),
    )
    found = Evidence()
    share: dict[str, float] = defaultdict(lambda: 1.0)
    for path, name, score in rows:
        found.strength[path] = found.strength.get(path, 0.0) + share[path] * score
        found.reason.setdefault(path, f"text matches in {name}" if name else "text matches")
        share[path] *= PIECE_DECAY
    return found


def telling(database: MapDatabase, terms: dict[str, int]) -> list[str]:
    """The words worth looking for, each as often as it counts: what is said four times counts twice."""
    total = int(database.value("SELECT COUNT(*) FROM chunks"))
    weighed: list[tuple[float, str, int]] = []
    for term, said in terms.items():
        sql = "SELECT COUNT(*) FROM (SELECT 1 FROM chunk_text WHERE chunk_text MATCH ? LIMIT ?)"
        holders = int(database.value(sql, (quoted(term), COUNTED_MAX)))
        if 0 < holders <= max(COMMON_SHARE * total, 20):
            weighed.append((math.sqrt(said) * math.log(1 + total / holders), term, round(math.sqrt(said))))
    weighed.sort(key=lambda item: (-item[0], item[1]))
    return [term for _, term, times in weighed[:TERMS_SEARCHED] for _ in range(times)]


def by_symbol(database: MapDatabase, task: Task) -> Evidence:
    """Definitions that carry a name of the task; a name that few files define says more."""
    found = Evidence()
    for name in task.identifiers:
        rows = database.rows(
            "SELECT DISTINCT f.path, n.kind FROM nodes n JOIN files f ON f.id = n.file WHERE n.name = ? LIMIT 60",
            (name,),
        )
        for path, kind in rows:
            found.strength[path] = found.strength.get(path, 0.0) + 1.0 / len(rows)
            found.reason.setdefault(path, f"defines {kind} {name}")
    return found


def by_path(database: MapDatabase, task: Task) -> Evidence:
    """Files whose path has the words of the task; a word that is in few paths says more."""
    found = Evidence()
    wanted = set(task.terms)
    holders: dict[str, list[str]] = defaultdict(list)
    for (path,) in database.rows("SELECT path FROM files"):
        for word in {part for name in _WORD.findall(path) for part in (name.casefold(), *parts(name))} & wanted:
            holders[word].append(path)
    for word, paths in sorted(holders.items()):
        for path in paths:
            found.strength[path] = found.strength.get(path, 0.0) + 1.0 / (1 + len(paths)) ** 0.5
            found.reason[path] = f"path has {word}" if path not in found.reason else f"{found.reason[path]}, {word}"
    return found


def by_name(database: MapDatabase, task: Task) -> Evidence:
    """Files that the task names outright: by path, by the end of one, or as a dotted module."""
    found = Evidence()
    paths = [row[0] for row in database.rows("SELECT path FROM files")]
    mentioned = set(_PATH.findall(task.text)[:200])
    dotted = {name.replace(".", "/") for name in _DOTTED.findall(task.text)[:200]}
    ends: dict[str, list[str]] = defaultdict(list)
    for path in paths:
        ends[path.rpartition("/")[2]].append(path)
    for mention in sorted(mentioned):
        plain = mention.lstrip("./")
        near = [
            p
            for p in ends.get(plain.rpartition("/")[2], ())
            if p == plain or p.endswith("/" + plain) or plain.endswith("/" + p)
        ]
        for path in near[:5]:
            found.strength[path] = max(found.strength.get(path, 0.0), 1.0 / len(near))
            found.reason[path] = f"named: {mention}"
    stems = {path.rpartition(".")[0].removesuffix("/__init__"): path for path in paths}
    for name in sorted(dotted):
        for length in range(name.count("/") + 1, 1, -1):
            head = "/".join(name.split("/")[:length])
            near = [path for stem, path in stems.items() if stem == head or stem.endswith("/" + head)]
            if near:
                for path in near[:3]:
                    found.strength[path] = max(found.strength.get(path, 0.0), 0.8 / len(near))
                    found.reason.setdefault(path, f"named: {head.replace('/', '.')}")
                break
    return found


def by_commits(database: MapDatabase, task: Task) -> Evidence:
    """Files of past commits whose messages speak of the same."""
    found = Evidence()
    likeness = 0.0
    for commit in history.similar_commits(database, task.text, now=task.now):
        if not 0 < len(commit.files) <= COMMIT_FILES_MAX:
            continue
        likeness = max(likeness, commit.likeness)
        for path in commit.files:
            found.strength[path] = found.strength.get(path, 0.0) + commit.score
            found.reason.setdefault(path, f"changed for “{commit.subject[:60]}”")
    found.share = min(1.0, likeness / LIKENESS_FULL)
    return _present(database, found)


def by_activity(database: MapDatabase, task: Task) -> Evidence:
    """Files that are busy these days."""
    found = Evidence()
    for path, seen in history.activity(database, now=task.now).items():
        if seen.recency > 0:
            found.strength[path] = seen.recency
            found.reason[path] = "changed recently"
    return _present(database, found)


def by_known(database: MapDatabase, task: Task) -> Evidence:
    """Files that change together with those already in play."""
    found = Evidence()
    if task.known:
        for one in history.partners(database, task.known, now=task.now, limit=100):
            found.strength[one.path] = one.score
            found.reason[one.path] = f"changes with {one.of}"
    return _present(database, found)


ASKED: dict[str, Callable[[MapDatabase, Task], Evidence]] = {
    "named": by_name,
    "text": by_text,
    "symbol": by_symbol,
    "path": by_path,
    "commits": by_commits,
    "busy": by_activity,
    "known": by_known,
}


def followed(database: MapDatabase, task: Task, scores: dict[str, float]) -> dict[str, Evidence]:
    """What changes with the best files, and what they use or are used by, in proportion to how good they are."""
    seeds = sorted(scores, key=lambda path: (-scores[path], path))[:SEEDS]
    best = scores[seeds[0]] if seeds else 1.0
    together, neighbour = Evidence(), Evidence()
    for seed in [*task.known, *seeds]:
        weight = scores.get(seed, best) / best
        for one in history.partners(database, [seed], now=task.now, limit=20):
            if one.path != seed:
                together.strength[one.path] = together.strength.get(one.path, 0.0) + weight * one.score
                together.reason.setdefault(one.path, f"changes with {seed}")
        for path, share in _neighbours(database, seed):
            neighbour.strength[path] = neighbour.strength.get(path, 0.0) + weight * share
            neighbour.reason.setdefault(path, f"next to {seed} in the code")
    return {"together": _present(database, together), "neighbour": neighbour}


def _neighbours(database: MapDatabase, path: str) -> list[tuple[str, float]]:
    rows = database.rows(
        "SELECT DISTINCT t.path FROM files s JOIN edges e ON e.file = s.id AND e.kind IN ('imports', 'imports_symbol')"
        " JOIN nodes n ON n.id = e.target JOIN files t ON t.id = n.file WHERE s.path = ? AND t.id != s.id LIMIT 60",
        (path,),
    )
    return [(row[0], 1.0 / len(rows)) for row in rows]


def _present(database: MapDatabase, found: Evidence) -> Evidence:
    """Only files that are in the map today."""
    here = {
        row[0]
        for row in database.rows(
            "SELECT path FROM files WHERE path IN (SELECT value FROM json_each(?))", (json.dumps(list(found.strength)),)
        )
    }
    return replace(found, strength={path: value for path, value in found.strength.items() if path in here})


def _answer(
    database: MapDatabase, task: Task, found: dict[str, Evidence], scores: dict[str, float], limit: int
) -> Located:
    ordered = sorted(scores, key=lambda path: (-scores[path], path))
    code = [path for path in ordered if not is_test(path)]
    best = scores[ordered[0]] if ordered else 1.0
    files = tuple(LocatedFile(path, round(scores[path] / best, 3), _reasons(path, found)) for path in ordered[:limit])
    shown = {file.path for file in files}
    tests = [path for path in ordered[: limit * 4] if is_test(path) and is_runnable_test(path)][:TESTS_MAX]
    coupled = [
        (path, found["together"].reason[path].removeprefix("changes with "))
        for path, _ in sorted(
            found["together"].strength.items(), key=lambda item: (-ROLE_SHARE[role_of(item[0])] * item[1], item[0])
        )
        if path not in shown
    ]
    return Located(files, tuple(tests or _tests_of(database, code[:3])), tuple(coupled[:COUPLED_MAX]))


def _reasons(path: str, found: dict[str, Evidence]) -> tuple[str, ...]:
    said = [
        (WEIGHTS[name] * evidence.scaled().get(path, 0.0), evidence.reason.get(path, ""))
        for name, evidence in found.items()
        if path in evidence.strength
    ]
    said.sort(key=lambda item: (-item[0], item[1]))
    return tuple(reason for worth, reason in said if reason and worth >= REASON_MIN)[:REASONS_MAX]


def _tests_of(database: MapDatabase, paths: list[str]) -> list[str]:
    rows = database.rows(
        "SELECT t.qualified, MAX(e.confidence) FROM nodes f JOIN edges e ON e.source = f.id AND e.kind = 'tested_by'"
        " JOIN nodes t ON t.id = e.target WHERE f.kind = 'file' AND f.qualified IN (SELECT value FROM json_each(?))"
        " GROUP BY t.qualified ORDER BY 2 DESC, 1 LIMIT ?",
        (json.dumps(paths), TESTS_MAX),
    )
    return [row[0] for row in rows]
