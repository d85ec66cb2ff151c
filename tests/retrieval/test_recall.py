"""Recall as a whole: its stages, its limits, and memories that are read whole only when somebody looks at them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from holloway.config import SEARCH_RESULTS_MAX
from holloway.domain.memory import Draft
from holloway.domain.work import Phase
from holloway.errors import InvalidInput
from holloway.retrieval import recall
from holloway.retrieval.candidates import parse_query
from holloway.retrieval.recall import STAGES, LazyMemories, RecallOptions, RecallResult, recall_memories
from holloway.store.filter import Filter
from holloway.store.memories import Memories
from holloway.store.write_gate import sanitize_draft
from tests.store.test_memories import taught

if TYPE_CHECKING:
    from collections.abc import Sequence

    import holloway
    from holloway.domain.memory import Memory


def filled(memory: holloway.Holloway, number: int) -> list[int]:
    for each in range(number):
        memory.store.memories.add_memory(sanitize_draft(Draft(f"zeppelin {each} lands at mast {each * 7}")))
    return [row[0] for row in memory.store.database.fetch_rows("SELECT seq FROM memories ORDER BY seq")]


def noted(monkeypatch: pytest.MonkeyPatch) -> list[list[int]]:
    """What is read whole from now on."""
    asked: list[list[int]] = []
    many = Memories.get_by_seqs

    def keep(self: Memories, seqs: Sequence[int]) -> dict[int, Memory]:
        asked.append(list(seqs))
        return many(self, seqs)

    monkeypatch.setattr(Memories, "get_by_seqs", keep)
    return asked


def test_a_ranking_is_read_in_portions_and_each_memory_once(
    memory: holloway.Holloway, monkeypatch: pytest.MonkeyPatch
) -> None:
    seqs = filled(memory, 5)
    asked = noted(monkeypatch)
    whole = LazyMemories(memory.store.memories, seqs, 2)
    assert [whole.load_text(seq)[:10] for seq in (*seqs[:3], *seqs[:3])] == [
        "zeppelin 0",
        "zeppelin 1",
        "zeppelin 2",
    ] * 2
    assert asked == [seqs[:2], seqs[2:4]]


def test_what_is_gone_since_it_was_ranked_is_nothing(memory: holloway.Holloway) -> None:
    whole = LazyMemories(memory.store.memories, [404], 2)
    assert whole.load_memory(404) is None
    assert whole.load_text(404) == ""


def test_a_question_reads_little_more_than_it_shows(memory: holloway.Holloway, monkeypatch: pytest.MonkeyPatch) -> None:
    filled(memory, 40)
    asked = noted(monkeypatch)
    found = recall_memories(memory.store, parse_query("zeppelin mast"), Filter(), 3)
    assert len(found) == 3
    assert sum(map(len, asked)) < 10


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


@pytest.mark.parametrize(("text", "limit"), [(" ", 1), ("redis", 0), ("redis", SEARCH_RESULTS_MAX + 1)])
def test_an_empty_question_and_a_limit_out_of_range_are_refused(
    memory: holloway.Holloway, text: str, limit: int
) -> None:
    with pytest.raises(InvalidInput):
        recall_memories(memory.store, parse_query(text), Filter(), limit)
    assert recall_memories(memory.store, parse_query("redis"), Filter(), SEARCH_RESULTS_MAX) == []


def test_of_equal_memories_the_newest_comes_first_and_the_limit_holds(memory: holloway.Holloway) -> None:
    ids = [taught(memory, f"zeppelin lands at {place}").id for place in ("noon", "dawn", "dusk")]
    stages = frozenset[str]()
    found = recall_memories(memory.store, parse_query("zeppelin"), Filter(), 2, RecallOptions(stages=stages))
    assert [result.memory.id for result in found] == [ids[2], ids[1]]
    assert [result.score for result in found] == [1.0, 1.0]
    assert (found[0].project, found[0].confidence) == (memory.project.name, 0.9)


def test_the_best_few_are_reranked_and_stay_before_the_others(
    memory: holloway.Holloway, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recall, "RERANKED", 2)
    texts = ["zeppelin zeppelin zeppelin", "zeppelin zeppelin lands", "the zeppelin lands here today"]
    ids = {taught(memory, text).id: text for text in texts}
    asked: list[tuple[str, list[str]]] = []

    def rerank(query: str, contents: list[str]) -> list[float]:
        asked.append((query, contents))
        return [1.0, 3.0]

    options = RecallOptions(rerank=rerank, stages=frozenset())
    found = recall_memories(memory.store, parse_query("zeppelin"), Filter(), 3, options)
    assert asked == [("zeppelin", texts[:2])]
    assert [ids[result.memory.id] for result in found] == [texts[1], texts[0], texts[2]]
    second = found[0].stages["fused"]
    assert [result.stages["reranked"] for result in found] == pytest.approx(
        [1.5 + second / 2, 1.5, found[2].stages["fused"]], abs=1e-4
    )


def test_a_reranker_that_ran_out_of_time_changes_nothing(memory: holloway.Holloway) -> None:
    taught(memory, "zeppelin lands at noon")
    query = parse_query("zeppelin")
    (plain,) = recall_memories(memory.store, query, Filter(), 3)
    (timed_out,) = recall_memories(memory.store, query, Filter(), 3, RecallOptions(rerank=lambda query, contents: None))
    assert timed_out.score == plain.score
    unasked = RecallOptions(rerank=lambda query, contents: pytest.fail("it was asked about nothing"))
    assert recall_memories(memory.store, parse_query("airship"), Filter(), 3, unasked) == []


def test_memories_whose_files_changed_come_later(memory: holloway.Holloway) -> None:
    kept = taught(memory, "zeppelin lands at noon", files=["README.md"])
    changed = taught(memory, "zeppelin lands at dawn", files=["src/shop/auth/tokens.py"])
    options = RecallOptions(changed=lambda sketches: {changed.id: {"src/shop/auth/tokens.py": 1.0}})
    found = recall_memories(memory.store, parse_query("zeppelin"), Filter(), 3, options)
    assert [result.memory.id for result in found] == [kept.id, changed.id]
    assert [result.stages["staleness"] for result in found] == [1.0, 0.7]
    without = RecallOptions(changed=options.changed, stages=STAGES - {"staleness"})
    unaware = recall_memories(memory.store, parse_query("zeppelin"), Filter(), 3, without)
    assert unaware[1].score > found[1].score
    assert "staleness" not in unaware[1].stages
