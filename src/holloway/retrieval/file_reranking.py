"""Second stage of locating: compares the meaning of a task with the best files, by vectors of the built-in model.

The first stage compares words; a question in other words than the code's is answered here.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from holloway.codemap import file_vectors
from holloway.config import LOCATE_RERANK_DEADLINE_S, RERANK_BATCH

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from holloway.codemap.database import MapDatabase
    from holloway.codemap.file_vectors import FileText
    from holloway.domain.ports import Embedder

TASK_CHARS = 2_000
"""Characters of a task that are embedded: what it is about stands at its beginning."""
RERANKED_FILES = 20
"""Best files that are compared: with 10, five fewer of 116 questions had their file among the first ten."""
MEANING_WEIGHT = 0.3
"""Weight of the nearest of these files, relative to the best score by the task; the farthest has none. From 0.2 to 0.6,
more helps questions in plain words and costs those that name things."""


class FileReranker:
    """Orders the best files of a map by words and meaning. Vectors of files are cached in the map."""

    def __init__(
        self,
        embedder: Embedder,
        *,
        deadline_s: float = LOCATE_RERANK_DEADLINE_S,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._embedder = embedder
        self._deadline_s = deadline_s
        self._monotonic = monotonic

    def rerank(self, database: MapDatabase, task: str, scores: Mapping[str, float], scale: float) -> list[str]:
        """Return files, best first, ordered by their scores and by the nearness of their text to the task.

        `scale` is the best score that a file has from the task alone: what recent work says is not outweighed.

        Files that have no vector when the deadline passes keep their place. Raises EmbedderMissing or EmbeddingFailed.
        """
        ranked = sorted(scores, key=lambda path: (-scores[path], path))
        similarities = self._compare(database, task, ranked[:RERANKED_FILES])
        if len(similarities) < 2:
            return ranked
        low, high = min(similarities), max(similarities)
        weight = MEANING_WEIGHT * scale / max(high - low, 1e-6)
        compared = dict(zip(ranked, similarities, strict=False))
        near = sorted(compared, key=lambda path: (-scores[path] - weight * (compared[path] - low), path))
        return near + ranked[len(near) :]

    def _compare(self, database: MapDatabase, task: str, paths: list[str]) -> list[float]:
        """Return the cosine of the task with each of the first files, up to the first one without a vector."""
        import numpy as np  # loaded with the model

        described = file_vectors.describe_files(database, paths, self._embedder.model)
        texts = [described[path] for path in paths if path in described]
        vectors = file_vectors.load_vectors(database, texts)
        query = self._embedder.embed([task[:TASK_CHARS]], is_query=True)[0]
        vectors |= self._embed_missing(database, [text for text in texts if text.file not in vectors])
        similarities: list[float] = []
        for path in paths:
            vector = vectors.get(described[path].file) if path in described else None
            if vector is None:
                break
            similarities.append(float(np.frombuffer(vector, dtype="<f4") @ query))
        return similarities

    def _embed_missing(self, database: MapDatabase, texts: Sequence[FileText]) -> dict[int, bytes]:
        """Embed texts in order until the deadline passes, and cache the vectors."""
        deadline = self._monotonic() + self._deadline_s
        rows: list[tuple[FileText, bytes]] = []
        for at in range(0, len(texts), RERANK_BATCH):
            if self._monotonic() >= deadline:
                break
            batch = texts[at : at + RERANK_BATCH]
            embedded = self._embedder.embed([text.text for text in batch]).astype("<f4", copy=False)
            rows += [(text, vector.tobytes()) for text, vector in zip(batch, embedded, strict=True)]
        if rows:
            file_vectors.save_vectors(database, rows)
        return {text.file: vector for text, vector in rows}
