"""A session object: what it is told, how it goes on after a break, what it leaves at its end."""

import os
from pathlib import Path
from threading import get_ident
from typing import Any

import pytest

from holloway.config import STEPS_WITHOUT_WORD
from holloway.domain.event import Call, Event, Plan, PlanItem, QaFindings, Result, SubtaskDone, ToolKind
from holloway.domain.memory import MemoryType, State
from holloway.domain.work import Outcome
from holloway.errors import HollowayError, InvalidInput
from holloway.service.holloway import Holloway
from holloway.service.session import Session, checkpoint_file
from holloway.store import pause_state
from holloway.store.database import DatabaseBusy
from holloway.testing import FakeClock
from tests.service.learned import contents, corrected, solved
from tests.store.test_privacy import places_of


def test_a_session_object_learns_at_its_end(memory: Holloway) -> None:
    with Session(memory.opened, "run-1", agent="coder", task="Fix the login") as session:
        for event in solved().told[1:]:
            session.observe(event)
    assert session.learned is not None
    assert [each.state for each in session.learned.promotion.candidates] == ["promoted"]
    assert not checkpoint_file(memory.project, "run-1").exists()


@pytest.mark.parametrize("lost", ["the folder", "the file"])
def test_a_session_that_cannot_be_saved_is_learned_from_all_the_same(lost: str, memory: Holloway) -> None:
    folder = memory.project.checkpoints_folder
    if lost == "the folder":
        folder.symlink_to(memory.project.folder / "a disk that is not there")
    else:
        (folder / f"run-1.json.{os.getpid()}.{get_ident()}.new").mkdir(parents=True)
    session = Session(memory.opened, "run-1")
    for event in solved().told[1:]:
        session.observe(event)
    with pytest.raises((OSError, HollowayError)):
        session.checkpoint()
    assert [each.state for each in session.finish("success").promotion.candidates] == ["promoted"]


@pytest.mark.promise("resumes")
def test_a_session_that_was_cut_short_goes_on_where_it_was(memory: Holloway) -> None:
    told: list[Event] = solved().told[1:]
    with pytest.raises(RuntimeError), Session(memory.opened, "run-1") as session:
        _cut_short(session, told[0])
    with Session(memory.opened, "run-1") as session:
        for event in told[1:]:
            session.observe(event)
    assert session.learned is not None
    assert [each.signal.name for each in session.learned.promotion.list_in_state("promoted")] == ["error_retry"]


def _cut_short(session: Session, event: Event) -> None:
    session.observe(event)
    raise RuntimeError("power cut")


def test_a_long_build_is_learned_from_after_each_validated_subtask(memory: Holloway) -> None:
    session = Session(memory.opened, "run-1", work_unit=("spec-42",))
    for event in solved().told[1:]:
        session.observe(event)
    for number in range(5):
        assert session.subtask_done(f"part {number}", validated=True) is None
    early = session.subtask_done("part 5", validated=True)
    assert early is not None
    assert [each.signal.name for each in early.promotion.list_in_state("promoted")] == ["error_retry"]
    session.finish("success")
    assert len(contents(memory, MemoryType.ERROR_PATTERN)) == 1
    outcomes = contents(memory, MemoryType.WORK_UNIT_OUTCOME)
    assert any("spec-42" in text.casefold() or "Task" in text for text in outcomes)


def test_ten_subtasks_are_told_of_in_one_memory(memory: Holloway) -> None:
    session = Session(memory.opened, "run-1", work_unit=("spec-42",))
    for number in range(10):
        session.observe(SubtaskDone(2_000.0, f"part {number}", validated=True))
    session.finish("success")
    assert len(contents(memory, MemoryType.WORK_UNIT_OUTCOME)) == 2


def test_parallel_sessions_are_learned_from_together(memory: Holloway) -> None:
    one, two = Session(memory.opened, "one"), Session(memory.opened, "two")
    for session, story in ((one, corrected("one")), (two, corrected("two"))):
        for event in story.told[1:]:
            session.observe(event)
    one.siblings.append(two)
    done = one.finish("success")
    kept = {str(each.signal.name): memory.get(each.memory) for each in done.promotion.list_in_state("promoted")}
    assert kept["self_correction"].state is State.CONFIRMED
    assert "limits.toml" in kept["parallel_conflict"].content


