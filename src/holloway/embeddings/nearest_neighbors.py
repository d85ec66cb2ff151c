"""Exact nearest-neighbour search by cosine: one matrix product over a memory-mapped file and newer vectors."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np

from holloway.config import MATRIX_TAIL_ROWS_MAX, MATRIX_TAIL_SHARE_MAX
from holloway.embeddings import vector_matrix
from holloway.embeddings.vector_matrix import MatrixHeader, VectorMatrix
from holloway.errors import HollowayError
from holloway.store.vectors import get_cache_path

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from contextlib import AbstractContextManager
    from pathlib import Path

    from numpy.typing import NDArray

    from holloway.store.vectors import VectorState

GATHER_SHARE_MAX = 0.25
"""Below this share of all rows it is cheaper to select the allowed rows first than to score all."""
COSINE_OFF_MAX = 1e-2
"""How far above 1 a cosine may be before the cache file counts as damaged."""


class VectorSource(Protocol):
    """The store that the cached vectors come from."""

    def read_snapshot(self) -> AbstractContextManager[None]:
        """Keep several reads on one state."""

    def get_state(self, model: str) -> VectorState:
        """Return the state by which a cache detects that it is stale."""

    def get_mark(self, model: str, number: int) -> str:
        """Return a mark that tells a vector from another with the same number."""

    def stream_vectors(self, model: str, dims: int, after: int = 0) -> Iterator[tuple[int, bytes]]:
        """Yield owner and vector, ordered by owner; only vectors numbered above `after`."""


class _Loaded(NamedTuple):
    base: VectorMatrix
    tail: VectorMatrix | None


class VectorIndex:
    """Searches the vectors of one model in one folder."""

    def __init__(self, source: VectorSource, folder: Path, model: str) -> None:
        self._source = source
        self._model = model
        self._path = get_cache_path(folder, model)
        self._loaded: _Loaded | None = None

    def find_nearest(
        self, query: NDArray[np.float32], limit: int, allowed: Sequence[int] | NDArray[np.int64] | None = None
    ) -> list[tuple[int, float]]:
        """Return the nearest entries with their cosine, nearest first, equal ones by number; only allowed ones."""
        query = np.ascontiguousarray(query, dtype=np.float32).reshape(-1)
        chosen = None if allowed is None else np.asarray(allowed, dtype=np.int64)
        hits = _search_parts(self._load_fresh(len(query)), query, limit, chosen)
        if _is_possible(hits):
            return hits
        self._discard_file()
        self._loaded = None
        hits = _search_parts(self._load_fresh(len(query)), query, limit, chosen)
        return [hit for hit in hits if _is_possible([hit])]

    def _load_fresh(self, dims: int) -> _Loaded:
        """Return the matrix of the store's current state; from memory, from the file, or rebuilt."""
        before = self._loaded
        about = MatrixHeader(self._model, dims, *self._source.get_state(self._model))
        if before and before.tail is None and before.base.about == about:
            return before
        with self._source.read_snapshot():
            loaded = self._loaded = self._load_current(dims, self._source.get_state(self._model))
        # Another process may have erased a memory and purged the caches while its vector was written to this file.
        if loaded.base is not (before and before.base):
            now = self._source.get_state(self._model)
            if now.removals != loaded.base.about.removals:
                self._discard_file()
        return loaded

    def _discard_file(self) -> None:
        # A file that cannot be deleted was not written by this process either, and is not read again.
        with suppress(OSError):
            self._path.unlink(missing_ok=True)

    def _load_current(self, dims: int, state: VectorState) -> _Loaded:
        loaded = self._loaded
        if loaded is None or not self._is_prefix_of_store(loaded.base.about, dims, state):
            base = vector_matrix.read_matrix(self._path)
            if base is None or not self._is_prefix_of_store(base.about, dims, state):
                return self._rebuild_matrix(dims, state)
            loaded = _Loaded(base, None)
        newest = (loaded.tail or loaded.base).about
        return loaded if newest[-2:] == state[-2:] else self._append_tail(loaded, dims, state)

    def _is_prefix_of_store(self, about: MatrixHeader, dims: int, state: VectorState) -> bool:
        """Return whether a matrix is a prefix of the store's vectors: none was removed since, only added."""
        if (about.model, about.dims, about.removals) != (self._model, dims, state.removals):
            return False
        if about.last == state.last:
            return about.mark == state.mark
        return about.last == 0 or self._source.get_mark(self._model, about.last) == about.mark

    def _append_tail(self, loaded: _Loaded, dims: int, state: VectorState) -> _Loaded:
        """Return the file's matrix with the vectors added since; rebuilt once these are many."""
        base = loaded.base
        tail = vector_matrix.build_matrix(
            MatrixHeader(self._model, dims, *state),
            self._source.stream_vectors(self._model, dims, after=base.about.last),
        )
        if len(tail.seqs) > max(MATRIX_TAIL_ROWS_MAX, len(base.seqs) * MATRIX_TAIL_SHARE_MAX):
            return self._rebuild_matrix(dims, state)
        return _Loaded(base, tail)

    def _rebuild_matrix(self, dims: int, state: VectorState) -> _Loaded:
        about = MatrixHeader(self._model, dims, *state)
        try:
            vector_matrix.write_matrix(self._path, about, self._source.stream_vectors(self._model, dims))
            written = vector_matrix.read_matrix(self._path)
        except HollowayError:
            written = None
        # A full disk or read-only folder costs speed, not results.
        return _Loaded(
            written or vector_matrix.build_matrix(about, self._source.stream_vectors(self._model, dims)), None
        )


