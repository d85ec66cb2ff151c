"""Where memories come from that may answer a question: its words, its meaning, and the files it is about."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from holloway.store import search

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np
    from numpy.typing import NDArray

    from holloway.embeddings.nearest_neighbors import Nearest
    from holloway.retrieval.query_intent import Query
    from holloway.store.filter import Filter
    from holloway.store.store import Store

TEXT_MAX = 200
DENSE_MAX = 200
PLACE_MAX = 60
"""Candidates of each kind."""
POOL_MAX = 60
"""Of all candidates, the best by fused score, which the later stages look at."""


@dataclass(frozen=True, slots=True)
class Meaning:
    """The vector of a question, and the vectors to compare it with."""

    vector: NDArray[np.float32]
    nearest: Nearest
    related_from: float = 0.0
    """Cosines below it are no evidence."""


def collected(
    store: Store, query: Query, chosen: Filter, meaning: Meaning | None, places: Mapping[str, float]
) -> dict[str, dict[int, float]]:
    """The candidates by where they come from. A way that finds nothing is left out."""
    lists = {
        "text": by_text(store, query, chosen),
        "dense": by_meaning(store, meaning, chosen) if meaning else {},
        "graph": search.on_files(store.database, places, chosen, PLACE_MAX) if places else {},
    }
    return {name: found for name, found in lists.items() if found}


def by_text(store: Store, query: Query, chosen: Filter) -> dict[int, float]:
    """The memories that have a question's words, against the best of them.

    BM25 itself says nothing to anybody: where few memories are known, that of an exact match is next to nothing.
    """
    found = search.search(store.database, query.text, chosen, TEXT_MAX)
    best = max((score for _, score in found), default=0.0)
    return {seq: score / best if best > 0 else 1.0 for seq, score in found}


def by_meaning(store: Store, meaning: Meaning, chosen: Filter) -> dict[int, float]:
    """The memories nearest to a question; more are looked at where the filter drops many."""
    portion = math.ceil(search.LOOK_AHEAD * DENSE_MAX)
    while True:
        near = meaning.nearest.nearest(meaning.vector, portion)
        related = [hit for hit in near if hit[1] >= meaning.related_from]
        found = search.first_kept(store.database, related, chosen, DENSE_MAX)
        if len(found) == DENSE_MAX or len(related) < portion:
            return dict(found)
        portion *= 8
