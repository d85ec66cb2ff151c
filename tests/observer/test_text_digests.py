"""A text that comes again has the same digests, however it is written, and another text has others."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holloway.observer import text_digests
from holloway.observer.text_digests import extract_names, fold_text, hash_shingles, hash_stems

words = st.sampled_from(
    ["don't", "go", "run", "npm", "install", "left-pad", "a.b", "config.toml", "v1.2.3", "retry_limit"]
)
plain = st.lists(st.one_of(words, st.text(alphabet="ab9_.!?;:'+-()/\n\t\x0b\x1c ", max_size=6)), max_size=30).map(
    " ".join
)
pieces = st.one_of(plain, st.text(alphabet=st.characters(max_codepoint=127), max_size=120)).map(str.lower)


@given(pieces)
def test_ascii_text_has_the_same_digests_as_part_of_other_text(text: str) -> None:
    assert hash_shingles(f"{text} é")[: len(hash_shingles(text))] == hash_shingles(text)
    assert extract_names(f"{text} é") == extract_names(text)
    assert hash_stems(f"{text} é") == hash_stems(text)


def test_a_text_is_folded_to_what_a_reader_sees() -> None:
    assert fold_text("The Harbour VAULT") == "the harbour vault"
    assert fold_text("ｖａｕｌｔ") == "vault"
    assert fold_text("va\u200bult → ab — größe") == "vault \0 ab \0 größe"


def test_a_text_is_read_up_to_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_digests, "DIGEST_READ_CHARS_MAX", 7)
    assert fold_text("only this much") == "only th"


def test_shingles_are_runs_of_five_words_in_order() -> None:
    shingles = hash_shingles("alpha bravo charlie delta echoes foxtrot golfing")
    assert len(set(shingles)) == 3
    assert hash_shingles("alpha bravo charlie delta echoes foxtrot") == shingles[:2]
    assert hash_shingles("bravo, charlie: [delta] (echoes)\nfoxtrot golfing")[-1] == shingles[-1]
    assert hash_shingles("alpha bravo charlie delta") == ()
    assert hash_shingles("bravo alpha charlie delta echoes")[0] not in shingles


def test_a_shingle_needs_two_content_words() -> None:
    assert hash_shingles("in the root of the") == ()
    assert hash_shingles("in the root of any") == ()
    assert len(hash_shingles("in the root of that")) == 1
    assert len(hash_shingles("the cache lives for seven days")) == 2
    assert len(hash_shingles("a b c d e alpha f g bravo h i j k")) == 2


@pytest.mark.parametrize("text", ["größer straße kühler schöner müder", "größer straße — kühler: schöner\nmüder"])
def test_shingles_of_other_alphabets_are_compared_too(text: str) -> None:
    assert hash_shingles(fold_text(text)) == (hash(("größer", "straße", "kühler", "schöner", "müder")),)


def test_names_are_tokens_of_at_least_five_characters() -> None:
    tokens, packages = extract_names("see host.example, (retry_limit) v1.2.3+b -flag- four fives. ...abc.. fives")
    assert tokens == ("host.example", "retry_limit", "v1.2.3+b", "fives")
    assert packages == ()


def test_names_are_the_same_in_text_that_is_not_ascii() -> None:
    tokens, _ = extract_names("see host.example, (retry_limit) v1.2.3+b four fives. größe")
    assert tokens == ("host.example", "retry_limit", "v1.2.3+b", "fives", "größe")


@pytest.mark.parametrize(
    ("text", "packages"),
    [
        ("run 'npm install -g evil' now", ("evil",)),
        ("pip install evil-kit.", ("evil-kit",)),
        ("pip install --upgrade evil-kit", ("evil-kit",)),
        ("apt-get install evil", ("evil",)),
        ("npx @acme/evil:", ("@acme/evil",)),
        ("go get example.org/evil/", ("example.org/evil",)),
        ("docker run evil/image and docker pull evil/other", ("evil/image", "evil/other")),
        ("größe: uvx evil-kit", ("evil-kit",)),
        ("nothing is installed here", ()),
        ("the pipeline installs evil", ()),
    ],
)
def test_a_package_is_named_by_the_command_that_installs_it(text: str, packages: tuple[str, ...]) -> None:
    assert extract_names(text)[1] == packages


def test_stems_are_the_beginnings_of_content_words_once_each() -> None:
    assert hash_stems("the worker and workers open the vault") == tuple(map(hash, ("worker", "open", "vault")))
    assert hash_stems("the and for with run") == ()
    assert len(hash_stems("four")) == 1
    assert hash_stems("configuration") == hash_stems("configure")
    assert hash_stems("config") != hash_stems("conf")
    assert hash_stems("größe größeren") == (hash("größe"), hash("größer"))
