"""Tables generated from the code: the SDK calls, and the fields of a session record."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator

from holloway.proof.record_fields import RECORD_FIELDS
from holloway.service.code_map import CodeMap
from holloway.service.holloway import Holloway
from holloway.service.memory_editor import MemoryEditor
from holloway.service.memory_search import MemorySearch
from holloway.service.open_project import OpenProject

METHODS: tuple[tuple[str, type, tuple[str, ...]], ...] = (
    ("memory", MemoryEditor, ("remember",)),
    ("memory", MemorySearch, ("recall", "recall_everywhere")),
    ("memory", OpenProject, ("memories", "get")),
    ("memory", MemoryEditor, ("why",)),
    ("memory", OpenProject, ("brief",)),
    ("memory", Holloway, ("session",)),
    ("memory", MemoryEditor, ("edit", "pin", "wrong", "forget", "restore")),
    ("memory", OpenProject, ("prune",)),
    ("memory", MemoryEditor, ("to_review", "confirm", "later")),
    (
        "memory.map",
        CodeMap,
        ("update", "watch", "locate", "impact", "modules", "module", "edit_module", "relate", "unrelate"),
    ),
)
"""The object that a program calls a method on, the class that defines the method, and the names, in page order."""


def methods_table() -> str:
    """Return every call with its parameters; a parameter with a default ends in `=`."""
    return "\n".join(["| call | what it does |", "| --- | --- |", *_rows()])


def record_table() -> str:
    """Return every field of a session record with its unit, its meaning and its source."""
    rows = [f"| `{field.name}` | {field.unit} | {field.meaning} | {field.source} |" for field in RECORD_FIELDS]
    return "\n".join(["| field | unit | meaning | from |", "| --- | --- | --- | --- |", *rows])


def _rows() -> Iterator[str]:
    for on, owner, names in METHODS:
        for name in names:
            method = getattr(owner, name)
            summary = " ".join((inspect.getdoc(method) or "").partition("\n\n")[0].split())
            yield f"| `{on}.{name}({', '.join(_parameters(method))})` | {summary} |"


def _parameters(method: Callable[..., object]) -> Iterator[str]:
    for parameter in list(inspect.signature(method).parameters.values())[1:]:
        stars = "**" if parameter.kind is inspect.Parameter.VAR_KEYWORD else ""
        default = "" if parameter.default is inspect.Parameter.empty else "="
        yield f"{stars}{parameter.name}{default}"
