"""Typed details: what a memory of some type says beyond its sentence."""

from __future__ import annotations

import types
from dataclasses import MISSING, dataclass, fields, is_dataclass, replace
from enum import StrEnum
from functools import cache
from typing import TYPE_CHECKING, Any, Union, get_args, get_origin, get_type_hints

from holloway.config import DETAIL_CHARS_MAX, DETAIL_ITEMS_MAX
from holloway.domain.codec import encode
from holloway.domain.memory import MemoryType
from holloway.errors import InvalidInput

if TYPE_CHECKING:
    from collections.abc import Mapping


SHOWN_CHARS_MAX = 80
NUMBER_MAX = 10**15


class E2EKind(StrEnum):
    """Subject of an observation in a running application."""

    PRECONDITION = "precondition"
    TEST_SEQUENCE = "test_sequence"
    TIMING = "timing"
    MCP_GOTCHA = "mcp_gotcha"
    UI_BEHAVIOR = "ui_behavior"


@dataclass(frozen=True, slots=True)
class Decision:
    """Why something was chosen, and over what."""

    reason: str
    alternatives: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ErrorFix:
    """An error and what made it go away."""

    error: str
    fix: str
    command: str = ""
    fingerprint: str = ""


@dataclass(frozen=True, slots=True)
class DeadEnd:
    """An approach that was followed and left."""

    approach: str
    reason: str
    alternative: str = ""
    task: str = ""


@dataclass(frozen=True, slots=True)
class RecipeStep:
    """One step of a recipe."""

    description: str
    file: str = ""
    line: int | None = None


@dataclass(frozen=True, slots=True)
class Recipe:
    """How a recurring task is done here, step by step."""

    task: str
    steps: tuple[RecipeStep, ...]
    success_count: int = 0
    last_validated_at: str = ""


@dataclass(frozen=True, slots=True)
class Prefetch:
    """Files that sessions in a module read: always (over 80 %) and often (over 50 %)."""

    module: str
    always: tuple[str, ...] = ()
    frequent: tuple[str, ...] = ()
    sessions: int = 0


@dataclass(frozen=True, slots=True)
class CausalDependency:
    """When one file changes, another must too."""

    when: str
    then: str
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Calibration:
    """Steps that tasks in a module really took, against the plan."""

    module: str
    actual_steps: float
    planned_steps: float
    samples: int
    methodology: str = "plain"

    @property
    def ratio(self) -> float:
        """How many times the planned steps were needed."""
        return self.actual_steps / self.planned_steps if self.planned_steps else 1.0


@dataclass(frozen=True, slots=True)
class ContextCost:
    """Tokens that a session in a module uses."""

    module: str
    mean_tokens: float
    p90_tokens: float
    samples: int


@dataclass(frozen=True, slots=True)
class E2EObservation:
    """A fact seen in the running application."""

    kind: E2EKind
    tool: str = ""
    app_state: str = ""


@dataclass(frozen=True, slots=True)
class WorkState:
    """State of unfinished work."""

    task: str
    done: tuple[str, ...] = ()
    open: tuple[str, ...] = ()
    uncommitted: tuple[str, ...] = ()
    last_failure: str = ""
    next_step: str = ""


@dataclass(frozen=True, slots=True)
class WorkUnitOutcome:
    """How a work unit ended."""

    succeeded: bool
    files: tuple[str, ...] = ()
    decisions: tuple[str, ...] = ()
    steps: int = 0
    retries: int = 0
    tokens: int | None = None
    failure: str = ""


Details = (
    Decision
    | ErrorFix
    | DeadEnd
    | Recipe
    | Prefetch
    | CausalDependency
    | Calibration
    | ContextCost
    | E2EObservation
    | WorkState
    | WorkUnitOutcome
)

DETAILS: dict[MemoryType, type[Details]] = {
    MemoryType.DECISION: Decision,
    MemoryType.ERROR_PATTERN: ErrorFix,
    MemoryType.DEAD_END: DeadEnd,
    MemoryType.WORKFLOW_RECIPE: Recipe,
    MemoryType.PREFETCH_PATTERN: Prefetch,
    MemoryType.CAUSAL_DEPENDENCY: CausalDependency,
    MemoryType.TASK_CALIBRATION: Calibration,
    MemoryType.CONTEXT_COST: ContextCost,
    MemoryType.E2E_OBSERVATION: E2EObservation,
    MemoryType.WORK_STATE: WorkState,
    MemoryType.WORK_UNIT_OUTCOME: WorkUnitOutcome,
}
"""The details of each type; the other types have none: their sentence says it all."""

NEEDED = frozenset({MemoryType.PREFETCH_PATTERN, MemoryType.TASK_CALIBRATION, MemoryType.CONTEXT_COST})
"""Types that are figures: without their details they say nothing."""


def parse_details(memory_type: MemoryType, values: Mapping[str, object] | None) -> Details | None:
    """The details of a memory of that type; a field it does not have is an error with a hint."""
    shape = DETAILS.get(memory_type)
    if not values:
        if memory_type in NEEDED:
            raise InvalidInput(f"A {memory_type.label} needs details.", f"Fields: {_field_names(shape)}.")
        return None
    if shape is None:
        raise InvalidInput(
            f"A {memory_type.label} has no details, but {_quote_value(', '.join(map(repr, values)))} was given.",
            f"Types with details: {', '.join(DETAILS)}.",
        )
    built: Details = _build_shape(shape, values, memory_type.label)
    return built


