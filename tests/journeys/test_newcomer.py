"""A newcomer's way: what is built is installed into an environment of its own, and three commands lead to an agent."""

import json
import os
import subprocess
import sys
import sysconfig
import venv
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.conftest import Repository

SOURCE = Path(__file__).parents[2]
TRAP = "refresh() burns the token; call it once"
FILE = "src/shop/auth/tokens.py"


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The interpreter of an environment that has the built wheel; what it depends on is borrowed from this one."""
    folder = tmp_path_factory.mktemp("newcomer")
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(build, cwd=SOURCE, check=True, capture_output=True)
    venv.create(folder / "venv", symlinks=True)
    python = folder / "venv/bin/python"
    site = Path(
        subprocess.check_output([python, "-c", "import site; print(site.getsitepackages()[0])"], text=True)[:-1]
    )
    [wheel] = folder.glob("*.whl")
    zipfile.ZipFile(wheel).extractall(site)
    # A folder in a .pth file is searched after this one, and no .pth file in it is read: ours is the wheel's.
    (site / "borrowed.pth").write_text(sysconfig.get_paths()["purelib"] + "\n")
    return python


def holloway(python: Path, root: Path, *arguments: str) -> str:
    command = [str(python), "-m", "holloway", *arguments]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout


def agent(entry: Mapping[str, object], root: Path, **event: object) -> str:
    """What the agent is told, by the very command that its settings have."""
    command = ["/bin/sh", "-c", str(entry["command"])]
    told = json.dumps({"session_id": "one", "cwd": str(root), "transcript_path": "", **event}).encode()
    done = subprocess.run(command, input=told, capture_output=True, timeout=60, env=dict(os.environ))
    assert (done.returncode, done.stderr) == (0, b"")
    return str(json.loads(done.stdout)["hookSpecificOutput"]["additionalContext"]) if done.stdout else ""


@pytest.mark.nightly
@pytest.mark.skipif(os.name != "posix", reason="the folders of an environment differ")
@pytest.mark.promise("newcomer")
def test_three_commands_lead_from_a_fresh_installation_to_a_line_that_reaches_an_agent(
    installed: Path, repository: Repository
) -> None:
    root = repository.root
    where = subprocess.check_output([installed, "-c", "import holloway; print(holloway.__file__)"], text=True)
    assert str(installed.parents[1]) in where
    assert "holloway: shared memory" in holloway(installed, root, "init")
    holloway(installed, root, "setup", "claude-code", "--yes")
    holloway(installed, root, "remember", TRAP, "--file", FILE)
    hooks = json.loads((Path.home() / ".claude/settings.json").read_text("utf-8"))["hooks"]
    entry = hooks["PostToolUse"][0]["hooks"][0]
    read = {"tool_name": "Read", "tool_use_id": "1", "tool_input": {"file_path": str(root / FILE)}}
    assert TRAP in agent(entry, root, hook_event_name="PostToolUse", **read)
    assert TRAP in holloway(installed, root, "recall", "how often may a token be renewed")
    assert "by words and by meaning" in holloway(installed, root, "status")
    assert "✗" not in holloway(installed, root, "doctor")
