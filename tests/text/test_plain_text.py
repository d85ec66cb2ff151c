"""A text is compared as a reader sees it: without markup, escapes, colours and the prefixes of wrapped lines."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holloway.text.plain_text import to_plain_text

SENTENCE = "Carts wait for the till, and it's closed."
WRAPPED = "Carts wait for the till,\n{0}and it's closed."


@pytest.mark.parametrize(
    "text",
    [
        SENTENCE,
        "\x1b[31mCarts\x1b[0m wait for \x1b[1;4mthe till\x1b[m, and it's closed.",
        "\x1b]0;title\x07Carts wait for the till, and it's closed.",
        "Carts wait for the till, and it&#39;s closed.",
        "Carts wait&#32;for the&nbsp;till, and it&apos;s cl&#x6f;sed.",
        "<b>Ca</b>rts wait for <code>the</code> <span class=x>till</span>, and it's closed.",
        "Carts wait for th\\u0065 till, and it\\'s closed.",
        "Carts\\x20wait for the till, and it\\u0027s closed.",
        "Carts%20wait%20for%20the till, and it%27s closed.",
        "_Carts_ wait for __the till__, and it's _closed_.",
        "Carts wait for the ti=\nll, and it's closed.",
        *(
            WRAPPED.format(prefix)
            for prefix in ("> ", ">> ", "# ", "// ", "  * ", "+ ", "-- ", "| ", "+    // ", "//! ")
        ),
        *(
            WRAPPED.format(prefix)
            for prefix in ("     2\u2192", "2:", "notes.md:2:", "notes.md-2-", "12\t", "2\u2192# ")
        ),
    ],
)
def test_a_sentence_reads_the_same_however_it_is_marked_up(text: str) -> None:
    assert to_plain_text(text) == SENTENCE


@pytest.mark.parametrize(
    "text",
    [
        "first:\n- one\n- two",
        "One sentence.\n# another one",
        "A list,\n# Heading",
        "a\n\n> b",
        "x = snake_case_name\n",
        "100 % of 50 % and 3 %",
        "a < b and b > c",
        "C:\\windows\\path",
    ],
)
def test_other_lines_names_and_signs_stay_as_they_are(text: str) -> None:
    assert to_plain_text(text) == text


def test_a_block_tag_separates_and_a_broken_code_is_a_space() -> None:
    assert to_plain_text("one<br/>two<p>three") == "one\ntwo\nthree"
    assert to_plain_text("a&#0;b&#xD800;c&#9999999;d\\u0007e") == "a b c d e"


@given(st.text(alphabet="ab <>&#;\\ux01\n_%2=\x1b[m>|*+-:0\u2192", max_size=200))
def test_any_text_has_a_plain_form_that_is_not_longer(text: str) -> None:
    assert len(to_plain_text(text)) <= len(text)
