"""Evidence that a file is relevant for a task, by kind: text, symbols, paths, commits, sessions, co-change."""

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
from holloway.config import REASON_WORDS_MAX
from holloway.retrieval import past_sessions
from holloway.safety.repository_text import is_name, is_path
from holloway.text.file_roles import is_test
from holloway.text.function_words import find_function_words
from holloway.text.identifiers import UNSPACED_WORD_LETTERS, expand_words, is_unspaced, split_identifier

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from datetime import datetime

    from holloway.codemap.database import MapDatabase
    from holloway.codemap.search import Term
    from holloway.retrieval.past_sessions import PastSession

LOCATE_TASK_CHARS_MAX = 20_000
TERMS_MAX = 200
"""Distinct words of a task that are weighted."""
TITLE_WEIGHT = 3
"""Weight of a word in the first line, which says what the task is about."""
COMMIT_FILES_MAX = 10
"""Files: a commit with more says little about any one of them."""
FULL_SIMILARITY = 0.25
"""Share of a task that the most similar commit message must cover for its files to count in full."""
SAME_TASK_SIMILARITY = 0.25
"""Similarity of the most similar earlier task from which on files of such tasks count in full."""
OTHER_BRANCH_SHARE = 0.4
"""Trust in the latest sessions if none of them was on this branch: the work may be new."""
LATELY_REASON = "opened in the latest sessions"
UNDERWAY_REASON = "changed on this branch"
HABIT_REASON = "opened in many sessions"
IN_COMMITS, IN_TASK, UNNAMED_PART = "changed in commits about ", "opened for a task about ", "closest part has "
"""Prefixes of reasons that list words of the task: from commits, earlier tasks, and a chunk whose name is hidden."""
UNDERWAY_FULL = 2
"""Files: if a branch changed more, they share this weight."""
SEEDS = 5
"""Best files whose co-changed files are added."""
DOTTED_PARTS_MAX = 12
"""Parts of a dotted module name that are compared."""
SYMBOLS_MAX = 3

# A run of letters matches from its beginning only, so that a long one takes linear time.
_PATH = re.compile(r"(?<![\w.@+-])[\w.@+-]*(?:/[\w.@+-]+)+|(?<![\w-])[\w-]+\.[A-Za-z]{1,5}\b")
_DOTTED = re.compile(r"\b[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+")
_IMPORT = re.compile(r"^[\s>]*(?:from\s+[\w.]+\s+import\b|import\s).*$", re.MULTILINE)
_ASIDE = re.compile(
    r"^[ \t]*[\w-]+-by:\s.*$|https?://(?:\S*/(?:\d+\b)?|\S*)|#\d+\b|\b(?=[a-f]*\d)[0-9a-f]{7,40}\b",
    re.MULTILINE | re.IGNORECASE,
)
"""Text that tools add and that does not describe the task: trailers, issue numbers, hashes, and an address except for
its end, which often is the title of the page."""
_IDENTIFIER = re.compile(r"[A-Za-z_$][\w$]{2,}")
_WORD = re.compile(r"\w{2,}")


class CoupledFile(NamedTuple):
    """A file that often changed together with one of the best: with which, and in how many of its latest commits."""

    path: str
    other: str
    commits: int
    of: int


@dataclass(frozen=True, slots=True)
class LocateTask:
    """A task, parsed once."""

    text: str
    cleaned_text: str
    """The text without additions of tools."""
    files_in_play: tuple[str, ...]
    now: datetime
    terms: dict[str, int]
    """The words, with their number of occurrences."""
    identifiers: list[str]
    informative_terms: list[Term]
    """The words that are worth searching in this project, weighted."""
    paths: list[str]
    """All files of the project."""


@dataclass(slots=True)
class FileEvidence:
    """One kind of evidence: a strength and a reason for each file."""

    strength: dict[str, float] = field(default_factory=dict)
    reason: dict[str, str] = field(default_factory=dict)
    symbols: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    """The best matching symbols of a file, the best first."""
    coupled: dict[str, CoupledFile] = field(default_factory=dict)
    """The file that each file often changed with, if that is the evidence."""
    share: float = 1.0
    """How far this kind of evidence is trusted for this task, from 0 to 1."""

    def scale_strengths(self) -> dict[str, float]:
        """Return the strengths scaled so that the best equals the share."""
        best = max(self.strength.values(), default=0.0)
        return {path: self.share * value / best for path, value in self.strength.items()} if best > 0 else {}


