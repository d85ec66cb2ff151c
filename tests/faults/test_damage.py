import ctypes
import json
import os
import random
import re
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import holloway
from holloway.store.database import is_sound
from holloway.store.snapshot import dump_rows
from tests.conftest import make_repository
from tests.faults.figures import NIGHTLY, record
from tests.faults.performer import Performer

BATCHES = 20 if NIGHTLY else 1
DAMAGES_PER_BATCH = 50 if NIGHTLY else 12
DESTRUCTIVE = re.compile(r"\b(delete|remove|erase|unlink|overwrite|rm|start over)\b", re.IGNORECASE)
PAGE_BYTES = 4096

pytestmark = pytest.mark.promise("damaged")


class Misread(AssertionError):
    """A value that SQLite cannot know to be damaged was taken for a defect of the program, or passed over."""


@dataclass
class Patient:
    """A data folder with a memory, a copy of it, and a command line of its own."""

    performer: Performer
    healthy: Path
    root: Path
    home: Path

    @property
    def database(self) -> Path:
        [folder] = (self.home / "projects").iterdir()
        return folder / "memory.db"

    def heal(self) -> None:
        shutil.rmtree(self.home, ignore_errors=True)
        shutil.copytree(self.healthy, self.home)

    def run(self, *arguments: str) -> dict[str, Any]:
        """Run a command; whatever the state of the disk, it ends by itself and says what is wrong in words."""
        given = [*arguments, "--project", str(self.root)]
        report = self.performer.perform("command", self.home, arguments=given, captured=str(self.root.parent))
        assert report.get("code") in (0, 1, 2), report
        assert "Traceback" not in report["err"], report
        # The message may quote SQLite, which may quote the damaged schema; the advice is ours.
        assert not DESTRUCTIVE.search(report["err"].partition("Hint:")[2]), report
        if "unexpected" in report["err"]:
            raise Misread(report["err"])
        return report

    def names_the_file(self, report: dict[str, Any]) -> bool:
        return str(self.database) in report["err"] and "Hint:" in report["err"]

    def held(self) -> list[dict[str, Any]]:
        with holloway.open(self.root, home=self.home) as memory:
            assert memory.store.database.check_integrity() == []
            return list(dump_rows(memory.store))


