"""Secrets that are made up to be found, and when one counts as found."""

from __future__ import annotations

from benchmarks.b8_secrets import five_patterns, is_covered, on_generated
from benchmarks.generated.secrets import PER_KIND, samples


def test_the_same_secrets_are_made_in_every_run_and_stand_in_their_texts() -> None:
    made = list(samples())
    assert made == list(samples())
    assert all(secret in text for _, text, secret in made)
    assert len(made) == PER_KIND * len({kind for kind, *_ in made})


def test_a_secret_counts_only_if_every_character_of_it_is_found() -> None:
    text = "export TOKEN=abcdef123456"
    assert is_covered(text, "abcdef123456", [(7, 25)])
    assert not is_covered(text, "abcdef123456", [(13, 20), (20, 25)])


def test_the_five_patterns_find_what_they_name_and_little_else() -> None:
    kinds = on_generated(five_patterns, list(samples()))["by_kind"]
    assert kinds["github-classic"] == 1.0
    assert kinds["npm"] == 0.0
