"""What a hook answers is noted word for word, after the agent has it."""

import json
import subprocess
import sys

import pytest

import holloway
from holloway.hooks import entry, responses
from holloway.service import project_finder, told
from holloway.store import told_log
from tests.conftest import Repository
from tests.hooks.asking import TRAP_FILE, event, hook
from tests.hooks.test_entry import READS, STEP


def test_each_answer_is_noted_as_the_agent_read_it(
    repository: Repository, memory: holloway.Holloway, trap: str
) -> None:
    start = hook(event(repository, "SessionStart", "s1"))
    answer = hook(event(repository, "PostToolUse", "s1", tool_name="Read", tool_input={"file_path": TRAP_FILE}))
    texts = told.list_told_texts(memory).texts
    by_event = {text.event: text for text in texts}
    assert by_event["SessionStart"].text == start.context
    assert by_event["PostToolUse"].text == answer.context
    assert (by_event["PostToolUse"].point, by_event["PostToolUse"].memories) == ("tool_result", (trap,))
    assert {text.session for text in texts} == {"s1"}


def test_an_event_without_an_answer_leaves_nothing(repository: Repository, memory: holloway.Holloway) -> None:
    hook(event(repository, "PostToolUse", "s1", **READS))
    hook(event(repository, "PostToolBatch", "s1", **{key: value for key, value in STEP.items() if key == "tool_calls"}))
    assert not (memory.project.folder / told_log.TOLD_LOG_NAME).exists()


def test_a_subagent_is_named(repository: Repository, memory: holloway.Holloway, trap: str) -> None:
    hook(event(repository, "PostToolUse", "s1", tool_name="Read", tool_input={"file_path": TRAP_FILE}, agent_id="a1"))
    (text,) = told.list_told_texts(memory).texts
    assert (text.session, text.actor, text.memories) == ("s1", "a1", (trap,))


def test_nothing_is_noted_while_capture_is_paused(repository: Repository, memory: holloway.Holloway, trap: str) -> None:
    project_finder.pause(str(repository.root), "capture")
    answer = hook(event(repository, "PostToolUse", "s1", tool_name="Read", tool_input={"file_path": TRAP_FILE}))
    assert trap in answer.context
    assert told.list_told_texts(memory).texts == ()


def test_a_log_that_cannot_be_written_does_not_keep_the_worker_from_starting(
    repository: Repository, memory: holloway.Holloway, trap: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[str] = []
    monkeypatch.setattr(responses, "start_worker", lambda folder, root, name: started.append(name))
    (memory.project.folder / told_log.TOLD_LOG_NAME).mkdir()
    answer, job = entry.respond(event(repository, "SessionStart", "s1"))
    assert trap
    assert answer
    assert job is not None
    job()
    assert started == ["SessionStart"]


def test_an_answer_at_the_deadline_is_noted_too(repository: Repository, memory: holloway.Holloway, trap: str) -> None:
    data = event(repository, "SessionStart", "s1")
    code = f"from holloway.hooks import entry; entry.respond({data!r}); entry.DEADLINE.give_up('failed')"
    printed = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, timeout=60).stdout
    context = json.loads(printed)["hookSpecificOutput"]["additionalContext"]
    assert [text.text for text in told.list_told_texts(memory).texts] == [context]
    assert trap
