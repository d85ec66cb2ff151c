"""Memories and their details as JSON: checked on the way in, and written for `--json`, exports and callers."""

from __future__ import annotations

import json
import types
from dataclasses import MISSING, fields, is_dataclass
from enum import StrEnum
from functools import cache
from typing import TYPE_CHECKING, Any, Union, get_args, get_origin, get_type_hints

from holloway.config import DETAIL_CHARS_MAX, DETAIL_ITEMS_MAX, RECORD_DETAILS_CHARS_MAX
from holloway.domain import confidence
from holloway.domain.codec import encode
from holloway.domain.memory import MemoryType, RelationType
from holloway.domain.memory_details import (
    Calibration,
    CausalDependency,
    ContextCost,
    DeadEnd,
    Decision,
    E2EObservation,
    ErrorFix,
    Prefetch,
    Recipe,
    WorkState,
    WorkUnitOutcome,
    without_quotes,
)
from holloway.errors import InvalidInput

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from holloway.domain.memory import Memory
    from holloway.domain.memory_details import Details

QUOTED_VALUE_CHARS_MAX = 80
DETAIL_NUMBER_MAX = 10**15

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

MEMORY_FIELDS = (
    "id uid type summary content details files modules tags state confidence base_confidence source scope "
    "visibility chosen pinned muted review created_at updated_at last_used_at stated_at use_count half_life_days "
    "session sessions agent branch branch_only commit work_unit methodology origin relations stale_at superseded_by "
    "deleted_at deleted_reason"
).split()
"""Fields of a memory in JSON, in the order in which they are written."""


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


DEAD_END_ARGUMENTS = {"approach_tried": "approach", "why_it_failed": "reason", "alternative_used": "alternative"}
"""Arguments of an agent's record that are details of a dead end, with the names of their fields."""


RELATION_FIELDS = ("required_with", "validates")
"""Fields of the details of an agent's record that name other memories."""
RECORD_RELATIONS_MAX = 5


def merge_record_details(arguments: Mapping[str, object]) -> dict[str, object]:
    """Return the details of an agent's record, from its `details` and from the arguments for a dead end."""
    details = arguments.get("details")
    fields_by_name = dict(details) if isinstance(details, dict) else {}
    named = {name: arguments[argument] for argument, name in DEAD_END_ARGUMENTS.items() if arguments.get(argument)}
    relations = {name: _list_ids(fields_by_name[name]) for name in RELATION_FIELDS if name in fields_by_name}
    return (
        {DEAD_END_ARGUMENTS.get(str(name), str(name)): value for name, value in fields_by_name.items()}
        | named
        | relations
    )


def _list_ids(value: object) -> list[str]:
    """Return ids without the marks of a citation, which are cut out of what an agent repeats."""
    items = value if isinstance(value, list | tuple) else ()
    return [item.strip("[] ").removeprefix("hw:") for item in items if isinstance(item, str)]


def dump_record_details(arguments: Mapping[str, object]) -> str:
    """Return the details of an agent's record as JSON; empty without any, or if they are too long."""
    merged = merge_record_details(arguments)
    text = json.dumps(merged, ensure_ascii=False, default=str) if merged else ""
    return text if len(text) <= RECORD_DETAILS_CHARS_MAX else ""


def split_record_relations(
    values: Mapping[str, object],
) -> tuple[dict[str, object], tuple[tuple[RelationType, str], ...]]:
    """Return the details of an agent's record without its relations, and each relation with the id that it names."""
    details = {name: value for name, value in values.items() if name not in RELATION_FIELDS}
    named = ((RelationType(name), values.get(name)) for name in RELATION_FIELDS)
    relations = ((kind, memory_id) for kind, ids in named for memory_id in _list_ids(ids))
    return details, tuple(dict.fromkeys(relations))[:RECORD_RELATIONS_MAX]


def group_relations(relations: Sequence[tuple[RelationType, str]]) -> dict[str, list[str]]:
    """Return relations as fields of an agent's record: the ids of each kind."""
    kinds = dict.fromkeys(kind for kind, _ in relations)
    return {str(kind): [memory_id for other, memory_id in relations if other is kind] for kind in kinds}


def load_record_details(memory_type: MemoryType, text: str) -> Details | None:
    """Return the details in the JSON of an agent's record; None if they are missing or do not fit the type."""
    try:
        return parse_details(memory_type, split_record_relations(_load_record(text))[0])
    except InvalidInput:
        return None


