"""B7, the panel: what its pages cost with 10,000 and 100,000 memories, over HTTP and in a browser."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from functools import partial
from http.client import HTTPConnection
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from benchmarks.b7_search import add_random_vectors
from benchmarks.generated import SEED
from benchmarks.generated.code import Code
from benchmarks.generated.growing import Growing
from benchmarks.installed import hook_command, no_worker
from benchmarks.machine import Samples, environment
from benchmarks.targets import target
from docs.screenshots import find_chromium

if TYPE_CHECKING:
    from collections.abc import Iterator

SIZES = (10_000, 100_000)
QUICK_SIZES = (150, 600)
FILES = 400
QUICK_FILES = 30
SESSIONS = 200
ROUNDS = 40
QUICK_ROUNDS = 3
BROWSER_ROUNDS = 20
QUICK_BROWSER_ROUNDS = 2
HOOK_ROUNDS = 20
QUICK_HOOK_ROUNDS = 2
FIRST_PAGE = "first page"
SEARCHED = "search by words and meaning"
PAGES = {
    FIRST_PAGE: "/",
    "memories": "/memories",
    "memories of a type": "/memories?types=decision",
    "memories of a module": "/memories?modules=auth",
    "memories below a folder": "/memories?files=src/api",
    "memories that nobody used": "/memories?preset=unused",
    "memories by type and age, most used first": "/memories?types=gotcha&newer_than_days=90&order=used",
    SEARCHED: "/memories?q=token+session+timeout",
    "review": "/review",
    "sessions": "/sessions",
    "modules": "/modules",
}
FILTERED = tuple(name for name in PAGES if name.startswith("memories"))
FIRST_PAGE_MAX_MS = 200.0
FILTERED_MAX_MS = {10_000: 100.0, 100_000: 500.0}
MEMORY_MAX_MB = {"before the first search": 100.0, "after it": 350.0}
HOOK_RATIO_MAX = 1.1
HOW = [
    "`holloway panel` serves a project in a process of its own; a client asks for each page in turn, over one "
    "connection, and reads it to its end. Nothing is cached: each page is rendered from the store again. The times "
    "are wall clock; the second table has the mean CPU time of the server for each page.",
    "The memories are those of the store's benchmark, spread over the months before today, with random vectors; the "
    f"code map has {FILES} generated files, and {SESSIONS} sessions are in the ledger.",
    "Filtered are the lists with and without a filter; the counts of every filter are on each of them.",
    "In a browser is the time from the address to the event `load`, and from a typed word to the list that answers "
    "it, in Chromium without a window. The list waits 200 ms for the next key, which is part of that time.",
    "The hook of a file read runs with the panel open and without it; the ratio is between the medians.",
]


def run(*, quick: bool = False) -> dict[str, Any]:
    """Measure the pages at every size."""
    with tempfile.TemporaryDirectory() as name:
        growing = _start_project(Path(name), QUICK_FILES if quick else FILES)
        measured: dict[int, dict[str, Samples]] = {}
        numbers: dict[int, dict[str, float]] = {}
        for size in QUICK_SIZES if quick else SIZES:
            growing.grow(size)
            add_random_vectors(growing.store)
            measured[size], numbers[size] = _measure(growing, quick=quick)
        growing.memory.close()
    return _result(measured, numbers)


def _start_project(folder: Path, files: int) -> Growing:
    """Make a project with a map and sessions; its memories begin early enough for the newest to be of today."""
    root = folder / "shop"
    root.mkdir()
    subprocess.run(["git", "init", "--quiet", "--initial-branch=main", root], check=True)
    Code(files).write(root)
    growing = Growing(root, folder / "home", datetime.now(UTC) - timedelta(minutes=max(SIZES)))
    growing.memory.map.update(workers=0)
    for number in range(SESSIONS):
        with growing.memory.session(f"session-{number}", agent="claude-code", task=f"Task number {number}") as session:
            session.used("read_file", {"path": "README.md"}, "text", ok=True)
            session.finish(outcome="success")
        growing.clock.advance(seconds=30)
    return growing


def _measure(growing: Growing, *, quick: bool) -> tuple[dict[str, Samples], dict[str, float]]:
    times = {name: Samples() for name in PAGES}
    numbers: dict[str, float] = {}
    hooks = _Hooks(growing)
    with _serve(growing) as (process, address):
        client = _Client(address)
        client.get("/")
        numbers["MB before the first search"] = _read_memory_mb(process.pid)
        for name, path in PAGES.items():
            numbers[f"kB, {name}"] = client.get(path) / 1_000
        for name, path in PAGES.items():
            spent_s = _read_cpu_s(process.pid)
            for _ in range(QUICK_ROUNDS if quick else ROUNDS):
                times[name].time(partial(client.get, path))
            numbers[f"CPU ms, {name}"] = (_read_cpu_s(process.pid) - spent_s) * 1_000 / len(times[name].wall_ms)
        numbers["MB after it"] = _read_memory_mb(process.pid)
        times |= _measure_browser(client.base, client.cookie, QUICK_BROWSER_ROUNDS if quick else BROWSER_ROUNDS)
        rounds = QUICK_HOOK_ROUNDS if quick else HOOK_ROUNDS
        times["hook, with the panel"] = hooks.measure(rounds)
    times["hook, without it"] = hooks.measure(rounds)
    return times, numbers


@contextmanager
def _serve(growing: Growing) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Run `holloway panel` for the project; yields its process and its one-time address."""
    env = environment(HOLLOWAY_HOME=str(growing.memory.home))
    code = "import sys; from holloway.cli import main; main(sys.argv[1:])"
    command = [sys.executable, "-c", code, "panel", "--project", growing.root]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=env)
    try:
        assert process.stdout is not None
        yield process, process.stdout.readline().strip()
    finally:
        process.terminate()
        process.communicate(timeout=30)


