"""The real clients read what setup wrote, and what the plugin's folder holds."""

import json
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from holloway.install import CODEX_DIALECT, connection_checks
from holloway.install.hooks_json import find_our_hooks
from holloway.install.slash_commands import SLASH_COMMANDS
from tests.conftest import Repository
from tests.install.installing import findings, holloway
from tests.journeys import claude_code, client, codex
from tests.journeys.claude_code import needs_claude_code
from tests.journeys.codex import needs_codex
from tests.journeys.scripted_model import ScriptedModel

HOOKS = ".codex/hooks.json"


class AppServer:
    """Codex asked by a program about what it would do."""

    def __init__(self, cwd: Path, home: Path) -> None:
        found = codex.find()
        assert found is not None
        self.process = subprocess.Popen(
            [str(found), "app-server"],
            cwd=cwd,
            env=client.clean_environment(home),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        self.asked = 0

    def __enter__(self) -> "AppServer":
        self.ask("initialize", {"clientInfo": {"name": "tests", "version": "1"}})
        self._send({"method": "initialized"})
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.communicate()

    def ask(self, method: str, params: Mapping[str, object]) -> Any:
        """The result of one request."""
        self.asked += 1
        self._send({"id": self.asked, "method": method, "params": params})
        assert self.process.stdout is not None
        for line in self.process.stdout:
            answer = json.loads(line)
            if answer.get("id") == self.asked:
                return answer["result"]
        raise AssertionError("Codex ended before it answered")

    def _send(self, message: Mapping[str, object]) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(message) + "\n")
        self.process.stdin.flush()


@pytest.fixture
def connected(repository: Repository) -> Repository:
    """A person has both agents connected."""
    for agent in ("claude-code", "codex"):
        assert holloway("setup", agent, "--yes", "--project", str(repository.root)) == 0
    return repository


@needs_codex
def test_codex_reads_the_hooks_the_server_and_the_skill(connected: Repository) -> None:
    with AppServer(connected.root, Path.home()) as server:
        (here,) = server.ask("hooks/list", {"cwds": [str(connected.root)]})["data"]
        servers = server.ask("mcpServerStatus/list", {})["data"]
        (skills,) = server.ask("skills/list", {"cwds": [str(connected.root)]})["data"]
    events = {hook["eventName"][0].upper() + hook["eventName"][1:] for hook in here["hooks"]}
    assert (events, here.get("warnings"), here.get("errors")) == (set(CODEX_DIALECT.events), [], [])
    assert {hook["trustStatus"] for hook in here["hooks"]} == {"untrusted"}
    assert "locate" in next(each["tools"] for each in servers if each["name"] == "holloway")
    assert "holloway" in {skill["name"] for skill in skills["skills"]}


@needs_codex
def test_the_doctor_and_codex_agree_on_what_was_trusted(connected: Repository) -> None:
    file = Path.home() / HOOKS
    settings = json.loads(file.read_bytes())
    computed = {
        connection_checks.state_key(file, hook): connection_checks.compute_fingerprint(settings, hook)
        for hook in find_our_hooks(settings)
    }
    assert findings(connected.root, "codex") == ["hooks-untrusted"]
    config = Path.home() / ".codex/config.toml"
    states = "".join(f'\n[hooks.state."{key}"]\ntrusted_hash = "{value}"\n' for key, value in computed.items())
    config.write_text(config.read_text() + states)
    with AppServer(connected.root, Path.home()) as server:
        (here,) = server.ask("hooks/list", {"cwds": [str(connected.root)]})["data"]
    assert {hook["key"]: hook["currentHash"] for hook in here["hooks"]} == computed
    assert {hook["trustStatus"] for hook in here["hooks"]} == {"trusted"}
    assert findings(connected.root, "codex") == []


WITH_HOLLOWAY = f"{Path(sys.executable).parent}:/usr/bin:/bin"
WITHOUT_HOLLOWAY = "/usr/bin:/bin"


def told(
    repository: Repository, home: Path, *arguments: str, path: str = WITH_HOLLOWAY
) -> tuple[list[Any], ScriptedModel]:
    """Run Claude Code with this PATH: every line that it prints, and the model that it spoke to."""
    environment = {"PATH": path, "HOLLOWAY_HOME": str(home), "HOLLOWAY_PATIENCE": "20"}
    more = ("--output-format", "stream-json", "--verbose", *arguments)
    with ScriptedModel(["Done."]) as model:
        ran = claude_code.run("Hello", repository.root, Path.home(), model, arguments=more, environment=environment)
    assert ran.exit_code == 0, ran.stderr
    return [json.loads(line) for line in ran.printed.splitlines()], model


def opening(repository: Repository, home: Path, *arguments: str) -> Any:
    """What Claude Code says of itself when a session begins, with holloway on its PATH."""
    lines, _ = told(repository, home, *arguments)
    return next(line for line in lines if line.get("subtype") == "init")


@needs_claude_code
def test_claude_code_has_the_commands_and_the_server(connected: Repository, home: Path) -> None:
    told = opening(connected, home)
    assert set(SLASH_COMMANDS.values()) <= set(told["slash_commands"])
    assert [server["source"] for server in told["mcp_servers"] if server["name"] == "holloway"] == ["user"]


@pytest.mark.promise("plugin")
@needs_claude_code
def test_claude_code_takes_the_plugin_and_its_hooks_run(repository: Repository, home: Path) -> None:
    Path.home().mkdir()
    assert holloway("init", "--json", "--project", str(repository.root)) == 0
    folders = (str(client.PROJECT / name) for name in ("plugin", "plugin-mcp"))
    told = opening(repository, home, *(word for folder in folders for word in ("--plugin-dir", folder)))
    assert {f"holloway:{name}" for name in SLASH_COMMANDS} <= set(told["slash_commands"])
    assert [server["source"] for server in told["mcp_servers"]] == ["plugin"]
    noted = "".join(file.read_text() for file in home.rglob("journal/*.jsonl"))
    assert "Hello" in noted


@needs_claude_code
@pytest.mark.skipif(bool(shutil.which("holloway-hook", path=f"{WITHOUT_HOLLOWAY}:/usr/local/bin")), reason="installed")
def test_without_holloway_the_plugin_disturbs_neither_the_session_nor_the_model(
    repository: Repository, home: Path
) -> None:
    Path.home().mkdir()
    folder = str(client.PROJECT / "plugin")
    events = ("--plugin-dir", folder, "--include-hook-events")
    lines, model = told(repository, home, *events, path=WITHOUT_HOLLOWAY)
    ended = [line for line in lines if line.get("subtype") == "hook_response"]
    assert {line["hook_event"] for line in ended} >= {"SessionStart", "UserPromptSubmit", "Stop"}
    assert {(line["exit_code"], line["stderr"]) for line in ended} == {(0, "")}
    assert {line["hook_event"] for line in ended if line["stdout"]} == {"SessionStart"}
    assert not model.saw("not installed")
    assert [line["mcp_servers"] for line in lines if line.get("subtype") == "init"] == [[]]


@needs_claude_code
@pytest.mark.parametrize("folder", ["plugin", "plugin-mcp", "."])
def test_claude_code_finds_nothing_wrong_with_the_plugin(folder: str, tmp_path: Path) -> None:
    found = claude_code.find()
    command = [str(found), "plugin", "validate", str(client.PROJECT / folder)]
    ran = client.run(command, tmp_path, client.clean_environment(tmp_path, **claude_code.QUIET), client.TIMEOUT_S)
    assert ran.exit_code == 0, ran.printed
    assert "Validation passed" in ran.printed
