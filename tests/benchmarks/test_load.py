"""Hooks under load: what the benchmark counts."""

from __future__ import annotations

import signal

from benchmarks import b7_load
from benchmarks.machine import Samples
from holloway.store.answer_log import LoggedAnswer, count_outcomes


def test_busy_processes_end_with_the_measurement() -> None:
    with b7_load.keep_busy(2) as started:
        assert [process.poll() for process in started] == [None, None]
    assert [process.returncode for process in started] == [-signal.SIGKILL] * 2


def test_degraded_dropped_and_silent_answers_miss_their_targets() -> None:
    outcomes = ["full"] * 94 + ["degraded"] * 5 + ["dropped"]
    log = [LoggedAnswer("", "s", "prompt", outcome, "", 1) for outcome in outcomes]
    times = {"prompt": Samples([1.0], [1.0])}
    result = b7_load._build_result(times, count_outcomes(log), 100, silent=1, changed=7)
    assert [target["met"] for target in result["targets"]] == [False, False, False]
    assert result["tables"][1]["rows"] == [[94, 5, 1, 1, 7]]
    better = b7_load._build_result(times, count_outcomes(log[:94] + log[:1]), 99, silent=0, changed=0)
    assert [target["met"] for target in better["targets"]] == [True, True, True]