def check_details(memory_type: MemoryType, details: Details | None) -> None:
    """Raise unless these details belong to that type."""
    shape = DETAILS.get(memory_type)
    if details is None:
        parse_details(memory_type, None)
    elif shape is None or not isinstance(details, shape):
        raise InvalidInput(
            f"{type(details).__name__} details make no sense for a {memory_type.label}.",
            f"It takes {shape.__name__}." if shape else "That type has no details.",
        )


def details_json(details: object) -> Any:
    """Return details as JSON can hold them; fields at their default are left out."""
    return encode(details, skip_defaults=True)


def without_quotes(state: WorkState) -> WorkState:
    """Unfinished work without its plan, failure and next step, which may quote a page or a tool."""
    return replace(state, done=(), open=(), last_failure="", next_step="")


def shown_details(details: object) -> Any:
    """Return the details that may be shown, in JSON form; empty without details."""
    if isinstance(details, WorkState):
        details = without_quotes(details)
    return details_json(details) if details else {}


def details_summary(details: object) -> str:
    """Return the addition of the details to a one-line view: a reason, an alternative or a fix."""
    if isinstance(details, DeadEnd):
        return details.reason + (f"; instead: {details.alternative}" if details.alternative else "")
    if isinstance(details, ErrorFix):
        return f"fix: {details.fix}"
    return details.reason if isinstance(details, Decision | CausalDependency) else ""


def details_texts(details: object) -> list[str]:
    """Return every text in the details, for search and for the secret scanner."""
    values = details_json(details)
    stack, result = [values], []
    while stack:
        item = stack.pop()
        if isinstance(item, str):
            result.append(item)
        elif isinstance(item, dict):
            stack.extend(item.values())
        elif isinstance(item, list):
            stack.extend(item)
    return sorted(result)


@cache
def _field_types(shape: Any) -> dict[str, Any]:
    """Return the types of a shape's fields; cached, because the lookup dominates the time of reading a memory."""
    return get_type_hints(shape)


def _build_shape(shape: Any, values: Mapping[str, object], label: str) -> Any:
    fields_by_name = {entry.name: entry for entry in fields(shape)}
    hints = _field_types(shape)
    for name in values:
        if name not in fields_by_name:
            raise InvalidInput(f"A {label} has no field {_quote_value(repr(name))}.", f"Fields: {_field_names(shape)}.")
    missing = [name for name, entry in fields_by_name.items() if entry.default is MISSING and not values.get(name, "")]
    missing = [name for name in missing if values.get(name) is not False and values.get(name) != 0]
    if missing:
        raise InvalidInput(f"A {label} needs {' and '.join(missing)}.", f"Fields: {_field_names(shape)}.")
    return shape(**{name: _convert_value(hints[name], value, f"{label}: {name}") for name, value in values.items()})


def _convert_value(hint: Any, value: object, where: str) -> Any:
    if get_origin(hint) in (Union, types.UnionType):
        if value is None:
            return None
        hint = next(option for option in get_args(hint) if option is not type(None))
    if get_origin(hint) is tuple:
        return _convert_items(get_args(hint)[0], value, where)
    if is_dataclass(hint):
        nested_values = {"description": value} if isinstance(value, str) else value
        if not isinstance(nested_values, dict):
            raise InvalidInput(f"{where} cannot be {_quote_value(repr(value))}.", f"Fields: {_field_names(hint)}.")
        return _build_shape(hint, nested_values, where)
    return _convert_scalar(hint, value, where)


def _convert_items(hint: Any, value: object, where: str) -> tuple[Any, ...]:
    items = value if isinstance(value, list | tuple) else [value]
    if len(items) > DETAIL_ITEMS_MAX:
        raise InvalidInput(f"{where} has {len(items)} entries.", f"At most {DETAIL_ITEMS_MAX}.")
    return tuple(_convert_value(hint, item, where) for item in items)


def _convert_scalar(hint: Any, value: object, where: str) -> Any:
    if hint is str:
        if not isinstance(value, str):
            raise InvalidInput(f"{where} must be text, not {_quote_value(repr(value))}.", "Give it in quotes.")
        if len(value) > DETAIL_CHARS_MAX:
            raise InvalidInput(f"{where} has {len(value):,} characters.", f"At most {DETAIL_CHARS_MAX:,}.")
        return value
    if hint is bool:
        if isinstance(value, bool):
            return value
        if str(value).lower() in ("true", "yes", "1", "false", "no", "0"):
            return str(value).lower() in ("true", "yes", "1")
        raise InvalidInput(f"{where} cannot be {_quote_value(repr(value))}.", "It takes true or false.")
    try:
        converted = hint(value)
        if isinstance(value, bool) or (not isinstance(converted, str) and not abs(converted) <= NUMBER_MAX):
            raise ValueError
        return converted
    except (TypeError, ValueError, OverflowError):
        choices = f"one of: {', '.join(hint)}" if issubclass(hint, StrEnum) else f"a number ({hint.__name__})"
        raise InvalidInput(f"{where} cannot be {_quote_value(repr(value))}.", f"It takes {choices}.") from None


def _quote_value(value: str) -> str:
    """Return a value for an error message, truncated to a recognisable length."""
    return value if len(value) <= SHOWN_CHARS_MAX else f"{value[:SHOWN_CHARS_MAX]}…"


def _field_names(shape: Any) -> str:
    return ", ".join(entry.name for entry in fields(shape)) if shape else "none"
