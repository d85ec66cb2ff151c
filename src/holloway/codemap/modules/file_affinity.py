"""How strongly two files belong together: imports, common changes and common words in their names, on one scale."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence

from holloway.text.identifiers import parts

IMPORT_WEIGHT_MAX = 3.0
TOGETHER_SHARE = 1.0
"""What common changes weigh in all, against what the imports weigh in all."""
WORD_WEIGHT = 1.0
"""What a word that two names share weighs, against the average link."""
WORD_FILES_SHARE_MAX = 0.34
"""A word that more of the files carry tells nothing apart."""


def blended(
    paths: Collection[str],
    imports: Mapping[tuple[str, str], float],
    together: Mapping[tuple[str, str], float],
) -> dict[tuple[str, str], float]:
    """One undirected graph of imports and common changes. What everybody imports ties nobody to it."""
    known = frozenset(paths)
    arriving = Counter(other for one, other in imports if one in known and other in known)
    links: dict[tuple[str, str], float] = defaultdict(float)
    for (one, other), weight in imports.items():
        if one != other and weight > 0 and one in known and other in known:
            links[min(one, other), max(one, other)] += min(weight, IMPORT_WEIGHT_MAX) / math.sqrt(arriving[other])
    changes = {
        (one, other): weight
        for (one, other), weight in together.items()
        if one != other and weight > 0 and one in known and other in known
    }
    total = sum(changes.values())
    scale = TOGETHER_SHARE * sum(links.values()) / total if total and links else 1.0
    for (one, other), weight in changes.items():
        links[min(one, other), max(one, other)] += scale * weight
    return dict(links)


def by_name(paths: Sequence[str]) -> dict[tuple[str, str], float]:
    """Links between files whose names share a word that few others have: each to the next that has it."""
    having: dict[str, list[str]] = defaultdict(list)
    for path in sorted(paths):
        for word in dict.fromkeys(parts(path.rpartition("/")[2].partition(".")[0])):
            if len(word) > 2:
                having[word].append(path)
    most = max(3, WORD_FILES_SHARE_MAX * len(paths))
    links: dict[tuple[str, str], float] = defaultdict(float)
    for _, files in sorted(having.items()):
        if 2 <= len(files) <= most:
            for one, other in zip(files, [*files[1:], files[0]], strict=True):
                if one != other:
                    links[min(one, other), max(one, other)] += 1.0
    return dict(links)
