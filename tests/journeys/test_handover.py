"""One session teaches another agent: a rule, a dead end and a fix of the first reach the second where they matter."""

import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.conftest import make_repository
from tests.journeys import agents
from tests.journeys.agents import Agent, Desk, steps
from tests.journeys.claude_code import needs_claude_code
from tests.journeys.codex import needs_codex
from tests.journeys.scripted_model import Turn
from tests.journeys.test_story import FILES as SHOP_FILES
from tests.journeys.test_story import FIXED_TEST, INVOICE, TEST

CACHE_FILES = tuple(f"src/shop/cache/part_{number}.py" for number in range(11))
FILES = {**SHOP_FILES, **{path: f"ENTRIES_{number} = {{}}\n" for number, path in enumerate(CACHE_FILES)}}
RULE = "never log the customer's e-mail address"
PROMPT = "The invoice total is one cent too high, please correct it. Never log the customer's e-mail address."
ABANDONED = (
    "Caching the totals in src/shop/cache is a dead end because the ledger rejects a total that was booked twice. "
    "Instead, let me compute the sum in invoice.py."
)
REASON = "the ledger rejects a total that was booked twice"


@pytest.fixture(params=["claude-code first", "codex first"])
def desks(request: pytest.FixtureRequest, tmp_path: Path, home: Path) -> Iterator[tuple[Desk, Desk]]:
    """A person with both agents in one project, at the agent of the first and of the second session."""
    pair: tuple[Agent, Agent] = (agents.ClaudeCode(), agents.Codex())
    first, second = pair if request.param == "claude-code first" else pair[::-1]
    desk = agents.connected(first, make_repository(tmp_path / "shop", FILES), tmp_path / "person", home)
    desk.holloway("setup", second.name, "--yes")
    yield desk, replace(desk, agent=second)
    assert not (home / "hook-failures.log").exists()


@needs_claude_code
@needs_codex
@pytest.mark.promise("your-word", "validated", "first-loop")
def test_a_rule_a_dead_end_and_a_fix_reach_the_next_session_of_another_agent(desks: tuple[Desk, Desk]) -> None:
    first, second = desks
    first.session(PROMPT, *_follow_an_approach_that_fails(first), *_fix_the_error(first))
    first.learned()
    first.holloway("trust", "standard")  # a project earns it after three sessions
    agent, today = second.agent, time.strftime("%-d %b")
    model, _ = second.session(
        "Look at the cached totals of the shop",
        *steps(agent.shell("git status --short"), agent.read(second.file(CACHE_FILES[0])), agent.shell(TEST)),
    )
    brief, dead_end, fix = (model.text_of(number) for number in (0, 2, 3))
    rule_line = next(line for line in brief.splitlines() if RULE in line.casefold())
    assert "one cent too high" not in rule_line
    assert today in rule_line
    dead_end_line = next(line for line in dead_end.splitlines() if REASON in line)
    assert today in dead_end_line
    assert "compute the sum in invoice.py" in dead_end_line
    fix_line = next(line for line in fix.splitlines() if "solved before" in line)
    assert "SHOP_LEDGER=memory" in fix_line
    assert today in fix_line


def _follow_an_approach_that_fails(desk: Desk) -> list[Turn]:
    """Twenty-two steps in the cache, and then the words that give it up."""
    agent = desk.agent
    turns: list[Turn] = []
    for number, path in enumerate(map(desk.file, CACHE_FILES)):
        turns += steps(
            agent.read(path),
            agent.edit(path, f"ENTRIES_{number} = {{}}", f"ENTRIES_{number} = {{'booked': 0}}"),
        )
    return [*turns, [ABANDONED, agent.shell("git checkout -q -- src/shop/cache")]]


def _fix_the_error(desk: Desk) -> list[Turn]:
    agent, path = desk.agent, desk.file(INVOICE)
    return [
        *steps(
            agent.read(path),
            agent.edit(path, "    return book(sum(cents)) + 1", "    return book(sum(cents))"),
            agent.shell(TEST),
            agent.shell(FIXED_TEST),
            agent.shell("git commit -qam 'The total is the sum'"),
        )
    ]
