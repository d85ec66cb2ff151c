"""Query vectors: embeds a query, with a cache so that a server embeds each query once."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from holloway.domain.ports import Embedder
    from holloway.store.embedding_cache import EmbeddingCache


def embed_query(query: str, embedder: Embedder, cache: EmbeddingCache | None = None) -> NDArray[np.float32]:
    """Return the vector of a query, from the cache if there is one."""
    if cache is None:
        return _embed_uncached(query, embedder)
    key = sha256(f"{embedder.model}\0{query}".encode("utf-8", "replace")).hexdigest()
    cached = cache.get_vector(key)
    if cached is not None:
        return np.frombuffer(cached, dtype="<f4")
    vector = _embed_uncached(query, embedder)
    cache.put_vector(key, embedder.model, vector.astype("<f4").tobytes())
    return vector


def _embed_uncached(query: str, embedder: Embedder) -> NDArray[np.float32]:
    vector: NDArray[np.float32] = embedder.embed([query], is_query=True)[0]
    return vector
