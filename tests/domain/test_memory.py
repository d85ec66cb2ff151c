import pytest

from holloway.domain.memory import MemoryType, WrongReason, parse_choice
from holloway.errors import InvalidInput


@pytest.mark.parametrize("said", ["dead_end", "Dead end", " DEAD-END "])
def test_a_word_is_understood_as_people_write_it(said: str) -> None:
    assert parse_choice(MemoryType, said) is MemoryType.DEAD_END


def test_an_unknown_word_is_told_with_the_closest_and_the_known() -> None:
    with pytest.raises(InvalidInput) as caught:
        parse_choice(WrongReason, "outdatet")
    assert caught.value.message == "There is no wrong reason 'outdatet'."
    assert caught.value.hint == "Did you mean outdated? Known: outdated, partly, not_here, incorrect."


@pytest.mark.parametrize("said", ["x" * 1_000_000, "\x1b]0;title\x07" * 1_000])
def test_a_word_without_end_is_repeated_in_part_and_steers_no_terminal(said: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        parse_choice(WrongReason, said)
    assert len(caught.value.message) < 300
    assert caught.value.message.isprintable()
