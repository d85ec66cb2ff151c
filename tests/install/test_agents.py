"""The table of agents: each row agrees with the table of hosts, and with what the agent reads."""

import json
from pathlib import Path

import pytest

from holloway import install
from holloway.capture import hosts
from holloway.install import DIALECTS, connection_checks
from holloway.install.agents import mcp_file
from holloway.install.launch_command import launch_by_path
from tests.install.installing import AGENTS, WITH_JSON, findings, hints, holloway, written


@pytest.mark.parametrize("agent", AGENTS)
def test_every_agent_is_a_host_whose_events_are_understood(agent: str) -> None:
    assert agent in hosts.HOSTS
    renamed = hosts.HOSTS[agent].events
    assert set(renamed) <= set(DIALECTS[agent].events)
    ours = {renamed.get(event, event) for event in DIALECTS[agent].events}
    assert {"SessionStart", "UserPromptSubmit", "PostToolUse", "Stop", "SessionEnd"} <= ours


@pytest.mark.parametrize("agent", AGENTS)
def test_setup_connects_and_the_doctor_agrees(agent: str, home: Path, tmp_path: Path) -> None:
    assert connection_checks.check_connections(tmp_path)
    assert holloway("setup", agent, "--yes") == 0
    assert set(findings(tmp_path, agent)) <= {"hooks-untrusted"}


@pytest.mark.parametrize("agent", WITH_JSON)
def test_timeouts_have_the_unit_of_the_agent(agent: str, home: Path) -> None:
    assert holloway("setup", agent, "--yes") == 0
    settings = json.loads(install.hooks_file(DIALECTS[agent], "user", Path.home()).read_bytes())
    (entry,) = settings["hooks"]["SessionStart"]
    assert entry["hooks"][0]["timeout"] == (15_000 if agent in ("gemini", "qwen") else 15)


SERVERS = {
    "claude-code": (".claude.json", {"command", "args"}),
    "copilot": (".copilot/mcp-config.json", {"command", "args", "type", "tools"}),
    "gemini": (".gemini/settings.json", {"command", "args"}),
    "qwen": (".qwen/settings.json", {"command", "args"}),
    "droid": (".factory/mcp.json", {"command", "args", "type"}),
    "opencode": (".config/opencode/opencode.json", {"command", "type", "enabled"}),
    "kilo": (".config/kilo/kilo.json", {"command", "type", "enabled"}),
}
"""Where each agent reads MCP servers, and the fields that it wants."""


@pytest.mark.parametrize("agent", SERVERS)
def test_the_mcp_server_is_where_the_agent_reads_it(agent: str, home: Path) -> None:
    name, fields = SERVERS[agent]
    assert holloway("setup", agent, "--yes") == 0
    servers = json.loads((Path.home() / name).read_bytes())[DIALECTS[agent].mcp_key]
    assert set(servers["holloway"]) == fields
    command = servers["holloway"]["command"]
    words = command if isinstance(command, list) else [command, *servers["holloway"]["args"]]
    assert tuple(words) == launch_by_path().mcp
    assert mcp_file(DIALECTS[agent], "user", Path.home()) == Path.home() / name


def test_the_doctor_finds_a_stale_server_where_command_and_arguments_are_one_list(home: Path, tmp_path: Path) -> None:
    assert holloway("setup", "kilo", "--yes") == 0
    path = Path.home() / ".config/kilo/kilo.json"
    settings = json.loads(path.read_bytes())
    settings["mcp"]["holloway"]["command"][0] = "/gone/python"
    path.write_text(json.dumps(settings))
    assert findings(tmp_path, "kilo") == ["mcp-stale"]


def test_the_skill_stays_until_the_last_agent_that_lists_it_is_disconnected(home: Path, tmp_path: Path) -> None:
    skill = Path.home() / ".agents/skills/holloway/SKILL.md"
    for agent in ("gemini", "pi", "codex"):
        assert holloway("setup", agent, "--yes") == 0
        assert skill.is_file()
    for agent in ("codex", "gemini"):
        assert holloway("setup", agent, "--yes", "--remove") == 0
        assert skill.is_file()
    assert holloway("setup", "pi", "--yes", "--remove") == 0
    assert not (Path.home() / ".agents").exists()


def test_claude_code_has_slash_commands_and_no_skill(home: Path) -> None:
    assert holloway("setup", "claude-code", "--yes") == 0
    assert not (Path.home() / ".agents").exists()


def test_an_agent_whose_servers_setup_does_not_write_has_no_file_for_them(tmp_path: Path) -> None:
    assert mcp_file(DIALECTS["pi"], "user", tmp_path) is None
    assert mcp_file(DIALECTS["copilot"], "project", tmp_path) is None


def test_hooks_stay_without_the_server_in_settings_that_hold_both(home: Path) -> None:
    assert holloway("setup", "gemini", "--yes", "--without", "mcp") == 0
    assert set(json.loads((Path.home() / ".gemini/settings.json").read_bytes())) == {"hooks"}


@pytest.mark.parametrize(
    ("agent", "setting"), [("gemini", '{"hooksConfig": {"enabled": false}}'), ("qwen", '{"disableAllHooks": true}')]
)
def test_the_doctor_finds_that_the_agent_runs_no_hooks(agent: str, setting: str, home: Path, tmp_path: Path) -> None:
    written(install.hooks_file(DIALECTS[agent], "user", Path.home()), setting.encode())
    assert holloway("setup", agent, "--yes") == 0
    assert findings(tmp_path, agent) == ["hooks-off"]


def test_the_doctor_finds_that_gemini_does_not_trust_a_project(home: Path, tmp_path: Path) -> None:
    command = ("setup", "gemini", "--scope", "project", "--yes", "--project", str(tmp_path))
    assert holloway(*command) == 0
    assert findings(tmp_path, "gemini") == ["hooks-untrusted"]
    assert "trust" in hints(tmp_path, "gemini")[0]
    trusted = json.dumps({str(tmp_path): "TRUST_FOLDER", "/": "DO_NOT_TRUST"})
    written(Path.home() / ".gemini/trustedFolders.json", trusted.encode())
    assert findings(tmp_path, "gemini") == []
    assert holloway("setup", "gemini", "--yes") == 0
    assert findings(tmp_path, "gemini") == ["events-twice"]


def test_the_person_hears_what_a_connected_project_still_needs(
    capsys: pytest.CaptureFixture[str], home: Path, tmp_path: Path
) -> None:
    assert holloway("setup", "copilot", "--yes") == 0
    assert "that you trust" not in capsys.readouterr().out
    assert holloway("setup", "copilot", "--scope", "project", "--yes", "--project", str(tmp_path)) == 0
    assert "only in a folder that you trust" in capsys.readouterr().out
