from contextlib import closing

import pytest

import holloway
from holloway.domain.memory import Draft, MemoryType
from holloway.errors import InvalidInput
from holloway.store import search
from holloway.store.database import Database
from holloway.store.filter import Filter
from holloway.store.search import count_words, search_memories
from holloway.store.write_gate import sanitize_draft
from tests.store.test_memories import taught


def found(memory: holloway.Holloway, query: str, limit: int = 10) -> list[str]:
    hits = search_memories(memory.store.database, query, Filter(quarantined=False), limit)
    memories = memory.store.memories.get_by_seqs([seq for seq, _ in hits])
    return [memories[seq].content for seq, _ in hits]


@pytest.mark.promise("identifiers")
@pytest.mark.parametrize("query", ["parseHTTPResponse", "parse_http_response", "http response", "PARSE", "responses"])
def test_identifiers_are_found_whole_in_parts_and_in_either_spelling(memory: holloway.Holloway, query: str) -> None:
    taught(memory, "parseHTTPResponse swallows timeouts")
    taught(memory, "the invoice number is a string")
    assert found(memory, query) == ["parseHTTPResponse swallows timeouts"]


def test_files_tags_and_details_are_searched_too(memory: holloway.Holloway) -> None:
    taught(
        memory,
        "a dead end",
        type="dead_end",
        files=["src/shop/billing/invoice.py"],
        tags=["frobnicate"],
        details={"approach": "zeppelin", "reason": "too slow"},
    )
    for query in ("invoice", "frobnicate", "zeppelin"):
        assert found(memory, query) == ["a dead end"]


def test_the_better_match_comes_first_and_scores_lie_between_zero_and_one(memory: holloway.Holloway) -> None:
    taught(memory, "redis is needed by the session tests")
    taught(memory, "redis redis redis: the session tests hang without it")
    taught(memory, "invoices are rounded")
    results = memory.recall("session tests hang redis")
    assert results[0].memory.content.startswith("redis redis")
    assert results[0].score == 1.0
    assert all(0 < result.score <= 1 for result in results)


def test_quarantined_and_forgotten_memories_are_not_found(memory: holloway.Holloway) -> None:
    from holloway.domain.memory import Source

    memory.store.memories.add_memory(sanitize_draft(Draft(content="zeppelin from outside", source=Source.FOREIGN_FILE)))
    memory.forget([taught(memory, "zeppelin forgotten")])
    assert found(memory, "zeppelin") == []
    assert [r.memory.content for r in memory.recall("zeppelin", chosen=Filter())] == ["zeppelin from outside"]


@pytest.mark.parametrize(
    "query", ['"', "*", "NEAR(", "a AND", "(((", "-x", "col:", "^", "ﬁ", "日本語", "\x00", "💥", "%"]
)
def test_operators_and_strange_signs_are_words_or_nothing(memory: holloway.Holloway, query: str) -> None:
    taught(memory, "tokens expire")
    assert isinstance(memory.recall(query), list)


def test_an_empty_question_is_an_error_with_a_hint(memory: holloway.Holloway) -> None:
    with pytest.raises(InvalidInput, match="empty"):
        memory.recall("  ")


def test_a_hundred_kilobytes_of_question_are_answered(memory: holloway.Holloway) -> None:
    taught(memory, "tokens expire")
    assert found(memory, "tokens " * 15_000) == ["tokens expire"]


def test_very_common_words_give_way_to_rarer_ones(memory: holloway.Holloway) -> None:
    with memory.store.database.write_transaction():
        for number in range(300):
            memory.store.memories.add_memory(
                sanitize_draft(Draft(content=f"common filler number {number}", type=MemoryType.PATTERN))
            )
        memory.store.memories.add_memory(sanitize_draft(Draft(content="common zeppelin", type=MemoryType.PATTERN)))
    assert found(memory, "common zeppelin") == ["common zeppelin"]
    assert len(found(memory, "common", 50)) == 50


@pytest.mark.parametrize("limit", [0, -1, 10_000])
def test_a_senseless_limit_is_named(memory: holloway.Holloway, limit: int) -> None:
    with pytest.raises(InvalidInput, match=str(limit)):
        memory.recall("x", limit=limit)


