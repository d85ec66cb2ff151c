"""Query vectors: embeds a query, with a cache so that a server embeds each query once."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from holloway.domain.ports import Embedder
    from holloway.store.embedding_cache import EmbeddingCache


def vector_of(question: str, embedder: Embedder, cache: EmbeddingCache | None = None) -> NDArray[np.float32]:
    """Return the vector of a query, from the cache if there is one."""
    if cache is None:
        return _embedded(question, embedder)
    key = sha256(f"{embedder.model}\0{question}".encode("utf-8", "replace")).hexdigest()
    cached = cache.get(key)
    if cached is not None:
        return np.frombuffer(cached, dtype="<f4")
    vector = _embedded(question, embedder)
    cache.put(key, embedder.model, vector.astype("<f4").tobytes())
    return vector


def _embedded(question: str, embedder: Embedder) -> NDArray[np.float32]:
    vector: NDArray[np.float32] = embedder.embed([question], is_query=True)[0]
    return vector
