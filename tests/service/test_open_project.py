"""An open project: its two stores, its threads, its pauses, and what it finds by id."""

import os
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from holloway import config
from holloway.domain.memory import Draft, MemoryType
from holloway.domain.ports import format_stamp
from holloway.errors import HollowayError, InvalidInput
from holloway.service import project_finder
from holloway.service.holloway import Holloway
from holloway.service.open_project import OpenProject
from holloway.store import project as projects
from holloway.store import registry
from holloway.store.filter import Filter
from holloway.store.memories import UnknownMemory
from holloway.store.write_gate import sanitize_draft
from holloway.testing import CountedIds, FakeClock
from tests.conftest import Repository
from tests.observer.story import Story
from tests.service.learned import learn
from tests.store.test_memories import taught


@pytest.fixture
def opened(memory: Holloway) -> OpenProject:
    return memory.opened


def test_the_users_own_store_is_opened_only_where_it_exists(memory: Holloway, opened: OpenProject) -> None:
    assert opened.stores() == [opened.store]
    assert opened.count_user() == 0
    assert not (memory.home / "user").exists()
    memory.remember("I prefer tabs", user=True)
    assert opened.stores() == [opened.store, opened.user]
    assert opened.user is opened.user
    assert opened.count_user() == 1
    taught(memory, "Money is integer cents")
    assert opened.count_user() == 1
    assert [stored.content for stored in opened.memories(user=True)] == ["I prefer tabs"]
    assert [stored.content for stored in opened.memories()] == ["Money is integer cents"]


def test_memories_are_filtered_and_bounded(memory: Holloway, opened: OpenProject) -> None:
    for number in range(3):
        taught(memory, f"fact number {number}")
    taught(memory, "We chose JWT", type="decision")
    assert len(opened.memories(limit=2)) == 2
    assert [stored.content for stored in opened.memories(Filter(types=(MemoryType.DECISION,)))] == ["We chose JWT"]


def test_a_memory_is_found_by_id_in_either_store(memory: Holloway, opened: OpenProject) -> None:
    shared = taught(memory, "Money is integer cents")
    own = memory.remember("I prefer tabs", user=True).memory
    assert own is not None
    assert opened.find_memory(shared.id[:4]) == (opened.store, shared)
    assert opened.find_memory(own.id) == (opened.user, own)
    assert opened.get(own.id) == own
    with pytest.raises(UnknownMemory):
        opened.get("ffffff")


def test_a_living_memory_is_neither_forgotten_nor_replaced(memory: Holloway, opened: OpenProject) -> None:
    stored = taught(memory, "Money is integer cents")
    assert opened.find_living(stored.id) == (opened.store, stored)
    with opened.store.database.write_transaction():
        opened.store.database.execute("UPDATE memories SET superseded_by = 'abcdef'")
    with pytest.raises(InvalidInput, match="was replaced by abcdef") as refusal:
        opened.find_living(stored.id)
    assert refusal.value.hint == "`holloway show abcdef` shows what holds now."
    gone = taught(memory, "Dates are local")
    memory.forget([gone])
    with pytest.raises(InvalidInput, match="is forgotten"):
        opened.find_living(gone.id)


def test_another_thread_gets_the_same_project_opened_again(opened: OpenProject, memory: Holloway) -> None:
    taught(memory, "Money is integer cents")
    with opened.here() as here:
        assert here is opened
    seen: list[tuple[bool, int, bool]] = []

    def visit() -> None:
        with opened.here() as other:
            seen.append((other is opened, len(other.memories()), other.clock is opened.clock))

    thread = threading.Thread(target=visit)
    thread.start()
    thread.join()
    assert seen == [(False, 1, True)]


def test_closing_runs_the_callbacks_last_first_and_once(repository: Repository, home: Path) -> None:
    order: list[int] = []
    memory = Holloway(projects.resolve_project(repository.root, home), home)
    with memory.opened as opened:
        assert opened is memory.opened
        memory.remember("I prefer tabs", user=True)
        memory.map.update()
        for number in range(3):
            opened.at_close(lambda number=number: order.append(number))  # type: ignore[misc]
    opened.close()
    assert order == [2, 1, 0]


@pytest.mark.parametrize(
    ("mode", "capture", "injection"), [("capture", True, False), ("injection", False, True), ("all", True, True)]
)
def test_a_pause_is_of_one_part_or_of_all(
    opened: OpenProject, repository: Repository, mode: str, capture: bool, injection: bool
) -> None:
    assert not opened.paused("capture")
    project_finder.pause(str(repository.root), mode)
    assert (opened.paused("capture"), opened.paused("injection")) == (capture, injection)


