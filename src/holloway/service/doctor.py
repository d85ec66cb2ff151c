"""The doctor: looks at everything that can be wrong, says what it found, changes nothing."""

from __future__ import annotations

import importlib.util
import os
import shutil
import sqlite3
import sys
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from holloway import config, git
from holloway.codemap import health
from holloway.domain.ports import RandomIds, SystemClock, stamp
from holloway.errors import HollowayError
from holloway.service import background
from holloway.store import migrations, reads, registry
from holloway.store import project as projects
from holloway.store.database import Busy, Database, is_sound, rolling
from holloway.store.memories import Memories
from holloway.store.store import refuse_emptied

if TYPE_CHECKING:
    from collections.abc import Iterator

LOW_DISK_BYTES = 200 * 1024 * 1024
OLDEST_SQLITE = (3, 35, 0)


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at: `ok`, `warning` or `failure`, what was seen, and what to do."""

    name: str
    verdict: str
    seen: str
    hint: str = ""


def examine(path: Path, home: Path) -> list[Check]:
    """Look at this machine's set-up and at the project that holds a path."""
    checks = [*_machine(home), *_settings(home), *_hook_failures(home)]
    project = projects.find(path, home)
    if project is None:
        hint = "`holloway init` starts one."
        return [*checks, Check("project", "warning", f"no memory for {path.resolve()} yet", hint)]
    return [*checks, *_project(project, home)]


def _machine(home: Path) -> Iterator[Check]:
    version = ".".join(map(str, sys.version_info[:3]))
    yield Check("python", "ok", f"{version} at {sys.executable}")
    recent = sqlite3.sqlite_version_info >= OLDEST_SQLITE
    yield Check(
        "sqlite", "ok" if recent else "failure", sqlite3.sqlite_version, "" if recent else "Needs 3.35 or newer."
    )
    memory = sqlite3.connect(":memory:")
    try:
        memory.execute("CREATE VIRTUAL TABLE probe USING fts5(text)")
        yield Check("text search", "ok", "FTS5 is there")
    except sqlite3.Error:
        yield Check("text search", "failure", "this Python's SQLite has no FTS5", "Use a Python build with FTS5.")
    finally:
        memory.close()
    scanner = importlib.util.find_spec("re2") is not None
    yield Check(
        "secret scanner", "ok" if scanner else "failure", "google-re2", "" if scanner else "pip install google-re2"
    )
    found = shutil.which("git")
    yield Check(
        "git", "ok" if found else "warning", found or "not found", "" if found else "Branches are not followed."
    )
    yield from _home(home)


def _home(home: Path) -> Iterator[Check]:
    if not home.exists():
        yield Check("data folder", "ok", f"{home} (not made yet)")
        return
    writable = os.access(home, os.W_OK)
    yield Check("data folder", "ok" if writable else "failure", str(home), "" if writable else "It is not writable.")
    if os.name == "posix" and home.stat().st_mode & 0o077:
        hint = f"Others on this machine may look into it: chmod 700 {home}"
        yield Check("permissions", "warning", oct(home.stat().st_mode & 0o777), hint)
    free = shutil.disk_usage(home).free
    low = free < LOW_DISK_BYTES
    yield Check("disk", "warning" if low else "ok", f"{free // 1024 // 1024:,} MB free", "Running low." if low else "")


def _settings(home: Path) -> Iterator[Check]:
    try:
        settings = config.Settings.load(folder=str(home))
        for key in config.SETTINGS:
            settings.get(key)
        unknown = settings.unknown()
        seen = f"unknown keys: {', '.join(unknown)}" if unknown else "readable"
        yield Check("settings", "warning" if unknown else "ok", seen, "`holloway config list`" if unknown else "")
    except HollowayError as error:
        yield Check("settings", "failure", error.message, error.hint)


def _hook_failures(home: Path) -> Iterator[Check]:
    log = home / "hook-failures.log"
    lines = log.read_text("utf-8", "replace").splitlines() if log.exists() else []
    if lines:
        seen = f"{len(lines)} since {lines[0].split(' ')[0]}, last: {lines[-1]}"
        yield Check("hook failures", "warning", seen, f"The agent was not disturbed. The log is {log}")
    else:
        yield Check("hook failures", "ok", "none")


