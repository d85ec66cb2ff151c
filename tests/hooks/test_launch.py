"""How hosts start holloway: by path, without anything that the repository brings."""

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from holloway.hooks.install import launch


def test_in_isolated_mode_a_package_of_our_name_in_the_repository_is_not_run(tmp_path: Path, home: Path) -> None:
    (tmp_path / "holloway").mkdir()
    (tmp_path / "holloway/__init__.py").write_text("raise SystemExit('taken over')")
    environment = {"HOLLOWAY_HOME": str(home), "PATH": os.defpath, "HOME": str(tmp_path)}
    words = launch.by_path()
    for command in ((*words.hook, "codex"), words.status):
        done = subprocess.run(command, cwd=tmp_path, input=b"{}", capture_output=True, env=environment, check=False)
        assert (done.returncode, done.stderr) == (0, b"")
    assert {words.mcp[1], words.status[1]} == {"-I"}


@pytest.mark.parametrize("name", ["plain", "with space", "quote'd", 'double"d', "back\\slash", "Zoë 日本", "$HOME;x"])
def test_a_line_for_a_shell_gives_every_word_as_it_is(tmp_path: Path, name: str) -> None:
    words = (sys.executable, "-c", "import sys, json\nprint(json.dumps(sys.argv[1:]))", name, "a b")
    done = subprocess.run(["/bin/sh", "-c", launch.line(words, windows=False)], capture_output=True, check=True)
    assert json.loads(done.stdout) == [name, "a b"]


def test_a_line_for_windows_has_no_line_break_and_says_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    line = launch.line(("C:\\Program Files\\python.exe", "-c", "import sys\nprint(7)", "codex"), windows=True)
    assert "\n" not in line
    assert line.startswith('"C:\\Program Files\\python.exe" -c ')
    program = shlex.split(line.partition(" -c ")[2])[0]
    exec(program)  # noqa: S102  (what the host would run)
    assert capsys.readouterr().out == "7\n"


@pytest.mark.parametrize("text", ["/opt/holloway", "/it's", '/say "so"', "/tab\there", "/\udc80", "/日本"])
def test_a_path_in_a_program_is_written_as_python_reads_it(text: str) -> None:
    assert eval(launch._literal(text)) == text  # noqa: S307  (our own words)
