"""All rows of a store are dumped and loaded, and ids that are taken are replaced."""

import json
from pathlib import Path
from typing import Any

import pytest

import holloway
from holloway.domain.memory import Draft, Relation, RelationType
from holloway.errors import InvalidInput
from holloway.store import candidates, lookup, snapshot
from holloway.store.write_gate import sanitize_draft
from holloway.testing import CountedIds, FakeClock
from tests.conftest import make_repository
from tests.store.test_candidates import ONE


@pytest.fixture
def rows(memory: holloway.Holloway) -> list[dict[str, Any]]:
    """Two memories, one of which names the other, a session that saw one, and a candidate."""
    first = memory.store.memories.add_memory(sanitize_draft(Draft("tokens live an hour"))).memory
    assert first is not None
    relation = Relation(RelationType.CONFLICTS_WITH, memory=first.id)
    memory.store.memories.add_memory(sanitize_draft(Draft("tokens live two hours", relations=(relation,))))
    memory.wrong(first.id, "outdated", instead="tokens live forever")
    database = memory.store.database
    now = "2026-01-05T10:00:00.000Z"
    lookup.claim_injections(database.connection, [first.id], session="s1", agent="x", point="prompt", now=now)
    with database.write_transaction():
        candidates.insert_candidate(database, ONE)
    return list(snapshot.dump_rows(memory.store))


class IdsBeginningAlike(CountedIds):
    """Ids that are new, and begin like one that is given."""

    def __init__(self, beginning: str) -> None:
        super().__init__("other")
        self._beginning = beginning

    def new(self) -> str:
        return self._beginning + super().new()[len(self._beginning) :]


def open_other(tmp_path: Path, beginning: str = "") -> holloway.Holloway:
    root = make_repository(tmp_path / "other", {"other.py": "x = 1\n"}).root
    return holloway.open(root, clock=FakeClock(), ids=IdsBeginningAlike(beginning))


def test_a_dump_is_loaded_once_and_gives_the_same_rows(rows: list[dict[str, Any]], tmp_path: Path) -> None:
    with open_other(tmp_path) as other:
        assert snapshot.load_rows(other.store, lambda: rows) == (3, 0)
        loaded = list(snapshot.dump_rows(other.store))
        assert sorted(map(snapshot.serialize_row, loaded[1:])) == sorted(map(snapshot.serialize_row, rows[1:]))
        assert set(rows[0]["salts"]) <= set(loaded[0]["salts"])
        assert snapshot.load_rows(other.store, lambda: rows) == (0, 3)
        assert list(snapshot.dump_rows(other.store)) == loaded


def test_an_id_that_is_taken_here_is_replaced_wherever_it_is_named(rows: list[dict[str, Any]], tmp_path: Path) -> None:
    taken = next(row["id"] for row in rows if row.get("content") == "tokens live an hour")
    with open_other(tmp_path, taken) as other:
        own = other.remember("something else").memory
        assert own is not None
        assert own.id == taken
        assert snapshot.load_rows(other.store, lambda: rows) == (3, 0)
        assert other.get(own.id).content == "something else"
        by_content = {found.content: found for found in other.memories(holloway.Filter(superseded=True))}
        renamed = by_content["tokens live an hour"]
        assert renamed.id != taken
        assert by_content["tokens live two hours"].relations[0].memory == renamed.id
        assert renamed.superseded_by == by_content["tokens live forever"].id
        shown = other.store.database.fetch_value("SELECT memory FROM injections WHERE session = 's1'")
        assert shown == renamed.id


@pytest.mark.parametrize("row", [{"table": "users", "id": 1}, {"table": "branches", "unknown": 1}, {"name": "x"}])
def test_a_row_of_an_unknown_kind_is_refused_and_nothing_is_loaded(
    memory: holloway.Holloway, row: dict[str, Any]
) -> None:
    with pytest.raises(InvalidInput, match="a row of an unknown kind"):
        snapshot.load_rows(memory.store, lambda: [row])
    assert memory.memories() == []


def test_a_row_is_one_line_with_its_fields_in_order() -> None:
    assert snapshot.serialize_row({"b": "grün", "a": [1]}) == '{"a":[1],"b":"grün"}\n'.encode()
    assert json.loads(snapshot.serialize_row({"a": "x\ny"})) == {"a": "x\ny"}
