"""The log of sharing: operations, the memories they belong to, and the replicas that wrote them. Empty until sharing
is switched on."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

from holloway.store.status_counts import FLAGGED_KINDS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from holloway.store.database import Database

SETTINGS_KEY = "sharing"
COUNTER_KEY = "sharing_counter"
REWRITE_KEY = "sharing_rewrite"
COUNTER_LEAP_MAX = 2**40
"""A replica that runs further ahead of the clock does not move it: nobody may use the counters up."""
OWN, ACCEPTED, STRANGER, REFUSED = "own", "accepted", "unknown", "refused"
"""Standings of a replica here: this one, one that a person accepted, one that nobody knows, one that was refused."""
ERASED = "erased"
CONFLICT = "conflict"
HELD_BACK = "held"

_FLAGS = json.dumps(FLAGGED_KINDS)


class LoggedOperation(NamedTuple):
    """A row of the log: the operation as its replica wrote it, without the replica."""

    id: str
    memory: str
    replica: str
    counter: int
    body: str
    erases: bool


class SharedMemory(NamedTuple):
    """A memory that is shared, and the local row that shows it."""

    memory: str
    uid: str
    base: dict[str, Any]
    """What the local row and the shared state were when they were last compared."""
    status: str = ""


class Replica(NamedTuple):
    """A replica whose segments were seen on the remote."""

    replica: str
    author: str
    device: str
    standing: str
    tip: str = ""
    first_seen_at: str = ""
    segments: str = "[]"


def read_settings(database: Database) -> dict[str, Any]:
    """Return the settings of sharing in this store; empty if it was never switched on."""
    row = database.fetch_value("SELECT value FROM meta WHERE key = ?", (SETTINGS_KEY,))
    settings = json.loads(row) if row else {}
    return settings if isinstance(settings, dict) else {}


def write_settings(database: Database, settings: dict[str, Any]) -> None:
    """Store the settings of sharing."""
    with database.write_transaction():
        database.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (SETTINGS_KEY, json.dumps(settings)))


def read_counter(database: Database) -> int:
    """Return the Lamport clock of this replica."""
    return int(database.fetch_value("SELECT value FROM meta WHERE key = ?", (COUNTER_KEY,)) or 0)


def advance_counter(database: Database, counter: int) -> int:
    """Set the Lamport clock to a counter, unless it is ahead of it; return the clock."""
    current = max(counter, read_counter(database))
    database.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (COUNTER_KEY, str(current)))
    return current


def follow_counter(database: Database, counter: int) -> None:
    """Set the Lamport clock to a counter of another replica, unless that one runs away with it."""
    if counter <= read_counter(database) + COUNTER_LEAP_MAX:
        advance_counter(database, counter)


def find_highest_counter(database: Database, replica: str) -> int:
    """Return the highest counter of a replica's operations; 0 without any."""
    return int(database.fetch_value("SELECT max(counter) FROM operations WHERE replica = ?", (replica,)) or 0)


def add_operations(database: Database, rows: Iterable[LoggedOperation], *, is_incoming: bool) -> int:
    """Add operations to the log; those that it has already are left as they are. Return how many were new.

    Incoming ones are still to be applied, the others still to be sent.
    """
    before = database.connection.total_changes
    sql = (
        "INSERT OR IGNORE INTO operations(id, memory, replica, counter, body, erases, sent, applied) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
    )
    with database.write_transaction():
        database.connection.executemany(sql, [(*row, is_incoming, not is_incoming) for row in rows])
    return database.connection.total_changes - before


_SELECT_OPERATIONS = "SELECT id, memory, replica, counter, body, erases FROM operations"


def list_operations(database: Database, memories: Sequence[str]) -> list[LoggedOperation]:
    """Return the operations of some memories."""
    sql = f"{_SELECT_OPERATIONS} WHERE memory IN (SELECT value FROM json_each(?)) ORDER BY counter, replica, id"
    return [LoggedOperation(*row) for row in database.fetch_rows(sql, (json.dumps(list(memories)),))]


def list_unsent(database: Database) -> list[LoggedOperation]:
    """Return the operations of this replica that no segment has yet."""
    sql = f"{_SELECT_OPERATIONS} WHERE sent = 0 ORDER BY counter, id"
    return [LoggedOperation(*row) for row in database.fetch_rows(sql)]


def list_written_by(database: Database, replica: str) -> list[LoggedOperation]:
    """Return the operations that one replica wrote."""
    sql = f"{_SELECT_OPERATIONS} WHERE replica = ? ORDER BY counter, id"
    return [LoggedOperation(*row) for row in database.fetch_rows(sql, (replica,))]


