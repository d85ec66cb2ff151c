"""Each stage of recall, alone."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holloway.domain.memory import MemoryType, Source, State
from holloway.domain.work import Phase
from holloway.retrieval import rank
from holloway.retrieval.candidates import QueryKind, parse_query
from holloway.retrieval.rank import (
    BOOST,
    LIST_WEIGHTS,
    Fusion,
    boost_scores,
    diversify_ranking,
    drop_near_duplicates,
    fuse_scores,
    make_word_similarity,
)
from holloway.retrieval.recall import STAGES, RecallOptions, RecallResult, recall_memories
from holloway.store.filter import Filter
from tests.retrieval.made import made
from tests.store.test_memories import taught

if TYPE_CHECKING:
    import holloway

NOW = datetime(2026, 10, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "files", "kind"),
    [
        ("why do the session tests hang", (), QueryKind.SEMANTIC),
        ("It breaks. Then what?", (), QueryKind.SEMANTIC),
        ("parseHTTPResponse timeouts", (), QueryKind.IDENTIFIER),
        ("parseHTTPResponse swallows timeouts", (), QueryKind.SEMANTIC),
        ("where is parse_header", (), QueryKind.IDENTIFIER),
        ("src/auth/tokens.py", (), QueryKind.IDENTIFIER),
        ("os.path.join on windows", (), QueryKind.IDENTIFIER),
        ("what breaks if I change this", ("a.py",), QueryKind.SEMANTIC),
        ("the of", (), QueryKind.SEMANTIC),
        ("", (), QueryKind.SEMANTIC),
    ],
)
def test_a_question_tells_what_it_is_after(text: str, files: tuple[str, ...], kind: QueryKind) -> None:
    assert parse_query(text, files=files).kind is kind


def test_a_question_is_bounded_and_on_one_line() -> None:
    assert len(parse_query("word\n " * 10_000).text) <= 4_096
    assert parse_query(" a \n\t b ").text == "a b"


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


def test_every_source_and_phase_has_its_place_in_the_tables() -> None:
    assert set(rank.SOURCE_TRUST) == set(Source)
    assert set(rank.PHASE_WEIGHTS) == set(Phase)
    assert all(kind in MemoryType for weights in rank.PHASE_WEIGHTS.values() for kind in weights)


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


@pytest.mark.parametrize("others", [0, 1, 3])
def test_an_exact_match_is_told_as_the_best_by_words_however_little_is_known(
    memory: holloway.Holloway, others: int
) -> None:
    exact = taught(memory, "tests/auth needs a running redis")
    for number in range(others):
        taught(memory, f"redis was no help with {number}")
    first, *rest = recall_memories(memory.store, parse_query(exact.content), Filter(), 10)
    assert (first.memory.id, first.stages["text"]) == (exact.id, 1.0)
    assert all(0 < result.stages["text"] < 1 for result in rest)


def test_a_stage_that_is_off_says_nothing_and_changes_nothing(memory: holloway.Holloway) -> None:
    long = "tokens of the public api live an hour and expire for good when nobody asks"
    for text in (long, f"{long} again", "tokens live an hour or two", "dates are utc"):
        taught(memory, text)

    def asked(stages: frozenset[str]) -> list[RecallResult]:
        means = RecallOptions(phase=Phase.IMPLEMENT, stages=stages)
        return recall_memories(memory.store, parse_query("tokens an hour"), Filter(), 10, means)

    full, bare = asked(STAGES), asked(frozenset())
    assert {"trust", "recency", "confidence", "staleness", "phase"} <= set(full[0].stages)
    assert set(bare[0].stages) == {"text", "fused"}
    assert (len(full), len(bare)) == (2, 3)
    assert {one.memory.id for one in asked(STAGES | {"difference"})} == {one.memory.id for one in full}


def test_what_only_one_way_finds_is_found_and_only_that_way_is_told_of(memory: holloway.Holloway) -> None:
    said = taught(memory, "the cache is flushed by hand")
    placed = taught(memory, "money is integer cents", files=["src/shop/billing/invoice.py"])
    means = RecallOptions(places={"src/shop/billing/invoice.py": 1.0})
    found = recall_memories(memory.store, parse_query("cache"), Filter(), 10, means)
    assert {each.memory.id: sorted({"text", "graph"} & set(each.stages)) for each in found} == {
        said.id: ["text"],
        placed.id: ["graph"],
    }


def test_what_lies_beside_the_best_hit_comes_before_what_matches_as_well(memory: holloway.Holloway) -> None:
    invoice = "src/shop/billing/invoice.py"
    lone = taught(memory, "the cache is flushed on mondays", files=["README.md"])
    beside = taught(memory, "the cache is flushed on fridays", files=[invoice])
    best = taught(memory, "the cache of totals is flushed by hand", files=[invoice])
    found = recall_memories(memory.store, parse_query("totals cache flushed by hand"), Filter(), 10)
    assert [each.memory.id for each in found] == [best.id, beside.id, lone.id]
    assert found[1].stages["neighbourhood"] > found[1].stages["fused"]
    assert found[2].stages["neighbourhood"] == found[2].stages["fused"]
