"""Candidates of sessions are stored with their outcome and without secrets."""

from dataclasses import replace

import holloway
from holloway.store import candidates
from holloway.store.candidates import DROPPED, HELD, PROMOTED, REINFORCED, StoredCandidate

TOKEN = "ghp_" + "aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zA1bC2"
ONE = StoredCandidate("s1", 1, "dead_end", "k", 3, HELD, "waits", "", {"a": [1]}, "2026-01-05", "2026-01-19")


def store_all(memory: holloway.Holloway, *rows: StoredCandidate) -> None:
    with memory.store.database.write_transaction():
        for row in rows:
            candidates.insert_candidate(memory.store.database, row)


def test_a_candidate_comes_back_as_it_was_stored(memory: holloway.Holloway) -> None:
    store_all(memory, ONE)
    assert candidates.list_session_candidates(memory.store.database, "s1") == [ONE]
    store_all(memory, settled := replace(ONE, state=DROPPED, held_until=""))
    assert candidates.list_session_candidates(memory.store.database, "s1") == [settled]


def test_candidates_are_listed_by_session_by_state_and_by_memory(memory: holloway.Holloway) -> None:
    second = replace(ONE, number=2, state=PROMOTED, memory="m1")
    older = replace(ONE, session="s0", at="2026-01-04")
    reinforced = replace(ONE, session="s2", state=REINFORCED, memory="m1", at="2026-01-03")
    store_all(memory, second, ONE, older, reinforced)
    database = memory.store.database
    assert candidates.list_session_candidates(database, "s1") == [ONE, second]
    assert candidates.list_held_candidates(database) == [older, ONE]
    assert candidates.list_memory_candidates(database, "m1") == [reinforced, second]
    counts = {("dead_end", HELD): 2, ("dead_end", PROMOTED): 1, ("dead_end", REINFORCED): 1}
    assert candidates.count_by_signal_and_state(database) == counts


def test_the_candidates_of_a_session_are_replaced_together(memory: holloway.Holloway) -> None:
    other = replace(ONE, session="s2")
    store_all(memory, ONE, replace(ONE, number=2), other)
    candidates.replace_session_candidates(memory.store.database, "s1", [replace(ONE, number=7)])
    assert [row.number for row in candidates.list_session_candidates(memory.store.database, "s1")] == [7]
    assert candidates.list_session_candidates(memory.store.database, "s2") == [other]


def test_secrets_are_cut_out_of_every_text_of_a_candidate(memory: holloway.Holloway) -> None:
    draft = {"text": f"use {TOKEN}", "list": [TOKEN, 3, None], "deep": {"text": TOKEN}, "number": 1.5}
    store_all(memory, replace(ONE, reason=f"because of {TOKEN}", draft=draft))
    (row,) = candidates.list_session_candidates(memory.store.database, "s1")
    mark = "[REDACTED: github-pat]"
    assert row.reason == f"because of {mark}"
    assert row.draft == {"text": f"use {mark}", "list": [mark, 3, None], "deep": {"text": mark}, "number": 1.5}
