"""The status line: short, light, and silent where something is amiss."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import holloway
from holloway.config import STATUS_INPUT_BYTES_MAX
from holloway.domain.memory import ReviewReason
from holloway.hooks import statusline
from holloway.service.project_finder import pause
from holloway.store import answer_log, lookup
from holloway.testing import FakeClock
from tests.conftest import Repository
from tests.injection.test_light import HEAVY
from tests.store.test_status_counts import flag, infer


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


def test_it_is_silent_in_a_folder_of_no_project_even_while_all_is_paused(
    repository: Repository, home: Path, tmp_path: Path
) -> None:
    holloway.open(repository.root).close()
    (home / "paused").write_text("all")
    about = {"cwd": str(repository.root)}
    assert statusline.line(json.dumps(about).encode()) == "holloway: paused"
    assert statusline.line(json.dumps({"cwd": str(tmp_path)}).encode()) == ""
    assert statusline.line(b"[]") == ""


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


def describe(repository: Repository, session: str = "s-1") -> bytes:
    return json.dumps({"cwd": str(repository.root), "session_id": session}).encode()


def test_the_line_counts_reviews_and_answers_that_were_cut_short(memory: holloway.Holloway) -> None:
    root = memory.project.root
    told = memory.remember("money is integer cents").memory
    assert told is not None
    folder = str(memory.project.folder)
    about = json.dumps({"cwd": str(root), "session_id": "s-1"}).encode()
    assert statusline.line(about) == "holloway: 1 memory"
    memory.store.memories.update_memory(told, "disputed", review=ReviewReason.DISPUTED, review_after="")
    for outcome in (
        answer_log.ANSWER_DEGRADED,
        answer_log.ANSWER_DEGRADED,
        answer_log.ANSWER_DROPPED,
        answer_log.ANSWER_FULL,
    ):
        answer_log.append_answer(folder, "s-1", "prompt", outcome, "", 5.0)
    assert statusline.line(about) == "holloway: 1 memory, 1 to review, 2 shortened, 1 dropped"
    other = json.dumps({"cwd": str(root), "session_id": "s-2"}).encode()
    assert statusline.line(other) == "holloway: 1 memory, 1 to review"


def test_the_folder_is_named_by_the_session_its_workspace_or_the_process(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with holloway.open(repository.root) as memory:
        memory.remember("money is integer cents")
    known, elsewhere = str(repository.root), str(tmp_path)
    for about, line in (
        ({"cwd": known, "workspace": {"current_dir": elsewhere}}, "holloway: 1 memory"),
        ({"workspace": {"current_dir": known}}, "holloway: 1 memory"),
        ({"cwd": elsewhere}, ""),
        ({"workspace": "no table"}, ""),
        ([], ""),
    ):
        monkeypatch.chdir(tmp_path)
        assert statusline.line(json.dumps(about).encode()) == line
    monkeypatch.chdir(repository.root)
    assert statusline.line(b"{}") == "holloway: 1 memory"


def test_a_project_that_is_paused_in_every_way_is_called_paused(repository: Repository) -> None:
    with holloway.open(repository.root):
        pause(str(repository.root), "all")
    assert statusline.line(describe(repository)) == "holloway: paused"


def test_a_project_without_a_readable_store_has_no_line(repository: Repository) -> None:
    with holloway.open(repository.root) as memory:
        memory.store.database.execute("PRAGMA user_version = 999")
    assert statusline.line(describe(repository)) == ""


NOW = "2026-01-06T00:00:00.000Z"


def test_the_start_of_a_session_says_what_the_agent_was_briefed_with(memory: holloway.Holloway) -> None:
    store = memory.store.database.connection
    assert statusline.render_start(store, 0, 0, 0, NOW) == ""
    assert statusline.render_start(store, 1, 2, 0, NOW) == "holloway: briefed from 1 session, 2 memories"
    told = memory.remember("money is integer cents").memory
    assert told is not None
    assert statusline.render_start(store, 0, 1, 0, NOW) == "holloway: briefed with 1 memory"
    nothing = "holloway: briefed from 2 sessions, 0 memories; what is known of a file comes with it"
    assert statusline.render_start(store, 2, 0, 0, NOW) == nothing
    memory.store.memories.update_memory(told, "disputed", review=ReviewReason.DISPUTED, review_after="")
    waiting = "holloway: briefed with 1 memory; 3 to review (holloway review)"
    assert statusline.render_start(store, 0, 1, 2, NOW) == waiting


def test_the_start_of_a_session_offers_a_lower_trust_level_after_wrong_memories(memory: holloway.Holloway) -> None:
    memory.store.set_meta("trust_level", "2")
    flag(memory, 3, "s-0")
    line = statusline.render_start(memory.store.database.connection, 1, 1, 0, NOW)
    assert line.startswith("holloway: briefed from 1 session, 1 memory; 3 memories of one session were wrong: ")


def test_the_end_of_a_turn_says_what_was_learned_and_counts_untrusted_text(memory: holloway.Holloway) -> None:
    store = memory.store.database.connection
    lookup.touch_session(store, "s-1", "claude-code", "2026-01-05T08:00:00.000Z")
    assert statusline.render_turn_end(store, "s-1") == ""
    infer(memory, "the gate is half open")
    learned = "holloway: learned: the gate is half open (holloway review)"
    assert statusline.render_turn_end(store, "s-1") == learned
    assert statusline.render_turn_end(store, "s-1") == ""


def test_the_end_of_a_turn_names_one_lesson_and_counts_the_others(memory: holloway.Holloway, clock: FakeClock) -> None:
    store = memory.store.database.connection
    lookup.touch_session(store, "s-1", "claude-code", "2026-01-05T08:00:00.000Z")
    for text in ("from outside", "money is cents", "dates are UTC"):
        infer(memory, text)
        clock.advance(seconds=1)
    store.execute("UPDATE memories SET state = 'quarantined' WHERE content = 'from outside'")
    assert statusline.render_turn_end(store, "s-1") == (
        "holloway: learned: dates are UTC and 1 more; 1 memory from outside to review (holloway review)"
    )
