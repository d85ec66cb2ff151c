"""B5, replay: recorded sessions in time order through the whole pipeline: what fired, what was kept, and what it cost.

python -m benchmarks --only b5_replay --data DIR --repos DIR
"""

from __future__ import annotations

import gc
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import holloway
from benchmarks import checkout, machine
from benchmarks.replay import REPOSITORY
from benchmarks.sessions import DEV, load_sessions
from benchmarks.targets import target
from holloway.domain.memory import MemoryType, State
from holloway.observer.observer import Observer
from holloway.observer.signals.signal import SIGNALS, SignalName
from holloway.service.session_learning import Learning
from holloway.store.filter import Filter

if TYPE_CHECKING:
    from benchmarks.sessions import Recorded
    from holloway.domain.memory import Memory
    from holloway.observer.scratchpad import Scratchpad
    from holloway.service.session_learning import Learned

OBSERVE_P99_US = 50.0
FINALIZE_MS = 100.0
QUARANTINED_MAX = 0.05
SILENT = {
    SignalName.PARALLEL_CONFLICT: "the recordings do not tell subagents apart",
    SignalName.CONTEXT_TOKEN_SPIKE: "the recordings have no token counts",
    SignalName.AGENT_RECORD: "these agents had no memory tool",
    SignalName.QA_FINDING: "nobody reported findings to a caller",
    SignalName.E2E: "no browser was used",
}
"""Why a signal cannot fire on these sessions."""


def run(data: Path, repos: Path, *, quick: bool = False) -> dict[str, Any]:
    """All sessions of the set, in time order, into one memory."""
    sessions = load_sessions(data / DEV)
    sessions = sessions[: len(sessions) // 4] if quick else sessions
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder, REPOSITORY)
        checkout.git(Path(folder), "clone", "--quiet", str(repos / REPOSITORY), str(root))
        with holloway.open(root, home=Path(folder, "home")) as memory:
            memory.map.update()
            # Whoever learns from a session holds that one: the collector need not look through all recordings.
            gc.collect()
            gc.freeze()
            replayed = [_replay(session, Learning(memory.opened)) for session in sessions]
            gc.unfreeze()
            memories = memory.store.memories.find_memories(Filter(), limit=-1)
    return _result(replayed, memories, quick=quick)


class Replayed:
    """One session, what came of it and what that took."""

    def __init__(self, pad: Scratchpad, observe_us: list[float], finalize_ms: float, learned: Learned) -> None:
        self.held_bytes = pad.bytes
        self.observe_us = observe_us
        self.finalize_ms = finalize_ms
        self.learned = learned


def _replay(session: Recorded, learning: Learning) -> Replayed:
    watching, took = Observer(), []
    for event in session.events():
        began = time.perf_counter_ns()
        watching.observe_event(event)
        took.append((time.perf_counter_ns() - began) / 1_000)
    began_s = time.process_time()
    learned = learning.learn(watching.pad)
    return Replayed(watching.pad, took, (time.process_time() - began_s) * 1_000, learned)


def _result(replayed: list[Replayed], memories: list[Memory], *, quick: bool) -> dict[str, Any]:
    observe = [us for session in replayed for us in session.observe_us]
    finalize = [session.finalize_ms for session in replayed]
    observed = [memory for memory in memories if memory.origin.startswith("observer:")]
    lessons = [
        memory for memory in observed if memory.type not in (MemoryType.WORK_STATE, MemoryType.WORK_UNIT_OUTCOME)
    ]
    waiting = sum(memory.state is State.QUARANTINED for memory in lessons) / max(1, len(lessons))
    p50, p99 = machine.quantile(observe, 0.5), machine.quantile(observe, 0.99)
    return {
        "title": "B5: the observer on real sessions",
        "question": "What do real sessions leave behind, and what does watching and learning cost?",
        "targets": [
            target("observe, p99", p99, OBSERVE_P99_US, "µs"),
            target("learning from a session, p50 CPU", machine.quantile(finalize, 0.5), FINALIZE_MS, "ms"),
            target("learning from a session, p95 CPU", machine.quantile(finalize, 0.95), FINALIZE_MS, "ms"),
            target("kept back because of the source", waiting, QUARANTINED_MAX, "of what was kept"),
        ],
        "tables": [
            {
                "title": "What it took",
                "columns": ["what", "value"],
                "rows": [
                    ["sessions", len(replayed)],
                    ["events", len(observe)],
                    ["observe p50 (µs)", p50],
                    ["observe p99 (µs)", p99],
                    ["learning p50 (ms CPU)", machine.quantile(finalize, 0.5)],
                    ["learning p95 (ms CPU)", machine.quantile(finalize, 0.95)],
                    ["longest session: events", max(session.learned.record["events"] for session in replayed)],
                    ["longest session: scratchpad (KB)", max(session.held_bytes for session in replayed) // 1024],
                ],
            },
            {"title": "Signals", "columns": ["signal", "fired", *STATES, "note"], "rows": _signals(replayed)},
            {"title": "Why candidates were dropped", "columns": ["reason", "number"], "rows": _reasons(replayed)},
            {"title": "Memories by type", "columns": ["type", "number"], "rows": _types(memories)},
            {"title": "How sessions ended", "columns": ["type and outcome", "number"], "rows": _outcomes(replayed)},
        ],
        "how": [
            f"{len(replayed)} sessions of several developers with one agent on one codebase, in time order, each "
            "learned from when it ended; the code map is that of a later commit.",
            "Observe is wall time for each event; learning is CPU time for everything from signals to the transaction.",
            "Kept back: memories that quote or follow pages, issues or other outside text, which wait for a person.",
            *(["A quarter of the sessions."] if quick else []),
        ],
    }


STATES = ("promoted", "reinforced", "held", "dropped")


def _signals(replayed: list[Replayed]) -> list[list[Any]]:
    fired: Counter[str] = Counter()
    became: Counter[tuple[str, str]] = Counter()
    for session in replayed:
        fired.update(session.learned.record["signals"])
        became.update(
            (str(candidate.signal.name), candidate.state) for candidate in session.learned.promotion.candidates
        )
    return [
        [name.value, fired[name.value], *(became[(name.value, state)] for state in STATES), SILENT.get(name, "")]
        for name in sorted(SIGNALS, key=lambda name: -fired[name.value])
    ]


def _reasons(replayed: list[Replayed]) -> list[list[Any]]:
    counts = Counter(
        " ".join(
            "N" if word.replace(".", "").isdigit() else word for word in candidate.reason.split() if "/" not in word
        )
        for session in replayed
        for candidate in session.learned.promotion.list_in_state("dropped")
    )
    return [[reason, number] for reason, number in counts.most_common(20)] or [["none", 0]]


def _types(memories: list[Memory]) -> list[list[Any]]:
    counted = Counter(f"{memory.type} ({memory.source})" for memory in memories)
    return [[name, number] for name, number in counted.most_common()]


def _outcomes(replayed: list[Replayed]) -> list[list[Any]]:
    counted = Counter(f"{session.learned.session.type}, {session.learned.session.outcome}" for session in replayed)
    return [[name, number] for name, number in counted.most_common()]
