"""A process that has loaded everything and performs each operation in a fork of itself, on a disk that may fail.

`Performer` starts it and talks to it, a line of JSON each way. A fork is a real process, at a tenth of the cost.
"""

import ctypes
import json
import os
import pkgutil
import resource
import select
import signal
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, Self

import holloway
from holloway import cli, config
from holloway.store import project as projects
from holloway.store.store import restore_backup_file
from holloway.testing import CountedIds, FakeClock

LIMIT_S = 60
"""What runs longer than this hangs."""
TAUGHT = "Refunds are posted in the night, never at once"
SECRET = "The seahorse ledger is kept under the stairs"
OUTDATED = "Invoices are numbered by hand"


class Performer:
    """The process, as a test uses it."""

    def __init__(self, preload: Path | None = None) -> None:
        environment = {**os.environ, "LD_PRELOAD": str(preload)} if preload else None
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(
            [sys.executable, __file__], stdin=pipe, stdout=pipe, text=True, env=environment
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self._process.communicate(timeout=LIMIT_S)

    def perform(self, operation: str, home: Path, **fields: object) -> dict[str, Any]:
        """Have an operation performed on a data folder, in the environment of the test; returns what it reported."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        command = {"operation": operation, "home": str(home), "environment": dict(os.environ), **fields}
        self._process.stdin.write(json.dumps(command) + "\n")
        self._process.stdin.flush()
        report: dict[str, Any] = json.loads(self._process.stdout.readline())
        return report


def remember(project: str) -> None:
    with opened(project) as memory:
        memory.remember(TAUGHT, files=["src/shop/billing/invoice.py"], tags=["money"])


def replace(project: str) -> None:
    with opened(project) as memory:
        memory.wrong(only(memory, OUTDATED).id, "outdated", instead=TAUGHT)


def prune(project: str) -> None:
    with opened(project) as memory:
        memory.prune()


def forget(project: str) -> list[str]:
    with opened(project) as memory:
        return list(memory.forget([only(memory, SECRET)], hard=True).left)


def back_up(project: str) -> None:
    with opened(project) as memory:
        memory.store.create_backup()


def bring_back(project: str) -> None:
    restore_backup_file(projects.resolve_project(Path(project), Path(config.data_home())), "latest", FakeClock())


def only_open(project: str) -> None:
    opened(project).close()


OPERATIONS: dict[str, Callable[[str], list[str] | None]] = {
    "remember": remember,
    "replace": replace,
    "prune": prune,
    "forget": forget,
    "back up": back_up,
    "bring back": bring_back,
    "open": only_open,
}


def opened(project: str) -> holloway.Holloway:
    """The memory of a project; what is new in it has the same time and ids in every run."""
    return holloway.open(project, clock=FakeClock(), ids=CountedIds("performer"))


def only(memory: holloway.Holloway, content: str) -> holloway.Memory:
    [found] = [kept for kept in memory.chosen(everything=True) if kept.content == content]
    return found


def perform(command: dict[str, Any]) -> dict[str, object]:
    """One operation with one fault, if any: what it returned or raised, and the changes to the disk that it tried."""
    shim = ctypes.CDLL(None) if command.get("at") is not None else None
    if shim is not None:
        shim.failing_io_disarm.restype = ctypes.c_char_p
        folder = os.fsencode(command["home"])
        shim.failing_io_arm(folder, ctypes.c_long(command["at"]), command["error"], int(command["lasting"]))
    if (most := command.get("file_bytes_max")) is not None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
    report: dict[str, object] = {}
    try:
        report["left"] = OPERATIONS[command["operation"]](command["project"]) or []
    except holloway.HollowayError as error:
        report |= {"error": type(error).__name__, "message": error.message, "hint": error.hint}
    except Exception as error:
        report |= {"error": type(error).__name__, "message": str(error), "hint": "", "raw": True}
    if shim is not None:
        report["calls"] = shim.failing_io_disarm().decode()
    return report


def run_command(command: dict[str, Any]) -> dict[str, object]:
    """One run of the command line: its exit code and what it printed."""
    folder = Path(command["captured"])
    for descriptor, name in ((1, "out"), (2, "err")):
        file = os.open(folder / name, os.O_CREAT | os.O_WRONLY | os.O_TRUNC)
        os.dup2(file, descriptor)
        os.close(file)
    code: object = None
    try:
        cli.main(command["arguments"])
    except SystemExit as end:
        code = end.code or 0
    sys.stdout.flush()
    sys.stderr.flush()
    return {"code": code, **{name: (folder / name).read_text("utf-8", "replace") for name in ("out", "err")}}


def in_a_fork(command: dict[str, Any]) -> dict[str, object]:
    """What a fork of this process reports, or how it died."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        report_and_end(command, writing)
    os.close(writing)
    answer, ended = b"", False
    with os.fdopen(reading, "rb", 0) as pipe:
        while not ended and select.select([pipe], [], [], LIMIT_S)[0]:
            part = pipe.read(1 << 16)
            answer, ended = answer + part, not part
    if not ended:
        os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return json.loads(answer) if answer and ended else {"error": "died" if ended else "hung", "raw": True}


def report_and_end(command: dict[str, Any], pipe: int) -> None:
    """The life of a fork."""
    try:
        os.environ.clear()
        os.environ.update({**command["environment"], "HOLLOWAY_HOME": command["home"]})
        report = run_command(command) if command["operation"] == "command" else perform(command)
        os.write(pipe, json.dumps(report).encode())
    finally:
        os._exit(0)


@cache
def load_commands() -> None:
    """Load what the command line would load in each fork anew: its modules, and the model.

    A model with a pool of threads would hang in a fork, so it has one thread.
    """
    config.EMBED_THREADS_MAX = 1
    from holloway.embeddings.builtin_model import BuiltinEmbedder  # the number above is read on import

    BuiltinEmbedder().embed(["A first text loads the model."])
    for module in pkgutil.iter_modules(cli.__path__, f"{cli.__name__}."):
        import_module(module.name)


def main() -> None:
    for line in sys.stdin:
        command = json.loads(line)
        if command["operation"] == "command":
            load_commands()
        print(json.dumps(in_a_fork(command)), flush=True)


if __name__ == "__main__":
    main()
