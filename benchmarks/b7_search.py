"""B7, search: what a question costs by words, by meaning and by place together, as a project's memory grows."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.generated import SEED
from benchmarks.generated.corpus import QUERY_KINDS
from benchmarks.generated.growing import Growing
from benchmarks.machine import Samples, environment
from benchmarks.plain import LIMIT, Plain
from benchmarks.targets import target
from holloway.embeddings import backfill
from holloway.embeddings.builtin_model import BuiltinEmbedder
from holloway.embeddings.nearest_neighbors import VectorIndex
from holloway.retrieval.candidates import GRAPH_MAX, QueryVector, parse_query
from holloway.retrieval.recall import RecallOptions, recall_memories
from holloway.store.filter import Filter
from holloway.store.search import find_on_files
from holloway.store.vectors import VectorRow, VectorStore

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from holloway.store.store import Store

SIZES = (1_000, 10_000, 100_000)
QUICK_SIZES = (200, 1_000)
DIMS = BuiltinEmbedder.dims
MODEL = BuiltinEmbedder.model
QUERIES_PER_KIND = 40
PLACES = 12
FRESH = 12
QUICK_FRESH = 4
TARGETS_MS = {"all together": {10_000: 15.0, 100_000: 60.0}, "by place": {10_000: 2.0, 100_000: 5.0}}
HOW = [
    "The memories are those of the store's benchmark. Their vectors are random, of length 1 and 384 dimensions: what a "
    "search costs does not depend on what they mean. The vector of the question is given; to make one takes 5 to 7 ms.",
    "All together is `recall` with words, meaning, twelve files in play, the weights and the removal of repetitions; "
    "by words is the same with words alone; by meaning and by place are candidates of one way. Plain FTS5 is a bare "
    "table with the same OR query; plain numpy is a matrix product and a partition over the same vectors in memory. "
    "Each question is asked twice: the first time its words are counted and its pages read.",
    "A fresh process opens the store, maps the vectors and answers one question by words and by meaning; beside it is "
    "one that imports numpy and opens the file, and one that asks as a user does: it loads the model and makes the "
    "question's vector itself.",
]
_FRESH = """
import sys, numpy as np
from pathlib import Path
import holloway
from benchmarks.b7_search import means_of
from holloway.retrieval.candidates import parse_query
from holloway.retrieval.recall import recall_memories
from holloway.store.filter import Filter
memory = holloway.open(Path(sys.argv[1]), home=Path(sys.argv[2]))
assert recall_memories(memory.store, parse_query(sys.argv[3]), Filter(), 10, means_of(memory.store, 1))
"""
_ASKING = """
import sys
from pathlib import Path
import holloway
with holloway.open(Path(sys.argv[1]), home=Path(sys.argv[2])) as memory:
    assert memory.search.to_embed() == 0
    assert memory.recall(sys.argv[3])
