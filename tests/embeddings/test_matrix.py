"""The file of vectors, written by several at once."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

from holloway.embeddings import matrix
from holloway.embeddings.matrix import About

ABOUT = About("model", 4, "0", 1, "mark")
ONE = np.array([1, 0, 0, 0], dtype="<f4").tobytes()


def test_threads_of_one_program_may_write_one_file_at_once(tmp_path: Path) -> None:
    path = tmp_path / "vectors.matrix"

    def write(_: int) -> None:
        matrix.write(path, ABOUT, iter([(1, ONE)]))

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(write, range(100)))

    stored = matrix.read(path)
    assert stored is not None
    assert stored.about == ABOUT
    assert list(tmp_path.iterdir()) == [path]
