"""Recall with one of its stages left out or one of its constants changed, asked the same questions."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from types import ModuleType
from typing import TYPE_CHECKING
from unittest import mock

from benchmarks.scoring import SEED
from holloway.domain.memory import Memory, Source
from holloway.domain.work import Phase
from holloway.retrieval import candidates, rank
from holloway.retrieval.rank import Fusion
from holloway.retrieval.recall import STAGES, RecallOptions, RecallResult, recall_memories
from holloway.service import memory_search

if TYPE_CHECKING:
    from holloway.domain.memory import Sketch
    from holloway.retrieval.candidates import Query, QueryVector
    from holloway.service.holloway import Holloway
    from holloway.store.filter import Filter
    from holloway.store.store import Store

LIMIT = 10
FULL = "holloway, as shipped"

Change = tuple[ModuleType, str, object]
"""A constant or function of a module, and what it is while something is measured."""


@dataclass(frozen=True, slots=True)
class Caught:
    """A question on its way through the service, with all that recall would get."""

    store: Store
    query: Query
    chosen: Filter
    means: RecallOptions


@dataclass(frozen=True, slots=True)
class Variant:
    """The pipeline with something changed."""

    means: Callable[[RecallOptions], RecallOptions] = lambda means: means
    changes: tuple[Change, ...] = ()

    def ask(self, caught: Caught) -> list[Memory]:
        """The memories that it finds."""
        with ExitStack() as stack:
            for module, name, value in self.changes:
                stack.enter_context(mock.patch.object(module, name, value))
            results = recall_memories(caught.store, caught.query, caught.chosen, LIMIT, self.means(caught.means))
        return [result.memory for result in results]


def without(*stages: str) -> Variant:
    """The pipeline without stages."""
    return Variant(lambda means: replace(means, stages=means.stages - set(stages)))


def with_stage(stage: str) -> Variant:
    """The pipeline with a stage that is off."""
    return Variant(lambda means: replace(means, stages=means.stages | {stage}))


def constant(module: ModuleType, **values: object) -> Variant:
    """The pipeline with other constants in one of its modules."""
    return Variant(changes=tuple((module, name, value) for name, value in values.items()))


def shares(**row: float) -> Variant:
    """Fusion with some weights changed, for every kind of question."""
    return constant(rank, LIST_WEIGHTS={kind: weights | row for kind, weights in rank.LIST_WEIGHTS.items()})


def in_phase(phase: Phase) -> Variant:
    """Every question asked in one phase."""
    return Variant(lambda means: replace(means, phase=phase))


def _trust_by_lot(memory: Memory) -> float:
    source = random.Random(f"{SEED} {memory.id}").choice(list(Source))
    return 1.0 + rank.PRIOR_SHARE * (rank.SOURCE_TRUST[source] - 1.0)


WAYS = {
    "without meaning": Variant(lambda means: replace(means, meaning=None)),
    "without words": constant(candidates, TEXT_MAX=0),
    "without places": Variant(lambda means: replace(means, places={})),
    "places: the file itself, nothing near it": Variant(
        lambda means: replace(means, places={path: near for path, near in means.places.items() if near == 1.0})
    ),
    "ranks fused, not scores": Variant(lambda means: replace(means, fusion=Fusion.RANKS)),
}
"""The source of the candidates and their fusion."""
SWITCHED = {
    **{f"without {stage}": without(stage) for stage in sorted(STAGES - {"trust", "phase"})},
    "with difference, which is off": with_stage("difference"),
    "fused scores and nothing after": Variant(lambda means: replace(means, stages=frozenset())),
    "trust, sources by lot": constant(rank, compute_trust=_trust_by_lot),
    **{f"phase {phase}": in_phase(phase) for phase in (Phase.IMPLEMENT, Phase.EXPLORE)},
}
"""Stages left out or let in. Nobody labelled sources and phases here: what they cost where they say nothing is seen."""
CONSTANTS = {
    **{f"meaning {share}, words {1 - share:.1f}": shares(dense=share, text=1 - share) for share in (0.3, 0.7)},
    **{f"places {weight}": shares(graph=weight) for weight in (0.15, 0.6)},
    **{f"neighbourhood {boost}": constant(rank, BOOST=boost) for boost in (0.1, 0.3)},
    "recency 0.2": constant(rank, RECENCY_SHARE=0.2),
    "confidence 0.3": constant(rank, CONFIDENCE_SHARE=0.3),
    "staleness 0.5": constant(rank, CHANGED_SHARE=0.5),
    "pool 30": constant(candidates, FUSED_CANDIDATES_MAX=30),
}
VARIANTS = {FULL: Variant(), **WAYS, **SWITCHED, **CONSTANTS}


def catch(memory: Holloway, text: str, files: Sequence[str] = ()) -> Caught:
    """Ask as a user would, and take what the service hands to recall."""
    caught: list[Caught] = []

    def keep(store: Store, query: Query, chosen: Filter, limit: int, means: RecallOptions) -> list[RecallResult]:
        caught.append(Caught(store, query, chosen, means))
        return []

    with mock.patch.object(memory_search, "recall_memories", keep):
        memory.recall(text, limit=LIMIT, files=files)
    (only,) = caught
    return only


def answers(caught: Caught, variants: Mapping[str, Variant] = VARIANTS) -> dict[str, list[Memory]]:
    """Return the memories that every variant finds."""
    changed = caught.means.changed
    means = replace(caught.means, changed=_each_once(changed) if changed else None)
    with read_once(caught.store):
        question = replace(caught, means=means)
        return {name: variant.ask(question) for name, variant in variants.items()}


Shares = Mapping[str, Mapping[str, float]]


def _each_once(changed: Callable[[Sequence[Sketch]], Shares]) -> Callable[[Sequence[Sketch]], Shares]:
    """Ask about each memory once for all variants."""
    changes: dict[str, Mapping[str, float]] = {}

    def once(memories: Sequence[Sketch]) -> Shares:
        changes.update(changed([memory for memory in memories if memory.id not in changes]))
        return changes

    return once


@contextmanager
def read_once(store: Store) -> Iterator[None]:
    """Share the rows of one question between its variants, so that each is read once."""
    collected, many = candidates.collect_candidates, store.memories.get_by_seqs
    lists: dict[object, dict[str, dict[int, float]]] = {}
    memories_read: dict[int, Memory] = {}

    def collected_once(
        store: Store, query: Query, chosen: Filter, meaning: QueryVector | None, places: Mapping[str, float]
    ) -> dict[str, dict[int, float]]:
        key = (meaning is None, tuple(places), candidates.TEXT_MAX)
        if key not in lists:
            lists[key] = collected(store, query, chosen, meaning, places)
        return lists[key]

    def many_once(seqs: list[int]) -> dict[int, Memory]:
        if missing := [seq for seq in seqs if seq not in memories_read]:
            memories_read.update(many(missing))
        return {seq: memories_read[seq] for seq in seqs if seq in memories_read}

    with (
        mock.patch.object(candidates, "collect_candidates", collected_once),
        mock.patch.object(store.memories, "get_by_seqs", many_once),
    ):
        yield
