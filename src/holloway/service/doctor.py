"""The doctor: checks everything that can be wrong and changes nothing."""

from __future__ import annotations

import importlib.util
import os
import shutil
import sqlite3
import sys
import tempfile
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from holloway import config, extras, git
from holloway.codemap import health
from holloway.domain.findings import Check, Finding, failed_check, passed_check, warning_check
from holloway.domain.ports import RandomIds, SystemClock, format_stamp
from holloway.embeddings.provider_choice import choose_embedder
from holloway.errors import HollowayError
from holloway.service import background_worker, reader, share
from holloway.store import answer_log, learned_files, migrations, registry
from holloway.store import project as projects
from holloway.store.database import Database, DatabaseBusy, DatabaseTooNew, is_sound, list_rolling_backups
from holloway.store.memories import Memories
from holloway.store.store import refuse_emptied_database

if TYPE_CHECKING:
    from collections.abc import Iterator

RECENT_DAYS = 7
"""Days for which answers and failures of hooks are counted."""
LOW_DISK_BYTES = 200 * 1024 * 1024
OLDEST_SQLITE = (3, 35, 0)


def examine(path: Path, home: Path) -> list[Check]:
    """Check this machine's set-up and the project that holds a path."""
    checks = [*_check_machine(home)]
    if home.exists() and not home.is_dir():
        return checks
    for look in (_check_settings, _check_hook_failures):
        checks += _guard_checks("data folder", look(home))
    return [*checks, *_guard_checks("project", _check_path(path, home))]


def _guard_checks(name: str, checks: Iterator[Check]) -> Iterator[Check]:
    """Yield checks of one kind; a disk error becomes a finding and ends them."""
    try:
        yield from checks
    except OSError as error:
        message = f"{error.filename or name}: {error.strerror or error}"
        yield failed_check(name, Finding.NOT_WRITABLE, message, "Check the permissions, and the disk.")


def _check_path(path: Path, home: Path) -> Iterator[Check]:
    claim = projects.find_claim(path, home)
    if claim is not None:
        yield warning_check("project", Finding.PROJECT_UNCONFIRMED, claim.reason, f"{projects.JOIN_HINT}.")
    project = projects.find_project(path, home)
    if project is None:
        hint = "`holloway init`, in the folder of a project, starts one."
        yield warning_check("project", Finding.NO_MEMORY, f"no memory for {path.resolve()} yet", hint)
        return
    yield from _check_project(project, home)


def _check_machine(home: Path) -> Iterator[Check]:
    version = ".".join(map(str, sys.version_info[:3]))
    yield passed_check("python", f"{version} at {sys.executable}")
    if sqlite3.sqlite_version_info >= OLDEST_SQLITE:
        yield passed_check("sqlite", sqlite3.sqlite_version)
    else:
        hint = "Use a Python with SQLite 3.35 or newer."
        yield failed_check("sqlite", Finding.SQLITE_OLD, sqlite3.sqlite_version, hint)
    memory = sqlite3.connect(":memory:")
    try:
        memory.execute("CREATE VIRTUAL TABLE probe USING fts5(text)")
        yield passed_check("text search", "FTS5 is there")
    except sqlite3.Error:
        message = "this Python's SQLite has no FTS5"
        yield failed_check("text search", Finding.NO_TEXT_SEARCH, message, "Use a Python build with FTS5.")
    finally:
        memory.close()
    if importlib.util.find_spec("re2"):
        yield passed_check("secret scanner", "google-re2")
    else:
        hint = f"Install holloway again: {extras.install_command()}"
        yield failed_check("secret scanner", Finding.NO_SCANNER, "google-re2 is missing: nothing can be stored", hint)
    if git_path := shutil.which("git"):
        yield passed_check("git", git_path)
    else:
        yield warning_check("git", Finding.NO_GIT, "not found", "Branches and history are not followed without it.")
    yield from _check_home(home)


