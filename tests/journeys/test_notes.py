"""Real agents note lessons in their shell, and are asked for them once where a person wants it."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from tests.journeys import claude_code, codex
from tests.journeys.agents import COMMITTER, Agent, ClaudeCode, Codex, connected
from tests.journeys.scripted_model import ScriptedModel

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Repository
    from tests.journeys.scripted_model import Turn

NOTE = "the order total is wrong after a refund because refunds are stored as negative cents"
AGENTS = [
    pytest.param(ClaudeCode(), id="claude-code", marks=claude_code.needs_claude_code),
    pytest.param(Codex(), id="codex", marks=codex.needs_codex),
]


@pytest.mark.parametrize("agent", AGENTS)
def test_a_note_in_the_shell_is_part_of_the_watched_session(
    agent: Agent, repository: Repository, home: Path, tmp_path: Path
) -> None:
    desk = connected(agent, repository, tmp_path / "person", home)
    command = f'{sys.executable} -m holloway note "{NOTE}" --why "the ledger needs the sign"'
    model, _ = desk.session("Look at the total of an order.", [agent.shell(command)])
    assert model.saw("Noted.", after=0)
    assert model.saw('note "..." --why')
    desk.learned()
    notes = [row for row in desk.memories() if NOTE in str(row["content"])]
    assert len(notes) == 1


@pytest.mark.parametrize("agent", AGENTS)
def test_an_agent_that_fixed_something_is_asked_once_before_it_stops(
    agent: Agent, repository: Repository, home: Path, tmp_path: Path
) -> None:
    desk = connected(agent, repository, tmp_path / "person", home)
    desk.holloway("config", "set", "learning.ask_at_stop", "on")
    readme = desk.file("README.md")
    first_line = readme.read_text().splitlines()[0]
    check = "sh -c 'grep fixed README.md || exit 2'"
    turns: list[Turn] = [
        [agent.read(readme)],
        [agent.shell(check)],
        [agent.edit(readme, first_line, "fixed")],
        [agent.shell(check)],
        "Done.",
        "Nothing to note.",
    ]
    environment = {"HOLLOWAY_HOME": str(home), "HOLLOWAY_PATIENCE": "20", **COMMITTER}
    with ScriptedModel(turns) as model:
        code, text, _ = agent.run("Fix the check.", repository.root, desk.home, model, environment, "")
    assert (code, text) == (0, "Nothing to note.")
    assert len(model.requests) == len(turns)
    assert model.first_saw("A command that failed in this session works now") == 5
