"""The record of a session: what it did, in figures."""

from holloway.measure.record import search_tokens
from holloway.text.tokens import estimate
from tests.observer.story import Story

FOUND = "src/app.py: def total(items):\n" * 40


def test_what_a_command_printed_counts_once_though_it_listed_and_searched() -> None:
    account = Story().shell("ls src && grep -rn total src", FOUND).account()

    assert len(account.of("search", "list")) == 2
    assert search_tokens(account) == estimate(FOUND)


def test_the_results_of_two_searches_add_up() -> None:
    account = Story().shell("grep -rn total src", FOUND).shell("grep -rn total src", FOUND).account()

    assert search_tokens(account) == 2 * estimate(FOUND)
