"""The codec of stored dataclasses: to plain values that JSON can hold, and back.

It reads what holloway itself has stored, so it converts shapes and does not check scalars; input from outside is
validated where it enters (`memory_json.parse_details`).
"""

from __future__ import annotations

import collections.abc
import sys
import types
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cache, partial
from typing import TYPE_CHECKING, Any, TypeVar, Union, cast, get_args, get_origin, get_type_hints

if TYPE_CHECKING:
    from collections.abc import Callable

    Convert = Callable[[Any], Any]

Shape = TypeVar("Shape")


def encode(value: object, *, skip_defaults: bool = False) -> Any:
    """Return a value as JSON can hold it: dataclasses as dicts by field, tuples as lists, enums by their value."""
    if is_dataclass(value) and not isinstance(value, type):
        pairs = ((field, getattr(value, field.name)) for field in fields(value))
        return {
            field.name: encode(item, skip_defaults=skip_defaults)
            for field, item in pairs
            if not skip_defaults or item != field.default
        }
    if isinstance(value, tuple | list):
        return [encode(item, skip_defaults=skip_defaults) for item in value]
    return value.value if isinstance(value, Enum) else value


def decode(shape: type[Shape], values: object) -> Shape:
    """Return the dataclass that was encoded as a dict, or as the list of its first fields.

    A field that is missing takes its default. Raises TypeError for an unknown field, a missing one without default or
    a value of another structure, and ValueError for an unknown member of an enum.
    """
    if isinstance(values, shape):
        return values
    if isinstance(values, list):
        values = {field.name: value for field, value in zip(fields(shape), values, strict=False)}  # type: ignore[arg-type]
    if not isinstance(values, dict):
        raise TypeError(f"{shape.__name__} cannot be {type(values).__name__}")
    converted = {
        name: convert(values[name]) for name, convert in _converters(cast("Any", shape)).items() if name in values
    }
    return shape(**{**values, **converted})


@cache
def _converters(shape: Any) -> dict[str, Convert]:
    """Return the fields of a shape that are not stored as they are, each with its conversion."""
    hints = get_type_hints(shape, localns=_names_for(shape))
    conversions = {field.name: _converter(hints[field.name]) for field in fields(shape)}
    return {name: convert for name, convert in conversions.items() if convert is not None}


def _converter(hint: Any) -> Convert | None:
    """Return the conversion from the stored form of a type; None for one that is stored as it is."""
    if get_origin(hint) in (Union, types.UnionType):
        options = [option for option in get_args(hint) if option is not type(None)]
        convert = _converter(options[0]) if len(options) == 1 else None
        return partial(_convert_optional, convert) if convert else None
    if get_origin(hint) in (tuple, list):
        convert = next((item_convert for item_convert in map(_converter, get_args(hint)) if item_convert), None)
        return partial(_convert_items, get_origin(hint), convert)
    if isinstance(hint, type) and issubclass(hint, Enum):
        return hint
    return partial(decode, cast("type[Any]", hint)) if is_dataclass(hint) else None


def _convert_optional(convert: Convert, value: object) -> object:
    return None if value is None else convert(value)


def _convert_items(container: type, convert: Convert | None, values: object) -> object:
    if not isinstance(values, list | tuple):
        raise TypeError(f"a {container.__name__} cannot be {type(values).__name__}")
    return container(values if convert is None else map(convert, values))


def _names_for(shape: type) -> dict[str, Any]:
    """Return the names that annotations may use, those included that modules import for type checking alone."""
    from holloway.domain import event, memory, memory_details, work  # needed only to decode

    modules = (collections.abc, work, event, memory_details, memory, sys.modules[shape.__module__])
    return {name: value for module in modules for name, value in vars(module).items()}
