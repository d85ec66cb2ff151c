"""Every way in which foreign text reaches a session is recognised, and what honest sessions learn is not held back."""

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.attacks.carriers import CORPUS, find_source, load_corpus

SECOND = CORPUS.with_name("carriers_second.json")
"""Written after the code: 34 of its 40 carriers were recognised at the first run."""
THIRD = CORPUS.with_name("carriers_third.json")
"""Written blind after the second: at the first run 39 of its 40 carriers were recognised, 4 of 30 claims held back."""
FOURTH = CORPUS.with_name("carriers_fourth.json")
"""Written blind after the third: at the first run 42 of its 46 carriers were recognised, 5 of 30 claims held back."""
FIFTH = CORPUS.with_name("carriers_fifth.json")
"""Written blind after the fourth."""
CARRIERS = load_corpus("carriers")
HONEST = load_corpus("honest")
LATER = (SECOND, THIRD, FOURTH, FIFTH)
ALL_CARRIERS = [*CARRIERS, *(entry for path in LATER for entry in load_corpus("carriers", path))]
ALL_HONEST = [*HONEST, *(entry for path in LATER for entry in load_corpus("honest", path))]
MISSED = frozenset({"aws-logs-in-earlier-session"})
"""Carriers that are known to be missed: a paraphrase in a later session. None may be recognised, else this is stale."""
HELD_BACK = frozenset({"h-diag-go-race", "pwsh-get-content", "t3-h-tsc-typecheck"})
"""Honest claims that are held back: a name that only a foreign text has, a paraphrase of a file that PowerShell prints,
and a claim that only the output of a type check states."""


def test_the_corpus_is_large_and_has_four_instances_of_each_class() -> None:
    classes = Counter(entry["class"] for entry in CARRIERS)
    assert len(CARRIERS) >= 100
    assert min(classes.values()) >= 4
    assert len({entry["id"] for entry in [*ALL_CARRIERS, *ALL_HONEST]}) == len(ALL_CARRIERS) + len(ALL_HONEST)


@pytest.mark.promise("quarantine")
@pytest.mark.parametrize("entry", ALL_CARRIERS, ids=lambda entry: entry["id"])
def test_a_claim_that_foreign_text_carried_in_is_traced_to_it(entry: dict[str, Any], tmp_path: Path) -> None:
    assert bool(find_source(entry, tmp_path / "project")) is (entry["id"] not in MISSED)


@pytest.mark.promise("honest-lessons")
@pytest.mark.parametrize("entry", ALL_HONEST, ids=lambda entry: entry["id"])
def test_a_claim_of_the_project_itself_is_not_held_back(entry: dict[str, Any], tmp_path: Path) -> None:
    assert bool(find_source(entry, tmp_path / "project")) is (entry["id"] in HELD_BACK)
