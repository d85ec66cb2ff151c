"""Operations as they are sent: what one replica writes another reads, and nothing else is read."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holloway.errors import InvalidInput
from holloway.sharing.operation import (
    LAMPORT_MAX,
    MERGE_RULES,
    Operation,
    make_id,
    name_memory,
    parse_operation,
    serialize_operation,
)
from tests.sharing.schedules import MEMORY, OWNER, REPLICAS, STAMPS


def build(**fields: Any) -> Operation:
    defaults: dict[str, Any] = {
        "id": make_id(OWNER, "1" * 12),
        "memory": MEMORY,
        "counter": 1,
        "replica": OWNER,
        "at": STAMPS[1],
        "changes": {"summary": "text"},
    }
    return Operation(**(defaults | fields))


@given(st.text(), st.dictionaries(st.text(max_size=20), st.booleans(), max_size=5), st.integers(1, LAMPORT_MAX))
def test_an_operation_survives_its_form_on_the_wire(text: str, tags: dict[str, bool], counter: int) -> None:
    if any(0xD800 <= ord(letter) < 0xE000 for letter in text + "".join(tags)):
        return
    operation = build(changes={"summary": text, "tags": tags}, counter=counter)
    assert parse_operation(serialize_operation(operation), OWNER) == operation


@pytest.mark.parametrize(
    "fields",
    [
        {"id": make_id(REPLICAS[1], "1" * 12)},
        {"id": "short"},
        {"memory": "no slash"},
        {"memory": f"{OWNER}/../../etc"},
        {"memory": f"{REPLICAS[1]}/"},
        {"counter": 0},
        {"counter": LAMPORT_MAX + 1},
        {"counter": True},
        {"counter": "1"},
        {"at": "yesterday"},
        {"changes": ["summary"]},
        {"changes": {"summary": ["a", "list"]}},
        {"changes": {"tags": ["a"]}},
        {"changes": {"tags": {"a": 1}}},
        {"changes": {"uses": -1}},
        {"changes": {"content": "text"}},
        {"changes": {"content": {"value": "x", "seen": ["nothing"]}}},
        {"changes": {"content": {"value": "x", "seen": [], "more": 1}}},
    ],
)
def test_what_this_replica_cannot_have_written_is_refused(fields: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput):
        parse_operation(serialize_operation(build(**fields)), OWNER)


@pytest.mark.parametrize("line", ["", "[]", "{", "[" * 100_000, json.dumps({"id": 1}), "x" * 70_000])
def test_what_is_no_operation_is_refused(line: str) -> None:
    with pytest.raises(InvalidInput):
        parse_operation(line, OWNER)


def test_a_field_of_a_newer_release_is_passed_over() -> None:
    operation = build(changes={"mood": {"any": ["shape"]}, "summary": "text"})
    assert parse_operation(serialize_operation(operation), OWNER) == operation


def test_a_memory_is_named_after_its_owner() -> None:
    assert build().owner == OWNER
    assert name_memory(OWNER, "abc").startswith(OWNER)


def test_every_rule_of_the_table_has_a_shape() -> None:
    shapes = {"last": "x", "owner": "x", "items": {"x": True}, "count": 1, "versions": {"value": "x", "seen": []}}
    for name, rule in MERGE_RULES.items():
        assert parse_operation(serialize_operation(build(changes={name: shapes[rule]})), OWNER).changes