"""
_BARE = "import sys, sqlite3, numpy; sqlite3.connect(sys.argv[4]).execute('SELECT count(*) FROM memories').fetchone()"


def run(*, quick: bool = False) -> dict[str, Any]:
    """Every figure, by the number of memories."""
    measured: dict[int, dict[str, Samples]] = {}
    with tempfile.TemporaryDirectory() as folder:
        root, home = Path(folder, "project"), Path(folder, "home")
        root.mkdir()
        growing, plain = Growing(root, home), Plain(Path(folder))
        for size in QUICK_SIZES if quick else SIZES:
            growing.grow(size)
            plain.copy(growing.store)
            add_random_vectors(growing.store)
            measured[size] = _measure_queries(growing, plain) | _fresh(
                growing, root, home, QUICK_FRESH if quick else FRESH
            )
        plain.close()
        growing.memory.close()
    return _result(measured)


def add_random_vectors(store: Store) -> None:
    """Give every memory of a store a vector; what a search costs does not depend on what it means."""
    vectors = _vectors(store)
    random = np.random.default_rng(SEED)
    while waiting := vectors.list_outdated(MODEL, backfill.EDITION, 1_000):
        rows = random.standard_normal((len(waiting), DIMS), dtype=np.float32)
        rows /= np.linalg.norm(rows, axis=1, keepdims=True)
        vectors.save_vectors(
            MODEL,
            [
                VectorRow(waiting_row.seq, waiting_row.memory.id, waiting_row.revision, "", row.astype("<f4").tobytes())
                for waiting_row, row in zip(waiting, rows, strict=True)
            ],
        )


def _vectors(store: Any) -> VectorStore:
    return VectorStore(store.database, store.memories, store.clock)


def means_of(store: Any, seed: int, places: dict[str, float] | None = None) -> RecallOptions:
    """The inputs of a question: a random vector and some files."""
    vector: NDArray[np.float32] = np.random.default_rng(seed).standard_normal(DIMS, dtype=np.float32)
    vector /= np.linalg.norm(vector)
    return RecallOptions(QueryVector(vector, VectorIndex(_vectors(store), store.project.folder, MODEL)), places or {})


def _measure_queries(growing: Growing, plain: Plain) -> dict[str, Samples]:
    names = (
        "all together",
        "all together, first asked",
        "by words",
        "by meaning",
        "by place",
        "plain FTS5",
        "plain numpy",
    )
    samples = {name: Samples() for name in names}
    chosen = Filter(quarantined=False, branch="")
    stored = list(_vectors(growing.store).stream_vectors(MODEL, DIMS))
    matrix = np.stack([np.frombuffer(blob, dtype="<f4") for _, blob in stored])
    shared = means_of(growing.store, 0)
    assert shared.meaning is not None
    for number, kind in enumerate(QUERY_KINDS * QUERIES_PER_KIND):
        query = parse_query(growing.corpus.query(kind))
        places = {growing.corpus.file(): 1.0 / (1 + at) for at in range(PLACES)}
        vector = np.random.default_rng(number).standard_normal(DIMS, dtype=np.float32)
        meaning = QueryVector(vector / np.linalg.norm(vector), shared.meaning.nearest)
        samples["all together, first asked"].time(
            partial(recall_memories, growing.store, query, chosen, LIMIT, RecallOptions(meaning, places))
        )
        samples["all together"].time(
            partial(recall_memories, growing.store, query, chosen, LIMIT, RecallOptions(meaning, places))
        )
        samples["by words"].time(partial(recall_memories, growing.store, query, chosen, LIMIT))
        samples["by meaning"].time(partial(meaning.nearest.find_nearest, meaning.vector, 200))
        samples["by place"].time(partial(find_on_files, growing.store.database, places, chosen, GRAPH_MAX))
        samples["plain FTS5"].time(partial(plain.match, query.text))
        samples["plain numpy"].time(partial(_product, matrix, meaning.vector))
    return samples


def _product(matrix: NDArray[np.float32], vector: NDArray[np.float32]) -> NDArray[np.int64]:
    scores = matrix @ vector
    best: NDArray[np.int64] = np.argpartition(-scores, min(200, len(scores) - 1))[:200]
    return best


def _fresh(growing: Growing, root: Path, home: Path, rounds: int) -> dict[str, Samples]:
    programs = {"fresh process": _FRESH, "fresh process, bare": _BARE, "fresh process, model loaded": _ASKING}
    samples = {name: Samples() for name in programs}
    database = str(growing.memory.project.database_path)
    query = growing.corpus.query("mixed")
    for _ in range(rounds):
        for name, program in programs.items():
            command = [sys.executable, "-c", program, str(root), str(home), query, database]
            process = samples[name].start(command, environment(), cwd=Path(__file__).parents[1])
            if process.returncode:
                raise subprocess.CalledProcessError(process.returncode, command[:1], stderr=process.stderr[-500:])
    return samples


def _result(measured: dict[int, dict[str, Samples]]) -> dict[str, Any]:
    rows = [
        [f"{size:,}", name, *(round(figure, 2) for figure in samples.figures())]
        for size, by_name in measured.items()
        for name, samples in by_name.items()
    ]
    columns = ["memories", "what", "wall p50 ms", "wall p95 ms", "CPU p50 ms", "CPU p95 ms"]
    targets = [
        target(f"{name}, {size:,} memories, p95", measured[size][name].figures()[1], limit, "ms")
        for name, by_size in TARGETS_MS.items()
        for size, limit in by_size.items()
        if size in measured
    ]
    return {
        "title": "B7: search",
        "question": "What does a question cost as the memory grows?",
        "how": HOW,
        "seed": SEED,
        "targets": targets,
        "tables": [{"title": "Questions", "columns": columns, "rows": rows}],
        "figures": {
            str(size): {name: samples.figures() for name, samples in by.items()} for size, by in measured.items()
        },
    }
