"""The diff of a configuration file that setup shows before it asks."""

import difflib
import json
from pathlib import Path

import pytest

from holloway.install import file_change
from holloway.install.file_change import ConfigChange
from tests.install.installing import part

PROJECTS = {f"/home/ada/project-{number}": {"allowedTools": [], "history": ["fix", "run"]} for number in range(2_000)}


def change_of(before: str, after: str) -> ConfigChange:
    return ConfigChange(part(Path("/home/ada/.claude.json")), before.encode(), after.encode())


def test_a_diff_of_a_file_with_megabytes_compares_the_changed_lines_only(monkeypatch: pytest.MonkeyPatch) -> None:
    before = json.dumps({"projects": PROJECTS, "theme": "dark"}, indent=2)
    compared: list[int] = []

    def count_lines(junk: None, old: list[str], new: list[str]) -> difflib.SequenceMatcher[str]:
        compared.append(len(old) + len(new))
        return difflib.SequenceMatcher(junk, old, new)

    monkeypatch.setattr(file_change, "SequenceMatcher", count_lines)
    added = '"mcpServers": {\n    "holloway": {}\n  },\n  "theme"'
    shown = file_change.render_diff(change_of(before, before.replace('"theme"', added)))
    line = before[: before.index('"theme"')].count("\n") + 1
    assert shown.splitlines() == [
        "--- /home/ada/.claude.json",
        "+++ /home/ada/.claude.json",
        f"@@ line {line} @@",
        '+  "mcpServers": {',
        '+    "holloway": {}',
        "+  },",
    ]
    assert compared == [3]


def test_every_change_of_a_file_is_in_the_diff_with_its_line() -> None:
    before = "\n".join(["same", "first", "same", "same", "second", "same"])
    after = "\n".join(["same", "FIRST", "same", "same", "added", "same"])
    shown = file_change.render_diff(change_of(before, after)).splitlines()[2:]
    assert shown == ["@@ line 2 @@", "-first", "+FIRST", "@@ line 5 @@", "-second", "+added"]
    repeated = file_change.render_diff(change_of("}\n}\n", "}\n}\n}\n")).splitlines()[2:]
    assert repeated == ["@@ line 3 @@", "+}"], "a line that the end repeats counts once"
    assert file_change.render_diff(change_of("same", "same")) == ""
