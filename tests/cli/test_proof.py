"""`holloway proof`: asked for before it begins, plain about what is not known yet, and exact about what is."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np
import pytest

from holloway.config import Settings
from holloway.domain.ports import format_stamp
from holloway.domain.work import SessionSummary
from holloway.store import session_ledger

if TYPE_CHECKING:
    from pathlib import Path

    import holloway
    from tests.cli.conftest import Cli


def store_sessions(memory: holloway.Holloway, group: str, number: int, tool_calls: float, **figures: object) -> None:
    """Store the records of sessions of a group, with tool calls around a number."""
    calls = np.random.default_rng(len(group)).normal(tool_calls, 6, number)
    at = format_stamp(memory.clock.now())
    for index, value in enumerate(calls):
        record = {"version": 2, "group": group, "randomised": True, "tool_calls": round(value), "agent": "codex"}
        session = SessionSummary(f"{group}-{index}", "codex", at, at, at)
        session_ledger.finish_session(memory.store.database, session, {**record, **figures})


def test_nothing_is_measured_before_the_user_agrees(cli: Cli, memory: holloway.Holloway) -> None:
    declined = cli("proof", "on", stdin=b"n\n")

    assert "Chance decides for each session" in declined.out
    assert Settings.load_settings(memory.project.key).stored_value("proof.since") == ""
    assert "Measuring is off" in cli("proof").out


def test_measuring_is_turned_on_and_off(cli: Cli, memory: holloway.Holloway) -> None:
    assert "Measuring is on" in cli("proof", "on", "--control", "20", "--passive", "0", "--yes").out
    experiment = cli("proof", "--json").json["experiment"]
    assert (experiment["on"], experiment["control_percent"], experiment["passive_percent"]) == (True, 20, 0)
    assert "20 % control, 0 % passive" in cli("proof").out
    assert "measuring  since 2026-" in cli("status").out

    assert "told everything" in cli("proof", "off").out
    assert cli("proof", "--json").json["experiment"]["on"] is False
    assert "measuring  since" not in cli("status").out
    assert not (memory.project.folder / "hook.json").exists()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("proof", "on", "--control", "0", "--yes"), "Without a control group nothing can be measured."),
        (("proof", "on", "--control", "80", "--yes"), "80 is not in the range 0<=x<=50"),
        (("proof", "--control", "5"), "Add `on`."),
        (("proof", "--pool", "missing.csv"), "missing.csv cannot be read"),
    ],
)
def test_a_wrong_choice_is_named(cli: Cli, arguments: tuple[str, ...], words: str) -> None:
    answer = cli(*arguments)

    assert answer.code != 0
    assert words in answer.err


def test_too_few_sessions_get_a_number_and_no_verdict(cli: Cli, memory: holloway.Holloway) -> None:
    store_sessions(memory, "full", 120, 30)
    store_sessions(memory, "control", 4, 60)

    printed = cli("proof").out

    assert "Full against control:\n  not enough yet: 96 more control sessions needed" in printed
    assert "better" not in printed


def test_an_effect_is_told_with_its_interval_and_harms_by_session(cli: Cli, memory: holloway.Holloway) -> None:
    store_sessions(memory, "full", 150, 30)
    store_sessions(memory, "control", 150, 40)
    store_sessions(memory, "passive", 1, 40, shown=[["abcdef123", "prompt", 10, 1]], outcome="failure")

    printed = cli("proof").out
    (compared,) = [
        metric
        for comparison in cli("proof", "--json").json["comparisons"]
        for metric in comparison["metrics"]
        if metric["metric"] == "tool_calls" and metric["verdict"] != "not enough yet"
    ]

    assert "Sessions assigned by chance: 150 full, 1 passive, 150 control; 0 others" in printed
    assert "tool calls                     better: 30 against 39 (difference -11 to -8), p < 0.001" in printed
    assert "re-reads of known files        not known of any of these sessions" in printed
    assert "passive-0  the session failed: abcdef" in printed
    assert compared["difference"]["low"] < -10 < compared["difference"]["high"] < 0


def test_exports_of_several_machines_are_pooled(cli: Cli, memory: holloway.Holloway, tmp_path: Path) -> None:
    store_sessions(memory, "full", 60, 30)
    store_sessions(memory, "control", 60, 40)
    (tmp_path / "this.csv").write_text(cli("proof", "--csv").out)
    other = (tmp_path / "this.csv").read_text().splitlines()
    renamed = [other[0], *(f"{number:016x}{line[16:]}" for number, line in enumerate(other[1:]))]
    (tmp_path / "other.csv").write_text("\n".join(renamed) + "\n")

    pooled = cli("proof", "--json", "--pool", str(tmp_path / "this.csv"), "--pool", str(tmp_path / "other.csv")).json

    assert (pooled["sessions"]["full"], pooled["sessions"]["control"]) == (120, 120)
    assert pooled["comparisons"][0]["metrics"][0]["verdict"] == "better"
    assert json.dumps(pooled).count("control-") == 0
