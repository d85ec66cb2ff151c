"""Search over the mapped file, and what happens to that file when the truth changes or it is damaged."""

import json
import struct
import zlib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import holloway
from holloway.config import MATRIX_TAIL_ROWS_MAX
from holloway.embeddings import nearest_neighbors
from holloway.embeddings.backfill import MemoryTexts, backfill_vectors
from holloway.embeddings.nearest_neighbors import MatrixHeader, VectorIndex
from holloway.store.vectors import VectorState, VectorStore, get_cache_path, purge_caches
from holloway.testing import FakeEmbedder
from tests.store.test_memories import taught

MODEL, DIMS = "fake", 8
ABOUT = MatrixHeader("model", 4, "0", 1, "mark")
ONE = np.array([1, 0, 0, 0], dtype="<f4").tobytes()


def unit(*numbers: float) -> NDArray[np.float32]:
    vector = np.zeros(DIMS, dtype=np.float32)
    vector[: len(numbers)] = numbers
    vector /= np.linalg.norm(vector)
    return vector


def random_units(count: int, seed: int = 0) -> NDArray[np.float32]:
    rows = np.random.default_rng(seed).standard_normal((count, DIMS)).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    return rows


class Rows:
    """Vectors in a list: what the store would say, with a count of how often all of them were read."""

    def __init__(self) -> None:
        self.rows: dict[int, tuple[int, bytes]] = {}
        self.removals = 0
        self.last = 0
        self.full_reads = 0
        self.on_read: list[int] = []

    @contextmanager
    def read_snapshot(self) -> Iterator[None]:
        yield

    def add(self, seq: int, vector: NDArray[np.float32]) -> None:
        self.last += 1
        self.rows[self.last] = (seq, vector.astype("<f4").tobytes())

    def remove(self, seq: int) -> None:
        self.rows = {number: row for number, row in self.rows.items() if row[0] != seq}
        self.removals += 1

    def get_state(self, model: str) -> VectorState:
        return VectorState(f"r{self.removals}", self.last, self.get_mark(model, self.last))

    def get_mark(self, model: str, number: int) -> str:
        return str(self.rows[number]) if number in self.rows else ""

    def stream_vectors(self, model: str, dims: int, after: int = 0) -> Iterator[tuple[int, bytes]]:
        self.full_reads += not after
        wanted = sorted(row for number, row in self.rows.items() if number > after and len(row[1]) == dims * 4)
        for seq in self.on_read:
            self.remove(seq)
        yield from wanted


@pytest.fixture
def rows() -> Rows:
    rows = Rows()
    for seq, vector in enumerate(random_units(50), start=1):
        rows.add(seq, vector)
    return rows


def plain(rows: Rows, query: NDArray[np.float32], limit: int, allowed: set[int] | None = None) -> list[int]:
    """The same question answered the slow way."""
    scored = [(float(np.frombuffer(blob, "<f4") @ query), seq) for seq, blob in rows.rows.values()]
    kept = [(-score, seq) for score, seq in scored if allowed is None or seq in allowed]
    return [seq for _, seq in sorted(kept)[:limit]]


def found(nearest: VectorIndex, query: NDArray[np.float32], limit: int, allowed: set[int] | None = None) -> list[int]:
    return [seq for seq, _ in nearest.find_nearest(query, limit, None if allowed is None else list(allowed))]


def test_the_nearest_come_first_with_their_cosine(tmp_path: Path) -> None:
    rows = Rows()
    rows.add(3, unit(1, 0))
    rows.add(5, unit(1, 1))
    rows.add(9, unit(0, 1))
    hits = VectorIndex(rows, tmp_path, MODEL).find_nearest(unit(1, 0), 2)
    assert [seq for seq, _ in hits] == [3, 5]
    assert [score for _, score in hits] == pytest.approx([1, 2**-0.5])


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_search_finds_what_comparing_with_each_finds(data: st.DataObject) -> None:
    rows = Rows()
    seqs = data.draw(st.lists(st.integers(1, 200), unique=True, max_size=40))
    for seq, vector in zip(seqs, random_units(len(seqs), data.draw(st.integers(0, 5))), strict=True):
        rows.add(seq, vector)
    allowed = data.draw(st.none() | st.sets(st.integers(1, 200), max_size=60))
    limit = data.draw(st.integers(1, 50))
    query = random_units(1, seed=99)[0]
    nearest = VectorIndex(rows, Path("/nonexistent/folder"), MODEL)
    assert found(nearest, query, limit, allowed) == plain(rows, query, limit, allowed)


def test_equals_are_ordered_by_number_also_at_the_edge(tmp_path: Path) -> None:
    rows = Rows()
    for seq in (7, 2, 9, 4, 1, 8):
        rows.add(seq, unit(1))
    assert found(VectorIndex(rows, tmp_path, MODEL), unit(1), 3) == [1, 2, 4]