class _Client:
    """A browser as far as the server sees it: one connection with a cookie."""

    def __init__(self, address: str) -> None:
        parts = urlsplit(address)
        self.base = f"http://{parts.netloc}"
        self._connection = HTTPConnection(parts.netloc, timeout=60)
        self._connection.request("GET", f"{parts.path}?{parts.query}")
        answer = self._connection.getresponse()
        answer.read()
        self.cookie = str(answer.headers["Set-Cookie"]).partition(";")[0]

    def get(self, path: str) -> int:
        """Read a page to its end; returns its bytes on the wire."""
        self._connection.request("GET", path, headers={"Cookie": self.cookie, "Accept-Encoding": "gzip"})
        answer = self._connection.getresponse()
        body = answer.read()
        assert answer.status == 200, (path, answer.status)
        return len(body)


def _measure_browser(base: str, cookie: str, rounds: int) -> dict[str, Samples]:
    """Measure a list in Chromium; nothing where it is not installed."""
    if not find_chromium():
        return {}
    from playwright.sync_api import sync_playwright  # only where Chromium is

    name, _, value = cookie.partition("=")
    times = {"browser: the list of memories": Samples(), "browser: a typed word": Samples()}
    loaded, typed = times.values()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=["--no-sandbox"])
        context = browser.new_context(viewport={"width": 1280, "height": 800})
        context.add_cookies([{"name": name, "value": value, "url": base}])
        page = context.new_page()
        for number in range(rounds):
            loaded.time(partial(page.goto, f"{base}/memories"))

            def search(word: str = ("token", "session", "cache", "timeout")[number % 4]) -> None:
                page.locator("#q").fill(word)
                page.locator("#results .summary", has_text="best first").wait_for()

            typed.time(search)
        browser.close()
    return times


