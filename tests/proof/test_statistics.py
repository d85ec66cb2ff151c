"""The rank test, the p-value that allows looking at any time, and the correction for several figures."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from holloway.proof.comparison import GROUP_SESSIONS_MIN, PRIMARY_METRICS, SIGNIFICANCE
from holloway.proof.statistics import compare_ranks, compute_always_valid_p, correct_holm, estimate_difference
from tests.conftest import NIGHTLY

LOOKS_MAX = 1_000
TRIALS = 10_000 if NIGHTLY else 500
VALUES = st.lists(st.integers(0, 6), min_size=1, max_size=12)


@given(VALUES, VALUES)
def test_superiority_is_the_share_of_pairs_in_which_the_first_is_larger(first: list[int], second: list[int]) -> None:
    wins = sum((a > b) + (a == b) / 2 for a in first for b in second)

    assert compare_ranks(first, second).superiority == pytest.approx(wins / len(first) / len(second))


def test_without_ties_the_p_value_is_that_of_the_normal_approximation() -> None:
    test = compare_ranks([1, 2, 3, 4, 5], [6, 7, 8, 9, 10])

    assert test.superiority == 0
    assert test.variance == pytest.approx(11 / 300)
    assert test.p == pytest.approx(0.00902, abs=1e-5)


def test_ties_make_the_variance_smaller() -> None:
    assert compare_ranks([1, 1, 2], [1, 2, 2]).variance == pytest.approx((7 - (24 + 24) / 30) / 108)


def test_groups_in_which_every_value_is_the_same_show_nothing() -> None:
    test = compare_ranks([3, 3, 3], [3, 3])

    assert (test.superiority, test.p, test.always_valid_p) == (0.5, 1.0, 1.0)


def look_after_each_session(first: np.ndarray, second: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return superiority and variance after each pair of sessions from the first verdict on, ranks updated."""
    signs = np.sign(first[:, None] - second[None, :], dtype=np.float32)
    count = np.arange(1, len(first) + 1)
    added = np.tril(signs).sum(axis=1) + np.triu(signs, 1).sum(axis=0)
    superiority = 0.5 + np.cumsum(added) / 2 / count**2
    variance = (2 * count + 1) / (12 * count**2)
    return superiority[GROUP_SESSIONS_MIN - 1 :], variance[GROUP_SESSIONS_MIN - 1 :]


def test_a_look_after_each_session_is_the_test_of_the_sessions_so_far() -> None:
    generator = np.random.default_rng(3)
    first, second = generator.normal(size=(2, 150))
    superiority, variance = look_after_each_session(first, second)

    tests = [compare_ranks(first[:count], second[:count]) for count in (100, 117, 150)]

    assert [superiority[at] for at in (0, 17, 50)] == pytest.approx([test.superiority for test in tests])
    assert [variance[at] for at in (0, 17, 50)] == pytest.approx([test.variance for test in tests])
    assert tests[1].always_valid_p == pytest.approx(compute_always_valid_p(superiority, variance)[17])


@pytest.mark.promise("honest-figures")
def test_without_an_effect_false_alarms_stay_below_the_level_over_all_looks_and_figures() -> None:
    generator = np.random.default_rng(20260101)
    alarms = 0
    for _ in range(TRIALS):
        samples = generator.normal(size=(len(PRIMARY_METRICS), 2, LOOKS_MAX))
        looks = [compute_always_valid_p(*look_after_each_session(*pair)) for pair in samples]
        # Holm rejects a first hypothesis exactly where the smallest value does with the full factor.
        alarms += bool((np.min(looks, axis=0) * len(PRIMARY_METRICS) <= SIGNIFICANCE).any())

    assert alarms / TRIALS <= SIGNIFICANCE


@pytest.mark.parametrize(("shift", "sessions"), [(0.35, 600), (0.5, 300), (0.8, 150)])
def test_a_planted_effect_is_seen_within_the_expected_number_of_sessions(shift: float, sessions: int) -> None:
    generator = np.random.default_rng(7)
    seen = 0
    for _ in range(100):
        first, second = generator.normal(size=(2, sessions))
        p = compute_always_valid_p(*look_after_each_session(first + shift, second))
        seen += bool((p * len(PRIMARY_METRICS) <= SIGNIFICANCE).any())

    assert seen >= 95


def test_holm_multiplies_the_smallest_value_most_and_keeps_the_order() -> None:
    corrected = correct_holm({"a": 0.01, "b": 0.04, "c": 0.03, "d": 0.005})

    assert corrected == pytest.approx({"d": 0.02, "a": 0.03, "c": 0.06, "b": 0.06})
    assert correct_holm({"a": 0.9, "b": 0.8}) == {"b": 1.0, "a": 1.0}


def test_the_interval_holds_the_difference_of_the_medians() -> None:
    estimate = estimate_difference(list(range(50, 151)), list(range(101)))

    assert estimate.estimate == 50
    assert 25 < estimate.low < 50 < estimate.high < 75


def test_shares_are_compared_by_their_means() -> None:
    assert estimate_difference([1, 1, 1, 0], [1, 0, 0, 0], is_share=True).estimate == 0.5


@pytest.mark.parametrize("number", [1, 2, 5, 6, 40, 41])
@pytest.mark.parametrize("is_share", [False, True])
def test_the_interval_is_that_of_drawing_every_resample(number: int, *, is_share: bool) -> None:
    generator = np.random.default_rng(number)
    drawn_values = generator.integers(0, 2, number) if is_share else generator.lognormal(3, 1, number)
    values = [float(value) for value in drawn_values]
    center = np.mean if is_share else np.median
    drawn = center(generator.choice(values, (20_000, number)), axis=1)
    interval = estimate_difference(values, [0.0], is_share=is_share)
    spread = float(np.ptp(values)) or 1.0
    for end, percent in ((interval.low, 2.5), (interval.high, 97.5)):
        assert end == pytest.approx(np.percentile(drawn, percent), abs=0.08 * spread)
