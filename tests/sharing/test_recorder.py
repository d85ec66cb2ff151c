"""The recorder: one operation for every change, in the same transaction, and none before sharing is on."""

import sqlite3

import pytest

from holloway.errors import HollowayError
from holloway.sharing.recorder import Recorder, from_row, to_row
from holloway.store import operation_log
from tests.sharing.team import Device, Team


def own_log(device: Device) -> list[dict[str, object]]:
    rows = operation_log.list_written_by(device.memory.store.database, device.replica)
    return [dict(from_row(row).changes) for row in rows if not row.memory.endswith("/")]


def test_switching_on_records_one_operation_for_each_memory_that_may_leave(team: Team) -> None:
    ada = team.join("Ada", shares=("first", "second"))
    assert len(own_log(ada)) == 2
    assert all({"content", "type", "visibility"} <= changes.keys() for changes in own_log(ada))


def test_a_memory_whose_visibility_was_not_chosen_is_not_recorded(team: Team) -> None:
    ada = team.join("Ada")
    ada.memory.remember("for me alone")
    ada.memory.remember("mine", visibility="personal")
    assert own_log(ada) == []


def test_an_edit_records_the_changed_fields_only(team: Team) -> None:
    ada = team.join("Ada", shares=("first",))
    ada.memory.edit(ada.memory.memories()[0].id, tags=["redis"])
    assert own_log(ada)[-1] == {"tags": {"redis": True}}


def test_an_operation_and_its_change_are_one_transaction(team: Team, monkeypatch: pytest.MonkeyPatch) -> None:
    ada = team.join("Ada", shares=("first",))
    card, before = ada.memory.memories()[0], own_log(ada)

    def fail(*arguments: object, **options: object) -> None:
        raise sqlite3.OperationalError("disk I/O error")

    monkeypatch.setattr(operation_log, "save_shared", fail)
    with pytest.raises(HollowayError, match="disk I/O error"):
        ada.memory.edit(card.id, content="second")
    assert ada.memory.get(card.id).content == "first"
    assert own_log(ada) == before


def test_an_edit_that_brings_in_a_secret_is_not_recorded(team: Team) -> None:
    ada = team.join("Ada", shares=("first",))
    before, card = own_log(ada), ada.memory.memories()[0]
    # The write gate redacts secrets; this stands for one that an earlier release did not know.
    secret = "postgres://ada:Xk29fLq81zPw@db.example.com/shop"
    ada.memory.store.memories.update_memory(card, "edited", content=f"use {secret}")
    assert own_log(ada) == before


def test_forgetting_and_restoring_are_said(team: Team) -> None:
    ada = team.join("Ada", shares=("first",))
    card = ada.memory.memories()[0]
    ada.memory.forget([card.id])
    ada.memory.restore(card.id)
    said = [changes["judgement"]["value"] for changes in own_log(ada)[1:]]  # type: ignore[index]
    assert said == ["forgotten", "confirmed"]


def test_every_counter_is_higher_than_all_that_the_replica_had_seen(team: Team) -> None:
    ada = team.join("Ada", shares=("first",))
    database = ada.memory.store.database
    operation_log.advance_counter(database, 1_000)
    ada.remember("second")
    assert operation_log.list_unsent(database)[0].counter == 1_001


def test_a_row_gives_back_its_operation(team: Team) -> None:
    ada = team.join("Ada")
    operation = Recorder(ada.memory.store).add_operation(ada.replica, f"{ada.replica}/{'a' * 32}", {"summary": "x"})
    assert from_row(to_row(operation)) == operation
