"""Further real agents, connected by setup: brief, gotcha and journal, and every byte of ours gone after removal."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from holloway.install import DIALECTS
from tests.conftest import Repository
from tests.journeys import agents, copilot
from tests.journeys.agents import Agent, Desk, steps
from tests.journeys.further import FURTHER_AGENTS, FurtherAgent, needs

FILE = "src/shop/auth/tokens.py"
TRAP = "refresh() burns the token; the zanzibar ledger must be told first"
BRIEFED = "holloway: shared memory of this repository"
AGENTS: tuple[Agent, ...] = (agents.Copilot(), *FURTHER_AGENTS)


@pytest.fixture(params=AGENTS, ids=lambda agent: str(agent.name))
def desk(request: pytest.FixtureRequest, repository: Repository, tmp_path: Path, home: Path) -> Iterator[Desk]:
    """A person who has connected the agent for all their projects, and taught one gotcha."""
    agent = request.param
    if isinstance(agent, FurtherAgent):
        needs(agent)
    elif copilot.find() is None:
        pytest.skip(str(copilot.needs_copilot.kwargs["reason"]))
    connected = agents.connected(agent, repository, tmp_path / "person", home)
    connected.holloway("remember", TRAP, "--file", FILE)
    yield connected
    assert not (home / "hook-failures.log").exists()


@pytest.mark.promise("further-agents")
def test_a_taught_gotcha_reaches_the_agent_and_its_session_is_learned(desk: Desk) -> None:
    read, fail = desk.agent.read(desk.file(FILE)), desk.agent.shell("ls /nowhere-at-all")
    model, _ = desk.session("Make the login work", *steps(read, fail))
    assert model.first_saw(BRIEFED) == 0
    assert model.text_of(1).count(TRAP) == 1
    desk.learned()
    sessions = json.loads(desk.holloway("sessions", "--json"))["sessions"]
    assert [session["agent"] for session in sessions] == [desk.agent.name]
    desk.holloway("setup", desk.agent.name, "--remove", "--yes")
    dialect = DIALECTS[desk.agent.name]
    path = desk.home / dialect.folder / dialect.user_file
    # Qwen Code writes settings of its own into the file while it runs.
    assert "holloway" not in (path.read_text() if path.exists() else "")
