import pytest

from holloway.promotion.reader.lesson_answer import Quote
from holloway.promotion.reader.quote_search import QuoteIndex, fold_space
from holloway.promotion.reader.view_rows import ViewRow, Voice

TEXTS = ("yes", "The cache \u201cmust\u201d  not\nbe shared, yes", "Say that the cache \u201cmust\u201d not be shared")
ROWS = [ViewRow(number, 0, 0.0, Voice.AGENT, text) for number, text in enumerate(TEXTS, 1)]


@pytest.mark.parametrize(
    ("row", "text", "found"),
    [
        (3, 'cache "must" not be', 3),
        (1, 'cache "must" not be', 2),
        (0, 'cache "must" not be', 2),
        (2, "yes", 2),
        (3, "yes", 0),
        (0, "shared, yes", 2),
        (3, "not in any row", 0),
        (1, " \n", 0),
    ],
)
def test_a_quote_is_located_in_the_row_that_it_names_else_in_the_first_that_has_it(
    row: int, text: str, found: int
) -> None:
    located = QuoteIndex(ROWS).locate_quote(Quote(row, text))
    assert (located.row.number if located else 0) == found


def test_a_located_quote_has_its_words_with_single_spaces() -> None:
    located = QuoteIndex(ROWS).locate_quote(Quote(2, "cache\n\t\u201cmust\u201d   not"))
    assert located is not None
    assert (located.text, located.source) == ('cache "must" not', "")


@pytest.mark.parametrize(("text", "folded"), [(" a\u00a0b\n\nc ", "a b c"), ("\u2018a\u2019", "'a'"), ("", "")])
def test_white_space_and_quotation_marks_are_folded(text: str, folded: str) -> None:
    assert fold_space(text) == folded
