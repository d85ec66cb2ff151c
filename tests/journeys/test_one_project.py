"""Three real agents in one project: what is taught once reaches all of them, and each leaves a session."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.conftest import Repository
from tests.journeys import agents
from tests.journeys.agents import Agent, Desk, steps
from tests.journeys.claude_code import needs_claude_code
from tests.journeys.codex import needs_codex
from tests.journeys.copilot import needs_copilot

FILE = "src/shop/auth/tokens.py"
TRAP = "refresh() burns the token; the zanzibar ledger must be told first"
BRIEFED = "holloway: shared memory of this repository"
AGENTS: tuple[Agent, ...] = (agents.ClaudeCode(), agents.Copilot(), agents.Codex())


@pytest.fixture
def desk(repository: Repository, tmp_path: Path, home: Path) -> Iterator[Desk]:
    """A person who has connected Claude Code in this project alone, and Codex in all of theirs."""
    person = tmp_path / "person"
    person.mkdir()
    made = Desk(AGENTS[0], repository, person, home)
    made.holloway("init")
    made.holloway("setup", "claude-code", "--scope", "project", "--yes")
    made.holloway("setup", "codex", "--yes")
    made.holloway("remember", TRAP, "--file", FILE)
    yield made
    assert not (home / "hook-failures.log").exists()


@needs_claude_code
@needs_copilot
@needs_codex
@pytest.mark.promise("first-loop", "codex")
def test_claude_code_copilot_and_codex_are_told_the_same_in_one_project(desk: Desk) -> None:
    sessions = {}
    for agent in AGENTS:
        at_work = replace(desk, agent=agent)
        model, session = at_work.session("Make the login work", *steps(agent.read(desk.file(FILE))))
        assert model.first_saw(BRIEFED) == 0, agent.name
        # Where an earlier session read the file, the answer to the prompt already names its trap; it comes once.
        assert model.text_of(1).count(TRAP) == 1, agent.name
        sessions[session] = agent.name
    desk.learned()
    listed = json.loads(desk.holloway("sessions", "--json"))["sessions"]
    assert {each["id"]: each["agent"] for each in listed} == sessions
