"""Memory-mapped file of vectors: a cache of the rows in the store, written atomically.

Layout, little-endian: a header of fixed size (magic, length and CRC of a JSON object, that object), the vectors as
float32, then the numbers of their owners as int64, ascending.
"""

from __future__ import annotations

import json
import os
import struct
import zlib
from contextlib import suppress
from pathlib import Path
from threading import get_ident
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from holloway.config import EMBED_DIMS_MAX
from holloway.errors import HollowayError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import BinaryIO

    from numpy.typing import NDArray

MAGIC = b"HWVECT01"
HEADER_BYTES = 4_096
ROWS_CHECKED = 64
LENGTH_OFF_MAX = 1e-2
"""How far from 1 the length of a vector may be before the file counts as damaged."""

_PREFIX = struct.Struct("<8sII")


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
