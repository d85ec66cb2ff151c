"""What a hook may look up in a store: by file, by the words of a search, by an error met again."""

import sqlite3
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

import holloway
from holloway.domain.memory import Draft, MemoryType, Source, State
from holloway.domain.memory_details import ErrorFix
from holloway.domain.ports import format_stamp, parse_stamp
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


def test_unseen_memories_of_a_type_come_with_content_and_details(
    memory: holloway.Holloway, hook: sqlite3.Connection
) -> None:
    details = {"error": "refused", "fix": "start postgres", "fingerprint": "e1"}
    fix = taught(memory, "start postgres first", type="error_pattern", details=details)
    broken = taught(memory, "start redis first", type="error_pattern")
    taught(memory, "money is cents", type="decision")
    hook.execute("UPDATE memories SET details = '{not json' WHERE id = ?", (broken.id,))
    rows = {row["id"]: row for row in lookup.find_unseen_of_type(hook, "error_pattern", to(), 9)}
    assert set(rows) == {fix.id, broken.id}
    assert rows[fix.id]["content"] == "start postgres first"
    assert isinstance(rows[fix.id]["details"], dict)
    assert rows[fix.id]["details"]["fix"] == "start postgres"  # type: ignore[index]
    assert rows[broken.id]["details"] == {}
    assert len(lookup.find_unseen_of_type(hook, "error_pattern", to(), 1)) == 1


def test_those_of_some_memories_that_may_be_shown_and_were_not_are_found(
    memory: holloway.Holloway, hook: sqlite3.Connection
) -> None:
    gate, cents = taught(memory, "the gate is half open"), taught(memory, "money is cents")
    pinned = taught(memory, "dates are UTC")
    memory.pin(pinned.id)
    assert ids(lookup.find_unseen(hook, [cents.id, pinned.id, "nobody"], to())) == [pinned.id, cents.id]
    claimed = lookup.claim_injections(hook, [gate.id, cents.id], session="s1", agent="a", point="prompt", now=NOW)
    assert claimed == [gate.id, cents.id]
    again = lookup.claim_injections(hook, [gate.id, pinned.id], session="s1", agent="a", point="prompt", now=NOW)
    assert again == [pinned.id]
    assert lookup.find_unseen(hook, [cents.id], to()) == []
    assert lookup.is_allowed(hook, cents.id, to()) is True
    assert lookup.is_allowed(hook, "nobody", to()) is False
    assert lookup.read_shown_ids(hook, "s1") == {gate.id, cents.id, pinned.id}
    assert lookup.read_shown_ids(hook, "s2") == set()


def test_after_a_compaction_the_same_memories_may_be_shown_again(
    memory: holloway.Holloway, hook: sqlite3.Connection
) -> None:
    gate = taught(memory, "the gate is half open")
    assert lookup.read_context(hook, "s1") == 0
    lookup.claim_injections(hook, [gate.id], session="s1", agent="a", point="prompt", now=NOW)
    assert lookup.touch_session(hook, "s1", "a", "2026-01-07T00:00:00.000Z") == 0
    assert lookup.touch_session(hook, "s1", "a", "2026-01-08T00:00:00.000Z", compacted=True) == 1
    assert lookup.read_context(hook, "s1") == 1
    assert lookup.read_last_event(hook, "s1") == "2026-01-08T00:00:00.000Z"
    assert lookup.read_last_event(hook, "nobody") == ""
    claimed = lookup.claim_injections(
        hook, [gate.id], session="s1", agent="a", point="compact", now=NOW, compacted=True
    )
    assert (claimed, lookup.read_context(hook, "s1")) == ([gate.id], 2)


def test_a_claim_that_fails_is_not_recorded_in_part(memory: holloway.Holloway, hook: sqlite3.Connection) -> None:
    gate = taught(memory, "the gate is half open")
    broken: list[str] = [gate.id, object()]  # type: ignore[list-item]
    with pytest.raises(sqlite3.Error):
        lookup.claim_injections(hook, broken, session="s1", agent="a", point="prompt", now=NOW)
    assert lookup.read_shown_ids(hook, "s1") == set()
    assert lookup.count_sessions(hook) == 0


def test_project_wide_memories_are_pinned_or_confirmed_without_a_file(
    memory: holloway.Holloway, hook: sqlite3.Connection
) -> None:
    cents = taught(memory, "money is cents", type="decision")
    taught(memory, "tokens are strings", type="decision", files=[TOKENS])
    pinned = taught(memory, "refresh once", type="decision", files=[TOKENS])
    memory.pin(pinned.id)
    taught(memory, "the gate is half open", type="gotcha")
    rows = lookup.find_general(hook, lookup.RULE_TYPES, "main", 9)
    assert ids(rows) == [pinned.id, cents.id]
    assert [row["pinned"] for row in rows] == [1, 0]
    assert ids(lookup.find_general(hook, lookup.RULE_TYPES, "main", 1)) == [pinned.id]


