"""Relations that an agent's note states: what they bring along, what they confirm, and what they may not touch."""

import json

from holloway.domain.memory import Relation, RelationType, State
from holloway.promotion.related_memories import list_relations
from holloway.service.holloway import Holloway
from holloway.service.session_learning import Learning
from holloway.store.filter import Filter
from tests.observer.story import Story

NOTE = "The retry limit of the shop is read from limits.toml when the first order of a day arrives"
TEXT = "The retry limit of the shop must be a whole number of seconds"


def remember(memory: Holloway, state: State | None = None) -> str:
    stored = memory.remember(TEXT).memory
    assert stored
    if state:
        memory.store.memories.update_memory(stored, "edited", state=state)
    return stored.id


def learn_note(memory: Holloway, *, unseen: str = "", **relations: list[str]) -> tuple[Relation, ...]:
    story = Story().user("Raise the retry limit").edit("limits.toml", [], ["retry = 3"])
    told = story.records(NOTE, "gotcha", details=json.dumps(relations)).green()
    Learning(memory.opened).learn(told.pad(), unseen=unseen)
    (note,) = [one for one in memory.store.memories.find_memories(Filter(), limit=-1) if one.content == NOTE]
    return tuple(relation for relation in note.relations if relation.memory)


def test_a_note_brings_along_what_it_requires(memory: Holloway) -> None:
    required = remember(memory)
    assert learn_note(memory, required_with=[required]) == (Relation(RelationType.REQUIRED_WITH, memory=required),)


def test_a_note_raises_what_it_validates(memory: Holloway) -> None:
    validated = remember(memory)
    before = memory.store.memories.update_memory(memory.get(validated), "edited", confidence=0.7).confidence
    learn_note(memory, validates=[validated])
    assert memory.get(validated).confidence > before


def test_a_note_that_waits_for_a_person_validates_nothing(memory: Holloway) -> None:
    validated = remember(memory)
    before = memory.store.memories.update_memory(memory.get(validated), "edited", confidence=0.7).confidence
    learn_note(memory, unseen="an agent that was not watched", validates=[validated])
    assert memory.get(validated).confidence == before


def test_a_note_cannot_lift_what_waits_for_a_person(memory: Holloway) -> None:
    waiting = remember(memory, State.QUARANTINED)
    before = memory.get(waiting)
    assert learn_note(memory, validates=[waiting], required_with=["none", waiting]) == ()
    assert memory.get(waiting) == before


def test_a_forgotten_memory_is_no_relation(memory: Holloway) -> None:
    forgotten = remember(memory)
    memory.wrong(forgotten, "incorrect")
    assert list(list_relations(memory.store, [(RelationType.VALIDATES, forgotten)])) == []
