"""Words by which an explanation differs from a report, and from what a commit says of its change."""

import pytest

from holloway.observer.words.explaining import is_change_summary, is_report, names_code, states_reason


def test_code_a_cause_and_a_report_are_recognised() -> None:
    assert names_code("The cache of load_items is shared")
    assert not names_code("The cache is shared")
    assert states_reason("It is shared because two threads need it")
    assert not states_reason("It is shared")
    assert is_report("Added a cache for the items")
    assert not is_report("The cache holds the items of all threads")


@pytest.mark.parametrize(
    ("text", "sums_up"),
    [
        ("The lock is held too long. Move it below the check.", True),
        ("Only map exit code 1 to a missing branch.", True),
        ("The lock was held while the file is read.", True),
        ("The lock is now held for one line only.", True),
        ("The lock is still held while a file is read.", True),
        ("Reading without a lock would cause an empty answer.", True),
        ("Forgot one more place that holds the lock.", True),
        ("Without the lock two threads would write the same file.", False),
        ("The lock must not be held while a file is read, because readers wait for it.", False),
        ("add() is called by two threads at once.", False),
        ("Readers of the store move the lock.", False),
    ],
)
def test_a_sentence_of_a_commit_about_its_change_is_no_explanation(text: str, sums_up: bool) -> None:
    assert is_change_summary(text) is sums_up