def test_a_project_knows_whether_it_is_under_git_and_on_which_branch(
    opened: OpenProject, repository: Repository, home: Path, tmp_path: Path
) -> None:
    assert (opened.under_git, opened.branch) == (True, "main")
    repository.git("checkout", "-qb", "feature")
    assert opened.branch == "feature"
    plain = tmp_path / "plain"
    plain.mkdir()
    with OpenProject(projects.resolve_project(plain, home), home) as other:
        assert (other.under_git, other.branch) == (False, "")


@pytest.fixture
def reopened(memory: Holloway, clock: FakeClock) -> Iterator[OpenProject]:
    """The same project, opened a second time without settling."""
    with OpenProject(memory.project, memory.home, clock=clock, ids=CountedIds("b"), settle=False) as second:
        yield second


def test_opening_settles_what_hooks_left_behind(memory: Holloway, reopened: OpenProject, clock: FakeClock) -> None:
    stored = taught(memory, "Money is integer cents", pin=True)
    own = memory.remember("I prefer tabs", user=True).memory
    assert own is not None
    made = reopened.brief(with_map=False)
    clock.advance(days=1)
    later = format_stamp(clock.now())
    assert set(made.memories) == {stored.id, own.id}
    reopened.shown(made, session="s1", agent="coder", now=later)
    journal = memory.project.journal_folder
    journal.mkdir(exist_ok=True)
    old = journal / "old.jsonl"
    old.write_text("{}\n")
    os.utime(old, (1, 1))
    config.change_setting("exclude.paths", "secrets")
    reopened.settings = config.Settings.load_settings(memory.project.key, str(memory.home))
    reopened.settle()
    assert not old.exists()
    assert registry.read_hook_settings(str(memory.project.folder)) == {"exclude_paths": ["secrets"]}
    assert [reopened.get(shown.id).last_used_at for shown in (stored, own)] == [later, later]


def test_a_project_that_cannot_settle_is_closed_again(
    memory: Holloway, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(opened: OpenProject) -> None:
        raise HollowayError("disk full", "free some")

    monkeypatch.setattr(OpenProject, "settle", fail)
    with pytest.raises(HollowayError, match="disk full"):
        OpenProject(memory.project, memory.home, clock=clock)


def test_pruning_sets_decayed_memories_aside_in_both_stores(memory: Holloway, clock: FakeClock) -> None:
    for store in (memory.opened.store, memory.opened.user):
        store.memories.add_memory(sanitize_draft(Draft("redis is slow here", confidence=0.5)))
        with store.database.write_transaction():
            store.database.execute("UPDATE memories SET half_life_days = 1, source = 'observer_inferred'")
    clock.advance(days=100)
    assert memory.opened.prune() is not None
    assert (memory.opened.memories(), memory.opened.memories(user=True)) == ([], [])


def test_maintenance_backs_up_both_stores(memory: Holloway) -> None:
    taught(memory, "Money is integer cents")
    memory.remember("I prefer tabs", user=True)
    memory.opened.maintain()
    for store in memory.opened.stores():
        assert list(store.project.backups_folder.iterdir()) != []


def test_a_brief_has_the_map_only_where_it_is_asked_for(memory: Holloway, opened: OpenProject) -> None:
    memory.map.update()
    taught(memory, "We chose JWT", type="decision", pin=True)
    full, quick = opened.brief(), opened.brief(with_map=False)
    assert "We chose JWT" in full.text
    assert "We chose JWT" in quick.text
    assert len(full.text) > len(quick.text)


def test_what_was_shown_is_recorded_in_the_store_that_has_it(memory: Holloway, opened: OpenProject) -> None:
    pinned = taught(memory, "We chose JWT", type="decision", pin=True)
    own = memory.remember("I prefer tabs", user=True, pin=True).memory
    assert own is not None
    made = opened.brief(with_map=False)
    assert set(made.memories) == {pinned.id, own.id}
    opened.shown(made, session="s1", agent="coder", now="2026-01-05T09:00:00.000Z")
    for store, stored in ((opened.store, pinned), (opened.user, own)):
        rows = store.database.fetch_rows("SELECT memory, session, point FROM injections")
        assert [tuple(row) for row in rows] == [(stored.id, "s1", "session_start")]


def test_unfinished_work_of_this_branch_is_found(memory: Holloway, repository: Repository) -> None:
    assert memory.opened.work_state() is None
    now = memory.clock.now().timestamp()
    story = Story("s1", task="Raise the retry limit of the tokens", at=now).on("main")
    story.plan("Write it", "Test it", done=1).edit("src/shop/auth/tokens.py").interrupted()
    learn(memory, story)
    state = memory.opened.work_state()
    assert state is not None
    assert state.type is MemoryType.WORK_STATE
    repository.git("checkout", "-qb", "feature")
    assert memory.opened.work_state() is None
