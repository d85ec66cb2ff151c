"""What tests share: a data folder of their own, a small project under git, a memory of it with a fake clock."""

from __future__ import annotations

import asyncio
import atexit
import gc
import os
import shutil
import sqlite3
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from subprocess import Popen
from typing import Any

import hypothesis
import pytest

import holloway
from holloway.codemap.database import MapDatabase
from holloway.service import background_worker
from holloway.testing import CountedIds, FakeClock

NIGHTLY = bool(os.environ.get("HOLLOWAY_NIGHTLY"))
# A busy machine is no failure, so no example has a deadline. The nightly run tries ten times as many.
# No test depends on the speed of the machine: neither a deadline nor the check that examples are made fast enough.
UNTIMED = hypothesis.settings(deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow])
hypothesis.settings.register_profile("untimed", UNTIMED)
hypothesis.settings.register_profile("nightly", UNTIMED, max_examples=1_000)
hypothesis.settings.load_profile("nightly" if NIGHTLY else "untimed")

FILES = {
    "src/shop/auth/tokens.py": "def refresh(token):\n    return token\n",
    "src/shop/auth/session.py": "class Session:\n    pass\n",
    "src/shop/billing/invoice.py": "def total(items):\n    return sum(items)\n",
    "tests/auth/test_tokens.py": "def test_refresh():\n    assert True\n",
    "pyproject.toml": "[project]\nname = 'shop'\nversion = '1'\n[tool.pytest.ini_options]\n",
    "README.md": "# shop\n",
}


def pytest_collection_finish() -> None:
    """Take the collected tests, which live to the end, from what the garbage collector looks at again and again."""
    gc.freeze()


