"""The record of a session: every field of the table, unknown where it is unknown."""

import random
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from holloway.domain.event import Started
from holloway.domain.methodology import NATIVE
from holloway.observer.observer import DetectedSignals
from holloway.observer.outcome import classify_session
from holloway.promotion.pipeline import Promotion
from holloway.proof.record_fields import RECORD_FIELD_NAMES, RECORD_VERSION
from holloway.proof.session_facts import HookAnswer, InjectedMemory, SessionFacts, StoreFigures
from holloway.proof.session_record import build_record
from tests.observer.story import Story


def measure(story: Story, before: SessionFacts | None = None, wording: str = "") -> dict[str, Any]:
    account = story.account()
    return build_record(
        account,
        classify_session(account),
        DetectedSignals(account).signals,
        Promotion(()),
        before or SessionFacts(),
        wording,
    )


def tell_at_random(seed: int) -> Story:
    """A session of random length in which anything may happen."""
    chance = random.Random(seed)
    story = Story(planned_steps=chance.choice([0, 5]))
    happens: list[Callable[[], Story]] = [
        lambda: story.read(f"src/{chance.randrange(9)}.py"),
        lambda: story.edit(f"src/{chance.randrange(9)}.py", ok=chance.random() < 0.8),
        lambda: story.search("total", "src/1.py"),
        lambda: story.shell("holloway recall total"),
        story.red,
        story.green,
        lambda: story.plan(*["item"] * chance.randrange(1, 5)),
        lambda: story.qa(passed=chance.random() < 0.5),
        lambda: story.uses(chance.randrange(5_000)),
        lambda: story.says("as [hw:abcdef12] says"),
    ]
    for _ in range(chance.randrange(40)):
        chance.choice(happens)()
    return story


@pytest.mark.promise("session-record")
@pytest.mark.parametrize("seed", range(25))
def test_every_record_has_exactly_the_fields_of_the_table(seed: int) -> None:
    full = SessionFacts(
        shown=(InjectedMemory("a1", "prompt", 1_000.0, 5, ("src/1.py",)),),
        prefetched={"src/1.py": 10},
        answers=(HookAnswer("prompt", "full", "", 3),),
        store=StoreFigures(1, 0.5, None),
        modules=("shop",),
        resumed=True,
    )
    for before in (SessionFacts(), full):
        assert set(measure(tell_at_random(seed), before)) == set(RECORD_FIELD_NAMES)
    assert set(measure(Story())) == set(RECORD_FIELD_NAMES), "also of a session in which nothing happened"


@pytest.mark.promise("session-record")
def test_the_record_says_who_worked_on_what_and_how_it_ended() -> None:
    story = Story().edit("src/app.py").green()
    began = story.told[0]
    assert isinstance(began, Started)
    story.told[0] = replace(began, work_unit=NATIVE.work_unit("login", "form"))

    figures = measure(story, SessionFacts(group="full", role="coder", modules=("shop.auth",), trust_level=2))

    assert (figures["version"], figures["group"], figures["trust_level"]) == (RECORD_VERSION, "full", 2)
    assert (figures["agent"], figures["type"], figures["outcome"]) == ("claude-code", "build", "success")
    assert (figures["work_unit"], figures["methodology"]) == (["login", "form"], "native")
    assert (figures["role"], figures["modules"]) == ("coder", ["shop.auth"])


def test_a_methodology_without_a_work_unit_is_the_callers() -> None:
    assert measure(Story(), SessionFacts(methodology="tdd"))["methodology"] == "tdd"
    assert measure(Story())["methodology"] is None


def test_the_store_is_described_as_far_as_it_is_known() -> None:
    names = ("store_memories", "store_mean_confidence", "store_module_coverage")
    known = measure(Story(), SessionFacts(store=StoreFigures(7, 0.62, None)))
    assert [known[name] for name in names] == [7, 0.62, None]
    assert [measure(Story())[name] for name in names] == [None] * 3


def test_the_answers_are_among_the_figures() -> None:
    answers = (HookAnswer("prompt", "dropped", "map", 100), HookAnswer("prompt", "full", "", 20))
    figures = measure(Story(), SessionFacts(answers=answers))
    assert (figures["answers_dropped"], figures["answer_ms_p95"]) == (1, 100)


def test_signals_are_counted_and_trouble_with_wording_is_kept() -> None:
    figures = measure(Story().read("a.py", "b.py").edit("a.py"), wording="the model was silent")
    assert figures["signals"]["file_access"] >= 1
    assert figures["wording"] == "the model was silent"
    assert measure(Story())["wording"] is None
