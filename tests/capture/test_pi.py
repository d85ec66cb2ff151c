import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from holloway.capture import json_lines, pi, session_files
from holloway.domain.event import (
    Call,
    Delivered,
    Event,
    Interrupted,
    Prompt,
    Result,
    Said,
    Started,
    Summarized,
    ToolKind,
    Usage,
)
from holloway.observer.scratchpad import Scratchpad
from tests.conftest import Repository

SESSION = "01a1e000-aaaa-7bbb-8ccc-0123456789ab"
START = 1772359200.0
NAME = f"2026-03-01T10-00-00-000Z_{SESSION}.jsonl"


class Writer:
    """Writes a session as pi does, an entry a second."""

    def __init__(self, root: Path, **header: object) -> None:
        stamp = "2026-03-01T10:00:00.000Z"
        self.rows: list[dict[str, object]] = [
            {"type": "session", "version": 3, "id": SESSION, "timestamp": stamp, "cwd": str(root), **header}
        ]
        self.root = root

    def row(self, kind: str, **fields: object) -> None:
        number = len(self.rows)
        stamp = f"2026-03-01T10:00:{number:02d}.000Z"
        self.rows.append({"type": kind, "id": f"e{number}", "timestamp": stamp, **fields})

    def message(self, role: str, content: object = "", **fields: object) -> None:
        self.row("message", message={"role": role, "content": content, **fields})

    def uses(self, tool: str, output: str, *, is_error: bool = False, **arguments: object) -> None:
        call_id = f"call_{len(self.rows)}"
        self.message("assistant", [{"type": "toolCall", "id": call_id, "name": tool, "arguments": arguments}])
        blocks = [{"type": "text", "text": output}]
        self.message("toolResult", blocks, toolCallId=call_id, toolName=tool, isError=is_error)

    def write(self, path: Path) -> Path:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(json.dumps(row) + "\n" for row in self.rows), "utf-8")
        return path

    def events(self, tmp_path: Path) -> list[Event]:
        return list(pi.read_session(self.write(tmp_path / NAME), self.root))


@pytest.fixture
def writer(tmp_path: Path) -> Writer:
    return Writer(tmp_path / "project")


def prompts(events: list[Event]) -> list[str]:
    return [event.text for event in events if isinstance(event, Prompt)]


def test_a_session_is_told_in_its_order(writer: Writer, tmp_path: Path) -> None:
    writer.message("system", "You are an assistant.")
    writer.message("user", [{"type": "text", "text": "Fix the tokens"}])
    blocks = [{"type": "thinking", "thinking": "They expire."}, {"type": "text", "text": "I look."}]
    writer.message("assistant", blocks, usage={"input": 20, "output": 12, "cacheRead": 90, "cacheWrite": 10})
    writer.uses("bash", "boom\n\n\nCommand exited with code 2", is_error=True, command="make")
    assert writer.events(tmp_path) == [
        Started(START, SESSION, "pi"),
        Prompt(START + 2, "Fix the tokens"),
        Said(START + 3, "They expire.", thinking=True),
        Said(START + 3, "I look."),
        Usage(START + 3, 120, 12, 120),
        Call(START + 4, "call_4", ToolKind.SHELL, "bash", command="make"),
        Result(START + 5, "call_4", False, "boom"),
    ]


def test_a_result_that_only_quotes_the_hosts_line_is_read_whole(writer: Writer, tmp_path: Path) -> None:
    writer.uses("bash", "x\n\nCommand exited with code 2", command="cat log")
    (result,) = (event for event in writer.events(tmp_path) if isinstance(event, Result))
    assert (result.ok, result.text) == (True, "x\n\nCommand exited with code 2")


def test_an_edit_is_told_with_its_lines(writer: Writer, tmp_path: Path) -> None:
    writer.uses("edit", "ok", path="a.py", edits=[{"oldText": "x", "newText": "y"}, {"oldText": "p", "newText": "q"}])
    (call,) = (event for event in writer.events(tmp_path) if isinstance(event, Call))
    assert (call.kind, call.path, call.removed, call.added) == (ToolKind.EDIT, "a.py", ("x", "p"), ("y", "q"))


