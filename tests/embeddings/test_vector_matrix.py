"""The file of vectors, written by several at once."""

import json
import struct
import zlib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from holloway.embeddings import vector_matrix
from holloway.embeddings.vector_matrix import MatrixHeader

ABOUT = MatrixHeader("model", 4, "0", 1, "mark")
ONE = np.array([1, 0, 0, 0], dtype="<f4").tobytes()


def test_threads_of_one_program_may_write_one_file_at_once(tmp_path: Path) -> None:
    path = tmp_path / "vectors.matrix"

    def write(_: int) -> None:
        vector_matrix.write_matrix(path, ABOUT, iter([(1, ONE)]))

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(write, range(100)))

    stored = vector_matrix.read_matrix(path)
    assert stored is not None
    assert stored.about == ABOUT
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(
    "header",
    [
        "[]",
        "{}",
        "[" * 3_000,
        json.dumps({**ABOUT._asdict(), "count": 0, "numbers": 0, "unknown": 1}),
        json.dumps({**ABOUT._asdict(), "count": None, "numbers": 0}),
        json.dumps({**ABOUT._asdict(), "count": 0, "numbers": 0, "dims": "4"}),
    ],
)
def test_a_whole_header_of_another_version_is_no_matrix(tmp_path: Path, header: str) -> None:
    path, text = tmp_path / "vectors.matrix", header.encode()
    head = struct.pack("<8sII", vector_matrix.MAGIC, len(text), zlib.crc32(text)) + text
    path.write_bytes(head.ljust(vector_matrix.HEADER_BYTES, b"\0"))
    assert vector_matrix.read_matrix(path) is None
