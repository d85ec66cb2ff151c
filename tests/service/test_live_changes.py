"""What changed since the last look: each kind once, from any process and for any thread, cheap while nothing is new."""

from collections.abc import Iterator
from threading import Thread

import pytest

from holloway.domain.ports import format_stamp
from holloway.service import background_worker, project_finder
from holloway.service.holloway import Holloway
from holloway.service.live_changes import ChangeKind, ChangeWatcher, LiveChange
from holloway.store import told_log
from tests.conftest import Repository
from tests.observer.story import Story
from tests.service.learned import learn
from tests.service.test_session_report import began
from tests.store.test_memories import taught


@pytest.fixture
def watcher(memory: Holloway) -> Iterator[ChangeWatcher]:
    with ChangeWatcher(memory) as watcher:
        yield watcher


def kinds(watcher: ChangeWatcher) -> set[ChangeKind]:
    return {change.kind for change in watcher.poll()}


def test_nothing_is_told_while_nothing_changes(memory: Holloway, watcher: ChangeWatcher) -> None:
    assert watcher.poll() == ()
    memory.memories()
    assert watcher.poll() == ()


def test_a_poll_without_a_change_reads_one_number_from_the_database(watcher: ChangeWatcher) -> None:
    statements: list[str] = []
    watcher._reader._connection.set_trace_callback(statements.append)
    watcher.poll()
    assert statements == ["PRAGMA data_version"]


def test_a_change_of_a_memory_is_told_once(memory: Holloway, watcher: ChangeWatcher) -> None:
    stored = taught(memory, "Money is integer cents").id
    assert watcher.poll() == (LiveChange(ChangeKind.MEMORIES),)
    assert watcher.poll() == ()
    memory.pin(stored)
    memory.forget([stored])
    assert watcher.poll() == (LiveChange(ChangeKind.MEMORIES),)


def test_sessions_are_told_when_they_begin_and_when_they_were_learned_from(
    memory: Holloway, watcher: ChangeWatcher
) -> None:
    began(memory, "s1")
    assert watcher.poll() == (LiveChange(ChangeKind.SESSION_STARTED, "s1"),)
    learn(memory, Story("s1").read("README.md"))
    assert LiveChange(ChangeKind.SESSION_ENDED, "s1") in watcher.poll()
    learn(memory, Story("s2", at=50_000.0).read("README.md"))
    changes = watcher.poll()
    assert {change for change in changes if change.subject} == {
        LiveChange(ChangeKind.SESSION_STARTED, "s2"),
        LiveChange(ChangeKind.SESSION_ENDED, "s2"),
    }


def test_what_an_agent_is_told_is_news_once_before_it_is_stored_and_no_loss_after(
    memory: Holloway, watcher: ChangeWatcher
) -> None:
    at = format_stamp(memory.clock.now())
    told_log.append_told(str(memory.project.folder), at=at, session="s1", point="prompt", text="x")
    assert watcher.poll() == (LiveChange(ChangeKind.TOLD),)
    memory.settle()
    assert kinds(watcher) <= {ChangeKind.TOLD}
    assert watcher.poll() == ()


def test_the_worker_and_a_pause_are_told(memory: Holloway, watcher: ChangeWatcher, repository: Repository) -> None:
    folder = str(memory.project.folder)
    background_worker.write_state(folder, {"started": "2026-01-05", "ended": ""})
    assert watcher.poll() == (LiveChange(ChangeKind.WORKER_STARTED),)
    background_worker.write_state(folder, {"started": "2026-01-05", "ended": "2026-01-06"})
    assert watcher.poll() == (LiveChange(ChangeKind.WORKER_DONE),)
    project_finder.pause(str(repository.root), "injection")
    assert watcher.poll() == (LiveChange(ChangeKind.PAUSE),)
    assert watcher.poll() == ()


def test_statements_of_agents_are_told(memory: Holloway, watcher: ChangeWatcher) -> None:
    memory.map.propose("README.md", "documents", "src/shop/auth/tokens.py", agent="codex")
    assert watcher.poll() == (LiveChange(ChangeKind.PROPOSALS),)


def test_any_thread_may_poll(memory: Holloway, watcher: ChangeWatcher) -> None:
    taught(memory, "x is y")
    polled: list[LiveChange] = []
    thread = Thread(target=lambda: polled.extend(watcher.poll()))
    thread.start()
    thread.join()
    assert polled == [LiveChange(ChangeKind.MEMORIES)]