def list_memories_of(database: Database, replica: str) -> list[str]:
    """Return the names of the memories that a replica owns or has written about."""
    sql = "SELECT DISTINCT memory FROM operations WHERE replica = ? OR substr(memory, 1, length(?)) = ? ORDER BY memory"
    return [row[0] for row in database.fetch_rows(sql, (replica, replica, replica))]


def list_all_memories(database: Database) -> list[str]:
    """Return the names of all memories in the log."""
    return [row[0] for row in database.fetch_rows("SELECT DISTINCT memory FROM operations ORDER BY memory")]


def list_unapplied(database: Database) -> list[str]:
    """Return the names of the memories of which operations came that their rows were not compared with."""
    return [row[0] for row in database.fetch_rows("SELECT DISTINCT memory FROM operations WHERE applied = 0")]


def mark_applied(database: Database, memories: Sequence[str]) -> None:
    """Record that the rows of these memories were compared with all operations."""
    sql = "UPDATE operations SET applied = 1 WHERE applied = 0 AND memory IN (SELECT value FROM json_each(?))"
    with database.write_transaction():
        database.execute(sql, (json.dumps(list(memories)),))


def count_operations(database: Database, replica: str) -> int:
    """Count the operations of a replica."""
    return int(database.fetch_value("SELECT count(*) FROM operations WHERE replica = ?", (replica,)))


def count_unsent(database: Database) -> int:
    """Count the memories of which a change was not sent yet, without the records of replicas."""
    sql = "SELECT count(DISTINCT memory) FROM operations WHERE sent = 0 AND substr(memory, -1) <> '/'"
    return int(database.fetch_value(sql))


def mark_sent(database: Database, ids: Iterable[str]) -> None:
    """Record that a segment on the remote has these operations."""
    with database.write_transaction():
        database.connection.executemany("UPDATE operations SET sent = 1 WHERE id = ?", [(id_,) for id_ in ids])


def replace_log(database: Database, replica: str, rows: Sequence[LoggedOperation]) -> None:
    """Replace the operations of this replica by a compacted log, all of which is still to be sent."""
    with database.write_transaction():
        database.execute("DELETE FROM operations WHERE replica = ?", (replica,))
        add_operations(database, rows, is_incoming=False)


def delete_operations(database: Database, memories: Sequence[str]) -> None:
    """Delete what the log has of erased memories, except that they were erased."""
    sql = "DELETE FROM operations WHERE erases = 0 AND memory IN (SELECT value FROM json_each(?))"
    with database.write_transaction():
        database.execute(sql, (json.dumps(list(memories)),))


def has_own_words(database: Database, memories: Sequence[str]) -> bool:
    """Return whether this replica said anything of these memories but that they are erased."""
    sql = (
        "SELECT 1 FROM operations JOIN replicas USING (replica) "
        "WHERE standing = ? AND erases = 0 AND memory IN (SELECT value FROM json_each(?)) LIMIT 1"
    )
    return bool(database.fetch_value(sql, (OWN, json.dumps(list(memories)))))


def delete_retracted(database: Database, memory: str, replica: str) -> None:
    """Delete what a replica said of a memory, because it erased its words."""
    sql = "DELETE FROM operations WHERE erases = 0 AND memory = ? AND replica = ?"
    with database.write_transaction():
        database.execute(sql, (memory, replica))


def set_rewrite(database: Database, *, is_due: bool) -> None:
    """Record whether our ref has to be rewritten."""
    with database.write_transaction():
        database.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (REWRITE_KEY, "due" if is_due else ""))


def is_rewrite_due(database: Database) -> bool:
    """Return whether our ref has to be rewritten."""
    return bool(database.fetch_value("SELECT value FROM meta WHERE key = ?", (REWRITE_KEY,)))


def save_shared(database: Database, shared: SharedMemory) -> None:
    """Store what was last compared of a shared memory."""
    sql = (
        "INSERT INTO shared_memories(memory, uid, base, status) VALUES (?, ?, ?, ?) "
        "ON CONFLICT(memory) DO UPDATE SET uid = excluded.uid, base = excluded.base, status = excluded.status"
    )
    with database.write_transaction():
        base = json.dumps(shared.base, ensure_ascii=False, separators=(",", ":"))
        database.execute(sql, (shared.memory, shared.uid, base, shared.status))


def find_shared(database: Database, *, uid: str = "", memory: str = "") -> SharedMemory | None:
    """Return a shared memory by its local uid or by its shared name; None if there is no such."""
    column, value = ("uid", uid) if uid else ("memory", memory)
    row = database.fetch_row(f"SELECT memory, uid, base, status FROM shared_memories WHERE {column} = ?", (value,))
    return SharedMemory(row[0], row[1], json.loads(row[2]), row[3]) if row else None


