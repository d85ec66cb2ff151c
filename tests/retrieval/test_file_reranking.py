"""The second stage: the best files ordered by words and by meaning, within its deadline."""

from pathlib import Path

import pytest

from holloway.codemap.database import MapDatabase
from holloway.config import RERANK_BATCH
from holloway.retrieval.file_reranking import MEANING_WEIGHT, RERANKED_FILES, FileReranker
from holloway.testing import FakeEmbedder
from tests.codemap.resolve.drawn import mapped

pytestmark = pytest.mark.usefixtures("maps_are_closed")

FILES = {
    "cart.py": '"""Adds items to the cart."""\n',
    "mail.py": '"""Sends the receipt of an order."""\n',
    "pay.py": '"""Charges a card."""\n',
}
TASK = "sends the receipt of an order"


@pytest.fixture
def database(tmp_path: Path) -> MapDatabase:
    return mapped(tmp_path, FILES)


def test_the_file_that_means_the_task_passes_one_with_a_slightly_better_score(database: MapDatabase) -> None:
    close = {"cart.py": 1.0, "mail.py": 1.0 - MEANING_WEIGHT / 2, "pay.py": 0.1}
    assert FileReranker(FakeEmbedder()).rerank(database, TASK, close, 1.0) == ["mail.py", "cart.py", "pay.py"]
    assert FileReranker(FakeEmbedder()).rerank(database, TASK, close, 0.1) == ["cart.py", "mail.py", "pay.py"]
    far = {"cart.py": 1.0, "mail.py": 0.9 - MEANING_WEIGHT, "pay.py": 0.1}
    assert FileReranker(FakeEmbedder()).rerank(database, TASK, far, 1.0) == ["cart.py", "mail.py", "pay.py"]


def test_vectors_of_files_are_computed_once(database: MapDatabase) -> None:
    embedder = FakeEmbedder()
    reranker = FileReranker(embedder)
    scores = dict.fromkeys(FILES, 1.0)
    first = reranker.rerank(database, TASK, scores, 1.0)
    assert len(embedder.asked) == 1 + len(FILES)
    embedder.asked.clear()
    assert reranker.rerank(database, TASK, scores, 1.0) == first
    assert embedder.asked == [TASK]


def test_what_has_no_vector_at_the_deadline_keeps_its_place_and_is_next_in_line(tmp_path: Path) -> None:
    files = {f"f{number:02}.py": f'"""Part {number}."""\n' for number in range(2 * RERANK_BATCH)} | FILES
    database = mapped(tmp_path, files)
    scores = {path: 1.0 - 0.001 * place for place, path in enumerate(files)}
    clock = iter(range(100))
    embedder = FakeEmbedder()
    slow = FileReranker(embedder, deadline_s=1.5, monotonic=lambda: float(next(clock)))
    ordered = slow.rerank(database, TASK, scores, 1.0)
    assert len(embedder.asked) == 1 + RERANK_BATCH
    assert set(ordered[:RERANK_BATCH]) == set(list(files)[:RERANK_BATCH])
    assert ordered[RERANK_BATCH:] == list(files)[RERANK_BATCH:]
    assert FileReranker(embedder).rerank(database, TASK, scores, 1.0)[0] == "mail.py"


def test_only_the_best_files_are_compared(tmp_path: Path) -> None:
    files = {f"f{number:02}.py": f'"""Part {number}."""\n' for number in range(RERANKED_FILES)} | FILES
    database = mapped(tmp_path, files)
    embedder = FakeEmbedder()
    ordered = FileReranker(embedder, deadline_s=60).rerank(
        database, TASK, {path: 1.0 - 0.001 * place for place, path in enumerate(files)}, 1.0
    )
    assert len(embedder.asked) == 1 + RERANKED_FILES
    assert ordered[RERANKED_FILES:] == list(FILES)


@pytest.mark.parametrize("scores", [{}, {"cart.py": 1.0}, {"cart.py": 1.0, "gone.py": 0.5}])
def test_with_nothing_to_compare_the_scores_decide(database: MapDatabase, scores: dict[str, float]) -> None:
    assert FileReranker(FakeEmbedder()).rerank(database, TASK, scores, 1.0) == list(scores)
