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
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.generated import SEED
from benchmarks.generated.code import Code
from benchmarks.generated.growing import Growing
from benchmarks.installed import AGENT, environment_in, hook_command, no_worker
from benchmarks.machine import Samples, environment
from benchmarks.targets import target
from holloway.capture import hosts
from holloway.config import HOOK_BUDGETS_MS
from holloway.domain.memory import Draft, MemoryType, Source, State
from holloway.domain.memory_details import ErrorFix
from holloway.text import failures

ROUNDS = 30
QUICK_ROUNDS = 6
WARM_UPS = 2
PATIENCE = "10"
"""So many times its deadline a hook may take here: on a busy machine it is measured, not cut."""
CAPTURE_P50_MAX = 2.0
CAPTURE_P95_MAX = 3.0
BARE = "bare Python"
TRAPPED = "src/api/planted_handler.py"
TRAP = "the planted fixture must be closed"
FAILURE = "src/db/pool.py:41:9: error: cannot import name 'borrow' from 'planted_pool'"
FIX = "import borrow from planted_pool.idle"
HOW = [
    "holloway is installed into a fresh virtual environment from its lock file, as a user would, and the command is "
    "the one that `holloway setup claude-code` writes.",
    "Each round starts every process once, in random order, bare Python of the same interpreter among them, so that "
    "whatever else the machine does hits all of them alike. The ratio is between quantiles of the same run.",
    "The worker's lock is held: the worker that a session's start would leave behind does not run beside what is "
    "measured, and starting it (one more process, after the answer) is not in the figures.",
    "As expected counts what the hook really did: exit code 0, nothing on stderr, the answer on stdout where there is "
    "one, nothing where there is none, and a line more in the journal for each event of a known project. A hook that "
    "fails does so in silence, so its exit code alone would say nothing.",
    "A hook leaves in silence when its deadline is over. Here it may take ten times as long, so that what is measured "
    "is its work and not the deadline; over the deadline counts the rounds in which it would have left.",
]

Event = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Case:
    """One kind of event: its payload by round, and what must come back."""

    name: str
    event: Callable[[int], Event]
    answer: str = ""
    noted: bool = True
    deadline_ms: int = HOOK_BUDGETS_MS["tool_result"][0]
    agent: str = ""
    """The agent that reports the event in its format; empty for Claude Code."""


class Size(NamedTuple):
    """How much a measured project holds."""

    files: int
    memories: int


FULL, QUICK = Size(10_000, 10_000), Size(200, 500)


class Installed:
    """holloway with a project that has a memory and a map; in a separate environment, unless this one is used."""

    def __init__(self, folder: Path, *, size: Size = FULL, is_fresh: bool = True) -> None:
        self.python = environment_in(folder / "venv") if is_fresh else sys.executable
        self.root, self.elsewhere, self.home = folder / "shop", folder / "other", folder / "home"
        self.transcript = folder / "transcript.jsonl"
        self.transcript.touch()
        self.env = environment(HOLLOWAY_HOME=str(self.home), HOME=str(folder), HOLLOWAY_PATIENCE=PATIENCE)
        for path in (self.root, self.elsewhere):
            subprocess.run(["git", "init", "--quiet", "--initial-branch=main", path], env=self.env, check=True)
        self.command = hook_command(self.python, self.env, folder, self.root)
        self.files, self.memories = size
        self._write_files()
        self.data = self._fill()

    def _write_files(self) -> None:
        Code(self.files).write(self.root)
        for name in (TRAPPED, "src/api/plain_handler.py", "src/db/pool.py", "tests/test_pool.py", "Makefile"):
            path = self.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            text = f'"""The {path.stem} closes idle connections."""\nVALUE = 1\n'
            path.write_text("test:\n\tpytest\n" if name == "Makefile" else text)

    def _fill(self) -> Path:
        growing = Growing(self.root, self.home, datetime.now(UTC) - timedelta(days=30))
        growing.plant([TRAPPED], 2)
        growing.add(_fix())
        growing.grow(self.memories)
        growing.memory.map.update(workers=0)
        growing.memory.close()
        return growing.memory.project.folder

    def command_of(self, agent: str) -> list[str]:
        """Return the command that setup writes for another agent: its name is the last argument."""
        before, _, after = self.command[-1].rpartition(AGENT)
        return [*self.command[:-1], before + agent + after]

    @property
    def flags(self) -> str:
        """Python's switches in the command."""
        return " ".join(self.command[1 : self.command.index("-c")]) if "-c" in self.command else ""

    def noted(self) -> int:
        """How many bytes the journal holds; a hook that gave up in silence adds none."""
        return sum(path.stat().st_size for path in (self.data / "journal").glob("*.jsonl"))