@pytest.mark.promise("no-secret")
def test_whatever_a_session_is_told_its_secrets_reach_no_file(memory: Holloway, home: Path) -> None:
    token = "ghp_" + "aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zA1bC2"
    told = memory.session(agent="coder", task=f"use {token}", work_unit=("spec-1", token), way="native")
    told.observe(Plan(told.now(), (PlanItem(f"export {token}"),)))
    told.used("bash", {"command": f"curl -u x:{token} localhost"}, f"{token} refused", ok=False)
    told.used("Edit", {"file_path": "README.md", "old_string": "shop", "new_string": token}, "")
    told.observe(Call(told.now(), "c1", ToolKind.EDIT, "Edit", path="README.md", added=("shop",)))
    told.observe(Result(told.now(), "c1", True, changed_by_user=True, applied=(f"shop {token}",)))
    told.record(f"the token is {token}")
    told.subtask_done(f"log in with {token}", validated=True)
    told.observe(QaFindings(told.now(), False, (f"{token} is shown",)))
    told.checkpoint()
    assert places_of(home, token) == []
    told.finish("success")
    assert places_of(home, token) == []


@pytest.mark.promise("resumes")
def test_a_session_that_cannot_be_learned_from_now_is_learned_from_later(memory: Holloway) -> None:
    with Holloway(memory.project, memory.home, clock=memory.clock, busy_timeout_ms=20) as other:
        running = other.session("run-1")
        running.record("The cache must be flushed by hand before every release", type="gotcha")
        running.used("Edit", {"file_path": "README.md", "old_string": "shop", "new_string": "store"}, "")
        with memory.store.database.write_transaction():
            memory.store.database.execute("UPDATE meta SET value = value")
            with pytest.raises(DatabaseBusy):
                running.finish("success")
    with memory.session("run-1") as again:
        again.finish("success")
    assert "flushed by hand" in " ".join(contents(memory, MemoryType.GOTCHA))


@pytest.mark.parametrize(
    ("said", "outcome"),
    [
        ({"qa": ["the total is off by one"]}, Outcome.FAILURE),
        ({"qa": []}, Outcome.SUCCESS),
        ({"qa_passed": False}, Outcome.FAILURE),
        ({"qa": ["a typo, let through"], "qa_passed": True}, Outcome.SUCCESS),
        ({}, Outcome.PARTIAL),
    ],
)
def test_what_quality_assurance_found_says_how_a_session_ended(
    memory: Holloway, said: dict[str, Any], outcome: Outcome
) -> None:
    session = Session(memory.opened, "run-1")
    session.used("Edit", {"file_path": "README.md", "old_string": "shop", "new_string": "store"}, "")
    assert session.finish(**said).session.outcome is outcome


@pytest.mark.promise("session-record")
def test_the_record_of_a_session_has_what_its_caller_knows(memory: Holloway) -> None:
    options: dict[str, Any] = {"way": "native", "work_unit": ("login", "form"), "planned_steps": 4}
    session = Session(memory.opened, "run-1", agent="coder", **options)
    session.used("Read", {"file_path": "README.md"}, "# shop")
    session.used("Edit", {"file_path": "README.md", "old_string": "a", "new_string": "b"}, "done")
    record = session.finish(qa=["the form is not labelled"], qa_passed=False).record
    assert (record["group"], record["methodology"], record["role"]) == ("full", "native", "coder")
    assert (record["work_unit"], record["planned_steps"], record["plan_accuracy"]) == (["login", "form"], 4, 0.5)
    assert (record["qa_first_pass"], record["qa_fix_cycles"]) == (False, 0)
    assert (record["resumed"], record["steps_to_orientation"], record["prefetched"]) == (False, None, 0)


def test_a_name_that_is_no_role_of_the_methodology_is_no_role(memory: Holloway) -> None:
    record = Session(memory.opened, "run-1", agent="my-graph", way="native").finish().record
    assert (record["agent"], record["role"]) == ("my-graph", None)


@pytest.mark.promise("session-record")
def test_the_answers_to_a_session_are_counted_by_point_with_their_time(memory: Holloway) -> None:
    memory.remember("refresh() burns the token", files=["src/shop/auth/tokens.py"])
    session = Session(memory.opened, "run-1")
    assert session.used("Read", {"file_path": "src/shop/auth/tokens.py"}, "")
    assert not session.used("Read", {"file_path": "README.md"}, "")
    assert session.brief()
    record = session.finish().record
    assert record["answers"] == {"tool_result": {"full": 1, "empty": 1}, "session_start": {"full": 1}}
    assert record["answers_dropped"] == 0
    assert 0 < record["answer_ms_p50"] <= record["answer_ms_p95"]


