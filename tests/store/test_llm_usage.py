"""The ledger of language model calls keeps a month below its cap."""

import holloway
from holloway.store.llm_usage import READER_PURPOSE, LlmUsageLedger, TokenCap, UsageByPurpose
from holloway.testing import FakeClock

MONTH = "2026-01"
CAP = TokenCap(MONTH, 100)
WIDE = TokenCap(MONTH, 1_000)


def test_tokens_are_reserved_up_to_the_cap_settled_and_released(memory: holloway.Holloway, clock: FakeClock) -> None:
    ledger = LlmUsageLedger(memory.store.database, clock)
    first, _ = ledger.reserve_tokens((CAP,), 60, "ollama", "m", "rewrite")
    assert ledger.reserve_tokens((WIDE, CAP), 41, "ollama", "m", "rewrite") == (0, CAP)
    second, exceeded = ledger.reserve_tokens((CAP,), 40, "ollama", "m", "rewrite")
    assert exceeded is None
    assert 0 < first != second > 0
    assert ledger.total_tokens(MONTH) == 100
    ledger.settle_call(first, 10, 5)
    assert ledger.total_tokens(MONTH) == 55
    ledger.release_call(second)
    assert ledger.total_tokens(MONTH) == 15


def test_usage_is_summed_by_month_and_purpose_the_largest_first(memory: holloway.Holloway, clock: FakeClock) -> None:
    ledger = LlmUsageLedger(memory.store.database, clock)
    for purpose, tokens in (("rewrite", 10), ("ask", 50), ("rewrite", 20)):
        call, _ = ledger.reserve_tokens((WIDE,), tokens, "ollama", "m", purpose)
        ledger.settle_call(call, tokens, 1)
    clock.advance(days=31)
    ledger.reserve_tokens((WIDE,), 7, "ollama", "m", "ask")
    assert ledger.list_by_purpose(MONTH) == [
        UsageByPurpose("ask", "ollama", "m", 1, 50, 1),
        UsageByPurpose("rewrite", "ollama", "m", 2, 30, 2),
    ]
    assert (ledger.total_tokens("2026-02"), ledger.total_tokens("2026-03")) == (7, 0)


def test_the_reader_and_all_others_have_separate_sums(memory: holloway.Holloway, clock: FakeClock) -> None:
    ledger = LlmUsageLedger(memory.store.database, clock)
    assert ledger.reserve_tokens((CAP,), 90, "ollama", "m", READER_PURPOSE)[0]
    assert ledger.reserve_tokens((CAP,), 80, "ollama", "m", "ask")[0]
    assert ledger.reserve_tokens((CAP,), 11, "ollama", "m", READER_PURPOSE) == (0, CAP)
    assert ledger.reserve_tokens((CAP,), 21, "ollama", "m", "rewrite") == (0, CAP)
    assert (ledger.total_tokens(MONTH), ledger.total_tokens(MONTH, READER_PURPOSE)) == (80, 90)
    day = f"{clock.now():%Y-%m-%d}"
    assert (ledger.total_tokens(day), ledger.total_tokens(day, READER_PURPOSE)) == (80, 90)
