"""Search over memories: recall with embeddings, reranking and the code map, and the stages that did not run."""

from __future__ import annotations

import time
from contextlib import closing
from dataclasses import replace
from functools import cached_property, partial
from typing import TYPE_CHECKING

from holloway.codemap import queries
from holloway.codemap.history import cochange
from holloway.config import RERANK_DEADLINE_S
from holloway.domain.memory import as_tuple, parse_choice
from holloway.domain.work import Phase
from holloway.embeddings import rerank_models
from holloway.embeddings.backfill import MemoryTexts, backfill_vectors
from holloway.embeddings.provider_choice import EmbedderChoice, choose_embedder
from holloway.errors import HollowayError
from holloway.retrieval.candidates import QueryVector, parse_query
from holloway.retrieval.recall import RecallOptions, RecallResult, check_query, recall_memories
from holloway.service.project_paths import resolve_path
from holloway.store import excluded_memories
from holloway.store import project as projects
from holloway.store.filter import Filter
from holloway.store.vectors import EmbeddingCache, VectorStore

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    from holloway.domain.memory import Memory, Sketch
    from holloway.domain.ports import Embedder
    from holloway.embeddings.nearest_neighbors import VectorIndex
    from holloway.retrieval.candidates import Query
    from holloway.service.open_project import OpenProject
    from holloway.store.store import Store

CATCH_UP_S = 1.0
LOCK_TIMEOUT_MS = 250
"""Limits on the time that a search spends on missing vectors; memories without one are found by words."""
BACKGROUND_S = 300.0
NEAR_WEIGHT = 0.5
"""Weight of a memory about a file's neighbour, relative to one about the file itself."""
PARTNERS_MAX = 20
STOP_FILE_NAME = "embedding.stop"
"""File in a project's data folder with the name of the model whose background run a person stopped."""


