"""Responses of the MCP tools: their types, and how they are built; bounded, with stored text neutralised."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from holloway.domain import confidence, memory_json
from holloway.domain.memory_details import Recipe as RecipeDetails
from holloway.safety.neutralize import neutralize_text
from holloway.safety.repository_text import is_path, only_paths
from holloway.text.sanitize import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime

    from holloway.domain.memory import Memory
    from holloway.service.code_map import Consequences
    from holloway.service.results import LocateResult, Module, Overview


REACHED_MAX = 40
RESPONSE_TESTS_MAX = 12
RESPONSE_RELATIONS_MAX = 10
DETAILS_MAX = 20
RESPONSE_DETAIL_CHARS_MAX = 300
Kind = Literal[
    "gotcha",
    "decision",
    "requirement",
    "preference",
    "pattern",
    "module_insight",
    "dead_end",
    "error_pattern",
    "causal_dependency",
    "workflow_recipe",
    "e2e_observation",
]
"""Memory types that an agent can record; the others are figures and states that are only observed."""
SEEN_CHARS_MAX = 60
"""Characters of a memory that this connection was shown before."""
Verdict = Literal["used", "wrong", "outdated"]
Direction = Literal["dependents", "dependencies"]
Relates = Literal[
    "is_impact_of",
    "documents",
    "violates",
    "supersedes",
    "is_entrypoint_for",
    "flows_to",
    "handles_errors_from",
    "owns_data_for",
    "applies_pattern",
    "depends_logically",
]


def make_hit(memory: Memory, now: datetime, *, is_repeated: bool = False) -> Hit:
    """Return a memory in short form; of one that the agent was shown before, only its beginning, marked as such."""
    text = neutralize_text(memory.summary)
    if is_repeated:
        return Hit(memory.id, str(memory.type), one_line(text, SEEN_CHARS_MAX), str(memory.state), seen=True)
    confidence_now = _rounded_confidence(memory, now)
    return Hit(memory.id, str(memory.type), text, str(memory.state), confidence_now, only_paths(memory.files))


def make_full_memory(memory: Memory, now: datetime) -> FullMemory:
    """Return a memory with all its fields."""
    details = memory_json.shown_details(memory.details)
    return FullMemory(
        id=memory.id,
        type=str(memory.type),
        text=neutralize_text(memory.content),
        state=str(memory.state),
        confidence=_rounded_confidence(memory, now),
        source=str(memory.source),
        updated=memory.updated_at[:10],
        details=tuple(_flatten_details(details))[:DETAILS_MAX],
        files=only_paths(memory.files),
        modules=tuple(map(neutralize_text, memory.modules)),
        sessions=len(memory.sessions),
        related=tuple(
            f"{relation.type} {relation.memory or relation.path}"
            for relation in memory.relations
            if relation.memory or is_path(relation.path)
        )[:RESPONSE_RELATIONS_MAX],
        replaced_by=memory.superseded_by,
    )


def make_locations(located: LocateResult, note: str) -> LocateResponse:
    """Return the files, tests and co-changed files of a task."""
    files = tuple(
        FileLocation(file.path, tuple(map(neutralize_text, file.reasons)), tuple(map(neutralize_text, file.symbols)))
        for file in located.files
    )
    coupled = tuple(
        f"{pair.path} (changed together with {pair.other} in {pair.commits} of {pair.of} commits)"
        for pair in located.coupled
    )
    tests = tuple(test.path for test in located.tests[:RESPONSE_TESTS_MAX])
    words_note = f"Ranked by words only: {located.degraded}" if located.degraded else ""
    no_match = "No match for this task."
    match_note = "" if located.speaks_of_it else f"{no_match} These files are recently active." if files else no_match
    return LocateResponse(files, tests, coupled, " ".join(filter(None, (match_note, words_note, note))))


def make_impact(consequences: Consequences, now: datetime, note: str) -> ImpactResponse:
    """Return what a change affects."""
    reached = tuple(
        ReachedLocation(str(reached_node.node), reached_node.line, reached_node.depth, reached_node.via)
        for reached_node in consequences.impact.reached[:REACHED_MAX]
    )
    total = consequences.impact.total
    limit_note = f"Lists only the nearest {len(reached)} of {total:,}." if total > len(reached) else ""
    unfollowed = " and ".join(consequences.unfollowed)
    unresolved_note = f"Calls are not resolved in {unfollowed}: there may be more." if unfollowed else ""
    relations = (
        f"{relation.source} {relation.kind} {relation.target} {neutralize_text(relation.note)}".strip()
        for relation in consequences.relations
    )
    return ImpactResponse(
        total=total,
        complete=consequences.impact.complete,
        reached=reached,
        tests=consequences.impact.tests[:RESPONSE_TESTS_MAX],
        coupled=tuple(f"{path} ({commits} commits together)" for path, _, commits in consequences.coupled),
        relations=tuple(relations)[:RESPONSE_RELATIONS_MAX],
        memories=tuple(make_hit(memory, now) for memory in consequences.memories),
        note=" ".join(filter(None, (limit_note, unresolved_note, note))),
    )


def make_recipes(memories: Sequence[Memory], overview: Overview, now: datetime) -> Recipes:
    """Return recipes for a task, and the project's build, test and lint commands."""
    recipe_list = tuple(
        RecipeItem(
            memory.id,
            neutralize_text(memory.details.task if isinstance(memory.details, RecipeDetails) else memory.summary),
            tuple(_recipe_steps(memory)),
            str(memory.state),
            _rounded_confidence(memory, now),
        )
        for memory in memories
    )
    build, test, lint = (tuple(map(neutralize_text, steps)) for steps in (overview.build, overview.test, overview.lint))
    return Recipes(recipe_list, build, test, lint, "" if recipe_list else "No recipe is stored for that yet.")


