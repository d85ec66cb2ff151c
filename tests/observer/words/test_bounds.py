import time
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holloway.observer.words import causal, dead_end, decision, normative, prompt, self_correction, user_correction
from holloway.observer.words.sentences import (
    CLAUSE_CHARS_MAX,
    SENTENCE_CHARS_MAX,
    SENTENCES_MAX,
    clean_clause,
    split_prose,
)

READERS: dict[str, Callable[[str], object]] = {
    "self_correction": self_correction.find_self_correction,
    "user_correction": user_correction.find_user_correction,
    "causal": causal.find_causal_statement,
    "dead_end": dead_end.find_abandonment,
    "normative": normative.is_normative,
    "intent": decision.find_next_step,
    "prompt": prompt.extract_user_text,
}
HOSTILE_CHARS = 100_000
CPU_S_MAX = 0.25
"""Fifty times what is aimed at, so that only a text whose cost grows with its square fails."""
HOSTILE = (
    "a",
    " ",
    "\n",
    "\t",
    "`",
    "```",
    "a.b.c.",
    "A. ",
    "1. ",
    ", not ",
    "Actually, ",
    "Wait, that's wrong. ",
    "I thought that ",
    "my test doesn't ",
    "I see - it is a, not b. Let me fix. ",
    "I assumed my fix was right, but it was wrong, not right. ",
    "whenever you change a, you must ",
    "x and y ",
    "They must x together " + "a and " * 62 + "\n",
    "and must " * 40 + "in sync\n",
    "let me revert the x and ",
    "the approach of the approach ",
    "because ",
    "please always ",
    "use a instead of ",
    "don't use ",
    "that is wrong, ",
    "Next: ",
    "looking at looking at ",
    "<aa>",
    "</aa>",
    "<a b",
    "the my this that ",
    "a/",
    "\ud800I was wrong. ",
    "é’“ ",
)


@pytest.mark.promise("linear-time")
@pytest.mark.parametrize("reader", READERS)
def test_no_text_takes_long_to_read(reader: str) -> None:
    read = READERS[reader]
    for unit in HOSTILE:
        text = (unit * HOSTILE_CHARS)[:HOSTILE_CHARS]
        read(text)  # Patterns are compiled at first use.
        started = time.process_time()
        read(text)
        assert time.process_time() - started < CPU_S_MAX, unit


@settings(max_examples=max(200, settings().max_examples), deadline=None)
@given(st.text(max_size=600))
def test_any_text_is_read_and_sentences_are_bounded(text: str) -> None:
    for read in READERS.values():
        read(text)
    found = split_prose(text * 3)
    assert len(found) <= SENTENCES_MAX
    assert all(0 < len(one) <= SENTENCE_CHARS_MAX and "\n" not in one for one in found)
    assert len(clean_clause(text * 3)) <= CLAUSE_CHARS_MAX


def test_sentences_end_at_stops_and_not_inside_of_names() -> None:
    assert list(split_prose("It calls `os.path.join`. Then it stops! Is v1.2 out? Yes.")) == [
        "It calls `os.path.join`.",
        "Then it stops!",
        "Is v1.2 out?",
        "Yes.",
    ]


def test_sentences_that_lost_the_space_between_them_are_parted() -> None:
    parted = split_prose("It is the same reason.Wait, it is not.")
    assert list(parted) == ["It is the same reason.", "Wait, it is not."]


def test_a_long_text_is_read_at_its_end_too() -> None:
    assert split_prose("Once more. " * 5_000 + "\nThe end.")[0] == "Once more."
    assert decision.find_next_step("x" * 200_000 + "\nNext, I'll write the migration.") == "write the migration"
