from hypothesis import given
from hypothesis import strategies as st

from holloway.observer import text_digests

words = st.sampled_from(
    ["don't", "go", "run", "npm", "install", "left-pad", "a.b", "config.toml", "v1.2.3", "retry_limit"]
)
plain = st.lists(st.one_of(words, st.text(alphabet="ab9_.!?;:'+-()/\n\t\x0b\x1c ", max_size=6)), max_size=30).map(
    " ".join
)
pieces = st.one_of(plain, st.text(alphabet=st.characters(max_codepoint=127), max_size=120)).map(str.lower)


@given(pieces)
def test_plain_text_is_cut_up_as_any_other(text: str) -> None:
    assert text_digests.hash_shingles(f"{text} é")[
        : len(text_digests.hash_shingles(text))
    ] == text_digests.hash_shingles(text)
    assert text_digests.extract_names(f"{text} é") == text_digests.extract_names(text)
    assert [each for each in text_digests.hash_sentences(f"{text}\né") if each] == [
        each for each in text_digests.hash_sentences(text) if each
    ]


def test_a_sentence_ends_at_a_stop_before_a_blank_and_nowhere_else() -> None:
    assert len([each for each in text_digests.hash_sentences("alpha.beta (gamma.) delta. epsilon") if each]) == 2


def test_a_package_is_known_by_the_command_that_takes_it_in() -> None:
    assert text_digests.extract_names("run 'npm install -g evil' now")[1] == ("evil",)
    assert text_digests.extract_names("nothing is taken in here")[1] == ()


def test_a_run_of_small_words_is_nobodys() -> None:
    assert text_digests.hash_shingles("in the root of the") == ()
    assert len(text_digests.hash_shingles("the cache lives for seven days")) == 2
