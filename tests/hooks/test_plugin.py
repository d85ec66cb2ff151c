"""The plugin's folder says what setup says, and is written from it."""

import json
from pathlib import Path

import pytest

from holloway.hooks.install import CLAUDE_CODE, plugin
from holloway.hooks.install.text import COMMANDS, FILE_MARK

ROOT = Path(__file__).parents[2]


@pytest.mark.promise("plugin")
def test_what_is_checked_in_is_what_is_written_from_the_tables() -> None:
    there = [path for folder in (plugin.FOLDER, ".claude-plugin") for path in (ROOT / folder).rglob("*")]
    checked_in = {str(path.relative_to(ROOT)): path.read_text("utf-8") for path in there if path.is_file()}
    assert checked_in == plugin.files(), "`make docs` writes it anew"


@pytest.mark.promise("plugin")
def test_the_plugin_has_every_event_and_command_that_setup_has() -> None:
    files = plugin.files()
    assert list(json.loads(files["plugin/hooks/hooks.json"])["hooks"]) == list(CLAUDE_CODE.events)
    assert {f"plugin/commands/{name}.md" for name in COMMANDS} <= set(files)


def test_nothing_in_it_names_this_machine_or_says_that_setup_wrote_it() -> None:
    for text in plugin.files().values():
        assert str(ROOT) not in text
        assert "/bin/" not in text
        assert FILE_MARK not in text