def describe_module(module: Module, note: str = "") -> ModuleInfo:
    """Return the current description of a module."""
    name, purpose = neutralize_text(module.name), neutralize_text(module.purpose)
    return ModuleInfo(name, purpose, module.core, len(module.files), note)


def _recipe_steps(memory: Memory) -> Iterator[str]:
    if not isinstance(memory.details, RecipeDetails):
        yield neutralize_text(memory.content)
        return
    for step in memory.details.steps[:DETAILS_MAX]:
        yield neutralize_text(f"{step.description} ({step.file})" if step.file else step.description)


def _flatten_details(detail: object, name: str = "") -> Iterator[str]:
    """Yield every value of nested details as `name: value`."""
    if isinstance(detail, dict):
        for key, value in detail.items():
            yield from _flatten_details(value, f"{name}.{key}" if name else str(key))
    elif isinstance(detail, list):
        for value in detail:
            yield from _flatten_details(value, name)
    elif detail not in (None, ""):
        yield f"{name}: {neutralize_text(str(detail))[:RESPONSE_DETAIL_CHARS_MAX]}"


def _rounded_confidence(memory: Memory, now: datetime) -> float:
    return round(confidence.current_confidence(memory, now), 2)


@dataclass(frozen=True)
class RelationInput:
    """An edge between two locations, each a path or path:symbol."""

    source: str
    kind: Relates
    target: str


@dataclass(frozen=True)
class Hit:
    """A memory in short form."""

    id: str
    type: str
    text: str
    state: str
    confidence: float | None = None
    files: tuple[str, ...] = ()
    seen: bool | None = None
    """Whether this connection was shown it before; get_memory has it in full."""


@dataclass(frozen=True)
class SearchResponse:
    """Search results, best first."""

    memories: tuple[Hit, ...] = ()
    note: str = ""


@dataclass(frozen=True)
class FullMemory:
    """One memory in full."""

    id: str
    type: str
    text: str
    state: str
    confidence: float
    source: str
    updated: str
    details: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    modules: tuple[str, ...] = ()
    sessions: int = 0
    related: tuple[str, ...] = ()
    replaced_by: str = ""
    note: str = ""


@dataclass(frozen=True)
class RecordResponse:
    """Result of recording a memory."""

    recorded: bool
    in_session: int = 0
    secrets_cut: tuple[str, ...] = ()
    related: str = ""
    note: str = ""


@dataclass(frozen=True)
class FeedbackResponse:
    """Result of feedback on a memory."""

    outcome: Literal["counted", "disputed", "unchanged"]
    confidence: float | None = None
    note: str = ""


@dataclass(frozen=True)
class FileLocation:
    """A located file, with the reasons for its rank."""

    path: str
    reasons: tuple[str, ...] = ()
    symbols: tuple[str, ...] = ()


@dataclass(frozen=True)
class LocateResponse:
    """Files of a task, with tests and co-changed files."""

    files: tuple[FileLocation, ...] = ()
    tests: tuple[str, ...] = ()
    coupled: tuple[str, ...] = ()
    note: str = ""


@dataclass(frozen=True)
class ReachedLocation:
    """A symbol or file that a change affects, or that it depends on."""

    at: str
    line: int
    depth: int
    via: str


@dataclass(frozen=True)
class ImpactResponse:
    """Effects of a change, nearest first."""

    total: int = 0
    complete: bool = True
    reached: tuple[ReachedLocation, ...] = ()
    tests: tuple[str, ...] = ()
    coupled: tuple[str, ...] = ()
    relations: tuple[str, ...] = ()
    memories: tuple[Hit, ...] = ()
    note: str = ""


@dataclass(frozen=True)
class RecipeItem:
    """Steps by which a task was done here before."""

    id: str
    task: str
    steps: tuple[str, ...]
    state: str
    confidence: float


@dataclass(frozen=True)
class Recipes:
    """Recipes for a task, and the project's build, test and lint commands."""

    recipes: tuple[RecipeItem, ...] = ()
    build: tuple[str, ...] = ()
    test: tuple[str, ...] = ()
    lint: tuple[str, ...] = ()
    note: str = ""


@dataclass(frozen=True)
class ModuleInfo:
    """Current description of a module."""

    name: str
    purpose: str = ""
    core: tuple[str, ...] = ()
    files: int = 0
    note: str = ""


@dataclass(frozen=True)
class Context:
    """Context of a session: the brief, and the number of memories recorded in it."""

    brief: str = ""
    recorded: int = 0
    note: str = ""
