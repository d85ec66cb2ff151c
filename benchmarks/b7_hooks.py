"""B7, the hook: what one event costs the agent, as a multiple of starting Python at all."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from benchmarks.b7_store import SEED, Growing, target
from benchmarks.machine import Samples, environment

MEMORIES = 10_000
ROUNDS = 80
QUICK_ROUNDS = 25
WARM_UPS = 2
CAPTURE_P50_MAX = 2.0
CAPTURE_P95_MAX = 3.0
BARE = "bare Python"
TRAPPED = "src/api/planted_handler.py"
TRAP = "the planted fixture must be closed"
HOW = [
    "holloway is installed into a fresh virtual environment from its lock file, as a user would, and the command is "
    "the one that `holloway setup claude-code` writes. The project is a git repository with 10,000 memories.",
    "Each round starts every process once, in random order, bare Python of the same interpreter among them, so that "
    "whatever else the machine does hits all of them alike. The ratio is between quantiles of the same run.",
    "As expected counts what the hook really did: exit code 0, nothing on stderr, the trap on stdout where there is "
    "one, nothing where there is none, and a line more in the journal for each event of a known project. A hook that "
    "fails does so in silence, so its exit code alone would say nothing.",
]

Event = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Case:
    """One kind of event: its payload by round, and what must come back."""

    name: str
    event: Callable[[int], Event]
    answer: str = ""
    noted: bool = True


class Installed:
    """holloway in an environment of its own, with a project that has a memory."""

    def __init__(self, folder: Path) -> None:
        self.python = _environment(folder / "venv")
        self.root, self.elsewhere, self.home = folder / "shop", folder / "other", folder / "home"
        self.command = self._command()
        self.env = environment(HOLLOWAY_HOME=str(self.home), HOME=str(folder))
        for path in (self.root, self.elsewhere):
            subprocess.run(["git", "init", "--quiet", "--initial-branch=main", path], env=self.env, check=True)
        self._files()
        self.journal = self._fill()

    def _command(self) -> list[str]:
        """The exact command that the agent's configuration gets."""
        code = "import json; from holloway.hooks import install as i; print(json.dumps(i.handler(i.CLAUDE_CODE, 5)))"
        done = subprocess.run([self.python, "-c", code], env=environment(), capture_output=True, check=True)
        entry = json.loads(done.stdout)
        return [entry["command"], *entry["args"]]

    def _files(self) -> None:
        for name in (TRAPPED, "src/api/plain_handler.py", "src/db/pool.py", "tests/test_pool.py", "Makefile"):
            path = self.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("test:\n\tpytest\n" if name == "Makefile" else "VALUE = 1\n")

    def _fill(self) -> Path:
        growing = Growing(self.root, self.home, datetime.now(UTC) - timedelta(days=30))
        growing.plant([TRAPPED], 2)
        growing.grow(MEMORIES)
        growing.memory.close()
        return growing.memory.project.journal

    @property
    def flags(self) -> str:
        """Python's switches in the command."""
        return " ".join(self.command[1 : self.command.index("-c")])

    def noted(self) -> int:
        """How many bytes the journal holds; a hook that gave up in silence adds none."""
        return sum(path.stat().st_size for path in self.journal.glob("*.jsonl"))


def _environment(folder: Path) -> str:
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


def cases(installed: Installed) -> list[Case]:
    """The events of a session that a hook answers or notes."""
    here: Event = {"session_id": "11111111-2222-3333-4444-555555555555", "cwd": str(installed.root)}
    output = "collected 214 items\n" + "tests/test_pool.py ......................... [ 11%]\n" * 120
    bash: Event = {**here, "hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_use_id": "toolu_01"}
    bash |= {"tool_input": {"command": "pytest -q tests/test_pool.py", "description": "Run the pool's tests"}}
    bash |= {"tool_response": {"stdout": output, "stderr": "", "interrupted": False}}
    asked = "Make the pool close idle connections after five minutes, and add a test that shows it."
    worded = "The login test fails: the auth token in the header is gone after the API key was rotated. Find out why."
    prompt = {**here, "hook_event_name": "UserPromptSubmit", "permission_mode": "default"}
    return [
        Case("capture: shell command", lambda turn: bash),
        Case("prompt, answered", lambda turn: {**prompt, "prompt": asked}),
        Case("prompt that speaks of a token, answered", lambda turn: {**prompt, "prompt": worded}),
        Case("file read, no trap", lambda turn: _read(here, installed.root / "src/api/plain_handler.py")),
        Case(
            "file read, trap shown",
            lambda turn: _read({**here, "session_id": f"fresh-{turn}"}, installed.root / TRAPPED),
            answer=TRAP,
        ),
        Case(
            "session start",
            lambda turn: {**here, "hook_event_name": "SessionStart", "source": "startup", "session_id": f"new-{turn}"},
            answer="holloway: shared memory",
        ),
        Case("a project without memory", lambda turn: {**bash, "cwd": str(installed.elsewhere)}, noted=False),
    ]