class MemorySearch:
    """Searches the memories of one open project."""

    def __init__(self, opened: OpenProject) -> None:
        self._opened = opened
        self._nearest: dict[str, VectorIndex] = {}
        self.degraded: dict[str, str] = {}
        """Stages that did not run for the last question, with the reasons, for display."""

    def recall(
        self,
        query: str,
        *,
        chosen: Filter | None = None,
        limit: int = 10,
        phase: Phase | str | None = None,
        files: Sequence[str] = (),
    ) -> list[RecallResult]:
        """Return the memories that answer a question, best first; quarantined ones only if the filter says so.

        `files` are in use: memories about them or neighbours rank higher. `phase` prefers the types that it needs.
        Each result says in `stages` what every stage made of it.
        """
        wanted = chosen or Filter(quarantined=False, branch=self._opened.branch)
        root = self._opened.project.root
        question = parse_query(query, files=tuple(resolve_path(root, path) for path in as_tuple("files", files)))
        return self.ask(
            self._opened.stores(), question, wanted, limit, phase=parse_choice(Phase, phase) if phase else None
        )

    def recall_everywhere(
        self, query: str, *, chosen: Filter | None = None, limit: int = 10
    ) -> tuple[list[RecallResult], list[HollowayError]]:
        """As `recall`, over every project on this machine; an unreadable project is reported and skipped."""
        results, errors = self.recall(query, chosen=chosen, limit=limit), []
        elsewhere = replace(chosen or Filter(quarantined=False), branch="")
        for other in projects.list_projects(self._opened.home):
            if other.key != self._opened.project.key and other.database_path.exists():
                try:
                    with closing(self._opened.open_store(other)) as store:
                        results += self.ask([store], parse_query(query), elsewhere, limit)
                except HollowayError as error:
                    errors.append(error)
        return sorted(results, key=lambda result: -result.score)[:limit], errors

    @cached_property
    def choice(self) -> EmbedderChoice:
        """The configured embedder; choosing it loads and contacts nothing."""
        return choose_embedder(self._opened.settings)

    def to_embed(self) -> int:
        """Return how many memories, including the user's own, have no vector of the current model yet."""
        embedder = self.choice.embedder
        return sum(_texts(store, embedder).count_missing() for store in self._opened.stores()) if embedder else 0

    def embed_waiting(self, deadline_s: float = BACKGROUND_S) -> int:
        """Compute missing vectors in the background, one process at a time; returns how many were computed."""
        embedder = self.choice.embedder
        if embedder is None:
            return 0
        end = time.monotonic() + deadline_s
        stop = partial(is_stopped, self._opened.project.folder, embedder.model)
        return sum(_embedded(store, embedder, end - time.monotonic(), stop) for store in self._opened.stores())

    def ask(
        self,
        stores: Sequence[Store],
        query: Query,
        chosen: Filter,
        limit: int,
        *,
        phase: Phase | None = None,
    ) -> list[RecallResult]:
        """Return the memories of several stores that answer a question, best first."""
        check_query(query.text, limit)
        self.degraded = {"reranking": self._closer.reason} if self._closer.reason else {}
        vector = self._vector(stores, query)
        results = [
            result
            for store in stores
            for result in recall_memories(store, query, chosen, limit, self._means(store, query, vector, phase))
        ]
        excluded = set(excluded_memories.read_excluded(self._opened.store.database.connection))
        results = [result for result in results if result.memory.id not in excluded]
        return sorted(results, key=lambda result: -result.score)[:limit]

    def _means(
        self, store: Store, query: Query, vector: NDArray[np.float32] | None, phase: Phase | None
    ) -> RecallOptions:
        meaning = None if vector is None else QueryVector(vector, self._vectors_of(store), self._related_from)
        rerank = self._rerank if self._closer.reranker else None
        if store is not self._opened.store or not self._opened.map.is_ready:
            return RecallOptions(meaning, phase=phase, rerank=rerank)
        return RecallOptions(meaning, self._places(query.files) if query.files else {}, phase, self._rewritten, rerank)

    @cached_property
    def _closer(self) -> rerank_models.RerankerChoice:
        """The configured reranker for the best results; choosing it loads nothing."""
        return rerank_models.choose_reranker(self._opened.settings)

    def _rerank(self, query: str, texts: list[str]) -> list[float] | None:
        """Return the reranker's scores for texts; None without a reranker, or if it fails or takes too long."""
        reranker = self._closer.reranker
        if reranker is None:
            return None
        try:
            scores = reranker.score(query, texts, deadline_s=RERANK_DEADLINE_S)
        except HollowayError as error:
            self.degraded["reranking"] = error.message
            return None
        if scores is None:
            self.degraded["reranking"] = f"The {reranker.name} took more than {RERANK_DEADLINE_S:g} s."
        return scores

    @property
    def _is_here(self) -> bool:
        """Whether the model is the one built into holloway, which answers in milliseconds."""
        return self._opened.settings.get_text("embedding.provider") == "builtin"

    @property
    def _related_from(self) -> float:
        return self.choice.embedder.related_from if self.choice.embedder else 0.0

    def _vectors_of(self, store: Store) -> VectorIndex:
        from holloway.embeddings.nearest_neighbors import VectorIndex  # numpy is loaded only when a vector is needed

        key = str(store.project.folder)
        if key not in self._nearest:
            embedder = self.choice.embedder
            assert embedder is not None  # noqa: S101  (there is a vector of the question)
            self._nearest[key] = VectorIndex(_vectors(store), store.project.folder, embedder.model)
        return self._nearest[key]

    def _vector(self, stores: Sequence[Store], query: Query) -> NDArray[np.float32] | None:
        """Compute missing vectors of memories, then return the vector of a question; None if it cannot be embedded."""
        embedder = self.choice.embedder
        if embedder is None:
            self.degraded["meaning"] = self.choice.reason
            return None
        if not any(store.memories.count_memories(Filter()) for store in stores):
            return None
        for store in stores:
            self._catch_up(store, embedder)
        from holloway.embeddings.backfill import embed_query  # numpy is loaded only when a vector is needed

        store = self._opened.store
        cache = None if self._is_here else EmbeddingCache(store.database, store.clock)
        try:
            return embed_query(query.text, embedder, cache)
        except HollowayError as error:
            self.degraded["meaning"] = error.message
            return None

    def _catch_up(self, store: Store, embedder: Embedder) -> None:
        """Compute missing vectors of memories; a failure is reported in `degraded`, and the search goes on."""
        if not self._is_here:
            # A server may take a minute for a batch; the question does not wait for it.
            if waiting := _texts(store, embedder).count_missing():
                self.degraded["new memories by meaning"] = _waiting(waiting)
            return
        try:
            with store.database.limit_lock_wait(LOCK_TIMEOUT_MS):
                backfill = backfill_vectors(embedder, _texts(store, embedder), deadline_s=CATCH_UP_S)
        except HollowayError as error:
            self.degraded["new memories by meaning"] = error.message
            return
        if backfill.failure is not None:
            self.degraded["new memories by meaning"] = backfill.failure.message
        elif backfill.out_of_time:
            self.degraded["new memories by meaning"] = _waiting(_texts(store, embedder).count_missing())

    def _places(self, files: Sequence[str]) -> dict[str, float]:
        """Return weights for the files in use, their neighbours in the graph, and files that change with them."""
        places = dict.fromkeys(files, 1.0)
        near = queries.find_neighbours(self._opened.map.database, files)
        for neighbours in near.values():
            for path, weight in neighbours.items():
                places[path] = max(places.get(path, 0.0), weight)
        now = self._opened.clock.now()
        for partner in cochange.find_partners(self._opened.map.database, files, now=now, limit=PARTNERS_MAX):
            places[partner.path] = max(places.get(partner.path, 0.0), NEAR_WEIGHT * min(partner.score, 1.0))
        return places

    def rewritten_shares(self, memory: Memory) -> Mapping[str, float]:
        """Return how much of each file of a memory changed since its commit, as far as that is known."""
        if not memory.commit or not self._opened.under_git or not self._opened.map.is_ready:
            return {}
        pairs = {(memory.commit, path) for path in memory.files}
        shares = cochange.compute_rewritten_shares(self._opened.map.database, self._opened.project.root, pairs)
        return {path: share for (_, path), share in shares.items()}

    def _rewritten(self, memories: Sequence[Sketch]) -> Mapping[str, Mapping[str, float]]:
        commit_paths = {(memory.commit, path) for memory in memories if memory.commit for path in memory.files}
        if not commit_paths or not self._opened.under_git:
            return {}
        shares = cochange.compute_rewritten_shares(self._opened.map.database, self._opened.project.root, commit_paths)
        return {
            memory.id: {path: shares[memory.commit, path] for path in memory.files if (memory.commit, path) in shares}
            for memory in memories
        }


