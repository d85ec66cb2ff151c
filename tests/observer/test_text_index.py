"""A text index finds the source of a text that quotes, paraphrases or names what an indexed text says."""

from __future__ import annotations

import pytest

from holloway.observer import text_index
from holloway.observer.text_index import TextIndex, digest_sentences, list_names

PAGE = "web:docs.example.org"
SENTENCE = "The harbour client stores release tokens inside a locked vault which every worker opens without passwords."


def make_index(*texts: str, source: str = PAGE) -> TextIndex:
    index = TextIndex()
    for text in texts:
        index.add_text(text, source)
    return index


def find_quote(index: TextIndex, text: str) -> str:
    (sentence,) = digest_sentences(text)
    return index.find_quoted_source(sentence)


def find_paraphrase(index: TextIndex, text: str) -> str:
    (sentence,) = digest_sentences(text)
    return index.find_similar_source(sentence)


def number_words(first: int, count: int) -> str:
    """Return different words in a row, each long enough for content and too short for a name."""
    return " ".join(f"w{number:03}" for number in range(first, first + count))


def test_a_sentence_with_two_runs_of_five_words_in_common_is_a_quote() -> None:
    index = make_index(SENTENCE)
    assert find_quote(index, SENTENCE.upper()) == PAGE
    assert find_quote(index, "nearby tests say harbour client stores release tokens inside") == PAGE
    assert find_quote(index, "nearby tests say harbour client stores release tokens") == ""
    assert find_quote(index, "nothing that anybody else ever wrote down") == ""


def test_a_sentence_of_one_run_is_a_quote_with_that_run() -> None:
    index = make_index(SENTENCE)
    assert find_quote(index, "harbour client stores release tokens") == PAGE
    assert find_quote(index, "harbour client stores release") == ""


def test_a_run_that_is_repeated_counts_once() -> None:
    index = make_index(number_words(0, 5))
    repeated = f"{number_words(0, 5)} {number_words(50, 1)} {number_words(0, 5)}"
    assert find_quote(index, repeated) == ""
    assert find_quote(index, number_words(0, 5)) == PAGE


def test_a_quarter_of_a_sentence_makes_it_a_quote() -> None:
    index = make_index(number_words(0, 6))
    assert find_quote(index, f"{number_words(0, 6)} {number_words(50, 6)}") == PAGE
    assert find_quote(index, f"{number_words(0, 6)} {number_words(50, 7)}") == ""


def test_eight_words_in_a_row_are_a_quote_in_a_sentence_of_any_length() -> None:
    index = make_index(number_words(0, 8))
    assert find_quote(index, f"{number_words(0, 8)} {number_words(50, 40)}") == PAGE
    assert find_quote(index, f"{number_words(0, 7)} {number_words(50, 40)}") == ""


def test_an_index_can_ask_for_a_larger_share_or_a_longer_quote() -> None:
    mostly, long_quote = TextIndex(quoted_share_min=0.8), TextIndex(quoted_runs_sure=6)
    for index in (mostly, long_quote):
        index.add_text(number_words(0, 20), PAGE)
    assert find_quote(mostly, f"{number_words(0, 7)} {number_words(50, 1)}") == ""
    assert find_quote(mostly, f"{number_words(0, 7)}") == PAGE
    assert find_quote(long_quote, f"{number_words(0, 9)} {number_words(50, 40)}") == ""
    assert find_quote(long_quote, f"{number_words(0, 10)} {number_words(50, 40)}") == PAGE


def test_the_first_source_of_a_quote_is_named() -> None:
    index = make_index(SENTENCE)
    index.add_text(SENTENCE, "mcp:wiki")
    index.add_text(number_words(0, 6), "mcp:wiki")
    assert find_quote(index, SENTENCE) == PAGE
    assert find_quote(index, number_words(0, 6)) == "mcp:wiki"
    assert find_quote(index, f"{number_words(0, 6)} {SENTENCE}") == "mcp:wiki"


@pytest.mark.parametrize(
    ("text", "is_similar"),
    [
        ("Workers open the locked vault of the harbour client, release tokens inside.", True),
        ("The harbour has a locked vault for tokens.", True),
        ("The harbour has a locked vault.", False),
        ("The harbour vault has tokens, locked gates, berths, cranes, ferries, customs.", False),
        ("The harbour vault has tokens, locked gates, cranes.", True),
        ("Nothing that anybody else ever wrote down.", False),
    ],
)
def test_a_sentence_with_mostly_the_same_words_is_similar(text: str, is_similar: bool) -> None:
    assert find_paraphrase(make_index(SENTENCE), text) == (PAGE if is_similar else "")


def test_words_of_different_sentences_do_not_add_up() -> None:
    index = make_index("alpha bravo charlie delta.", "echo foxtrot golfing hotel.")
    assert find_paraphrase(index, "delta charlie bravo alpha") == PAGE
    assert find_paraphrase(index, "alpha bravo echo foxtrot") == ""


