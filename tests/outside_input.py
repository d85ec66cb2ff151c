"""Input as an attacker or a damaged file may send it: strategies for Hypothesis, and a limit on CPU time."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

from hypothesis import strategies as st

LONG_CHARS = 50_000
"""Length of a long text: a parser whose work grows with the square of it takes longer than is allowed."""
CPU_SECONDS_MAX = 5.0
ODD = ("\x00", "\udc80", "\ufeff", "\u200b", "\u2028", "\r", "\r\n", "\n", "\n\n", " ", "\t", "é", "漢字", "💥")

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=30) | st.sampled_from(ODD),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=10), inner, max_size=4),
    max_leaves=8,
)


def text_of(*pieces: str) -> st.SearchStrategy[str]:
    """Texts made of the pieces that a parser looks for and of anything else; some repeat a piece many times."""
    piece = st.sampled_from((*pieces, *ODD)) | st.text(max_size=20)
    run = st.lists(piece.filter(bool), min_size=1, max_size=2).map("".join).map(_repeat_text)
    return st.lists(piece, max_size=30).map("".join) | st.tuples(piece, run, piece).map("".join)


def _repeat_text(text: str) -> str:
    return (text * (LONG_CHARS // len(text)))[:LONG_CHARS]


def bytes_of(*pieces: str) -> st.SearchStrategy[bytes]:
    """The same as bytes, and any other bytes."""
    return text_of(*pieces).map(lambda text: text.encode("utf-8", "surrogateescape")) | st.binary(max_size=200)


@contextmanager
def bounded_time() -> Iterator[None]:
    """Fail if the work inside takes too much CPU time."""
    start = time.process_time()
    yield
    assert time.process_time() - start < CPU_SECONDS_MAX
