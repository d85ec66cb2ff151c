"""Everything that can be wrong is found by its name, with a hint that destroys nothing, and explained on a page."""

import errno
import fcntl
import importlib.util
import json
import os
import re
import shutil
import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

import holloway
from holloway.codemap import health
from holloway.config import JOURNAL_KEEP_DAYS
from holloway.domain.findings import Check, Finding
from holloway.install import connection_checks, launch_command, original_files
from holloway.install.hooks_json import find_our_hooks
from holloway.service import background_worker, doctor
from holloway.store import answer_log, learned_files
from tests.conftest import Repository, make_repository
from tests.install.installing import holloway as command
from tests.install.installing import written

PAGE = Path(__file__).parents[2] / "docs/troubleshooting.md"
DESTRUCTIVE = re.compile(r"\brm\b|delete|forget|--hard|--data|reset|uninstall", re.IGNORECASE)


@dataclass
class Patient:
    """A project with a memory, a map and both agents connected, whose state a test spoils."""

    repository: Repository
    home: Path
    patch: pytest.MonkeyPatch

    @property
    def root(self) -> Path:
        return self.repository.root

    @property
    def folder(self) -> Path:
        """Where the project's data is."""
        (found,) = (self.home / "projects").iterdir()
        return found

    @property
    def claude(self) -> Path:
        return Path.home() / ".claude/settings.json"

    @property
    def codex(self) -> Path:
        return Path.home() / ".codex/hooks.json"

    def checks(self) -> list[Check]:
        return [*doctor.examine(self.root, self.home), *connection_checks.check_connections(self.root)]

    def found(self) -> set[str]:
        return {check.finding for check in self.checks() if check.finding}

    def trusts_codex(self) -> None:
        """What Codex writes when the person trusts our hooks."""
        settings = json.loads(self.codex.read_bytes())
        states = "".join(
            f'\n[hooks.state."{connection_checks.state_key(self.codex, hook)}"]\n'
            f'trusted_hash = "{connection_checks.compute_fingerprint(settings, hook)}"\n'
            for hook in find_our_hooks(settings)
        )
        config = self.codex.with_name("config.toml")
        config.write_text(config.read_text() + states)


@pytest.fixture
def patient(repository: Repository, home: Path, monkeypatch: pytest.MonkeyPatch) -> Patient:
    """All is well."""
    made = Patient(repository, home, monkeypatch)
    with holloway.open(repository.root) as memory:
        memory.remember("Money is integer cents")
        memory.map.update()
    for agent in ("claude-code", "codex"):
        assert command("setup", agent, "--yes", "--project", str(repository.root)) == 0
    made.trusts_codex()
    monkeypatch.setattr(connection_checks, "MANAGED", {"claude-code": (), "codex": ()})
    return made


