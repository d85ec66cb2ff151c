"""Search for quotes: the rows of a view that have a text verbatim, white space folded."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from holloway.safety.neutralize import neutralize_tags

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holloway.promotion.reader.lesson_answer import Quote
    from holloway.promotion.reader.view_rows import ViewRow


FREE_QUOTE_CHARS_MIN = 4
"""Length from which a quote may be in another row than it names: an answer such as "2" or "yes" is everywhere."""
_TYPOGRAPHY = str.maketrans({"\u2018": "'", "\u2019": "'", "\u201c": '"', "\u201d": '"', "\u00a0": " "})


class LocatedQuote(NamedTuple):
    """A quote, the row that it is from, and the untrusted source that it comes from, if any."""

    text: str
    row: ViewRow
    source: str = ""


class QuoteIndex:
    """The rows of a view with their white space folded."""

    def __init__(self, rows: Sequence[ViewRow]) -> None:
        self._rows = [(row, fold_space(row.text)) for row in rows]

    def locate_quote(self, quote: Quote) -> LocatedQuote | None:
        """Return the row that has a quote: the row that it names, else the first; None if none has it."""
        folded = fold_space(neutralize_tags(quote.text))
        if not folded:
            return None
        matches = [row for row, text in self._rows if folded in text]
        if len(folded) < FREE_QUOTE_CHARS_MIN:
            matches = [row for row in matches if row.number == quote.row]
        if not matches:
            return None
        return LocatedQuote(folded, next((row for row in matches if row.number == quote.row), matches[0]))


def fold_space(text: str) -> str:
    """Return a text with each run of white space as one space, and typographic quotation marks as plain ones."""
    return " ".join(text.translate(_TYPOGRAPHY).split())
