import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from holloway.capture import json_lines, qwen, session_files
from holloway.domain.event import Call, Delivered, Event, Prompt, Result, Said, Started, Summarized, ToolKind, Usage
from holloway.observer.scratchpad import Scratchpad
from tests.conftest import Repository

SESSION = "e475c000-aaaa-4bbb-8ccc-0123456789ab"
START = 1772359200.0


class Chat:
    """Writes a session as Qwen Code does, a line a second."""

    def __init__(self, root: Path, session: str = SESSION) -> None:
        self.rows: list[dict[str, object]] = []
        self.session = session
        self.root = root

    def row(self, kind: str, parts: list[object] | None = None, **fields: object) -> None:
        number = len(self.rows)
        message = {"message": {"parts": parts}} if parts is not None else {}
        self.rows.append(
            {
                "uuid": f"{self.session}-{number}",
                "sessionId": self.session,
                "timestamp": f"2026-03-01T10:00:{number:02d}.000Z",
                "type": kind,
                "cwd": str(self.root),
                "gitBranch": "feature",
                **message,
                **fields,
            }
        )

    def user(self, text: str, **fields: object) -> None:
        self.row("user", [{"text": text}], **fields)

    def uses(self, name: str, output: str, *, status: str = "success", display: object = "", **args: object) -> None:
        call_id = f"call_{len(self.rows)}"
        self.row("assistant", [{"functionCall": {"id": call_id, "name": name, "args": args}}])
        reply = {"error" if status == "error" else "output": output}
        self.row(
            "tool_result",
            [{"functionResponse": {"id": call_id, "name": name, "response": reply}}],
            toolCallResult={"callId": call_id, "status": status, "resultDisplay": display},
        )

    def fork(self, session: str) -> "Chat":
        """Return a session that was branched off from this one."""
        fork = Chat(self.root, session)
        for row in self.rows:
            copied_from = {"sessionId": self.session, "messageUuid": row["uuid"]}
            fork.rows.append(row | {"sessionId": session, "forkedFrom": copied_from})
        return fork

    def write(self, chats: Path) -> Path:
        path = chats / f"{self.session}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(json.dumps(row) + "\n" for row in self.rows), "utf-8")
        return path

    def events(self, tmp_path: Path) -> list[Event]:
        return list(qwen.read_session(self.write(tmp_path / "-project" / "chats"), self.root))


@pytest.fixture
def chat(tmp_path: Path) -> Chat:
    return Chat(tmp_path / "project")


def prompts(events: list[Event]) -> list[str]:
    return [event.text for event in events if isinstance(event, Prompt)]


def results(events: list[Event]) -> list[tuple[bool, str]]:
    return [(event.ok, event.text) for event in events if isinstance(event, Result)]


def test_a_session_is_told_in_its_order(chat: Chat, tmp_path: Path) -> None:
    chat.user("Fix the tokens")
    chat.row("system", subtype="ui_telemetry", systemPayload={"uiEvent": {}})
    chat.row(
        "assistant",
        [{"text": "They expire.", "thought": True}, {"text": "I look."}],
        usageMetadata={"promptTokenCount": 120, "candidatesTokenCount": 12},
    )
    display = {"type": "shell_result", "exitCode": 2, "output": "boom"}
    chat.uses("run_shell_command", "Command: make\nOutput: boom", status="error", display=display, command="make")
    assert chat.events(tmp_path) == [
        Started(START, SESSION, "qwen", "feature"),
        Prompt(START, "Fix the tokens"),
        Said(START + 2, "They expire.", thinking=True),
        Said(START + 2, "I look."),
        Usage(START + 2, 120, 12, 120),
        Call(START + 3, "call_3", ToolKind.SHELL, "run_shell_command", command="make"),
        Result(START + 4, "call_3", False, "boom"),
    ]


def test_only_what_the_person_typed_is_a_prompt(chat: Chat, tmp_path: Path) -> None:
    hook_part = {"text": "<qwen:user-prompt-submit-context>\na trap\n</qwen:user-prompt-submit-context>"}
    payload = {"displayText": "Go", "hookContext": "a trap"}
    chat.row("user", [{"text": "Go"}, hook_part], systemPayload=payload)
    chat.user("Review as follows.", systemPayload={"displayText": "/review"})
    chat.user("typed while it works", subtype="mid_turn_user_message", systemPayload={"displayText": "and tests"})
    chat.user("the tests ended", subtype="notification", provenance="system")
    chat.user("go on with the goal", subtype="goal_runtime", provenance="goal_runtime")
    events = chat.events(tmp_path)
    assert prompts(events) == ["Go", "/review", "and tests"]
    assert [(event.text, event.report) for event in events if isinstance(event, Delivered)] == [
        ("a trap", False),
        ("Review as follows.", False),
        ("typed while it works", False),
        ("the tests ended", True),
        ("go on with the goal", False),
    ]


