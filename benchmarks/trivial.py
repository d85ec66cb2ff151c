"""The simplest programs that could say which files a session needs: from words, and from sessions before it."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from holloway.text.identifiers import STOP_WORDS, expand_words

if TYPE_CHECKING:
    from benchmarks.told import Told

RRF_K = 60
RRF_DEPTH = 20
"""Files of each list that are fused; whole lists, as long as the project, find less."""
NEIGHBOURS = 10
CONTENTS = "BM25 over contents"
FUSED = "RRF of the five"
ALL_FUSED = "RRF of all lists"
ON_BRANCH = "recent on this branch"
CHANGED = "changed on this branch"

Ranked = Mapping[str, float]


def all_lists(session: Told, before: Sequence[Told], paths: Sequence[str], contents: Ranked) -> dict[str, list[str]]:
    """Every baseline's files for a session, the best first; `before` are sessions that had ended, `paths` all files.

    `contents` is what BM25 says of the files' contents. A file that is gone is not named: whoever ranks files looks at
    those that are there.
    """
    present = set(paths)
    scores = {CONTENTS: contents} | {name: method(session, before, paths) for name, method in METHODS.items()}
    lists = {
        name: [path for path in rank_paths(path_scores) if path in present] for name, path_scores in scores.items()
    }
    return lists | {FUSED: rank_paths(rrf(list(lists.values())))}


def add_branch_lists(
    lists: dict[str, list[str]],
    session: Told,
    before: Sequence[Told],
    paths: Sequence[str],
    underway: Sequence[str],
) -> dict[str, list[str]]:
    """Return all lists with those of the branch and the fusion of them all; `underway` is what the branch changed."""
    present = set(paths)
    on_branch = [earlier for earlier in before if session.began_on and earlier.branch == session.began_on]
    branch_lists = {ON_BRANCH: rank_paths(by_recency(session, on_branch, paths)), CHANGED: list(underway)}
    branch_lists = {name: [path for path in files if path in present] for name, files in branch_lists.items()}
    single = [files for name, files in (lists | branch_lists).items() if name != FUSED]
    return lists | branch_lists | {ALL_FUSED: rank_paths(rrf(single))}


def by_path(session: Told, before: Sequence[Told], paths: Sequence[str]) -> Ranked:
    """BM25 of the prompt over the words of each path."""
    documents = {path: Counter(_words(path)) for path in paths}
    mean = sum(sum(words.values()) for words in documents.values()) / max(1, len(documents))
    holders = Counter(word for words in documents.values() for word in words)
    scores: dict[str, float] = {}
    for path, words in documents.items():
        size = 1.2 * (0.25 + 0.75 * sum(words.values()) / mean)
        for word in set(_words(session.query)) & words.keys():
            idf = math.log(1 + (len(documents) - holders[word] + 0.5) / (holders[word] + 0.5))
            scores[path] = scores.get(path, 0.0) + idf * words[word] * 2.2 / (words[word] + size)
    return scores


def by_frequency(session: Told, before: Sequence[Told], paths: Sequence[str]) -> Ranked:
    """In how many earlier sessions a file was opened."""
    return Counter(path for session in before for path in session.files)


def by_recency(session: Told, before: Sequence[Told], paths: Sequence[str]) -> Ranked:
    """How lately a file was opened; of one session, the first first, which finds more than the last first."""
    latest: dict[str, float] = {}
    for place, past in enumerate(before):
        latest |= {path: place + 1 - at / (1 + len(past.files)) for at, path in enumerate(past.files)}
    return latest


def by_similar(session: Told, before: Sequence[Told], paths: Sequence[str]) -> Ranked:
    """Files of the ten sessions whose prompts are most alike, by cosine of TF-IDF."""
    told_words = [Counter(_words(session.query)) for session in before]
    counts = Counter(word for words in told_words for word in words)
    weight = {word: math.log(1 + len(before) / (1 + number)) for word, number in counts.items()}
    query = Counter(_words(session.query))
    scored = sorted(((_cosine(query, words, weight), at) for at, words in enumerate(told_words)), reverse=True)
    path_scores: dict[str, float] = {}
    for likeness, at in scored[:NEIGHBOURS]:
        for path in before[at].files if likeness > 0 else ():
            path_scores[path] = path_scores.get(path, 0.0) + likeness
    return path_scores


METHODS: dict[str, Callable[[Told, Sequence[Told], Sequence[str]], Ranked]] = {
    "path BM25": by_path,
    "freq": by_frequency,
    "kNN over past prompts": by_similar,
    "recent": by_recency,
}


def _cosine(words: Counter[str], other_words: Counter[str], weight: Mapping[str, float]) -> float:
    product = sum(
        words[word] * other_words[word] * weight.get(word, 0.0) ** 2 for word in words.keys() & other_words.keys()
    )
    lengths = [
        math.sqrt(sum((number * weight.get(word, 0.0)) ** 2 for word, number in counts.items()))
        for counts in (words, other_words)
    ]
    return product / (lengths[0] * lengths[1]) if all(lengths) else 0.0


def _words(text: str) -> list[str]:
    return [word for word in expand_words(text) if word not in STOP_WORDS and len(word) > 1]


def rank_paths(scores: Ranked) -> list[str]:
    """Paths, best first."""
    return sorted(scores, key=lambda path: (-scores[path], path))


def rrf(lists: list[list[str]]) -> Ranked:
    """Reciprocal rank fusion of the best of each list, as usual."""
    fused_scores: dict[str, float] = {}
    for ranked_paths in lists:
        for rank, path in enumerate(ranked_paths[:RRF_DEPTH], 1):
            fused_scores[path] = fused_scores.get(path, 0.0) + 1 / (RRF_K + rank)
    return fused_scores
