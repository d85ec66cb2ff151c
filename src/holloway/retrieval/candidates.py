"""Candidate memories for a query, by its intent: full-text search, vector similarity, the files it concerns."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from holloway.config import QUERY_CHARS_MAX
from holloway.store import search
from holloway.text.identifiers import STOP_WORDS

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np
    from numpy.typing import NDArray

    from holloway.embeddings.nearest_neighbors import VectorIndex
    from holloway.store.filter import Filter
    from holloway.store.store import Store


TEXT_MAX = 200
DENSE_MAX = 200
GRAPH_MAX = 60
"""Candidates of each kind."""
FUSED_CANDIDATES_MAX = 60
"""Candidates with the best fused score, which the later stages rank."""
NAMES_SHARE = 0.5
"""Share of identifiers among the content words from which a query counts as an identifier search."""


@dataclass(frozen=True, slots=True)
class QueryVector:
    """The vector of a query, and the index of vectors to compare it with."""

    vector: NDArray[np.float32]
    nearest: VectorIndex
    related_from: float = 0.0
    """Cosines below this threshold are no evidence."""


def collect_candidates(
    store: Store, query: Query, memory_filter: Filter, meaning: QueryVector | None, file_weights: Mapping[str, float]
) -> dict[str, dict[int, float]]:
    """Return the candidates by source (text, dense, graph); a source without candidates is left out."""
    lists = {
        "text": search_by_text(store, query, memory_filter),
        "dense": search_by_vector(store, meaning, memory_filter) if meaning else {},
        "graph": search.find_on_files(store.database, file_weights, memory_filter, GRAPH_MAX) if file_weights else {},
    }
    return {name: hits for name, hits in lists.items() if hits}


def search_by_text(store: Store, query: Query, memory_filter: Filter) -> dict[int, float]:
    """Return memories that contain words of the query, scored relative to the best.

    Raw BM25 scores are not comparable: in a small store, even an exact match scores almost zero.
    """
    matches = search.search_memories(store.database, query.text, memory_filter, TEXT_MAX)
    best = max((score for _, score in matches), default=0.0)
    return {seq: score / best if best > 0 else 1.0 for seq, score in matches}


def search_by_vector(store: Store, meaning: QueryVector, memory_filter: Filter) -> dict[int, float]:
    """Return the memories nearest to the query; fetches more if the filter drops many."""
    fetch_count = math.ceil(search.LOOK_AHEAD * DENSE_MAX)
    while True:
        nearest_hits = meaning.nearest.find_nearest(meaning.vector, fetch_count)
        related = [hit for hit in nearest_hits if hit[1] >= meaning.related_from]
        matches = search.filter_ranked(store.database, related, memory_filter, DENSE_MAX)
        if len(matches) == DENSE_MAX or len(related) < fetch_count:
            return dict(matches)
        fetch_count *= 8


class QueryKind(StrEnum):
    """The kind of evidence that a query trusts most."""

    IDENTIFIER = "identifier"
    SEMANTIC = "semantic"


@dataclass(frozen=True, slots=True)
class Query:
    """A parsed query, and the files that it concerns."""

    text: str
    kind: QueryKind
    files: tuple[str, ...] = ()


_NAME = re.compile(r"[a-z0-9][A-Z]|[^\W_]_[^\W_]|\w/\w|\w\.\w{2,}|\w::\w|\w\(\)|`\w")


def parse_query(text: str, *, files: tuple[str, ...] = ()) -> Query:
    """Parse a query. A sentence that mentions an identifier is still semantic."""
    bounded = " ".join(text[:QUERY_CHARS_MAX].split())
    content_words = [word for word in bounded.split() if word.casefold() not in STOP_WORDS]
    names = sum(bool(_NAME.search(word)) for word in content_words)
    is_name = names > 0 and names >= NAMES_SHARE * len(content_words)
    return Query(bounded, QueryKind.IDENTIFIER if is_name else QueryKind.SEMANTIC, files)