@pytest.mark.parametrize(
    ("tool", "output", "status", "display", "ok", "text"),
    [
        ("read_file", "x = 1", "success", "", True, "x = 1"),
        ("read_file", "Output: x", "success", "", True, "Output: x"),
        ("read_file", "no such file", "error", "", False, "no such file"),
        ("edit", "the user said no", "cancelled", "", False, "the user said no"),
        ("run_shell_command", "...", "success", {"type": "shell_result", "exitCode": 1, "output": "bad"}, False, "bad"),
        ("run_shell_command", "Command: ls\nOutput: a.py\nExit Code: 0", "success", "a.py", True, "a.py"),
    ],
)
def test_the_outcome_of_a_call(
    chat: Chat, tmp_path: Path, tool: str, output: str, status: str, display: object, ok: bool, text: str
) -> None:
    chat.uses(tool, output, status=status, display=display)
    assert results(chat.events(tmp_path)) == [(ok, text)]


def test_an_edit_that_the_person_changed_is_told_as_such(chat: Chat, tmp_path: Path) -> None:
    display = {"fileDiff": "--- a\n+++ a\n@@ -1 +1 @@\n-x\n+theirs\n", "diffStat": {"user_removed_lines": 1}}
    chat.uses("edit", "ok", display=display, file_path="a.py", old_string="x", new_string="y")
    (result,) = (event for event in chat.events(tmp_path) if isinstance(event, Result))
    assert (result.changed_by_user, result.applied) == (True, ("theirs",))


def test_the_summary_of_a_compaction_is_told(chat: Chat, tmp_path: Path) -> None:
    history = [{"parts": [{"text": "Hello"}]}, {"parts": [{"text": "<state_snapshot>tabs</state_snapshot>"}]}]
    chat.row("system", subtype="chat_compression", systemPayload={"compressedHistory": history})
    chat.row("system", subtype="chat_compression", systemPayload={"info": {}})
    events = chat.events(tmp_path)
    assert [event.text for event in events if isinstance(event, Summarized)] == [
        "<state_snapshot>tabs</state_snapshot>"
    ]


def test_lines_that_a_fork_copied_count_where_they_came_from(chat: Chat, tmp_path: Path) -> None:
    chat.user("Go")
    fork = chat.fork("f0")
    fork.user("Another way")
    assert prompts(fork.events(tmp_path)) == ["Go", "Another way"], "its source no longer exists"
    chat.write(tmp_path / "-project" / "chats")
    assert prompts(fork.events(tmp_path)) == ["Another way"]


def test_the_files_of_subagents_are_read_with_the_session(chat: Chat, tmp_path: Path) -> None:
    chat.user("Go")
    part = Chat(chat.root, "agent-a1")
    part.user("You look for tokens")
    part.row("assistant", [{"text": "They are there."}], usageMetadata={"promptTokenCount": 9})
    part.write(tmp_path / "-project" / "subagents" / SESSION)
    events = chat.events(tmp_path)
    assert prompts(events) == ["Go"]
    assert [(event.text, event.actor) for event in events if isinstance(event, Said)] == [("They are there.", "a1")]
    assert [event.context for event in events if isinstance(event, Usage)] == [0]
    assert sum(isinstance(event, Started) for event in events) == 1


@pytest.mark.promise("past-sessions")
def test_sessions_of_a_project_are_found(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("QWEN_RUNTIME_DIR", "QWEN_HOME"):
        monkeypatch.delenv(name, raising=False)
    person, root = tmp_path / "person", repository.root
    folder = person / ".qwen" / "projects"
    chat, archived, other = Chat(root), Chat(root, "a0"), Chat(tmp_path / "elsewhere", "o0")
    for written in (chat, archived, other):
        written.user("Go")
    paths = [chat.write(folder / "-project" / "chats"), archived.write(folder / "-project" / "chats" / "archive")]
    other.write(folder / "-elsewhere" / "chats")
    transcripts = session_files.find_transcripts(root, person)
    assert {(transcript.agent, transcript.session, transcript.path) for transcript in transcripts} == {
        ("qwen", SESSION, paths[0]),
        ("qwen", "a0", paths[1]),
    }
    assert prompts(list(session_files.read_events(transcripts[0], root))) == ["Go"]
    assert session_files.open_transcript(paths[0], "qwen") in transcripts
    monkeypatch.setenv("QWEN_HOME", str(tmp_path / "nothing"))
    assert qwen.find_transcripts(person, root) == []


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=10), inner, max_size=4),
    max_leaves=10,
)
PARTS = st.lists(st.dictionaries(st.sampled_from(["text", "thought", "functionCall", "functionResponse"]), JSON))
FIELDS = "timestamp cwd gitBranch subtype systemPayload usageMetadata toolCallResult forkedFrom message".split()
ROWS = st.fixed_dictionaries(
    {"type": st.sampled_from(["user", "assistant", "tool_result", "system"]) | JSON},
    optional={**dict.fromkeys(FIELDS, JSON), "message": st.builds(lambda parts: {"parts": parts}, PARTS)},
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.lists(ROWS, max_size=5), st.binary(max_size=50))
def test_any_lines_are_read_into_events_that_a_scratchpad_takes(
    tmp_path: Path, rows: list[dict[str, object]], rest: bytes
) -> None:
    path = tmp_path / "any.jsonl"
    path.write_bytes("".join(json.dumps(row) + "\n" for row in rows).encode() + rest)
    pad = Scratchpad()
    for event in qwen.read_session(path, tmp_path):
        pad.add_event(event)
        assert len(repr(event).encode()) < 20 * json_lines.TRANSCRIPT_TEXT_CHARS_MAX
