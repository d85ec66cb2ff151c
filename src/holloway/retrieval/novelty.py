"""Whether something is new: the memories closest to it say so. Likeness alone never deletes or overwrites anything."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import TYPE_CHECKING

from holloway.store.filter import Filter
from holloway.store.search import search
from holloway.text.fts_query import STOP_WORDS
from holloway.text.identifiers import expanded

if TYPE_CHECKING:
    from holloway.domain.memory import Memory
    from holloway.store.store import Store

SAME_FROM = 0.8
"""Share of words in common from which two texts say the same, unless they differ in a fact."""
NEAR_FROM = 0.5
"""Share from which they speak of the same, and a difference in a fact is a contradiction."""
LOOKED_AT = 12
COMPARED_AGAIN = 64

_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
_NEGATED = re.compile(r"\b(?:not|never|no|none|without|cannot|avoid|stop|n't|don't|doesn't|isn't|mustn't|can't)\b")
_COMPARED = re.compile(r"[<>]=?|[!=]=")


class Verdict(StrEnum):
    """What a new text is, next to one that is known."""

    NEW = "new"
    SAME = "same"
    CONTRADICTS = "contradicts"


@dataclass(frozen=True, slots=True)
class Close:
    """A known memory that speaks of the same, and how it stands to the new text."""

    memory: Memory
    verdict: Verdict
    likeness: float


def closest(store: Store, content: str) -> list[Close]:
    """The living memories that say the same as a text or contradict it, the most alike first."""
    hits = search(store.database, content, Filter(), LOOKED_AT)
    known = store.memories.contents([seq for seq, _ in hits])
    found = {seq: compared(content, one) for seq, one in known.items()}
    near = store.memories.many([seq for seq, (verdict, _) in found.items() if verdict is not Verdict.NEW])
    close = [Close(memory, *found[seq]) for seq, memory in near.items()]
    return sorted(close, key=lambda one: (-one.likeness, one.memory.id))


def compared(new: str, known: str) -> tuple[Verdict, float]:
    """How a text stands to another, and the share of words that they have in common."""
    one, other = _words(new), _words(known)
    likeness = len(one & other) / len(one | other) if one | other else 0.0
    if likeness < NEAR_FROM:
        return Verdict.NEW, likeness
    if _facts(new) != _facts(known):
        return Verdict.CONTRADICTS, likeness
    return (Verdict.SAME if likeness >= SAME_FROM else Verdict.NEW), likeness


# A new text is held against several known ones.
@lru_cache(maxsize=COMPARED_AGAIN)
def _words(text: str) -> frozenset[str]:
    """What a text speaks of: its words without those that carry facts, so that a fact does not hide a contradiction."""
    return frozenset(word for word in expanded(_NUMBER.sub(" ", text)) if word not in STOP_WORDS and word not in _FACTS)


_FACTS = frozenset("not never no none without cannot avoid stop always must only".split())


def _facts(text: str) -> tuple[tuple[str, ...], bool, tuple[str, ...]]:
    """What two texts about the same may contradict each other in: numbers, yes or no, more or less."""
    flat = text.casefold().replace("’", "'")
    return tuple(sorted(_NUMBER.findall(flat))), bool(_NEGATED.search(flat)), tuple(sorted(_COMPARED.findall(flat)))