def _check_home(home: Path) -> Iterator[Check]:
    hint = "Make it a folder that you can write to, or set HOLLOWAY_HOME to one."
    if not home.exists():
        above = next(folder for folder in home.absolute().parents if folder.exists())
        if reason := _explain_refusal(above):
            yield failed_check("data folder", Finding.NOT_WRITABLE, f"{home} cannot be made; {above}: {reason}", hint)
        else:
            yield passed_check("data folder", f"{home} (not made yet)")
        return
    if reason := _explain_refusal(home):
        yield failed_check("data folder", Finding.NOT_WRITABLE, f"{home}: {reason}", hint)
    else:
        yield passed_check("data folder", str(home))
    if not home.is_dir():
        return
    if os.name == "posix" and home.stat().st_mode & 0o077:
        hint = f"Others on this machine may look into it: chmod 700 {home}"
        yield warning_check("permissions", Finding.OPEN_TO_OTHERS, oct(home.stat().st_mode & 0o777), hint)
    free = shutil.disk_usage(home).free
    message = f"{free // 1024 // 1024:,} MB free"
    if free < LOW_DISK_BYTES:
        yield warning_check("disk", Finding.DISK_LOW, message, "Make room: holloway stores nothing on a full disk.")
    else:
        yield passed_check("disk", message)


def _explain_refusal(folder: Path) -> str:
    """Return the reason why nothing can be written to a folder; empty if it can."""
    try:
        with tempfile.TemporaryFile(dir=folder) as probe:
            probe.write(b"0" * 4096)
            probe.flush()
    except OSError as error:
        return error.strerror or "nothing can be written"
    return ""


def _check_settings(home: Path) -> Iterator[Check]:
    try:
        settings = config.Settings.load_settings(folder=str(home))
        for key in config.SETTINGS:
            settings.get_value(key)
        unknown = settings.unknown_keys()
        if unknown:
            message, hint = f"unknown keys: {', '.join(unknown)}", "`holloway config list` shows the known ones."
            yield warning_check("settings", Finding.SETTINGS_UNKNOWN, message, hint)
        else:
            yield passed_check("settings", "readable")
        yield _check_embedder(settings)
    except HollowayError as error:
        yield failed_check("settings", Finding.SETTINGS_BROKEN, error.message, error.hint)


def _check_embedder(settings: config.Settings) -> Check:
    """Check the embedder; choosing it contacts no server and loads no model."""
    choice = choose_embedder(settings)
    if choice.embedder is not None:
        return passed_check("search", f"by words and by meaning ({choice.embedder.model})")
    if settings.get_text("embedding.provider") == "off":
        return passed_check("search", choice.reason)
    return warning_check("search", Finding.NO_EMBEDDER, choice.reason, "Until then search goes by words only.")


def _check_hook_failures(home: Path) -> Iterator[Check]:
    log = home / "hook-failures.log"
    since = format_stamp(SystemClock().now() - timedelta(days=RECENT_DAYS))
    lines = log.read_text("utf-8", "replace").splitlines() if log.is_file() else []
    if recent := [line for line in lines if line >= since]:
        message = f"{len(recent)} in {RECENT_DAYS} days, last: {recent[-1]}"
        hint = f"The agent was not disturbed. The log is {log}"
        yield warning_check("hook failures", Finding.HOOK_FAILURES, message, hint)
    else:
        yield passed_check("hook failures", f"none in {RECENT_DAYS} days")


def _check_answers(folder: Path) -> Iterator[Check]:
    """Check whether agents got shortened or no answers because of timeouts."""
    since = format_stamp(SystemClock().now() - timedelta(days=RECENT_DAYS))
    counts = answer_log.count_outcomes(answer_log.read_answers(str(folder), since=since))
    full, degraded, dropped = (
        counts.pop(name) for name in (answer_log.ANSWER_FULL, answer_log.ANSWER_DEGRADED, answer_log.ANSWER_DROPPED)
    )
    message = f"{full} given, {degraded} shortened, {dropped} dropped in {RECENT_DAYS} days"
    if counts:
        message += f" ({', '.join(f'{step} {number}' for step, number in sorted(counts.items()))})"
    if degraded or dropped:
        hint = "The agent was not kept waiting. On a busy machine HOLLOWAY_PATIENCE=2 doubles every time limit."
        yield warning_check("answers", Finding.ANSWERS_DROPPED, message, hint)
    elif full:
        yield passed_check("answers", message)


