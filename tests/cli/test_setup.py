import json
import os
from pathlib import Path

import pytest

from holloway.cli.setup import fold_diff
from holloway.install import uninstall
from holloway.service import background_worker
from holloway.store.foreign_digests import DIGEST_KEY_NAME
from holloway.store.local_key import load_or_create_key
from tests.cli.conftest import Cli
from tests.conftest import Repository, make_repository
from tests.install.installing import AGENTS, holloway, tree, written

USER_FILES = {
    ".claude/settings.json": b'{\n  "model": "opus" // mine\n}\n',
    ".claude.json": b'{"numStartups": 3}',
    ".codex/config.toml": b'model = "gpt-5" # mine',
}


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
    assert ", ".join(AGENTS) in cli("setup", "cursor").err
    assert "Any other agent with MCP support can start `holloway mcp`." in cli("setup", "cursor").err


def test_without_a_name_every_agent_on_this_machine_is_connected(
    cli: Cli, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", os.defpath)
    for folder in (".gemini", ".config/opencode"):
        (Path.home() / folder).mkdir(parents=True)
    before = tree(Path.home())
    shown = cli("setup", "--dry-run").out
    assert ("Gemini CLI, user scope:" in shown, "OpenCode, user scope:" in shown) == (True, True)
    assert "Claude Code" not in shown
    assert tree(Path.home()) == before
    done = json.loads(cli("setup", "--yes", "--json").out)
    assert [(result["agent"], result["changed"]) for result in done["agents"]] == [
        ("gemini", True),
        ("opencode", True),
    ]
    assert "Gemini CLI is already connected" in cli("setup", "--yes").out
    assert cli("setup", "--remove", "--yes").out.count("is disconnected") == 2
    assert tree(Path.home()) == before


def test_an_agent_that_cannot_be_connected_holds_up_no_other(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", os.defpath)
    written(Path.home() / ".gemini/settings.json", b"{ not json")
    (Path.home() / ".qwen").mkdir()
    done = cli("setup", "--yes")
    assert "Gemini CLI: " in done.err
    assert "Qwen Code is connected" in done.out
    assert (Path.home() / ".gemini/settings.json").read_bytes() == b"{ not json"


def test_where_no_agent_is_found_the_supported_ones_are_named(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", os.defpath)
    done = cli("setup", "--yes")
    assert done.code == 2
    assert ", ".join(AGENTS) in done.err


@pytest.fixture
def elsewhere(tmp_path: Path) -> Repository:
    """Another project of the same person."""
    return make_repository(tmp_path / "elsewhere")


def lived_in(repository: Repository, elsewhere: Repository) -> None:
    """Everything that can be connected is, in two projects, and rules files have our block."""
    for agent in AGENTS:
        assert holloway("setup", agent, "--yes", "--project", str(repository.root)) == 0
        for project in (repository, elsewhere):
            assert holloway("setup", agent, "--scope", "project", "--yes", "--project", str(project.root)) == 0
    for project in (repository, elsewhere):
        assert holloway("remember", "Money is integer cents", "--pin", "--project", str(project.root)) == 0
        assert holloway("export", "--to", "CLAUDE.md", "--project", str(project.root)) == 0
    (elsewhere.root / "docs").mkdir()
    assert holloway("export", "--to", "docs/AGENTS.md", "--project", str(elsewhere.root)) == 0


@pytest.mark.promise("leaves-no-trace", "uninstall")
def test_every_trace_of_both_agents_in_every_project_is_taken_back(
    repository: Repository, elsewhere: Repository, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, data in USER_FILES.items():
        written(Path.home() / name, data)
    (repository.root / "CLAUDE.md").write_text("# Mine\n")
    before = tree(Path.home()), tree(repository.root), tree(elsewhere.root)
    lived_in(repository, elsewhere)
    capsys.readouterr()
    assert holloway("uninstall", "--yes", "--json", "--project", str(repository.root)) == 0
    said = json.loads(capsys.readouterr().out)
    assert (said["changed"], said["data_deleted"], said["notes"]) == (True, False, [])
    assert len(said["agents"]) == 3 * len(AGENTS)
    left = tree(Path.home()), tree(repository.root), tree(elsewhere.root)
    assert [set(new) - set(old) for old, new in zip(before, left, strict=True)] == [set(), set(), {"docs"}]
    assert [{name: new[name] for name in old} for old, new in zip(before, left, strict=True)] == list(before)
    assert list((home / "installs").iterdir()) == []
    assert holloway("list", "--json", "--project", str(repository.root)) == 0
    assert "integer cents" in capsys.readouterr().out


def test_a_second_time_there_is_nothing_to_do(repository: Repository, capsys: pytest.CaptureFixture[str]) -> None:
    assert holloway("setup", "codex", "--yes", "--project", str(repository.root)) == 0
    assert holloway("uninstall", "--yes", "--project", str(repository.root)) == 0
    capsys.readouterr()
    assert holloway("uninstall", "--project", str(repository.root)) == 0
    said = capsys.readouterr().out
    assert "has no entries in any agent's configuration" in said
    assert "`pipx uninstall holloway`" in said


@pytest.mark.promise("uninstall")
def test_it_shows_first_and_changes_nothing_without_an_answer(repository: Repository) -> None:
    assert holloway("setup", "claude-code", "--yes", "--project", str(repository.root)) == 0
    before = tree(Path.home())
    assert holloway("uninstall", "--dry-run", "--project", str(repository.root)) == 0
    assert holloway("uninstall", "--project", str(repository.root)) == 2
    assert tree(Path.home()) == before


@pytest.mark.promise("uninstall")
def test_memories_stay_and_their_folder_is_named(
    repository: Repository, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert holloway("remember", "Money is integer cents", "--project", str(repository.root)) == 0
    assert holloway("uninstall", "--yes", "--project", str(repository.root)) == 0
    assert f"The memories stay in {home}" in capsys.readouterr().out
    assert any(home.rglob("memory.db"))
    assert holloway("uninstall", "--data", "--dry-run", "--project", str(repository.root)) == 0
    said = capsys.readouterr().out
    assert f"Without --dry-run, {home} with all memories would be deleted" in said
    assert "The memories stay" not in said
    assert any(home.rglob("memory.db"))


@pytest.mark.promise("uninstall")
def test_with_data_nothing_of_the_data_folder_is_left(repository: Repository, home: Path) -> None:
    project = ("--project", str(repository.root))
    assert holloway("setup", "claude-code", "--yes", *project) == 0
    assert holloway("remember", "Money is integer cents", "--user", *project) == 0
    assert holloway("config", "set", "synchronous", "full", *project) == 0
    assert holloway("pause", "--everywhere", *project) == 0
    assert holloway("export", "--format", "archive", str(home.parent / "shop.holloway"), *project) == 0
    (home / "hook-failures.log").write_text("2026-01-01T00:00:00Z ValueError\n")
    load_or_create_key(home, DIGEST_KEY_NAME)  # as learning from a session with foreign text does
    assert {path.name for path in home.iterdir()} <= set(uninstall.DATA_NAMES)
    assert holloway("uninstall", "--data", "--yes", *project) == 0
    assert not home.exists()


def test_what_somebody_else_put_into_the_data_folder_stays(
    repository: Repository, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert holloway("remember", "Money is integer cents", "--project", str(repository.root)) == 0
    (home / "notes.txt").write_text("mine")
    assert holloway("uninstall", "--data", "--yes", "--project", str(repository.root)) == 0
    assert "notes.txt" in capsys.readouterr().out
    assert tree(home) == {"notes.txt": b"mine"}


def test_data_in_use_is_not_deleted(
    repository: Repository, home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert holloway("remember", "Money is integer cents", "--project", str(repository.root)) == 0
    monkeypatch.setattr(background_worker, "is_running", lambda folder: True)
    before = tree(home)
    assert holloway("uninstall", "--data", "--yes", "--project", str(repository.root)) == 1
    assert "nothing was deleted" in capsys.readouterr().err
    assert tree(home) == before


def test_a_block_with_words_of_somebody_in_it_stays_and_is_named(
    repository: Repository, capsys: pytest.CaptureFixture[str]
) -> None:
    project = ("--project", str(repository.root))
    assert holloway("remember", "Money is integer cents", "--pin", *project) == 0
    assert holloway("export", "--to", "CLAUDE.md", *project) == 0
    path = repository.root / "CLAUDE.md"
    path.write_text(path.read_text().replace("<!-- holloway:end -->", "- mine\n<!-- holloway:end -->"))
    edited = path.read_bytes()
    assert holloway("uninstall", "--yes", *project) == 0
    assert str(path) in capsys.readouterr().out
    assert path.read_bytes() == edited


def test_a_file_that_is_broken_by_now_keeps_nothing_else_from_going(
    repository: Repository, capsys: pytest.CaptureFixture[str]
) -> None:
    for agent in AGENTS:
        assert holloway("setup", agent, "--yes", "--project", str(repository.root)) == 0
    broken = Path.home() / ".claude/settings.json"
    broken.write_bytes(b"{")
    assert holloway("uninstall", "--yes", "--project", str(repository.root)) == 0
    assert str(broken) in capsys.readouterr().out
    assert broken.read_bytes() == b"{"
    assert not (Path.home() / ".codex/hooks.json").exists()
