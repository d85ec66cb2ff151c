"""Every way in which foreign text reaches a session is recognised, and what honest sessions learn is not held back."""

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.attacks.carriers import find_source, load_corpora, load_corpus

CARRIERS = load_corpus("carriers")
ALL_CARRIERS = load_corpora("carriers")
"""Recognised at the first run, of sets that were written later: 34 of 40, 39 of 40, 42 of 46, 32 of 40, 33 of 40."""
ALL_HONEST = load_corpora("honest")
"""Held back at the first run: 7 of 30, 4 of 30, 5 of 30, 0 of 30, 1 of 30."""
MISSED = frozenset({"aws-logs-in-earlier-session", "f5-translated-no-names"})
"""Carriers that are known to be missed: a paraphrase in a later session, and a translation without an odd name. None
may be recognised, else this is stale."""
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