def parse_task(database: MapDatabase, task: str, files_in_play: Sequence[str], now: datetime) -> LocateTask:
    """Parse a task: its weighted words, its identifiers, and the files of the project."""
    text = task[:LOCATE_TASK_CHARS_MAX]
    cleaned = _ASIDE.sub(" ", text)
    words: Counter[str] = Counter()
    function_words = find_function_words(cleaned)
    title = _find_title(cleaned)
    for word in _WORD.findall(cleaned) + (TITLE_WEIGHT - 1) * _WORD.findall(title):
        for form in {word.replace("_", "").casefold(), *split_identifier(word)}:
            if len(form) > 1 and form not in function_words:
                words[form] += 1
    identifiers = [
        word
        for word in dict.fromkeys(_IDENTIFIER.findall(cleaned))
        if "_" in word.strip("_") or len(split_identifier(word)) > 1
    ]
    terms = dict(words.most_common(TERMS_MAX))
    telling = search.select_terms(database, terms)
    return LocateTask(
        text, cleaned, tuple(files_in_play), now, terms, identifiers[:TERMS_MAX], telling, queries.list_paths(database)
    )


def _find_title(text: str) -> str:
    """Return the first line, or the next one if the first is only an introduction ("Implement the following plan:")."""
    lines = (line.strip() for line in text.split("\n"))
    filled = list(islice((line for line in lines if line), 2))
    is_lead = len(filled) > 1 and filled[0].endswith(":")
    return filled[int(is_lead)] if filled else ""


def list_shared_words(task: LocateTask, text: str) -> str:
    """List the words of a task that a text also contains, the most informative first.

    A reason quotes only the task itself, because commits, headings and earlier prompts are untrusted text.
    """
    present = set(expand_words(text[:LOCATE_TASK_CHARS_MAX]))
    ordered = sorted(task.informative_terms, key=lambda term: -term.weight)
    return ", ".join(list(dict.fromkeys(term.word for term in ordered if term.word in present))[:REASON_WORDS_MAX])


def score_by_text(database: MapDatabase, task: LocateTask) -> FileEvidence:
    """Score files whose full text matches the words."""
    evidence = FileEvidence()
    for path, score, words in search.search_files(database, task.informative_terms):
        evidence.strength[path] = score
        evidence.reason[path] = f"speaks of {', '.join(words[:REASON_WORDS_MAX])}"
    return evidence


def score_by_chunk(database: MapDatabase, task: LocateTask) -> FileEvidence:
    """Score files by their best chunk, which contains many of the words."""
    evidence = FileEvidence()
    for path, name, score in search.search_chunks(database, task.informative_terms):
        evidence.strength.setdefault(path, score)
        if not name:
            continue
        if not (language_of(path) and is_name(name)):
            if words := list_shared_words(task, name):
                evidence.reason.setdefault(path, UNNAMED_PART + words)
            continue
        evidence.reason.setdefault(path, f"closest in {name}")
        if name not in evidence.symbols[path] and len(evidence.symbols[path]) < SYMBOLS_MAX:
            evidence.symbols[path].append(name)
    return evidence


def score_by_symbol(database: MapDatabase, task: LocateTask) -> FileEvidence:
    """Score files that define an identifier of the task; one that few files define counts more."""
    evidence = FileEvidence()
    for name in task.identifiers:
        rows = queries.find_definers(database, name)
        for path, kind in rows:
            evidence.strength[path] = evidence.strength.get(path, 0.0) + 1.0 / len(rows)
            evidence.reason.setdefault(path, f"defines {kind} {name}")
    return evidence


def score_by_path(database: MapDatabase, task: LocateTask) -> FileEvidence:
    """Score files whose path contains words of the task; a word that is in few paths counts more."""
    evidence = FileEvidence()
    wanted = set(task.terms)
    paths_by_word: dict[str, list[str]] = defaultdict(list)
    for path in task.paths:
        for word in {part for name in path.split("/") for part in _split_name(name)} & wanted:
            paths_by_word[word].append(path)
    for word, paths in sorted(paths_by_word.items()):
        for path in paths:
            evidence.strength[path] = evidence.strength.get(path, 0.0) + 1.0 / (1 + len(paths)) ** 0.5
            evidence.reason[path] = (
                f"path has {word}" if path not in evidence.reason else f"{evidence.reason[path]}, {word}"
            )
    return evidence


@lru_cache(maxsize=50_000)
def _split_name(name: str) -> tuple[str, ...]:
    """Split the name of a file or folder into words."""
    return tuple(part for word in _WORD.findall(name) for part in (word.casefold(), *split_identifier(word)))


