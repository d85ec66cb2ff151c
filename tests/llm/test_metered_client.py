"""A month has a cap that holds."""

from datetime import timedelta

import pytest

from holloway import Holloway
from holloway.llm.metered_client import Metered, PeriodCap
from holloway.llm.providers import CapReached, NotAsked, WriterFailed
from holloway.store.llm_usage import LlmUsageLedger, TokenCap
from holloway.testing import FakeClock, FakeWriter
from holloway.text.tokens import MARGIN, estimate_tokens


def metered(memory: Holloway, writer: FakeWriter, cap: int) -> Metered:
    spending = LlmUsageLedger(memory.store.database, memory.clock)
    return Metered(writer, spending, memory.clock, caps=(PeriodCap(cap),), purpose="test")


def total(memory: Holloway) -> int:
    return LlmUsageLedger(memory.store.database, memory.clock).total_tokens(f"{memory.clock.now():%Y-%m}")


@pytest.mark.promise("spending")
def test_every_call_is_counted_and_the_cap_holds_until_the_month_is_over(memory: Holloway, clock: FakeClock) -> None:
    writer = FakeWriter("one two three", "four", "five")
    meter = metered(memory, writer, cap=40)
    meter.complete("a b c d e", max_tokens=20, deadline_s=1)
    assert total(memory) == 5 + 3
    with pytest.raises(CapReached, match="40 tokens"):
        meter.complete("a b c", max_tokens=40, deadline_s=1)
    assert len(writer.asked) == 1
    clock.advance(days=40)
    meter.complete("a b c", max_tokens=20, deadline_s=1)
    assert total(memory) == 3 + 1


def test_a_call_that_failed_counts_what_was_sent(memory: Holloway) -> None:
    meter = metered(memory, FakeWriter(WriterFailed("down", "")), cap=1_000)
    with pytest.raises(WriterFailed, match="down"):
        meter.complete("word " * 20, max_tokens=100, deadline_s=1)
    assert 20 <= total(memory) < 100


@pytest.mark.promise("spending")
def test_a_call_that_was_never_made_counts_nothing(memory: Holloway) -> None:
    meter = metered(memory, FakeWriter(NotAsked("no package", "")), cap=1_000)
    with pytest.raises(NotAsked):
        meter.complete("word " * 20, max_tokens=100, deadline_s=1)
    assert LlmUsageLedger(memory.store.database, memory.clock).list_by_purpose(f"{memory.clock.now():%Y-%m}") == []


@pytest.mark.promise("spending")
def test_spending_is_told_by_purpose(memory: Holloway) -> None:
    metered(memory, FakeWriter("yes"), cap=1_000).complete("a b", max_tokens=5, deadline_s=1)
    (spent,) = LlmUsageLedger(memory.store.database, memory.clock).list_by_purpose(f"{memory.clock.now():%Y-%m}")
    assert spent == ("test", "fake", "fake", 1, 2, 1)


@pytest.mark.promise("spending")
def test_what_took_most_is_told_first(memory: Holloway) -> None:
    spending = LlmUsageLedger(memory.store.database, memory.clock)
    month = f"{memory.clock.now():%Y-%m}"
    for purpose, tokens in (("ask", 10), ("modules", 500), ("wording", 30)):
        assert spending.reserve_tokens((TokenCap(month, 1_000),), tokens, "fake", "fake", purpose)[0]
    assert [each.purpose for each in spending.list_by_purpose(month)] == ["modules", "wording", "ask"]


def test_the_month_of_a_call_is_that_of_its_clock(memory: Holloway) -> None:
    metered(memory, FakeWriter("yes"), cap=1_000).complete("a b", max_tokens=5, deadline_s=1)
    later = f"{memory.clock.now() + timedelta(days=40):%Y-%m}"
    assert total(memory) == 2 + 1
    assert LlmUsageLedger(memory.store.database, memory.clock).total_tokens(later) == 0


def test_a_failed_call_that_reports_its_usage_counts_just_that(memory: Holloway) -> None:
    meter = metered(memory, FakeWriter(WriterFailed("discarded", "", (700, 8))), cap=1_000)
    with pytest.raises(WriterFailed):
        meter.complete("word", max_tokens=100, deadline_s=1)
    assert total(memory) == 708


def test_tokens_that_a_provider_adds_to_a_prompt_count_before_the_call(memory: Holloway) -> None:
    spending = LlmUsageLedger(memory.store.database, memory.clock)
    caps = (PeriodCap(1_000),)
    meter = Metered(FakeWriter(), spending, memory.clock, caps=caps, purpose="test", overhead_tokens=950)
    with pytest.raises(CapReached):
        meter.complete("word " * 20, max_tokens=100, deadline_s=1)


def test_a_daily_cap_holds_until_the_day_is_over(memory: Holloway, clock: FakeClock) -> None:
    spending = LlmUsageLedger(memory.store.database, memory.clock)
    caps = (PeriodCap(40, "reader.daily_tokens", "day"), PeriodCap(60, "reader.monthly_tokens"))
    meter = Metered(FakeWriter("a", "b"), spending, memory.clock, caps=caps, purpose="test")
    meter.complete("one two", max_tokens=20, deadline_s=1)
    with pytest.raises(CapReached, match="This day's 40 tokens") as caught:
        meter.complete("one two", max_tokens=39, deadline_s=1)
    assert "reader.daily_tokens" in caught.value.hint
    clock.advance(days=1)
    meter.complete("one two", max_tokens=30, deadline_s=1)
    with pytest.raises(CapReached, match="This day's"):
        meter.complete("one two", max_tokens=36, deadline_s=1)
    clock.advance(days=1)
    monthly = Metered(FakeWriter(), spending, memory.clock, caps=caps[1:], purpose="test")
    with pytest.raises(CapReached, match="This month's 60 tokens"):
        monthly.complete("one two", max_tokens=56, deadline_s=1)


def test_a_call_that_just_fits_a_cap_is_made_and_what_a_provider_adds_counts(memory: Holloway) -> None:
    prompt = "a b c d e"
    needed = round(estimate_tokens(prompt) * MARGIN) + 20
    spending = LlmUsageLedger(memory.store.database, memory.clock)
    caps = (PeriodCap(needed),)
    burdened = Metered(FakeWriter("one"), spending, memory.clock, caps=caps, purpose="test", overhead_tokens=1)
    with pytest.raises(CapReached):
        burdened.complete(prompt, max_tokens=20, deadline_s=1)
    assert metered(memory, FakeWriter("one"), cap=needed).complete(prompt, max_tokens=20, deadline_s=1).text == "one"
