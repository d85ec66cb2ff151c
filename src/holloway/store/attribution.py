"""Attribution of shared memories: the author of each one, and the people who confirmed it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

    from holloway.store.database import Database

CONFIRMED_BY = "confirmed_by"
"""Key in the base of a shared memory: one replica of each person who counts here and confirmed the memory."""

COUNTS = "counts"
"""Key in the base of a shared memory: its counts on all devices, added up."""


class Attribution(NamedTuple):
    """The people behind a shared memory. Names are those that they gave themselves; only their keys are proved."""

    author: str
    device: str
    confirmed_by: tuple[str, ...] = ()
    """Names of the people who confirmed it, each once; its author is among them if they did."""
    uses: int = 0
    flags: int = 0
    """How often it was used, and called wrong, on all devices together, as of the last exchange."""

    @property
    def confirmations(self) -> int:
        """The number of people besides its author who confirmed it."""
        return sum(name != self.author for name in self.confirmed_by)

    def describe(self) -> str:
        """Return the author and the number of others who confirmed it, as a person reads them."""
        count = self.confirmations
        return f"from {self.author}" + (f", confirmed by {count}" if count else "")


def find_attributions(database: Database, memory_ids: Iterable[str]) -> dict[str, Attribution]:
    """Return the attribution of the shared memories among some local ids; a memory that is not shared has none."""
    sql = (
        "SELECT m.id, s.memory, s.base FROM shared_memories s JOIN memories m ON m.uid = s.uid "
        "WHERE m.id IN (SELECT value FROM json_each(?))"
    )
    rows = database.fetch_rows(sql, (json.dumps(list(memory_ids)),))
    people = _read_names(database) if rows else {}
    return {memory_id: _build_attribution(people, name, json.loads(base)) for memory_id, name, base in rows}


def _build_attribution(people: dict[str, tuple[str, str]], name: str, base: dict[str, Any]) -> Attribution:
    owner = name.partition("/")[0]
    author, device = people.get(owner, (owner[:12], ""))
    confirming = tuple(people.get(replica, (replica[:12], ""))[0] for replica in base.get(CONFIRMED_BY, ()))
    counts = base.get(COUNTS, {})
    return Attribution(author, device, confirming, counts.get("uses", 0), counts.get("flags", 0))


def _read_names(database: Database) -> dict[str, tuple[str, str]]:
    rows = database.fetch_rows("SELECT replica, author, device FROM replicas")
    return {replica: (author, device) for replica, author, device in rows}