def test_no_vectors_no_hits(tmp_path: Path) -> None:
    nearest = VectorIndex(Rows(), tmp_path, MODEL)
    assert nearest.find_nearest(unit(1), 5) == []
    assert nearest.find_nearest(unit(1), 5, [1, 2]) == []


def test_the_file_is_made_once_read_by_others_and_private(rows: Rows, tmp_path: Path) -> None:
    query = unit(1, 2, 3)
    first = found(VectorIndex(rows, tmp_path, MODEL), query, 10)
    assert found(VectorIndex(rows, tmp_path, MODEL), query, 10) == first == plain(rows, query, 10)
    assert rows.full_reads == 1
    assert get_cache_path(tmp_path, MODEL).stat().st_mode & 0o077 == 0
    assert list(tmp_path.iterdir()) == [get_cache_path(tmp_path, MODEL)]


def test_a_few_new_vectors_are_found_without_writing_the_file_anew(rows: Rows, tmp_path: Path) -> None:
    nearest = VectorIndex(rows, tmp_path, MODEL)
    nearest.find_nearest(unit(1), 1)
    before = get_cache_path(tmp_path, MODEL).read_bytes()
    rows.add(60, unit(0, 0, 1))
    assert found(nearest, unit(0, 0, 1), 1) == [60]
    rows.add(55, unit(0, 0, 0, 1))
    assert found(nearest, unit(0, 0, 0, 1), 1) == [55]
    assert found(VectorIndex(rows, tmp_path, MODEL), unit(0, 0, 0, 1), 20, {1, 55, 60}) == plain(
        rows, unit(0, 0, 0, 1), 20, {1, 55, 60}
    )
    assert rows.full_reads == 1
    assert get_cache_path(tmp_path, MODEL).read_bytes() == before


def test_many_new_vectors_are_written_into_the_file(rows: Rows, tmp_path: Path) -> None:
    nearest = VectorIndex(rows, tmp_path, MODEL)
    nearest.find_nearest(unit(1), 1)
    for seq, vector in enumerate(random_units(MATRIX_TAIL_ROWS_MAX + 1, seed=3), start=100):
        rows.add(seq, vector)
    query = random_units(1, seed=5)[0]
    assert found(nearest, query, 10) == plain(rows, query, 10)
    stored = nearest_neighbors.read_matrix(get_cache_path(tmp_path, MODEL))
    assert stored is not None
    assert len(stored.seqs) == len(rows.rows)


def test_a_removed_vector_is_found_no_more_and_leaves_the_file(rows: Rows, tmp_path: Path) -> None:
    nearest = VectorIndex(rows, tmp_path, MODEL)
    gone = np.frombuffer(rows.rows[7][1], "<f4")
    assert found(nearest, gone, 1) == [7]
    rows.remove(7)
    assert 7 not in found(nearest, gone, 50)
    assert gone.tobytes() not in get_cache_path(tmp_path, MODEL).read_bytes()
    assert 7 not in found(VectorIndex(rows, tmp_path, MODEL), gone, 50)


def test_what_is_removed_while_the_file_is_written_does_not_stay_in_it(rows: Rows, tmp_path: Path) -> None:
    rows.on_read = [7]
    VectorIndex(rows, tmp_path, MODEL).find_nearest(unit(1), 5)
    assert not get_cache_path(tmp_path, MODEL).exists()


def test_another_history_with_the_same_numbers_is_noticed(rows: Rows, tmp_path: Path) -> None:
    nearest = VectorIndex(rows, tmp_path, MODEL)
    nearest.find_nearest(unit(1), 1)
    rows.add(60, unit(0, 1))
    nearest.find_nearest(unit(1), 1)
    rows.rows[rows.last] = (61, unit(0, 0, 1).tobytes())
    assert found(nearest, unit(0, 0, 1), 1) == [61]
    rows.rows[50] = (50, unit(0, 0, 0, 1).tobytes())
    assert found(nearest, unit(0, 0, 0, 1), 1) == [50]
    assert found(VectorIndex(rows, tmp_path, MODEL), unit(0, 0, 0, 1), 1) == [50]


def _flip(data: bytearray, at: int) -> None:
    data[at] ^= 0xFF


def _damage(kind: str, whole: bytes) -> bytes:
    data = bytearray(whole)
    if kind == "empty":
        return b""
    if kind == "cut":
        return whole[:-9]
    if kind == "longer":
        return whole + b"\0"
    if kind == "half a header":
        return whole[:100]
    if kind == "foreign":
        return b"SQLite format 3\0" + whole[16:]
    if kind == "header":
        _flip(data, 40)
    elif kind == "numbers":
        _flip(data, len(data) - 3)
    elif kind == "zeros":
        data[nearest_neighbors.HEADER_BYTES : nearest_neighbors.HEADER_BYTES + 400] = bytes(400)
    elif kind == "not a number":
        data[nearest_neighbors.HEADER_BYTES + 320 : nearest_neighbors.HEADER_BYTES + 324] = b"\xff\xff\xff\xff"
    return bytes(data)


