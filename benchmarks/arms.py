"""Control arms for past sessions: the placebo and the sessions of another project, which hold no knowledge."""

from __future__ import annotations

import random
from collections import Counter
from typing import TYPE_CHECKING

from benchmarks.scoring import SEED

if TYPE_CHECKING:
    from collections.abc import Sequence

PastRow = tuple[str, tuple[tuple[str, int], ...], str]
"""Task, files with their weights, and branch of a past session, as the store lists them."""

BLOCK = 8
"""Files next to each other in the order of popularity count as equally popular."""


def permute_files(past: Sequence[PastRow], seed: str) -> list[PastRow]:
    """Return the same sessions with each file replaced by an equally popular one, everywhere by the same."""
    ranked = rank_by_popularity(past)
    chooser = random.Random(f"{SEED} {seed}")
    mapping: dict[str, str] = {}
    for start in range(0, len(ranked), BLOCK):
        block = ranked[start : start + BLOCK]
        shift = chooser.randrange(1, len(block)) if len(block) > 1 else 0
        shuffled = chooser.sample(block, len(block))
        mapping |= dict(zip(shuffled, shuffled[shift:] + shuffled[:shift], strict=True))
    return [_map_files(session, mapping) for session in past]


def adopt_foreign(past: Sequence[PastRow], foreign: Sequence[PastRow], paths: Sequence[str]) -> list[PastRow]:
    """Return as many sessions of another project, each of their files mapped to a file here by popularity.

    A branch counts as the one of the session in whose place the foreign one stands.
    """
    popular = rank_by_popularity(past)
    unpopular = random.Random(SEED).sample(sorted(set(paths) - set(popular)), len(set(paths) - set(popular)))
    chosen = [foreign[number % len(foreign)] for number in range(len(past))] if foreign else []
    mapping = dict(zip(rank_by_popularity(chosen), popular + unpopular, strict=False))
    mapped = (_map_files(session, mapping) for session in chosen)
    return [(task, files, past_session[2]) for (task, files, _), past_session in zip(mapped, past, strict=False)]


def rank_by_popularity(past: Sequence[PastRow]) -> list[str]:
    """List the files of sessions, those of most sessions first."""
    counts = Counter(path for _, files, _ in past for path, _ in files)
    return sorted(counts, key=lambda path: (-counts[path], path))


def _map_files(session: PastRow, mapping: dict[str, str]) -> PastRow:
    task, files, branch = session
    return task, tuple((mapping[path], weight) for path, weight in files if path in mapping), branch
