"""The phase of work comes from what the agent does, at each point where memories are chosen."""

import pytest

from holloway.capture.event_subject import find_subject
from holloway.injection import step, tool_result
from holloway.injection.session_state import new_state
from holloway.injection.work_phase import infer_from_step, infer_from_subject
from holloway.service.holloway import Holloway
from holloway.service.session_context import SessionReader
from tests.store.test_memories import taught

TOKENS = "src/shop/auth/tokens.py"
EDIT: dict[str, object] = {
    "tool_name": "Edit",
    "tool_input": {"file_path": TOKENS, "old_string": "a", "new_string": "b"},
}
READ: dict[str, object] = {"tool_name": "Read", "tool_input": {"file_path": TOKENS}}
RUN: dict[str, object] = {"tool_name": "Bash", "tool_input": {"command": "pytest -q"}, "tool_response": "3 passed"}
FAILED: dict[str, object] = {
    "tool_name": "Bash",
    "tool_input": {"command": "pytest -q"},
    "tool_response": "E   ValueError: no\n1 failed",
}


@pytest.mark.parametrize(("call", "phase"), [(EDIT, "implement"), (READ, ""), (FAILED, "refine"), (RUN, "")])
def test_a_tool_result_shows_its_phase(call: dict[str, object], phase: str) -> None:
    assert infer_from_subject(find_subject(call, "/srv/shop")) == phase


@pytest.mark.parametrize(
    ("has_edits", "has_commands", "phase"),
    [(False, False, "explore"), (True, False, "implement"), (True, True, "implement"), (False, True, "")],
)
def test_a_step_shows_its_phase(has_edits: bool, has_commands: bool, phase: str) -> None:
    assert infer_from_step(has_edits=has_edits, has_commands=has_commands) == phase


@pytest.fixture
def reader(memory: Holloway) -> SessionReader:
    for kind in ("gotcha", "decision"):
        taught(memory, f"the {kind} about refreshing tokens", type=kind, files=[TOKENS])
    return SessionReader(memory.opened, "s1", "claude-code")


@pytest.mark.parametrize(
    ("call", "named", "first"),
    [(EDIT, "", "gotcha"), (READ, "", "decision"), (EDIT, "explore", "decision")],
)
def test_a_tool_result_brings_what_its_phase_needs_first(
    reader: SessionReader, memory: Holloway, call: dict[str, object], named: str, first: str
) -> None:
    reader.phase = named
    text = tool_result.inject(reader, find_subject(call, str(memory.project.root)))
    assert min(("gotcha", "decision"), key=lambda kind: text.index(f"the {kind} about")) == first


def test_a_step_that_edits_brings_gotchas_first(reader: SessionReader, memory: Holloway) -> None:
    activity = step.StepActivity(str(memory.project.root))
    activity.add_call(EDIT)
    state = new_state({"step": 10})
    text = step.inject(reader, state, activity)
    assert text.index("the gotcha about") < (text + "the decision about").index("the decision about")
