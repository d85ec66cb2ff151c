"""Which nodes of a graph belong together. The only place that loads igraph."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

SEED = 20_11


def communities(
    nodes: Sequence[str], links: Mapping[tuple[str, str], float], resolution: float = 1.0
) -> list[list[str]]:
    """Leiden communities of an undirected graph. The same nodes in the same order give the same answer."""
    place = {node: at for at, node in enumerate(nodes)}
    weights: dict[tuple[int, int], float] = defaultdict(float)
    for (one, other), weight in links.items():
        if weight > 0 and one != other and one in place and other in place:
            low, high = sorted((place[one], place[other]))
            weights[low, high] += weight
    pairs = sorted(weights)
    with _seeded() as igraph:
        found = igraph.Graph(len(nodes), pairs).community_leiden(
            objective_function="modularity",
            weights=[weights[pair] for pair in pairs],
            resolution=resolution,
            n_iterations=-1,
        )
    grouped: dict[int, list[str]] = defaultdict(list)
    for node, community in zip(nodes, found.membership, strict=True):
        grouped[community].append(node)
    return sorted(grouped.values(), key=lambda group: (-len(group), place[group[0]]))


def modularity(groups: Sequence[Sequence[str]], links: Mapping[tuple[str, str], float]) -> float:
    """How much more weight lies inside the groups than chance would put there; 0 where there is none."""
    group_of = {node: at for at, group in enumerate(groups) for node in group}
    inside = 0.0
    degree: dict[int, float] = defaultdict(float)
    total = 0.0
    for (one, other), weight in links.items():
        if one == other or one not in group_of or other not in group_of:
            continue
        total += weight
        inside += weight if group_of[one] == group_of[other] else 0.0
        degree[group_of[one]] += weight
        degree[group_of[other]] += weight
    if not total:
        return 0.0
    return inside / total - sum((value / (2 * total)) ** 2 for value in degree.values())


@contextmanager
def _seeded() -> Iterator[Any]:
    """igraph, with a generator of our own for as long as it is used."""
    # It takes a quarter of a second to load, which only those pay who draw modules anew.
    import igraph  # type: ignore[import-untyped]

    igraph.set_random_number_generator(random.Random(SEED))  # noqa: S311 - the same answer every time is the point
    try:
        yield igraph
    finally:
        igraph.set_random_number_generator(random)