@pytest.fixture(scope="session")
def healthy(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A repository, and a data folder with its memory and a copy that lacks the newest sentence."""
    folder = tmp_path_factory.mktemp("healthy")
    root, home = make_repository(folder / "shop").root, folder / "data"
    with holloway.open(root, home=home) as memory:
        for number in range(60):
            words = f"Trap {number}: invoice {number * 7} is rounded twice when the queue is retried"
            memory.remember(words, type="gotcha", files=["src/shop/billing/invoice.py"], tags=[f"tag{number % 5}"])
        memory.search.embed_waiting()
        memory.store.create_backup()
        memory.remember("Learned after the copy")
        memory.search.embed_waiting()
    return root, home


@pytest.fixture(scope="module")
def performer() -> Iterator[Performer]:
    with Performer() as performer:
        yield performer


@pytest.fixture
def patient(performer: Performer, healthy: tuple[Path, Path], home: Path) -> Patient:
    root, healthy_home = healthy
    patient = Patient(performer, healthy_home, root, home)
    patient.heal()
    return patient


def damage(path: Path, rng: random.Random) -> str:
    """Flip, blank or cut, anywhere in the file; returns what was done."""
    data = bytearray(path.read_bytes())
    place, kind = rng.randrange(len(data)), rng.choice(("flip", "flip in the header", "blank", "noise", "cut"))
    if kind == "cut":
        del data[place:]
    elif kind in ("blank", "noise"):
        size = min(rng.randrange(1, PAGE_BYTES), len(data) - place)
        data[place : place + size] = bytes(size) if kind == "blank" else rng.randbytes(size)
    else:
        for _ in range(rng.randrange(1, 9)):
            data[rng.randrange(100 if kind == "flip in the header" else len(data))] ^= 1 << rng.randrange(8)
    path.write_bytes(data)
    return f"{kind} at {place}"


@pytest.mark.parametrize("batch", range(BATCHES))
def test_a_damaged_file_is_named_and_the_last_copy_comes_back(patient: Patient, batch: int) -> None:
    patient.run("backup", "--restore", "latest", "--yes")
    copied = patient.held()
    noticed = 0
    for number in range(DAMAGES_PER_BATCH):
        patient.heal()
        seed = batch * DAMAGES_PER_BATCH + number
        what = f"seed {seed}: {damage(patient.database, random.Random(seed))}"
        seen = [patient.run("list"), patient.run("recall", "invoice")]
        checked = patient.run("doctor", "--json")
        verdicts = {check["name"]: check for check in json.loads(checked["out"])["checks"]}
        for report in seen:
            assert report["code"] == 0 or patient.names_the_file(report), (what, report)
            if report["code"] and verdicts["database"]["verdict"] != "failure":
                raise Misread(what, verdicts["database"])
        assert not DESTRUCTIVE.search(verdicts["database"]["hint"]), what
        noticed += verdicts["database"]["verdict"] == "failure"
        restored = patient.run("backup", "--restore", "latest", "--yes")
        assert restored["code"] == 0, (what, restored)
        assert patient.held() == copied, what
        kept = list(patient.database.parent.glob("backups/replaced-*.db"))
        assert len(kept) == 1, what
    assert noticed > 0
    record("damage", damages=DAMAGES_PER_BATCH, noticed=noticed, restored=DAMAGES_PER_BATCH)


DAMAGED_VALUES = {
    "type": "'go4cha'",
    "state": "'conbirmed'",
    "scope": "'elobal'",
    "visibility": "'projEct'",
    "last_used_at": "'20r6-11-15T22:42:02.485Z'",
    "tags": "'[''tag'",
    "content": "CAST(x'54726170bb' AS TEXT)",
}


@pytest.mark.parametrize("column", DAMAGED_VALUES)
def test_a_damaged_value_is_a_damaged_file(patient: Patient, column: str) -> None:
    with closing(sqlite3.connect(patient.database)) as connection, connection:
        connection.execute(f"UPDATE memories SET {column} = {DAMAGED_VALUES[column]} WHERE seq = 60")  # noqa: S608
    listed = patient.run("list")
    assert (listed["code"], patient.names_the_file(listed)) == (1, True)
    if patient.run("doctor", "--json")["code"] != 1:
        raise Misread("the doctor sees nothing")


def test_a_damaged_log_costs_only_what_it_held(patient: Patient) -> None:
    held = patient.held()
    with holloway.open(patient.root, home=patient.home) as memory:
        memory.remember("Only in the log")
        log = patient.database.with_name("memory.db-wal")
        crashed = {path: path.read_bytes() for path in (patient.database, log)}
    for seed in range(20):
        for path, data in crashed.items():
            path.write_bytes(data)
        damage(log, random.Random(seed))
        assert patient.run("list")["code"] == 0
        found = patient.held()
        assert [row for row in found if row in held] == held
        assert len(found) - len(held) in (0, 1)


def empty(path: Path) -> None:
    path.write_bytes(b"")


def text(path: Path) -> None:
    path.write_text("These are notes, not a database.\n" * 200, "utf-8")


def folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def newer(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("INSERT INTO migrations(name, at) VALUES ('dreams_0099', '2031-01-01T00:00:00.000Z')")


PUT_THERE = (empty, text, folder, newer)
"""What may stand where the database was."""


@pytest.mark.parametrize("put", PUT_THERE)
def test_what_is_no_database_of_ours_is_named_and_left_as_it_is(patient: Patient, put: Callable[[Path], None]) -> None:
    put(patient.database)
    found = patient.database.read_bytes() if patient.database.is_file() else b""
    for arguments in (("list",), ("recall", "invoice"), ("remember", "A sentence")):
        report = patient.run(*arguments)
        assert report["code"] == 1, report
        assert patient.names_the_file(report), report
    assert patient.run("doctor", "--json")["code"] == 1
    assert patient.database.is_dir() or patient.database.read_bytes() == found


@pytest.mark.parametrize("put", PUT_THERE)
def test_the_last_copy_comes_back_in_the_place_of_anything(patient: Patient, put: Callable[[Path], None]) -> None:
    patient.run("backup", "--restore", "latest", "--yes")
    copied = patient.held()
    patient.heal()
    put(patient.database)
    restored = patient.run("backup", "--restore", "latest", "--yes")
    assert restored["code"] == 0, restored
    assert patient.held() == copied
    assert len(list(patient.database.parent.glob("backups/replaced-*"))) >= 1


def test_the_newest_sound_copy_is_taken_when_the_newest_is_damaged_too(patient: Patient) -> None:
    patient.run("backup")
    newest, older = sorted(patient.database.parent.glob("backups/memory-*.db"), reverse=True)
    newest.write_bytes(newest.read_bytes()[:5000])
    text(patient.database)
    restored = patient.run("backup", "--restore", "latest", "--yes")
    assert (restored["code"], older.name in restored["out"]) == (0, True)
    assert is_sound(patient.database)
    assert patient.run("backup", "--restore", newest.name, "--yes")["code"] == 1
    assert len(patient.held()) > 60


def test_the_installed_command_meets_damage_as_the_forks_do(patient: Patient) -> None:
    text(patient.database)
    for arguments in (["list"], ["backup", "--restore", "latest", "--yes"], ["list"]):
        command = [sys.executable, "-c", "from holloway.cli import main; main()", *arguments]
        done = subprocess.run(command, cwd=patient.root, capture_output=True, text=True, timeout=60)
        assert "Traceback" not in done.stderr
        assert done.returncode == (1 if "damaged" in done.stderr else 0)
        assert (done.returncode == 1) is (str(patient.database) in done.stderr)
    assert done.returncode == 0
    assert "Trap 59" in done.stdout


def without_rights() -> None:
    """Let permissions count for root too: the right to pass them by is given up, for this process and its children."""
    cap_dac_override, cap_dac_read_search, pr_capbset_drop = 1, 2, 24
    if os.geteuid() == 0:
        library = ctypes.CDLL(None)
        for right in (cap_dac_override, cap_dac_read_search):
            library.prctl(pr_capbset_drop, right, 0, 0, 0)


@pytest.mark.skipif(sys.platform != "linux", reason="rights of root can be given up on Linux")
@pytest.mark.parametrize("name", ["memory.db", "."])
def test_a_file_or_folder_that_may_not_be_written_is_named(patient: Patient, name: str) -> None:
    path = patient.database.parent / name
    before = patient.database.read_bytes()
    path.chmod(0o400 if path.is_file() else 0o500)
    command = [sys.executable, "-c", "from holloway.cli import main; main()", "remember", "A sentence"]
    done = subprocess.run(
        command, cwd=patient.root, capture_output=True, text=True, timeout=60, preexec_fn=without_rights
    )
    path.chmod(0o700)
    if done.returncode == 0 and os.geteuid() == 0:
        pytest.skip("root could not give up its rights here")
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert str(patient.database) in done.stderr
    assert "permissions" in done.stderr
    assert patient.database.read_bytes() == before
