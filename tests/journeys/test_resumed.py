"""A session of a real agent that is resumed: it goes on under the same id and is told nothing twice."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import Repository
from tests.journeys import agents
from tests.journeys.agents import Agent, Desk, steps
from tests.journeys.claude_code import needs_claude_code
from tests.journeys.codex import needs_codex

FILE = "src/shop/auth/tokens.py"
TRAP = "refresh() burns the token; the zanzibar ledger must be told first"


@pytest.fixture(
    params=[
        pytest.param(agents.ClaudeCode(), id="claude-code", marks=needs_claude_code),
        pytest.param(agents.Codex(), id="codex", marks=needs_codex),
    ]
)
def desk(request: pytest.FixtureRequest, repository: Repository, tmp_path: Path, home: Path) -> Iterator[Desk]:
    """A person with one of the real agents who has taught one trap."""
    agent: Agent = request.param
    made = agents.connected(agent, repository, tmp_path / "person", home)
    made.holloway("remember", TRAP, "--file", FILE)
    yield made
    assert not (home / "hook-failures.log").exists()


@pytest.mark.promise("once")
def test_a_resumed_session_is_told_nothing_twice(desk: Desk) -> None:
    read = desk.agent.read(desk.file(FILE))
    first, session = desk.session("Look into the login", *steps(read))
    assert first.first_saw(TRAP) == 1
    again, same = desk.session("Go on with it", *steps(read, read), resume=session)
    assert same == session
    assert [again.text_of(number).count(TRAP) for number in range(3)] == [1, 1, 1]
    assert [again.text_of(number).count("holloway: shared memory of this repository") for number in range(3)] == [
        1,
        1,
        1,
    ]