def load_record_relations(text: str) -> tuple[tuple[RelationType, str], ...]:
    """Return the relations in the JSON of an agent's record: each with the id of the other memory."""
    return split_record_relations(_load_record(text))[1]


def _load_record(text: str) -> dict[str, object]:
    try:
        values = json.loads(text) if text else None
    except (ValueError, RecursionError):
        return {}
    return values if isinstance(values, dict) else {}


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


def shown_details(details: object) -> Any:
    """Return the details that may be shown, in JSON form; empty without details."""
    if isinstance(details, WorkState):
        details = without_quotes(details)
    return details_json(details) if details else {}


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
    required = [name for name, entry in fields_by_name.items() if entry.default is MISSING]
    missing = [name for name in required if not values.get(name) and values.get(name) != 0]
    if missing:
        raise InvalidInput(f"A {label} needs {' and '.join(missing)}.", f"Fields: {_field_names(shape)}.")
    return shape(**{name: _convert_value(hints[name], value, f"{label}: {name}") for name, value in values.items()})


def _convert_value(hint: Any, value: object, field_path: str) -> Any:
    if get_origin(hint) in (Union, types.UnionType):
        if value is None:
            return None
        hint = next(option for option in get_args(hint) if option is not type(None))
    if get_origin(hint) is tuple:
        return _convert_items(get_args(hint)[0], value, field_path)
    if is_dataclass(hint):
        nested_values = {"description": value} if isinstance(value, str) else value
        if not isinstance(nested_values, dict):
            raise InvalidInput(f"{field_path} cannot be {_quote_value(repr(value))}.", f"Fields: {_field_names(hint)}.")
        return _build_shape(hint, nested_values, field_path)
    return _convert_scalar(hint, value, field_path)


def _convert_items(hint: Any, value: object, field_path: str) -> tuple[Any, ...]:
    items = value if isinstance(value, list | tuple) else [value]
    if len(items) > DETAIL_ITEMS_MAX:
        raise InvalidInput(f"{field_path} has {len(items)} entries.", f"At most {DETAIL_ITEMS_MAX}.")
    return tuple(_convert_value(hint, item, field_path) for item in items)


def _convert_scalar(hint: Any, value: object, field_path: str) -> Any:
    if hint is str:
        if not isinstance(value, str):
            raise InvalidInput(f"{field_path} must be text, not {_quote_value(repr(value))}.", "Give it in quotes.")
        if len(value) > DETAIL_CHARS_MAX:
            raise InvalidInput(f"{field_path} has {len(value):,} characters.", f"At most {DETAIL_CHARS_MAX:,}.")
        return value
    if hint is bool:
        if str(value).lower() in ("true", "yes", "1", "false", "no", "0"):
            return str(value).lower() in ("true", "yes", "1")
        raise InvalidInput(f"{field_path} cannot be {_quote_value(repr(value))}.", "It takes true or false.")
    try:
        converted = hint(value)
        if isinstance(value, bool) or (not isinstance(converted, str) and not abs(converted) <= DETAIL_NUMBER_MAX):
            raise ValueError
        return converted
    except (TypeError, ValueError, OverflowError):
        choices = f"one of: {', '.join(hint)}" if issubclass(hint, StrEnum) else f"a number ({hint.__name__})"
        raise InvalidInput(f"{field_path} cannot be {_quote_value(repr(value))}.", f"It takes {choices}.") from None


def _quote_value(value: str) -> str:
    """Return a value for an error message, truncated to a recognisable length."""
    return value if len(value) <= QUOTED_VALUE_CHARS_MAX else f"{value[:QUOTED_VALUE_CHARS_MAX]}…"


def _field_names(shape: Any) -> str:
    return ", ".join(entry.name for entry in fields(shape)) if shape else "none"


def memory_json(memory: Memory, now: datetime) -> dict[str, Any]:
    """Every field of a memory; `confidence` is today's, `base_confidence` the one before decay."""
    values = encode(memory) | {
        "details": shown_details(memory.details) or None,
        "confidence": round(confidence.current_confidence(memory, now), 4),
        "base_confidence": memory.confidence,
    }
    return {name: values[name] for name in MEMORY_FIELDS}