@dataclass(frozen=True)
class Repository:
    """A git repository in a test's own folder."""

    root: Path

    def git(self, *arguments: str) -> str:
        """Run git here, as a committer whom no configuration of this machine knows."""
        identity = ("-c", "user.name=Test", "-c", "user.email=test@example.invalid", "-c", "commit.gpgsign=false")
        dates = {"GIT_AUTHOR_DATE": "2026-01-05T09:00:00Z", "GIT_COMMITTER_DATE": "2026-01-05T09:00:00Z"}
        done = subprocess.run(
            ["git", *identity, *arguments],
            cwd=self.root,
            env=os.environ | dates,
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout.strip()

    def log_own_work(self, person: Path) -> None:
        """Make the repository the person's: record, as git does, that this machine made its newest commit."""
        person.mkdir(exist_ok=True)
        (person / ".gitconfig").write_text("[user]\n\temail = test@example.invalid\n", "utf-8")
        commit, now = self.git("rev-parse", "HEAD"), int(time.time())
        with (self.root / ".git/logs/HEAD").open("a", encoding="utf-8") as log:
            log.write(f"{commit} {commit} Test <test@example.invalid> {now} +0000\tcommit: change\n")

    def commit(self, name: str, text: str, message: str = "change") -> str:
        """Write a file and commit it; returns the commit."""
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
        self.git("add", "-A")
        self.git("commit", "-qm", message)
        return self.git("rev-parse", "HEAD")


def make_repository(root: Path, files: dict[str, str] | None = None) -> Repository:
    """A repository with one commit on `main`; without files of its own, a copy of the small shop."""
    if files is None and not root.exists():
        shutil.copytree(_build_shop(), root)
        return Repository(root)
    return _build_repository(root, FILES if files is None else files)


@cache
def _build_shop() -> Path:
    """A small shop that tests copy: a copy costs a tenth of what four runs of git cost."""
    folder = Path(tempfile.mkdtemp(prefix="holloway-tests-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    repository = _build_repository(folder / "shop", FILES)
    repository.git("repack", "-adq")
    return repository.root


def _build_repository(root: Path, files: dict[str, str]) -> Repository:
    root.mkdir(parents=True, exist_ok=True)
    repository = Repository(root)
    # The samples of hooks in git's own template are more files than all others together.
    repository.git("-c", "init.templateDir=", "init", "-q", "-b", "main")
    for folder in ("hooks", "info"):
        (root / ".git" / folder).mkdir(exist_ok=True)
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    repository.git("add", "-A")
    repository.git("commit", "-qm", "first", "--allow-empty")
    return repository


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The data folder of this test; nothing of the person's own is read or written."""
    folder = tmp_path / "data"
    monkeypatch.setenv("HOLLOWAY_HOME", str(folder))
    monkeypatch.setenv("HOME", str(tmp_path / "person"))
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", "/dev/null")
    monkeypatch.setenv("HOLLOWAY_PATIENCE", "20")
    for name in (
        "HOLLOWAY_SYNCHRONOUS",
        "HOLLOWAY_TRUST_LEVEL",
        "HOLLOWAY_BRANCH_SCOPE",
        "CLAUDE_CONFIG_DIR",
        "CODEX_HOME",
        "COPILOT_CLI",
        "COPILOT_HOME",
        "OPENCODE_CONFIG_DIR",
        "PI_CODING_AGENT_DIR",
        "CURSOR_VERSION",
    ):
        monkeypatch.delenv(name, raising=False)
    return folder


class TrackedConnection(sqlite3.Connection):
    """A connection that knows whether it was closed."""

    is_closed = False

    def close(self) -> None:
        super().close()
        self.is_closed = True


@pytest.fixture(autouse=True)
def databases_are_closed(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Fail a test that leaves a database open.

    From Python 3.13 on, SQLite warns when the garbage collector finds such a connection, which is in another test.
    This fixture is set up after fixtures of a wider scope and torn down after all others of the test.
    """
    connect = sqlite3.connect
    opened: list[tuple[str, TrackedConnection]] = []

    def track(database: Any, *arguments: Any, **options: Any) -> sqlite3.Connection:
        connection: sqlite3.Connection = connect(database, *arguments, **{"factory": TrackedConnection, **options})
        if isinstance(connection, TrackedConnection):
            opened.append((str(database), connection))
        return connection

    monkeypatch.setattr(sqlite3, "connect", track)
    yield
    left_open = [(name, connection) for name, connection in opened if not connection.is_closed]
    for _, connection in left_open:
        with suppress(sqlite3.Error):  # of another thread
            connection.close()
    assert [name for name, _ in left_open] == []


@pytest.fixture(autouse=True)
def workers_end_with_their_test() -> Iterator[None]:
    """End the background workers that a test started, so that they do not slow the next tests."""
    yield
    for process in background_worker._started:
        if isinstance(process, Popen) and process.poll() is None:
            process.kill()
            process.wait()
    background_worker._started.clear()


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    """A small shop under git."""
    return make_repository(tmp_path / "shop")


@pytest.fixture
def clock() -> FakeClock:
    """A clock that moves only when told to."""
    return FakeClock()


@pytest.fixture
def own_repository(repository: Repository, tmp_path: Path, clock: FakeClock) -> Repository:
    """The shop as a repository in which the person works."""
    repository.log_own_work(tmp_path / "person")
    clock.advance(seconds=(datetime.now(UTC) - clock.now()).total_seconds() + 1)
    return repository


@pytest.fixture
def memory(repository: Repository, clock: FakeClock) -> Iterator[holloway.Holloway]:
    """The memory of the small shop."""
    with holloway.open(repository.root, clock=clock, ids=CountedIds()) as opened:
        yield opened


@pytest.fixture
def maps_are_closed(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Every map that a test opens is closed after it: from Python 3.13 on one that is left open is a warning."""
    opened: list[MapDatabase] = []
    open_file = MapDatabase._open_connection

    def noted(database: MapDatabase) -> object:
        opened.append(database)
        return open_file(database)

    monkeypatch.setattr(MapDatabase, "_open_connection", noted)
    yield
    for database in opened:
        database.close()


@pytest.fixture
def event_loop_of_its_own() -> Iterator[None]:
    """For Pydantic AI, which takes the loop that is there, or makes one and never closes it."""
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    yield
    asyncio.set_event_loop(None)
    loop.close()