def test_an_answer_that_the_store_could_not_give_is_counted_as_dropped(
    memory: Holloway, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = Session(memory.opened, "run-1")

    def locked(prompt: str) -> str:
        raise DatabaseBusy("The store is locked.", "Try again.")

    monkeypatch.setattr(session, "_inject_prompt", locked)
    assert session.context_for("Fix the login") == ""
    record = session.finish().record
    assert (record["answers"], record["answers_dropped"]) == ({"prompt": {"dropped": 1}}, 1)


@pytest.mark.promise("session-record")
def test_a_session_that_goes_on_after_a_break_says_how_long_it_took_to_find_its_feet(
    memory: Holloway, clock: FakeClock
) -> None:
    first = Session(memory.opened, "run-1")
    first.used("Edit", {"file_path": "README.md", "old_string": "a", "new_string": "b"}, "done")
    first.checkpoint()
    clock.advance(seconds=600)
    again = Session(memory.opened, "run-1")
    for path in ("README.md", "pyproject.toml"):
        again.used("Read", {"file_path": path}, "")
    again.used("Edit", {"file_path": "README.md", "old_string": "b", "new_string": "c"}, "done")
    record = again.finish().record
    assert (record["resumed"], record["steps_to_orientation"]) == (True, 3)


@pytest.mark.promise("session-record")
def test_a_session_that_was_told_of_open_work_is_resumed(memory: Holloway, clock: FakeClock) -> None:
    with Session(memory.opened, "run-1", task="Change the limits") as first:
        for event in corrected().told[1:]:
            first.observe(event)
        first.observe(Plan(first.now(), (PlanItem("read limits.toml", done=True), PlanItem("write the test"))))
    clock.advance(seconds=600)
    second = Session(memory.opened, "run-2")
    assert second.resume()
    second.used("Edit", {"file_path": "README.md", "old_string": "a", "new_string": "b"}, "done")
    record = second.finish().record
    assert (record["resumed"], record["steps_to_orientation"]) == (True, 1)


def test_a_session_that_saw_nothing_saves_and_learns_nothing(memory: Holloway) -> None:
    pause_state.pause_folder(memory.project.folder, "capture")
    with Session(memory.opened, "run-1", task="Fix the login") as session:
        session.record("The cache must be flushed by hand", type="gotcha")
        session.checkpoint()
        assert not checkpoint_file(memory.project, "run-1").exists()
        assert session.finish("success").promotion.candidates == ()
    assert memory.memories() == []


TOKENS = "src/shop/auth/tokens.py"
TRAP = "refresh() burns the token; call it once"


def test_what_a_prompt_points_to_is_kept_with_the_time_of_its_first_mention(memory: Holloway, clock: FakeClock) -> None:
    memory.map.update()
    session = Session(memory.opened, "run-1")
    assert session.context_for("go on") == ""
    assert session.located == {}
    asked = "The refresh of a token returns the old token of the session"
    assert TOKENS in session.context_for(asked)
    first = session.located[TOKENS]
    clock.advance(seconds=60)
    session.context_for(asked)
    assert session.located[TOKENS] == first


def test_a_tool_result_is_answered_and_only_a_use_is_noted(memory: Holloway) -> None:
    memory.remember(TRAP, files=[TOKENS])
    session = Session(memory.opened, "run-1")
    assert TRAP in session.augment("Read", {"file_path": TOKENS}, "")
    assert session.pad.actions == []
    session.compacted()
    assert TRAP in session.used("Read", {"file_path": TOKENS}, "def refresh(token): ...")
    (action,) = session.pad.actions
    assert (action.path, action.ok, action.call) == (TOKENS, True, "run-1:1")
    session.used("Bash", {"command": "make"}, ["x"], ok=False, call="own")
    assert (session.pad.actions[1].ok, session.pad.actions[1].call) == (False, "own")


def test_the_files_that_a_search_found_are_noted(memory: Holloway) -> None:
    session = Session(memory.opened, "run-1")
    session.used("Grep", {"pattern": "refresh"}, f"{TOKENS}\nREADME.md")
    (action,) = session.pad.actions
    assert (action.files, action.count) == ((TOKENS, "README.md"), 2)


def test_the_uses_of_a_step_count_for_that_step_only(memory: Holloway) -> None:
    session = Session(memory.opened, "run-1")
    for _ in range(STEPS_WITHOUT_WORD):
        assert session.before_step() == ""
    session.used("Read", {"file_path": TOKENS}, "")
    trap = memory.remember(TRAP, files=[TOKENS]).memory
    assert trap is not None
    assert session.before_step([f"known: [hw:{trap.id}]"]) == ""
    session.used("Read", {"file_path": "README.md"}, "")
    session.compacted()
    assert session.before_step() == ""
    session._activity.add_call({"tool_name": "Read", "tool_input": {"file_path": TOKENS}})
    assert TRAP in session.before_step()


def test_notes_come_back_after_a_compaction(memory: Holloway) -> None:
    session = Session(memory.opened, "run-1")
    for _ in range(STEPS_WITHOUT_WORD):
        session.before_step()
    session.record("Dates are kept as UTC")
    assert "Dates are kept as UTC" in session.before_step()
    assert session.before_step() == ""
    session.compacted()
    assert "Dates are kept as UTC" in session.before_step()


def test_a_search_is_answered_before_it_is_run_only_by_what_is_known(memory: Holloway) -> None:
    memory.remember("def refresh(token) is called by the gateway", files=[TOKENS])
    session = Session(memory.opened, "run-1")
    assert "called by the gateway" in str(session.search_first("refresh"))
    assert session.search_first("zeppelin") is None


def test_nothing_is_handed_over_while_injection_is_paused(memory: Holloway) -> None:
    memory.remember(TRAP, files=[TOKENS])
    session = Session(memory.opened, "run-1", task="Rotate the tokens")
    pause_state.pause_folder(memory.project.folder, "injection")
    assert session.step_limit(40) == 40
    assert session.prefetch(["README.md"]).files == ()
    assert session.resume() == ""
    assert session.brief() == ""
    assert session.augment("Read", {"file_path": TOKENS}, "") == ""


def test_a_store_that_cannot_be_read_costs_the_agent_nothing(memory: Holloway, monkeypatch: pytest.MonkeyPatch) -> None:
    session = Session(memory.opened, "run-1")

    def fail(*given: object, **named: object) -> None:
        raise DatabaseBusy("The store is locked.", "Try again.")

    monkeypatch.setattr(session, "_role_context", fail)
    assert session.step_limit(40) == 40
    assert session.planner_context() == session.spec_context() == session.qa_context() == ""
    assert session.recovery_context() == session.relay("planner", "coder") == session.resume() == ""
    assert session.prefetch().files == ()
    assert session.failed == 8
    assert {answer.outcome for answer in session._answers} == {"dropped"}


def test_wrong_input_is_not_taken_for_a_broken_store(memory: Holloway, monkeypatch: pytest.MonkeyPatch) -> None:
    session = Session(memory.opened, "run-1")

    def refuse(*given: object, **named: object) -> None:
        raise InvalidInput("no such role", "give another")

    monkeypatch.setattr(session, "_role_context", refuse)
    with pytest.raises(InvalidInput):
        session.planner_context()
    assert session.failed == 0


def test_answers_are_counted_up_to_a_limit(memory: Holloway, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("holloway.service.session.ANSWERS_MAX", 2)
    session = Session(memory.opened, "run-1")
    for _ in range(3):
        session.augment("Read", {"file_path": "README.md"}, "")
    assert [(answer.point, answer.outcome) for answer in session._answers] == [("tool_result", "empty")] * 2


def test_a_check_reads_what_is_required_of_the_files_that_changed(memory: Holloway) -> None:
    memory.remember("amounts are integer cents", type="requirement", files=["src/shop/billing/invoice.py"])
    session = Session(memory.opened, "run-1", task="Round it")
    assert "integer cents" not in session.qa_context()
    session.observe(Call(session.now(), "c1", ToolKind.EDIT, "Edit", path="src/shop/billing/invoice.py"))
    session.observe(Result(session.now(), "c1"))
    assert "integer cents" in session.qa_context()


def test_only_the_named_role_hands_on_its_notes(memory: Holloway) -> None:
    planner = Session(memory.opened, "plan", agent="planner", way="native")
    critic = Session(memory.opened, "check", agent="critic", way="native")
    coder = Session(memory.opened, "code", agent="coder", way="native")
    planner.record("Tokens must be rotated hourly", type="requirement")
    critic.record("Carts must be emptied nightly", type="requirement")
    coder.siblings += [planner, critic]
    handed = coder.relay("planner", "coder")
    assert "rotated hourly" in handed
    assert "emptied nightly" not in handed


def test_files_that_were_handed_over_are_counted_with_those_of_siblings(memory: Holloway) -> None:
    memory.map.update()
    one, two = Session(memory.opened, "one"), Session(memory.opened, "two")
    plan = one.prefetch([TOKENS])
    assert one._fetched == {file.path: file.tokens for file in plan.files}
    one._fetched, two._fetched = {TOKENS: 10}, {"README.md": 5}
    one.siblings.append(two)
    facts = one._before()
    assert facts.prefetched == {TOKENS: 10, "README.md": 5}
    assert (facts.resumed, facts.resumed_at) == (False, 0.0)


def test_calls_are_numbered_on_after_a_break(memory: Holloway) -> None:
    first = Session(memory.opened, "run-1")
    first.used("Read", {"file_path": "README.md"}, "")
    first.checkpoint()
    again = Session(memory.opened, "run-1")
    again.used("Read", {"file_path": TOKENS}, "")
    assert len({action.call for action in again.pad.actions}) == 2


def test_the_end_of_a_session_marks_memories_whose_files_are_missing(memory: Holloway) -> None:
    trap = memory.remember(TRAP, files=[TOKENS]).memory
    assert trap is not None
    (memory.project.root / TOKENS).unlink()
    session = Session(memory.opened, "run-1")
    session.used("Read", {"file_path": TOKENS}, "")
    session.finish("success")
    assert memory.get(trap.id).stale_at
