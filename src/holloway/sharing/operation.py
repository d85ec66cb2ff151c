"""An operation: what one replica changed in one shared memory. The smallest thing that is sent; it never changes."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from holloway.config import OPERATION_BYTES_MAX, OPERATION_ITEMS_MAX, PATH_CHARS_MAX
from holloway.errors import InvalidInput

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import TypeAlias

    Changes: TypeAlias = Mapping[str, Any]

REPLICA_CHARS = 32
"""Length of a replica's name: the beginning of the digest of its public key."""
LAMPORT_MAX = 2**53
"""Every number up to this is exact in every program that reads JSON."""

LAST = "last"
"""The last writer wins, by counter, then replica."""
OWNER = "owner"
"""As LAST, but only the memory's owner is heard."""
ITEMS = "items"
"""A set: the last word about each item wins."""
COUNT = "count"
"""A count of each replica, of which the highest holds; they are added up."""
VERSIONS = "versions"
"""Every version that no later one has replaced is kept."""

MERGE_RULES = {
    "content": VERSIONS,
    "visibility": VERSIONS,
    "judgement": VERSIONS,
    "summary": LAST,
    "type": LAST,
    "pinned": LAST,
    "scope": LAST,
    "tags": ITEMS,
    "files": ITEMS,
    "modules": ITEMS,
    "relations": ITEMS,
    "uses": COUNT,
    "proofs": COUNT,
    "flags": COUNT,
    "source": OWNER,
    "created_at": OWNER,
    "stated_at": OWNER,
    "commit": OWNER,
    "quotes": OWNER,
    "erase": OWNER,
    "devices": ITEMS,
    "vouches": ITEMS,
}
"""How concurrent changes of each field merge. `devices` and `vouches` belong to a replica's own record: which other
replicas act for the same person, and which people it knows."""

_REPLICA = re.compile(rf"[0-9a-f]{{{REPLICA_CHARS}}}")
_UID = re.compile(r"[0-9a-f]{0,64}")
_ID = re.compile(r"[0-9a-f]{12}\.[0-9a-f]{12}")
_STAMP = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
ID_REPLICA_CHARS = 12


@dataclass(frozen=True, slots=True)
class Operation:
    """A change of one memory by one replica; its fields merge each by its own rule."""

    id: str
    memory: str
    """Name of the replica that owns the memory, a slash, and the memory's uid; no uid: the replica's own record."""
    counter: int
    """Lamport clock: higher than that of every operation that the replica had seen."""
    replica: str
    at: str
    changes: Changes

    @property
    def owner(self) -> str:
        """The replica that created the memory."""
        return self.memory.partition("/")[0]

    @property
    def order(self) -> tuple[int, str, str]:
        """Sort key that decides which of two writers is the last."""
        return (self.counter, self.replica, self.id)

    def is_erasure(self) -> bool:
        """Return whether it erases the memory."""
        return bool(self.changes.get("erase"))


def name_memory(replica: str, uid: str) -> str:
    """Return the name of a memory in operations; nobody but its owner can make one that begins with their name."""
    return f"{replica}/{uid}"


def make_id(replica: str, random_digits: str) -> str:
    """Return the id of a new operation of a replica."""
    return f"{replica[:ID_REPLICA_CHARS]}.{random_digits[:ID_REPLICA_CHARS]}"


def serialize_operation(operation: Operation) -> str:
    """Return an operation as one line of JSON; equal operations give equal lines."""
    fields = {
        "id": operation.id,
        "memory": operation.memory,
        "counter": operation.counter,
        "at": operation.at,
        "changes": operation.changes,
    }
    return serialize_value(fields)


def serialize_value(value: object) -> str:
    """Return a value as compact JSON with sorted keys."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def parse_operation(line: str, replica: str) -> Operation:
    """Parse one line that a replica signed. Raises InvalidInput for anything that this replica cannot have written."""
    _require(len(line) <= OPERATION_BYTES_MAX, "it is too long")
    try:
        fields = json.loads(line)
    except (ValueError, RecursionError):
        raise InvalidInput("An operation is not JSON.", "It is ignored.") from None
    _require(isinstance(fields, dict), "it is not an object")
    texts = {name: fields.get(name) for name in ("id", "memory", "at")}
    _require(all(isinstance(text, str) for text in texts.values()), "a field is missing")
    operation = Operation(
        id=str(texts["id"]),
        memory=str(texts["memory"]),
        counter=fields.get("counter", 0),
        replica=replica,
        at=str(texts["at"]),
        changes=fields.get("changes") or {},
    )
    _check_operation(operation)
    return operation


def _check_operation(operation: Operation) -> None:
    owner, slash, uid = operation.memory.partition("/")
    _require(bool(_ID.fullmatch(operation.id)), "its id is malformed")
    _require(operation.id.startswith(operation.replica[:ID_REPLICA_CHARS]), "its id names another replica")
    _require(bool(slash and _REPLICA.fullmatch(owner) and _UID.fullmatch(uid)), "its memory is malformed")
    _require(bool(_STAMP.fullmatch(operation.at)), "its time is malformed")
    _require(type(operation.counter) is int and 0 < operation.counter <= LAMPORT_MAX, "its counter is out of range")
    _require(isinstance(operation.changes, dict), "its changes are no object")
    _require(bool(uid) or owner == operation.replica, "it changes the record of another replica")
    for field, value in operation.changes.items():
        # A field of a newer release is kept and passed over; one of ours has the shape that its rule needs.
        if field in MERGE_RULES:
            _require(_SHAPES[MERGE_RULES[field]](value), f"its {field} is malformed")


def _is_scalar(value: object) -> bool:
    return value is None or isinstance(value, str | bool) or (type(value) is int and abs(value) <= LAMPORT_MAX)


def _is_item_map(value: object) -> bool:
    return (
        isinstance(value, dict)
        and len(value) <= OPERATION_ITEMS_MAX
        and all(len(item) <= PATH_CHARS_MAX and isinstance(member, bool) for item, member in value.items())
    )


def _is_count(value: object) -> bool:
    return type(value) is int and 0 <= value <= LAMPORT_MAX


def _is_version(value: object) -> bool:
    if not isinstance(value, dict) or value.keys() != {"value", "seen"}:
        return False
    replaced = value["seen"]
    return isinstance(replaced, list) and all(isinstance(item, str) and bool(_ID.fullmatch(item)) for item in replaced)


_SHAPES = {LAST: _is_scalar, OWNER: _is_scalar, ITEMS: _is_item_map, COUNT: _is_count, VERSIONS: _is_version}


def _require(holds: bool, problem: str) -> None:
    if not holds:
        raise InvalidInput(f"An operation cannot be used: {problem}.", "It is ignored.")