def test_only_what_the_person_typed_is_a_prompt(writer: Writer, tmp_path: Path) -> None:
    writer.message("user", "Go")
    writer.row("custom_message", customType="other", content="from an extension", display=False)
    writer.message("custom", [{"type": "text", "text": "from another"}], customType="other")
    writer.row("custom", customType="other", data={"text": "not for the model"})
    writer.message("bashExecution", command="ls", output="a.py", exitCode=0)
    writer.message("bashExecution", command="env", output="secret", excludeFromContext=True)
    writer.message("assistant", [], stopReason="aborted")
    events = writer.events(tmp_path)
    assert prompts(events) == ["Go"]
    assert [event.text for event in events if isinstance(event, Delivered)] == [
        "from an extension",
        "from another",
        "a.py",
    ]
    assert sum(isinstance(event, Interrupted) for event in events) == 1


def test_the_summaries_of_a_compaction_and_of_a_branch_that_was_left_are_told(writer: Writer, tmp_path: Path) -> None:
    writer.row("compaction", summary="The cache is per thread.")
    writer.row("branch_summary", summary="Redis was tried.", parentId="e1")
    writer.row("compaction")
    events = writer.events(tmp_path)
    assert [event.text for event in events if isinstance(event, Summarized)] == [
        "The cache is per thread.",
        "Redis was tried.",
    ]


def test_entries_that_a_fork_copied_count_in_its_parent(writer: Writer, tmp_path: Path) -> None:
    writer.message("user", "Go")
    parent = tmp_path / "parent_p0.jsonl"
    fork = Writer(writer.root, parentSession=str(parent))
    fork.rows += writer.rows[1:]
    fork.message("user", "Another way")
    assert prompts(fork.events(tmp_path)) == ["Go", "Another way"], "its parent no longer exists"
    writer.write(parent)
    assert prompts(fork.events(tmp_path)) == ["Another way"]


@pytest.mark.promise("past-sessions")
def test_sessions_of_a_project_are_found(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("PI_CODING_AGENT_DIR", "PI_CODING_AGENT_SESSION_DIR"):
        monkeypatch.delenv(name, raising=False)
    person, root = tmp_path / "person", repository.root
    writer = Writer(root)
    writer.message("user", "Go")
    path = writer.write(person / ".pi" / "agent" / "sessions" / "--project--" / NAME)
    Writer(tmp_path / "elsewhere").write(path.parent.parent / "--elsewhere--" / NAME)
    (transcript,) = session_files.find_transcripts(root, person)
    assert (transcript.agent, transcript.session, transcript.path) == ("pi", SESSION, path)
    assert prompts(list(session_files.read_events(transcript, root))) == ["Go"]
    assert session_files.open_transcript(path, "pi") == transcript
    monkeypatch.setenv("PI_CODING_AGENT_DIR", str(tmp_path / "nothing"))
    assert pi.find_transcripts(person, root) == []
    monkeypatch.setenv("PI_CODING_AGENT_SESSION_DIR", str(path.parent))
    assert pi.find_transcripts(person, root) == [path]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=10), inner, max_size=4),
    max_leaves=10,
)
BLOCKS = st.lists(st.dictionaries(st.sampled_from("type text thinking id name arguments".split()), JSON))
MESSAGES = st.fixed_dictionaries(
    {"role": st.sampled_from(["user", "assistant", "toolResult", "bashExecution", "custom"]), "content": BLOCKS | JSON},
    optional={"usage": JSON, "stopReason": JSON, "toolCallId": JSON, "isError": JSON, "output": JSON},
)
ROWS = st.fixed_dictionaries(
    {"type": st.sampled_from(["session", "message", "compaction", "custom_message"]) | JSON},
    optional={
        **dict.fromkeys("id timestamp cwd parentSession summary content".split(), JSON),
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
    for event in pi.read_session(path, tmp_path):
        pad.add_event(event)
        assert len(repr(event).encode()) < 20 * json_lines.TRANSCRIPT_TEXT_CHARS_MAX