def _search_parts(
    loaded: _Loaded, query: NDArray[np.float32], limit: int, allowed: NDArray[np.int64] | None
) -> list[tuple[int, float]]:
    # A damaged file may hold any number; the results are checked instead of warning here.
    with np.errstate(all="ignore"):
        parts = [_search_part(part, query, limit, allowed) for part in loaded if part is not None]
    return parts[0] if len(parts) == 1 else sorted((hit for part in parts for hit in part), key=_sort_key)[:limit]


def _search_part(
    part: VectorMatrix, query: NDArray[np.float32], limit: int, allowed: NDArray[np.int64] | None
) -> list[tuple[int, float]]:
    seqs, vectors = part.seqs, part.vectors
    if allowed is not None:
        positions = np.flatnonzero(np.isin(seqs, allowed))
        seqs = seqs[positions]
        if len(positions) < len(vectors) * GATHER_SHARE_MAX:
            return _select_top(seqs, vectors[positions] @ query, limit)
        return _select_top(seqs, (vectors @ query)[positions], limit)
    return _select_top(seqs, vectors @ query, limit)


def _select_top(seqs: NDArray[np.int64], scores: NDArray[np.float32], limit: int) -> list[tuple[int, float]]:
    """Return the best entries; equal scores at the cut are ordered by number, so that the result is deterministic."""
    if len(scores) > limit:
        edge = np.partition(scores, len(scores) - limit)[len(scores) - limit]
        positions = np.nonzero(~(scores < edge))[0]
        seqs, scores = seqs[positions], scores[positions]
    scores = np.where(np.isnan(scores), np.float32(np.inf), scores)
    order = np.lexsort((seqs, -scores))[:limit]
    return list(zip(seqs[order].tolist(), scores[order].tolist(), strict=True))


def _sort_key(hit: tuple[int, float]) -> tuple[float, int]:
    return (-hit[1], hit[0])


def _is_possible(hits: Sequence[tuple[int, float]]) -> bool:
    """Return whether all scores are valid cosines; of sorted hits, checking the first and the last is enough."""
    return all(abs(score) <= 1 + COSINE_OFF_MAX for _, score in (*hits[:1], *hits[-1:]))