def _read(here: Event, path: Path) -> Event:
    text = "".join(f"{number:6}\tVALUE_{number} = compute(VALUE_{number - 1})\n" for number in range(1, 400))
    event = {**here, "hook_event_name": "PostToolUse", "tool_name": "Read", "tool_use_id": "toolu_02"}
    return event | {
        "tool_input": {"file_path": str(path)},
        "tool_response": {"type": "text", "file": {"filePath": str(path), "content": text, "numLines": 399}},
    }


def run(*, quick: bool = False) -> dict[str, Any]:
    """Install, fill and measure."""
    rounds = QUICK_ROUNDS if quick else ROUNDS
    with tempfile.TemporaryDirectory() as name:
        installed = Installed(Path(name).resolve())
        times, right = _measured(installed, cases(installed), rounds)
        failed = (installed.home / "hook-failures.log").exists()
    return _result(times, right, rounds, installed.flags, failed=failed)


def _measured(installed: Installed, chosen: list[Case], rounds: int) -> tuple[dict[str, Samples], dict[str, int]]:
    bare = {
        BARE: [installed.python, "-c", "pass"],
        "Python with json, sqlite3": [installed.python, "-c", "import json, sqlite3"],
    }
    names = [*bare, *(case.name for case in chosen)]
    times = {name: Samples() for name in names}
    right = dict.fromkeys(names, 0)
    by_name = {case.name: case for case in chosen}
    order = random.Random(SEED)
    for turn in range(rounds + WARM_UPS):
        for name in order.sample(names, len(names)):
            samples = Samples() if turn < WARM_UPS else times[name]
            good = _once(installed, samples, bare.get(name), by_name.get(name), turn)
            right[name] += good and turn >= WARM_UPS
    return times, right


def _once(installed: Installed, samples: Samples, bare: list[str] | None, case: Case | None, turn: int) -> bool:
    stdin = json.dumps(case.event(turn)).encode() if case else b""
    before = installed.noted()
    done = samples.start(bare or installed.command, installed.env, stdin, installed.root)
    said = json.loads(done.stdout).get("hookSpecificOutput", {}) if done.stdout else {}
    answer = str(said.get("additionalContext", ""))
    wanted, noted = (case.answer, case.noted) if case else ("", False)
    answered = wanted in answer if wanted else not done.stdout
    return done.returncode == 0 and not done.stderr and answered and (installed.noted() > before) == noted


def _result(
    times: dict[str, Samples], right: dict[str, int], rounds: int, flags: str, *, failed: bool
) -> dict[str, Any]:
    base = times[BARE].figures()
    columns = ["process", "p50 ms", "p95 ms", "CPU p50 ms", "CPU p95 ms"]
    columns += ["x bare p50", "x bare p95", "x bare CPU p50", "as expected"]
    rows = []
    for name, samples in times.items():
        figures = samples.figures()
        ratios = [figures[at] / base[at] for at in (0, 1, 2)]
        rows.append([name, *figures, *ratios, f"{right[name]} of {rounds}"])
    notes = [f"Python's switches in the command: `{flags}`."]
    notes += ["Some hooks failed and counted it." if failed else "No hook counted a failure."]
    return {
        "title": "B7: hooks",
        "question": "How long does an agent wait for a hook, against starting Python at all?",
        "how": [*HOW, *notes],
        "seed": SEED,
        "targets": _targets(times),
        "tables": [{"title": f"{rounds} rounds", "columns": columns, "rows": rows}],
    }


def _targets(times: dict[str, Samples]) -> list[dict[str, Any]]:
    base = times[BARE].figures()
    return [
        target(f"{name}, {label} against bare Python", samples.figures()[at] / base[at], at_most, "x")
        for name, samples in times.items()
        if name.startswith("capture")
        for label, at, at_most in (("p50", 0, CAPTURE_P50_MAX), ("p95", 1, CAPTURE_P95_MAX))
    ]
