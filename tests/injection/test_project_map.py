import json
import time
from pathlib import Path

import pytest

from holloway.codemap.modules.overview import Overview
from holloway.injection.project_map import PROGRESS_STALE_S, ProjectMap, read_progress
from holloway.service.holloway import Holloway
from tests.conftest import Repository

TOKENS = "src/shop/auth/tokens.py"


@pytest.fixture
def project_map(memory: Holloway) -> ProjectMap:
    return ProjectMap(str(memory.project.folder), str(memory.project.root))


def test_without_a_map_every_answer_is_empty(memory: Holloway, project_map: ProjectMap) -> None:
    connection = memory.store.database.connection
    assert project_map.locate(connection, "refresh", memory.clock.now()) is None
    assert project_map.find_modules([TOKENS, "README.md"]) == ["", ""]
    assert project_map.load_overview(connection) == Overview()
    assert project_map.read_progress() == ""
    assert not Path(project_map.path).exists()


def test_a_map_that_was_never_filled_counts_as_none(memory: Holloway, project_map: ProjectMap) -> None:
    memory.map.update()
    database = memory.map.database
    with database.write_transaction():
        database.execute("DELETE FROM meta WHERE key = 'indexed_ns'")
    assert project_map.locate(memory.store.database.connection, "refresh", memory.clock.now()) is None
    assert project_map.find_modules([TOKENS]) == [""]


def test_a_map_locates_files_and_knows_their_modules(memory: Holloway, project_map: ProjectMap) -> None:
    memory.map.update()
    located = project_map.locate(memory.store.database.connection, "refresh the token", memory.clock.now(), limit=1)
    assert located is not None
    assert [file.path for file in located.files] == [TOKENS]
    several = project_map.locate(memory.store.database.connection, "shop auth token session", memory.clock.now())
    assert several is not None
    assert len(several.files) > 1
    module = memory.map.module_of(TOKENS)
    assert module
    assert project_map.find_modules([TOKENS, "gone.py"]) == [module, ""]
    assert project_map.find_modules([]) == []
    assert project_map.load_overview(memory.store.database.connection).files > 0


def test_files_that_were_moved_or_deleted_after_the_last_index_are_not_located(
    memory: Holloway, repository: Repository, project_map: ProjectMap
) -> None:
    test = memory.project.root / "tests/test_invoice.py"
    for number in range(6):
        for path in (memory.project.root / "src/shop/invoice.py", test):
            path.write_text(f"def test_invoice_total():\n    assert {number}\n", "utf-8")
        repository.commit("src/shop/rounding.py", f"def half_even():\n    return {number}\n")
    memory.map.update()
    connection, task = memory.store.database.connection, "invoice total of the shop"

    def locate() -> set[str]:
        located = project_map.locate(connection, task, memory.clock.now())
        assert located is not None
        coupled = {path for file in located.coupled for path in (file.path, file.other)}
        return {file.path for file in located.ranked} | coupled

    assert {"src/shop/invoice.py", "tests/test_invoice.py", "src/shop/rounding.py"} <= locate()
    (memory.project.root / "src/shop/invoice.py").rename(memory.project.root / "src/shop/bill.py")
    test.unlink()
    assert locate().isdisjoint({"src/shop/invoice.py", "tests/test_invoice.py"})


@pytest.mark.parametrize(
    ("stage", "done", "total", "text"),
    [
        ("reading", 0, 10, "0 %"),
        ("reading", 5, 10, "30 %"),
        ("resolving", 0, 10, "60 %"),
        ("resolving", 10, 10, "90 %"),
        ("storing", 5, 10, "95 %"),
        ("storing", 10, 10, "100 %"),
        ("reading", 0, 0, "0 %"),
        ("reading", 1, 1, "60 %"),
    ],
)
def test_progress_is_a_share_of_the_whole_run(
    project_map: ProjectMap, stage: str, done: int, total: int, text: str
) -> None:
    report = {"at": time.time(), "stage": stage, "done": done, "total": total}
    Path(project_map.path).with_suffix(".progress").write_text(json.dumps(report))
    assert project_map.read_progress() == text


def test_progress_of_a_run_that_died_or_cannot_be_read_is_none(tmp_path: Path) -> None:
    path = tmp_path / "map.progress"
    report = {"stage": "reading", "done": 1, "total": 2}
    path.write_text(json.dumps({**report, "at": time.time() - PROGRESS_STALE_S - 1}))
    assert read_progress(str(path)) == ""
    path.write_text(json.dumps({**report, "at": time.time() - PROGRESS_STALE_S / 2}))
    assert read_progress(str(path)) == "30 %"
    for broken in ("{", "[]", "{}", json.dumps({**report, "at": "x"})):
        path.write_text(broken)
        assert read_progress(str(path)) == ""
