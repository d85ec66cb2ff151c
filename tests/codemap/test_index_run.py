"""An index run updates files, history and modules under one lock, and memories follow renamed files."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from filelock import FileLock

import holloway
from holloway.codemap import index_run
from holloway.codemap.health import MapBusy, MapUpdate
from holloway.codemap.index_run import IndexRun
from holloway.store import contributions
from tests.conftest import Repository
from tests.store.test_memories import taught

TOKENS = "src/shop/auth/tokens.py"


class Runs:
    """Index runs over the project of a memory."""

    def __init__(self, memory: holloway.Holloway, folder: Path) -> None:
        self.memory = memory
        self.database = memory.map.database
        self.path = folder / "map.db"
        self.progress = folder / "progress.json"

    def run(
        self,
        only: list[str] | None = None,
        *,
        wait: bool = True,
        report: Callable[[str, int, int], None] | None = None,
    ) -> MapUpdate:
        run = IndexRun(self.memory.store, self.path, self.progress, self.database)
        return run.run_index(1, only, wait, None, report)


@pytest.fixture
def runs(memory: holloway.Holloway, tmp_path: Path) -> Runs:
    return Runs(memory, tmp_path)


def test_a_run_counts_files_commits_and_modules(runs: Runs, repository: Repository) -> None:
    repository.commit("src/shop/new.py", "x = 1\n")
    first = runs.run()
    assert (first.files, first.read, first.removed, first.commits) == (7, 7, 0, 2)
    assert first.modules == len(runs.memory.map.modules())
    assert runs.database.get_meta("head") == repository.git("rev-parse", "HEAD").strip()
    (repository.root / "src/shop/new.py").unlink()
    second = runs.run()
    assert (second.files, second.removed, second.skipped) == (6, 1, {})


def test_a_run_for_some_files_reads_neither_history_nor_modules(runs: Runs, repository: Repository) -> None:
    repository.commit("src/shop/new.py", "x = 1\n")
    done = runs.run(["src/shop/new.py"])
    assert (done.files, done.commits, done.modules) == (1, 0, 0)
    assert runs.database.get_meta("head") == ""
    assert runs.database.get_meta("drawn_for") == ""


def test_modules_are_detected_again_only_after_a_change_or_an_edit(runs: Runs, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[int] = []
    update_modules = IndexRun._update_modules

    def noted(run: IndexRun, *arguments: object) -> None:
        drawn.append(len(drawn))
        update_modules(run, *arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(IndexRun, "_update_modules", noted)
    monkeypatch.setattr("holloway.codemap.index.RACY_NS", 0)
    runs.run()
    runs.run()
    assert len(drawn) == 1
    module = runs.memory.map.modules()[0]
    contributions.edit_module(runs.memory.store.database, "purpose", module.key, "Sells things.", "2026-01-06")
    runs.run()
    assert len(drawn) == 2
    assert runs.memory.map.module(module.name).purpose == "Sells things."


def test_only_one_run_at_a_time(runs: Runs, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(index_run, "LOCK_WAIT_S", 0.01)
    with FileLock(runs.path.with_suffix(".lock")):
        for wait in (False, True):
            with pytest.raises(MapBusy, match="Another process is indexing") as caught:
                runs.run(wait=wait)
            assert "last map" in caught.value.hint
    assert runs.run().files == 6


def test_progress_is_told_to_the_caller_and_written_for_others_while_it_lasts(
    runs: Runs, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(index_run, "PROGRESS_EVERY_S", 0.0)
    stages: list[str] = []
    written: list[dict[str, object]] = []

    def report(stage: str, count: int, total: int) -> None:
        stages.append(stage)
        if runs.progress.exists():
            written.append(json.loads(runs.progress.read_bytes()))

    runs.run(report=report)
    assert stages[-1] == "drawing modules"
    assert {"resolving"} <= set(stages)
    assert written
    assert written[0].keys() == {"stage", "done", "total", "at"}
    assert not runs.progress.exists()


def test_progress_is_written_twice_a_second_at_most(runs: Runs, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(index_run, "PROGRESS_EVERY_S", 3_600.0)
    monkeypatch.setattr("time.monotonic", lambda: 10_000.0)
    written: list[str] = []
    monkeypatch.setattr(index_run, "replace_file", lambda path, data: written.append(path))
    runs.run()
    assert written == [str(runs.progress)]


def test_memories_follow_a_file_that_was_renamed_and_edited_in_a_commit(runs: Runs, repository: Repository) -> None:
    repository.commit(TOKENS, "".join(f"def step_{number}():\n    return {number}\n" for number in range(20)))
    trap = taught(runs.memory, "step_3() burns the token", files=[TOKENS, "README.md"])
    runs.run()
    repository.git("mv", TOKENS, "src/shop/auth/jwt.py")
    with (repository.root / "src/shop/auth/jwt.py").open("a") as file:
        file.write("LAST = 1\n")
    repository.git("commit", "-qam", "rename")
    runs.run(["src/shop/auth/jwt.py"])
    assert set(runs.memory.get(trap.id).files) == {TOKENS, "README.md"}
    runs.run()
    assert set(runs.memory.get(trap.id).files) == {"src/shop/auth/jwt.py", "README.md"}
    assert f"{TOKENS} is now src/shop/auth/jwt.py" in repr(runs.memory.why(trap.id).history)


def test_memories_of_a_file_that_is_still_there_stay(runs: Runs, repository: Repository) -> None:
    trap = taught(runs.memory, "refresh() burns the token", files=[TOKENS])
    run = IndexRun(runs.memory.store, runs.path, runs.progress, runs.database)
    run._move_memories({TOKENS: "README.md"})
    assert runs.memory.get(trap.id).files == (TOKENS,)
    (repository.root / TOKENS).unlink()
    run._move_memories({TOKENS: "gone.py"})
    assert runs.memory.get(trap.id).files == (TOKENS,)
    run._move_memories({TOKENS: "README.md"})
    assert runs.memory.get(trap.id).files == ("README.md",)


def test_edits_are_sorted_by_what_they_change() -> None:
    edits = index_run._parse_edits(
        [
            ("name", "auth", "login"),
            ("files", "auth", "src/a.py"),
            ("files", "auth", "src/b.py"),
            ("purpose", "auth", "Logs in."),
            ("hidden", "docs", "1"),
            ("hidden", "examples", ""),
        ]
    )
    assert (edits.names, edits.purposes) == ({"auth": "login"}, {"auth": "Logs in."})
    assert edits.hidden == {"docs"}
    assert edits.files == [("src/a.py", "auth"), ("src/b.py", "auth")]
