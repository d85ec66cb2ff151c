import errno
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from datetime import timedelta
from itertools import count
from pathlib import Path
from typing import Any

import pytest

import holloway
from holloway.store.database import is_sound, rolling
from holloway.store.snapshot import dump
from holloway.testing import CountedIds, FakeClock
from tests.conftest import Repository
from tests.faults.performer import OUTDATED, SECRET, Performer

SHIM = Path(__file__).with_name("failing_io.c")
FAULTS = [(errno.EIO, False), (errno.ENOSPC, True)]

pytestmark = pytest.mark.promise("all-or-nothing")


@pytest.fixture(scope="session")
def shim(tmp_path_factory: pytest.TempPathFactory) -> Path:
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None or sys.platform != "linux":
        pytest.skip("a C compiler on Linux makes the disk that fails")
    built = tmp_path_factory.mktemp("shim") / "failing_io.so"
    subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-o", built, SHIM, "-ldl"], check=True)
    return built


@pytest.fixture
def performer(shim: Path, home: Path) -> Iterator[Performer]:
    with Performer(preload=shim) as started:
        yield started


@pytest.fixture
def before(repository: Repository, home: Path, tmp_path: Path) -> Path:
    clock = FakeClock(FakeClock().now() - timedelta(days=800))
    with holloway.open(repository.root, clock=clock, ids=CountedIds("before")) as memory:
        memory.remember("Caches were cleared by hand once", type="gotcha")
        dropped = memory.remember("Nobody needs this sentence", type="gotcha").memory
        assert dropped is not None
        memory.forget([dropped])
        clock.advance(days=799)
        for content in (OUTDATED, SECRET, "Money is integer cents"):
            memory.remember(content, type="decision", files=["src/shop/billing/invoice.py"])
        for hour in range(3):
            clock.advance(hours=1)
            memory.store.backup()
        for number in range(10):
            memory.remember(f"Late sentence {number}, not in any copy", type="decision", files=["README.md"])
        memory.project.journal.mkdir()
        (memory.project.journal / "session.jsonl").write_text(f'{{"text": "{SECRET}"}}\n{{"text": "other"}}\n', "utf-8")
        return Path(shutil.copytree(home, tmp_path / "before"))


def state(root: Path, home: Path) -> tuple[list[dict[str, Any]], list[str]]:
    with holloway.open(root, home=home, clock=FakeClock(), ids=CountedIds("state")) as memory:
        return list(dump(memory.store)), memory.store.database.problems()


@pytest.mark.parametrize(("error", "lasting"), [(e, l) for e in (errno.EIO, errno.ENOSPC) for l in (False, True)])
@pytest.mark.parametrize("operation", ["remember", "replace", "prune", "forget", "back up", "bring back", "open"])
def test_explore(operation, error, lasting, performer, before, repository, tmp_path):
    root = repository.root

    def run(at, name):
        h = Path(shutil.copytree(before, tmp_path / name))
        return h, performer.perform(operation, h, at=at, error=error, lasting=lasting, project=str(root))

    h0 = Path(shutil.copytree(before, tmp_path / "b0"))
    was = state(root, h0)
    h, r = run(0, "clean")
    print(operation, errno.errorcode[error], lasting, r)
    after = state(root, h)
    bad = []
    for at in count(1):
        h, r = run(at, str(at))
        try:
            s = state(root, h)
        except Exception as e:
            s = repr(e)
        which = "before" if s == was else "after" if s == after else "OTHER"
        if was == after:
            which = "same" if s == was else "OTHER"
        unsound = [c.name for c in (h / "projects").glob("*/backups/memory-*.db") if not is_sound(c)]
        left = [str(p.relative_to(h)) for p in h.rglob("*") if p.is_file() and SECRET.encode() in p.read_bytes()]
        names = [p.name for p in h.rglob("*.partial")] + [p.name for p in h.rglob("*.new")]
        outcome = r.get("error") or ("done" + str(r["left"]))
        print(
            at,
            outcome,
            which,
            unsound,
            names,
            r.get("message", "")[-90:].replace(str(tmp_path), ""),
            "|",
            r.get("hint", "")[:40],
            left if operation == "forget" else "",
            "" if which != "OTHER" else (s if isinstance(s, str) else (len(s[0]), s[1])),
        )
        shutil.rmtree(h)
        if r.get("calls", 0) < at:
            break