def score_by_mention(database: MapDatabase, task: LocateTask) -> FileEvidence:
    """Score files that the task mentions: by path, by the end of one, or as a dotted module."""
    evidence = FileEvidence()
    for mention, candidate_paths in _find_mentioned_files(task):
        for path in candidate_paths[:5]:
            evidence.strength[path] = max(evidence.strength.get(path, 0.0), 1.0 / len(candidate_paths))
            evidence.reason[path] = f"named: {mention}"
    for head, candidate_paths in _find_dotted_modules(task):
        for path in candidate_paths[:3]:
            evidence.strength[path] = max(evidence.strength.get(path, 0.0), 0.8 / len(candidate_paths))
            evidence.reason.setdefault(path, f"named: {head.replace('/', '.')}")
    # If many files are mentioned, as in a traceback, each counts less.
    evidence.share = max(len(evidence.strength), 1) ** -0.5
    return evidence


def _find_mentioned_files(task: LocateTask) -> Iterator[tuple[str, list[str]]]:
    """Yield each mention that looks like a path, with the files that it may mean; case decides only between them."""
    names_by_mention = {mention: mention.lstrip("./") for mention in set(_PATH.findall(task.text)[:200])}
    paths_by_name: dict[str, list[str]] = {_fold_name(name): [] for name in names_by_mention.values()}
    for path in task.paths if paths_by_name else ():
        if (name := _fold_name(path)) in paths_by_name:
            paths_by_name[name].append(path)
    for mention, name in sorted(names_by_mention.items()):
        paths = paths_by_name[_fold_name(name)]
        exact = [path for path in paths if _is_path_end(name, path)]
        if candidate_paths := exact or [path for path in paths if _is_path_end(name.casefold(), path.casefold())]:
            yield mention, candidate_paths
    yield from _find_unspaced_mentions(task)


def _find_unspaced_mentions(task: LocateTask) -> Iterator[tuple[str, list[str]]]:
    """Yield each name of a file that stands in the text without spaces around it, as in Japanese, with its files."""
    if not is_unspaced(task.text):
        return
    paths_by_stem: dict[str, list[str]] = defaultdict(list)
    for path in task.paths:
        stem = path.rpartition("/")[2].partition(".")[0]
        if len(stem) >= UNSPACED_WORD_LETTERS and is_unspaced(stem) and stem in task.text:
            paths_by_stem[stem].append(path)
    yield from sorted(paths_by_stem.items())


def _fold_name(path: str) -> str:
    return path.rpartition("/")[2].casefold()


def _is_path_end(name: str, path: str) -> bool:
    """Whether one of two paths is the end of the other."""
    return path == name or path.endswith("/" + name) or name.endswith("/" + path)


def _find_dotted_modules(task: LocateTask) -> Iterator[tuple[str, list[str]]]:
    """Yield each dotted module name, as far as it is a module, with its files; imports in examples are ignored."""
    dotted = {tuple(name.split(".")[:DOTTED_PARTS_MAX]) for name in _DOTTED.findall(_IMPORT.sub("", task.text))[:200]}
    stems: dict[str, dict[str, str]] = {}
    for path in task.paths if dotted else ():
        stem = path.rpartition(".")[0].removesuffix("/__init__")
        stems.setdefault(stem.rpartition("/")[2], {})[stem] = path
    for name in sorted(dotted):
        for length in range(len(name), 1, -1):
            head = "/".join(name[:length])
            paths_by_stem = stems.get(name[length - 1], {})
            candidate_paths = [
                path for stem, path in paths_by_stem.items() if stem == head or stem.endswith("/" + head)
            ]
            if candidate_paths:
                yield head, candidate_paths
                break


def score_by_commits(database: MapDatabase, task: LocateTask) -> FileEvidence:
    """Score files of past commits with similar messages."""
    evidence = FileEvidence()
    similarity = 0.0
    for commit in cochange.find_similar_commits(database, task.cleaned_text, now=task.now):
        if not 0 < len(commit.files) <= COMMIT_FILES_MAX:
            continue
        similarity = max(similarity, commit.likeness)
        for path in commit.files:
            evidence.strength[path] = evidence.strength.get(path, 0.0) + commit.score
            if words := list_shared_words(task, commit.subject):
                evidence.reason.setdefault(path, IN_COMMITS + words)
    evidence.share = min(1.0, similarity / FULL_SIMILARITY)
    return _drop_missing_files(database, evidence)


