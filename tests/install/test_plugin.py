"""The plugins' folders say what setup says, and are written from it; the hook's wrapper runs in a real shell."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from holloway.install import CLAUDE_CODE_DIALECT, plugin
from holloway.install.slash_commands import FILE_MARK, SLASH_COMMANDS

ROOT = Path(__file__).parents[2]


@pytest.mark.promise("plugin")
def test_what_is_checked_in_is_what_is_written_from_the_tables() -> None:
    there = [
        path
        for folder in (plugin.PLUGIN_FOLDER, plugin.MCP_FOLDER, ".claude-plugin")
        for path in (ROOT / folder).rglob("*")
    ]
    checked_in = {str(path.relative_to(ROOT)): path.read_text("utf-8") for path in there if path.is_file()}
    assert checked_in == plugin.render_plugins(), "`make docs` writes it anew"


@pytest.mark.promise("plugin")
def test_the_plugin_has_every_event_and_command_that_setup_has() -> None:
    files = plugin.render_plugins()
    assert list(json.loads(files["plugin/hooks/hooks.json"])["hooks"]) == list(CLAUDE_CODE_DIALECT.events)
    assert {f"plugin/commands/{name}.md" for name in SLASH_COMMANDS} <= set(files)


def test_the_plugin_with_the_hooks_names_no_server_that_could_fail() -> None:
    files = plugin.render_plugins()
    assert {path for path in files if path.endswith(".mcp.json")} == {"plugin-mcp/.mcp.json"}
    offered = json.loads(files[".claude-plugin/marketplace.json"])["plugins"]
    assert {each["name"]: each["source"] for each in offered} == {
        "holloway": "./plugin",
        "holloway-mcp": "./plugin-mcp",
    }


def test_nothing_in_it_names_this_machine_or_says_that_setup_wrote_it() -> None:
    for text in plugin.render_plugins().values():
        assert str(ROOT) not in text
        assert sys.prefix not in text
        assert str(Path.home()) not in text
        assert FILE_MARK not in text


WRAPPER = ROOT / "plugin/hooks/plugin_hook.sh"
EVENT = b'{"hook_event_name": "Stop"}'
MORE_THAN_A_PIPE_HOLDS = b" " * 300_000
SHELLS = [name for name in ("sh", "dash", "bash", "zsh") if shutil.which(name)]
HOOK = '#!/bin/sh\nprintf "%s:%s:" "$0" "$1"\ncat\n'
NOWHERE_ELSE = not any(Path(folder, "holloway-hook").exists() for folder in ("/opt/homebrew/bin", "/usr/local/bin"))

needs_no_holloway = pytest.mark.skipif(not NOWHERE_ELSE, reason="holloway is installed for all users of this machine")


def put_hook(folder: Path, text: str = HOOK) -> Path:
    """Install a hook of these words in a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "holloway-hook").write_text(text)
    (folder / "holloway-hook").chmod(0o755)
    return folder / "holloway-hook"


class Machine:
    """A person's machine: a home, and a PATH with the few programs that the wrapper uses."""

    def __init__(self, folder: Path) -> None:
        self.home, self.bin = folder / "home of ann", folder / "bin"
        self.home.mkdir()
        self.bin.mkdir()
        (self.bin / "cat").symlink_to(str(shutil.which("cat")))
        self.environment = {"PATH": str(self.bin), "HOME": str(self.home)}

    def run(self, event: str, data: bytes = EVENT, shell: str = "sh") -> tuple[int, bytes, bytes]:
        """Run the wrapper as Claude Code does: all input is written first, and a broken pipe is an error."""
        pipe = subprocess.PIPE
        command = [str(shutil.which(shell)), str(WRAPPER), event]
        with subprocess.Popen(command, env=self.environment, stdin=pipe, stdout=pipe, stderr=pipe) as process:
            assert process.stdin is not None
            assert process.stdout is not None
            assert process.stderr is not None
            process.stdin.write(data)
            process.stdin.close()
            printed, complaint = process.stdout.read(), process.stderr.read()
        return process.returncode, printed, complaint


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    """A machine without holloway."""
    return Machine(tmp_path)


