"""Hooks obey the group of a session: control is told nothing, passive at two points only, and all are observed."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from holloway.config import change_setting
from holloway.injection import experiment
from holloway.service import experiment as experiments
from holloway.service import jobs
from holloway.store import session_ledger
from tests.hooks.asking import TRAP, TRAP_FILE, Asking, event
from tests.injection.test_experiment import find_session

if TYPE_CHECKING:
    import holloway
    from tests.conftest import Repository
    from tests.hooks.asking import Asked

AT_STOP = "learning.ask_at_stop"


@pytest.fixture
def running(memory: holloway.Holloway) -> experiment.Experiment:
    """An experiment with all groups, in a project with a gotcha, and agents that are asked for lessons."""
    memory.remember(TRAP, files=[TRAP_FILE])
    change_setting(AT_STOP, "on")
    experiments.turn_on(memory.project, memory.clock.now(), 30, 30)
    loaded = experiment.load_experiment(str(memory.project.folder))
    assert loaded is not None
    return loaded


def play_session(ask: Asking, repository: Repository, session: str) -> dict[str, Asked]:
    """Play a session that reads the file with the gotcha and fixes a failing test; return the answers."""
    run: dict[str, Any] = {"tool_name": "Bash", "tool_input": {"command": "pytest -q"}}
    edit = {"file_path": str(repository.root / "README.md"), "old_string": "a", "new_string": "b"}
    payloads = {
        "start": event(repository, "SessionStart", session, source="startup"),
        "prompt": event(repository, "UserPromptSubmit", session, prompt="Fix refresh() in src/shop/auth/tokens.py"),
        "read": event(repository, "PostToolUse", session),
        "failure": event(repository, "PostToolUseFailure", session, error="Exit code 1\nE assert", **run),
        "edit": event(repository, session=session, tool_name="Edit", tool_input=edit, tool_response={}),
        "green": event(repository, session=session, tool_response={"stdout": "1 passed"}, **run),
        "step": event(repository, "PostToolBatch", session, tool_calls=[]),
        "subagent": event(repository, "SubagentStart", session, agent_id="a1", agent_type="Explore"),
        "stop": event(repository, "Stop", session),
        "end": event(repository, "SessionEnd", session, reason="exit"),
    }
    return {name: ask(payload) for name, payload in payloads.items()}


@pytest.mark.promise("ab")
def test_a_control_session_is_told_not_a_byte_that_nobody_asked_for(
    running: experiment.Experiment, repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = play_session(Asking(monkeypatch), repository, find_session(running, experiment.CONTROL))

    assert {name: answer.printed for name, answer in answers.items() if answer.printed} == {}


def test_a_passive_session_is_told_something_at_its_start_and_with_prompts_only(
    running: experiment.Experiment, repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = play_session(Asking(monkeypatch), repository, find_session(running, experiment.PASSIVE))

    assert {name for name, answer in answers.items() if answer.printed} == {"start", "prompt"}


def test_a_session_of_the_full_group_is_told_everything(
    running: experiment.Experiment, repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = play_session(Asking(monkeypatch), repository, find_session(running, experiment.FULL))

    assert {"start", "prompt", "stop"} <= {name for name, answer in answers.items() if answer.printed}


@pytest.mark.promise("ab")
def test_sessions_of_every_group_are_observed_alike(
    memory: holloway.Holloway,
    running: experiment.Experiment,
    repository: Repository,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    journals = []
    for group in experiment.GROUPS:
        session = find_session(running, group)
        play_session(Asking(monkeypatch), repository, session)
        lines = (memory.project.journal_folder / f"{session}.jsonl").read_text("utf-8").splitlines()
        journals.append([row["event"] for row in map(json.loads, lines) if row["event"] != "Located"])

    assert journals[0] == journals[1] == journals[2]
    assert len(journals[0]) >= 8


def test_the_record_of_a_session_says_its_group_and_that_chance_chose_it(
    memory: holloway.Holloway,
    running: experiment.Experiment,
    repository: Repository,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    session = find_session(running, experiment.CONTROL)
    play_session(Asking(monkeypatch), repository, session)

    jobs.learn_ended(memory, 60)

    record = session_ledger.load_session_record(memory.store.database, session)
    assert (record["group"], record["randomised"], record["shown"]) == ("control", True, [])


def test_a_session_that_began_before_the_experiment_takes_no_part(
    memory: holloway.Holloway, repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    play_session(Asking(monkeypatch), repository, "s1")
    experiments.turn_on(memory.project, memory.clock.now().replace(year=2100), 50, 0)

    jobs.learn_ended(memory, 60)

    record = session_ledger.load_session_record(memory.store.database, "s1")
    assert (record["group"], record["randomised"]) == ("full", False)