def test_the_most_similar_sentence_is_named_and_of_equals_the_first() -> None:
    index = make_index("alpha bravo charlie delta zulu", source="first")
    index.add_text("alpha bravo charlie delta echo foxtrot", "second")
    index.add_text("alpha bravo charlie delta echo foxtrot", "third")
    assert find_paraphrase(index, "foxtrot echo delta charlie bravo alpha") == "second"
    assert find_paraphrase(index, "delta charlie bravo alpha") == "first"


def test_a_short_sentence_is_not_compared_by_its_words() -> None:
    index = make_index("alpha bravo charlie")
    assert find_paraphrase(index, "charlie bravo alpha") == ""
    assert find_paraphrase(make_index("alpha bravo charlie delta"), "delta charlie bravo alpha") == PAGE


def test_a_word_of_many_sentences_is_too_common_to_compare_by(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_index, "COMMON_WORD_SENTENCES", 2)
    index = make_index("alpha bravo charlie delta", "alpha echo foxtrot golfing")
    assert find_paraphrase(index, "delta charlie bravo alpha") == PAGE
    index.add_text("alpha hotel india juliet", PAGE)
    index.add_text("alpha kilogram limabean mikes", PAGE)
    assert find_paraphrase(index, "delta charlie bravo alpha") == ""


def test_names_are_hosts_identifiers_longer_words_and_packages_but_no_numbers() -> None:
    text = "See quay17.example, v1.2.3, 1a2b3c4d, 12345ms, 2026-01-02: pip install @acme/kit, MAX_RETRY_COUNT"
    assert list(list_names(text)) == ["quay17.example", "install", "max_retry_count", "@acme/kit"]


def test_a_name_is_found_with_the_first_source_that_has_it() -> None:
    index = make_index("Ask quay17.example first.")
    index.add_names(["quay17.example", "quay18.example"], "mcp:wiki")
    assert index.find_name_source("quay17.example") == PAGE
    assert index.find_name_source("quay18.example") == "mcp:wiki"
    assert index.find_name_source("quay19.example") == ""


def test_what_another_index_knows_is_not_indexed_again() -> None:
    known = make_index(SENTENCE, "Ask quay17.example first.", source="user")
    other = TextIndex()
    other.add_text("nobody knows anything of this", "agent")
    index = TextIndex()
    index.add_text(f"{SENTENCE} {number_words(0, 8)}. Ask quay17.example and quay18.example.", PAGE, other, known)
    assert find_quote(index, SENTENCE) == ""
    assert find_paraphrase(index, SENTENCE) == ""
    assert index.find_name_source("quay17.example") == ""
    assert find_quote(index, number_words(0, 8)) == PAGE
    assert find_paraphrase(index, number_words(0, 8)) == PAGE
    assert index.find_name_source("quay18.example") == PAGE


def test_a_paraphrase_of_what_another_index_knows_is_not_indexed() -> None:
    known = make_index("alpha bravo charlie delta", source="user")
    index = TextIndex()
    index.add_text("delta charlie bravo alpha", PAGE, known)
    assert find_paraphrase(index, "delta charlie bravo alpha") == ""


def test_an_index_is_false_until_it_knows_something() -> None:
    assert not TextIndex()
    assert not make_index("it is so")
    assert make_index("quay17.example")
    assert make_index("alpha of our own bravo")
    index = TextIndex()
    index.add_names(["kit"], PAGE)
    assert index


def test_a_full_index_names_the_text_that_no_longer_fitted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_index, "DIGESTS_MAX", 4)
    index = make_index(number_words(0, 8), source="first")
    assert index.full_source == ""
    index.add_text(number_words(20, 8), "second")
    index.add_text(number_words(40, 8), "third")
    assert index.full_source == "second"
    assert find_quote(index, number_words(0, 8)) == "first"
    assert find_quote(index, number_words(20, 8)) == ""


def test_runs_names_and_sentences_are_indexed_up_to_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_index, "DIGESTS_MAX", 2)
    index = make_index(number_words(0, 12))
    assert find_quote(index, number_words(0, 6)) == PAGE
    assert find_quote(index, number_words(2, 5)) == ""
    index = TextIndex()
    index.add_names(["one.example", "two.example", "three.example"], PAGE)
    assert [bool(index.find_name_source(f"{name}.example")) for name in ("one", "two", "three")] == [True, True, False]
    index = make_index(
        "a1 alpha bravo charlie delta.", "a1 echo foxtrot golfing hotel.", "a1 indigo juliet kilos limas."
    )
    paraphrases = ("delta charlie bravo alpha", "hotel golfing foxtrot echo", "limas kilos juliet indigo")
    assert [bool(find_paraphrase(index, text)) for text in paraphrases] == [True, True, False]
    assert index.full_source == PAGE


def test_each_sentence_of_a_text_has_its_digests() -> None:
    first, second = digest_sentences("Alpha bravo charlie delta echoes. Tests alone.")
    assert (len(first.shingles), len(first.stems)) == (1, 5)
    assert (second.shingles, len(second.stems)) == ((), 1)
    assert digest_sentences("") == ()


def test_words_in_single_quotes_are_the_same_words() -> None:
    index = TextIndex()
    index.add_text("the harbour client stores release tokens inside", "web")
    (sentence,) = digest_sentences("the 'harbour' client 'stores' release 'tokens' inside")
    assert index.find_quoted_source(sentence) == "web"
