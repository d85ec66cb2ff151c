"""The reader is asked for once, in plain words, and never turned on by an empty answer, a script or `--yes`."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

import pytest

from holloway.cli import main
from holloway.config import Settings

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.conftest import Cli


@pytest.fixture
def agents(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both agents are installed on this machine."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name in ("claude", "codex"):
        (folder / name).touch(mode=0o700)
    monkeypatch.setenv("PATH", str(folder), prepend=":")


def chosen() -> tuple[str, str]:
    value, origin = Settings.load_settings().resolve_value("reader.provider")
    return str(value), origin


def type_answers(text: str, monkeypatch: pytest.MonkeyPatch, *command: str) -> int:
    """Run a command on a terminal on which a person types these lines."""

    class Terminal(io.TextIOWrapper):
        def isatty(self) -> bool:
            return True

    monkeypatch.setattr("sys.stdin", Terminal(io.BytesIO(text.encode())))
    with pytest.raises(SystemExit) as ended:
        main(list(command))
    return int(ended.value.code or 0)


@pytest.mark.promise("asks-first")
@pytest.mark.usefixtures("agents")
def test_setup_asks_once_and_an_empty_answer_asks_again(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert type_answers("y\n\n\nmaybe\noff\n", monkeypatch, "setup", "claude-code") == 0
    shown = capsys.readouterr().out
    assert shown.count("Which one reads your sessions?") == 4
    assert "[claude-code|codex|off]" in shown or "(claude-code, codex, off)" in shown
    assert "10,000 tokens" in shown
    assert chosen() == ("off", "config.toml")
    assert type_answers("y\n", monkeypatch, "setup", "codex") == 0
    assert "Which one reads" not in capsys.readouterr().out


@pytest.mark.usefixtures("agents")
def test_the_answer_turns_the_chosen_reader_on(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert type_answers("y\ncodex\n", monkeypatch, "setup", "claude-code") == 0
    assert "The reader is on." in capsys.readouterr().out
    assert chosen() == ("codex", "config.toml")


@pytest.mark.promise("nothing-is-sent")
@pytest.mark.usefixtures("agents")
def test_yes_a_script_and_no_answer_leave_it_off(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "holloway reader on" in cli("setup", "claude-code", "--yes").out
    assert chosen() == ("off", "default")
    cli("setup", "claude-code", "--remove", "--yes")
    assert type_answers("y\n", monkeypatch, "setup", "claude-code") == 0
    assert "holloway reader on" in capsys.readouterr().out
    assert chosen() == ("off", "default")
    on = cli("reader", "on")
    assert (on.code, "Add --provider: claude-code, codex, openai, anthropic." in on.err) == (2, True)
    assert chosen() == ("off", "default")


@pytest.mark.usefixtures("agents")
def test_one_command_turns_it_on_and_one_off(cli: Cli) -> None:
    cli("init", "--yes")
    on = cli("reader", "on", "--provider", "claude-code")
    assert (on.code, "The reader is on." in on.out, "200,000 tokens a day" in on.out) == (0, True, True)
    assert "reader     claude-code (sonnet): 0 of 200,000 tokens today" in cli("status").out
    assert cli("status", "--json").json["reader"]["provider"] == "claude-code"
    assert "reader: claude-code (sonnet)" in cli("doctor").out
    assert "off" in cli("reader", "off").out
    assert cli("reader", "status", "--json").json["provider"] == "off"
    assert "on this machine: claude-code, codex" in cli("reader").out


def test_a_choice_that_cannot_run_is_said_in_status_and_doctor(cli: Cli) -> None:
    cli("init", "--yes")
    on = cli("reader", "on", "--provider", "anthropic", "--key-env", "NO_SUCH_KEY", "--here")
    assert on.code == 0
    assert "NO_SUCH_KEY" in on.out
    assert chosen() == ("off", "default")
    assert "NO_SUCH_KEY" in cli("status").out
    checks = {check["name"]: check for check in cli("doctor", "--json").json["checks"]}
    assert checks["reader"]["finding"] == "reader-failing"


def test_an_unknown_provider_is_refused(cli: Cli) -> None:
    refused = cli("reader", "on", "--provider", "claude")
    assert (refused.code, "claude-code" in refused.err) == (2, True)
