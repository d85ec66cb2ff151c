import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from holloway.capture import droid, json_lines, session_files
from holloway.domain.event import (
    Call,
    Delivered,
    Event,
    Interrupted,
    Plan,
    Prompt,
    Result,
    Said,
    Started,
    Summarized,
    ToolKind,
)
from holloway.observer.scratchpad import Scratchpad
from tests.conftest import Repository

SESSION = "9f6a8000-aaaa-4bbb-8ccc-0123456789ab"
START = 1772359200.0


class Writer:
    """Writes a session as Droid does, a message a second."""

    def __init__(self, root: Path, session: str = SESSION, **header: object) -> None:
        self.session = session
        self.rows: list[dict[str, object]] = [
            {"type": "session_start", "id": session, "title": "Go", "version": 2, "cwd": str(root), **header}
        ]
        self.root = root

    def row(self, kind: str, **fields: object) -> None:
        number = len(self.rows) - 1
        stamp = f"2026-03-01T10:00:{number:02d}.000Z"
        self.rows.append({"type": kind, "id": f"{self.session}-{number}", "timestamp": stamp, **fields})

    def message(self, role: str, *blocks: object, **fields: object) -> None:
        self.row("message", message={"role": role, "content": list(blocks), **fields})

    def user(self, text: str, **fields: object) -> None:
        self.message("user", {"type": "text", "text": text}, **fields)

    def uses(self, tool: str, output: str, *, is_error: bool = False, **arguments: object) -> None:
        call_id = f"call_{len(self.rows)}"
        self.message("assistant", {"type": "tool_use", "id": call_id, "name": tool, "input": arguments})
        result = {"type": "tool_result", "tool_use_id": call_id, "is_error": is_error, "content": output}
        self.message("user", result)

    def write(self, folder: Path) -> Path:
        path = folder / f"{self.session}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(json.dumps(row) + "\n" for row in self.rows), "utf-8")
        return path

    def events(self, tmp_path: Path) -> list[Event]:
        return list(droid.read_session(self.write(tmp_path / "sessions"), self.root))


@pytest.fixture
def writer(tmp_path: Path) -> Writer:
    return Writer(tmp_path / "project")


def prompts(events: list[Event]) -> list[str]:
    return [event.text for event in events if isinstance(event, Prompt)]


def test_a_session_is_told_in_its_order(writer: Writer, tmp_path: Path) -> None:
    writer.user("Fix the tokens")
    writer.message("assistant", {"type": "thinking", "thinking": "They expire."}, {"type": "text", "text": "I look."})
    output = "Error: Command failed (exit code: 2)\nboom\n\n\n[Process exited with code 2]"
    writer.uses("Execute", output, is_error=True, command="make")
    writer.row("agent_turn_outcome", reason="completed")
    assert writer.events(tmp_path) == [
        Started(START, SESSION, "droid"),
        Prompt(START, "Fix the tokens"),
        Said(START + 1, "They expire.", thinking=True),
        Said(START + 1, "I look."),
        Call(START + 2, "call_3", ToolKind.SHELL, "Execute", command="make"),
        Result(START + 3, "call_3", False, "boom"),
    ]


@pytest.mark.parametrize(
    ("tool", "output", "is_error", "ok", "text"),
    [
        ("Execute", "fine\n\n\n[Process exited with code 0]", False, True, "fine"),
        ("Execute", "bad\n\n\n[Process exited with code 1]", False, False, "bad"),
        (
            "Execute",
            "[Process exited with code 1]\nsaid a log",
            False,
            True,
            "[Process exited with code 1]\nsaid a log",
        ),
        ("Read", "x\n[Process exited with code 1]", False, True, "x\n[Process exited with code 1]"),
        ("Read", "no such file", True, False, "no such file"),
    ],
)
def test_the_outcome_of_a_call(
    writer: Writer, tmp_path: Path, tool: str, output: str, is_error: bool, ok: bool, text: str
) -> None:
    writer.uses(tool, output, is_error=is_error)
    (result,) = (event for event in writer.events(tmp_path) if isinstance(event, Result))
    assert (result.ok, result.text) == (ok, text)


def test_an_edit_is_told_with_its_lines(writer: Writer, tmp_path: Path) -> None:
    writer.uses("Edit", "{}", file_path="a.py", old_str="x", new_str="y")
    (call,) = (event for event in writer.events(tmp_path) if isinstance(event, Call))
    assert (call.kind, call.path, call.removed, call.added) == (ToolKind.EDIT, "a.py", ("x",), ("y",))


