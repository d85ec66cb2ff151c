"""The table of fields, and old records read by it."""

import json
from pathlib import Path

from docs.reference import record_table
from holloway.proof.record_fields import RECORD_FIELD_NAMES, RECORD_FIELDS, RECORD_VERSION, complete_record

VERSION_1 = """
{"acted_on": [], "agent": "claude-code", "candidates": {}, "cited": [], "context_peak": 0, "corrected": 0,
 "dead_ends_entered": 0, "discovery_calls": 2, "errors": 0, "errors_known": 0, "events": 5,
 "evidence": "insights: nothing was edited; partial: it just ended", "failed_events": 0, "files_edited": 0,
 "first_reads": 1, "group": "memory", "known_files_read_again": 0, "outcome": "partial", "phase": "explore",
 "prefetched": 0, "prefetched_read_again": 0, "saved_tokens": 0, "search_tokens": 4, "shown": [], "signals": {},
 "slow_events": 0, "steps_to_first_edit": 0, "tokens_in": 0, "tokens_out": 0, "tool_calls": 2, "trust_level": 1,
 "type": "insights", "used": []}
"""


def test_each_field_has_one_row_with_unit_meaning_and_source() -> None:
    assert len(set(RECORD_FIELD_NAMES)) == len(RECORD_FIELD_NAMES)
    assert [field.name for field in RECORD_FIELDS if not all(field)] == []
    assert [field.name for field in RECORD_FIELDS if "|" in "".join(field)] == []


def test_a_record_of_version_1_is_read_with_its_missing_fields_as_unknown() -> None:
    stored = json.loads(VERSION_1)

    record = complete_record(stored)

    assert set(record) == set(RECORD_FIELD_NAMES)
    missing = set(RECORD_FIELD_NAMES) - set(stored)
    assert {"version", "modules", "answers_dropped", "qa_first_pass", "explicit_searches"} <= missing
    assert {record[name] for name in missing} == {None}
    assert (record["group"], record["tool_calls"], record["errors"]) == ("memory", 2, 0)


def test_the_zeros_that_stood_for_unknown_in_version_1_are_unknown() -> None:
    stored = json.loads(VERSION_1)
    names = ("steps_to_first_edit", "tokens_in", "tokens_out", "context_peak", "prefetched", "prefetched_read_again")

    assert {complete_record(stored)[name] for name in names} == {None}
    assert complete_record({**stored, "tokens_in": 800, "steps_to_first_edit": 3})["tokens_in"] == 800
    assert complete_record({**stored, "version": RECORD_VERSION})["tokens_in"] == 0


def test_a_session_that_was_not_learned_from_has_no_record() -> None:
    assert complete_record({}) == {}


def test_a_field_of_a_later_release_is_kept() -> None:
    assert complete_record({"version": RECORD_VERSION + 1, "something_new": 5})["something_new"] == 5


def test_the_documentation_has_the_whole_table() -> None:
    page = (Path(__file__).parents[2] / "docs" / "json.md").read_text("utf-8")
    assert record_table() in page
    assert all(f"| `{name}` |" in record_table() for name in RECORD_FIELD_NAMES)
