import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import holloway
from holloway.domain.memory import Draft, MemoryType
from holloway.domain.ports import RandomIds, SystemClock
from holloway.store.database import Database, DatabaseBusy
from holloway.store.memories import Memories
from holloway.store.write_gate import sanitize_draft
from tests.conftest import Repository

HOLDER = Path(__file__).with_name("holder.py")

pytestmark = pytest.mark.promise("many-at-once")


@pytest.fixture
def taught(repository: Repository) -> Path:
    with holloway.open(repository.root) as memory:
        memory.remember("Money is integer cents")
    return repository.root


@contextmanager
def held(project: Path) -> Iterator[None]:
    """Another process is in the middle of a change."""
    command = [sys.executable, str(HOLDER), str(project)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"holding\n"
        try:
            yield
        finally:
            holder.communicate(timeout=30)


def test_a_reader_reads_what_was_written_while_another_process_writes(taught: Path) -> None:
    with held(taught), holloway.open(taught) as memory:
        assert [kept.content for kept in memory.memories()] == ["Money is integer cents"]
        assert [result.memory.content for result in memory.recall("how is money stored")] == ["Money is integer cents"]
    with holloway.open(taught) as memory:
        assert [kept.content for kept in memory.memories()] == ["Half of a change", "Money is integer cents"]


def test_a_question_does_not_wait_for_a_writer_to_store_vectors(taught: Path) -> None:
    statements: list[str] = []
    with held(taught), holloway.open(taught) as memory:
        memory.store.database.connection.set_trace_callback(statements.append)
        memory.recall("how is money stored")
    before_writing = statements[: statements.index("BEGIN IMMEDIATE")]
    timeouts = [int(line.rpartition("=")[2]) for line in before_writing if line.startswith("PRAGMA busy_timeout =")]
    assert timeouts[-1] < 1_000


def test_a_writer_that_may_not_wait_is_told_that_nothing_was_written(taught: Path) -> None:
    with holloway.open(taught) as memory:
        path = memory.project.database_path
    impatient = Database(path, busy_timeout_ms=50)
    try:
        with held(taught):
            with pytest.raises(DatabaseBusy) as refused:
                Memories(impatient, SystemClock(), RandomIds()).add_memory(
                    sanitize_draft(Draft("Refused", MemoryType.GOTCHA))
                )
            assert str(path) in refused.value.message
            assert refused.value.hint.startswith("Nothing was written.")
        assert (
            Memories(impatient, SystemClock(), RandomIds())
            .add_memory(sanitize_draft(Draft("Taken", MemoryType.GOTCHA)))
            .memory
        )
        assert impatient.check_integrity() == []
    finally:
        impatient.close()
    with holloway.open(taught) as memory:
        contents = {kept.content for kept in memory.memories()}
    assert contents == {"Money is integer cents", "Half of a change", "Taken"}


def test_a_writer_that_dies_with_the_lock_holds_nobody_up(taught: Path) -> None:
    command = [sys.executable, str(HOLDER), str(taught)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"holding\n"
        holder.kill()
    with holloway.open(taught) as memory:
        memory.remember("The next one")
        assert {kept.content for kept in memory.memories()} == {"Money is integer cents", "The next one"}
        assert memory.store.database.check_integrity() == []
