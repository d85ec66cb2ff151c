"""A subagent of the real Claude Code has eyes of its own, and is told what the session's task needs."""

from pathlib import Path

import pytest

from tests.conftest import Repository
from tests.journeys import agents, claude_code
from tests.journeys.agents import COMMITTER
from tests.journeys.scripted_model import ScriptedModel, ToolCall

FILE = "src/shop/auth/tokens.py"
TRAP = "refresh() burns the token; the zanzibar ledger must be told first"
PROMPT = f"Fix refresh in {FILE}: it returns the old token"


@claude_code.needs_claude_code
@pytest.mark.promise("first-loop")
def test_a_subagent_starts_with_what_is_known_of_the_sessions_task(
    repository: Repository, tmp_path: Path, home: Path
) -> None:
    desk = agents.connected(agents.ClaudeCode(), repository, tmp_path / "person", home)
    desk.holloway("remember", TRAP, "--file", FILE)
    start = ToolCall("Agent", {"description": "look", "prompt": "Look around", "subagent_type": "general-purpose"})
    environment = {"HOLLOWAY_HOME": str(home), "HOLLOWAY_PATIENCE": "20", **COMMITTER}
    # It works beside the session, which is told of its end: who comes first is open, so all say the same.
    with ScriptedModel([[start], "Done.", "Done.", "Done."]) as model:
        done = claude_code.run(
            PROMPT, repository.root, desk.home, model, (*claude_code.TOOLS, "Agent"), environment=environment
        )
    assert (done.exit_code, done.text) == (0, "Done.")
    own = [request.text for request in model.requests if "Look around" in request.text and PROMPT not in request.text]
    assert [text.count(TRAP) for text in own] == [1]
    assert not (home / "hook-failures.log").exists()