class _Hooks:
    """The hook of a file read in this project, as an agent starts it."""

    def __init__(self, growing: Growing) -> None:
        home = Path(growing.memory.home)
        self._folder = growing.memory.project.folder
        self._env = environment(HOLLOWAY_HOME=str(home), HOME=str(home.parent), HOLLOWAY_PATIENCE="10")
        self._command = hook_command(sys.executable, self._env, home.parent, Path(growing.root))
        session_fields = {"session_id": "11111111-2222-3333-4444-555555555555", "cwd": growing.root}
        event: dict[str, Any] = {
            **session_fields,
            "hook_event_name": "PostToolUse",
            "tool_name": "Read",
            "tool_use_id": "toolu_01",
        }
        event |= {"tool_input": {"file_path": f"{growing.root}/src/api/a.py"}, "tool_response": {"file": {}}}
        self._event = json.dumps(event).encode()

    def measure(self, rounds: int) -> Samples:
        """Start the hook again and again."""
        samples = Samples()
        with no_worker(self._folder):
            for _ in range(rounds):
                process = samples.start(self._command, self._env, self._event)
                assert process.returncode == 0, process.stderr.decode()
        return samples


def _read_cpu_s(process_id: int) -> float:
    """Return the CPU time of a process so far; 0 where the system does not list it."""
    listed = Path(f"/proc/{process_id}/stat")
    if not listed.exists():
        return 0.0
    fields = listed.read_text("utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _read_memory_mb(process_id: int) -> float:
    """Return the resident memory of a process; 0 where the system does not list it."""
    listed = Path(f"/proc/{process_id}/status")
    if not listed.exists():
        return 0.0
    lines = listed.read_text("utf-8").splitlines()
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith("VmRSS:")), 0.0)


def _result(measured: dict[int, dict[str, Samples]], numbers: dict[int, dict[str, float]]) -> dict[str, Any]:
    columns = ["page", "memories", "p50 ms", "p95 ms"]
    rows = [
        [name, size, *times[name].figures()[:2]]
        for name in next(iter(measured.values()))
        for size, times in measured.items()
    ]
    figures = [[name, *(round(numbers[size][name], 1) for size in numbers)] for name in next(iter(numbers.values()))]
    return {
        "title": "B7: the panel",
        "question": "How long does a page of the panel take with 10,000 and 100,000 memories, and what does it weigh?",
        "how": HOW,
        "seed": SEED,
        "targets": _list_targets(measured, numbers),
        "tables": [
            {"title": "Times", "columns": columns, "rows": rows},
            {
                "title": "Pages on the wire in kB, the server's memory in MB, its mean CPU time for a page",
                "columns": ["figure", *(f"{size:,} memories" for size in numbers)],
                "rows": figures,
            },
        ],
    }


def _list_targets(
    measured: dict[int, dict[str, Samples]], numbers: dict[int, dict[str, float]]
) -> list[dict[str, Any]]:
    targets = []
    for size, times in measured.items():
        p95 = {name: samples.figures()[1] for name, samples in times.items()}
        targets.append(target(f"first page, p95 at {size:,} memories", p95[FIRST_PAGE], FIRST_PAGE_MAX_MS, "ms"))
        if limit := FILTERED_MAX_MS.get(size):
            slowest = max(FILTERED, key=lambda name: p95[name])
            description = f"the slowest filtered list, p95 at {size:,} memories ({slowest})"
            targets.append(target(description, p95[slowest], limit, "ms"))
        with_panel, without = (times[f"hook, {name}"].figures()[0] for name in ("with the panel", "without it"))
        targets.append(
            target(f"hook beside the panel, at {size:,} memories", with_panel / without, HOOK_RATIO_MAX, "x")
        )
    last = next(reversed(numbers.values()))
    targets += [target(f"memory {when}", last[f"MB {when}"], limit, "MB") for when, limit in MEMORY_MAX_MB.items()]
    heaviest = max(value for name, value in last.items() if name.startswith("kB"))
    targets.append(target("the heaviest page on the wire", heaviest, 150.0, "kB"))
    return targets
