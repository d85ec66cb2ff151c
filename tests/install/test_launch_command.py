"""How hosts start holloway: by path, without anything that the repository brings."""

import json
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from holloway.install import launch_command


def test_in_isolated_mode_a_package_of_our_name_in_the_repository_is_not_run(tmp_path: Path, home: Path) -> None:
    (tmp_path / "holloway").mkdir()
    (tmp_path / "holloway/__init__.py").write_text("raise SystemExit('taken over')")
    environment = {"HOLLOWAY_HOME": str(home), "PATH": os.defpath, "HOME": str(tmp_path)}
    words = launch_command.launch_by_path()
    for command in ((*words.hook, "codex"), words.status):
        done = subprocess.run(command, cwd=tmp_path, input=b"{}", capture_output=True, env=environment, check=False)
        assert (done.returncode, done.stderr) == (0, b"")
    assert {words.mcp[1], words.status[1]} == {"-I"}


@pytest.mark.parametrize("name", ["plain", "with space", "quote'd", 'double"d', "back\\slash", "Zoë 日本", "$HOME;x"])
def test_a_line_for_a_shell_gives_every_word_as_it_is(tmp_path: Path, name: str) -> None:
    words = (sys.executable, "-c", "import sys, json\nprint(json.dumps(sys.argv[1:]))", name, "a b")
    done = subprocess.run(
        ["/bin/sh", "-c", launch_command.join_shell_line(words, windows=False)], capture_output=True, check=True
    )
    assert json.loads(done.stdout) == [name, "a b"]


def test_a_line_for_windows_has_no_line_break_and_says_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    line = launch_command.join_shell_line(
        ("C:\\Program Files\\python.exe", "-c", "import sys\nprint(7)", "codex"), windows=True
    )
    assert "\n" not in line
    assert line.startswith('"C:/Program Files/python.exe" -c ')
    program = shlex.split(line.partition(" -c ")[2])[0]
    exec(program)  # noqa: S102  (what the host would run)
    assert capsys.readouterr().out == "7\n"


def test_a_hook_for_windows_is_the_plain_line() -> None:
    words = ("C:\\python.exe", "-c", "import sys\nprint(7)", "codex")
    assert launch_command.join_hook_line(words, windows=True) == launch_command.join_shell_line(words, windows=True)


SHELLS = [name for name in ("sh", "dash", "bash", "zsh", "fish", "busybox") if shutil.which(name)]
FAKE_ENTRY = "import json, sys\ndef main():\n print(json.dumps([sys.argv[1:], json.load(sys.stdin)]))\n"
MORE_THAN_A_PIPE_HOLDS = b" " * 300_000


def run_in_shell(shell: str, line: str, data: bytes) -> tuple[int, bytes, bytes]:
    """Run a line as a host does: write all of the payload, then read. A broken pipe is an error here."""
    pipe = subprocess.PIPE
    words = [shell, "sh", "-c", line] if shell == "busybox" else [shell, "-c", line]
    with subprocess.Popen(words, stdin=pipe, stdout=pipe, stderr=pipe) as process:
        assert process.stdin is not None
        process.stdin.write(data)
        process.stdin.close()
        assert process.stdout is not None
        assert process.stderr is not None
        printed, complaint = process.stdout.read(), process.stderr.read()
    return process.returncode, printed, complaint


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Path:
    """An installation in a folder of this name: an interpreter without holloway, and a package of one module."""
    folder = tmp_path / getattr(request, "param", "plain")
    python, package = folder / "bin/python", folder / "lib/holloway/hooks"
    python.parent.mkdir(parents=True)
    python.symlink_to(os.path.realpath(sys.executable))
    package.mkdir(parents=True)
    (package / "entry.py").write_text(FAKE_ENTRY)
    monkeypatch.setattr(sys, "executable", str(python))
    monkeypatch.setattr(launch_command, "__file__", str(package.parent / "install/launch_command.py"))
    return folder


@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize("elsewhere", ["plain", "with space", "it's", 'say "so"', "$HOME;x", "Zoë 日本"], indirect=True)
def test_a_hook_runs_wherever_it_is_installed(elsewhere: Path, shell: str) -> None:
    line = launch_command.join_hook_line((*launch_command.launch_by_path().hook, "claude-code"), windows=False)
    code, printed, complaint = run_in_shell(shell, line, b'{"a": 1}')
    assert (code, complaint) == (0, b"")
    assert json.loads(printed) == [["claude-code"], {"a": 1}]


@pytest.mark.promise("never-in-the-way")
@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize("elsewhere", ["plain", "it's $HOME"], indirect=True)
def test_a_hook_whose_interpreter_is_gone_reads_its_input_and_exits_0_in_silence(elsewhere: Path, shell: str) -> None:
    line = launch_command.join_hook_line((*launch_command.launch_by_path().hook, "claude-code"), windows=False)
    (elsewhere / "bin/python").unlink()
    assert run_in_shell(shell, line, MORE_THAN_A_PIPE_HOLDS) == (0, b"", b"")
    (elsewhere / "bin/python").symlink_to(elsewhere / "gone")
    assert run_in_shell(shell, line, MORE_THAN_A_PIPE_HOLDS) == (0, b"", b"")


@pytest.mark.promise("never-in-the-way")
@pytest.mark.parametrize("shell", SHELLS)
def test_a_hook_whose_interpreter_has_no_holloway_any_more_exits_0_in_silence(elsewhere: Path, shell: str) -> None:
    line = launch_command.join_hook_line((*launch_command.launch_by_path().hook, "claude-code"), windows=False)
    shutil.rmtree(elsewhere / "lib")
    assert run_in_shell(shell, line, MORE_THAN_A_PIPE_HOLDS) == (0, b"", b"")


@pytest.mark.parametrize("text", ["/opt/holloway", "/it's", '/say "so"', "/tab\there", "/\udc80", "/日本"])
def test_a_path_in_a_program_is_written_as_python_reads_it(text: str) -> None:
    assert eval(launch_command._python_literal(text)) == text  # noqa: S307  (our own words)