def release_models(unused_s: float) -> bool:
    """Drop the built-in embedding model if nobody searched for some seconds; returns whether it was dropped."""
    from holloway.embeddings import builtin_model  # only a process that stays has anything to drop

    return builtin_model.release_model(unused_s)


def is_stopped(folder: Path, model: str) -> bool:
    """Return whether a person stopped embedding with a model in the project with this data folder."""
    try:
        return (folder / STOP_FILE_NAME).read_text("utf-8") == model
    except OSError:
        return False


def _embedded(store: Store, embedder: Embedder, deadline_s: float, should_stop: Callable[[], bool]) -> int:
    texts = _texts(store, embedder)
    if deadline_s <= 0 or not texts.count_missing():
        return 0
    from filelock import FileLock, Timeout  # a search does not need it

    try:
        with FileLock(str(store.project.folder / "vectors.lock"), mode=0o600).acquire(timeout=0):
            return backfill_vectors(embedder, texts, deadline_s=deadline_s, should_stop=should_stop).embedded
    except Timeout:
        return 0


def _waiting(number: int) -> str:
    return f"{number:,} have no vector yet and are found by their words."


def _texts(store: Store, embedder: Embedder) -> MemoryTexts:
    return MemoryTexts(_vectors(store), embedder.model)


def _vectors(store: Store) -> VectorStore:
    return VectorStore(store.database, store.memories, store.clock)
