"""A sketch recognises a quote by a few digests, and nothing can be read from it."""

import pytest

from holloway.text import sketch
from holloway.text.sketch import digest_name, digest_sentence, is_sketched, sketch_text, split_sentences

SENTENCE = "The client keeps its release tokens in the harbour vault, which every worker may open."
OTHER = "Buffers are flushed on close unless the writer was detached from its stream before."


def test_a_quote_is_recognised_whatever_stands_around_it() -> None:
    digests = set(sketch_text(f"{OTHER} {SENTENCE}", 100))
    assert is_sketched(f"I learned that {SENTENCE.lower()}", digests)
    assert is_sketched(SENTENCE.upper().replace(" ", "\n  "), digests)
    assert not is_sketched("The client opens the vault for every worker that keeps release tokens.", digests)


def test_three_digests_are_kept_of_a_sentence() -> None:
    assert len(sketch_text(SENTENCE, 100)) == 3
    assert set(sketch_text(SENTENCE, 100)) == set(sorted(digest_sentence(SENTENCE))[:3])
    assert len(sketch_text(f"{SENTENCE}\n\n{OTHER}", 100)) == 6
    assert len(sketch_text(f"{SENTENCE}\n\n{OTHER}", 4)) == 4


def test_a_text_with_many_sentences_leaves_two_digests_of_each() -> None:
    text = "\n\n".join(SENTENCE.replace("harbour", f"harbour{number}") for number in range(50))
    assert len(set(sketch_text(text, 120))) <= 120
    assert all(is_sketched(sentence, set(sketch_text(text, 120))) for sentence in text.split("\n\n"))


def test_a_sentence_that_is_repeated_counts_once() -> None:
    text = f"{OTHER}\n\n{SENTENCE}\n\n " + f"{OTHER}\n\n" * 50
    assert set(sketch_text(text, 24, 12)) >= set(digest_sentence(SENTENCE))


def test_a_part_of_a_sentence_is_recognised_by_a_whole_sketch() -> None:
    assert is_sketched("release tokens in the harbour vault, which", set(sketch_text(SENTENCE, 100, 12)))
    assert len(sketch_text(SENTENCE, 100, 12)) == len(digest_sentence(SENTENCE)) == 11


def test_odd_names_of_a_text_have_digests_and_numbers_have_none() -> None:
    text = "Take quay17.example or WHARF_POOL, not v1.2.3, 250ms, deadbeef or words; see (a-b-c)."
    assert sketch.sketch_names(text, 10) == [digest_name(name) for name in ("quay17.example", "wharf_pool", "a-b-c")]
    assert sketch.sketch_names(text, 1) == [digest_name("quay17.example")]


def test_a_sentence_of_small_words_leaves_no_digest() -> None:
    assert digest_sentence("it is as it was, and so it is to be for us all") == []
    assert len(digest_sentence("four longer words here")) == 1


def test_digests_are_the_same_in_every_process_and_fit_into_eight_bytes() -> None:
    assert digest_sentence("alpha bravo charlie delta echo") == [6295381996687273250]
    assert all(0 <= digest < 1 << 63 for digest in digest_sentence(SENTENCE))


def test_a_name_has_another_digest_than_a_sentence_of_that_word() -> None:
    assert digest_name("quay17.example") != digest_name("quay18.example")
    assert digest_name("alpha bravo charlie delta echo") not in digest_sentence("alpha bravo charlie delta echo")


def test_one_shared_run_of_words_is_no_quote() -> None:
    words = "alpha1 bravo2 charlie3 delta4 echo55"
    assert not is_sketched(f"{words} and nothing else", set(digest_sentence(words)))


def test_lines_are_joined_to_sentences_and_lists_and_tables_are_not() -> None:
    assert split_sentences("It is wrapped\nat eighty. Next one") == ["It is wrapped\nat eighty.", "Next one"]
    assert split_sentences("First:\n- one\n- two") == ["First:", "- one", "- two"]
    assert len(split_sentences("\n".join("a b c d e f g h" for _ in range(10)))) == 10
    assert split_sentences("one\n\n\ntwo") == ["one", "two"]


def test_of_a_long_text_the_beginning_and_the_end_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sketch, "SKETCH_READ_CHARS_MAX", 400)
    digests = set(sketch_text(f"{SENTENCE}\n\n{'x ' * 1_000}\n\n{OTHER}", 100))
    assert is_sketched(SENTENCE, digests)
    assert is_sketched(OTHER, digests)
    middle = set(sketch_text(f"{'x ' * 1_000}\n\n{SENTENCE}\n\n{'x ' * 1_000}", 100))
    assert not is_sketched(SENTENCE, middle)


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("alpha.beta (gamma.) delta. epsilon", ["alpha.beta (gamma.) delta.", "epsilon"]),
        ("one! two? three; four, five: six", ["one!", "two?", "three; four, five: six"]),
        ("one line\nthat goes on", ["one line\nthat goes on"]),
        ("a paragraph\n \nand another", ["a paragraph", "and another"]),
        ("a list\n- one\n  * two\n3) three", ["a list", "- one", "  * two", "3) three"]),
        ("a table\n| x\n# heading\n> quote", ["a table", "| x", "# heading", "> quote"]),
        ("", []),
        (" \n\n ", []),
    ],
)
def test_a_text_is_split_into_sentences(text: str, sentences: list[str]) -> None:
    assert split_sentences(text) == sentences


def test_a_sentence_that_is_too_long_is_split_into_its_lines() -> None:
    long_line = "word " * sketch._LINE_WORDS_MAX
    assert split_sentences(f"{long_line}\nend") == [f"{long_line}\nend"]
    assert split_sentences(f"{long_line}\n\t\nend") == [long_line, "end"]
    assert split_sentences(f"{long_line} \nend\nof it") == [f"{long_line} ", "end", "of it"]
