"""The machine that figures were measured on, and its two clocks: wall and CPU."""

from __future__ import annotations

import math
import os
import platform
import resource
import sqlite3
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import holloway

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

Result = TypeVar("Result")
Facts = dict[str, str | int | float]


def about() -> Facts:
    """Return the facts about the machine that a reader needs; nothing that identifies its owner."""
    return {
        "cpu": _cpu_model(),
        "cores": os.cpu_count() or 0,
        "system": f"{platform.system()} {platform.machine()}",
        "load": round(os.getloadavg()[0], 2) if hasattr(os, "getloadavg") else 0.0,
        "python": platform.python_version(),
        "sqlite": sqlite3.sqlite_version,
        "holloway": holloway.__version__,
    }


def _cpu_model() -> str:
    listed = Path("/proc/cpuinfo")
    lines = listed.read_text(encoding="utf-8").splitlines() if listed.exists() else []
    named = (line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    return next(named, "") or platform.processor() or "unknown"


def environment(**more: str) -> dict[str, str]:
    """The environment for a measured process: Python's own switches and holloway's settings of this shell are out."""
    variables = {
        name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "HOLLOWAY", "GIT_"))
    }
    return variables | more


@dataclass(slots=True)
class Samples:
    """Repeated measurements of one thing, in milliseconds of wall clock and of CPU."""

    wall_ms: list[float] = field(default_factory=list)
    cpu_ms: list[float] = field(default_factory=list)

    def time(self, call: Callable[[], Result]) -> Result:
        """Call something in this process and keep how long it took."""
        cpu, wall = time.process_time(), time.perf_counter()
        result = call()
        self.wall_ms.append((time.perf_counter() - wall) * 1000)
        self.cpu_ms.append((time.process_time() - cpu) * 1000)
        return result

    def start(
        self, command: Sequence[str], env: dict[str, str], stdin: bytes = b"", cwd: Path | None = None
    ) -> subprocess.CompletedProcess[bytes]:
        """Run a process to its end and keep how long it took; no other child may end meanwhile."""
        cpu, wall = _children_cpu_s(), time.perf_counter()
        process = subprocess.run(command, input=stdin, capture_output=True, env=env, cwd=cwd, check=False)
        self.wall_ms.append((time.perf_counter() - wall) * 1000)
        self.cpu_ms.append((_children_cpu_s() - cpu) * 1000)
        return process

    def extend(self, samples: Samples) -> None:
        """Take in other measurements of the same thing."""
        self.wall_ms += samples.wall_ms
        self.cpu_ms += samples.cpu_ms

    def figures(self) -> list[float]:
        """p50 and p95 of the wall clock, then of the CPU."""
        return [quantile(values, share) for values in (self.wall_ms, self.cpu_ms) for share in (0.50, 0.95)]


def quantile(values: Sequence[float], share: float) -> float:
    """The smallest value that this share of the values does not exceed."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)]


def _children_cpu_s() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
