"""What may leave: chosen, visible, confirmed or unconfirmed, without secrets; and what of it is sent."""

from dataclasses import replace
from typing import Any

import pytest

import holloway
from holloway.domain.memory import MemoryType, Relation, RelationType, State, Visibility
from holloway.sharing.shared_fields import compare_values, compress_values, describe_memory, explain_refusal

TOKEN = "postgres://ada:Xk29fLq81zPw@db.example.com/shop"


@pytest.fixture
def card(memory: holloway.Holloway) -> holloway.Memory:
    taught = memory.remember("tests hang without REDIS_URL", files=["README.md"], visibility="project").memory
    assert taught is not None
    return taught


def test_a_chosen_memory_may_leave(card: holloway.Memory) -> None:
    assert explain_refusal(card) == ""


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"chosen": False}, "not chosen"),
        ({"visibility": Visibility.PERSONAL}, "personal"),
        ({"state": State.QUARANTINED}, "quarantined"),
        ({"state": State.STALE}, "stale"),
        ({"type": MemoryType.WORK_STATE}, "this machine"),
        ({"type": MemoryType.CONTEXT_COST}, "this machine"),
        ({"branch_only": "feature"}, "not merged"),
        ({"deleted_at": "2026-01-05T09:00:00.000Z"}, "set aside"),
        ({"content": f"use {TOKEN}"}, "secret"),
        ({"summary": f"use {TOKEN}"}, "secret"),
        ({"tags": (TOKEN,)}, "secret"),
        ({"files": (f"keys/{TOKEN}",)}, "secret"),
    ],
)
@pytest.mark.promise("shared-by-choice")
def test_what_must_not_leave_stays_and_says_why(card: holloway.Memory, fields: dict[str, Any], reason: str) -> None:
    assert reason in explain_refusal(replace(card, **fields))


def test_on_devices_of_one_person_personal_memories_may_leave(card: holloway.Memory) -> None:
    assert explain_refusal(replace(card, visibility=Visibility.PERSONAL, chosen=False), personal=True) == ""


def test_sessions_branches_agents_and_evidence_are_not_among_the_fields(card: holloway.Memory) -> None:
    private = replace(
        card, session="S-1", sessions=("S-1",), agent="A-1", branch="B-1", origin="O-1", review_after="R-1"
    )
    text = str(describe_memory(private, lambda memory_id: ""))
    assert not any(mark in text for mark in ("S-1", "A-1", "B-1", "O-1", "R-1"))
    assert card.content in text


def test_a_relation_travels_only_to_a_memory_that_is_shared(card: holloway.Memory) -> None:
    related = replace(card, relations=(Relation(RelationType.REQUIRED_WITH, memory="abc"),))
    assert describe_memory(related, lambda memory_id: "")["relations"] == []
    assert describe_memory(related, lambda memory_id: f"name of {memory_id}")["relations"] == [
        "required_with name of abc"
    ]


def test_only_what_changed_is_said_again(card: holloway.Memory) -> None:
    before = describe_memory(card, lambda memory_id: "")
    now = describe_memory(replace(card, tags=("redis",), summary="shorter"), lambda memory_id: "")
    assert compare_values(compress_values(before), now, {}) == {"summary": "shorter", "tags": {"redis": True}}
    assert compare_values(compress_values(now), before, {}) == {"summary": card.summary, "tags": {"redis": False}}


def test_a_new_text_replaces_the_versions_that_were_seen(card: holloway.Memory) -> None:
    before = compress_values(describe_memory(card, lambda memory_id: ""))
    now = describe_memory(replace(card, content="another"), lambda memory_id: "")
    changes = compare_values(before, now, {"content": ["b", "a"]})
    assert changes["content"] == {"value": {"text": "another"}, "seen": ["a", "b"]}


def test_a_memory_that_may_no_longer_leave_says_only_that_it_ended(card: holloway.Memory) -> None:
    before = compress_values(describe_memory(card, lambda memory_id: ""))
    gone = replace(
        card, content="changed", deleted_at="2026-01-05T09:00:00.000Z", deleted_reason="forgotten: by a person"
    )
    changes = compare_values(before, describe_memory(gone, lambda memory_id: ""), {}, only_ending=True)
    assert changes == {"judgement": {"value": "forgotten", "seen": []}}


def test_what_the_machine_set_aside_is_no_judgement_of_a_person(card: holloway.Memory) -> None:
    faded = replace(card, deleted_at="2026-01-05T09:00:00.000Z", deleted_reason="faded")
    assert "judgement" not in describe_memory(faded, lambda memory_id: "")
