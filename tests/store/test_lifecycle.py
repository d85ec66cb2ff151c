import pytest

import holloway
from holloway.config import GRACE_DAYS, PRUNE_AFTER_HALF_LIVES
from holloway.domain import confidence
from holloway.domain.memory import Draft, Memory, MemoryType, Source, State
from holloway.domain.ports import format_stamp
from holloway.service import agents
from holloway.service.session_learning import Learning
from holloway.store import candidates, lifecycle, lookup
from holloway.store.write_gate import sanitize_draft
from holloway.testing import FakeClock
from tests.observer.story import Story
from tests.store.test_memories import taught


def shown(memory: holloway.Holloway, made: Memory, times: int) -> Memory:
    connection = memory.store.database.connection
    for number in range(times):
        lookup.claim_injections(
            connection,
            [made.id],
            session=f"s{number}",
            agent="x",
            point="tool_result",
            now=format_stamp(memory.clock.now()),
        )
    lifecycle.update_last_used(memory.store.database)
    return memory.get(made.id)


def faded_after(memory_type: MemoryType) -> float:
    days = confidence.HALF_LIFE_DAYS[memory_type]
    assert days is not None
    return days * PRUNE_AFTER_HALF_LIVES


@pytest.mark.promise("fades")
def test_what_nobody_used_for_three_half_lives_is_set_aside(memory: holloway.Holloway, clock: FakeClock) -> None:
    made = taught(memory, "a trap", type="gotcha")
    clock.advance(days=faded_after(MemoryType.GOTCHA) - 1)
    assert memory.prune().faded == ()
    clock.advance(days=2)
    assert memory.prune().faded == (made.id,)
    assert memory.memories() == []
    assert memory.restore(made.id).is_alive


def test_pinned_and_unfading_memories_stay(memory: holloway.Holloway, clock: FakeClock) -> None:
    taught(memory, "a trap", type="gotcha", pin=True)
    taught(memory, "a choice", type="decision")
    clock.advance(days=5_000)
    assert memory.prune().faded == ()
    assert len(memory.memories()) == 2


@pytest.mark.promise("fades")
def test_a_confirmed_memory_that_only_faded_is_never_removed(memory: holloway.Holloway, clock: FakeClock) -> None:
    made = taught(memory, "a trap", type="gotcha")
    clock.advance(days=1_000)
    memory.prune()
    clock.advance(days=1_000)
    assert memory.prune().removed == ()
    assert memory.restore(made.id).is_alive


def test_nor_is_one_that_went_out_of_date_since(memory: holloway.Holloway, clock: FakeClock) -> None:
    made = taught(memory, "tokens live an hour", type="gotcha")
    memory.store.memories.update_memory(made, "stale", state=State.STALE, stale_at=made.created_at)
    clock.advance(days=181)
    assert memory.prune().faded == (made.id,)
    clock.advance(days=31)
    assert memory.prune().removed == ()


def test_an_unconfirmed_one_is_removed_after_its_grace(memory: holloway.Holloway, clock: FakeClock) -> None:
    memory.store.memories.add_memory(sanitize_draft(Draft(content="perhaps", source=Source.OBSERVER_INFERRED)))
    clock.advance(days=1_000)
    (faded,) = memory.prune().faded
    clock.advance(days=GRACE_DAYS - 1)
    assert memory.prune().removed == ()
    clock.advance(days=2)
    assert memory.prune().removed == (faded,)


@pytest.mark.promise("undo")
def test_what_a_person_forgot_is_gone_after_thirty_days(memory: holloway.Holloway, clock: FakeClock) -> None:
    made = taught(memory, "a trap")
    memory.forget([made])
    clock.advance(days=GRACE_DAYS - 1)
    assert memory.prune().removed == ()
    clock.advance(days=2)
    assert memory.prune().removed == (made.id,)


@pytest.mark.promise("stays-readable")
def test_with_it_goes_what_the_session_it_came_from_tells_of_it(memory: holloway.Holloway, clock: FakeClock) -> None:
    told = Story("s1").records("The zanzibar cache must be flushed by hand before a release", "gotcha")
    (kept,) = Learning(memory.opened).learn(told.edit("README.md").green().pad()).promotion.list_in_state("promoted")
    memory.forget([memory.get(kept.memory)])
    clock.advance(days=GRACE_DAYS + 1)
    assert memory.prune().removed == (kept.memory,)
    (row,) = (
        each for each in candidates.list_session_candidates(memory.store.database, "s1") if each.memory == kept.memory
    )
    assert (row.state, row.draft) == ("promoted", {})


