"""Compares vectors: exact nearest-neighbour search by cosine, a matrix product over a memory-mapped file."""

from __future__ import annotations

import json
import os
import struct
import zlib
from contextlib import suppress
from pathlib import Path
from threading import get_ident
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np

from holloway.config import EMBED_DIMS_MAX, MATRIX_TAIL_ROWS_MAX, MATRIX_TAIL_SHARE_MAX
from holloway.errors import HollowayError
from holloway.store.vectors import get_cache_path

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from contextlib import AbstractContextManager
    from pathlib import Path
    from typing import BinaryIO

    from numpy.typing import NDArray

    from holloway.store.vectors import VectorState


GATHER_SHARE_MAX = 0.25
"""Below this share of all rows it is cheaper to select the allowed rows first than to score all."""
COSINE_OFF_MAX = 1e-2
"""How far above 1 a cosine may be before the cache file counts as damaged."""
MAGIC = b"HWVECT01"
HEADER_BYTES = 4_096
ROWS_CHECKED = 64
LENGTH_OFF_MAX = 1e-2
"""How far from 1 the length of a vector may be before the file counts as damaged."""

_PREFIX = struct.Struct("<8sII")


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
            base = read_matrix(self._path)
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
        tail = build_matrix(
            MatrixHeader(self._model, dims, *state),
            self._source.stream_vectors(self._model, dims, after=base.about.last),
        )
        if len(tail.seqs) > max(MATRIX_TAIL_ROWS_MAX, len(base.seqs) * MATRIX_TAIL_SHARE_MAX):
            return self._rebuild_matrix(dims, state)
        return _Loaded(base, tail)

    def _rebuild_matrix(self, dims: int, state: VectorState) -> _Loaded:
        about = MatrixHeader(self._model, dims, *state)
        try:
            write_matrix(self._path, about, self._source.stream_vectors(self._model, dims))
            written = read_matrix(self._path)
        except HollowayError:
            written = None
        # A full disk or read-only folder costs speed, not results.
        return _Loaded(written or build_matrix(about, self._source.stream_vectors(self._model, dims)), None)


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


class MatrixHeader(NamedTuple):
    """The header of a file: model and dimensions of its vectors, and the state of the store when they were read."""

    model: str
    dims: int
    removals: str
    last: int
    mark: str


class VectorMatrix(NamedTuple):
    """Vectors in rows, and the number of each owner, ascending."""

    about: MatrixHeader
    seqs: NDArray[np.int64]
    vectors: NDArray[np.float32]


def build_matrix(about: MatrixHeader, rows: Iterator[tuple[int, bytes]]) -> VectorMatrix:
    """Build a matrix in memory, without a file."""
    row_list = list(rows)
    seqs = np.array([seq for seq, _ in row_list], dtype=np.int64)
    vectors = np.frombuffer(b"".join(blob for _, blob in row_list), dtype="<f4").reshape(len(row_list), about.dims)
    return VectorMatrix(about, seqs, vectors)


def write_matrix(path: Path, about: MatrixHeader, rows: Iterator[tuple[int, bytes]]) -> None:
    """Write a file that only its owner may read, atomically: readers see the old one or the new one."""
    partial = path.with_name(f"{path.name}.{os.getpid()}.{get_ident()}.new")
    try:
        with os.fdopen(os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
            _write_matrix_rows(file, about, rows)
            file.flush()
            os.fsync(file.fileno())
        partial.replace(path)
    except OSError as error:
        raise HollowayError(f"Cannot write {path}: {error.strerror}.", "It is a cache; nothing was lost.") from error
    finally:
        with suppress(OSError):
            partial.unlink(missing_ok=True)


def _write_matrix_rows(file: BinaryIO, about: MatrixHeader, rows: Iterator[tuple[int, bytes]]) -> None:
    seqs: list[int] = []
    file.write(bytes(HEADER_BYTES))
    for seq, blob in rows:
        seqs.append(seq)
        file.write(blob)
    numbers = np.array(seqs, dtype="<i8").tobytes()
    file.write(numbers)
    text = json.dumps({**about._asdict(), "count": len(seqs), "numbers": zlib.crc32(numbers)}).encode()
    if len(text) > HEADER_BYTES - _PREFIX.size:
        raise HollowayError(f"The name of the model {about.model[:60]!r} is too long.", "Choose a shorter one.")
    file.seek(0)
    file.write(_PREFIX.pack(MAGIC, len(text), zlib.crc32(text)) + text)


def read_matrix(path: Path) -> VectorMatrix | None:
    """Return the matrix in a file; None if the file is missing, truncated, damaged or of another format."""
    try:
        with path.open("rb") as file:
            head = file.read(HEADER_BYTES)
            size = os.fstat(file.fileno()).st_size
            header = _parse_header(head)
            if header is None or size != HEADER_BYTES + header[1] * (header[0].dims * 4 + 8):
                return None
            return _map_vectors(file, *header)
    except (OSError, ValueError, TypeError, KeyError, RecursionError):  # also a header that another version wrote
        return None


def _parse_header(head: bytes) -> tuple[MatrixHeader, int, int] | None:
    if len(head) < HEADER_BYTES:
        return None
    magic, length, check = _PREFIX.unpack_from(head)
    text = head[_PREFIX.size : _PREFIX.size + length]
    if magic != MAGIC or zlib.crc32(text) != check:
        return None
    values = json.loads(text)
    count, numbers = int(values.pop("count")), int(values.pop("numbers"))
    about = MatrixHeader(**values)
    return (about, count, numbers) if 0 < about.dims <= EMBED_DIMS_MAX and count >= 0 else None


def _map_vectors(file: BinaryIO, about: MatrixHeader, count: int, numbers: int) -> VectorMatrix | None:
    if not count:
        return VectorMatrix(about, np.empty(0, dtype=np.int64), np.empty((0, about.dims), dtype=np.float32))
    data = np.memmap(file, dtype=np.uint8, mode="r")
    end = HEADER_BYTES + count * about.dims * 4
    vectors = np.asarray(data[HEADER_BYTES:end]).view("<f4").reshape(count, about.dims)
    tail = data[end:].tobytes()
    if zlib.crc32(tail) != numbers or not _is_intact(vectors):
        return None
    return VectorMatrix(about, np.frombuffer(tail, dtype="<i8"), vectors)


def _is_intact(vectors: NDArray[np.float32]) -> bool:
    """Return whether sampled rows have the length that they were written with."""
    picked = vectors[np.linspace(0, len(vectors) - 1, min(len(vectors), ROWS_CHECKED)).astype(np.int64)]
    with np.errstate(all="ignore"):
        lengths = np.linalg.norm(picked, axis=1)
    return bool(np.all(np.abs(lengths - 1) < LENGTH_OFF_MAX))
