"""From what the service found to what a tool answers: bounded, and with stored words made harmless."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holloway.domain import confidence, memory_details
from holloway.domain.memory_details import Recipe as RecipeDetails
from holloway.mcp.response_types import Described, Hit, Impact, Place, Places, Reached, Recipe, Recipes, Whole
from holloway.safety.neutralize import neutral
from holloway.safety.repository_text import is_path, only_paths

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime

    from holloway.domain.memory import Memory
    from holloway.service.code_map import Consequences
    from holloway.service.results import Located, Module, Overview

REACHED_MAX = 40
TESTS_MAX = 12
RELATIONS_MAX = 10
DETAILS_MAX = 20
DETAIL_CHARS_MAX = 300


def hit(memory: Memory, now: datetime) -> Hit:
    """A memory on a line."""
    return Hit(
        memory.id,
        str(memory.type),
        neutral(memory.summary),
        str(memory.state),
        _sure(memory, now),
        only_paths(memory.files),
    )


def whole(memory: Memory, now: datetime) -> Whole:
    """A memory in full."""
    told = memory_details.shown(memory.details)
    return Whole(
        id=memory.id,
        type=str(memory.type),
        text=neutral(memory.content),
        state=str(memory.state),
        confidence=_sure(memory, now),
        source=str(memory.source),
        updated=memory.updated_at[:10],
        details=tuple(_flat(told))[:DETAILS_MAX],
        files=only_paths(memory.files),
        modules=tuple(map(neutral, memory.modules)),
        sessions=len(memory.sessions),
        related=tuple(
            f"{each.type} {each.memory or each.path}" for each in memory.relations if each.memory or is_path(each.path)
        )[:RELATIONS_MAX],
        replaced_by=memory.superseded_by,
    )


def places(found: Located, note: str) -> Places:
    """Where a task happens."""
    files = tuple(
        Place(file.path, tuple(map(neutral, file.reasons)), tuple(map(neutral, file.symbols))) for file in found.files
    )
    coupled = tuple(
        f"{one.path} (changes with {one.other} in {one.commits} of {one.of} commits)" for one in found.coupled
    )
    silent = "Nothing in this project speaks of that."
    said = "" if found.speaks_of_it else f"{silent} These are where work happens otherwise." if files else silent
    return Places(files, found.tests[:TESTS_MAX], coupled, " ".join(filter(None, (said, note))))


def impact(found: Consequences, now: datetime, note: str) -> Impact:
    """What a change reaches."""
    reached = tuple(Reached(str(one.node), one.line, one.depth, one.via) for one in found.impact.reached[:REACHED_MAX])
    total = found.impact.total
    listed = f"Listed are the nearest {len(reached)} of {total:,}." if total > len(reached) else ""
    unfollowed = " and ".join(found.unfollowed)
    blind = f"Calls are not followed in {unfollowed}: there may be more." if unfollowed else ""
    relations = (f"{each.source} {each.kind} {each.target} {neutral(each.note)}".strip() for each in found.relations)
    return Impact(
        total=total,
        complete=found.impact.complete,
        reached=reached,
        tests=found.impact.tests[:TESTS_MAX],
        coupled=tuple(f"{path} ({commits} commits together)" for path, _, commits in found.coupled),
        relations=tuple(relations)[:RELATIONS_MAX],
        memories=tuple(hit(memory, now) for memory in found.memories),
        note=" ".join(filter(None, (listed, blind, note))),
    )


def recipes(found: Sequence[Memory], overview: Overview, now: datetime) -> Recipes:
    """Recipes, and the project's own commands."""
    made = tuple(
        Recipe(
            memory.id,
            neutral(memory.details.task if isinstance(memory.details, RecipeDetails) else memory.summary),
            tuple(_steps(memory)),
            str(memory.state),
            _sure(memory, now),
        )
        for memory in found
    )
    build, test, lint = (tuple(map(neutral, steps)) for steps in (overview.build, overview.test, overview.lint))
    return Recipes(made, build, test, lint, "" if made else "No recipe for that is known yet.")


def described(module: Module) -> Described:
    """A module as it stands."""
    return Described(neutral(module.name), neutral(module.purpose), module.core, len(module.files))


def _steps(memory: Memory) -> Iterator[str]:
    if not isinstance(memory.details, RecipeDetails):
        yield neutral(memory.content)
        return
    for step in memory.details.steps[:DETAILS_MAX]:
        yield neutral(f"{step.description} ({step.file})" if step.file else step.description)


def _flat(told: object, name: str = "") -> Iterator[str]:
    """Every value of nested details, under its name."""
    if isinstance(told, dict):
        for key, value in told.items():
            yield from _flat(value, f"{name}.{key}" if name else str(key))
    elif isinstance(told, list):
        for value in told:
            yield from _flat(value, name)
    elif told not in (None, ""):
        yield f"{name}: {neutral(str(told))[:DETAIL_CHARS_MAX]}"


def _sure(memory: Memory, now: datetime) -> float:
    return round(confidence.current(memory, now), 2)
