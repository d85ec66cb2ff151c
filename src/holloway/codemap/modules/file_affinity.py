"""Affinity graph of files: imports, co-changes and shared words in file names, combined on one scale."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence

from holloway.text.identifiers import split_identifier

IMPORT_WEIGHT_MAX = 3.0
COCHANGE_SHARE = 1.0
"""Total weight of co-changes, relative to the total weight of imports."""
WORD_WEIGHT = 1.0
"""Weight of a word that two names share, relative to the average link."""
WORD_FILES_SHARE_MAX = 0.34
"""A word that more of the files share does not distinguish them."""


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
