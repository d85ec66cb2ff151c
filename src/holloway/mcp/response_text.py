"""Build the MCP tools' responses from service results: bounded, with stored text neutralised (prompt injection)."""

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
    """Return a memory in short form."""
    return Hit(
        memory.id,
        str(memory.type),
        neutral(memory.summary),
        str(memory.state),
        _sure(memory, now),
        only_paths(memory.files),
    )


def whole(memory: Memory, now: datetime) -> Whole:
    """Return a memory with all its fields."""
    details = memory_details.shown(memory.details)
    return Whole(
        id=memory.id,
        type=str(memory.type),
        text=neutral(memory.content),
        state=str(memory.state),
        confidence=_sure(memory, now),
        source=str(memory.source),
        updated=memory.updated_at[:10],
        details=tuple(_flat(details))[:DETAILS_MAX],
        files=only_paths(memory.files),
        modules=tuple(map(neutral, memory.modules)),
        sessions=len(memory.sessions),
        related=tuple(
            f"{relation.type} {relation.memory or relation.path}"
            for relation in memory.relations
            if relation.memory or is_path(relation.path)
        )[:RELATIONS_MAX],
        replaced_by=memory.superseded_by,
    )


def places(found: Located, note: str) -> Places:
    """Return the files, tests and co-changed files of a task."""
    files = tuple(
        Place(file.path, tuple(map(neutral, file.reasons)), tuple(map(neutral, file.symbols))) for file in found.files
    )
    coupled = tuple(
        f"{pair.path} (changed together with {pair.other} in {pair.commits} of {pair.of} commits)"
        for pair in found.coupled
    )
    no_match = "No match for this task."
    match_note = "" if found.speaks_of_it else f"{no_match} These files are recently active." if files else no_match
    return Places(files, found.tests[:TESTS_MAX], coupled, " ".join(filter(None, (match_note, note))))


def impact(found: Consequences, now: datetime, note: str) -> Impact:
    """Return what a change affects."""
    reached = tuple(
        Reached(str(reached_node.node), reached_node.line, reached_node.depth, reached_node.via)
        for reached_node in found.impact.reached[:REACHED_MAX]
    )
    total = found.impact.total
    limit_note = f"Lists only the nearest {len(reached)} of {total:,}." if total > len(reached) else ""
    unfollowed = " and ".join(found.unfollowed)
    unresolved_note = f"Calls are not resolved in {unfollowed}: there may be more." if unfollowed else ""
    relations = (
        f"{relation.source} {relation.kind} {relation.target} {neutral(relation.note)}".strip()
        for relation in found.relations
    )
    return Impact(
        total=total,
        complete=found.impact.complete,
        reached=reached,
        tests=found.impact.tests[:TESTS_MAX],
        coupled=tuple(f"{path} ({commits} commits together)" for path, _, commits in found.coupled),
        relations=tuple(relations)[:RELATIONS_MAX],
        memories=tuple(hit(memory, now) for memory in found.memories),
        note=" ".join(filter(None, (limit_note, unresolved_note, note))),
    )


def recipes(found: Sequence[Memory], overview: Overview, now: datetime) -> Recipes:
    """Return recipes for a task, and the project's build, test and lint commands."""
    recipe_list = tuple(
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
    return Recipes(recipe_list, build, test, lint, "" if recipe_list else "No recipe is stored for that yet.")


def described(module: Module) -> Described:
    """Return the current description of a module."""
    return Described(neutral(module.name), neutral(module.purpose), module.core, len(module.files))


def _steps(memory: Memory) -> Iterator[str]:
    if not isinstance(memory.details, RecipeDetails):
        yield neutral(memory.content)
        return
    for step in memory.details.steps[:DETAILS_MAX]:
        yield neutral(f"{step.description} ({step.file})" if step.file else step.description)


def _flat(told: object, name: str = "") -> Iterator[str]:
    """Yield every value of nested details as `name: value`."""
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
