"""Splitting prose into sentences."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holloway.text.sentences import split_sentences


@pytest.mark.parametrize(
    ("line", "sentences"),
    [
        ("Run it. Then stop! Why? 3 reasons.", ["Run it.", "Then stop!", "Why?", "3 reasons."]),
        ('He said "stop." Then he left.', ['He said "stop."', "Then he left."]),
        ("Use a lock, e.g. the one in store.py. `make test` checks it.", 2),
        ("See config.py and docs/a.md for that.", 1),
        ("It fails for the same reason.Wait, the cache is stale.", 2),
        ("Two kinds: One is fast.", 1),
        ("", 0),
    ],
)
def test_a_line_is_split_where_a_sentence_ends(line: str, sentences: list[str] | int) -> None:
    found = [sentence.rstrip() for sentence in split_sentences(line)]
    assert (len(found) if isinstance(sentences, int) else found) == sentences


@given(st.text(alphabet="ab AB.!?:\"'`)( \t1", max_size=60))
def test_joined_sentences_are_the_line(line: str) -> None:
    sentences = split_sentences(line)
    assert "".join(sentences) == line
    assert all(sentences)
