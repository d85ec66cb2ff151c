"""The vector of a question; what a server answered once is not asked for again."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from holloway.domain.ports import Embedder
    from holloway.store.embedding_cache import EmbeddingCache


def vector_of(question: str, embedder: Embedder, cache: EmbeddingCache | None = None) -> NDArray[np.float32]:
    """The vector of a question, from the cache where there is one: a server takes longer than to look it up."""
    if cache is None:
        return _embedded(question, embedder)
    key = sha256(f"{embedder.model}\0{question}".encode("utf-8", "replace")).hexdigest()
    kept = cache.get(key)
    if kept is not None:
        return np.frombuffer(kept, dtype="<f4")
    vector = _embedded(question, embedder)
    cache.put(key, embedder.model, vector.astype("<f4").tobytes())
    return vector


def _embedded(question: str, embedder: Embedder) -> NDArray[np.float32]:
    vector: NDArray[np.float32] = embedder.embed([question], is_query=True)[0]
    return vector