def test_only_what_the_person_typed_is_a_prompt(writer: Writer, tmp_path: Path) -> None:
    writer.user("<system-reminder>rules</system-reminder>Go")
    writer.user("the setting", visibility="llm_only")
    writer.user("the notice of a hook", visibility="user_only")
    writer.message("system", {"type": "text", "text": "a notice"})
    writer.user("Request interrupted by user")
    writer.user("Plan it", interactionMode="spec")
    writer.user("More", interactionMode="spec")
    events = writer.events(tmp_path)
    assert prompts(events) == ["Go", "Plan it", "More"]
    assert [event.text for event in events if isinstance(event, Delivered)] == ["rules", "the setting"]
    assert sum(isinstance(event, Interrupted) for event in events) == 1
    assert [event.mode for event in events if isinstance(event, Plan)] == [True]


def test_the_summary_of_a_compaction_is_told(writer: Writer, tmp_path: Path) -> None:
    writer.row("compaction_state", summaryText="The cache is per thread.")
    writer.row("compaction_state")
    events = writer.events(tmp_path)
    assert [event.text for event in events if isinstance(event, Summarized)] == ["The cache is per thread."]


def test_messages_that_a_fork_repeats_count_in_its_parent(writer: Writer, tmp_path: Path) -> None:
    writer.user("Go")
    fork = Writer(writer.root, "f0", parent=SESSION)
    fork.rows += writer.rows[1:]
    fork.user("Another way")
    assert prompts(fork.events(tmp_path)) == ["Go", "Another way"], "its parent no longer exists"
    writer.write(tmp_path / "sessions")
    assert prompts(fork.events(tmp_path)) == ["Another way"]
    own_parent = Writer(writer.root, "o0", parent="o0")
    own_parent.user("Go")
    assert prompts(own_parent.events(tmp_path)) == ["Go"]


@pytest.mark.promise("past-sessions")
def test_sessions_of_a_project_are_found_with_those_of_their_subagents(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("FACTORY_HOME_OVERRIDE", raising=False)
    person, root = tmp_path / "person", repository.root
    folder = person / ".factory" / "sessions"
    writer, child = Writer(root), Writer(root, "child", callingSessionId=SESSION)
    other = Writer(tmp_path / "elsewhere", "other")
    for written in (writer, child, other):
        written.user("Go")
        written.message("assistant", {"type": "text", "text": f"Done {written.session}"})
    path, part = writer.write(folder / "-project"), child.write(folder / "-project")
    other.write(folder / "-elsewhere")
    (transcript,) = session_files.find_transcripts(root, person)
    assert (transcript.agent, transcript.session, transcript.path) == ("droid", SESSION, path)
    assert transcript.parts == (part,)
    events = list(session_files.read_events(transcript, root))
    assert prompts(events) == ["Go"]
    assert [(event.text, event.actor) for event in events if isinstance(event, Said)] == [
        (f"Done {SESSION}", ""),
        ("Done child", "child"),
    ]
    assert {event.session for event in events if isinstance(event, Started)} == {SESSION}
    monkeypatch.setenv("FACTORY_HOME_OVERRIDE", str(tmp_path / "nothing"))
    assert droid.find_transcripts(person, root) == []


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=10), inner, max_size=4),
    max_leaves=10,
)
BLOCKS = st.lists(st.dictionaries(st.sampled_from("type text id name input tool_use_id content".split()), JSON))
MESSAGES = st.fixed_dictionaries(
    {"role": st.sampled_from(["user", "assistant"]) | JSON, "content": BLOCKS | JSON},
    optional={"visibility": JSON, "interactionMode": JSON},
)
ROWS = st.fixed_dictionaries(
    {"type": st.sampled_from(["session_start", "message", "compaction_state"]) | JSON},
    optional={
        **dict.fromkeys("id timestamp cwd parent callingSessionId summaryText".split(), JSON),
        "message": MESSAGES | JSON,
    },
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.lists(ROWS, max_size=5), st.binary(max_size=50))
def test_any_lines_are_read_into_events_that_a_scratchpad_takes(
    tmp_path: Path, rows: list[dict[str, object]], rest: bytes
) -> None:
    path = tmp_path / "any.jsonl"
    path.write_bytes("".join(json.dumps(row) + "\n" for row in rows).encode() + rest)
    pad = Scratchpad()
    for event in droid.read_session(path, tmp_path):
        pad.add_event(event)
        assert len(repr(event).encode()) < 20 * json_lines.TRANSCRIPT_TEXT_CHARS_MAX
