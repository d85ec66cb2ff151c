"""The status line: short, light, and silent where something is amiss."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import holloway
from holloway.config import STATUS_INPUT_BYTES_MAX
from holloway.service.project_finder import pause
from tests.conftest import Repository
from tests.injection.test_light import HEAVY


def printed(about: object, *, raw: bytes | None = None) -> str:
    """Run the command as the agent does."""
    data = raw if raw is not None else json.dumps(about).encode()
    done = subprocess.run(
        [sys.executable, "-m", "holloway", "statusline"], input=data, capture_output=True, timeout=20, check=False
    )
    assert (done.returncode, done.stderr) == (0, b"")
    return done.stdout.decode()


@pytest.mark.promise("person")
def test_it_tells_what_is_known_what_was_shown_and_what_waits(repository: Repository) -> None:
    with holloway.open(repository.root) as memory:
        memory.remember("refresh() burns the token", files=["src/shop/auth/tokens.py"])
        memory.remember("money is integer cents", type="decision")
        memory.shown(memory.brief(), session="s-1", agent="claude-code", now="2026-01-05T09:00:00.000Z")
    assert printed({"cwd": str(repository.root), "session_id": "s-1"}) == "holloway: 2 memories, 1 shown\n"
    folder = {"current_dir": str(repository.root / "src")}
    assert printed({"workspace": folder, "session_id": "s-2"}) == "holloway: 2 memories\n"


def test_it_says_that_the_project_is_paused(repository: Repository) -> None:
    with holloway.open(repository.root):
        pause(str(repository.root), "capture")
    assert printed({"cwd": str(repository.root)}) == "holloway: capture paused\n"


@pytest.mark.parametrize(
    "raw", [b"", b"{", b"[]", b"null", b"\xff\xfe", b'{"cwd": 3}', b" " * (STATUS_INPUT_BYTES_MAX + 9)]
)
def test_it_is_silent_on_any_input_that_it_does_not_know(raw: bytes) -> None:
    assert printed(None, raw=raw) == ""


def test_it_is_silent_where_the_store_is_damaged(repository: Repository) -> None:
    with holloway.open(repository.root) as memory:
        database = memory.project.database_path
    database.write_bytes(b"not a database" * 1000)
    for extra in ("-wal", "-shm"):
        Path(str(database) + extra).unlink(missing_ok=True)
    assert printed({"cwd": str(repository.root)}) == ""


@pytest.mark.promise("light")
def test_it_loads_no_more_than_a_hook(repository: Repository) -> None:
    with holloway.open(repository.root) as memory:
        memory.remember("money is integer cents")
    code = (
        "import sys, json; before = set(sys.modules)\n"
        "from holloway.hooks.statusline import line\n"
        f"assert line({json.dumps({'cwd': str(repository.root)}).encode()!r}) == 'holloway: 1 memory'\n"
        "print(json.dumps(sorted(set(sys.modules) - before)))"
    )
    source = str(Path(holloway.__file__).parents[1])
    flags = ["-I", "-S", "-c", f"import sys; sys.path.insert(0, {source!r})\n{code}"]
    done = subprocess.run([sys.executable, *flags], capture_output=True, text=True, check=True, env=os.environ)
    assert {name.split(".")[0] for name in json.loads(done.stdout)} & HEAVY == set()