def _fix() -> Draft:
    """A fix that was seen, for the error that is met."""
    print_ = failures.fingerprint_errors(FAILURE)[0]
    details = ErrorFix(error=FAILURE, fix=FIX, fingerprint=print_)
    text = f"{FAILURE} is solved by: {FIX}"
    return Draft(text, MemoryType.ERROR_PATTERN, details=details, source=Source.ERROR_FIX, state=State.CONFIRMED)


def cases(installed: Installed) -> list[Case]:
    """The events of a session that a hook answers or notes."""
    session_fields: Event = {"session_id": "11111111-2222-3333-4444-555555555555", "cwd": str(installed.root)}
    session_fields["transcript_path"] = str(installed.transcript)
    output = "collected 214 items\n" + "tests/test_pool.py ......................... [ 11%]\n" * 120
    bash: Event = {**session_fields, "hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_use_id": "toolu_01"}
    bash |= {"tool_input": {"command": "pytest -q tests/test_pool.py", "description": "Run the pool's tests"}}
    bash |= {"tool_response": {"stdout": output, "stderr": "", "interrupted": False}}
    failed: Event = {key: value for key, value in bash.items() if key != "tool_response"}
    failed |= {"hook_event_name": "PostToolUseFailure", "error": f"Exit code 1\n{output}{FAILURE}\n"}
    task = "Make the pool close idle connections after five minutes, and add a test that shows it."
    thanks = "Thanks, that looks good to me, go on like this please."
    prompt = {**session_fields, "hook_event_name": "UserPromptSubmit", "permission_mode": "default"}
    return [
        Case("capture: shell command", lambda turn: bash),
        Case("capture: shell command of a host without a transcript", lambda turn: {**bash, "transcript_path": ""}),
        Case("file read, no trap", lambda turn: _read(session_fields, installed.root / "src/api/plain_handler.py")),
        Case(
            "file read, trap shown",
            lambda turn: _read({**session_fields, "session_id": f"fresh-{turn}"}, installed.root / TRAPPED),
            answer=TRAP,
        ),
        Case(
            "command failed, fix shown (PostToolUseFailure)",
            lambda turn: {**failed, "session_id": f"failed-{turn}"},
            answer=FIX,
        ),
        Case(
            "prompt, files located",
            lambda turn: {**prompt, "prompt": task, "session_id": f"asked-{turn}"},
            answer="src/db/pool.py",
            deadline_ms=HOOK_BUDGETS_MS["prompt"][0],
        ),
        Case("prompt, small talk", lambda turn: {**prompt, "prompt": thanks}, deadline_ms=HOOK_BUDGETS_MS["prompt"][0]),
        Case(
            "session start",
            lambda turn: {
                **session_fields,
                "hook_event_name": "SessionStart",
                "source": "startup",
                "session_id": f"new-{turn}",
            },
            answer="holloway: shared memory",
            deadline_ms=HOOK_BUDGETS_MS["prompt"][0],
        ),
        Case("a project without memory", lambda turn: {**bash, "cwd": str(installed.elsewhere)}, noted=False),
    ]


def agent_cases(installed: Installed) -> list[Case]:
    """The same shell command as each further agent reports it, with its own transcript where it names one."""
    output = "collected 214 items\n" + "tests/test_pool.py ......................... [ 11%]\n" * 120
    report = f"<untrusted_context>\nOutput: {output}\nProcess Group PGID: 4711\n</untrusted_context>"
    event: Event = {"session_id": "22222222-3333-4444-5555-666666666666", "cwd": str(installed.root)}
    event |= {"hook_event_name": "PostToolUse", "tool_use_id": "call_1"}
    event["tool_input"] = {"command": "pytest -q tests/test_pool.py", "description": "Run the pool's tests"}
    with_transcript = {**event, "transcript_path": str(installed.transcript)}
    payloads: dict[str, Event] = {
        hosts.CODEX: {**with_transcript, "turn_id": "1", "tool_name": "Bash", "tool_response": output},
        hosts.COPILOT: {
            **event,
            "tool_name": "Bash",
            "tool_result": {"text_result_for_llm": f"{output}\n<shellId: 0 completed with exit code 0>"},
        },
        hosts.GEMINI: {
            **with_transcript,
            "hook_event_name": "AfterTool",
            "tool_name": "run_shell_command",
            "tool_response": {"llmContent": report},
        },
        hosts.QWEN: {**with_transcript, "tool_name": "run_shell_command", "tool_response": {"llmContent": report}},
        hosts.DROID: {**with_transcript, "tool_name": "Execute", "tool_response": output},
        hosts.OPENCODE: {**event, "tool_name": "bash", "tool_response": output},
        hosts.KILO: {**event, "tool_name": "bash", "tool_response": output},
        hosts.PI: {**with_transcript, "tool_name": "bash", "tool_response": output},
    }
    return [
        Case(f"shell command in {agent}", partial(_repeat, payload), agent=agent) for agent, payload in payloads.items()
    ]


