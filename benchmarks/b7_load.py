"""B7, under load: do agents still get whole answers while twenty other processes want the processor?

python -m benchmarks --only b7_load
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.b7_hooks import QUICK, Installed, Size
from benchmarks.installed import no_worker
from benchmarks.machine import Samples
from benchmarks.targets import target
from holloway.store import answer_log

if TYPE_CHECKING:
    from collections.abc import Iterator

BUSY = 20
"""Processes that compute without a pause."""
EVENTS = 100
QUICK_EVENTS = 10
SIZE = Size(files=2_000, memories=2_000)
NOT_FULL_MAX = 5
LOOP = "while True: pass"
SUBJECTS = ("close idle connections", "retry after a timeout", "reject an empty name", "log the slow calls")
HOW = [
    f"{BUSY} processes compute without a pause while {EVENTS} prompts and session starts, in turn, each of another "
    "session, are answered one after the other by the command that `holloway setup claude-code` writes. Budgets are "
    "those of a user.",
    "Whole and degraded are what the hook itself logs. Each event was answered before, in another session, while the "
    "machine was at rest: silent is an answer without a word, and changed is one that differs from the one at rest.",
    "The worker's lock is held, as in B7: hooks.",
]


def run(*, quick: bool = False) -> dict[str, Any]:
    """Build a project, keep the machine busy, and ask."""
    events = QUICK_EVENTS if quick else EVENTS
    with tempfile.TemporaryDirectory() as name:
        installed = Installed(Path(name).resolve(), size=QUICK if quick else SIZE, is_fresh=False)
        installed.env.pop("HOLLOWAY_PATIENCE")
        with no_worker(installed.data):
            _, at_rest = ask(installed, events, "rest")
            with keep_busy(BUSY):
                samples, answers = ask(installed, events, "load")
        outcomes = answer_log.count_outcomes(answer_log.read_answers(str(installed.data))[-events:])
    silent = sum(not answer for answer in answers)
    changed = sum(answer != expected for answer, expected in zip(answers, at_rest, strict=True))
    return _build_result(samples, outcomes, events, silent, changed)


@contextmanager
def keep_busy(count: int) -> Iterator[list[subprocess.Popen[bytes]]]:
    """Run processes that compute without a pause, and end them."""
    busy = [subprocess.Popen([sys.executable, "-c", LOOP]) for _ in range(count)]
    try:
        yield busy
    finally:
        for process in busy:
            process.kill()
        for process in busy:
            process.wait()


def ask(installed: Installed, events: int, occasion: str) -> tuple[dict[str, Samples], list[str]]:
    """Send prompts and session starts in turn; return their times and their answers."""
    samples = {"prompt": Samples(), "session start": Samples()}
    answers = []
    for turn in range(events):
        kind, event = _make_event(installed, occasion, turn)
        process = samples[kind].start(installed.command, installed.env, json.dumps(event).encode(), installed.root)
        answers.append(_read_context(process.stdout))
    return samples, answers


def _read_context(output: bytes) -> str:
    """Return the text for the agent in what a hook printed, without the number of sessions; empty without one."""
    answer = json.loads(output) if output.strip() else {}
    context = str(answer.get("hookSpecificOutput", {}).get("additionalContext", ""))
    return re.sub(r"\(\d+ sessions?\)", "", context)


def _make_event(installed: Installed, occasion: str, turn: int) -> tuple[str, dict[str, Any]]:
    session_fields = {"session_id": f"{occasion}-{turn}", "cwd": str(installed.root)}
    if turn % 2:
        return "session start", {**session_fields, "hook_event_name": "SessionStart", "source": "startup"}
    subject = SUBJECTS[turn // 2 % len(SUBJECTS)]
    prompt = f"Make the pool of connections {subject} (case {turn}), and add a test that shows it."
    return "prompt", {**session_fields, "hook_event_name": "UserPromptSubmit", "prompt": prompt}


def _build_result(
    samples: dict[str, Samples], outcomes: dict[str, int], events: int, silent: int, changed: int
) -> dict[str, Any]:
    columns = ["event", "number", "p50 ms", "p95 ms", "CPU p50 ms", "CPU p95 ms"]
    rows = [[kind, len(times.wall_ms), *times.figures()] for kind, times in samples.items()]
    full, degraded = outcomes[answer_log.ANSWER_FULL], outcomes[answer_log.ANSWER_DEGRADED]
    return {
        "title": "B7: hooks under load",
        "question": "Do agents still get whole answers while other processes want the processor?",
        "how": HOW,
        "targets": [
            target("answers that are not whole", events - full, NOT_FULL_MAX, f"of {events}"),
            target("answers without a word", silent, 0, f"of {events}"),
            target("answers that differ from those at rest", changed, NOT_FULL_MAX, f"of {events}"),
        ],
        "tables": [
            {"title": f"{BUSY} busy processes, a map of {SIZE.files:,} files", "columns": columns, "rows": rows},
            {
                "title": "Answers",
                "columns": ["whole", "degraded", "dropped", "silent", "changed"],
                "rows": [[full, degraded, outcomes[answer_log.ANSWER_DROPPED], silent, changed]],
            },
        ],
    }
