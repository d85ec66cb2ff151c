"""What speaks for a file as the place of a task: one kind of evidence after the other, each with its reasons."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from holloway.codemap import queries, search
from holloway.codemap.history import cochange
from holloway.codemap.parse.languages import language_of
from holloway.retrieval import past_sessions
from holloway.safety.repository_text import is_name, is_path
from holloway.text.fts_query import STOP_WORDS
from holloway.text.identifiers import expanded, parts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from datetime import datetime

    from holloway.codemap.database import MapDatabase
    from holloway.codemap.search import Term
    from holloway.retrieval.past_sessions import PastSession

TASK_CHARS_MAX = 20_000
TERMS_MAX = 200
"""Distinct words of a task that are weighed."""
TITLE_WEIGHT = 3
"""How often a word of the first line counts: it says what the rest is about."""
COMMIT_FILES_MAX = 10
"""Files: a commit with more says little about any one of them."""
LIKENESS_FULL = 0.25
"""How much of a task the most similar message must cover for its files to count in full."""
ELSEWHERE = 0.4
"""What the latest sessions are worth where none of them was on this branch: the work may well be new."""
LATELY = "opened in the latest sessions"
UNDERWAY = "changed on this branch"
IN_COMMITS, IN_TASK, UNNAMED_PART = "changed in commits about ", "opened for a task about ", "closest part has "
"""How reasons begin that list words of the task: of commits, of earlier tasks, of a part whose name is not shown."""
UNDERWAY_FULL = 8
"""Files: of a branch that changed more, each says less."""
SEEDS = 5
"""Best files whose partners and neighbours are looked at."""
DOTTED_PARTS_MAX = 12
"""No module lies deeper."""
WORDS_SHOWN = 4
SYMBOLS_MAX = 3

# A run of letters is looked at from its beginning only, so that a long one takes no longer than many short ones.
_PATH = re.compile(r"(?<![\w.@+-])[\w.@+-]*(?:/[\w.@+-]+)+|(?<![\w-])[\w-]+\.[A-Za-z]{1,5}\b")
_DOTTED = re.compile(r"\b[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+")
_IMPORT = re.compile(r"^[\s>]*(?:from\s+[\w.]+\s+import\b|import\s).*$", re.MULTILINE)
_ASIDE = re.compile(
    r"^[ \t]*[\w-]+-by:\s.*$|https?://(?:\S*/(?:\d+\b)?|\S*)|#\d+\b|\b(?=[a-f]*\d)[0-9a-f]{7,40}\b",
    re.MULTILINE | re.IGNORECASE,
)
"""What a tool adds to a text and is not what it is about: who signed it, numbers of issues, ids, and of an address all
but its end, which often is the title of what lies there."""
_IDENTIFIER = re.compile(r"[A-Za-z_$][\w$]{2,}")
_WORD = re.compile(r"\w{2,}")


class Coupled(NamedTuple):
    """A file that changes with one of the best: with which, and in how many of its latest commits."""

    path: str
    other: str
    commits: int
    of: int


@dataclass(frozen=True, slots=True)
class Task:
    """What was asked, taken apart once."""

    text: str
    said: str
    """The text without what a tool added to it."""
    known: tuple[str, ...]
    now: datetime
    terms: dict[str, int]
    """The words, and how often each is said."""
    identifiers: list[str]
    telling: list[Term]
    """Those of the words that are worth looking for in this project."""
    paths: list[str]
    """All files of the project."""


@dataclass(slots=True)
class Evidence:
    """What one kind of evidence says: a strength for each file, and words for the reason."""

    strength: dict[str, float] = field(default_factory=dict)
    reason: dict[str, str] = field(default_factory=dict)
    symbols: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    """The parts of a file that it speaks for, the best first."""
    coupled: dict[str, Coupled] = field(default_factory=dict)
    """With what a file changes, where that is the evidence."""
    share: float = 1.0
    """How far this kind of evidence can be trusted for this task."""

    def scaled(self) -> dict[str, float]:
        """Strengths with the best at the share."""
        best = max(self.strength.values(), default=0.0)
        return {path: self.share * value / best for path, value in self.strength.items()} if best > 0 else {}


def understand(database: MapDatabase, task: str, known: Sequence[str], now: datetime) -> Task:
    """The words to look for and the names that are meant as names."""
    text = task[:TASK_CHARS_MAX]
    said = _ASIDE.sub(" ", text)
    words: Counter[str] = Counter()
    title = _title(said)
    for word in _WORD.findall(said) + (TITLE_WEIGHT - 1) * _WORD.findall(title):
        for form in {word.replace("_", "").casefold(), *parts(word)}:
            if len(form) > 1 and form not in STOP_WORDS:
                words[form] += 1
    identifiers = [
        word for word in dict.fromkeys(_IDENTIFIER.findall(said)) if "_" in word.strip("_") or len(parts(word)) > 1
    ]
    terms = dict(words.most_common(TERMS_MAX))
    telling = search.telling(database, terms)
    return Task(text, said, tuple(known), now, terms, identifiers[:TERMS_MAX], telling, queries.paths(database))


def _title(text: str) -> str:
    """The first line, or the line that it leads to: "Implement the following plan:" says nothing of the task."""
    lines = (line.strip() for line in text.split("\n"))
    filled = list(islice((line for line in lines if line), 2))
    is_lead = len(filled) > 1 and filled[0].endswith(":")
    return filled[int(is_lead)] if filled else ""


def shared_words(task: Task, text: str) -> str:
    """List the words of a task that a text has too, those that say most first.

    A reason quotes nothing but the task itself: what commits, headings and earlier prompts say is not ours to repeat.
    """
    present = set(expanded(text[:TASK_CHARS_MAX]))
    ordered = sorted(task.telling, key=lambda term: -term.weight)
    return ", ".join(list(dict.fromkeys(term.word for term in ordered if term.word in present))[:WORDS_SHOWN])


def by_text(database: MapDatabase, task: Task) -> Evidence:
    """Files that as wholes are about the words."""
    found = Evidence()
    for path, score, words in search.files(database, task.telling):
        found.strength[path] = score
        found.reason[path] = f"speaks of {', '.join(words[:WORDS_SHOWN])}"
    return found


def by_piece(database: MapDatabase, task: Task) -> Evidence:
    """Files with one piece that has many of the words."""
    found = Evidence()
    for path, name, score in search.pieces(database, task.telling):
        found.strength.setdefault(path, score)
        if not name:
            continue
        if not (language_of(path) and is_name(name)):
            if words := shared_words(task, name):
                found.reason.setdefault(path, UNNAMED_PART + words)
            continue
        found.reason.setdefault(path, f"closest in {name}")
        if name not in found.symbols[path] and len(found.symbols[path]) < SYMBOLS_MAX:
            found.symbols[path].append(name)
    return found


def by_symbol(database: MapDatabase, task: Task) -> Evidence:
    """Definitions that carry a name of the task; a name that few files define says more."""
    found = Evidence()
    for name in task.identifiers:
        rows = queries.definers(database, name)
        for path, kind in rows:
            found.strength[path] = found.strength.get(path, 0.0) + 1.0 / len(rows)
            found.reason.setdefault(path, f"defines {kind} {name}")
    return found


def by_path(database: MapDatabase, task: Task) -> Evidence:
    """Files whose path has the words of the task; a word that is in few paths says more."""
    found = Evidence()
    wanted = set(task.terms)
    holders: dict[str, list[str]] = defaultdict(list)
    for path in task.paths:
        for word in {part for name in path.split("/") for part in _words_of(name)} & wanted:
            holders[word].append(path)
    for word, paths in sorted(holders.items()):
        for path in paths:
            found.strength[path] = found.strength.get(path, 0.0) + 1.0 / (1 + len(paths)) ** 0.5
            found.reason[path] = f"path has {word}" if path not in found.reason else f"{found.reason[path]}, {word}"
    return found


@lru_cache(maxsize=50_000)
def _words_of(name: str) -> tuple[str, ...]:
    """The words in the name of a file or folder."""
    return tuple(part for word in _WORD.findall(name) for part in (word.casefold(), *parts(word)))


def by_name(database: MapDatabase, task: Task) -> Evidence:
    """Files that the task names outright: by path, by the end of one, or as a dotted module."""
    found = Evidence()
    for mention, near in _mentioned(task):
        for path in near[:5]:
            found.strength[path] = max(found.strength.get(path, 0.0), 1.0 / len(near))
            found.reason[path] = f"named: {mention}"
    for head, near in _dotted(task):
        for path in near[:3]:
            found.strength[path] = max(found.strength.get(path, 0.0), 0.8 / len(near))
            found.reason.setdefault(path, f"named: {head.replace('/', '.')}")
    # Of the many files of a traceback, each says less.
    found.share = max(len(found.strength), 1) ** -0.5
    return found


def _mentioned(task: Task) -> Iterator[tuple[str, list[str]]]:
    """What looks like a path in a task, and the files that it may be."""
    plain = {mention: mention.lstrip("./") for mention in set(_PATH.findall(task.text)[:200])}
    ends: dict[str, list[str]] = {name.rpartition("/")[2]: [] for name in plain.values()}
    for path in task.paths if ends else ():
        if (name := path.rpartition("/")[2]) in ends:
            ends[name].append(path)
    for mention, name in sorted(plain.items()):
        near = [
            path
            for path in ends[name.rpartition("/")[2]]
            if path == name or path.endswith("/" + name) or name.endswith("/" + path)
        ]
        if near:
            yield mention, near


def _dotted(task: Task) -> Iterator[tuple[str, list[str]]]:
    """What looks like a dotted module, as far as it is one, and its files; what an example imports, everybody does."""
    dotted = {tuple(name.split(".")[:DOTTED_PARTS_MAX]) for name in _DOTTED.findall(_IMPORT.sub("", task.text))[:200]}
    stems: dict[str, dict[str, str]] = {}
    for path in task.paths if dotted else ():
        stem = path.rpartition(".")[0].removesuffix("/__init__")
        stems.setdefault(stem.rpartition("/")[2], {})[stem] = path
    for name in sorted(dotted):
        for length in range(len(name), 1, -1):
            head = "/".join(name[:length])
            alike = stems.get(name[length - 1], {})
            near = [path for stem, path in alike.items() if stem == head or stem.endswith("/" + head)]
            if near:
                yield head, near
                break


def by_commits(database: MapDatabase, task: Task) -> Evidence:
    """Files of past commits whose messages speak of the same."""
    found = Evidence()
    likeness = 0.0
    for commit in cochange.similar_commits(database, task.said, now=task.now):
        if not 0 < len(commit.files) <= COMMIT_FILES_MAX:
            continue
        likeness = max(likeness, commit.likeness)
        for path in commit.files:
            found.strength[path] = found.strength.get(path, 0.0) + commit.score
            if words := shared_words(task, commit.subject):
                found.reason.setdefault(path, IN_COMMITS + words)
    found.share = min(1.0, likeness / LIKENESS_FULL)
    return _present(database, found)


def by_activity(database: MapDatabase, task: Task) -> Evidence:
    """Files that are busy these days."""
    found = Evidence()
    found.strength.update(cochange.recency(database, now=task.now))
    found.reason = dict.fromkeys(found.strength, "changed recently")
    return _present(database, found)


def by_sessions(
    database: MapDatabase, task: Task, past: Sequence[PastSession], branch: str = ""
) -> dict[str, Evidence]:
    """Files that earlier sessions opened: for similar tasks, and lately."""
    alike, lately = Evidence(), Evidence()
    for path, (strength, earlier) in past_sessions.similar(past, task.said).items():
        alike.strength[path] = strength
        words = shared_words(task, earlier)
        alike.reason[path] = IN_TASK + words if words else "opened for a similar task"
    lately.strength.update(past_sessions.recent(past, branch))
    lately.share = 1.0 if any(branch and each.branch == branch for each in past) else ELSEWHERE
    lately.reason = dict.fromkeys(lately.strength, LATELY)
    return {"sessions": _present(database, alike), "recent": _present(database, lately)}


def by_branch(database: MapDatabase, underway: Sequence[str]) -> Evidence:
    """Files that the work at hand changed already: it mostly goes on there, whatever the next step is called."""
    found = Evidence(dict.fromkeys(underway, 1.0), dict.fromkeys(underway, UNDERWAY))
    found.share = min(1.0, (UNDERWAY_FULL / max(len(underway), 1)) ** 0.5)
    return _present(database, found)


def by_known(database: MapDatabase, task: Task) -> Evidence:
    """Files that change together with those already in play."""
    found = Evidence()
    if task.known:
        for one in cochange.partners(database, task.known, now=task.now, limit=100):
            found.strength[one.path] = one.score
    return _present(database, found)


ASKED: dict[str, Callable[[MapDatabase, Task], Evidence]] = {
    "named": by_name,
    "text": by_text,
    "piece": by_piece,
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
        for one in cochange.partners(database, [seed], now=task.now, limit=20):
            if one.path != seed:
                together.strength[one.path] = together.strength.get(one.path, 0.0) + weight * one.score
                if is_path(seed):
                    together.reason.setdefault(one.path, f"changes with {seed}")
                together.coupled.setdefault(one.path, Coupled(one.path, seed, one.commits, one.of))
        used = queries.imported(database, seed)
        for path in used:
            neighbour.strength[path] = neighbour.strength.get(path, 0.0) + weight / len(used)
            if is_path(seed):
                neighbour.reason.setdefault(path, f"imported by {seed}")
    return {"together": _present(database, together), "neighbour": neighbour}


def _present(database: MapDatabase, found: Evidence) -> Evidence:
    """Only files that are in the map today."""
    here = queries.present(database, found.strength)
    return replace(found, strength={path: value for path, value in found.strength.items() if path in here})
