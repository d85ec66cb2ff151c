"""The setup command: the change is shown in a form that can be taken in at a glance, and made only when confirmed."""

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
