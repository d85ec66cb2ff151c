"""holloway as a user has it: a separate environment, its hook command as setup wrote it, no concurrent worker."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock

from holloway.service import background_worker

AGENT = "claude-code"
LOCK_WAIT_S = 60.0


def environment_in(folder: Path) -> str:
    """Install this repository from its lock file, as a user would; returns the environment's Python."""
    source = Path(__file__).resolve().parents[1]
    python = str(folder / ("Scripts" if sys.platform == "win32" else "bin") / "python")
    pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    for more in (
        ["--require-hashes", "-r", str(source / "requirements.lock")],
        ["--no-deps", "--no-build-isolation", str(source)],
    ):
        subprocess.run([*pip, *more], check=True, capture_output=True)
    return python


def hook_command(python: str, env: dict[str, str], home: Path, project: Path) -> list[str]:
    """Return the shell line that `holloway setup` writes into the configuration in `home`, as a host runs it."""
    settings = home / ".claude"
    settings.mkdir(parents=True, exist_ok=True)
    env = env | {"HOME": str(home), "CLAUDE_CONFIG_DIR": str(settings)}
    command = [python, "-m", "holloway", "setup", AGENT, "--yes"]
    subprocess.run(command, env=env, cwd=project, capture_output=True, check=True)
    entry = json.loads((settings / "settings.json").read_text(encoding="utf-8"))["hooks"]["PostToolUse"][0]["hooks"][0]
    return ["/bin/sh", "-c", entry["command"]]


@contextmanager
def no_worker(folder: Path) -> Iterator[None]:
    """Hold the worker's place in a project: no worker runs during the measurement, and none is left behind."""
    with FileLock(background_worker.lock_file(str(folder)), timeout=LOCK_WAIT_S, mode=0o600):
        yield
