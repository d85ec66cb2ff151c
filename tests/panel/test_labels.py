"""Words of the panel: ages and durations in their unit, reasons in the reader's language."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from holloway.panel import labels
from holloway.panel.locale import load_languages

if TYPE_CHECKING:
    from collections.abc import Callable

    from holloway.panel.locale import PanelLanguage

ENGLISH, FRENCH = load_languages()["en"], load_languages()["fr"]
DAY_S = 86_400


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (-5, "just now"),
        (59, "just now"),
        (60, "1 minute ago"),
        (59 * 60, "59 minutes ago"),
        (3_600, "1 hour ago"),
        (23 * 3_600, "23 hours ago"),
        (DAY_S, "1 day ago"),
        (30 * DAY_S, "30 days ago"),
        (31 * DAY_S, "1 month ago"),
        (360 * DAY_S, "11 months ago"),
        (366 * DAY_S, "1 year ago"),
        (40 * 366 * DAY_S, "40 years ago"),
    ],
)
def test_an_age_has_its_largest_unit(seconds: float, text: str) -> None:
    assert labels.format_age(seconds, ENGLISH) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "0 seconds"),
        (1, "1 second"),
        (119, "119 seconds"),
        (120, "2 minutes"),
        (7_199, "119 minutes"),
        (7_200, "2 hours"),
    ],
)
def test_a_duration_has_the_largest_unit_of_which_there_are_two(seconds: int, text: str) -> None:
    assert labels.format_duration(seconds, ENGLISH) == text


def test_ages_and_durations_are_translated() -> None:
    assert labels.format_age(3_600, FRENCH) != labels.format_age(3_600, ENGLISH)
    assert labels.format_duration(7_200, FRENCH) == "2 heures"


@pytest.mark.parametrize(
    ("describe", "table"),
    [(labels.describe_reason, labels.LOCATE_REASONS), (labels.describe_drop, labels.DROP_REASONS)],
)
def test_a_reason_is_translated_with_the_words_after_it(
    describe: Callable[[str, PanelLanguage], str], table: tuple[tuple[str, str], ...]
) -> None:
    start = next(start for start, message in table if "%(words)s" in message)
    english, french = (describe(f"{start}tokens.py", language) for language in (ENGLISH, FRENCH))
    assert english.endswith("tokens.py")
    assert "tokens.py" in french
    assert french != english
    assert describe("a reason of tomorrow", FRENCH) == "a reason of tomorrow"
