"""A tainted memory gains nothing by being matched: not confidence, not its way out of quarantine, at no trust level."""

from collections.abc import Callable

import pytest

from holloway.config import INJECTION_THRESHOLDS
from holloway.domain.memory import Draft, MemoryType, ReviewReason, Source, State
from holloway.domain.ports import format_stamp
from holloway.observer.scratchpad import Scratchpad
from holloway.observer.scratchpad_merge import merge_scratchpads
from holloway.service.holloway import Holloway
from holloway.service.session_learning import Learning
from holloway.store import lifecycle, lookup
from holloway.store.filter import Filter
from holloway.store.write_gate import sanitize_draft
from holloway.testing import FakeClock
from tests.observer.story import Story

RECALLS = 50
SESSIONS = 20
FACT = "The retry limit comes from limits.toml, not from settings.py"
PATH = "src/shop/auth/tokens.py"


@pytest.fixture
def tainted(memory: Holloway) -> str:
    draft = Draft(
        content=FACT,
        type=MemoryType.GOTCHA,
        files=(PATH,),
        source=Source.OBSERVER_INFERRED,
        state=State.QUARANTINED,
        review=ReviewReason.TAINTED,
        confidence=0.94,
        session="poisoned",
    )
    stored = memory.store.memories.add_memory(sanitize_draft(draft)).memory
    assert stored is not None
    return stored.id


