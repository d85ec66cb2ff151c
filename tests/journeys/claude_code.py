"""The real Claude Code client, run without a person against a scripted model."""

import json
import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import pytest

from tests.journeys.scripted_model import ScriptedModel

PROJECT = Path(__file__).resolve().parents[2]
INSTALLED = PROJECT / "build/agents/node_modules/.bin/claude"
TOOLS = ("Read", "Edit", "Bash", "Grep", "Glob")
TIMEOUT_S = 60.0

# What a program needs of the person's environment to start at all. Everything else stays out: a key, a
# proxy or a setting of a Claude Code that runs these tests would change what is tested.
INHERITED = ("PATH", "LANG", "LC_ALL", "TMPDIR", "SYSTEMROOT")

QUIET = {
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    "DISABLE_AUTOUPDATER": "1",
    "DISABLE_ERROR_REPORTING": "1",
    "DISABLE_TELEMETRY": "1",
}


@dataclass(frozen=True)
class Result:
    """How a run ended: `stdout` is the JSON object in what the client printed, empty if there is none."""

    exit_code: int
    stdout: Mapping[str, object]
    printed: str
    stderr: str

    @property
    def text(self) -> str:
        """The model's last words, as the client reports them."""
        return str(self.stdout.get("result", ""))

    @property
    def session_id(self) -> str:
        """What `--resume` takes to go on with this session."""
        return str(self.stdout.get("session_id", ""))


def find() -> Path | None:
    """The client to test with: the one asked for, the project's own, or the one on PATH."""
    asked_for = os.environ.get("HOLLOWAY_CLAUDE")
    if asked_for:
        return Path(asked_for)
    if INSTALLED.exists():
        return INSTALLED
    on_path = shutil.which("claude")
    return Path(on_path) if on_path else None


needs_claude_code = pytest.mark.skipif(
    find() is None,
    reason="Claude Code is not installed: `make agents` installs it, HOLLOWAY_CLAUDE names another",
)


def run(
    prompt: str,
    cwd: Path,
    home: Path,
    model: ScriptedModel,
    tools: Sequence[str] = TOOLS,
    *,
    arguments: Sequence[str] = (),
    environment: Mapping[str, str] | None = None,
    timeout_s: float = TIMEOUT_S,
) -> Result:
    """Give the client one prompt and wait until it is done.

    Its settings are those of `home`. `arguments` are more options of the command line, such as `--resume`;
    `environment` adds to the clean environment that the client and its hooks start with.
    """
    client = find()
    assert client is not None, needs_claude_code.kwargs["reason"]
    command = [str(client), "-p", prompt, "--allowedTools", ",".join(tools), "--output-format", "json"]
    variables = {**_clean_environment(home, model), **(environment or {})}
    # Files, not pipes: a process that a hook leaves behind may hold a pipe open for ever.
    with tempfile.TemporaryFile() as stdout, tempfile.TemporaryFile() as stderr:
        process = subprocess.Popen(
            [*command, *arguments],
            cwd=cwd,
            env=variables,
            stdin=subprocess.DEVNULL,
            stdout=stdout,
            stderr=stderr,
            start_new_session=True,
        )
        finished = _wait(process, timeout_s)
        printed, complaints = _written(stdout), _written(stderr)
    if not finished:
        raise TimeoutError(f"{client} ran longer than {timeout_s} s: {complaints or printed}")
    return Result(process.returncode, _object(printed), printed, complaints)


def _clean_environment(home: Path, model: ScriptedModel) -> dict[str, str]:
    inherited = {name: os.environ[name] for name in INHERITED if name in os.environ}
    connection = {"ANTHROPIC_BASE_URL": model.url, "ANTHROPIC_API_KEY": "a-key-for-the-scripted-model"}
    return {**inherited, "HOME": str(home), **connection, **QUIET}


def _wait(process: subprocess.Popen[bytes], timeout_s: float) -> bool:
    try:
        process.wait(timeout_s)
    except BaseException as error:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        if not isinstance(error, subprocess.TimeoutExpired):
            raise
        return False
    return True


def _written(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read().decode(errors="replace")


def _object(printed: str) -> Mapping[str, object]:
    try:
        value = json.loads(printed)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}
