"""Scratchpads of several agents become one, ordered by time, whatever their order."""

import pytest

from holloway.observer import scratchpad_merge
from holloway.observer.scratchpad import Scratchpad
from holloway.observer.scratchpad_merge import merge_scratchpads
from tests.observer.story import Story


def test_nothing_merges_into_nothing() -> None:
    assert merge_scratchpads([]) == Scratchpad()


def test_actions_are_ordered_by_time_numbered_anew_and_keep_their_agent() -> None:
    lead = Story("lead", at=1_000.0).read("a.py").edit("b.py")
    helper = Story("helper", at=1_030.0).read("c.py").edit("d.py")
    for pads in ([lead.pad(), helper.pad()], [helper.pad(), lead.pad()]):
        merged = merge_scratchpads(pads)
        assert [(action.path, action.actor) for action in merged.actions] == [
            ("a.py", "lead"),
            ("c.py", "helper"),
            ("b.py", "lead"),
            ("d.py", "helper"),
        ]
        assert [action.step for action in merged.actions] == [1, 2, 3, 4]
        assert (merged.step, merged.start) == (4, lead.pad().start)


def test_a_note_stands_after_the_earlier_actions_of_its_agent() -> None:
    lead = Story("lead", at=1_000.0).read("a.py").read("b.py").says("done with both")
    helper = Story("helper", at=900.0).says("first of all").read("c.py")
    merged = merge_scratchpads([lead.pad(), helper.pad()])
    steps = {note.text: (note.step, note.actor) for note in merged.notes}
    numbers = {action.path: action.step for action in merged.actions}
    assert steps["done with both"] == (numbers["b.py"], "lead")
    assert steps["first of all"] == (0, "helper")


def test_what_a_user_says_belongs_to_no_agent() -> None:
    merged = merge_scratchpads([Story("lead").user("Please go on").pad()])
    assert [note.actor for note in merged.notes if note.voice == "user"] == [""]


def test_counts_are_added_and_the_longest_plan_is_kept() -> None:
    lead = Story("lead").plan("one", "two", done=1).uses(100).qa("a typo", passed=False).read("a.py")
    helper = Story("helper").plan("only").uses(40).qa("a typo", "a gap", passed=True).ends()
    merged = merge_scratchpads([lead.pad(), helper.pad()])
    pads = (lead.pad(), helper.pad())
    assert [item.text for item in merged.plan] == ["one", "two"]
    assert merged.tokens_in == sum(pad.tokens_in for pad in pads)
    assert merged.context_peak == max(pad.context_peak for pad in pads) == 100
    assert merged.qa_findings == ("a typo", "a gap")
    assert merged.qa_passed is False
    assert merged.ended == helper.pad().ended
    assert merged.events == sum(pad.events for pad in pads)
    assert merged.last_at == max(pad.last_at for pad in pads)


def test_an_interruption_is_mapped_to_its_step() -> None:
    lead = Story("lead", at=1_000.0).read("a.py").read("b.py").interrupted()
    helper = Story("helper", at=900.0).read("c.py")
    merged = merge_scratchpads([lead.pad(), helper.pad()])
    assert merged.interrupted_at == 3
    assert merge_scratchpads([helper.pad()]).interrupted_at == helper.pad().interrupted_at == -1


@pytest.mark.parametrize(
    ("verdicts", "combined"),
    [([None, None], None), ([True, None], True), ([True, False], False), ([True, True], True), ([], None)],
)
def test_a_session_passed_if_every_check_that_was_made_passed(
    verdicts: list[bool | None], combined: bool | None
) -> None:
    assert scratchpad_merge._combine_verdicts(verdicts) is combined


def test_the_longest_row_of_checks_counts_and_on_a_tie_the_earliest_failure() -> None:
    pick = scratchpad_merge._pick_longest_verdicts
    assert pick([(True,), (False, True)]) == (False, True)
    assert pick([(True, False), (False, True)]) == (False, True)


@pytest.mark.parametrize(("step", "merged"), [(0, 0), (1, 4), (2, 4), (3, 6), (9, 6)])
def test_a_step_is_mapped_to_the_latest_merged_step_so_far(step: int, merged: int) -> None:
    assert scratchpad_merge._map_step(*scratchpad_merge._accumulate_steps([(1, 4), (2, 3), (3, 6)]), step) == merged
