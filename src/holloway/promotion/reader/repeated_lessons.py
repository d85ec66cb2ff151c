"""Repeated lessons: parts of a session, and sessions, often show the same lesson, and an agent is told it once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holloway.config import READER_ORIGIN
from holloway.domain.memory import State
from holloway.promotion.reader.lesson_evidence import content_words, count_shared_words, list_searched_names
from holloway.retrieval.duplicate_detection import COMPARED_MEMORIES_MAX, Verdict, compare_texts
from holloway.store.filter import Filter
from holloway.store.search import search_memories

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holloway.domain.memory import Memory
    from holloway.promotion.reader.lesson_evidence import Lesson
    from holloway.store.store import Store

REPEATED_SHARE_MIN = 0.65
"""Share of the words of the shorter of two lessons that the other has if they say the same."""
REPEATED_NAMES_SHARE_MIN = 0.5
"""The same for the names of code in them."""


def find_repeated(lesson: Lesson, earlier: Sequence[Lesson]) -> Lesson | None:
    """Return the first of some earlier lessons of another part that says the same; None if there is none."""
    other_stretches = (other for other in earlier if other.proposal.stretch != lesson.proposal.stretch)
    return next((other for other in other_stretches if says_the_same(lesson.text, other.text)), None)


def find_stored_lesson(store: Store, text: str, session: str) -> Memory | None:
    """Return the told memory that a reader learned from another session and that says the same; None without one."""
    sequence_numbers = [seq for seq, _ in search_memories(store.database, text, Filter(), COMPARED_MEMORIES_MAX)]
    memories = store.memories.get_by_seqs(sequence_numbers)
    for memory in (memories[seq] for seq in sequence_numbers if seq in memories):
        is_reader_lesson = memory.origin.startswith(READER_ORIGIN) and memory.state is not State.QUARANTINED
        if is_reader_lesson and session not in memory.sessions and says_the_same(text, memory.content):
            return memory
    return None


def says_the_same(text: str, other: str) -> bool:
    """Return whether two texts share most of their words and names, and differ in no number and no negation."""
    if compare_texts(text, other)[0] is Verdict.CONTRADICTS:
        return False
    shorter, longer = sorted((text, other), key=lambda side: len(content_words(side)))
    if count_shared_words(shorter, longer) < REPEATED_SHARE_MIN * len(content_words(shorter)):
        return False
    names, other_names = set(list_searched_names(text)), set(list_searched_names(other))
    return len(names & other_names) >= REPEATED_NAMES_SHARE_MIN * min(len(names), len(other_names))
