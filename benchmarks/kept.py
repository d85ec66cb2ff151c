"""An embedder that a second run need not wait for."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from holloway.domain.ports import Embedder, Vectors


class Kept:
    """An embedder that reads from a file what it has embedded in an earlier run."""

    def __init__(self, inner: Embedder, file: Path) -> None:
        self._inner = inner
        self._file = file
        self._known: dict[str, Vectors] = {}
        self._new = 0
        if file.exists():
            with np.load(file) as archive:
                self._known = dict(zip(archive["keys"].tolist(), archive["vectors"], strict=True))

    @property
    def model(self) -> str:
        """The model behind it."""
        return self._inner.model

    @property
    def dims(self) -> int:
        """How many numbers a vector has."""
        return self._inner.dims

    @property
    def related_from(self) -> float:
        """The cosine from which two texts have to do with each other."""
        return self._inner.related_from

    def embed(self, texts: Sequence[str], *, is_query: bool = False) -> Vectors:
        """One row for each text."""
        keys = [self._key(text, is_query) for text in texts]
        missing = [place for place, key in enumerate(keys) if key not in self._known]
        if missing:
            self._new += len(missing)
            vectors = self._inner.embed([texts[place] for place in missing], is_query=is_query)
            self._known.update(zip((keys[place] for place in missing), vectors, strict=True))
        return np.stack([self._known[key] for key in keys])

    def _key(self, text: str, is_query: bool) -> str:
        return blake2b(f"{self.model}\0{is_query}\0{text}".encode(), digest_size=16).hexdigest()

    def close(self) -> None:
        """Write down what is new."""
        if self._new:
            np.savez(self._file, keys=np.array(list(self._known)), vectors=np.stack(list(self._known.values())))