def _project(project: projects.Project, home: Path) -> Iterator[Check]:
    yield Check("project", "ok", f"{project.name} ({', '.join(project.identities) or project.root})")
    if paused := registry.paused(str(home), project.key):
        yield Check("paused", "warning", paused, "`holloway resume` goes on.")
    yield from _database(project)
    copies = rolling(project.backups)
    sound = [copy for copy in copies if is_sound(copy)]
    if len(sound) < len(copies):
        yield Check(
            "backups", "warning", f"{len(copies) - len(sound)} of {len(copies)} are damaged", "`holloway backup`"
        )
    else:
        yield Check("backups", "ok", f"{len(copies)}" + (f", newest {copies[0].name}" if copies else ""))
    yield _map(project)
    yield from _worker(project)
    if git.find_root(str(project.root)) and git.is_shallow(str(project.root)):
        yield Check("history", "warning", "a shallow clone", "`git fetch --unshallow` gives it its whole history.")


def _map(project: projects.Project) -> Check:
    try:
        found = health.examine(health.map_file(project.folder, project.root))
    except HollowayError as error:
        return Check("code map", "warning", error.message, "`holloway index` makes it anew; nothing is lost.")
    if found is None:
        return Check("code map", "warning", "not made yet", "`holloway index`")
    if not found.is_current:
        return Check("code map", "warning", "of another version, or not finished", "`holloway index`")
    seen = f"{found.files:,} files, {found.nodes:,} nodes, {found.size // 1024 // 1024:,} MB"
    if found.is_large:
        hint = "Answers stay right, an index takes longer. What git ignores is left out: generated code, for example."
        return Check("code map", "warning", f"{seen}: large", hint)
    if found.tip != git.head_commit(str(project.root)):
        return Check("code map", "ok", f"{seen}; HEAD has moved since, the next index follows it")
    return Check("code map", "ok", seen)


def _worker(project: projects.Project) -> Iterator[Check]:
    """How the background process fares, and what waits for it."""
    state = background.read_state(str(project.folder))
    log = f"The log is {project.folder / 'worker.log'}"
    if background.is_running(str(project.folder)):
        late = stamp(SystemClock().now() - timedelta(seconds=2 * config.WORKER_SECONDS_MAX))
        if str(state.get("started", "")) < late:
            yield Check("worker", "warning", f"process {state.get('pid')} has not ended since {state['started']}", log)
        else:
            yield Check("worker", "ok", "running")
    elif failures := state.get("failures"):
        seen = f"{', '.join(sorted(failures))} failed, last: {state.get('error')} ({state.get('error_at')})"
        yield Check("worker", "warning", seen, f"It is tried again at the next session, or within a day. {log}")
    else:
        yield Check("worker", "ok", f"last run {state['started']}" if state.get("started") else "has not run yet")
    waiting = sum(1 for _ in project.journal.glob("*.jsonl"))
    yield Check("journals", "ok", f"{waiting} of sessions that are not over or not learned from yet")


def _unlearned(database: Database) -> Check:
    """Sessions that nothing could be learned from."""
    found = [read for read in reads.everything(database).values() if read.attempts]
    if not found:
        return Check("learning", "ok", "no session failed")
    aside = sum(read.attempts >= config.LEARN_ATTEMPTS_MAX for read in found)
    last = found[-1]
    seen = f"{len(found)} sessions could not be learned from, {aside} set aside; for example {last.path}: {last.error}"
    return Check("learning", "warning", seen, "The others were. A file that changes is tried again.")


def _unreadable(database: Database) -> list[str]:
    return Memories(database, SystemClock(), RandomIds()).unreadable()


def _database(project: projects.Project) -> Iterator[Check]:
    if not project.database.exists():
        yield Check("database", "warning", "not made yet", "`holloway init`")
        return
    database = Database(project.database, busy_timeout_ms=2_000)
    try:
        if project.database.stat().st_size == 0 or not migrations.applied(database):
            refuse_emptied(project)
        waiting = migrations.pending(database)
        problems = [] if waiting else database.problems() or _unreadable(database)
        if problems:
            hint = "`holloway backup --list` shows the copies that can be restored."
            yield Check("database", "failure", "; ".join(problems[:3]), hint)
        else:
            seen = f"sound, {project.database.stat().st_size // 1024:,} KB"
            yield Check("database", "ok", seen + (f", {len(waiting)} migrations to run" if waiting else ""))
            if not waiting:
                yield _unlearned(database)
    except Busy as error:
        yield Check("database", "warning", error.message, error.hint)
    except HollowayError as error:
        yield Check("database", "failure", error.message, error.hint)
    finally:
        database.close()