@pytest.mark.parametrize(
    ("ranked_max", "kept"),
    [(3, ["zeppelin", "shared"]), (2, ["zeppelin"])],
)
def test_words_are_dropped_once_their_memories_are_too_many_the_rarest_last(
    memory: holloway.Holloway, monkeypatch: pytest.MonkeyPatch, ranked_max: int, kept: list[str]
) -> None:
    for text in ("a shared zeppelin", "a shared balloon", "a third sentence"):
        taught(memory, text)
    monkeypatch.setattr(search, "COMMON_ROWS_MIN", 2)
    monkeypatch.setattr(search, "ROWS_RANKED_MAX", ranked_max)
    assert search.drop_common_words(memory.store.database, ["shared", "zeppelin"]) == kept


@pytest.mark.parametrize("limit", [1, 4, 20])
def test_where_a_filter_drops_most_matches_the_rest_is_still_found(memory: holloway.Holloway, limit: int) -> None:
    with memory.store.database.write_transaction():
        for number in range(120):
            kind = MemoryType.DECISION if number % 6 == 0 else MemoryType.PATTERN
            text = f"zeppelin {number} " + "lands " * (number % 6)
            memory.store.memories.add_memory(sanitize_draft(Draft(content=text, type=kind)))
    chosen = Filter(types=(MemoryType.DECISION,))
    hits = search_memories(memory.store.database, "zeppelin lands", chosen, limit)
    kinds = {one.type for one in memory.store.memories.get_by_seqs([seq for seq, _ in hits]).values()}
    assert (len(hits), kinds) == (limit, {MemoryType.DECISION})


def test_no_results_are_wanted_and_none_are_found(memory: holloway.Holloway) -> None:
    taught(memory, "zeppelin")
    assert found(memory, "zeppelin", 0) == []


def add(memory: holloway.Holloway, text: str) -> None:
    memory.store.memories.add_memory(sanitize_draft(Draft(text)))


def test_a_word_is_counted_once_while_nothing_changes(
    memory: holloway.Holloway, monkeypatch: pytest.MonkeyPatch
) -> None:
    add(memory, "zeppelin lands")
    assert count_words(memory.store.database, ["zeppelin", "mast"], 5) == {"zeppelin": 1, "mast": 0}
    monkeypatch.setattr(search, "count_rows_with_word", lambda *_: 77)
    assert count_words(memory.store.database, ["zeppelin", "lands"], 5) == {"zeppelin": 1, "lands": 77}
    assert count_words(memory.store.database, ["zeppelin"], 6) == {"zeppelin": 77}


def test_what_this_process_or_another_adds_is_counted(memory: holloway.Holloway) -> None:
    database = memory.store.database
    assert count_words(database, ["zeppelin"], 5) == {"zeppelin": 0}
    add(memory, "zeppelin lands")
    assert count_words(database, ["zeppelin"], 5) == {"zeppelin": 1}
    with closing(Database(database.path)) as other, other.write_transaction():
        other.execute("UPDATE memories SET search_text = 'airship'")
    assert count_words(database, ["zeppelin"], 5) == {"zeppelin": 0}


def test_what_was_taken_back_is_not_remembered(memory: holloway.Holloway) -> None:
    database = memory.store.database

    def add_and_fail() -> None:
        with database.write_transaction():
            add(memory, "zeppelin lands")
            assert count_words(database, ["zeppelin"], 5) == {"zeppelin": 1}
            raise LookupError

    with pytest.raises(LookupError):
        add_and_fail()
    assert count_words(database, ["zeppelin"], 5) == {"zeppelin": 0}


def test_a_connection_that_was_opened_anew_counts_anew(memory: holloway.Holloway) -> None:
    database = memory.store.database
    add(memory, "zeppelin lands")
    assert count_words(database, ["zeppelin"], 5) == {"zeppelin": 1}
    database.close()
    with closing(Database(database.path)) as other, other.write_transaction():
        other.execute("UPDATE memories SET search_text = 'airship'")
    assert count_words(database, ["zeppelin"], 5) == {"zeppelin": 0}


def test_no_more_words_are_remembered_than_allowed(memory: holloway.Holloway, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "WORD_COUNTS_CACHED_MAX", 3)
    for number in range(20):
        count_words(memory.store.database, [f"word{number}"], 5)
    assert len(search._CACHE[memory.store.database][1]) <= 4


def test_memories_with_a_word_are_counted_exactly_up_to_a_number(memory: holloway.Holloway) -> None:
    for number in range(5):
        taught(memory, f"balloon number {number}")
    counts = [count_words(memory.store.database, ["balloon"], most)["balloon"] for most in (2, 4, 9)]
    assert counts == [3, 5, 5], "one more than the number stands for more"
