"""Adapter for LangGraph: a store over the project's memory; `("holloway",)` finds all memories."""

from __future__ import annotations

import asyncio
import operator
from datetime import datetime
from itertools import islice
from typing import TYPE_CHECKING, Any

from holloway.errors import HollowayError
from holloway.extras import PackageMissing
from holloway.service.key_value_store import KeyValueEntry, KeyValueStore
from holloway.service.project_finder import open_project

try:
    from langgraph.store.base import BaseStore, GetOp, Item, ListNamespacesOp, PutOp, SearchItem, SearchOp
except ModuleNotFoundError as error:
    raise PackageMissing("langgraph", "langchain") from error

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterable, Sequence

    from langgraph.store.base import MatchCondition, Op, Result

SEARCHED_ENTRIES_MAX = 200
"""Maximum number of entries below a namespace that a search examines."""
COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {
    "$eq": operator.eq,
    "$ne": operator.ne,
    "$gt": operator.gt,
    "$gte": operator.ge,
    "$lt": operator.lt,
    "$lte": operator.le,
}


class MemoryStore(BaseStore):
    """Store for `create_agent(..., store=MemoryStore("."))`; opened per batch, because graphs use several threads."""

    def __init__(self, project: str | os.PathLike[str] = ".", *, home: str | os.PathLike[str] | None = None) -> None:
        self._project = project
        self._home = home

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Execute operations in order. Raises HollowayError for an unsupported one."""
        with open_project(self._project, home=self._home) as memory:
            return [_execute_op(KeyValueStore(memory), op) for op in ops]

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """Async variant of `batch`, in a thread."""
        return await asyncio.to_thread(self.batch, list(ops))


def _execute_op(keyed: KeyValueStore, op: Op) -> Result:
    if isinstance(op, GetOp):
        entry = keyed.get(op.namespace, op.key)
        return _make_item(entry) if entry else None
    if isinstance(op, SearchOp):
        return _search_entries(keyed, op)
    if isinstance(op, ListNamespacesOp):
        return _list_namespaces(keyed, op)
    if isinstance(op, PutOp):
        if op.value is None:
            keyed.delete(op.namespace, op.key)
        else:
            keyed.put(op.namespace, op.key, dict(op.value))
        return None
    raise HollowayError(f"{type(op).__name__} is not supported.", "Supported: get, search, put and list.")


def _search_entries(keyed: KeyValueStore, op: SearchOp) -> list[SearchItem]:
    entries = keyed.find(op.namespace_prefix, op.query or "", SEARCHED_ENTRIES_MAX)
    wanted = (entry for entry in entries if _matches_filter(entry.value, op.filter or {}))
    return [_search_item(entry) for entry in islice(wanted, op.offset, op.offset + op.limit)]


def _matches_filter(value: dict[str, Any], wanted: dict[str, Any]) -> bool:
    return all(_matches_condition(value.get(name), condition) for name, condition in wanted.items())


def _matches_condition(value: object, wanted: object) -> bool:
    if not isinstance(wanted, dict) or not all(name in COMPARISONS for name in wanted):
        return value == wanted
    try:
        return all(COMPARISONS[name](value, other) for name, other in wanted.items())
    except TypeError:
        return False


def _list_namespaces(keyed: KeyValueStore, op: ListNamespacesOp) -> list[tuple[str, ...]]:
    namespaces = [
        namespace
        for namespace in keyed.namespaces()
        if all(_fits_condition(namespace, condition) for condition in op.match_conditions or ())
    ]
    shortened = list(dict.fromkeys(namespace[: op.max_depth] for namespace in namespaces))
    return shortened[op.offset : op.offset + op.limit]


def _fits_condition(namespace: tuple[str, ...], condition: MatchCondition) -> bool:
    path: Sequence[str] = condition.path
    part = namespace[: len(path)] if condition.match_type == "prefix" else namespace[-len(path) :]
    return len(part) == len(path) and all(b in ("*", a) for a, b in zip(part, path, strict=True))


def _make_item(entry: KeyValueEntry) -> Item:
    created_at, updated_at = (
        datetime.fromisoformat(timestamp) for timestamp in (entry.memory.created_at, entry.memory.updated_at)
    )
    return Item(
        value=entry.value, key=entry.key, namespace=entry.namespace, created_at=created_at, updated_at=updated_at
    )


def _search_item(entry: KeyValueEntry) -> SearchItem:
    item = _make_item(entry)
    return SearchItem(item.namespace, item.key, item.value, item.created_at, item.updated_at, entry.score)
