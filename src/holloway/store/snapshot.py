"""Dump and load all rows of a store, so that a restored store gives the same rows."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from holloway.config import ID_CHARS_MIN
from holloway.errors import InvalidInput
from holloway.store.memory_rows import SELECT, to_memory

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from holloway.store.store import Store

TABLES = {
    "tombstones": "fingerprint",
    "branches": "name",
    "sessions": "id",
    "injections": "session, context, memory",
    "session_files": "session, path",
    "session_modules": "session, module",
    "co_access": "file_a, file_b, session",
    "sightings": "signal, key, session",
    "candidates": "session, number",
    "error_sightings": "fingerprint, session",
    "syntheses": "module, threshold",
    "relations": "source, kind, target",
    "module_edits": "at, kind, module, value",
}
"""Tables that are copied completely, with the order of their rows. Vectors are left out, because they can be computed
again, and so is the usage of language models, which was billed to another machine's account."""

_DERIVED_COLUMNS = ("seq", "search_text", "fingerprint")
_NUMBERED_TABLES = frozenset({"module_edits"})
"""Tables with row numbers of this store, in which a row must not be duplicated."""


def dump_rows(store: Store) -> Iterator[dict[str, Any]]:
    """Yield the rows of a store from one snapshot, in a deterministic order."""
    with store.database.read_snapshot():
        yield {"table": "meta", "salts": store.memories.load_salts()}
        yield from _dump_memories(store)
        for table, order in TABLES.items():
            for row in store.database.fetch_rows(f"SELECT * FROM {table} ORDER BY {order}"):
                yield {"table": table, **{name: row[name] for name in row.keys() if name != "seq"}}  # noqa: SIM118


def _dump_memories(store: Store) -> Iterator[dict[str, Any]]:
    for row in store.database.fetch_rows(SELECT + " ORDER BY m.created_at, m.uid"):
        values = {name: row[name] for name in row.keys() if name not in _DERIVED_COLUMNS}  # noqa: SIM118  (a Row is no dict)
        yield {
            "table": "memories",
            **values,
            "history": [list(entry) for entry in store.memories.get_history(row["id"])],
        }


def load_rows(store: Store, rows: Callable[[], Iterable[dict[str, Any]]]) -> tuple[int, int]:
    """Load dumped rows into a store in one transaction; return how many memories were new and how many existed.

    The rows are read twice: a row may refer to a memory that comes later, and that memory may need another id here.
    """
    with store.database.write_transaction():
        stored_ids = {row["uid"]: row["id"] for row in store.database.fetch_rows("SELECT uid, id FROM memories")}
        archived = {row["uid"]: row["id"] for row in rows() if row.get("table") == "memories"}
        ids = _map_ids(archived, stored_ids)
        columns = {table: _list_columns(store, table) for table in TABLES}
        for row in rows():
            if row.get("uid") not in stored_ids:
                _load_row(store, _replace_ids(row, ids), columns)
    known_count = len(archived.keys() & stored_ids.keys())
    return len(archived) - known_count, known_count


def _map_ids(archived: dict[str, str], present: dict[str, str]) -> dict[str, str]:
    """Map the id of each archived memory to its id in this store."""
    used = set(present.values())
    reserved = used | set(archived.values())
    ids = {}
    for uid, old in archived.items():
        ids[old] = present.get(uid, old)
        if uid not in present and old in used:
            sizes = range(ID_CHARS_MIN, len(uid) + 1)
            ids[old] = next(uid[:size] for size in sizes if uid[:size] not in reserved)
            reserved.add(ids[old])
    return ids


def _replace_ids(row: dict[str, Any], ids: dict[str, str]) -> dict[str, Any]:
    if row.get("table") in ("injections", "candidates"):
        return {**row, "memory": ids.get(row["memory"], row["memory"])}
    if row.get("table") != "memories":
        return row
    relations = [
        [kind, ids.get(memory, memory), *remaining_fields]
        for kind, memory, *remaining_fields in json.loads(row["relations"])
    ]
    return {
        **row,
        "id": ids[row["id"]],
        "superseded_by": ids.get(row["superseded_by"], row["superseded_by"]),
        "relations": json.dumps(relations),
    }


def _load_row(store: Store, row: dict[str, Any], columns: dict[str, set[str]]) -> None:
    table = row.get("table")
    values = {name: value for name, value in row.items() if name != "table"}
    if table == "meta":
        store.memories.adopt_salts([str(salt) for salt in row["salts"]])
    elif table == "memories":
        store.memories.import_memory(to_memory(row), [tuple(entry) for entry in row["history"]])
    elif table in TABLES and set(values) <= columns[table]:
        names, marks = ", ".join(values), ", ".join(f":{name}" for name in values)
        unless_present = f" WHERE ({marks}) NOT IN (SELECT {names} FROM {table})" if table in _NUMBERED_TABLES else ""
        store.database.execute(f"INSERT OR IGNORE INTO {table}({names}) SELECT {marks}{unless_present}", values)
    else:
        raise InvalidInput(f"The archive has a row of an unknown kind ({table!r}).", "Nothing was imported.")


def _list_columns(store: Store, table: str) -> set[str]:
    return {row["name"] for row in store.database.fetch_rows(f"SELECT name FROM pragma_table_info('{table}')")}


def serialize_row(row: dict[str, Any]) -> bytes:
    """Serialize a row as one line of an archive; the same row always gives the same bytes."""
    return json.dumps(row, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode() + b"\n"
