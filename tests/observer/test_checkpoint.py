import json

import pytest

from holloway.domain.event import PlanItem, QaFindings, Started, ToolKind
from holloway.domain.work import Outcome, Phase, SessionType, WorkUnit
from holloway.errors import HollowayError
from holloway.observer import checkpoint
from holloway.observer.scratchpad import Scratchpad, Subtask
from tests.observer.story import Story

STORED = (
    b'{"version":1,"start":{"at":1.0,"session":"s1","agent":"codex","branch":"main","commit":"abc","type":'
    b'"build","phase":"implement","task":"add a cart","work_unit":{"methodology":"native","path":["1","2"]'
    b',"label":"cart"},"planned_steps":7},"last_at":9.0,"step":1,"actions":[{"step":1,"at":3.0,"kind":"edi'
    b't","call":"c1","tool":"Edit","path":"a.py","pattern":"","command":"","url":"","removed":["x"],"added'
    b'":["y","z"],"outside":false,"actor":"","ok":true,"ended_at":4.0,"text":"done","files":["a.py"],"coun'
    b't":1,"changed_by_user":true,"untracked":false,"applied":["y"]}],"notes":[{"step":0,"at":2.0,"voice":'
    b'"user","text":"add a cart","actor":"","type":"","files":[]},{"step":1,"at":5.0,"voice":"record","tex'
    b't":"use cents","actor":"","type":"gotcha","files":["a.py"]}],"plan":[{"text":"write it","done":true}'
    b',{"text":"test it","done":false}],"first_plan":2,"plan_mode":false,"tokens_in":0,"tokens_out":0,"con'
    b'text_peak":0,"interrupted_at":-1,"redirected":false,"subtasks":[{"step":1,"name":"write","validated"'
    b':true}],"qa_passed":false,"qa_findings":["no test"],"qa_verdicts":[false],"ended":"exit","outcome":"'
    b'partial","events":9,"failed":0,"slow":0,"bytes":1551,"evicted":[]}'
)
"""A checkpoint as the first release wrote it."""


def test_a_checkpoint_of_the_first_release_is_read_and_written_byte_by_byte() -> None:
    pad = checkpoint.load_scratchpad(STORED)
    assert pad.start == Started(
        *(1.0, "s1", "codex", "main", "abc", SessionType.BUILD, Phase.IMPLEMENT, "add a cart"),
        work_unit=WorkUnit("native", ("1", "2"), "cart"),
        planned_steps=7,
    )
    (action,) = pad.actions
    assert (action.kind, action.added, action.applied) == (ToolKind.EDIT, ("y", "z"), ("y",))
    assert pad._calls == {"c1": action}
    assert [note.files for note in pad.notes] == [(), ("a.py",)]
    assert pad.plan == (PlanItem("write it", True), PlanItem("test it"))
    assert (pad.subtasks, pad.outcome) == ([Subtask(1, "write", True)], Outcome.PARTIAL)
    assert checkpoint.dump_scratchpad(pad) == STORED


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{}",
        b"[]",
        b'{"version": 99}',
        b'{"version": 1}',
        b"\xff\xfe",
        b'{"version":1,"start":3}',
        STORED.replace(b'"kind":"edit"', b'"kind":"fly"'),
        STORED.replace(b'"added":["y","z"]', b'"added":3'),
        STORED.replace(b'"subtasks"', b'"unknown"'),
        b"[" * 100_000,
    ],
)
def test_a_damaged_checkpoint_is_an_error_that_says_what_goes_on(data: bytes) -> None:
    with pytest.raises(HollowayError) as error:
        checkpoint.load_scratchpad(data)
    assert "journal" in error.value.hint


@pytest.mark.promise("no-secret")
def test_a_secret_in_a_line_that_the_user_changed_is_not_written_down() -> None:
    told = Story().changed("a.py", ['password = "Harbour7Quay21x"'], ['password = "Quay21xHarbour"'])
    kept = checkpoint.dump_scratchpad(told.pad())
    assert b"Quay21x" not in kept
    assert checkpoint.load_scratchpad(kept).actions[0].applied == ('password = "[REDACTED: password]"',)


def test_the_verdicts_of_all_checks_are_restored_and_missing_in_older_checkpoints() -> None:
    pad = Scratchpad()
    for passed in (False, True):
        pad.add_event(QaFindings(1.0, passed))
    saved = checkpoint.dump_scratchpad(pad)
    assert checkpoint.load_scratchpad(saved).qa_verdicts == (False, True)
    older = {name: value for name, value in json.loads(saved).items() if name != "qa_verdicts"}
    assert checkpoint.load_scratchpad(json.dumps(older).encode()).qa_verdicts == ()
