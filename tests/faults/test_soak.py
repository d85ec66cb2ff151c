"""Agents at work for a long time, with the real hooks and the real worker: nothing grows, nothing is left behind."""

import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from statistics import mean
from typing import Any, Self

import pytest

import holloway
from holloway.service.doctor import examine
from tests.conftest import FILES, make_repository
from tests.faults.figures import NIGHTLY, record
from tests.hooks.test_entry import wait_until

AGENT = Path(__file__).with_name("agent.py")
PROJECTS = 5 if NIGHTLY else 2
SESSIONS = 10 if NIGHTLY else 2
ROUNDS = 6 if NIGHTLY else 1
"""How often each session changes a file, fails, mends it and commits."""
LIMIT_S = 1_800
GROWTH_MAX = 1.1
WORKER_MB_MAX = 700
LOG_MB_MAX = 64
LOOK_EVERY_S = 0.2

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes are read from /proc")


@dataclass
class Watch:
    """Looks at the workers of some projects while the agents work."""

    below: Path
    seen: set[int] = field(default_factory=set)
    peak_kb: int = 0
    together: int = 0
    _over: threading.Event = field(default_factory=threading.Event)

    def __enter__(self) -> Self:
        self._thread = threading.Thread(target=self._look)
        self._thread.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self._over.set()
        self._thread.join()

    def workers(self) -> Iterator[tuple[int, int]]:
        """The workers that run now, each with its peak of memory in KB."""
        for status in Path("/proc").glob("[0-9]*/status"):
            try:
                command = status.with_name("cmdline").read_bytes()
                told = status.read_text()
            except OSError:
                continue
            if b"holloway.worker" in command and bytes(self.below) in command and "VmHWM" in told:
                yield int(status.parent.name), int(told.partition("VmHWM:")[2].split()[0])

    def _look(self) -> None:
        while not self._over.wait(LOOK_EVERY_S):
            now = dict(self.workers())
            self.seen |= set(now)
            self.peak_kb = max([self.peak_kb, *now.values()])
            self.together = max(self.together, len(now))


def at_work(roots: list[Path]) -> list[dict[str, Any]]:
    """An agent in each project, all at once, with the hooks that setup installs; what they report."""
    holloway_setup = "from holloway.cli import main; main(['setup', 'claude-code', '--yes'])"
    subprocess.run([sys.executable, "-c", holloway_setup], cwd=roots[0], check=True, capture_output=True)
    settings = Path.home() / ".claude" / "settings.json"
    agents = [
        subprocess.Popen(
            [sys.executable, "-S", str(AGENT), str(settings), str(root), str(SESSIONS), str(ROUNDS)],
            stdout=subprocess.PIPE,
            text=True,
        )
        for root in roots
    ]
    return [json.loads(agent.communicate(timeout=LIMIT_S)[0]) for agent in agents]


def finish(root: Path) -> None:
    """Do what is still due, as the next start of a session would."""
    subprocess.run([sys.executable, "-P", "-m", "holloway.worker", str(root)], check=True, timeout=LIMIT_S)


def strays(home: Path) -> list[str]:
    """Files that should not outlive the work."""
    names = ("*.partial", "*.tmp", "*.wanted", "journal/*.jsonl", "checkpoints/*")
    return [str(path.relative_to(home)) for name in names for path in home.rglob(name)]


def growth(peaks_kb: list[int]) -> float:
    """The memory of the last quarter of the hooks against that of the first."""
    quarter = max(1, len(peaks_kb) // 4)
    return mean(peaks_kb[-quarter:]) / mean(peaks_kb[:quarter])


@pytest.mark.promise("nothing-grows", "never-in-the-way")
def test_after_many_sessions_nothing_grew_and_nothing_is_left_behind(
    tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setenv("TMPDIR", str(scratch))
    roots = [
        make_repository(tmp_path / f"shop{number}", {**FILES, "README.md": f"# Shop {number}\n"}).root
        for number in range(PROJECTS)
    ]
    for root in roots:
        with holloway.open(root) as memory:
            memory.remember("refresh() burns the token; call it once", files=["src/shop/auth/tokens.py"])
    with Watch(tmp_path) as watch:
        reports = at_work(roots)
        wait_until(lambda: not list(watch.workers()), LIMIT_S)
        for root in roots:
            finish(root)
    events, answered = (sum(report[name] for report in reports) for name in ("events", "answered"))
    assert [report["broken"] for report in reports] == [0] * PROJECTS
    assert answered > PROJECTS * SESSIONS
    for root in roots:
        learned_and_sound(root, home)
    assert list(watch.workers()) == []
    assert strays(home) == []
    assert not (home / "hook-failures.log").exists()
    assert list(scratch.iterdir()) == []
    data = [path.stat().st_size for path in home.rglob("*") if path.is_file()]
    grown = max(growth(report["peaks_kb"]) for report in reports)
    hook_kb = max(peak for report in reports for peak in report["peaks_kb"])
    assert grown < GROWTH_MAX
    assert watch.peak_kb < WORKER_MB_MAX * 1024
    record(
        "soak",
        events=events,
        answered=answered,
        sessions=PROJECTS * SESSIONS,
        projects=PROJECTS,
        workers=len(watch.seen),
        workers_at_once_max=watch.together,
        hook_mb_max=round(hook_kb / 1024, 1),
        hook_growth_percent_max=round((grown - 1) * 100, 1),
        worker_mb_max=round(watch.peak_kb / 1024),
        data_mb=round(sum(data) / 2**20, 1),
        left_behind=0,
    )


def learned_and_sound(root: Path, home: Path) -> None:
    """Every session of a project was learned from, its journal is gone and the doctor has nothing to say."""
    with holloway.open(root) as memory:
        assert memory.store.database.fetch_value("SELECT count(*) FROM sessions WHERE ended_at != ''") == SESSIONS
        assert memory.store.database.check_integrity() == []
        assert len(memory.memories(limit=-1)) > 1
        log = memory.project.database_path.with_name("memory.db-wal")
        assert not log.exists() or log.stat().st_size < LOG_MB_MAX * 2**20
    assert [check for check in examine(root, home) if check.verdict == "failure"] == []
