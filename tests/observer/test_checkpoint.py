import json

import pytest

from holloway.domain.event import QaFindings
from holloway.errors import HollowayError
from holloway.observer import checkpoint
from holloway.observer.scratchpad import Scratchpad
from tests.observer.story import Story


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
        b"[" * 100_000,
    ],
)
def test_a_damaged_checkpoint_is_an_error_that_says_what_goes_on(data: bytes) -> None:
    with pytest.raises(HollowayError) as error:
        checkpoint.load(data)
    assert "journal" in error.value.hint


@pytest.mark.promise("no-secret")
def test_a_secret_in_a_line_that_the_user_changed_is_not_written_down() -> None:
    told = Story().changed("a.py", ['password = "Harbour7Quay21x"'], ['password = "Quay21xHarbour"'])
    kept = checkpoint.dump(told.pad())
    assert b"Quay21x" not in kept
    assert checkpoint.load(kept).actions[0].applied == ('password = "[REDACTED: password]"',)


def test_the_verdicts_of_all_checks_are_restored_and_missing_in_older_checkpoints() -> None:
    pad = Scratchpad()
    for passed in (False, True):
        pad.add(QaFindings(1.0, passed))
    saved = checkpoint.dump(pad)
    assert checkpoint.load(saved).qa_verdicts == (False, True)
    older = {name: value for name, value in json.loads(saved).items() if name != "qa_verdicts"}
    assert checkpoint.load(json.dumps(older).encode()).qa_verdicts == ()