def _repeat(payload: Event, _turn: int) -> Event:
    return payload


def _read(session_fields: Event, path: Path) -> Event:
    text = "".join(f"{number:6}\tVALUE_{number} = compute(VALUE_{number - 1})\n" for number in range(1, 400))
    event = {**session_fields, "hook_event_name": "PostToolUse", "tool_name": "Read", "tool_use_id": "toolu_02"}
    return event | {
        "tool_input": {"file_path": str(path)},
        "tool_response": {"type": "text", "file": {"filePath": str(path), "content": text, "numLines": 399}},
    }


def run(*, quick: bool = False) -> dict[str, Any]:
    """Install, fill and measure."""
    rounds = QUICK_ROUNDS if quick else ROUNDS
    with tempfile.TemporaryDirectory() as name:
        installed = Installed(Path(name).resolve(), size=QUICK if quick else FULL, is_fresh=not quick)
        with no_worker(installed.data):
            times, right = _measure_cases(installed, [*cases(installed), *agent_cases(installed)], rounds)
        failed = (installed.home / "hook-failures.log").exists()
    return _result(times, right, rounds, installed, failed=failed)


def _measure_cases(installed: Installed, chosen: list[Case], rounds: int) -> tuple[dict[str, Samples], dict[str, int]]:
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
    command = installed.command_of(case.agent) if case and case.agent else installed.command
    process = samples.start(bare or command, installed.env, stdin, installed.root)
    hook_output = json.loads(process.stdout).get("hookSpecificOutput", {}) if process.stdout else {}
    answer = str(hook_output.get("additionalContext", ""))
    wanted, noted = (case.answer, case.noted) if case else ("", False)
    answered = wanted in answer if wanted else not process.stdout
    return process.returncode == 0 and not process.stderr and answered and (installed.noted() > before) == noted


def _result(
    times: dict[str, Samples], right: dict[str, int], rounds: int, installed: Installed, *, failed: bool
) -> dict[str, Any]:
    base = times[BARE].figures()
    by_agent = {case.name for case in agent_cases(installed)}
    deadlines = {case.name: case.deadline_ms for case in [*cases(installed), *agent_cases(installed)]}
    columns = ["process", "p50 ms", "p95 ms", "CPU p50 ms", "CPU p95 ms"]
    columns += ["x bare p50", "x bare p95", "x bare CPU p50", "x bare CPU p95", "over the deadline", "as expected"]
    rows = []
    for name, samples in times.items():
        figures = samples.figures()
        ratios = [figures[at] / base[at] for at in range(4)]
        late = sum(ms > deadlines[name] for ms in samples.wall_ms) if name in deadlines else None
        rows.append([name, *figures, *ratios, late, f"{right[name]} of {rounds}"])
    notes = [f"Python's switches in the command: `{installed.flags}`."]
    notes += ["Some hooks failed and counted it." if failed else "No hook counted a failure."]
    return {
        "title": "B7: hooks",
        "question": "How long does an agent wait for a hook, against starting Python at all?",
        "how": [*HOW, *notes],
        "seed": SEED,
        "targets": _targets(times),
        "tables": [
            {
                "title": f"{rounds} rounds, {installed.memories:,} memories, a map of {installed.files:,} files",
                "columns": columns,
                "rows": [row for row in rows if row[0] not in by_agent],
            },
            {
                "title": f"The same shell command as each further agent reports it, {rounds} rounds",
                "columns": columns,
                "rows": [row for row in rows if row[0] in by_agent],
            },
        ],
    }


def _targets(times: dict[str, Samples]) -> list[dict[str, Any]]:
    base = times[BARE].figures()
    return [
        target(f"{name}, {label} against bare Python", samples.figures()[at] / base[at], at_most, "x")
        for name, samples in times.items()
        if name.startswith(("capture", "shell command in "))
        for label, at, at_most in (("p50", 0, CAPTURE_P50_MAX), ("p95", 1, CAPTURE_P95_MAX))
    ]
