"""What a hook may look up in a store: by file, by the words of a search, by an error met again."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

import holloway
from holloway.domain.memory import Draft, MemoryType, Source, State
from holloway.domain.memory_details import ErrorFix
from holloway.domain.ports import format_stamp
from holloway.store import lookup, session_ledger, status_counts
from holloway.store.write_gate import sanitize_draft
from holloway.testing import FakeClock
from holloway.text.identifiers import in_pattern
from tests.conftest import Repository
from tests.store.test_memories import taught

TOKENS = "src/shop/auth/tokens.py"
NOW = "2026-01-06T00:00:00.000Z"


@pytest.fixture
def hook(memory: holloway.Holloway) -> Iterator[sqlite3.Connection]:
    made = lookup.open_store(str(memory.project.database_path), 1_000)
    assert made is not None
    yield made
    made.close()


def to(session: str = "s1", level: int = 1, branch: str = "main") -> lookup.Viewer:
    return lookup.Viewer(session=session, context=0, branch=branch, now=NOW, level=level)


def ids(rows: list[dict[str, object]]) -> list[str]:
    return [str(row["id"]) for row in rows]


@pytest.mark.promise("never-in-the-way")
def test_looking_into_a_store_that_is_not_there_makes_none(tmp_path: Path) -> None:
    assert lookup.open_store(str(tmp_path / "memory.db"), 1_000) is None
    assert list(tmp_path.iterdir()) == []


def test_a_store_of_another_version_is_left_alone(memory: holloway.Holloway) -> None:
    memory.store.database.execute("PRAGMA user_version = 999")
    assert lookup.open_store(str(memory.project.database_path), 1_000) is None


@pytest.mark.parametrize(
    ("pattern", "words"),
    [
        ("parse_http_response", ["parse_http_response"]),
        (r"def\s+refresh\b", ["def", "refresh"]),
        (r"class (?:Foo|Bar)[A-Z]\w+\(", ["class", "Foo", "Bar"]),
        ("TODO|FIXME", ["TODO", "FIXME"]),
        (r"\d{3,}-[a-z]+", []),
        ("..", []),
        ("a b", []),
        ("x" * 10_000, ["x" * 300]),
    ],
)
def test_the_words_of_a_pattern_are_what_it_asks_for(pattern: str, words: list[str]) -> None:
    assert in_pattern(pattern) == words


def test_a_search_is_answered_by_a_memory_that_has_all_its_words(
    memory: holloway.Holloway, hook: sqlite3.Connection
) -> None:
    made = taught(memory, "parse_http_response swallows timeouts, use read_response")
    taught(memory, "responses are parsed lazily")
    assert ids(lookup.find_answers(hook, in_pattern("parse_http_response"), to(), 3)) == [made.id]
    assert ids(lookup.find_answers(hook, in_pattern("timeouts.*read_response"), to(), 3)) == [made.id]
    assert lookup.find_answers(hook, in_pattern("parse_http_response zeppelin"), to(), 3) == []
    assert lookup.find_answers(hook, [], to(), 3) == []


@pytest.mark.promise("query-is-data")
@pytest.mark.parametrize("word", ['"', "*", "NEAR(", "a AND b", "col:", "\x00", "日本語"])
def test_whatever_a_search_holds_is_data(hook: sqlite3.Connection, word: str) -> None:
    assert lookup.find_answers(hook, [word], to(), 3) == []


def test_an_error_that_was_solved_is_found_by_its_fingerprint(
    memory: holloway.Holloway, hook: sqlite3.Connection
) -> None:
    details = {"error": "ECONNREFUSED 5432", "fix": "start postgres", "fingerprint": "e1"}
    known = taught(memory, "start postgres first", type="error_pattern", details=details)
    taught(memory, "another error", type="error_pattern", details={"error": "x", "fix": "y"})
    taught(memory, "no error at all")
    assert ids(lookup.find_fixes(hook, ["e0", "e1"], to(), 3)) == [known.id]
    assert lookup.find_fixes(hook, [], to(), 3) == []
    plan = " ".join(
        row[3]
        for row in hook.execute("EXPLAIN QUERY PLAN " + lookup._FIXES, to().to_values() | {"errors": "[]", "limit": 1})
    )
    assert "USING INDEX memories_errors" in plan


def test_a_fix_seen_once_comes_with_its_error_however_long_ago_that_was(
    memory: holloway.Holloway, hook: sqlite3.Connection, clock: FakeClock
) -> None:
    seen = Draft(
        content="`make db` failed with “refused”; what solved it: start postgres",
        type=MemoryType.ERROR_PATTERN,
        source=Source.ERROR_FIX,
        state=State.UNCONFIRMED,
        details=ErrorFix("refused", "start postgres", fingerprint="e1"),
        files=(TOKENS,),
    )
    added = memory.store.memories.add_memory(sanitize_draft(seen)).memory
    assert added is not None
    clock.advance(days=150)
    later = lookup.Viewer(session="s1", context=0, branch="main", now=format_stamp(clock.now()), level=1)
    assert ids(lookup.find_fixes(hook, ["e1"], later, 3)) == [added.id]
    assert lookup.find_for_files(hook, [TOKENS], later, 3) == []


def test_no_way_shows_what_may_not_be_shown(
    memory: holloway.Holloway, hook: sqlite3.Connection, clock: FakeClock
) -> None:
    details = {"error": "e", "fix": "f", "fingerprint": "e1"}
    doubtful = Draft(content="zeppelin from outside", source=Source.FOREIGN_FILE, files=(TOKENS,))
    memory.store.memories.add_memory(sanitize_draft(doubtful))
    inferred = Draft(content="zeppelin inferred", source=Source.OBSERVER_INFERRED, state=State.UNCONFIRMED)
    memory.store.memories.add_memory(sanitize_draft(inferred))
    gone = taught(memory, "zeppelin forgotten", type=MemoryType.ERROR_PATTERN, details=details, files=[TOKENS])
    memory.forget([gone])
    for found in (
        lookup.find_for_files(hook, [TOKENS], to(), 9),
        lookup.find_answers(hook, ["zeppelin"], to(), 9),
        lookup.find_fixes(hook, ["e1"], to(), 9),
    ):
        assert found == []
    seen = taught(memory, "zeppelin known", type=MemoryType.ERROR_PATTERN, details=details, files=[TOKENS])
    assert ids(lookup.find_answers(hook, ["zeppelin"], to(), 9)) == [seen.id]
    lookup.claim_injections(hook, [seen.id], session="s1", agent="a", point="prompt", now=NOW)
    assert lookup.find_answers(hook, ["zeppelin"], to(), 9) == []
    assert lookup.find_fixes(hook, ["e1"], to(), 9) == []
    assert ids(lookup.find_fixes(hook, ["e1"], to("s2"), 9)) == [seen.id]


def test_what_the_host_loaded_itself_was_not_shown_by_us(memory: holloway.Holloway, repository: Repository) -> None:
    repository.commit("AGENTS.md", "- Use the helper `day` for dates in templates.\n")
    memory.import_rules()
    database = memory.store.database
    lookup.mark_loaded_by_host(database.connection, "AGENTS.md", session="s1", agent="claude-code", now=NOW)
    assert database.fetch_value("SELECT count(*) FROM injections") == 1
    assert session_ledger.list_injections_with_subagents(database, "s1") == []
    assert status_counts.load_status_counts(database.connection, "s1", NOW)[2] == 0
    assert session_ledger.count_feedback(database).shown == 0


def test_a_subagent_is_no_session_of_its_own(memory: holloway.Holloway) -> None:
    told = memory.remember("the gate is half open").memory
    assert told is not None
    database = memory.store.database
    for name in ("s1", "s1/explorer", "s1/reviewer", "release/7"):
        lookup.claim_injections(
            database.connection, [told.id], session=name, agent="claude-code", point="prompt", now=NOW
        )
    assert session_ledger.count_all_sessions(database) == 2
    assert [each.id for each in session_ledger.list_latest_sessions(database, 10)] == ["release/7", "s1"]
    assert len(session_ledger.list_injections_with_subagents(database, "s1")) == 3
