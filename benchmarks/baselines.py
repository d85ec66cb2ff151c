"""Simple programs as baselines: BM25 over contents, past commits with similar words, files that changed together.

Shared by the benchmarks on commits and on issues. Everything is in memory and follows a checkout
(`benchmarks/checkout.py`) from commit to commit.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Generic, TypeVar

from benchmarks.checkout import git
from holloway.text.identifiers import STOP_WORDS

K1, B = 1.2, 0.75
NEIGHBOURS = 50
RRF_K = 20
RRF_DEPTH = 100
FILE_BYTES_MAX = 1 << 20
COMMIT_FILES_MAX = 10
RENAMES_MAX = 20

SOURCE_SUFFIXES = frozenset(
    ".py .pyi .ts .tsx .mts .cts .js .jsx .mjs .cjs .go .rs .java .kt .c .h .cc .cpp .cxx .hpp .cs .rb .php".split()
)
_TEST = re.compile(
    r"(^|/)(tests?|testing|__tests__|spec|testdata)/|(^|/)(test_[^/]*|conftest|[^/]*([._]test|\.spec|_tests?))\.\w+$"
)
_WORD = re.compile(r"[^\W\d]\w*|\d+")
_PART = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+|[^\W\d_A-Za-z]+")
_SUFFIXES = (("ies", "y"), ("sses", "ss"), ("ing", ""), ("ed", ""), ("es", ""), ("s", ""))

Key = TypeVar("Key", str, int)


def is_source(path: str) -> bool:
    """Whether a path names a file of code, tests included, but not of prose, data or configuration."""
    return Path(path).suffix.lower() in SOURCE_SUFFIXES


def is_test(path: str) -> bool:
    """Whether a path names a test, by its folder or its name."""
    return _TEST.search(path.lower()) is not None


def tokens(text: str) -> list[str]:
    """Words without endings, compound identifiers also whole; stop words and single letters are out."""
    forms = [token for word in _WORD.findall(text) for token in _forms(word)]
    return [token for token in forms if len(token) > 1 and token not in STOP_WORDS]


@lru_cache(maxsize=1 << 18)
def _forms(word: str) -> tuple[str, ...]:
    parts = [part.lower() for part in _PART.findall(word)]
    whole = (word.strip("_").lower(),) if len(parts) > 1 else ()
    return (*map(stem, parts), *whole)


def stem(word: str) -> str:
    """A word without the endings of English plurals and verbs; crude, and the same for questions and texts."""
    for suffix, replacement in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= 3 and not (suffix == "s" and word.endswith("ss")):
            word = word.removesuffix(suffix) + replacement
            break
    return word[:-1] if word.endswith("e") and len(word) > 4 else word


class Bm25(Generic[Key]):
    """BM25 over documents that come and go."""

    def __init__(self) -> None:
        self._counts: dict[Key, Mapping[str, int]] = {}
        self._lengths: dict[Key, int] = {}
        self._postings: defaultdict[str, dict[Key, int]] = defaultdict(dict)
        self._total = 0

    def put(self, key: Key, counts: Mapping[str, int]) -> None:
        """Add a document, or replace the one of this name."""
        self.drop(key)
        self._counts[key] = counts
        self._lengths[key] = sum(counts.values())
        self._total += self._lengths[key]
        for token, count in counts.items():
            self._postings[token][key] = count

    def drop(self, key: Key) -> None:
        """Take a document out, if it is there."""
        for token in self._counts.pop(key, ()):
            del self._postings[token][key]
        self._total -= self._lengths.pop(key, 0)

    def scores(self, text: str) -> dict[Key, float]:
        """The documents that share a word with the text; a word that is repeated in it counts again."""
        key_scores: defaultdict[Key, float] = defaultdict(float)
        mean = self._total / len(self._counts) if self._counts else 1.0
        for token, weight in Counter(tokens(text)).items():
            holders = self._postings.get(token, {})
            rarity = math.log(1 + (len(self._counts) - len(holders) + 0.5) / (len(holders) + 0.5))
            for key, count in holders.items():
                length = 1 - B + B * self._lengths[key] / mean
                key_scores[key] += weight * rarity * count * (K1 + 1) / (count + K1 * length)
        return key_scores


@dataclass(slots=True)
class Contents:
    """BM25 over the source files of a checkout, contents and path; only files whose content changed are read again."""

    wanted: Callable[[str], bool] = is_source
    index: Bm25[str] = field(default_factory=lambda: Bm25[str]())
    blobs: dict[str, str] = field(default_factory=dict)
    _counts: dict[str, Counter[str]] = field(default_factory=dict)

    def follow(self, root: Path) -> None:
        """Bring the index to what is checked out."""
        listed = {path: blob for path, blob in source_blobs(root).items() if self.wanted(path)}
        for path in self.blobs.keys() - listed.keys():
            self.index.drop(path)
        for path, blob in listed.items():
            if self.blobs.get(path) != blob:
                self.index.put(path, self._content(root / path, blob) + Counter(tokens(path)))
        self.blobs = listed

    def _content(self, path: Path, blob: str) -> Counter[str]:
        if blob not in self._counts:
            with path.open("rb") as file:
                self._counts[blob] = Counter(tokens(file.read(FILE_BYTES_MAX).decode("utf-8", "replace")))
        return self._counts[blob]


def source_blobs(root: Path) -> dict[str, str]:
    """The source files of the commit that is checked out, each with the hash of its content, without links."""
    entries = (line.split("\t", 1) for line in git(root, "ls-tree", "-r", "-z", "HEAD").split("\0") if line)
    files = ((path, about.split()) for about, path in entries)
    return {path: blob for path, (mode, _, blob) in files if mode.startswith("100") and is_source(path)}


@dataclass(frozen=True, slots=True)
class Commit:
    """A commit without merges: what it says and which source files it touched, by the names they had."""

    hash: str
    at: float
    message: str
    files: tuple[str, ...]
    renames: tuple[tuple[str, str], ...] = ()

    @property
    def counts(self) -> bool:
        """Whether there is something to learn: a commit over many files says little about any of them."""
        return 1 <= len(self.files) <= COMMIT_FILES_MAX


@dataclass(slots=True)
class History:
    """The commits before the one that is checked out: who they are like, and what changed together in them."""

    index: Bm25[str] = field(default_factory=lambda: Bm25[str]())
    commits: dict[str, Commit] = field(default_factory=dict)
    _head: str = ""
    _of_file: defaultdict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    _renamed: dict[str, str] = field(default_factory=dict)

    def follow(self, root: Path) -> None:
        """Learn what is an ancestor now, and unlearn what is not: neighbours in time may lie on other branches."""
        before, self._head = self._head, git(root, "rev-parse", "HEAD").strip()
        for commit in log(root, before, f"^{self._head}") if before else ():
            self._drop(commit)
        for commit in log(root, self._head, *([f"^{before}"] if before else [])):
            self._renamed.update(commit.renames)
            if commit.counts:
                self._put(commit)

    def _put(self, commit: Commit) -> None:
        self.commits[commit.hash] = commit
        self.index.put(commit.hash, Counter(tokens(commit.message)))
        for path in commit.files:
            self._of_file[path].add(commit.hash)

    def _drop(self, commit: Commit) -> None:
        self.commits.pop(commit.hash, None)
        self.index.drop(commit.hash)
        for path in commit.files:
            self._of_file[path].discard(commit.hash)

    def similar(self, message: str, present: Iterable[str]) -> dict[str, float]:
        """The files of the commits whose messages are nearest, each by the squared scores of its commits."""
        names, scores, path_scores = set(present), self.index.scores(message), defaultdict[str, float](float)
        for near in rank_keys(scores)[:NEIGHBOURS]:
            for path in self._today(self.commits[near].files, names):
                path_scores[path] += scores[near] ** 2
        return path_scores

    def together(self, path: str, present: Iterable[str]) -> dict[str, float]:
        """The files that changed in the same commits as this one, a small commit telling more than a large one."""
        names, path_scores = set(present), defaultdict[str, float](float)
        for name in self._names(path):
            for commit in self._of_file.get(name, ()):
                for other in self._today(self.commits[commit].files, names) - {path}:
                    path_scores[other] += 1 / math.sqrt(len(self.commits[commit].files))
        return path_scores

    def _today(self, paths: Iterable[str], present: set[str]) -> set[str]:
        return {name for path in paths if (name := self._current(path, present)) in present}

    def _current(self, path: str, present: set[str]) -> str:
        for _ in range(RENAMES_MAX):
            if path in present or path not in self._renamed:
                break
            path = self._renamed[path]
        return path

    def _names(self, path: str) -> set[str]:
        """The path and what it was called before."""
        names = {path}
        for _ in range(RENAMES_MAX):
            names |= {old for old, new in self._renamed.items() if new in names}
        return names


def log(root: Path, *revisions: str) -> list[Commit]:
    """The commits that git lists for these revisions, merges left out, the oldest first."""
    options = ("--no-merges", "--reverse", "--topo-order", "-M", "--name-status", "-z", "--format=%x01%H%x00%ct%x00%B")
    records = git(root, "log", *options, *revisions, "--").split("\x01")
    return [_commit(record.split("\0")) for record in records if record.count("\0") >= 2]


def _commit(fields: list[str]) -> Commit:
    files, renames, entries = [], [], [entry.lstrip("\n") for entry in fields[3:]]
    while len(entries) >= 2:
        if entries[0][:1] in ("R", "C") and len(entries) >= 3:
            renames += [(entries[1], entries[2])] if entries[0][0] == "R" else []
            files.append(entries[2])
            entries = entries[3:]
        else:
            files += [entries[1]] if entries[0] else []
            entries = entries[2:] if entries[0] else entries[1:]
    sources = tuple(path for path in files if is_source(path))
    return Commit(fields[0], float(fields[1]), fields[2], sources, tuple(renames))


def rank_keys(scores: Mapping[Key, float]) -> list[Key]:
    """The best first; equal ones by name, so that a run can be repeated."""
    return sorted(scores, key=lambda key: (-scores[key], key))


def fuse_ranks(*lists: Sequence[str]) -> list[str]:
    """Reciprocal rank fusion."""
    fused_scores: defaultdict[str, float] = defaultdict(float)
    for ranked_paths in lists:
        for place, path in enumerate(ranked_paths[:RRF_DEPTH], start=1):
            fused_scores[path] += 1 / (RRF_K + place)
    return rank_keys(fused_scores)
