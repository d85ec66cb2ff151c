"""A candidate that waits is kept as JSON, and is the same when its time comes."""

import json
from dataclasses import replace

from holloway.domain.memory import Draft, MemoryType, Relation, RelationType, ReviewReason, Source, State
from holloway.domain.memory_details import DeadEnd
from holloway.domain.work import WorkUnit
from holloway.promotion.candidate import parse_draft, serialize_draft


def test_what_waits_loses_nothing() -> None:
    draft = Draft(
        content="Retrying in the client doubles the charge",
        type=MemoryType.DEAD_END,
        summary="no retries",
        details=DeadEnd(approach="retry in the client", reason="the charge doubles"),
        files=("src/pay.py",),
        modules=("pay",),
        tags=("money",),
        source=Source.OBSERVER_INFERRED,
        state=State.UNCONFIRMED,
        confidence=0.56,
        review=ReviewReason.DISPUTED,
        session="one",
        agent="codex",
        branch="fix",
        branch_only="fix",
        commit="a" * 40,
        work_unit=WorkUnit("native", ("1", "2"), "pay once"),
        origin="observer:dead_end:1",
        relations=(Relation(RelationType.CONFLICTS_WITH, memory="d4735e", confidence=0.5, automatic=True),),
    )

    assert parse_draft(json.loads(json.dumps(serialize_draft(draft)))) == draft


def test_a_draft_that_was_stored_with_lists_for_its_work_unit_and_relations_is_read() -> None:
    draft = Draft("Money is integer cents", work_unit=WorkUnit("native", ("1",), "pay"), origin="observer:x:1")
    draft = replace(draft, relations=(Relation(RelationType.VALIDATES, "d4735e", "", 0.5, True),))
    stored = serialize_draft(draft) | {
        "work_unit": ["native", ["1"], "pay"],
        "relations": [["validates", "d4735e", "", 0.5, True]],
    }
    assert parse_draft(json.loads(json.dumps(stored))) == draft


def test_a_draft_from_before_relations_were_stored_has_none() -> None:
    stored = serialize_draft(Draft("Money is integer cents"))
    del stored["relations"], stored["work_unit"]
    assert parse_draft(stored) == Draft("Money is integer cents")