def test_recipes_come_with_their_details_and_the_most_used_first(
    memory: holloway.Holloway, hook: sqlite3.Connection
) -> None:
    first, second = (taught(memory, f"how to release part {n}", type="workflow_recipe") for n in (1, 2))
    hook.execute("UPDATE memories SET use_count = 3, details = '[1]' WHERE id = ?", (second.id,))
    hook.execute("UPDATE memories SET details = ? WHERE id = ?", ('{"steps": ["build"]}', first.id))
    assert lookup.find_recipes(hook, "main", 9) == [(second.id, {}), (first.id, {"steps": ["build"]})]
    assert lookup.find_recipes(hook, "main", 1) == [(second.id, {})]


def test_unfinished_work_is_found_by_its_branch_unless_it_is_quarantined(
    memory: holloway.Holloway, hook: sqlite3.Connection
) -> None:
    assert lookup.find_work_state(hook, "feature") is None
    work = taught(memory, "half of the login is done", type="gotcha", files=["src/shop/auth/session.py", TOKENS])
    update = "UPDATE memories SET type = 'work_state', origin = ?, details = ? WHERE id = ?"
    hook.execute(update, (lookup.work_state_origin("feature"), '{"task": "login"}', work.id))
    state = lookup.find_work_state(hook, "feature")
    assert state is not None
    assert (state["id"], state["details"]) == (work.id, {"task": "login"})
    assert state["files"] == ["src/shop/auth/session.py", TOKENS]
    assert lookup.find_work_state(hook, "") is None
    hook.execute("UPDATE memories SET state = 'quarantined' WHERE id = ?", (work.id,))
    assert lookup.find_work_state(hook, "feature") is None


def test_details_are_loaded_by_id_and_only_living_ones_alone(
    memory: holloway.Holloway, hook: sqlite3.Connection
) -> None:
    details = {"error": "refused", "fix": "start postgres", "fingerprint": "e1"}
    fix = taught(memory, "start postgres first", type="error_pattern", details=details, files=[TOKENS])
    plain = taught(memory, "the gate is half open")
    loaded = lookup.load_details(hook, [fix.id, plain.id, "nobody"])
    assert set(loaded) == {fix.id, plain.id}
    assert (loaded[fix.id][0]["fix"], loaded[fix.id][1]) == ("start postgres", [TOKENS])
    assert loaded[plain.id][1] == []
    assert lookup.load_living_details(hook, fix.id)["fix"] == "start postgres"
    memory.forget([fix])
    assert lookup.load_living_details(hook, fix.id) == {}
    assert lookup.load_living_details(hook, "nobody") == {}


def test_the_trust_level_is_what_was_stored_or_the_most_careful_one(
    memory: holloway.Holloway, hook: sqlite3.Connection
) -> None:
    for stored, level in (("3", 3), ("2", 2), ("99", 1)):
        memory.store.set_meta("trust_level", stored)
        assert lookup.read_trust_level(hook) == level
    hook.execute("DELETE FROM meta WHERE key = 'trust_level'")
    assert lookup.read_trust_level(hook) == 1


def test_a_careful_level_shows_an_inferred_memory_only_when_somebody_asked(
    memory: holloway.Holloway, hook: sqlite3.Connection
) -> None:
    draft = Draft("the gate is half open", source=Source.OBSERVER_INFERRED, state=State.UNCONFIRMED, files=(TOKENS,))
    inferred = memory.store.memories.add_memory(sanitize_draft(draft)).memory
    assert inferred is not None
    hook.execute("UPDATE memories SET confidence = 0.99, half_life_days = NULL")
    asked = lookup.Viewer(session="s1", context=0, branch="main", now=NOW, level=1, is_asked=True)
    assert lookup.find_for_files(hook, [TOKENS], to(), 3) == []
    assert ids(lookup.find_for_files(hook, [TOKENS], asked, 3)) == [inferred.id]
    assert [
        lookup.Viewer(session="", context=0, branch="", now="", level=3, is_asked=asked).to_values()["level"]
        for asked in (True, False)
    ] == [3, 3]


