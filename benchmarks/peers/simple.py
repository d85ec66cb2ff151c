"""Answers of simple programs: SQLite's text search, similarity of vectors, and both together."""

from __future__ import annotations

import re
import sqlite3
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from benchmarks.baselines import rank_keys
from holloway.text.identifiers import STOP_WORDS, expand_words, match_any

if TYPE_CHECKING:
    from benchmarks.peers.system import Turn
    from holloway.domain.ports import Embedder, Vectors

DEPTH = 200
"""Turns of each list that are fused."""
RRF_K = 60
DENSE_SHARE = 0.5
_WORD = re.compile(r"\w+")

Scores = dict[str, float]
"""Turns by id; higher is better."""


class TextSearch:
    """FTS5 with its Porter stemmer: any word of the question but stop words, ranked by BM25.

    With `split`, the parts of compound identifiers are words as well, as usual where texts are about code.
    """

    def __init__(self, *, split: bool = False) -> None:
        self._split = split
        self._database = sqlite3.connect(":memory:")
        self._ids: list[str] = []

    def ingest(self, turns: Sequence[Turn]) -> None:
        """Index the turns."""
        self._ids = [turn.id for turn in turns]
        self._database.execute("CREATE VIRTUAL TABLE turns USING fts5(text, tokenize='porter unicode61')")
        self._database.executemany(
            "INSERT INTO turns(rowid, text) VALUES (?, ?)", enumerate(self._read(turn.text) for turn in turns)
        )

    def ask(self, question: str, limit: int) -> list[str]:
        """The best by BM25."""
        return rank_keys(self.scores(question, limit))

    def scores(self, question: str, limit: int) -> Scores:
        """The best turns that share a word with the question."""
        question_words = dict.fromkeys(_WORD.findall(self._read(question).lower()))
        words = [word for word in question_words if word not in STOP_WORDS] or list(question_words)
        sql = "SELECT rowid, rank FROM turns WHERE turns MATCH ? ORDER BY rank, rowid LIMIT ?"
        return {self._ids[row]: -rank for row, rank in self._database.execute(sql, (match_any(words), limit))}

    def _read(self, text: str) -> str:
        return " ".join(expand_words(text)) if self._split else text

    def close(self) -> None:
        """Let go of the database."""
        self._database.close()


class DenseSearch:
    """Nearness of vectors, every turn compared."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._ids: list[str] = []
        self._vectors: Vectors | None = None

    def ingest(self, turns: Sequence[Turn]) -> None:
        """Embed the turns."""
        self._ids = [turn.id for turn in turns]
        self._vectors = self._embedder.embed([turn.text for turn in turns])

    def ask(self, question: str, limit: int) -> list[str]:
        """The nearest."""
        return rank_keys(self.scores(question, limit))

    def scores(self, question: str, limit: int) -> Scores:
        """The nearest turns with their cosine."""
        assert self._vectors is not None
        cosines = self._vectors @ self._embedder.embed([question], is_query=True)[0]
        return {self._ids[row]: float(cosines[row]) for row in (-cosines).argsort(kind="stable")[:limit]}

    def close(self) -> None:
        """Nothing is held."""


class _Both:
    """Text search and dense search over the same turns."""

    def __init__(self, embedder: Embedder) -> None:
        self._text, self._dense = TextSearch(), DenseSearch(embedder)

    def ingest(self, turns: Sequence[Turn]) -> None:
        """Index and embed the turns."""
        self._text.ingest(turns)
        self._dense.ingest(turns)

    def ask(self, question: str, limit: int) -> list[str]:
        """The best of the fused lists."""
        fused = self.fused(self._text.scores(question, DEPTH), self._dense.scores(question, DEPTH))
        return rank_keys(fused)[:limit]

    def fused(self, text: Scores, dense: Scores) -> Scores:
        """One score for each turn."""
        raise NotImplementedError

    def close(self) -> None:
        """Let go of the database."""
        self._text.close()


class RankFusion(_Both):
    """Reciprocal rank fusion."""

    def fused(self, text: Scores, dense: Scores) -> Scores:
        """The sum over both lists of one over the place."""
        fused_scores: defaultdict[str, float] = defaultdict(float)
        for scores in (text, dense):
            for place, turn in enumerate(rank_keys(scores), start=1):
                fused_scores[turn] += 1 / (RRF_K + place)
        return fused_scores


class ScoreFusion(_Both):
    """A weighted sum of normalised scores; a turn that is missing from a list has none there."""

    def fused(self, text: Scores, dense: Scores) -> Scores:
        """BM25 as a share of the best, the cosine between the last and the first of its list."""
        best = max(text.values(), default=1.0)
        fused_scores = {turn: (1 - DENSE_SHARE) * score / best for turn, score in text.items()}
        for turn, score in spread(dense).items():
            fused_scores[turn] = fused_scores.get(turn, 0.0) + DENSE_SHARE * score
        return fused_scores


def spread(scores: Mapping[str, float]) -> Scores:
    """Scores from 0 for the last to 1 for the first."""
    low, high = min(scores.values(), default=0.0), max(scores.values(), default=0.0)
    return {turn: (score - low) / (high - low) if high > low else 1.0 for turn, score in scores.items()}
