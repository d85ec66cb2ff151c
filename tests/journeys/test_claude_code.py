"""The first loop, with the real Claude Code: taught once, a trap reaches the agent at the file it is about."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import Repository
from tests.journeys import claude_code
from tests.journeys.claude_code import needs_claude_code
from tests.journeys.scripted_model import ScriptedModel, ToolCall

FILE = "src/shop/auth/tokens.py"
TRAP = "refresh() burns the token; the zanzibar ledger must be told first"

pytestmark = needs_claude_code


class Desk:
    """A person at a project: their home, their holloway, their agent."""

    def __init__(self, repository: Repository, home: Path, data: Path) -> None:
        self.repository = repository
        self.home = home
        self.data = data

    def holloway(self, *arguments: str) -> str:
        code = "import sys; from holloway.cli import main; main(sys.argv[1:])"
        environment = {"HOME": str(self.home), "HOLLOWAY_HOME": str(self.data), "PATH": "/usr/bin:/bin"}
        done = subprocess.run(
            [sys.executable, "-c", code, *arguments],
            cwd=self.repository.root,
            env=environment,
            capture_output=True,
            text=True,
            check=True,
            timeout=60,
        )
        assert done.stderr == ""
        return done.stdout

    def session(self, *turns: "list[ToolCall] | str") -> ScriptedModel:
        environment = {"HOLLOWAY_HOME": str(self.data), "HOLLOWAY_PATIENCE": "20"}
        with ScriptedModel([*turns, "Done."]) as model:
            result = claude_code.run(
                "Make the login work", self.repository.root, self.home, model, environment=environment
            )
        assert (result.exit_code, result.text) == (0, "Done.")
        return model

    def read(self, name: str = FILE) -> list[ToolCall]:
        return [ToolCall("Read", {"file_path": str(self.repository.root / name)})]


@pytest.fixture
def desk(repository: Repository, tmp_path: Path, home: Path) -> Iterator[Desk]:
    """A person who has connected Claude Code and taught one trap."""
    person = tmp_path / "person"
    person.mkdir()
    made = Desk(repository, person, home)
    made.holloway("init")
    made.holloway("setup", "claude-code", "--yes")
    made.holloway("remember", TRAP, "--file", FILE)
    yield made
    assert not (home / "hook-failures.log").exists()


@pytest.mark.promise("first-loop")
def test_a_taught_trap_is_in_the_request_after_its_file_was_read(desk: Desk) -> None:
    model = desk.session(desk.read("README.md"), desk.read())
    assert model.first_saw("holloway: shared memory of this repository") == 0
    assert model.first_saw(TRAP) == 2
    assert model.text_of(2).count(TRAP) == 1


@pytest.mark.promise("first-loop", "wrong-is-gone")
def test_after_wrong_it_is_in_no_request(desk: Desk) -> None:
    (trap,) = json.loads(desk.holloway("list", "--json"))["results"]
    desk.holloway("wrong", trap["id"], "--reason", "outdated")
    model = desk.session(desk.read())
    assert not model.saw(TRAP)


@pytest.mark.promise("first-loop", "once")
def test_a_second_read_and_an_edit_do_not_bring_it_again(desk: Desk) -> None:
    path = str(desk.repository.root / FILE)
    edit = ToolCall("Edit", {"file_path": path, "old_string": "return token", "new_string": "return token + 1"})
    model = desk.session(desk.read(), desk.read(), [edit])
    assert model.text_of(len(model.requests) - 1).count(TRAP) == 1
    assert "token + 1" in (desk.repository.root / FILE).read_text()


@pytest.mark.promise("pause")
def test_a_paused_project_is_silent(desk: Desk) -> None:
    desk.holloway("pause")
    model = desk.session(desk.read())
    assert not model.saw(TRAP)
    assert not model.saw("holloway: shared memory of this repository")
    assert list(desk.data.rglob("*.jsonl")) == []


@pytest.mark.promise("first-loop")
def test_the_ledger_knows_what_the_session_was_shown(desk: Desk) -> None:
    (trap,) = json.loads(desk.holloway("list", "--json"))["results"]
    desk.session(desk.read())
    why = json.loads(desk.holloway("why", trap["id"], "--json"))
    assert [shown["point"] for shown in why["shown"]] == ["tool_result"]


@pytest.mark.promise("leaves-no-trace")
def test_a_disconnected_agent_hears_nothing(desk: Desk) -> None:
    desk.holloway("setup", "claude-code", "--remove", "--yes")
    model = desk.session(desk.read())
    assert not model.saw(TRAP)
    assert not (desk.home / ".claude/settings.json").exists()
