"""Three sessions of a real agent, told once and run with each: learned, handed over, taken back.

Nothing is put into the memory by hand but one trap that the person teaches.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import make_repository
from tests.journeys import agents
from tests.journeys.agents import Agent, Desk, steps
from tests.journeys.claude_code import needs_claude_code
from tests.journeys.codex import needs_codex

LEDGER = "src/shop/ledger.py"
INVOICE = "src/shop/invoice.py"
FILES = {
    LEDGER: """\
import os


def book(cents):
    if os.environ.get("SHOP_LEDGER") != "memory":
        raise ConnectionRefusedError("ledger.internal:7443 refused the connection")
    return cents
""",
    INVOICE: """\
from shop.ledger import book


def total(cents):
    return book(sum(cents)) + 1
""",
    "tests/test_invoice.py": """\
import unittest

from shop.invoice import total


class TotalTest(unittest.TestCase):
    def test_total(self):
        self.assertEqual(total([1, 2]), 3)
""",
    "README.md": "# shop\n",
    ".gitignore": "__pycache__/\n",
}
TEST = "PYTHONPATH=src python3 -m unittest discover -s tests"
FIXED_TEST = f"SHOP_LEDGER=memory {TEST}"
TRAP = "book() is called twice by the tax report; the zanzibar office must be told first"
BRIEFED = "holloway: shared memory of this repository"
SOLVED = "solved before"
PLACED = "holloway: files for this task"


@pytest.fixture(
    params=[
        pytest.param(agents.ClaudeCode(), id="claude-code", marks=needs_claude_code),
        pytest.param(agents.Codex(), id="codex", marks=needs_codex),
    ]
)
def desk(request: pytest.FixtureRequest, tmp_path: Path, home: Path) -> Iterator[Desk]:
    """A person with one of the real agents; no hook of theirs has failed in the end."""
    agent: Agent = request.param
    yield agents.connected(agent, make_repository(tmp_path / "shop", FILES), tmp_path / "person", home)
    assert not (home / "hook-failures.log").exists()


@pytest.mark.promise("validated", "first-loop", "wrong-is-gone", "pause", "codex")
def test_what_one_session_learned_reaches_the_next_until_it_is_wrong(desk: Desk) -> None:
    _meets_an_error_and_fixes_it(desk)
    fix = _what_was_learned(desk)
    desk.holloway("remember", TRAP, "--file", LEDGER)
    _the_next_session_is_told(desk, fix)
    desk.holloway("wrong", fix, "--reason", "incorrect")
    _the_third_hears_no_more_of_it(desk)
    desk.holloway("pause")
    _a_paused_project_is_silent(desk)


def _meets_an_error_and_fixes_it(desk: Desk) -> None:
    agent, path = desk.agent, desk.file(INVOICE)
    model, _ = desk.session(
        "The invoice total is one cent too high. Please correct total and make its test pass.",
        *steps(
            agent.read(path),
            agent.edit(path, "    return book(sum(cents)) + 1", "    return book(sum(cents))"),
            agent.shell(TEST),
            agent.shell(FIXED_TEST),
            agent.shell("git commit -qam 'The total is the sum'"),
        ),
    )
    assert model.saw("refused the connection")
    assert not model.saw(SOLVED)
    assert desk.repository.git("log", "-1", "--format=%s") == "The total is the sum"


def _what_was_learned(desk: Desk) -> str:
    """The worker learns from the session; the id of the error and its fix."""
    desk.learned()
    assert desk.journals() == []
    fixes = [each for each in desk.memories() if each["type"] == "error_pattern"]
    assert ["SHOP_LEDGER" in str(each["content"]) for each in fixes] == [True]
    return str(fixes[0]["id"])


def _the_next_session_is_told(desk: Desk, fix: str) -> None:
    agent = desk.agent
    model, _ = desk.session(
        "The nightly build is red; find out why",
        *steps(agent.shell("git status --short"), agent.shell(TEST), agent.read(desk.file(LEDGER))),
    )
    assert model.first_saw(BRIEFED) == 0
    assert model.first_saw(SOLVED) == 2
    assert "SHOP_LEDGER=memory" in model.text_of(2)
    assert f"hw:{fix}" in model.text_of(2)
    assert model.first_saw(TRAP) == 3
    last = model.text_of(3)
    assert (last.count(SOLVED), last.count(TRAP), last.count(BRIEFED)) == (1, 1, 1)


def _the_third_hears_no_more_of_it(desk: Desk) -> None:
    desk.learned()
    model, _ = desk.session("Run the tests of the shop", *steps(desk.agent.shell(TEST)))
    assert model.saw("refused the connection")
    assert not model.saw(SOLVED)
    assert not model.saw("SHOP_LEDGER=memory")


def _a_paused_project_is_silent(desk: Desk) -> None:
    desk.learned()
    before = [each["id"] for each in desk.memories()]
    agent = desk.agent
    turns = steps(agent.read(desk.file(LEDGER)), agent.shell(TEST), agent.shell(FIXED_TEST))
    model, _ = desk.session("Look at the build again", *turns)
    assert [text for text in (BRIEFED, SOLVED, TRAP, PLACED) if model.saw(text)] == []
    assert desk.journals() == []
    desk.holloway("learn")
    desk.holloway("resume")
    assert [each["id"] for each in desk.memories()] == before