DAMAGES = "empty,cut,longer,half a header,foreign,header,numbers,zeros,not a number".split(",")


@pytest.mark.promise("derived")
@pytest.mark.parametrize("kind", DAMAGES)
def test_a_damaged_file_is_made_anew_without_a_word(rows: Rows, tmp_path: Path, kind: str) -> None:
    query = unit(3, 1, 2)
    VectorIndex(rows, tmp_path, MODEL).find_nearest(query, 5)
    path = get_cache_path(tmp_path, MODEL)
    whole = path.read_bytes()
    path.write_bytes(_damage(kind, whole))
    assert path.read_bytes() != whole
    assert found(VectorIndex(rows, tmp_path, MODEL), query, 10) == plain(rows, query, 10)
    assert path.read_bytes() == whole


def test_a_number_that_is_none_between_the_checked_rows_is_noticed_in_the_answer(tmp_path: Path) -> None:
    rows = Rows()
    for seq, vector in enumerate(random_units(500), start=1):
        rows.add(seq, vector)
    nearest = VectorIndex(rows, tmp_path, MODEL)
    nearest.find_nearest(unit(1), 1)
    path = get_cache_path(tmp_path, MODEL)
    data = bytearray(path.read_bytes())
    at = nearest_neighbors.HEADER_BYTES + 3 * DIMS * 4
    data[at : at + 4] = b"\xff\xff\xff\xff"
    path.write_bytes(bytes(data))
    fresh = VectorIndex(rows, tmp_path, MODEL)
    assert nearest_neighbors.read_matrix(path) is not None
    assert found(fresh, unit(1, 2), 5) == plain(rows, unit(1, 2), 5)
    assert rows.full_reads == 2


def test_a_vector_in_the_truth_that_is_no_number_is_left_out(rows: Rows, tmp_path: Path) -> None:
    rows.add(60, np.full(DIMS, np.nan, dtype=np.float32))
    assert 60 not in found(VectorIndex(rows, tmp_path, MODEL), unit(1), 60)


@pytest.mark.promise("models-are-not-mixed")
def test_vectors_of_another_model_or_size_are_never_compared(rows: Rows, tmp_path: Path) -> None:
    VectorIndex(rows, tmp_path, MODEL).find_nearest(unit(1), 1)
    other = get_cache_path(tmp_path, "other")
    other.write_bytes(get_cache_path(tmp_path, MODEL).read_bytes())
    VectorIndex(rows, tmp_path, "other").find_nearest(unit(1), 1)
    stored = nearest_neighbors.read_matrix(other)
    assert stored is not None
    assert stored.about.model == "other"
    assert VectorIndex(rows, tmp_path, MODEL).find_nearest(np.full(4, 0.5, dtype=np.float32), 5) == []


def test_where_no_file_can_be_written_search_works_from_memory(rows: Rows, tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.touch()
    nearest = VectorIndex(rows, blocked, MODEL)
    assert found(nearest, unit(1, 1), 5) == plain(rows, unit(1, 1), 5)
    assert found(nearest, unit(1), 5) == plain(rows, unit(1), 5)
    assert rows.full_reads == 1


def test_with_the_real_store_memories_come_and_go(memory: holloway.Holloway) -> None:
    store = memory.store
    vectors = VectorStore(store.database, store.memories, store.clock)
    embedder = FakeEmbedder()
    nearest = VectorIndex(vectors, memory.project.folder, embedder.model)
    money = taught(memory, "money is counted in cents")
    taught(memory, "tests hang without redis")
    backfill_vectors(embedder, MemoryTexts(vectors, embedder.model))

    def answers(question: str) -> list[str]:
        hits = nearest.find_nearest(embedder.embed([question])[0], 3)
        return [store.memories.get_by_seqs([seq])[seq].content for seq, _ in hits]

    assert answers("in which cents is money counted")[0] == money.content
    taught(memory, "the clock is always utc")
    backfill_vectors(embedder, MemoryTexts(vectors, embedder.model))
    assert answers("is the clock utc")[0] == "the clock is always utc"
    memory.forget([money], hard=True)
    assert purge_caches(memory.project.folder) == 0
    assert money.content not in answers("in which cents is money counted")


def test_threads_of_one_program_may_write_one_file_at_once(tmp_path: Path) -> None:
    path = tmp_path / "vectors.matrix"

    def write(_: int) -> None:
        nearest_neighbors.write_matrix(path, ABOUT, iter([(1, ONE)]))

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(write, range(100)))

    stored = nearest_neighbors.read_matrix(path)
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
    head = struct.pack("<8sII", nearest_neighbors.MAGIC, len(text), zlib.crc32(text)) + text
    path.write_bytes(head.ljust(nearest_neighbors.HEADER_BYTES, b"\0"))
    assert nearest_neighbors.read_matrix(path) is None
