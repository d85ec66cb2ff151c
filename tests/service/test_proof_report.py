"""Sessions in Python obey their group, too: by their work unit, at every point, while questions are answered."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from holloway.injection import experiment
from holloway.service import experiment as experiments
from holloway.service import proof_report
from holloway.store import session_ledger
from tests.hooks.asking import TRAP, TRAP_FILE
from tests.injection.test_experiment import find_session

if TYPE_CHECKING:
    import holloway
    from holloway.service.session import Session


@pytest.fixture
def running(memory: holloway.Holloway) -> experiment.Experiment:
    memory.remember(TRAP, files=[TRAP_FILE])
    experiments.turn_on(memory.project, memory.clock.now(), 30, 30)
    loaded = experiment.load_experiment(str(memory.project.folder))
    assert loaded is not None
    return loaded


def ask_everything(session: Session) -> dict[str, object]:
    return {
        "brief": session.brief(),
        "prompt": session.context_for("Fix refresh() in src/shop/auth/tokens.py"),
        "tool_result": session.used("Read", {"file_path": TRAP_FILE}, "def refresh(): ..."),
        "step": session.before_step(),
        "search": session.search_first("refresh"),
        "planner": session.planner_context(),
        "spec": session.spec_context(),
        "qa": session.qa_context([TRAP_FILE]),
        "recovery": session.recovery_context(),
        "resume": session.resume(),
        "prefetch": session.prefetch([TRAP_FILE]).files,
        "steps": session.step_limit(7) - 7,
    }


@pytest.mark.promise("ab")
def test_an_agent_in_python_in_the_control_group_gets_nothing_unasked(
    memory: holloway.Holloway, running: experiment.Experiment
) -> None:
    name = find_session(running, experiment.CONTROL)
    with memory.session(name) as session:
        answers = ask_everything(session)

    assert {point: answer for point, answer in answers.items() if answer} == {}
    assert memory.recall("refresh token")
    record = session_ledger.load_session_record(memory.store.database, name)
    assert (record["group"], record["randomised"], record["tool_calls"]) == ("control", True, 1)


def test_an_agent_in_python_in_the_passive_group_gets_brief_and_prompt(
    memory: holloway.Holloway, running: experiment.Experiment
) -> None:
    with memory.session(find_session(running, experiment.PASSIVE)) as session:
        answers = ask_everything(session)

    assert {point for point, answer in answers.items() if answer} == {"brief", "prompt"}


def test_without_an_experiment_the_record_does_not_claim_chance(memory: holloway.Holloway) -> None:
    with memory.session("s1") as session:
        session.used("Read", {"file_path": TRAP_FILE}, "def refresh(): ...")

    record = session_ledger.load_session_record(memory.store.database, "s1")
    assert (record["group"], record["randomised"]) == ("full", False)


def test_a_user_who_agrees_again_does_not_move_earlier_sessions(
    memory: holloway.Holloway, running: experiment.Experiment
) -> None:
    with memory.session(find_session(running, experiment.CONTROL)) as session:
        session.used("Read", {"file_path": TRAP_FILE}, "def refresh(): ...")

    experiments.turn_on(memory.project, memory.clock.now(), 1, 0)
    experiments.turn_off(memory.project)

    assert [row["group"] for row in proof_report.list_figures(memory)] == ["control"]


@pytest.mark.promise("honest-figures")
def test_a_memory_that_is_flagged_after_the_session_is_possible_harm(memory: holloway.Holloway) -> None:
    taught = memory.remember(TRAP, files=[TRAP_FILE]).memory
    assert taught is not None
    with memory.session("s1") as session:
        assert session.context_for("Fix refresh() in src/shop/auth/tokens.py")
        session.used("Read", {"file_path": TRAP_FILE}, "def refresh(): ...")
    assert proof_report.build_report(memory)["harms"] == []

    memory.wrong(taught.id, reason="incorrect")

    (harm,) = proof_report.build_report(memory)["harms"]
    assert (harm["session"], harm["reason"], harm["memories"]) == ("s1", "flagged as wrong", (taught.id,))
