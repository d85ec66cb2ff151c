"""Pages of the memories that a filter selects, and how many there are of each kind, for browsing a large store."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from holloway.config import PAGE_ROWS_MAX, SHORT_TEXT_CHARS_MAX
from holloway.errors import InvalidInput
from holloway.store.filter import SHARED_ORIGIN

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from holloway.domain.memory import Memory
    from holloway.store.database import Database, Row
    from holloway.store.filter import Filter
    from holloway.store.store import Store

LIST_ORDERS = {"newest": "m.created_at", "changed": "m.updated_at", "used": "m.use_count"}
"""The orders of a list, each descending by its column; the newer of two equal memories comes first."""
FACETS = {
    "types": "type",
    "states": "state",
    "sources": "source",
    "scopes": "scope",
    "visibility": "visibility",
    "agents": "agent",
    "learned_on": "branch",
}
"""Fields of a filter that select one value of a column, with that column."""
NAMES_COUNTED_MAX = 100
"""Files and modules that are counted; those with the most memories."""
_KEY_SEPARATOR = "~"
_KEY = re.compile(r"(?:(?P<number>[0-9]{1,18})|(?P<stamp>[0-9TZ:.-]{10,24}))~(?P<seq>[0-9]{1,18})")


class ListedPage(NamedTuple):
    """One page of a list, and the key of the page after it; the key is empty on the last page."""

    memories: tuple[Memory, ...]
    next_key: str


def list_page(store: Store, memory_filter: Filter, order: str, after: str, limit: int) -> ListedPage:
    """Return the page that follows a key, or the first one. Raises InvalidInput for an unknown order or key."""
    column = _get_order_column(order)
    condition, values = memory_filter.build_condition()
    if after:
        condition += f" AND ({column}, m.seq) < (:after_value, :after_seq)"
        values |= _parse_key(after, is_number=order == "used")
    limit = max(1, min(limit, PAGE_ROWS_MAX))
    # The rows of a page are read afterwards: a sort would otherwise collect the files of every memory of the store.
    source = _choose_index(memory_filter)
    sql = f"SELECT m.seq, {column} AS value FROM {source} WHERE {condition} ORDER BY 2 DESC, 1 DESC LIMIT :limit"
    rows = store.database.fetch_rows(sql, {**values, "limit": limit + 1})
    memories = store.memories.get_by_seqs([row["seq"] for row in rows[:limit]])
    last = rows[limit - 1] if len(rows) > limit else None
    next_key = f"{last['value']}{_KEY_SEPARATOR}{last['seq']}" if last else ""
    return ListedPage(tuple(memories[row["seq"]] for row in rows[:limit] if row["seq"] in memories), next_key)


def list_ids(database: Database, memory_filter: Filter, limit: int) -> list[str]:
    """Return the ids of the memories that a filter selects, oldest first."""
    condition, values = memory_filter.build_condition()
    sql = f"SELECT m.id FROM memories m WHERE {condition} ORDER BY m.seq LIMIT :limit"
    return [row["id"] for row in database.fetch_rows(sql, {**values, "limit": limit})]


def _get_order_column(order: str) -> str:
    if order not in LIST_ORDERS:
        raise InvalidInput(
            f"Memories cannot be ordered by {order[:SHORT_TEXT_CHARS_MAX]!r}.", f"Known: {', '.join(LIST_ORDERS)}."
        )
    return LIST_ORDERS[order]


def _parse_key(key: str, *, is_number: bool) -> dict[str, object]:
    """Return the values of the row after which a page begins. Raises InvalidInput for a key that no page had."""
    match = _KEY.fullmatch(key)
    if match is None or match["number" if is_number else "stamp"] is None:
        raise InvalidInput("This is not the key of a page.", "Use the key that the page before it has.")
    value = int(match["number"]) if is_number else match["stamp"]
    return {"after_value": value, "after_seq": int(match["seq"])}


def _choose_index(memory_filter: Filter) -> str:
    """Return the table to select from, with the index that has every column that lists are filtered by.

    The planner would rather use an index of one column and read the row of each memory, which takes much longer.
    """
    is_selective = memory_filter.files or memory_filter.modules or memory_filter.ids is not None
    reads_rows = (
        memory_filter.tags
        or memory_filter.session
        or memory_filter.origin
        or memory_filter.shared
        or memory_filter.authors
    )
    is_covered = not (is_selective or reads_rows or memory_filter.deleted or memory_filter.superseded)
    return "memories m INDEXED BY memories_listed" if is_covered else "memories m"


def count_selected(database: Database, memory_filter: Filter) -> int:
    """Count the memories that a filter selects."""
    condition, values = memory_filter.build_condition()
    sql = f"SELECT count(*) FROM {_choose_index(memory_filter)} WHERE {condition}"
    return int(database.fetch_value(sql, values))


def count_facets(database: Database, memory_filter: Filter) -> dict[str, dict[str, int]]:
    """Count the selected memories by each column of `FACETS`, most frequent value first.

    The counts of a facet leave out its own choice, so that they say what another choice would select.
    """
    selections = {field: frozenset(map(str, getattr(memory_filter, field))) for field in FACETS}
    without_choices = replace(
        memory_filter, types=(), states=(), sources=(), scopes=(), visibility=(), agents=(), learned_on=()
    )
    condition, values = without_choices.build_condition()
    columns = ", ".join(FACETS.values())
    source = _choose_index(without_choices)
    sql = f"SELECT {columns}, count(*) AS number FROM {source} WHERE {condition} GROUP BY {columns}"
    counts: dict[str, dict[str, int]] = {field: {} for field in FACETS}
    for row in database.fetch_rows(sql, values):
        for field in _list_counting_fields(row, selections):
            value = row[FACETS[field]]
            counts[field][value] = counts[field].get(value, 0) + row["number"]
    return {field: _sort_counts(numbers) for field, numbers in counts.items()}


def _list_counting_fields(row: Row, selections: Mapping[str, frozenset[str]]) -> Iterator[str]:
    """Yield the facets that a row counts for: those whose other choices all select it."""
    refusing = [field for field, chosen in selections.items() if chosen and row[FACETS[field]] not in chosen]
    for field in FACETS:
        if not refusing or refusing == [field]:
            yield field


def count_authors(database: Database, memory_filter: Filter) -> dict[str, int]:
    """Count the selected memories by the person who shared them, most frequent first."""
    condition, values = memory_filter.build_condition()
    shared_by = f"m.origin <> '' AND m.origin = '{SHARED_ORIGIN}' || r.replica"
    sql = (
        f"SELECT r.author AS name, count(*) AS number FROM replicas r JOIN memories m ON {shared_by} "
        f"WHERE {condition} GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT :limit"
    )
    rows = database.fetch_rows(sql, {**values, "limit": NAMES_COUNTED_MAX})
    return {row["name"]: row["number"] for row in rows}


def count_names(database: Database, memory_filter: Filter, table: str, column: str) -> dict[str, int]:
    """Count the selected memories by module or by file: the names with the most memories."""
    condition, values = memory_filter.build_condition()
    selected = f"SELECT m.seq FROM {_choose_index(memory_filter)} WHERE {condition}"
    sql = (
        f"SELECT n.{column} AS name, count(*) AS number FROM {table} n WHERE n.seq IN ({selected}) "
        "GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT :limit"
    )
    rows = database.fetch_rows(sql, {**values, "limit": NAMES_COUNTED_MAX})
    return {row["name"]: row["number"] for row in rows}


def _sort_counts(numbers: Mapping[str, int]) -> dict[str, int]:
    return dict(sorted(numbers.items(), key=lambda item: (-item[1], item[0])))