def list_shared_by_name(database: Database, memories: Sequence[str]) -> dict[str, SharedMemory]:
    """Return shared memories by their shared names; missing ones are left out."""
    sql = "SELECT memory, uid, base, status FROM shared_memories WHERE memory IN (SELECT value FROM json_each(?))"
    rows = database.fetch_rows(sql, (json.dumps(list(memories)),))
    return {row[0]: SharedMemory(row[0], row[1], json.loads(row[2]), row[3]) for row in rows}


def set_sent_uses(database: Database, memory: str, uses: int) -> None:
    """Record up to which count the uses of a memory were recorded."""
    database.execute("UPDATE shared_memories SET uses = ? WHERE memory = ?", (uses, memory))


def count_flags(database: Database, memory_id: str) -> int:
    """Count how often a memory was called wrong or disputed here."""
    sql = (
        "SELECT count(*) FROM memory_history WHERE seq = (SELECT seq FROM memories WHERE id = ?) "
        "AND kind IN (SELECT value FROM json_each(?))"
    )
    return int(database.fetch_value(sql, (memory_id, _FLAGS)))


def find_shared_name(database: Database, memory_id: str) -> str:
    """Return the shared name of the memory with a local id; empty if it is not shared."""
    sql = "SELECT s.memory FROM shared_memories s JOIN memories m ON m.uid = s.uid WHERE m.id = ?"
    return database.fetch_value(sql, (memory_id,)) or ""


def find_local_id(database: Database, memory: str) -> str:
    """Return the local id of a shared memory; empty if it has no row here."""
    sql = "SELECT m.id FROM shared_memories s JOIN memories m ON m.uid = s.uid WHERE s.memory = ?"
    return database.fetch_value(sql, (memory,)) or ""


def list_unrecorded(database: Database) -> list[str]:
    """Return the ids of memories that changed without being recorded.

    They were used more often, called wrong, chosen, or may leave since their branch was merged.
    """
    sql = """
    SELECT m.seq, m.id FROM memories m LEFT JOIN shared_memories s ON s.uid = m.uid
    WHERE (s.memory IS NULL AND m.chosen = 1 AND m.deleted_at = '' AND m.superseded_by = '')
       OR (s.memory IS NOT NULL AND s.uses <> m.use_count)
    UNION
    SELECT m.seq, m.id FROM (
      SELECT seq, count(*) AS flags FROM memory_history
      WHERE kind IN (SELECT value FROM json_each(?)) GROUP BY seq
    ) h JOIN memories m USING (seq) JOIN shared_memories s ON s.uid = m.uid
    WHERE h.flags <> coalesce(json_extract(s.base, '$.local.flags'), 0) AND s.status <> ?
    ORDER BY 1
    """
    return [row[1] for row in database.fetch_rows(sql, (_FLAGS, ERASED))]


def list_shared(database: Database, status: str | None = None) -> list[SharedMemory]:
    """Return the shared memories, or those in one status."""
    sql = "SELECT memory, uid, base, status FROM shared_memories WHERE ? IS NULL OR status = ? ORDER BY memory"
    return [SharedMemory(row[0], row[1], json.loads(row[2]), row[3]) for row in database.fetch_rows(sql, (status,) * 2)]


def count_shared(database: Database, status: str) -> int:
    """Count the shared memories in a status."""
    return int(database.fetch_value("SELECT count(*) FROM shared_memories WHERE status = ?", (status,)))


def save_replica(database: Database, replica: Replica) -> None:
    """Store what is known of a replica."""
    sql = "INSERT OR REPLACE INTO replicas(replica, author, device, standing, tip, first_seen_at, segments)"
    with database.write_transaction():
        database.execute(f"{sql} VALUES (?, ?, ?, ?, ?, ?, ?)", replica)


def list_replicas(database: Database) -> list[Replica]:
    """Return the replicas, this one first, then in the order in which they were seen."""
    sql = (
        "SELECT replica, author, device, standing, tip, first_seen_at, segments FROM replicas "
        "ORDER BY standing <> 'own', first_seen_at, replica"
    )
    return [Replica(*row) for row in database.fetch_rows(sql)]


def clear_log(database: Database) -> None:
    """Forget everything about sharing, except the memories themselves."""
    with database.write_transaction():
        for table in ("operations", "shared_memories", "replicas"):
            database.execute(f"DELETE FROM {table}")
        database.execute("DELETE FROM meta WHERE substr(key, 1, length(?)) = ?", (SETTINGS_KEY, SETTINGS_KEY))
