"""A session is read by the real Claude Code and Codex: after consent, within the cap, once, its quotes checked."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import holloway
from holloway.service import jobs
from holloway.store import candidates, session_ledger
from tests.journeys.test_reader import AGENTS, converse, home, list_traces, make_agent
from tests.promotion.reader.reading import answer, lesson
from tests.service.test_session_reading import CAUSE, QUOTE, contents, learn_and_wait, leave_session

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from holloway.testing import FakeClock
    from tests.conftest import Repository
    from tests.journeys.scripted_model import Turn
    from tests.journeys.test_reader import ReaderModel

__all__ = ["converse", "home"]

INVENTED = "The login fails in the evening because the cache of the sessions is full by then"
ANSWER = answer(lesson(CAUSE, QUOTE), lesson(INVENTED, "the cache of the sessions is full"))


def run_holloway(repository: Repository, *arguments: str) -> None:
    """Run a command of holloway in a project, as the person does."""
    command = [sys.executable, "-m", "holloway", *arguments]
    subprocess.run(command, cwd=repository.root, check=True, capture_output=True, timeout=60)


@pytest.fixture
def project(repository: Repository, home: Path) -> Repository:
    """A project with a memory, on a machine of a person who has chosen nothing yet."""
    with holloway.open(repository.root):
        return repository


@pytest.mark.parametrize("name", AGENTS)
def test_a_session_is_read_once_after_consent_and_an_invented_quote_is_refused(
    project: Repository,
    name: str,
    home: Path,
    clock: FakeClock,
    converse: Callable[[str, Sequence[Turn]], ReaderModel],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PATH", f"{Path(make_agent(name)._program).parent}{os.pathsep}{os.environ['PATH']}")
    with converse(name, [ANSWER]) as model:
        with holloway.open(project.root, clock=clock) as memory:
            leave_session(memory, "s1")
            learn_and_wait(memory, clock)
            assert not jobs.has_sessions_to_read(memory)
        run_holloway(project, "reader", "on", "--provider", name)
        with holloway.open(project.root, clock=clock) as memory:
            leave_session(memory, "s2", number=1)
            learn_and_wait(memory, clock)
            traces = list_traces(home)
            assert jobs.read_sessions(memory, 120) == "1 read, 1 lessons stored"
            assert jobs.read_sessions(memory, 120) == ""
            told, sessions = contents(memory), session_ledger.list_latest_sessions(memory.store.database, 10)
            rows = candidates.list_session_candidates(memory.store.database, "s2")
    assert len(model.requests) == 1
    assert CAUSE in told
    assert INVENTED not in told
    reasons = [row.reason for row in rows if row.draft.get("content") == INVENTED]
    assert reasons == ["quotes: a quote is not in the session word for word"]
    assert {session.id for session in sessions} == {"s1", "s2"}
    assert not (home.parent / "acted.log").exists()
    assert list_traces(home) == traces


@pytest.mark.parametrize("name", AGENTS)
def test_above_the_cap_no_agent_is_run(
    project: Repository,
    name: str,
    clock: FakeClock,
    converse: Callable[[str, Sequence[Turn]], ReaderModel],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PATH", f"{Path(make_agent(name)._program).parent}{os.pathsep}{os.environ['PATH']}")
    run_holloway(project, "reader", "on", "--provider", name)
    run_holloway(project, "config", "set", "reader.daily_tokens", "1000")
    with converse(name, [ANSWER]) as model, holloway.open(project.root, clock=clock) as memory:
        leave_session(memory)
        learn_and_wait(memory, clock)
        assert "1,000 tokens are spent" in jobs.read_sessions(memory, 120)
        assert jobs.has_sessions_to_read(memory)
    assert model.requests + model.side_requests == []
