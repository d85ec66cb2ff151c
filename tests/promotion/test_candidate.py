"""A candidate that waits is kept as JSON, and is the same when its time comes."""

import json

from holloway.domain.memory import Draft, MemoryType, Relation, RelationType, ReviewReason, Source, State
from holloway.domain.memory_details import DeadEnd
from holloway.domain.work import WorkUnit
from holloway.promotion.candidate import from_plain, to_plain


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

    assert from_plain(json.loads(json.dumps(to_plain(draft)))) == draft
