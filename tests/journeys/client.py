"""What running a real client has in common, whichever it is: a clean environment, a time limit, all that it said."""

import json
import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

PROJECT = Path(__file__).resolve().parents[2]
INSTALLED = PROJECT / "build/agents/node_modules/.bin"
NODE = PROJECT / "build/agents/node/node_modules/node/bin"
"""The Node that `make agents` installs: clients that are Node scripts need a newer one than many machines have."""
TIMEOUT_S = 60.0

# What a program needs of the person's environment to start at all. Everything else stays out: a key, a
# proxy or a setting of an agent that runs these tests would change what is tested.
INHERITED = ("PATH", "LANG", "LC_ALL", "TMPDIR", "SYSTEMROOT")


@dataclass(frozen=True)
class Ran:
    """How a process ended and what it printed."""

    exit_code: int
    printed: str
    stderr: str

    def objects(self) -> Iterator[Mapping[str, object]]:
        """The JSON objects in what was printed, one a line or one in all."""
        for piece in (self.printed, *self.printed.splitlines()):
            try:
                value = json.loads(piece)
            except ValueError:
                continue
            if isinstance(value, dict):
                yield value


def find(name: str, variable: str) -> Path | None:
    """The client to test with: the one that a variable asks for, the project's own, or the one on PATH."""
    asked_for, on_path = os.environ.get(variable), shutil.which(name)
    if asked_for:
        return Path(asked_for)
    if (INSTALLED / name).exists():
        return INSTALLED / name
    return Path(on_path) if on_path else None


def clean_environment(home: Path, **more: str) -> dict[str, str]:
    """The environment that a client and its hooks start with."""
    inherited = {name: os.environ[name] for name in INHERITED if name in os.environ}
    path = os.pathsep.join([str(NODE), inherited.get("PATH", os.defpath)])
    return {**inherited, "PATH": path, "HOME": str(home), **more}


def run(command: Sequence[str], cwd: Path, environment: Mapping[str, str], timeout_s: float) -> Ran:
    """Run a client to its end; one that takes too long is stopped, with all that it started."""
    # Files, not pipes: a process that a hook leaves behind may hold a pipe open for ever.
    with tempfile.TemporaryFile() as stdout, tempfile.TemporaryFile() as stderr:
        process = subprocess.Popen(
            command,
            cwd=cwd,
            env=dict(environment),
            stdin=subprocess.DEVNULL,
            stdout=stdout,
            stderr=stderr,
            start_new_session=True,
        )
        finished = _wait(process, timeout_s)
        printed, complaints = _written(stdout), _written(stderr)
    if not finished:
        raise TimeoutError(f"{command[0]} ran longer than {timeout_s} s: {complaints or printed}")
    return Ran(process.returncode, printed, complaints)


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
