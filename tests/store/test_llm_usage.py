"""The ledger of language model calls keeps a month below its cap."""

import holloway
from holloway.store.llm_usage import LlmUsageLedger, UsageByPurpose
from holloway.testing import FakeClock

MONTH = "2026-01"


def test_tokens_are_reserved_up_to_the_cap_settled_and_released(memory: holloway.Holloway, clock: FakeClock) -> None:
    ledger = LlmUsageLedger(memory.store.database, clock)
    first = ledger.reserve_tokens(MONTH, 100, 60, "ollama", "m", "rewrite")
    assert first is not None
    assert ledger.reserve_tokens(MONTH, 100, 41, "ollama", "m", "rewrite") is None
    second = ledger.reserve_tokens(MONTH, 100, 40, "ollama", "m", "rewrite")
    assert second is not None
    assert second != first
    assert ledger.total_tokens(MONTH) == 100
    ledger.settle_call(first, 10, 5)
    assert ledger.total_tokens(MONTH) == 55
    ledger.release_call(second)
    assert ledger.total_tokens(MONTH) == 15


def test_usage_is_summed_by_month_and_purpose_the_largest_first(memory: holloway.Holloway, clock: FakeClock) -> None:
    ledger = LlmUsageLedger(memory.store.database, clock)
    for purpose, tokens in (("rewrite", 10), ("ask", 50), ("rewrite", 20)):
        call = ledger.reserve_tokens(MONTH, 1_000, tokens, "ollama", "m", purpose)
        ledger.settle_call(call or 0, tokens, 1)
    clock.advance(days=31)
    ledger.reserve_tokens("2026-02", 1_000, 7, "ollama", "m", "ask")
    assert ledger.list_by_purpose(MONTH) == [
        UsageByPurpose("ask", "ollama", "m", 1, 50, 1),
        UsageByPurpose("rewrite", "ollama", "m", 2, 30, 2),
    ]
    assert (ledger.total_tokens("2026-02"), ledger.total_tokens("2026-03")) == (7, 0)