@pytest.mark.promise("fades")
@pytest.mark.parametrize(("days_unused", "is_told"), [(0, True), (59, True), (61, False)])
def test_a_cautious_lesson_is_told_for_one_half_life_and_not_longer(
    memory: holloway.Holloway, hook: sqlite3.Connection, days_unused: int, is_told: bool
) -> None:
    draft = Draft(
        "the gate is half open",
        type=MemoryType.GOTCHA,
        source=Source.AGENT_CONCLUDED,
        state=State.UNCONFIRMED,
        files=(TOKENS,),
    )
    lesson = memory.store.memories.add_memory(sanitize_draft(draft)).memory
    assert lesson is not None
    assert (lesson.confidence, lesson.half_life_days) == (0.66, 60)
    hook.execute("UPDATE memories SET last_used_at = :now", {"now": NOW})
    later = format_stamp(parse_stamp(NOW) + timedelta(days=days_unused))
    viewer = lookup.Viewer(session="s1", context=0, branch="main", now=later, level=2)
    assert ids(lookup.find_for_files(hook, [TOKENS], viewer, 3)) == [lesson.id] * is_told


@pytest.mark.promise("repository-is-not-trusted")
def test_a_rule_of_a_rules_file_is_told_to_nobody_before_a_person_approved_it(
    memory: holloway.Holloway, hook: sqlite3.Connection
) -> None:
    draft = Draft("gates are closed by hand", source=Source.RULES_FILE, state=State.UNCONFIRMED, files=(TOKENS,))
    rule = memory.store.memories.add_memory(sanitize_draft(draft)).memory
    assert rule is not None
    asked = lookup.Viewer(session="s1", context=0, branch="main", now=NOW, level=4, is_asked=True)
    assert lookup.find_matching(hook, ["gates"], asked, 3) == []
    assert lookup.find_for_files(hook, [TOKENS], to(level=4), 3) == []
    memory.confirm(rule.id)
    assert ids(lookup.find_matching(hook, ["gates"], asked, 3)) == [rule.id]


def test_an_explanation_of_the_git_history_is_told_to_nobody_before_a_person_confirmed_it(
    memory: holloway.Holloway, hook: sqlite3.Connection
) -> None:
    draft = Draft(
        "gates open late because the feed is slow",
        source=Source.COMMIT_AUTO,
        state=State.UNCONFIRMED,
        confidence=0.82,
        origin=f"{lookup.HISTORY_PREFIX}0123456789abcdef:0",
        files=(TOKENS,),
    )
    explanation = memory.store.memories.add_memory(sanitize_draft(draft)).memory
    assert explanation is not None
    asked = lookup.Viewer(session="s1", context=0, branch="main", now=NOW, level=4, is_asked=True)
    assert lookup.find_matching(hook, ["gates"], asked, 3) == []
    assert lookup.find_for_files(hook, [TOKENS], to(level=4), 3) == []
    assert [result.memory.id for result in memory.recall("gates feed")] == [explanation.id]
    memory.confirm(explanation.id)
    assert ids(lookup.find_for_files(hook, [TOKENS], to(level=1), 3)) == [explanation.id]


def test_only_stored_ids_are_kept_in_their_order(memory: holloway.Holloway, hook: sqlite3.Connection) -> None:
    gate, cents = taught(memory, "the gate is half open"), taught(memory, "money is cents")
    assert lookup.keep_stored(hook, [cents.id, "nobody", gate.id]) == [cents.id, gate.id]


@pytest.mark.promise("muted")
def test_a_muted_memory_is_found_only_for_one_who_asks(memory: holloway.Holloway, hook: sqlite3.Connection) -> None:
    details = {"error": "refused", "fix": "start postgres", "fingerprint": "e1"}
    muted = taught(memory, "start postgres first", type="error_pattern", details=details, files=[TOKENS])
    rule = taught(memory, "money is cents", type="decision")
    recipe = taught(memory, "how to release", type="workflow_recipe")
    for each in (muted, rule, recipe):
        memory.pin(each.id)
        memory.mute(each.id)

    def find_all(viewer: lookup.Viewer) -> list[list[str]]:
        return [
            ids(lookup.find_for_files(hook, [TOKENS], viewer, 9)),
            ids(lookup.find_fixes(hook, ["e1"], viewer, 9)),
            ids(lookup.find_answers(hook, ["postgres"], viewer, 9)),
            ids(lookup.find_matching(hook, ["postgres"], viewer, 9)),
            ids(lookup.find_unseen(hook, [muted.id], viewer)),
            ids(lookup.find_unseen_of_type(hook, "error_pattern", viewer, 9)),
        ]

    assert find_all(to()) == [[]] * 6
    assert lookup.find_general(hook, lookup.RULE_TYPES, "main", 9) == []
    assert lookup.find_recipes(hook, "main", 9) == []
    asking = lookup.Viewer(session="s1", context=0, branch="main", now=NOW, level=1, is_asked=True)
    assert find_all(asking) == [[muted.id]] * 6
    memory.mute(muted.id, on=False)
    assert find_all(to()) == [[muted.id]] * 6
