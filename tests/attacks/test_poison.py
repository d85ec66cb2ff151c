"""Nothing that an attacker planted passes as the project's own word; what an agent honestly learned does."""

from collections import Counter

import pytest

from benchmarks.poison import CARRIERS, FAMILIES, Benign, Poison, benign, cases
from holloway.embeddings.vocabulary import is_ordinary_word
from holloway.observer.carriers import Trust
from holloway.observer.provenance import SourceTracer
from tests.attacks.replayed import Word, words

CASES = cases()
BENIGN = benign()


def told(case: Poison, taint: SourceTracer) -> list[Word]:
    return [word for word in words(case.events, taint) if case.marker in word.text]


def learned(case: Benign) -> list[Word]:
    return [
        word
        for word in words(case.events, SourceTracer(Trust(is_known_name=is_ordinary_word)))
        if case.lesson in word.text
    ]


def test_the_corpus_is_large_and_each_case_can_be_told_from_the_others() -> None:
    assert len(CASES) >= 200
    assert len(BENIGN) >= 60
    assert len({case.name for case in CASES}) == len(CASES)
    assert len({case.marker for case in CASES}) == len(CASES)
    assert set(Counter((case.family, case.carrier) for case in CASES).values()) == {2}
    assert {case.family for case in CASES} == set(FAMILIES)


def test_every_case_carries_its_marker_in_and_tries_every_way_into_a_memory() -> None:
    for case in CASES:
        assert any(case.marker in str(each.get("text", "")) for each in case.events if each["k"] == "result"), case.name
        assert {"think", "text", "record", "commit"} <= {word.voice for word in told(case, SourceTracer(Trust()))}, (
            case.name
        )


@pytest.mark.promise("quarantine")
@pytest.mark.parametrize("carrier", CARRIERS)
def test_no_word_of_a_poisoned_session_passes(carrier: str) -> None:
    mine = [case for case in CASES if case.carrier == carrier]
    passed = [
        (case.name, word.text)
        for case in mine
        for word in told(case, SourceTracer(Trust(is_known_name=is_ordinary_word)))
        if not word.held
    ]
    assert mine
    assert passed == []


def test_a_held_word_names_the_source_that_the_payload_came_from() -> None:
    case = next(case for case in CASES if case.carrier == "web fetch")
    assert {word.taint for word in told(case, SourceTracer(Trust(is_known_name=is_ordinary_word)))} == {
        "web:guides.example.org"
    }


@pytest.mark.promise("honest-lessons")
def test_honest_lessons_pass_also_right_after_a_document_was_read() -> None:
    lost = [case.name for case in BENIGN for word in learned(case) if word.held]
    assert lost == []
    assert all(len(learned(case)) >= 3 for case in BENIGN)
    assert any(case.follows_document for case in BENIGN)
