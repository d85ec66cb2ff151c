from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

import holloway
from holloway.config import PASSAGE_CHARS_MAX, PASSAGE_FILES_MAX
from holloway.embeddings import memory_texts
from tests.store.test_memories import taught


def test_a_memory_is_read_as_its_type_its_place_and_its_words(memory: holloway.Holloway) -> None:
    made = replace(taught(memory, "tokens\n   expire  early", type="gotcha"), files=("a.py", "b.py"), modules=("auth",))
    assert memory_texts.build_passage(made) == "gotcha (auth; a.py, b.py): tokens expire early"
    assert memory_texts.build_passage(taught(memory, "money is cents", type="decision")) == "decision: money is cents"


def test_many_files_do_not_drown_the_words(memory: holloway.Holloway) -> None:
    made = replace(taught(memory, "the point"), files=tuple(f"file{number}.py" for number in range(30)))
    text = memory_texts.build_passage(made)
    assert text.count("file") == PASSAGE_FILES_MAX
    assert text.endswith("the point")


@given(st.text(alphabet=st.characters(codec=None)))
def test_any_text_becomes_one_bounded_line_that_can_be_sent(text: str) -> None:
    made = memory_texts.collapse_whitespace(text * 50)
    assert len(made) <= PASSAGE_CHARS_MAX
    assert made == " ".join(made.split())
    assert made.encode().decode() == made


def test_the_hash_is_of_the_words() -> None:
    assert memory_texts.hash_passage("one") == memory_texts.hash_passage("one") != memory_texts.hash_passage("two")


def test_huge_texts_are_cut_before_they_are_looked_at() -> None:
    assert memory_texts.collapse_whitespace(" " * 10_000_000 + "late") == ""
    assert len(memory_texts.collapse_whitespace("word " * 1_000_000)) <= PASSAGE_CHARS_MAX