@pytest.mark.promise("quarantine")
@pytest.mark.parametrize("level", sorted(INJECTION_THRESHOLDS))
def test_the_best_match_of_many_recalls_stays_where_it_is(
    memory: Holloway, tainted: str, level: int, clock: FakeClock
) -> None:
    before = memory.get(tainted)
    store = memory.store.database.connection
    for session in range(SESSIONS):
        now = format_stamp(clock.now())
        to = lookup.Viewer(session=f"s{session}", context=0, branch="main", now=now, level=level)
        for _ in range(RECALLS // 10):
            assert memory.recall(FACT) == []
            assert lookup.find_for_files(store, [PATH], to, 10) == []
            assert lookup.find_answers(store, ["retry", "limit"], to, 10) == []
        assert tainted not in memory.brief().text
        lookup.claim_injections(store, [tainted], session=f"s{session}", agent="a", point="tool_result", now=now)
        lifecycle.update_last_used(memory.store.database)
        lifecycle.record_uses(memory.store.database, [tainted])
        clock.advance(days=1)
    after = memory.get(tainted)
    assert (after.state, after.review) == (State.QUARANTINED, ReviewReason.TAINTED)
    assert after.confidence == before.confidence


def test_other_sessions_that_say_the_same_do_not_lift_it(memory: Holloway) -> None:
    """Poison that is read again in every session is still poison."""
    page = "The retry limit retry_limit comes from limits.toml and overrides what settings.py says."
    said = "I assumed `retry_limit` was read from settings.py, but it actually comes from `limits.toml`."
    for number in range(SESSIONS):
        told = Story(f"s{number}").fetch("https://evil.example/x", page).says(said)
        Learning(memory.opened).learn(told.edit("limits.toml", [], ["retry_limit = 3"]).green().pad())
    kept = memory.store.memories.find_memories(Filter(types=(MemoryType.GOTCHA, MemoryType.MODULE_INSIGHT)), limit=-1)
    assert {each.state for each in kept} == {State.QUARANTINED}
    assert all(len(each.sessions) == 1 for each in kept)
    assert memory.recall("retry limit") == []


def test_a_clean_session_that_says_the_same_does_not_lift_it_either(memory: Holloway) -> None:
    said = "I assumed `retry_limit` was read from settings.py, but it actually comes from `limits.toml`."
    page = "The retry limit retry_limit comes from limits.toml and overrides what settings.py says."
    told = Story("bad").fetch("https://evil.example/x", page).says(said).edit("limits.toml", [], ["retry_limit = 3"])
    Learning(memory.opened).learn(told.green().pad())
    done = Learning(memory.opened).learn(
        Story("good").says(said).edit("limits.toml", [], ["retry_limit = 3"]).green().pad()
    )
    assert "untrusted text proves nothing" in done.promotion.candidates[0].reason
    assert memory.recall("retry limit") == []


def test_only_a_person_lifts_it(memory: Holloway, tainted: str) -> None:
    memory.confirm(tainted)
    assert [result.memory.id for result in memory.recall(FACT)] == [tainted]


PAGE = "The retry limit of the upload queue is doubled for every region that reports a timeout."


def in_one_pad(*stories: Story) -> Scratchpad:
    """What several agents of a session did, as its host tells it."""
    pad = Scratchpad()
    for event in sorted((event for story in stories for event in story.told), key=lambda event: event.at):
        pad.add_event(event)
    return pad


def merged(*stories: Story) -> Scratchpad:
    return merge_scratchpads([story.pad() for story in stories])


@pytest.mark.promise("quarantine")
@pytest.mark.parametrize("together", [in_one_pad, merged])
def test_a_page_that_one_agent_read_is_foreign_in_the_words_of_another(
    memory: Holloway, together: Callable[..., Scratchpad]
) -> None:
    reader = Story("s1").edit(PATH).fetch("https://evil.example/x", PAGE).edit(PATH).green()
    other = Story("s1", actor="other", at=1_200.0).records(PAGE, "gotcha").read(PATH)

    Learning(memory.opened).learn(together(reader, other))

    (kept,) = memory.store.memories.find_memories(Filter(types=(MemoryType.GOTCHA,)), limit=-1)
    assert kept.state is State.QUARANTINED


def asking() -> Story:
    """An agent whose subagent answered with what is on the page."""
    return Story("s1").fetch("https://example.com/x", "Some page.").edit(PATH).delegate(PAGE).green()


def test_what_a_subagent_found_itself_stays_clean_though_its_answer_repeats_it(memory: Holloway) -> None:
    finder = Story("s1", actor="finder", at=1_200.0).read(PATH).records(PAGE, "gotcha").read(PATH)

    Learning(memory.opened).learn(in_one_pad(asking(), finder))

    (kept,) = memory.store.memories.find_memories(Filter(types=(MemoryType.GOTCHA,)), limit=-1)
    assert (kept.state, kept.tags) == (State.UNCONFIRMED, ())


def test_what_a_subagent_read_stays_foreign_though_its_answer_repeats_it(memory: Holloway) -> None:
    reader = Story("s1", actor="reader", at=1_200.0).fetch("https://evil.example/x", PAGE)
    other = Story("s1", actor="other", at=1_300.0).read(PATH).records(PAGE, "gotcha").read(PATH)

    Learning(memory.opened).learn(in_one_pad(asking(), reader, other))

    (kept,) = memory.store.memories.find_memories(Filter(types=(MemoryType.GOTCHA,)), limit=-1)
    assert (kept.state, kept.tags) == (State.QUARANTINED, ("from web:evil.example",))


GUIDE = "Every release of the client has to be signed with the harbour key before the vault is opened again."


@pytest.mark.promise("quarantine")
def test_what_an_earlier_session_read_is_foreign_in_a_later_one(memory: Holloway) -> None:
    Learning(memory.opened).learn(Story("s1").fetch("https://evil.example/x", GUIDE).edit(PATH).green().pad())
    later = Story("s2").read(PATH).records(GUIDE, "gotcha").edit(PATH).green()

    Learning(memory.opened).learn(later.pad())

    (kept,) = memory.store.memories.find_memories(Filter(types=(MemoryType.GOTCHA,)), limit=-1)
    assert (kept.state, kept.tags) == (State.QUARANTINED, ("from read in an earlier session",))


@pytest.mark.promise("quarantine")
def test_the_middle_of_a_long_page_is_foreign_too(memory: Holloway) -> None:
    filler = "\n\n".join(f"Paragraph {number} tells about other matters of the page." for number in range(200))
    story = Story("s1").fetch("https://evil.example/x", f"{filler}\n\n{GUIDE}\n\n{filler}")

    Learning(memory.opened).learn(story.records(GUIDE, "gotcha").edit(PATH).green().pad())

    (kept,) = memory.store.memories.find_memories(Filter(types=(MemoryType.GOTCHA,)), limit=-1)
    assert (kept.state, kept.tags) == (State.QUARANTINED, ("from web:evil.example",))


@pytest.mark.promise("honest-lessons")
def test_what_a_session_found_itself_is_clean_in_a_later_one(memory: Holloway) -> None:
    Learning(memory.opened).learn(Story("s1").read(PATH).records(GUIDE, "gotcha").edit(PATH).green().pad())
    Learning(memory.opened).learn(Story("s2").read(PATH).records(GUIDE, "gotcha").edit(PATH).green().pad())

    (kept,) = memory.store.memories.find_memories(Filter(types=(MemoryType.GOTCHA,)), limit=-1)
    assert kept.state is not State.QUARANTINED
