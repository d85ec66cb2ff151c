"""Everything a store holds as plain rows, and back again, so that a restored store gives the same rows."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from holloway.errors import InvalidInput
from holloway.store.rows import SELECT, to_memory

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from holloway.store.store import Store

TABLES = {
    "tombstones": "fingerprint",
    "branches": "name",
    "sessions": "id",
    "injections": "session, context, memory",
    "file_access": "path",
    "co_access": "file_a, file_b, source",
    "error_sightings": "fingerprint, session",
    "module_sessions": "module",
    "syntheses": "module, threshold",
}
"""Tables that are copied whole, with the order of their rows. Vectors are left out: they can be computed again."""

_DERIVED = ("seq", "search_text", "fingerprint")


def dump(store: Store) -> Iterator[dict[str, Any]]:
    """The rows of a store, in an order that depends on nothing but the rows."""
    database = store.database
    yield {"table": "meta", "salts": store.memories.salts()}
    for row in database.rows(SELECT + " ORDER BY m.created_at, m.uid"):
        values = {name: row[name] for name in row.keys() if name not in _DERIVED}  # noqa: SIM118  (a Row is no dict)
        yield {"table": "memories", **values, "history": [list(entry) for entry in store.memories.history(row["id"])]}
    for table, order in TABLES.items():
        for row in database.rows(f"SELECT * FROM {table} ORDER BY {order}"):
            yield {"table": table, **dict(row)}


def load(store: Store, rows: Iterable[dict[str, Any]]) -> tuple[int, int]:
    """Put dumped rows into a store, all or nothing; returns how many memories were new and how many known."""
    new = known = 0
    database = store.database
    columns = {table: _columns(store, table) for table in TABLES}
    with database.write():
        for row in rows:
            table = row.get("table")
            values = {name: value for name, value in row.items() if name != "table"}
            if table == "meta":
                store.memories.adopt_salts([str(salt) for salt in row["salts"]])
            elif table == "memories":
                if database.value("SELECT 1 FROM memories WHERE uid = ?", (row["uid"],)):
                    known += 1
                else:
                    _load_memory(store, row)
                    new += 1
            elif table in TABLES and set(values) <= columns[table]:
                names, marks = ", ".join(values), ", ".join(f":{name}" for name in values)
                database.run(f"INSERT OR IGNORE INTO {table}({names}) VALUES ({marks})", values)
            else:
                raise InvalidInput(f"The archive has a row of an unknown kind ({table!r}).", "Nothing was imported.")
    return new, known


def _load_memory(store: Store, row: dict[str, Any]) -> None:
    database = store.database
    if database.value("SELECT 1 FROM memories WHERE id = ?", (row["id"],)):
        row = {**row, "id": store.memories.short_id(row["uid"])}
    store.memories.put(to_memory(row), [tuple(entry) for entry in row["history"]])


def _columns(store: Store, table: str) -> set[str]:
    return {row["name"] for row in store.database.rows(f"SELECT name FROM pragma_table_info('{table}')")}


def to_line(row: dict[str, Any]) -> bytes:
    """A row as one line of an archive; the same row always gives the same bytes."""
    return json.dumps(row, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode() + b"\n"