def score_by_sessions(
    database: MapDatabase, task: LocateTask, past: Sequence[PastSession], branch: str = ""
) -> dict[str, FileEvidence]:
    """Score files that earlier sessions opened: for similar tasks, recently, and in most sessions."""
    similar, lately, habit = FileEvidence(), FileEvidence(), FileEvidence()
    scores, tasks, similarity = past_sessions.score_similar_sessions(past, task.cleaned_text)
    similar.strength.update(scores)
    for path, earlier in tasks.items():
        words = list_shared_words(task, earlier)
        similar.reason[path] = IN_TASK + words if words else "opened for a similar task"
    similar.share = min(1.0, similarity / SAME_TASK_SIMILARITY)
    lately.strength.update(past_sessions.score_recent_sessions(past, branch))
    lately.share = 1.0 if any(branch and session.branch == branch for session in past) else OTHER_BRANCH_SHARE
    lately.reason = dict.fromkeys(lately.strength, LATELY_REASON)
    habit.strength.update(past_sessions.measure_habits(past))
    habit.share = max(habit.strength.values(), default=0.0)
    habit.reason = dict.fromkeys(habit.strength, HABIT_REASON)
    by_kind = {"sessions": similar, "recent": lately, "habit": habit}
    return {name: _drop_missing_files(database, evidence) for name, evidence in by_kind.items()}


def score_by_branch(database: MapDatabase, underway: Sequence[str]) -> FileEvidence:
    """Score files that the current branch already changed: work mostly continues there."""
    evidence = FileEvidence(dict.fromkeys(underway, 1.0), dict.fromkeys(underway, UNDERWAY_REASON))
    evidence.share = min(1.0, UNDERWAY_FULL / max(len(underway), 1))
    return _drop_missing_files(database, evidence)


def score_by_files_in_play(database: MapDatabase, task: LocateTask) -> FileEvidence:
    """Score files that often changed together with those already in play."""
    evidence = FileEvidence()
    if task.files_in_play:
        for partner in cochange.find_partners(database, task.files_in_play, now=task.now, limit=100):
            evidence.strength[partner.path] = partner.score
    return _drop_missing_files(database, evidence)


SCORERS: dict[str, Callable[[MapDatabase, LocateTask], FileEvidence]] = {
    "named": score_by_mention,
    "text": score_by_text,
    "piece": score_by_chunk,
    "symbol": score_by_symbol,
    "path": score_by_path,
    "commits": score_by_commits,
    "known": score_by_files_in_play,
}


def score_related_files(database: MapDatabase, task: LocateTask, scores: dict[str, float]) -> dict[str, FileEvidence]:
    """Score files that changed with the best files, or are tested by a file that matches."""
    seeds = sorted(scores, key=lambda path: (-scores[path], path))[:SEEDS]
    best = scores[seeds[0]] if seeds else 1.0
    together = FileEvidence()
    for seed in [*task.files_in_play, *seeds]:
        weight = scores.get(seed, best) / best
        for partner in cochange.find_partners(database, [seed], now=task.now, limit=20):
            if partner.path != seed:
                together.strength[partner.path] = together.strength.get(partner.path, 0.0) + weight * partner.score
                if is_path(seed):
                    together.reason.setdefault(partner.path, f"changes with {seed}")
                together.coupled.setdefault(partner.path, CoupledFile(partner.path, seed, partner.commits, partner.of))
    return {"together": _drop_missing_files(database, together), "tested": _score_tested_files(database, scores)}


def _score_tested_files(database: MapDatabase, scores: dict[str, float]) -> FileEvidence:
    """Score files by the best test that is named after them: its words describe the file that it tests."""
    evidence = FileEvidence()
    tested = queries.find_tested(database, [path for path in scores if is_test(path)])
    for test, path in sorted(tested.items()):
        if scores[test] > evidence.strength.get(path, 0.0):
            evidence.strength[path] = scores[test]
            if is_path(test):
                evidence.reason[path] = f"tested by {test}"
    evidence.share = min(1.0, max(evidence.strength.values(), default=0.0) / max(scores.values(), default=1.0))
    return evidence


def _drop_missing_files(database: MapDatabase, evidence: FileEvidence) -> FileEvidence:
    """Drop files that are no longer in the code map."""
    existing_paths = queries.filter_existing(database, evidence.strength)
    return replace(
        evidence, strength={path: value for path, value in evidence.strength.items() if path in existing_paths}
    )
