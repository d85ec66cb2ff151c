"""A month has a cap that holds, and nothing is sent that the user did not choose."""

from datetime import timedelta

import pytest

from holloway import Holloway
from holloway.config import Settings
from holloway.llm.choice import choose
from holloway.llm.failures import CapReached, WriterFailed
from holloway.llm.metered import Metered
from holloway.service.asking import ask
from holloway.store.spending import Spending
from holloway.testing import FakeClock, FakeWriter
from tests.store.test_memories import taught


def metered(memory: Holloway, writer: FakeWriter, cap: int) -> Metered:
    spending = Spending(memory.store.database, memory.clock)
    return Metered(writer, spending, memory.clock, cap=cap, purpose="test")


def total(memory: Holloway) -> int:
    return Spending(memory.store.database, memory.clock).total(f"{memory.clock.now():%Y-%m}")


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
def test_spending_is_told_by_purpose(memory: Holloway) -> None:
    metered(memory, FakeWriter("yes"), cap=1_000).complete("a b", max_tokens=5, deadline_s=1)
    (spent,) = Spending(memory.store.database, memory.clock).by_purpose(f"{memory.clock.now():%Y-%m}")
    assert spent == ("test", "fake", "fake", 1, 2, 1)


@pytest.mark.promise("nothing-is-sent")
def test_a_key_in_the_environment_is_no_consent(memory: Holloway) -> None:
    environment = {"OPENAI_API_KEY": "k", "ANTHROPIC_API_KEY": "k"}
    assert choose(memory.settings, environment).writer is None


@pytest.mark.parametrize(
    ("settings", "environment", "reason"),
    [
        ({"llm.provider": "openai"}, {}, "openai wants a key"),
        ({"llm.provider": "anthropic", "llm.base_url": "http://127.0.0.1:1"}, {}, "anthropic wants a key"),
        ({"llm.provider": "openai", "llm.key_env": "MY_KEY"}, {}, "MY_KEY"),
        ({"llm.provider": "openai", "llm.base_url": "http://127.0.0.1:11434/v1"}, {}, ""),
        ({"llm.provider": "anthropic", "llm.key_env": "MY_KEY"}, {"MY_KEY": "k"}, ""),
    ],
)
def test_a_choice_is_complete_or_says_what_is_missing(
    settings: dict[str, str], environment: dict[str, str], reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for key, value in settings.items():
        monkeypatch.setenv("HOLLOWAY_" + key.upper().replace(".", "_"), value)
    chosen = choose(Settings.load(), environment)
    assert (chosen.writer is None) == bool(reason)
    assert reason in chosen.reason


def test_an_answer_cites_what_was_found_and_nothing_else(memory: Holloway) -> None:
    known = taught(memory, "Money is stored as integer cents")
    memory.map.update()
    writer = FakeWriter(f"In cents [hw:{known.id}, taught]. And in gold [hw:ffffff].")
    answer = ask(memory, "how is money stored", writer=writer)
    assert answer.text == f"In cents [hw:{known.id}]. And in gold ."
    assert answer.cited == (known.id,)
    assert "Money is stored as integer cents" in writer.asked[0]
    assert answer.model == "fake"


@pytest.mark.promise("without-a-model")
def test_without_a_model_or_when_it_fails_the_evidence_is_the_answer(memory: Holloway) -> None:
    known = taught(memory, "Money is stored as integer cents")
    memory.map.update()
    plain = ask(memory, "how is money stored")
    failed = ask(memory, "how is money stored", writer=FakeWriter(WriterFailed("it is down", "")))
    for answer in (plain, failed):
        assert answer.text == ""
        assert answer.results[0].memory.id == known.id
    assert "No language model" in plain.note
    assert failed.note == "it is down"


def test_the_month_of_a_call_is_that_of_its_clock(memory: Holloway, clock: FakeClock) -> None:
    metered(memory, FakeWriter("yes"), cap=1_000).complete("a b", max_tokens=5, deadline_s=1)
    later = f"{memory.clock.now() + timedelta(days=40):%Y-%m}"
    assert Spending(memory.store.database, memory.clock).total(later) == 0