def test_what_was_replaced_stays_readable_for_ever(memory: holloway.Holloway, clock: FakeClock) -> None:
    made = taught(memory, "old words", type="gotcha")
    memory.wrong(made.id, "outdated", instead="new words")
    clock.advance(days=5_000)
    memory.prune()
    assert memory.get(made.id).content == "old words"


def perhaps(memory: holloway.Holloway, source: Source = Source.AGENT_EXPLICIT) -> Memory:
    """Something that may be right, about a file."""
    memory.store.memories.add_memory(
        sanitize_draft(Draft(content="perhaps", type=MemoryType.GOTCHA, files=("a.py",), source=source))
    )
    (made,) = memory.memories()
    return made


def used(memory: holloway.Holloway, made: Memory, times: int, *, read: str = "a.py") -> Memory:
    """Sessions are shown a memory and read a file then."""
    for number in range(times):
        shown(memory, made, number + 1)
        at = memory.clock.now().timestamp()
        Learning(memory.opened).learn(Story(f"s{number}", at=at).read(read).pad())
    return memory.get(made.id)


def test_each_showing_makes_a_memory_fresh_and_is_no_use_by_itself(memory: holloway.Holloway, clock: FakeClock) -> None:
    made = taught(memory, "a trap")
    clock.advance(days=30)
    fresh = shown(memory, made, 2)
    assert (fresh.use_count, fresh.last_used_at) == (0, format_stamp(clock.now()))
    assert memory.times_shown(made.id) == 2


def test_five_uses_make_it_a_little_surer_but_only_once(memory: holloway.Holloway) -> None:
    made = perhaps(memory)
    before = used(memory, made, confidence.USED_OFTEN_AFTER - 1)
    assert before.use_count == confidence.USED_OFTEN_AFTER - 1
    assert before.confidence == pytest.approx(0.75)
    assert used(memory, made, confidence.USED_OFTEN_AFTER).confidence == pytest.approx(0.75 + confidence.USED_OFTEN)
    after = used(memory, made, 12)
    assert after.use_count == 12
    assert after.confidence == pytest.approx(0.75 + confidence.USED_OFTEN)


def test_a_trap_that_comes_with_its_file_is_not_used_by_that(memory: holloway.Holloway) -> None:
    made = taught(memory, "refresh() burns the token", files=["README.md"])
    with memory.session("s1") as session:
        assert made.id in session.used("Read", {"file_path": "README.md"}, "# shop")
        session.finish("success")
    assert (memory.times_shown(made.id), memory.get(made.id).use_count) == (1, 0)


def test_being_shown_and_left_alone_makes_nothing_surer(memory: holloway.Holloway) -> None:
    left = used(memory, perhaps(memory), 12, read="elsewhere.py")
    assert left.use_count == 0
    assert left.confidence == pytest.approx(0.75)


def test_what_was_corrected_is_not_made_surer_by_use(memory: holloway.Holloway) -> None:
    made = perhaps(memory)
    disputed, _ = agents.dispute(memory, made.id, "outdated")
    after = used(memory, made, 12)
    assert (after.use_count, after.confidence) == (12, disputed.confidence)


def test_what_a_person_put_into_other_words_is_not_made_surer_by_use(memory: holloway.Holloway) -> None:
    made = perhaps(memory)
    edited, _ = memory.edit(made.id, content="for certain")
    after = used(memory, made, 12)
    assert (after.use_count, after.confidence) == (12, edited.confidence)


def test_a_session_that_is_learned_from_in_parts_is_one_use(memory: holloway.Holloway) -> None:
    made = perhaps(memory)
    shown(memory, made, 1)
    story = Story("s0", at=memory.clock.now().timestamp()).read("a.py")
    Learning(memory.opened).learn(story.pad(), part=True)
    Learning(memory.opened).learn(story.edit("a.py").green().pad())
    assert memory.get(made.id).use_count == 1
    assert agents.mark_used(memory, made.id, "s0")
    assert memory.get(made.id).use_count == 1


@pytest.mark.promise("quarantine")
def test_neither_being_shown_nor_used_makes_a_quarantined_memory_surer(memory: holloway.Holloway) -> None:
    after = used(memory, perhaps(memory, Source.FOREIGN_FILE), 12)
    assert (after.use_count, after.confidence, after.state) == (12, 0.60, State.QUARANTINED)