@pytest.mark.parametrize("shell", SHELLS)
def test_the_wrapper_runs_the_hook_on_the_path_with_the_event(machine: Machine, shell: str) -> None:
    hook = put_hook(machine.bin)
    assert machine.run("Stop", shell=shell) == (0, f"{hook}:claude-code:".encode() + EVENT, b"")


@pytest.mark.parametrize(
    "folder",
    [
        ".local/bin",
        ".local/share/uv/tools/holloway/bin",
        ".local/share/pipx/venvs/holloway/bin",
        ".local/pipx/venvs/holloway/bin",
    ],
)
def test_the_wrapper_finds_the_hook_where_installers_put_it(machine: Machine, folder: str) -> None:
    hook = put_hook(machine.home / folder)
    assert machine.run("Stop") == (0, f"{hook}:claude-code:".encode() + EVENT, b"")


@pytest.mark.parametrize(
    ("variable", "below"),
    [
        ("UV_TOOL_BIN_DIR", ""),
        ("PIPX_BIN_DIR", ""),
        ("XDG_BIN_HOME", ""),
        ("UV_TOOL_DIR", "holloway/bin"),
        ("PIPX_HOME", "venvs/holloway/bin"),
        ("XDG_DATA_HOME", "uv/tools/holloway/bin"),
    ],
)
def test_the_wrapper_knows_the_variables_that_move_those_places(
    machine: Machine, tmp_path: Path, variable: str, below: str
) -> None:
    hook = put_hook(tmp_path / "moved" / below)
    machine.environment[variable] = str(tmp_path / "moved")
    assert machine.run("Stop") == (0, f"{hook}:claude-code:".encode() + EVENT, b"")


@needs_no_holloway
@pytest.mark.parametrize("shell", SHELLS)
def test_without_holloway_a_session_starts_with_one_line_to_the_person(machine: Machine, shell: str) -> None:
    code, printed, complaint = machine.run("SessionStart", shell=shell)
    said = json.loads(printed)
    assert (code, complaint, list(said)) == (0, b"", ["systemMessage"])
    assert "is not installed. Its README says how to install it" in said["systemMessage"]


@needs_no_holloway
@pytest.mark.parametrize("event", [name for name in CLAUDE_CODE_DIALECT.events if name != "SessionStart"])
def test_without_holloway_every_other_event_is_read_to_its_end_in_silence(machine: Machine, event: str) -> None:
    assert machine.run(event, MORE_THAN_A_PIPE_HOLDS) == (0, b"", b"")


@needs_no_holloway
@pytest.mark.parametrize("shell", SHELLS)
def test_without_a_home_the_wrapper_looks_in_no_home(machine: Machine, shell: str) -> None:
    del machine.environment["HOME"]
    assert machine.run("Stop", shell=shell) == (0, b"", b"")
    hook = put_hook(machine.bin)
    assert machine.run("Stop", shell=shell) == (0, f"{hook}:claude-code:".encode() + EVENT, b"")


@needs_no_holloway
@pytest.mark.parametrize("text", ["#!/nowhere/python\n", "#!/bin/sh\necho broken >&2\nexit 2\n"])
def test_a_hook_that_cannot_run_is_passed_over_in_silence(machine: Machine, text: str) -> None:
    put_hook(machine.bin, text)
    assert machine.run("Stop", MORE_THAN_A_PIPE_HOLDS) == (0, b"", b"")
    working = put_hook(machine.home / ".local/bin")
    assert machine.run("Stop") == (0, f"{working}:claude-code:".encode() + EVENT, b"")


@needs_no_holloway
def test_a_hook_that_the_repository_brings_is_not_run(
    machine: Machine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put_hook(tmp_path / "repository")
    monkeypatch.chdir(tmp_path / "repository")
    machine.environment["PATH"] = f".{os.pathsep}{machine.bin}"
    assert machine.run("Stop") == (0, b"", b"")
