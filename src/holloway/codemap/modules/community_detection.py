"""Affinity graph of files (imports, co-changes, file names), and community detection in it (Leiden, igraph)."""

from __future__ import annotations

import math
import random
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from holloway.text.identifiers import split_identifier

SEED = 20_11
IMPORT_WEIGHT_MAX = 3.0
COCHANGE_SHARE = 1.0
"""Total weight of co-changes, relative to the total weight of imports."""
WORD_WEIGHT = 1.0
"""Weight of a word that two names share, relative to the average link."""
WORD_FILES_SHARE_MAX = 0.34
"""A word that more of the files share does not distinguish them."""


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


def blend_links(
    paths: Collection[str],
    imports: Mapping[tuple[str, str], float],
    cochanges: Mapping[tuple[str, str], float],
) -> dict[tuple[str, str], float]:
    """Combine imports and co-changes into one undirected graph. Imports of widely imported files count less."""
    path_set = frozenset(paths)
    importer_counts = Counter(target for source, target in imports if source in path_set and target in path_set)
    links: dict[tuple[str, str], float] = defaultdict(float)
    for (source, target), weight in imports.items():
        if source != target and weight > 0 and source in path_set and target in path_set:
            links[min(source, target), max(source, target)] += min(weight, IMPORT_WEIGHT_MAX) / math.sqrt(
                importer_counts[target]
            )
    changes = {
        (source, target): weight
        for (source, target), weight in cochanges.items()
        if source != target and weight > 0 and source in path_set and target in path_set
    }
    total = sum(changes.values())
    scale = COCHANGE_SHARE * sum(links.values()) / total if total and links else 1.0
    for (source, target), weight in changes.items():
        links[min(source, target), max(source, target)] += scale * weight
    return dict(links)


def link_by_name(paths: Sequence[str]) -> dict[tuple[str, str], float]:
    """Link files whose names share a word that few others have: each file to the next with that word."""
    paths_by_word: dict[str, list[str]] = defaultdict(list)
    for path in sorted(paths):
        for word in dict.fromkeys(split_identifier(path.rpartition("/")[2].partition(".")[0])):
            if len(word) > 2:
                paths_by_word[word].append(path)
    files_max = max(3, WORD_FILES_SHARE_MAX * len(paths))
    links: dict[tuple[str, str], float] = defaultdict(float)
    for _, files in sorted(paths_by_word.items()):
        if 2 <= len(files) <= files_max:
            for file, next_path in zip(files, [*files[1:], files[0]], strict=True):
                if file != next_path:
                    links[min(file, next_path), max(file, next_path)] += 1.0
    return dict(links)