def _check_project(project: projects.Project, home: Path) -> Iterator[Check]:
    yield passed_check("project", f"{project.name} ({', '.join(project.identities) or project.root})")
    if paused := registry.get_paused_mode(str(home), project.key):
        yield warning_check("paused", Finding.PAUSED, paused, "`holloway resume` goes on.")
    yield from _check_database(project)
    copies = list_rolling_backups(project.backups_folder)
    sound = [copy for copy in copies if is_sound(copy)]
    if len(sound) < len(copies):
        message = f"{len(copies) - len(sound)} of {len(copies)} are damaged"
        yield warning_check("backups", Finding.BACKUPS_DAMAGED, message, "`holloway backup` makes a sound one.")
    else:
        yield passed_check("backups", f"{len(copies)}" + (f", newest {copies[0].name}" if copies else ""))
    yield from _check_answers(project.folder)
    yield _check_map(project)
    yield from _check_worker(project)
    if git.find_root(str(project.root)):
        yield from _check_history(str(project.root))


def _check_history(root: str) -> Iterator[Check]:
    if shutil.which("git") and git.tracked_files(root, among=[".gitignore"]) is None:
        hint = "`git status` there says why. Until then branches and history are not followed."
        yield warning_check("history", Finding.GIT_REFUSES, "git does not answer in this folder", hint)
    if git.is_shallow(root):
        hint = "`git fetch --unshallow` gives it its whole history."
        yield warning_check("history", Finding.SHALLOW_CLONE, "a shallow clone", hint)


def _check_map(project: projects.Project) -> Check:
    again = "`holloway index` makes it anew; nothing is lost."
    try:
        map_health = health.examine_map(health.map_file(project.folder, project.root))
    except HollowayError as error:
        return warning_check("code map", Finding.MAP_DAMAGED, error.message, again)
    if map_health is None:
        return warning_check("code map", Finding.NO_MAP, "not made yet", "`holloway index` makes it.")
    if not map_health.is_current:
        return warning_check("code map", Finding.MAP_STALE, "of another version, or not finished", again)
    message = f"{map_health.files:,} files, {map_health.nodes:,} nodes, {map_health.size // 1024 // 1024:,} MB"
    if map_health.is_large:
        hint = "Answers stay right, an index takes longer. What git ignores is left out: generated code, for example."
        return warning_check("code map", Finding.MAP_LARGE, f"{message}: large", hint)
    if map_health.tip != git.head_commit(str(project.root)):
        return passed_check("code map", f"{message}; HEAD has moved since, the next index follows it")
    return passed_check("code map", message)


def _check_sharing(database: Database) -> Check:
    """Check whether shared memories reach the remote; being offline is normal."""
    state = share.describe_state(database)
    if state.word == share.FAILING:
        hint = "`holloway sync` tries again and shows the reason; nothing is lost meanwhile."
        return warning_check("sharing", Finding.SHARING_FAILING, state.detail, hint)
    return passed_check("sharing", state.word + (f": {state.detail}" if state.detail else ""))


def _check_worker(project: projects.Project) -> Iterator[Check]:
    """Check the background worker and the journals that wait for it."""
    state = background_worker.read_state(str(project.folder))
    log = f"The log is {project.folder / 'worker.log'}"
    now = SystemClock().now()
    if background_worker.is_running(str(project.folder)):
        late = format_stamp(now - timedelta(seconds=2 * config.WORKER_SECONDS_MAX))
        if str(state.get("started", "")) < late:
            message = f"process {state.get('pid')} has not ended since {state.get('started', 'it began')}"
            hint = f"It may be ended by that number: nothing is lost, the next one goes on. {log}"
            yield warning_check("worker", Finding.WORKER_STUCK, message, hint)
        else:
            yield passed_check("worker", "running")
    elif failures := state.get("failures"):
        message = f"{', '.join(sorted(failures))} failed, last: {state.get('error')} ({state.get('error_at')})"
        hint = f"It is tried again at the next session, or within a day. {log}"
        yield warning_check("worker", Finding.WORKER_FAILING, message, hint)
    else:
        yield passed_check("worker", f"last run {state['started']}" if state.get("started") else "has not run yet")
    yield _check_journals(project, now.timestamp())