def replaced(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def gone(patient: Patient, pattern: str) -> None:
    for file in patient.folder.glob(pattern):
        file.unlink()


def interpreter() -> str:
    return launch_command.launch_by_path().mcp[0]


def no_package(patient: Patient, name: str) -> None:
    there = importlib.util.find_spec
    patient.patch.setattr("importlib.util.find_spec", lambda asked: None if asked == name else there(asked))


def refuses(patient: Patient, number: int) -> None:
    def refuse(**_: object) -> None:
        raise OSError(number, os.strerror(number))

    patient.patch.setattr(tempfile, "TemporaryFile", refuse)


def in_database(patient: Patient, statement: str) -> None:
    connection = sqlite3.connect(patient.folder / "memory.db")
    connection.execute(statement)
    connection.commit()
    connection.close()


def broken_map(patient: Patient) -> None:
    path = health.map_file(patient.folder, patient.root)
    path.write_bytes(b"no database at all" * 1_000)


def failed_session(patient: Patient) -> None:
    with holloway.open(patient.root) as memory:
        learned_files.save_learned_file(
            memory.store.database,
            learned_files.LearnedFile("/gone.jsonl", "s", 1, 0.0, "2026-01-01", attempts=3, error="ValueError"),
        )


def lost_answer(patient: Patient) -> None:
    answer_log.append_answer(str(patient.folder), "s1", "prompt", "dropped", "", 4_000)


def hook_failure(days: int) -> bytes:
    at = datetime.now(UTC) - timedelta(days=days)
    return f"{at:%Y-%m-%dT%H:%M:%SZ} ValueError\n".encode()


def old_journal(patient: Patient) -> None:
    file = patient.folder / "journal/old.jsonl"
    written(file, b"{}\n")
    age_s = (JOURNAL_KEEP_DAYS + 2) * 24 * 3600
    os.utime(file, (file.stat().st_mtime - age_s,) * 2)


def plugin_too(patient: Patient) -> None:
    settings = json.loads(patient.claude.read_bytes()) | {"enabledPlugins": {"holloway@holloway": True}}
    patient.claude.write_text(json.dumps(settings))


def switched_off(patient: Patient) -> None:
    patient.claude.write_text(json.dumps(json.loads(patient.claude.read_bytes()) | {"disableAllHooks": True}))


def both_scopes(patient: Patient) -> None:
    command("setup", "codex", "--scope", "project", "--yes", "--project", str(patient.root))


def managed(patient: Patient) -> None:
    policy = patient.home / "managed-settings.json"
    policy.write_text('{"allowManagedHooksOnly": true}')
    patient.patch.setattr(connection_checks, "MANAGED", {"claude-code": (str(policy),), "codex": ()})


def disconnected(patient: Patient) -> None:
    command("setup", "codex", "--remove", "--yes", "--project", str(patient.root))


def damaged(patient: Patient) -> None:
    path = patient.folder / "memory.db"
    data = bytearray(path.read_bytes())
    data[4096:12_288] = b"\xaa" * 8_192
    path.write_bytes(data)


def backups(patient: Patient) -> None:
    command("backup", "--project", str(patient.root))
    (copy,) = (patient.folder / "backups").glob("*.db")
    copy.write_bytes(copy.read_bytes()[:5_000])


def shallow(patient: Patient) -> None:
    patient.repository.git("config", "core.bare", "false")
    (patient.root / ".git/shallow").write_text(patient.repository.git("rev-parse", "HEAD") + "\n")


def stranger(patient: Patient) -> None:
    address = "git@example.com:acme/shop.git"
    patient.repository.git("remote", "add", "origin", address)
    command("init", "--project", str(patient.root))
    shutil.move(patient.root, patient.root.with_name("away"))
    make_repository(patient.root, {"strange.txt": "another history"}).git("remote", "add", "origin", address)
    command("init", "--project", str(patient.root))


STATES: dict[Finding, Callable[[Patient], object]] = {
    Finding.SHARING_FAILING: lambda p: in_database(
        p, """INSERT INTO meta VALUES ('sharing', '{"replica": "a", "problem": "git push failed: refused"}')"""
    ),
    Finding.SQLITE_OLD: lambda p: p.patch.setattr(sqlite3, "sqlite_version_info", (3, 31, 0)),
    Finding.NO_SCANNER: lambda p: no_package(p, "re2"),
    Finding.NO_GIT: lambda p: p.patch.setattr(shutil, "which", lambda name: None),
    Finding.GIT_REFUSES: lambda p: written(p.root / ".git/index", b"no index at all"),
    Finding.NOT_WRITABLE: lambda p: refuses(p, errno.EROFS),
    Finding.OPEN_TO_OTHERS: lambda p: p.home.chmod(0o755),
    Finding.DISK_LOW: lambda p: p.patch.setattr(doctor, "LOW_DISK_BYTES", 1 << 60),
    Finding.SETTINGS_BROKEN: lambda p: written(p.home / "config.toml", b"synchronous = 7\n"),
    Finding.SETTINGS_UNKNOWN: lambda p: written(p.home / "config.toml", b'telepathy = "on"\n'),
    Finding.NO_EMBEDDER: lambda p: written(p.home / "config.toml", b'[embedding]\nprovider = "openai"\n'),
    Finding.HOOK_FAILURES: lambda p: written(p.home / "hook-failures.log", hook_failure(days=6)),
    Finding.ANSWERS_DROPPED: lost_answer,
    Finding.NO_MEMORY: lambda p: shutil.rmtree(p.home),
    Finding.PROJECT_UNCONFIRMED: stranger,
    Finding.PAUSED: lambda p: command("pause", "--project", str(p.root)),
    Finding.NO_DATABASE: lambda p: gone(p, "memory.db*"),
    Finding.DATABASE_DAMAGED: damaged,
    Finding.DATABASE_NEWER: lambda p: in_database(p, "INSERT INTO migrations(name, at) VALUES ('telepathy', '2030')"),
    Finding.NOT_LEARNED: failed_session,
    Finding.READER_FAILING: lambda p: written(p.home / "config.toml", b'[reader]\nprovider = "anthropic"\n'),
    Finding.BACKUPS_DAMAGED: backups,
    Finding.NO_MAP: lambda p: gone(p, "map-*"),
    Finding.MAP_DAMAGED: broken_map,
    Finding.MAP_STALE: lambda p: p.patch.setattr("holloway.codemap.database.MapDatabase.is_current", False),
    Finding.MAP_LARGE: lambda p: p.patch.setattr(health, "NODES_LARGE", 0),
    Finding.WORKER_FAILING: lambda p: background_worker.write_state(
        str(p.folder), {"started": "2026-01-01", "failures": {"embed": 2}, "error": "OSError", "error_at": "2026-01-01"}
    ),
    Finding.JOURNAL_LEFT: old_journal,
    Finding.SHALLOW_CLONE: shallow,
    Finding.NOT_CONNECTED: disconnected,
    Finding.CONFIG_BROKEN: lambda p: written(p.codex.with_name("config.toml"), b"= 7"),
    Finding.CONFIG_NOT_PLAIN: lambda p: written(Path.home() / ".claude.json", b'{"a": 1, // mine\n}'),
    Finding.HOOKS_OFF: switched_off,
    Finding.HOOKS_MANAGED: managed,
    Finding.HOOKS_GONE: lambda p: replaced(p.claude, interpreter(), "/nowhere/python"),
    Finding.HOOKS_OUTDATED: lambda p: replaced(p.claude, '"InstructionsLoaded"', '"Retired"'),
    Finding.HOOKS_UNTRUSTED: lambda p: replaced(p.codex.with_name("config.toml"), "sha256:", "sha256:0"),
    Finding.MCP_STALE: lambda p: replaced(Path.home() / ".claude.json", interpreter(), "/nowhere/python"),
    Finding.MCP_PACKAGE: lambda p: no_package(p, "mcp"),
    Finding.EVENTS_TWICE: plugin_too,
}
ELSEWHERE = {Finding.NO_TEXT_SEARCH, Finding.DATABASE_BUSY, Finding.WORKER_STUCK}
"""Found by tests of their own below."""


@pytest.mark.promise("doctor")
def test_where_all_is_well_nothing_is_found(patient: Patient) -> None:
    assert patient.found() == set()


@pytest.mark.promise("doctor", "destroys-nothing")
@pytest.mark.parametrize("finding", STATES)
def test_it_is_found_by_its_name_with_a_hint_that_destroys_nothing(patient: Patient, finding: Finding) -> None:
    STATES[finding](patient)
    found = [check for check in patient.checks() if check.finding]
    assert finding in {check.finding for check in found}
    for check in found:
        assert check.hint
        assert not DESTRUCTIVE.search(check.hint), check.hint


def test_an_sqlite_without_text_search_is_found(patient: Patient) -> None:
    class Bare(sqlite3.Connection):
        def execute(self, statement: str, /, *_: object) -> sqlite3.Cursor:
            raise sqlite3.OperationalError("no such module: fts5")

    connect = sqlite3.connect
    patient.patch.setattr(sqlite3, "connect", lambda name: connect(name, factory=Bare))
    checks = list(doctor._check_machine(patient.home))
    assert Finding.NO_TEXT_SEARCH in {check.finding for check in checks}


def test_a_memory_that_another_program_holds_is_found(patient: Patient) -> None:
    holder = sqlite3.connect(patient.folder / "memory.db", isolation_level=None)
    holder.execute("PRAGMA locking_mode = EXCLUSIVE")
    holder.execute("BEGIN EXCLUSIVE")
    try:
        assert Finding.DATABASE_BUSY in patient.found()
    finally:
        holder.close()


def test_a_worker_that_does_not_end_is_found(patient: Patient) -> None:
    background_worker.write_state(str(patient.folder), {"started": "2020-01-01T00:00:00.000Z", "pid": 7})
    with Path(background_worker.lock_file(str(patient.folder))).open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert Finding.WORKER_STUCK in patient.found()


def test_codex_with_hooks_in_both_scopes_is_found(patient: Patient) -> None:
    both_scopes(patient)
    assert Finding.EVENTS_TWICE in patient.found()


def test_a_hook_that_changed_after_it_was_trusted_waits_again(patient: Patient) -> None:
    replaced(patient.codex, '"timeout": 15', '"timeout": 16')
    assert patient.found() == {Finding.HOOKS_UNTRUSTED}


def test_a_full_disk_is_named_as_such(patient: Patient) -> None:
    refuses(patient, errno.ENOSPC)
    (check,) = (check for check in patient.checks() if check.finding == Finding.NOT_WRITABLE)
    assert os.strerror(errno.ENOSPC) in check.seen


def test_a_file_in_the_place_of_the_data_folder_is_found(tmp_path: Path) -> None:
    written(tmp_path / "taken", b"")
    checks = doctor.examine(tmp_path, tmp_path / "taken")
    assert Finding.NOT_WRITABLE in {check.finding for check in checks}
    assert {"permissions", "disk"}.isdisjoint(check.name for check in checks), "a file is no folder to look into"


def test_a_data_folder_that_cannot_be_made_is_found_before_it_is_needed(tmp_path: Path) -> None:
    written(tmp_path / "home", b"")
    checks = doctor.examine(tmp_path, tmp_path / "home/.local/share/holloway")
    (seen,) = (check.seen for check in checks if check.verdict == "failure" and "cannot be made" in check.seen)
    assert str(tmp_path / "home") in seen


def test_a_disk_that_refuses_while_the_doctor_looks_is_a_finding(patient: Patient) -> None:
    def refuse(folder: Path) -> list[Path]:
        raise OSError(errno.EIO, os.strerror(errno.EIO), str(folder))

    patient.patch.setattr(doctor, "list_rolling_backups", refuse)
    (check,) = (check for check in patient.checks() if check.finding)
    assert (check.finding, str(patient.folder / "backups") in check.seen) == (Finding.NOT_WRITABLE, True)


def test_a_failure_of_a_hook_is_reported_for_a_week(patient: Patient) -> None:
    log = patient.home / "hook-failures.log"
    written(log, hook_failure(days=8))
    assert patient.found() == set()
    latest = hook_failure(days=1)  # it has the time of day, so a second one may differ
    written(log, hook_failure(days=8) + hook_failure(days=2) + latest)
    (check,) = (check for check in patient.checks() if check.finding)
    assert check.seen == f"2 in 7 days, last: {latest.decode().strip()}"


def test_a_journal_that_the_worker_deletes_meanwhile_is_no_finding(patient: Patient) -> None:
    (patient.folder / "journal").mkdir(exist_ok=True)
    (patient.folder / "journal/learned.jsonl").symlink_to(patient.folder / "journal/deleted")  # listed, and not there
    assert patient.found() == set()


def test_the_doctor_changes_nothing(patient: Patient) -> None:
    before = {path: original_files.hash_bytes(path.read_bytes()) for path in files(patient)}
    patient.checks()
    assert {path: original_files.hash_bytes(path.read_bytes()) for path in files(patient)} == before


@pytest.mark.promise("documented", "doctor")
def test_every_finding_has_its_place_on_the_page_and_the_page_has_no_other() -> None:
    headings = set(re.findall(r"^### (\S+)$", PAGE.read_text("utf-8"), re.MULTILINE))
    assert headings == set(Finding)


def test_every_finding_is_provoked_by_a_test() -> None:
    assert set(STATES) | ELSEWHERE == set(Finding)


def files(patient: Patient) -> Iterator[Path]:
    """Every file of the person and of the data folder, but for SQLite's own shared memory."""
    for folder in (Path.home(), patient.home, patient.root / ".claude"):
        yield from (path for path in folder.rglob("*") if path.is_file() and not path.name.endswith(("-shm", "-wal")))


@pytest.mark.parametrize("mode", [0o755, 0o701])
def test_a_folder_that_others_may_look_into_is_told_with_its_mode(patient: Patient, mode: int) -> None:
    patient.home.chmod(mode)
    (check,) = [check for check in patient.checks() if check.finding == Finding.OPEN_TO_OTHERS]
    assert (check.name, check.seen) == ("permissions", oct(mode))
