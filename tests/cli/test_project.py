"""The trust level on the command line."""

from pathlib import Path
from typing import Any

from holloway.cli import project
from tests.cli.conftest import Cli


def test_the_level_is_told_with_its_reason_its_counts_and_what_comes_next(cli: Cli, trap: str) -> None:
    shown = cli("trust").out
    assert "Trust level 1, cautious: the first sessions are watched before more is said." in shown
    assert "0 sessions; 0 memories shown, 0 of them confirmed, 0 corrected" in shown
    assert "standard comes by itself after 3 sessions watched and learned from (0 so far)" in " ".join(shown.split())


def test_a_level_is_set_by_name_or_number_for_this_project(cli: Cli, trap: str) -> None:
    assert cli("trust", "confident", "--json").json["level"] == 3
    found = cli("trust", "--json").json
    assert (found["level"], found["name"], found["from"], found["above_confidence"]) == (
        3,
        "confident",
        "project",
        0.55,
    )
    assert cli("trust", "2").code == 0
    assert cli("status", "--json").json["trust_level"] == 2
    assert cli("config", "get", "trust_level", "--json").json["trust_level"]["from"] == "project"


def test_a_level_that_there_is_not_is_refused_with_those_that_there_are(cli: Cli, trap: str) -> None:
    refused = cli("trust", "reckless")
    assert refused.code != 0
    assert "1 cautious, 2 standard, 3 confident, 4 autonomous, or auto" in " ".join(refused.err.split())


def test_a_level_that_is_set_where_nothing_was_remembered_yet_holds_there_only(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    assert cli("trust", "confident", "--json").json["from"] == "project"
    assert cli("trust", "--project", str(tmp_path / "other"), "--json").json["level"] == 1


OBSERVER: dict[str, Any] = {
    "promoted": 2,
    "held": 1,
    "dropped": 3,
    "events": 0,
    "slow_events": 4,
    "failed_events": 5,
    "signals": {},
    "confirmed_by_people": 0,
    "rejected_by_people": 0,
}


def test_the_figures_of_the_observer_are_told_where_there_are_any() -> None:
    kept = "observed   2 kept, 1 held, 3 dropped"
    assert list(project._observer_lines(OBSERVER)) == [kept]
    signals = {
        "dead_end": {"fired": 1, "promoted": 0, "reinforced": 0},
        "error_retry": {"fired": 2, "promoted": 1, "reinforced": 0},
        "backtrack": {"fired": 1, "promoted": 0, "reinforced": 3},
    }
    busy = {**OBSERVER, "events": 1_234, "signals": signals, "confirmed_by_people": 3, "rejected_by_people": 1}
    assert [line.strip() for line in project._observer_lines(busy)] == [
        kept,
        "1,234 events, 4 slow, 5 failed",
        "error retry: fired 2 times, 1 kept",
        "backtrack: fired 1 time, 0 kept, 3 seen again",
        "You rejected 1 of the 4 that you judged.",
    ]
