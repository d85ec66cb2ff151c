"""Community detection (Leiden algorithm) in a weighted graph. The only module that imports igraph."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

SEED = 20_11


def detect_communities(
    nodes: Sequence[str], links: Mapping[tuple[str, str], float], resolution: float = 1.0
) -> list[list[str]]:
    """Return the Leiden communities of an undirected graph. The result is deterministic for a given node order."""
    index_of = {node: index for index, node in enumerate(nodes)}
    weights: dict[tuple[int, int], float] = defaultdict(float)
    for (source, target), weight in links.items():
        if weight > 0 and source != target and source in index_of and target in index_of:
            low, high = sorted((index_of[source], index_of[target]))
            weights[low, high] += weight
    pairs = sorted(weights)
    with _seeded_igraph() as igraph:
        clustering = igraph.Graph(len(nodes), pairs).community_leiden(
            objective_function="modularity",
            weights=[weights[pair] for pair in pairs],
            resolution=resolution,
            n_iterations=-1,
        )
    grouped: dict[int, list[str]] = defaultdict(list)
    for node, community in zip(nodes, clustering.membership, strict=True):
        grouped[community].append(node)
    return sorted(grouped.values(), key=lambda group: (-len(group), index_of[group[0]]))


def compute_modularity(groups: Sequence[Sequence[str]], links: Mapping[tuple[str, str], float]) -> float:
    """Return the modularity of a grouping: the share of weight inside groups beyond chance; 0 without any weight."""
    group_of = {node: index for index, group in enumerate(groups) for node in group}
    inside = 0.0
    degree: dict[int, float] = defaultdict(float)
    total = 0.0
    for (source, target), weight in links.items():
        if source == target or source not in group_of or target not in group_of:
            continue
        total += weight
        inside += weight if group_of[source] == group_of[target] else 0.0
        degree[group_of[source]] += weight
        degree[group_of[target]] += weight
    if not total:
        return 0.0
    return inside / total - sum((value / (2 * total)) ** 2 for value in degree.values())


@contextmanager
def _seeded_igraph() -> Iterator[Any]:
    """Provide igraph with a seeded random number generator while it is used."""
    # Importing it takes a quarter of a second, which only module detection should pay.
    import igraph  # type: ignore[import-untyped]

    igraph.set_random_number_generator(random.Random(SEED))  # noqa: S311 - reproducible results are the point
    try:
        yield igraph
    finally:
        igraph.set_random_number_generator(random)
