"""Hooks in Codex's own file."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from holloway import install
from holloway.install import CODEX_DIALECT, launch_command
from tests.install.installing import findings, hints, holloway, write_old_form

READ_BY_CODEX = {"type", "command", "timeout"}


@pytest.fixture
def path() -> Path:
    """Where the hooks of the person are."""
    return Path.home() / ".codex/hooks.json"


def test_codex_gets_its_hooks_in_a_file_of_nothing_but_hooks(path: Path, home: Path) -> None:
    assert holloway("setup", "codex", "--yes") == 0
    written = json.loads(path.read_bytes())
    assert set(written) == {"hooks"}
    assert set(written["hooks"]) == set(CODEX_DIALECT.events)
    for entries in written["hooks"].values():
        assert [set(one) for entry in entries for one in entry["hooks"]] == [READ_BY_CODEX]


def test_codex_home_moves_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CODEX_HOME", str(tmp_path / "elsewhere"))
    assert install.hooks_file(CODEX_DIALECT, "user", tmp_path) == tmp_path / "elsewhere/hooks.json"
    assert install.hooks_file(CODEX_DIALECT, "project", tmp_path) == tmp_path / ".codex/hooks.json"


@pytest.mark.promise("codex")
def test_the_line_that_a_shell_runs_answers_a_session_and_fails_open(home: Path, tmp_path: Path) -> None:
    line = install.build_handler(CODEX_DIALECT, 5)["command"]
    clean = {"HOLLOWAY_HOME": str(home), "PATH": os.defpath}
    for said in (b"", b"not json", json.dumps({"hook_event_name": "SessionStart", "cwd": str(tmp_path)}).encode()):
        done = subprocess.run(["/bin/sh", "-c", line], input=said, capture_output=True, env=clean, check=False)
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_the_doctor_finds_that_the_interpreter_is_gone(path: Path) -> None:
    assert holloway("setup", "codex", "--yes") == 0
    assert "hooks-gone" not in findings(path.parent, "codex")
    path.write_text(path.read_text().replace(launch_command.launch_by_path().hook[0], "/nowhere/python"))
    assert "hooks-gone" in findings(path.parent, "codex")


def test_the_doctor_says_that_codex_asks_again_once_an_earlier_form_is_rewritten(path: Path) -> None:
    assert holloway("setup", "codex", "--yes") == 0
    write_old_form(path, "codex")
    assert findings(path.parent, "codex") == ["hooks-outdated", "hooks-untrusted"]
    assert hints(path.parent, "codex")[0] == (
        "`holloway setup codex` rewrites them. Codex then asks you to trust them again."
    )
    assert holloway("setup", "codex", "--yes") == 0
    assert findings(path.parent, "codex") == ["hooks-untrusted"]


@pytest.mark.promise("codex")
def test_the_person_hears_that_hooks_have_to_be_trusted(capsys: pytest.CaptureFixture[str]) -> None:
    assert holloway("setup", "codex", "--yes") == 0
    assert "after you trust them" in capsys.readouterr().out
