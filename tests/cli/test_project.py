"""Commands about a project: brief, status, pause, resume, config, trust, doctor, completion."""

import sqlite3
from pathlib import Path
from typing import Any

import pytest

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


def test_config_is_shown_set_and_kept_with_its_comments(cli: Cli, home: Path) -> None:
    home.mkdir(exist_ok=True)
    (home / "config.toml").write_text("# my own words\n")
    assert cli("config", "get", "synchronous", "--json").json == {"synchronous": {"value": "normal", "from": "default"}}
    assert cli("config", "set", "synchronous", "full").code == 0
    assert cli("config", "set", "trust_level", "2", "--here").code == 0
    assert (home / "config.toml").read_text().startswith("# my own words\n")
    assert cli("config", "--json").json["trust_level"] == {"value": 2, "from": "project"}
    assert cli("status", "--json").json["trust_level"] == 2


def test_pause_and_resume_are_seen_in_the_status(cli: Cli) -> None:
    cli("pause", "capture")
    assert cli("status", "--json").json["paused"] == "capture"
    cli("resume")
    assert cli("status", "--json").json["paused"] is None
    cli("pause", "--everywhere")
    assert "Still paused everywhere" in cli("resume").out
    assert cli("resume", "--everywhere").out == "Resumed.\n"


def test_status_counts_what_there_is(cli: Cli, trap: str) -> None:
    status = cli("status", "--json").json
    assert (status["memories"], status["by_type"], status["by_state"]) == (1, {"gotcha": 1}, {"confirmed": 1})
    assert "1 gotcha" in cli("status").out


@pytest.mark.promise("doctor")
def test_doctor_finds_a_sound_set_up(cli: Cli, trap: str) -> None:
    (Path.home() / ".claude").mkdir(parents=True)
    done = cli("doctor", "--json")
    verdicts = {check["name"]: check["verdict"] for check in done.json["checks"]}
    assert done.code == 0
    assert verdicts["database"] == "ok"
    assert verdicts["claude-code"] == "warning"
    cli("setup", "claude-code", "--yes")
    assert {check["name"]: check["verdict"] for check in cli("doctor", "--json").json["checks"]}["claude-code"] == "ok"


def test_a_setting_reaches_the_hooks_at_once(cli: Cli, trap: str, home: Path) -> None:
    cli("config", "set", "trust_level", "3")
    (database,) = home.glob("projects/*/memory.db")
    connection = sqlite3.connect(database)
    assert connection.execute("SELECT value FROM meta WHERE key = 'trust_level'").fetchone() == ("3",)
    connection.close()


def test_init_and_brief_print_what_an_agent_reads(cli: Cli) -> None:
    assert "Build and test: build: pip install -e . · test: pytest" in cli("init").out
    brief = cli("brief", "--json").json
    assert cli("brief").out.strip() == brief["text"]
    assert brief["tokens"] <= 1_200


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_scripts_are_printed(cli: Cli, shell: str) -> None:
    assert "_HOLLOWAY_COMPLETE" in cli("completion", shell).out


def test_a_pause_everywhere_says_how_it_ends(cli: Cli) -> None:
    assert "Resume with `holloway resume --everywhere`" in cli("pause", "--everywhere").out
    assert "Resume with `holloway resume --everywhere`" in cli("resume").out


def test_a_pause_is_told_with_its_place_and_ended_there(cli: Cli) -> None:
    assert cli("resume").out == "Nothing was paused.\n"
    assert cli("pause").out == "Paused here: everything. Resume with `holloway resume`.\n"
    cli("resume")
    told = "Paused everywhere: injection. Resume with `holloway resume --everywhere`.\n"
    assert cli("pause", "injection", "--everywhere").out == told
    cli("pause", "capture")
    still = cli("resume", "--everywhere").out
    assert still == "Resumed.\nStill paused here: capture. Resume with `holloway resume`.\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("set", "synchronous"), "`config set` needs a key and a value."),
        (("get",), "`config get` needs a key."),
        (("get", "nonsense"), "nonsense"),
    ],
)
def test_a_setting_without_its_name_or_value_is_refused(cli: Cli, arguments: tuple[str, ...], message: str) -> None:
    refused = cli("config", *arguments)
    assert (refused.code, message in refused.err) == (2, True)
