"""Trust levels: what each lets through, how one is earned, and what is only offered."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest

import holloway
from holloway.config import INJECTION_THRESHOLDS, STANDING_RULE_CONFIDENCE, TRUST_NAMES
from holloway.domain.memory import Draft, MemoryType, Source, State
from holloway.domain.memory_json import parse_details
from holloway.errors import InvalidInput
from holloway.promotion.trust_level import Standing, is_fit_for_confident, is_fit_for_standard
from holloway.service.agents import dispute, mark_used
from holloway.service.holloway import Holloway
from holloway.store.session_ledger import FeedbackCounts
from holloway.store.write_gate import sanitize_draft
from holloway.testing import FakeClock
from tests.conftest import Repository

SOURCES = (Source.OBSERVER_INFERRED, Source.USER_CORRECTION, Source.ERROR_FIX, Source.USER_TAUGHT)
CONFIDENCES = (0.40, 0.45, 0.50, 0.55, 0.60, 0.65, 0.70, 0.80, 0.90)
TOKENS = "src/shop/auth/tokens.py"
Case = tuple[State, Source, float]
CASES = list(product(State, SOURCES, CONFIDENCES))


def may_show(level: int, case: Case, *, unasked: bool) -> bool:
    """The table of the trust levels, in Python."""
    state, source, confidence = case
    if state is State.QUARANTINED:
        return False
    is_rule_for_good = source is Source.USER_CORRECTION and confidence >= STANDING_RULE_CONFIDENCE
    vouched = state is State.CONFIRMED or (is_rule_for_good and state is not State.STALE)
    if unasked and level == 1 and not vouched and source not in (Source.USER_TAUGHT, Source.ERROR_FIX):
        return False
    return vouched or confidence > INJECTION_THRESHOLDS[level]


@pytest.fixture
def every_case(memory: Holloway, repository: Repository) -> dict[str, Case]:
    """A trap of each state, source and confidence, each on a file of its own; by those files."""
    made = {}
    database = memory.store.database
    for number, case in enumerate(CASES):
        path = f"src/shop/case_{number}.py"
        (repository.root / path).write_text("x = 1\n")
        draft = Draft(content=f"trap number {number}", type=MemoryType.GOTCHA, files=(path,))
        added = memory.store.memories.add_memory(sanitize_draft(draft)).memory
        assert added is not None
        with database.write_transaction():
            sql = "UPDATE memories SET state = ?, source = ?, confidence = ? WHERE id = ?"
            database.execute(sql, (*map(str, case[:2]), case[2], added.id))
        made[path] = case
    return made


@contextmanager
def at_level(memory: Holloway, level: int) -> Iterator[None]:
    memory.store.set_meta("trust_level", str(level))
    yield
    memory.store.set_meta("trust_level", "1")


@pytest.mark.promise("quarantine")
@pytest.mark.promise("trust-levels")
@pytest.mark.parametrize("level", TRUST_NAMES)
def test_a_tools_result_brings_what_the_level_allows(memory: Holloway, every_case: dict[str, Case], level: int) -> None:
    with at_level(memory, level):
        session = memory.session()
        shown = {path for path in every_case if session.augment("Read", {"file_path": path}, "x = 1")}
    assert shown == {path for path, case in every_case.items() if may_show(level, case, unasked=True)}


@pytest.mark.promise("quarantine")
@pytest.mark.promise("trust-levels")
@pytest.mark.parametrize("level", TRUST_NAMES)
def test_so_does_a_word_between_steps(memory: Holloway, every_case: dict[str, Case], level: int) -> None:
    shown = set()
    with at_level(memory, level):
        for path in every_case:
            session = memory.session(f"step {path}")
            session._state["step"] = 5
            session._activity.add_call({"tool_name": "Read", "tool_input": {"file_path": path}})
            if session.before_step():
                shown.add(path)
    assert shown == {path for path, case in every_case.items() if may_show(level, case, unasked=True)}


@pytest.mark.promise("quarantine")
@pytest.mark.promise("trust-levels")
@pytest.mark.parametrize("level", TRUST_NAMES)
def test_who_asks_is_shown_what_is_sure_enough(memory: Holloway, every_case: dict[str, Case], level: int) -> None:
    every = memory.memories(limit=-1)
    with at_level(memory, level):
        standing = {each.files[0] for each in memory.session()._role_context().keep_showable(every)}
    assert standing == {path for path, case in every_case.items() if may_show(level, case, unasked=False)}


@pytest.mark.promise("quarantine")
@pytest.mark.promise("trust-levels")
@pytest.mark.parametrize("level", TRUST_NAMES)
def test_the_brief_never_holds_what_is_quarantined_or_unconfirmed(memory: Holloway, level: int) -> None:
    for state in State:
        draft = Draft(content=f"always {state} first", type=MemoryType.DECISION)
        added = memory.store.memories.add_memory(sanitize_draft(draft)).memory
        assert added is not None
        with memory.store.database.write_transaction():
            memory.store.database.execute("UPDATE memories SET state = ? WHERE id = ?", (str(state), added.id))
    with at_level(memory, level):
        text = memory.brief().text
    assert [str(state) for state in State if f"always {state} first" in text] == ["confirmed"]


@pytest.mark.promise("trust-levels")
@pytest.mark.parametrize("level", TRUST_NAMES)
def test_a_recipes_next_step_is_said_unasked_only_where_the_level_allows(memory: Holloway, level: int) -> None:
    steps = [{"description": f"change {path}", "file": path} for path in (TOKENS, "README.md")]
    details = parse_details(MemoryType.WORKFLOW_RECIPE, {"task": "rotate the token", "steps": steps})
    draft = Draft(content="Rotating the token", type=MemoryType.WORKFLOW_RECIPE, details=details, confidence=0.82)
    assert (
        memory.store.memories.add_memory(sanitize_draft(replace(draft, source=Source.OBSERVER_INFERRED))).memory
        is not None
    )
    with at_level(memory, level):
        session = memory.session(task="rotate the token")
        said = [session.before_step() for _ in range(5)]
        session.used("Edit", {"file_path": TOKENS, "old_string": "a", "new_string": "b"}, "ok")
        said.append(session.before_step())
    assert ("step 2 of 2 comes next" in said[-1]) is (level > 1)


@pytest.mark.parametrize(
    ("counts", "fits"),
    [
        ((2, 0, 0, 0), False),
        ((3, 0, 0, 0), True),
        ((3, 8, 0, 0), True),
        ((3, 8, 3, 1), False),
        ((3, 8, 4, 1), True),
        ((2, 8, 8, 0), False),
    ],
)
def test_standard_is_earned_by_sessions_and_by_what_people_made_of_them(
    counts: tuple[int, int, int, int], fits: bool
) -> None:
    assert is_fit_for_standard(FeedbackCounts(*counts)) is fits


@pytest.mark.parametrize(
    ("counts", "fits"),
    [
        ((10, 40, 0, 1), True),
        ((9, 40, 0, 1), False),
        ((10, 20, 0, 1), False),
        ((10, 40, 9, 0), False),
        ((20, 40, 9, 0), True),
        ((20, 0, 0, 0), True),
    ],
)
def test_confident_fits_where_somebody_looks_and_corrects_little(counts: tuple[int, int, int, int], fits: bool) -> None:
    assert is_fit_for_confident(FeedbackCounts(*counts)) is fits


def worked(memory: Holloway, name: str) -> None:
    with memory.session(name) as session:
        session.brief()
        session.used("Read", {"file_path": TOKENS}, "def refresh(token): ...")


@pytest.mark.promise("trust-levels")
def test_after_three_sessions_without_a_correction_cautious_becomes_standard_and_stays(memory: Holloway) -> None:
    levels = [memory.trust.level]
    for number in range(25):
        worked(memory, f"s{number}")
        levels.append(memory.trust.level)
    assert levels == [1, 1, 1, *[2] * 23]
    found = memory.trust.standing()
    assert (found.name, found.origin, found.regard.sessions) == ("standard", "earned", 25)
    assert found.offered == 3
    assert "holloway trust confident" in found.offer


def test_a_correction_holds_it_back_until_half_of_what_was_shown_is_confirmed(memory: Holloway) -> None:
    database = memory.store.database
    ids = []
    for number in range(4):
        draft = Draft(content=f"refresh() burns {number}", type=MemoryType.GOTCHA, files=(TOKENS,), confidence=0.9)
        added = memory.store.memories.add_memory(sanitize_draft(draft)).memory
        assert added is not None
        ids.append(added.id)
        with database.write_transaction():
            database.execute(
                "UPDATE memories SET source = 'error_fix', state = 'unconfirmed' WHERE id = ?", (added.id,)
            )
    worked(memory, "first")
    memory.wrong(ids[0], "incorrect")
    for number in range(3):
        worked(memory, f"s{number}")
    assert memory.trust.standing().regard == FeedbackCounts(sessions=4, shown=4, confirmed=0, corrected=1)
    assert memory.trust.level == 1
    memory.confirm(ids[1])
    memory.confirm(ids[2])
    worked(memory, "last")
    assert memory.trust.level == 2


def test_sessions_from_before_the_memory_was_made_earn_nothing(memory: Holloway, clock: FakeClock) -> None:
    clock.advance(days=-30)
    for number in range(5):
        worked(memory, f"old{number}")
    clock.advance(days=30)
    assert memory.trust.standing().regard.sessions == 0
    assert memory.trust.level == 1


def test_a_level_that_was_chosen_is_in_force_at_once_and_stays(memory: Holloway) -> None:
    assert memory.trust.choose("Autonomous").level == 4
    for number in range(4):
        worked(memory, f"s{number}")
    assert (memory.trust.level, memory.trust.standing().origin) == (4, "project")
    assert memory.trust.choose("1").level == 1
    assert memory.trust.choose("auto").level == 2


def test_a_level_that_there_is_not_is_an_error_that_names_those_that_there_are(memory: Holloway) -> None:
    with pytest.raises(InvalidInput) as caught:
        memory.trust.choose("reckless" * 6)
    assert caught.value.message == f"There is no trust level {'reckless' * 5!r}."
    assert "2 standard" in caught.value.hint


def test_a_level_is_explained_by_who_chose_it_or_by_what_earned_it() -> None:
    origins = ((3, "project"), (1, "earned"), (2, "earned"))
    assert [Standing(level, origin, FeedbackCounts(), 0).why for level, origin in origins] == [
        "chosen (project)",
        "the first sessions are watched before more is said",
        "earned in 3 sessions or more",
    ]


@pytest.mark.promise("trust-levels")
def test_three_wrong_in_one_session_and_a_more_careful_level_is_offered_not_forced(
    memory: Holloway, clock: FakeClock
) -> None:
    memory.trust.choose("confident")
    clock.advance(hours=1)
    texts = [f"refresh() number {word} burns" for word in ("one", "two", "three")]
    ids = [made.memory.id for text in texts if (made := memory.remember(text, files=[TOKENS])).memory]
    worked(memory, "s1")
    for number, each in enumerate(ids):
        assert memory.trust.standing().offered == 0, number
        memory.wrong(each, "incorrect")
    found = memory.trust.standing()
    assert (found.level, found.offered) == (3, 2)
    assert "3 memories of one session were wrong" in found.offer
    clock.advance(hours=1)
    assert memory.trust.choose("confident").offered == 0, "who chooses the level again has answered"


def test_at_the_most_careful_level_nothing_more_careful_is_offered() -> None:
    assert Standing(1, "earned", FeedbackCounts(), flagged=5).offer == ""


def test_a_new_memory_reads_the_level_of_the_last_one(memory: Holloway, repository: Repository) -> None:
    for number in range(3):
        worked(memory, f"s{number}")
    memory.close()
    with holloway.open(Path(repository.root)) as again:
        assert again.trust.level == 2


def test_the_record_of_a_session_counts_what_was_corrected_of_what_it_was_shown(memory: Holloway) -> None:
    made = [memory.remember(f"{word} burns the token", files=[TOKENS]).memory for word in ("one", "two", "three")]
    with memory.session("s1") as session:
        session.used("Read", {"file_path": TOKENS}, "def refresh(token): ...")
        assert made[0] is not None
        assert made[1] is not None
        memory.wrong(made[0].id, "incorrect")
        dispute(memory, made[1].id, "wrong", session="s1")
    assert session.learned is not None
    assert (session.learned.record["corrected"], len(session.learned.record["shown"])) == (2, 3)
    assert session.learned.record["flagged"] == 2


def test_a_memory_that_was_rewritten_after_it_was_shown_was_not_called_wrong(memory: Holloway) -> None:
    made = memory.remember("refresh() burns the token", files=[TOKENS]).memory
    assert made is not None
    with memory.session("s1") as session:
        session.used("Read", {"file_path": TOKENS}, "def refresh(token): ...")
        memory.edit(made.id, content="refresh() burns the old token")
    assert session.learned is not None
    assert (session.learned.record["corrected"], session.learned.record["flagged"]) == (1, 0)


def test_what_the_agent_says_has_helped_was_used(memory: Holloway) -> None:
    made = memory.remember("money is integer cents", type="decision").memory
    assert made is not None
    with memory.session("s1") as session:
        session.used("Read", {"file_path": "README.md"}, "# shop")
        assert mark_used(memory, made.id, "s1")
    assert session.learned is not None
    assert session.learned.record["used"] == [made.id]


def test_nothing_more_careful_is_offered_before_anything_went_wrong(memory: Holloway) -> None:
    assert memory.trust.offer_more_careful() == ""
