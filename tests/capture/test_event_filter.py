import pytest

from holloway.capture import event_filter
from holloway.capture.event_filter import EventFilter
from holloway.capture.exclusions import Exclusions
from holloway.domain.event import Call, Prompt, Recorded, Result, ToolKind

EXCLUSIONS = Exclusions(["secrets/**"], ["aws *"])
READ = Call(1.0, "t1", ToolKind.READ, "Read", path="secrets/key.pem")
SHELL = Call(1.0, "t2", ToolKind.SHELL, "Bash", command="aws s3 ls")
OTHER = Call(1.0, "t3", ToolKind.READ, "Read", path="src/a.py")


def test_a_call_on_an_excluded_file_or_command_is_dropped_with_its_results() -> None:
    admit = EventFilter(EXCLUSIONS).admit
    assert [admit(call) for call in (READ, SHELL, OTHER)] == [None, None, OTHER]
    assert [admit(Result(2.0, call)) for call in ("t1", "t1#2", "t2")] == [None, None, None]
    assert admit(Result(2.0, "t3")) == Result(2.0, "t3")


def test_a_result_names_only_files_that_are_not_excluded() -> None:
    found = Result(2.0, "t3", files=("secrets/key.pem", "src/a.py"))
    assert EventFilter(EXCLUSIONS).admit(found) == Result(2.0, "t3", files=("src/a.py",))


def test_a_note_about_an_excluded_file_is_dropped() -> None:
    admit = EventFilter(EXCLUSIONS).admit
    kept = Recorded(1.0, "Dates are UTC", files=("src/a.py",))
    assert admit(Recorded(1.0, "The key is here", files=("src/a.py", "secrets/key.pem"))) is None
    assert admit(kept) is kept
    assert admit(Prompt(1.0, "read secrets/key.pem")) == Prompt(1.0, "read secrets/key.pem")


def test_without_rules_every_event_is_admitted() -> None:
    assert EventFilter(Exclusions()).admit(READ) is READ


def test_dropped_calls_are_remembered_up_to_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(event_filter, "DROPPED_CALLS_MAX", 1)
    admit = EventFilter(EXCLUSIONS).admit
    admit(READ)
    assert admit(Result(2.0, "t1")) is None
    admit(SHELL)
    assert admit(Result(2.0, "t2")) is None
    assert admit(Result(2.0, "t1")) == Result(2.0, "t1")
