"""What people read: lines that fit a narrow terminal, and a change that can be taken in at a glance."""

import io
import os
import subprocess
import sys

import pytest
from rich.console import Console
from rich.text import Text

from holloway.cli import common
from holloway.cli.setup import fold_diff
from tests.cli.conftest import Cli
from tests.conftest import Repository

WIDTH = 40


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> io.StringIO:
    """What a narrow terminal shows."""
    screen = io.StringIO()
    made = Console(file=screen, width=WIDTH, highlight=False)
    monkeypatch.setattr(common, "get_console", lambda: made)
    return screen


@pytest.mark.parametrize(
    ("text", "column"),
    [
        ("  a hint that is longer than the terminal is wide", 2),
        ("  data       a folder whose name is long enough to be broken", 13),
        ("1.00  a path and the reasons why it is the one that is meant", 6),
        ("words that begin at the margin and go on at the margin too", 0),
    ],
)
def test_what_does_not_fit_goes_on_below_its_words(terminal: io.StringIO, text: str, column: int) -> None:
    common.print_text(text)
    first, *rest = terminal.getvalue().splitlines()
    assert rest
    assert all(len(line) <= WIDTH for line in (first, *rest))
    assert all(line.startswith(" " * column) and line[column] != " " for line in rest)
    assert " ".join([first, *rest]).split() == text.split()


def test_a_column_that_leaves_no_room_is_not_kept(terminal: io.StringIO) -> None:
    common.print_hanging(Text("a" * 30 + "  and then some words that follow"), 32)
    assert terminal.getvalue().splitlines()[1] == "some words that follow"


def test_a_pipe_gets_each_line_whole(cli: Cli) -> None:
    long = "the token is refreshed " + "again and " * 10 + "again"
    cli("remember", long, "--summary", long)
    assert f"gotcha         {long}\n" in cli("list").out


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


@pytest.mark.parametrize(("encoding", "mark"), [("utf-8", "✓"), ("ascii", "+"), ("cp1252", "+")])
def test_a_terminal_without_our_signs_still_tells_good_from_bad(
    repository: Repository, encoding: str, mark: str
) -> None:
    command = [sys.executable, "-m", "holloway", "doctor", "--project", str(repository.root)]
    done = subprocess.run(command, env=os.environ | {"PYTHONIOENCODING": encoding}, capture_output=True)
    assert f"{mark} sqlite: " in done.stdout.decode(encoding)
