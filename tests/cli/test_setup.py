"""The setup command: the change is shown in a form that can be taken in at a glance, and made only when confirmed."""

from pathlib import Path

import pytest

from holloway.cli.setup import fold_diff
from tests.cli.conftest import Cli


def test_an_entry_that_is_the_same_for_many_events_is_shown_once(cli: Cli) -> None:
    shown = cli("setup", "claude-code", "--dry-run").out
    assert shown.count("holloway.hooks.entry") == 1
    (rest,) = (line for line in shown.splitlines() if "the same" in line)
    assert "UserPromptSubmit" in rest
    assert "SessionEnd" in rest
    assert '+    "SessionStart": ' in shown


def test_entries_that_differ_are_all_shown() -> None:
    rows = [f'+    "{event}": [{{"hooks": [{{"command": "{event}", "timeout": 5}}]}}],' for event in ("Stop", "Start")]
    assert fold_diff("\n".join(rows)) == "\n".join(rows)


@pytest.mark.promise("asks-first")
def test_setup_shows_what_it_does_and_asks(cli: Cli) -> None:
    assert "+  " in cli("setup", "claude-code", "--dry-run").out
    assert not (Path.home() / ".claude/settings.json").exists()
    assert cli("setup", "claude-code").code == 2
    assert cli("setup", "claude-code", "--yes").code == 0
    assert "nothing to change" in cli("setup", "claude-code", "--yes").out
    assert cli("setup", "claude-code", "--remove", "--yes").code == 0
    assert not (Path.home() / ".claude/settings.json").exists()


@pytest.mark.parametrize("where", [".", "downloads"])
def test_an_agent_is_connected_from_any_folder_and_only_a_project_becomes_known(
    cli: Cli, home: Path, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    folder = Path.home() / where
    folder.mkdir(parents=True, exist_ok=True)
    monkeypatch.chdir(folder)
    done = cli("setup", "claude-code", "--yes")
    assert (done.code, done.err) == (0, "")
    assert "`holloway init`" in done.out
    assert (Path.home() / ".claude/settings.json").exists()
    assert not (home / "projects").exists()


def test_setup_names_the_agents_it_knows_and_the_way_for_all_others(cli: Cli) -> None:
    assert "{claude-code|codex}" in cli("setup").err
    assert "Any other agent with MCP support can start `holloway mcp`." in cli("setup", "cursor").err
