from datetime import timedelta

import pytest

from holloway.domain import confidence
from holloway.domain.memory import MemoryType, Source, State
from tests.domain.made import NOW, a_memory


@pytest.mark.promise("confidence")
def test_every_source_has_a_confidence_at_birth_and_every_type_a_half_life() -> None:
    assert set(confidence.BIRTH) == set(Source)
    assert set(confidence.HALF_LIFE_DAYS) == set(MemoryType)


@pytest.mark.promise("confidence")
@pytest.mark.parametrize("memory_type", [kind for kind, days in confidence.HALF_LIFE_DAYS.items() if days])
def test_confidence_is_half_after_a_half_life(memory_type: MemoryType) -> None:
    days = confidence.HALF_LIFE_DAYS[memory_type]
    assert days is not None
    later = NOW + timedelta(days=days)
    assert confidence.current_confidence(a_memory(memory_type), later) == pytest.approx(0.4)


@pytest.mark.promise("fades")
@pytest.mark.parametrize("memory_type", [MemoryType.DECISION, MemoryType.REQUIREMENT])
def test_decisions_and_requirements_do_not_fade(memory_type: MemoryType) -> None:
    assert confidence.current_confidence(a_memory(memory_type), NOW + timedelta(days=10_000)) == 0.8


@pytest.mark.promise("fades")
def test_a_pinned_memory_does_not_fade() -> None:
    assert confidence.current_confidence(a_memory(pinned=True), NOW + timedelta(days=10_000)) == 0.8


@pytest.mark.promise("confidence")
def test_a_clock_that_goes_back_makes_nothing_surer() -> None:
    assert confidence.current_confidence(a_memory(), NOW - timedelta(days=400)) == 0.8


@pytest.mark.promise("confidence")
def test_confirmation_adds_a_tenth_and_never_takes_away() -> None:
    assert confidence.confirm_confidence(0.75) == pytest.approx(0.85)
    assert confidence.confirm_confidence(0.90) == pytest.approx(0.95)
    assert confidence.confirm_confidence(0.99) == 0.99


@pytest.mark.promise("confidence")
def test_another_session_that_agrees_adds_less_than_a_person() -> None:
    assert confidence.raise_confidence(0.75) == pytest.approx(0.80)
    assert confidence.raise_confidence(0.94) == pytest.approx(0.95)


def test_what_was_taught_is_confirmed_and_what_came_from_a_strange_file_is_quarantined() -> None:
    assert confidence.BIRTH[Source.USER_TAUGHT] == (0.90, State.CONFIRMED)
    assert confidence.BIRTH[Source.FOREIGN_FILE][1] is State.QUARANTINED
