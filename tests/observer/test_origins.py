"""The origin of a text: the worst carrier wins, and its source can be shown."""

from __future__ import annotations

import pytest

from holloway.observer.origins import (
    NO_ORIGIN,
    OWN_TEXT,
    SOURCE_CHARS_MAX,
    Carrier,
    Origin,
    cut_source,
    find_worst_carrier,
    label_step,
)
from holloway.text.commands import parse_command

WEAK = Carrier(Origin.WEAK, "output:pytest")
FOREIGN = Carrier(Origin.FOREIGN, "web:docs.example.org")


def test_a_later_origin_outranks_an_earlier_one() -> None:
    ranked = [NO_ORIGIN, OWN_TEXT, WEAK, FOREIGN]
    for size in range(1, 5):
        assert find_worst_carrier(ranked[:size]) == ranked[size - 1]
        assert find_worst_carrier(ranked[:size][::-1]) == ranked[size - 1]


def test_the_first_of_equal_carriers_is_named() -> None:
    assert find_worst_carrier([FOREIGN, Carrier(Origin.FOREIGN, "mcp:wiki")]) == FOREIGN


def test_without_a_carrier_the_default_decides() -> None:
    assert find_worst_carrier([]) == NO_ORIGIN
    assert find_worst_carrier([], default=OWN_TEXT) == OWN_TEXT


@pytest.mark.parametrize(
    ("origin", "source"),
    [
        (Origin.NONE, ""),
        (Origin.OWN, "shell:pytest -q a"),
        (Origin.WEAK, "output:pytest -q a"),
        (Origin.FOREIGN, "shell:pytest -q a"),
    ],
)
def test_a_step_is_named_by_its_program_and_two_words(origin: Origin, source: str) -> None:
    assert label_step(origin, parse_command("pytest -q a b")[0]) == (origin, source)


def test_a_source_is_cut_and_keeps_its_origin() -> None:
    assert cut_source(Carrier(Origin.WEAK, "x" * 500)) == (Origin.WEAK, "x" * SOURCE_CHARS_MAX)
    assert cut_source(FOREIGN) == FOREIGN
