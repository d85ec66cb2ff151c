"""Ranking: fusion, boost, factors, duplicates and diversity, each alone."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holloway.domain.memory import MemoryType, Source, State
from holloway.domain.work import Phase
from holloway.retrieval import rank
from holloway.retrieval.candidates import QueryKind
from holloway.retrieval.rank import (
    BOOST,
    COMPARED_CANDIDATES_MAX,
    LIST_WEIGHTS,
    LONG_LIST,
    RANK_OFFSET,
    Fusion,
    boost_scores,
    diversify_ranking,
    drop_near_duplicates,
    fuse_scores,
    make_word_similarity,
)
from tests.retrieval.made import made

NOW = datetime(2026, 10, 1, tzinfo=UTC)
YEAR = timedelta(days=365)


scores_of = {
    "text": st.floats(0, 1e6),
    "dense": st.floats(0, 1e6),
    "graph": st.floats(0, 1),
}
lists = st.fixed_dictionaries(
    {}, optional={name: st.dictionaries(st.integers(0, 30), values, max_size=12) for name, values in scores_of.items()}
)


@given(found=lists, kind=st.sampled_from(QueryKind), how=st.sampled_from(Fusion))
def test_fused_scores_lie_between_0_and_1_whatever_the_lists(
    found: dict[str, dict[int, float]], kind: QueryKind, how: Fusion
) -> None:
    fused = fuse_scores(found, kind, how)
    assert set(fused) == {seq for scores in found.values() for seq in scores}
    assert all(0.0 <= score <= 1.0 for score in fused.values())
    assert not any(scores for scores in found.values()) or max(fused.values()) in (0.0, 1.0)


def test_scores_are_mixed_by_their_distance_and_ranks_are_not() -> None:
    found = {"text": {1: 10.0, 2: 9.9, 3: 0.1}, "dense": {3: 0.80, 1: 0.60, 2: 0.50}}
    by_score = fuse_scores(found, QueryKind.IDENTIFIER)
    assert by_score[1] > by_score[2] > by_score[3]
    assert fuse_scores(found, QueryKind.SEMANTIC, Fusion.RANKS)[1] == 1.0


def test_a_missing_list_takes_nothing_from_the_others() -> None:
    assert fuse_scores({"text": {1: 4.0, 2: 2.0}}, QueryKind.SEMANTIC) == {1: 1.0, 2: 0.5}
    assert set(LIST_WEIGHTS[QueryKind.SEMANTIC]) == {"text", "dense", "graph"}


def test_what_lies_near_a_file_counts_no_more_where_the_file_itself_has_nothing() -> None:
    text = {1: 10.0, 2: 9.0}
    beside = fuse_scores({"text": text, "graph": {2: 0.1}}, QueryKind.SEMANTIC)
    assert beside[1] > beside[2]
    assert fuse_scores({"text": text, "graph": {2: 1.0}}, QueryKind.SEMANTIC)[2] == 1.0


def test_a_memory_on_the_file_of_a_strong_hit_gains_in_proportion_and_never_passes_it() -> None:
    memories = {
        1: made(1, files=("a.py", "b.py")),
        2: made(2, files=("b.py",)),
        3: made(3, files=("c.py",)),
        4: made(4),
    }
    scores = boost_scores({1: 1.0, 2: 0.9, 3: 0.9, 4: 0.9}, memories)
    gained = {1: 1.0 + BOOST * 0.9, 2: 0.9 + BOOST, 3: 0.9, 4: 0.9}
    assert scores == pytest.approx(gained)
    assert scores[1] > scores[2]


@given(
    scores=st.dictionaries(st.integers(0, 20), st.floats(0, 1), max_size=21),
    files=st.lists(st.sampled_from([(), ("a.py",), ("b.py",), ("a.py", "b.py")]), min_size=21, max_size=21),
)
def test_a_boost_is_bounded_and_turns_no_two_memories_of_one_place_around(
    scores: dict[int, float], files: list[tuple[str, ...]]
) -> None:
    memories = {seq: made(seq, files=files[seq]) for seq in scores}
    found = boost_scores(scores, memories)
    assert all(scores[seq] <= found[seq] <= scores[seq] + BOOST for seq in scores)
    alike = [(one, two) for one in scores for two in scores if files[one] == files[two] and scores[one] > scores[two]]
    assert all(found[one] >= found[two] for one, two in alike)


def test_what_is_fresh_taught_sure_and_sound_comes_before_what_is_not() -> None:
    good = made(1, files=("a.py",))
    year = timedelta(days=365)
    assert rank.compute_recency(good, NOW) == 1.0
    assert 1 - rank.RECENCY_SHARE < rank.compute_recency(good, NOW + year) < 1.0
    assert rank.compute_recency(replace(good, pinned=True), NOW + year) == 1.0
    assert rank.compute_recency(replace(good, files=("a.md",)), NOW + year) > rank.compute_recency(good, NOW + year)
    assert rank.compute_staleness(good, {"a.py": 1.0}) == pytest.approx(1 - rank.CHANGED_SHARE)
    assert rank.compute_staleness(replace(good, state=State.STALE), {}) == rank.STALE_FACTOR
    taught, inferred = (
        rank.compute_factors(replace(good, source=source), NOW, None, {})["trust"]
        for source in (Source.USER_TAUGHT, Source.OBSERVER_INFERRED)
    )
    assert taught > 1.0 > inferred
    assert "phase" not in rank.compute_factors(good, NOW, None, {})
    assert rank.compute_factors(good, NOW, Phase.IMPLEMENT, {})["phase"] == pytest.approx(1 + rank.PRIOR_SHARE * 0.4)


def test_every_source_has_its_place_in_the_table() -> None:
    assert set(rank.SOURCE_TRUST) == set(Source)


def test_what_says_the_same_is_said_once() -> None:
    texts = {1: "redis is needed by tests", 2: "redis is needed by tests", 3: "redis is needed", 4: "dates are utc"}
    likeness = make_word_similarity(texts.__getitem__)
    assert drop_near_duplicates([1, 2, 3, 4], likeness, 10) == [1, 3, 4]
    assert drop_near_duplicates([2, 1, 3, 4], likeness, 2) == [2, 3]
    assert drop_near_duplicates([], likeness, 3) == []


def test_what_repeats_a_better_one_steps_back_where_that_is_asked_for() -> None:
    texts = {1: "redis is needed by tests", 3: "redis is needed", 4: "dates are utc"}
    likeness = make_word_similarity(texts.__getitem__)
    assert diversify_ranking({1: 1.0, 3: 0.62, 4: 0.6}, likeness) == [1, 4, 3]
    assert diversify_ranking({}, likeness) == []


def test_recency_halves_by_the_days_of_its_files() -> None:
    code, docs, config = ("a.py",), ("a.md",), ("a.toml",)
    halved = 1 - rank.RECENCY_SHARE / 2
    for files, days in ((code, 180), (docs, 365), (config, 120), ((*code, *config), 150), ((), 180)):
        old = NOW + timedelta(days=days)
        assert rank.compute_recency(made(1, files=files), old) == pytest.approx(halved)
    assert rank.compute_recency(made(1), NOW - YEAR) == 1.0


def test_a_use_makes_a_memory_recent() -> None:
    used = replace(made(1), last_used_at="2027-10-01T00:00:00.000Z")
    assert rank.compute_recency(used, NOW + YEAR) == 1.0


def test_files_that_changed_cost_by_their_share_unless_the_memory_is_pinned() -> None:
    memory = made(1, files=("a.py", "b.py"))
    changed = {"a.py": 3.0, "other.py": 1.0}
    assert rank.compute_staleness(memory, changed) == pytest.approx(1 - rank.CHANGED_SHARE / 2)
    assert rank.compute_staleness(replace(memory, pinned=True), changed) == 1.0
    assert rank.compute_staleness(made(1), changed) == 1.0
    assert rank.compute_staleness(replace(memory, stale_at="2026-10-01T00:00:00.000Z"), {}) == rank.STALE_FACTOR


def test_a_confidence_of_nothing_costs_its_share_and_a_full_one_nothing() -> None:
    def factor(confidence: float) -> float:
        memory = replace(made(1), confidence=confidence, half_life_days=None)
        return rank.compute_factors(memory, NOW, None, {})["confidence"]

    assert factor(1.0) == 1.0
    assert factor(0.0) == pytest.approx(1 - rank.CONFIDENCE_SHARE)
    assert factor(0.5) == pytest.approx(1 - rank.CONFIDENCE_SHARE / 2)


def test_a_type_without_a_weight_in_a_phase_is_neutral() -> None:
    factors = rank.compute_factors(made(1, MemoryType.PREFERENCE), NOW, Phase.REFLECT, {})
    assert factors["phase"] == 1.0


def test_ranks_are_fused_by_their_reciprocals() -> None:
    fused = fuse_scores({"text": {7: 1.0, 8: 9.0, 9: 1.0}}, QueryKind.SEMANTIC, Fusion.RANKS)
    first, second, third = (1 / (RANK_OFFSET + place) for place in (1, 2, 3))
    assert fused == pytest.approx({8: 1.0, 7: second / first, 9: third / first})


def test_a_cosine_counts_from_the_threshold_in_a_short_list_and_from_the_lowest_in_a_long_one() -> None:
    def weigh(cosines: dict[int, float], related_from: float) -> dict[int, float]:
        return fuse_scores({"dense": cosines}, QueryKind.SEMANTIC, related_from=related_from)

    assert weigh({1: 0.8, 2: 0.6}, 0.4) == pytest.approx({1: 1.0, 2: 0.5})
    assert weigh({1: 0.8, 2: 0.6}, 0.0) == pytest.approx({1: 1.0, 2: 0.0})
    long = {number: 0.5 + number / 1_000 for number in range(LONG_LIST)}
    assert weigh(long, 0.4)[0] == 0.0
    del long[0]
    assert weigh(long, 0.4)[1] > 0.0
    assert weigh({}, 0.4) == {}


def test_equal_scores_are_all_the_best_and_scores_of_nothing_stay_nothing() -> None:
    assert fuse_scores({"dense": {1: 0.5, 2: 0.5}}, QueryKind.SEMANTIC, related_from=0.5) == {1: 1.0, 2: 1.0}
    assert fuse_scores({"graph": {1: 0.0}}, QueryKind.SEMANTIC) == {1: 0.0}


def test_an_identifier_trusts_words_more_than_meaning() -> None:
    lists = {"text": {1: 1.0}, "dense": {2: 1.0}}
    assert fuse_scores(lists, QueryKind.IDENTIFIER) == pytest.approx({1: 1.0, 2: 3 / 7})
    assert fuse_scores(lists, QueryKind.SEMANTIC) == {1: 1.0, 2: 1.0}


def test_the_boost_comes_from_the_best_other_memory_on_any_file() -> None:
    files = {1: ("a.py",), 2: ("a.py", "b.py"), 3: ("b.py",), 4: ("b.py",)}
    memories = {seq: made(seq, files=paths) for seq, paths in files.items()}
    boosted = boost_scores({1: 0.1, 2: 0.2, 3: 0.4, 4: 0.8}, memories)
    gains = {seq: (boosted[seq] - score) / BOOST for seq, score in {1: 0.1, 2: 0.2, 3: 0.4, 4: 0.8}.items()}
    assert gains == pytest.approx({1: 0.2, 2: 0.8, 3: 0.8, 4: 0.4})


def test_two_texts_are_alike_by_the_share_of_their_words() -> None:
    texts = {1: "a b C", 2: "A b d", 3: "", 4: " "}
    alike = make_word_similarity(texts.__getitem__)
    assert (alike(1, 2), alike(1, 3), alike(3, 4)) == (0.5, 0.0, 1.0)


def test_a_text_just_below_the_threshold_is_no_duplicate() -> None:
    for similarity, expected in ((rank.DUPLICATE_SIMILARITY, [1]), (rank.DUPLICATE_SIMILARITY - 0.01, [1, 2])):
        assert drop_near_duplicates([1, 2], lambda first, second, value=similarity: value, 5) == expected


def test_only_the_best_are_compared_and_of_equal_ones_the_newest_comes_first() -> None:
    order = diversify_ranking(dict.fromkeys(range(COMPARED_CANDIDATES_MAX + 5), 1.0), lambda first, second: 0.0)
    assert order == list(range(COMPARED_CANDIDATES_MAX + 4, 4, -1))


def test_the_nearest_of_those_chosen_counts() -> None:
    alike = {frozenset({1, 3}): 0.9, frozenset({2, 3}): 0.1}
    order = diversify_ranking(
        {1: 1.0, 2: 0.9, 3: 0.85, 4: 0.8}, lambda first, second: alike.get(frozenset({first, second}), 0.0)
    )
    assert order == [1, 2, 4, 3]
