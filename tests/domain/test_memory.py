import pytest

from holloway.domain.memory import MemoryType, ReviewReason, WrongReason, as_tuple, parse_choice
from holloway.errors import InvalidInput
from tests.domain.made import a_memory


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


def test_only_the_closest_word_is_suggested() -> None:
    with pytest.raises(InvalidInput) as caught:
        parse_choice(ReviewReason, "infered")
    assert caught.value.hint.startswith("Did you mean inferred? Known:")
    with pytest.raises(InvalidInput) as caught:
        parse_choice(ReviewReason, "zzz")
    assert caught.value.hint.startswith("Known:")


def test_a_type_is_read_as_words() -> None:
    assert MemoryType.WORK_UNIT_OUTCOME.label == "work unit outcome"


def test_a_list_becomes_a_tuple_and_a_text_in_its_place_is_refused() -> None:
    assert as_tuple("files", ["a.py", "b.py"]) == ("a.py", "b.py")
    with pytest.raises(InvalidInput) as caught:
        as_tuple("files", "a.py")
    assert caught.value.message == "files cannot be the text 'a.py'."
    assert caught.value.hint == "It is a list, for example ['a.py']."


def test_a_memory_lives_until_it_is_forgotten_or_replaced() -> None:
    assert a_memory().is_alive
    assert not a_memory(deleted_at="2026-10-01T12:00:00.000Z").is_alive
    assert not a_memory(superseded_by="abcdef").is_alive
