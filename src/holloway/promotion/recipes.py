"""Recipes: one habit is one recipe, the longest, and it counts the sessions that followed it to the end."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from holloway.domain.memory import MemoryType, Source, State
from holloway.domain.memory_details import Recipe
from holloway.observer.signals.signal import SignalName
from holloway.promotion.memory_text import list_recipe_steps
from holloway.store.filter import Filter

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holloway.domain.memory import Draft, Memory
    from holloway.promotion.candidate import Candidate
    from holloway.store.store import Store


def merge_recipes(store: Store, candidates: list[Candidate]) -> None:
    """Keep one recipe for one habit, the longest: drops a sequence that is a part of another one or of a stored one."""
    sequences = [
        candidate for candidate in candidates if candidate.is_undecided and candidate.signal.name is SignalName.SEQUENCE
    ]
    recipes = store.memories.find_memories(Filter(types=(MemoryType.WORKFLOW_RECIPE,)), limit=-1) if sequences else []
    stored = [
        (memory, [step.description for step in memory.details.steps])
        for memory in recipes
        if isinstance(memory.details, Recipe)
    ]
    for candidate in sequences:
        steps = list_recipe_steps(candidate.signal)
        longer = (list_recipe_steps(other.signal) for other in sequences if other is not candidate)
        if any(len(other) > len(steps) and _contains_steps(other, steps) for other in longer):
            candidate.drop("a part of a longer recipe")
            continue
        whole = next((memory for memory, known_steps in stored if _contains_steps(known_steps, steps)), None)
        part = next((memory for memory, known_steps in stored if _contains_steps(steps, known_steps)), None)
        if whole is not None:
            candidate.duplicate_of = whole
        elif part is not None and part.source is Source.OBSERVER_INFERRED and part.state is not State.QUARANTINED:
            candidate.replaces = part


def _contains_steps(steps: Sequence[str], part: Sequence[str]) -> bool:
    """Whether a list of steps has another one in it, without a gap."""
    return any(steps[start : start + len(part)] == part for start in range(len(steps) - len(part) + 1))


def count_success(store: Store, memory: Memory | None, draft: Draft) -> None:
    """Count on a recipe that another session followed it to the end."""
    if memory is not None and isinstance(memory.details, Recipe):
        count, at = memory.details.success_count + 1, max(memory.details.last_validated_at, draft.stated_at)
        details = replace(memory.details, success_count=count, last_validated_at=at)
        store.memories.update_memory(memory, "validated", f"session {draft.session}", details=details)
