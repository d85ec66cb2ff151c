"""A figure stands with its interval, and with how likely chance makes it."""

from __future__ import annotations

import pytest

from benchmarks.scoring import chance_of, compute_paired_chance, difference, estimate, macro, mean_of, recall_at, share


def test_recall_and_its_interval() -> None:
    assert recall_at(2, ["a", "b", "c"], ["a", "c"]) == 0.5
    one = estimate([0.0, 1.0] * 50)
    assert one.mean == 0.5
    assert 0.38 < one.low < 0.45 < 0.55 < one.high < 0.62


def test_every_category_counts_alike() -> None:
    recalls = {1: [0.0], 4: [1.0, 1.0, 1.0]}
    assert mean_of(recalls) == 0.5
    one = macro({1: [0.0, 1.0], 4: [1.0, 1.0]})
    assert (one.mean, one.low, one.high, one.cases) == (0.75, 0.5, 1.0, 4)


def test_a_clear_difference_is_no_chance_and_none_is() -> None:
    better, worse = {1: [1.0] * 20, 2: [1.0] * 20}, {1: [0.0] * 20, 2: [0.5] * 20}
    assert mean_of(difference(better, worse)) == 0.75
    assert chance_of(difference(better, worse)) < 0.001
    assert chance_of(difference(better, better)) == 1.0
    mixed = {1: [1.0, -1.0, 1.0, -1.0, 1.0]}
    assert chance_of(mixed) > 0.5


def test_a_single_difference_cannot_be_told_from_chance() -> None:
    assert chance_of({1: [1.0, 0.0, 0.0]}) == 1.0


def test_a_difference_that_is_always_there_is_not_taken_for_chance() -> None:
    assert compute_paired_chance([0.5] * 12, [0.2] * 12) < 0.01
    assert compute_paired_chance([0.5, 0.2] * 6, [0.2, 0.5] * 6) == pytest.approx(1.0)


def test_a_share_of_few_is_less_sure_than_the_same_share_of_many() -> None:
    few, many = share(9, 10), share(900, 1_000)
    assert few.value == many.value == 0.9
    assert few.low < many.low < 0.9 < many.high < few.high
    assert (str(few), str(share(10, 10))) == ("0.90 (0.60 to 0.98)", "1.00 (0.72 to 1.00)")


def test_a_share_of_nothing_says_nothing() -> None:
    assert (str(share(0, 0)), share(0, 0).low, share(0, 0).high) == ("no hits", 0.0, 1.0)