def _check_journals(project: projects.Project, now_s: float) -> Check:
    """Check that no journal is older than the retention period plus a day."""
    files = list(project.journal_folder.glob("*.jsonl"))
    limit_s = now_s - (config.JOURNAL_KEEP_DAYS + 1) * 24 * 3600
    left = [file for file in files if _is_older(file, limit_s)]
    if left:
        message = f"{len(left)} of {len(files)} are older than {config.JOURNAL_KEEP_DAYS} days"
        return warning_check("journals", Finding.JOURNAL_LEFT, message, "`holloway learn` reads and clears them.")
    return passed_check("journals", f"{len(files)} of sessions that are not over or not learned from yet")


def _is_older(file: Path, limit_s: float) -> bool:
    """Return whether a file was last written before a time; False if the worker has deleted it meanwhile."""
    try:
        return file.stat().st_mtime < limit_s
    except FileNotFoundError:
        return False


def _check_learning(database: Database) -> Check:
    """Check for sessions that nothing could be learned from."""
    failed_files = [read for read in learned_files.load_learned_files(database).values() if read.attempts]
    if not failed_files:
        return passed_check("learning", "no session failed")
    aside = sum(read.attempts >= config.LEARN_ATTEMPTS_MAX for read in failed_files)
    last = failed_files[-1]
    counts = f"{len(failed_files)} sessions could not be learned from, {aside} set aside"
    message = f"{counts}; for example {last.path}: {last.error}"
    return warning_check(
        "learning", Finding.NOT_LEARNED, message, "The others were. A file that changes is tried again."
    )


def _check_reader(database: Database, key: str) -> Check:
    """Check whether a reader is on, what it used, and whether it works; nobody is asked."""
    figures = reader.describe_reader(reader.load_settings(key), database, SystemClock())
    message = reader.describe_in_words(figures)
    if figures["problem"]:
        hint = "`holloway reader on` chooses another, `holloway reader off` turns it off."
        return warning_check("reader", Finding.READER_FAILING, f"{message}; {figures['problem']}", hint)
    if figures["provider"] != reader.OFF and reader.has_failed_last(figures):
        failure = figures["last_failure"]
        hint = "Everything else goes on without it. `holloway reader off` turns it off."
        return warning_check(
            "reader", Finding.READER_FAILING, f"{message}; failed {failure['at'][:16]}: {failure['message']}", hint
        )
    return passed_check("reader", message)


def _list_unreadable(database: Database) -> list[str]:
    return Memories(database, SystemClock(), RandomIds()).list_unreadable()


def _check_database(project: projects.Project) -> Iterator[Check]:
    if not project.database_path.exists():
        yield warning_check("database", Finding.NO_DATABASE, "not made yet", "`holloway init` makes it.")
        return
    database = Database(project.database_path, busy_timeout_ms=2_000)
    try:
        if project.database_path.stat().st_size == 0 or not migrations.list_applied(database):
            refuse_emptied_database(project)
        waiting = migrations.list_pending(database)
        problems = [] if waiting else database.check_integrity() or _list_unreadable(database)
        if problems:
            hint = "`holloway backup --list` shows the copies that can be restored."
            yield failed_check("database", Finding.DATABASE_DAMAGED, "; ".join(problems[:3]), hint)
        else:
            message = f"sound, {project.database_path.stat().st_size // 1024:,} KB"
            yield passed_check("database", message + (f", {len(waiting)} migrations to run" if waiting else ""))
            if not waiting:
                yield _check_learning(database)
                yield _check_reader(database, project.key)
                yield _check_sharing(database)
    except DatabaseBusy as error:
        yield warning_check("database", Finding.DATABASE_BUSY, error.message, error.hint)
    except DatabaseTooNew as error:
        yield failed_check("database", Finding.DATABASE_NEWER, error.message, error.hint)
    except HollowayError as error:
        yield failed_check("database", Finding.DATABASE_DAMAGED, error.message, error.hint)
    finally:
        database.close()
