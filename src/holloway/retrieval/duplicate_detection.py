"""Duplicate detection: finds the stored memories that say the same as a new text, or contradict it.

It only reports them; the caller decides whether the new text is saved. Similarity alone never deletes a memory.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import TYPE_CHECKING

from holloway.store.filter import Filter
from holloway.store.search import search_memories
from holloway.text.identifiers import STOP_WORDS, expand_words

if TYPE_CHECKING:
    from holloway.domain.memory import Memory
    from holloway.store.store import Store

DUPLICATE_SHARE = 0.8
"""Share of common words from which two texts are duplicates, unless they differ in a fact."""
SAME_SUBJECT_SHARE = 0.5
"""Share from which two texts have the same subject, so that a differing fact is a contradiction."""
COMPARED_MEMORIES_MAX = 12
CACHED_TEXTS = 64

_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
_NEGATED = re.compile(r"\b(?:not|never|no|none|without|cannot|avoid|stop|n't|don't|doesn't|isn't|mustn't|can't)\b")
_COMPARED = re.compile(r"[<>]=?|[!=]=")


class Verdict(StrEnum):
    """The relation of a new text to a stored one."""

    NEW = "new"
    SAME = "same"
    CONTRADICTS = "contradicts"


@dataclass(frozen=True, slots=True)
class SimilarMemory:
    """A stored memory on the same subject as a new text, and the relation between them."""

    memory: Memory
    verdict: Verdict
    similarity: float


def find_similar_memories(store: Store, content: str) -> list[SimilarMemory]:
    """Return the living memories that duplicate or contradict a text, the most similar first."""
    hits = search_memories(store.database, content, Filter(), COMPARED_MEMORIES_MAX)
    contents = store.memories.get_contents([seq for seq, _ in hits])
    verdicts = {seq: compare_texts(content, stored_text) for seq, stored_text in contents.items()}
    memories = store.memories.get_by_seqs([seq for seq, (verdict, _) in verdicts.items() if verdict is not Verdict.NEW])
    matches = [SimilarMemory(memory, *verdicts[seq]) for seq, memory in memories.items()]
    return sorted(matches, key=lambda match: (-match.similarity, match.memory.id))


def compare_texts(new: str, stored: str) -> tuple[Verdict, float]:
    """Return the verdict on a new text against a stored one, and the share of words in common."""
    new_words, known_words = _extract_words(new), _extract_words(stored)
    similarity = len(new_words & known_words) / len(new_words | known_words) if new_words | known_words else 0.0
    if similarity < SAME_SUBJECT_SHARE:
        return Verdict.NEW, similarity
    if _extract_facts(new) != _extract_facts(stored):
        return Verdict.CONTRADICTS, similarity
    return (Verdict.SAME if similarity >= DUPLICATE_SHARE else Verdict.NEW), similarity


# A new text is compared with several stored ones.
@lru_cache(maxsize=CACHED_TEXTS)
def _extract_words(text: str) -> frozenset[str]:
    """Return the words of a text without those that carry facts, so that a differing fact keeps the similarity."""
    return frozenset(
        word for word in expand_words(_NUMBER.sub(" ", text)) if word not in STOP_WORDS and word not in _FACT_WORDS
    )


_FACT_WORDS = frozenset("not never no none without cannot avoid stop always must only".split())


def _extract_facts(text: str) -> tuple[tuple[str, ...], bool, tuple[str, ...]]:
    """Return the facts in which two texts may contradict each other: numbers, negation, comparison."""
    flat = text.casefold().replace("’", "'")
    return tuple(sorted(_NUMBER.findall(flat))), bool(_NEGATED.search(flat)), tuple(sorted(_COMPARED.findall(flat)))
