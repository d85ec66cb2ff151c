"""Novelty: finds duplicates and contradictions of a text among similar memories. Similarity alone never deletes one."""

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
"""Share of common words from which two texts are duplicates, unless they differ in a fact."""
NEAR_FROM = 0.5
"""Share from which two texts have the same subject, so that a differing fact is a contradiction."""
LOOKED_AT = 12
COMPARED_AGAIN = 64

_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
_NEGATED = re.compile(r"\b(?:not|never|no|none|without|cannot|avoid|stop|n't|don't|doesn't|isn't|mustn't|can't)\b")
_COMPARED = re.compile(r"[<>]=?|[!=]=")


class Verdict(StrEnum):
    """The relation of a new text to a stored one."""

    NEW = "new"
    SAME = "same"
    CONTRADICTS = "contradicts"


@dataclass(frozen=True, slots=True)
class Close:
    """A stored memory on the same subject as a new text, and the relation between them."""

    memory: Memory
    verdict: Verdict
    likeness: float


def closest(store: Store, content: str) -> list[Close]:
    """Return the living memories that duplicate or contradict a text, the most similar first."""
    hits = search(store.database, content, Filter(), LOOKED_AT)
    contents = store.memories.contents([seq for seq, _ in hits])
    verdicts = {seq: compared(content, stored_text) for seq, stored_text in contents.items()}
    memories = store.memories.many([seq for seq, (verdict, _) in verdicts.items() if verdict is not Verdict.NEW])
    matches = [Close(memory, *verdicts[seq]) for seq, memory in memories.items()]
    return sorted(matches, key=lambda match: (-match.likeness, match.memory.id))


def compared(new: str, known: str) -> tuple[Verdict, float]:
    """Return the verdict on a new text against a stored one, and the share of words in common."""
    new_words, known_words = _words(new), _words(known)
    similarity = len(new_words & known_words) / len(new_words | known_words) if new_words | known_words else 0.0
    if similarity < NEAR_FROM:
        return Verdict.NEW, similarity
    if _facts(new) != _facts(known):
        return Verdict.CONTRADICTS, similarity
    return (Verdict.SAME if similarity >= SAME_FROM else Verdict.NEW), similarity


# A new text is compared with several stored ones.
@lru_cache(maxsize=COMPARED_AGAIN)
def _words(text: str) -> frozenset[str]:
    """Return the words of a text without those that carry facts, so that a differing fact keeps the similarity."""
    return frozenset(word for word in expanded(_NUMBER.sub(" ", text)) if word not in STOP_WORDS and word not in _FACTS)


_FACTS = frozenset("not never no none without cannot avoid stop always must only".split())


def _facts(text: str) -> tuple[tuple[str, ...], bool, tuple[str, ...]]:
    """Return the facts in which two texts may contradict each other: numbers, negation, comparison."""
    flat = text.casefold().replace("’", "'")
    return tuple(sorted(_NUMBER.findall(flat))), bool(_NEGATED.search(flat)), tuple(sorted(_COMPARED.findall(flat)))
