import hashlib
import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from holloway.capture import gemini, json_lines, session_files
from holloway.domain.event import Call, Delivered, Event, Prompt, Result, Said, Started, Summarized, ToolKind, Usage
from holloway.observer.scratchpad import Scratchpad
from tests.conftest import Repository

SESSION = "5da8c000-aaaa-4bbb-8ccc-0123456789ab"
START = 1772359200.0
STAMP = "2026-03-01T10:00:{:02d}.000Z"


class Chat:
    """Writes a session as Gemini CLI does, a message a second."""

    def __init__(self, session: str = SESSION, **header: object) -> None:
        self.rows: list[dict[str, object]] = [
            {"sessionId": session, "projectHash": "0", "startTime": STAMP.format(0), "kind": "main", **header}
        ]

    def message(self, kind: str, content: object, message_id: str = "", **fields: object) -> dict[str, object]:
        number = len(self.rows)
        row = {"id": message_id or f"m{number}", "timestamp": STAMP.format(number), "type": kind, "content": content}
        self.rows.append(row | fields)
        return row | fields

    def user(self, text: str, **fields: object) -> dict[str, object]:
        return self.message("user", [{"text": text}], "", **fields)

    def call(
        self,
        name: str,
        output: str,
        *,
        status: str = "success",
        message_id: str = "",
        display: object = "",
        **args: object,
    ) -> dict[str, object]:
        reply = {"error" if status == "error" else "output": output}
        call = {
            "id": "call-1",
            "name": name,
            "args": args,
            "status": status,
            "timestamp": STAMP.format(len(self.rows)),
            "result": [{"functionResponse": {"id": "call-1", "name": name, "response": reply}}],
            "resultDisplay": display,
        }
        return self.message("gemini", "", message_id, toolCalls=[call])

    def write(self, path: Path) -> Path:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(json.dumps(row) + "\n" for row in self.rows), "utf-8")
        return path

    def events(self, tmp_path: Path) -> list[Event]:
        path = self.write(tmp_path / "shop" / "chats" / "session-2026-03-01T10-00-5da8c000.jsonl")
        return list(gemini.read_session(path, tmp_path / "project"))


@pytest.fixture
def chat() -> Chat:
    return Chat()


def prompts(events: list[Event]) -> list[str]:
    return [event.text for event in events if isinstance(event, Prompt)]


def results(events: list[Event]) -> list[tuple[bool, str]]:
    return [(event.ok, event.text) for event in events if isinstance(event, Result)]


def delivered(events: list[Event]) -> list[str]:
    return [event.text for event in events if isinstance(event, Delivered)]


def report(output: str, status: int = 0) -> str:
    code = f"Exit Code: {status}\n" if status else ""
    return f"<untrusted_context>\nOutput: {output}\n{code}Process Group PGID: 7\n</untrusted_context>"


def test_a_session_is_told_in_its_order(chat: Chat, tmp_path: Path) -> None:
    chat.user("Fix the tokens")
    thoughts = [{"subject": "Tokens", "description": "They expire.", "timestamp": STAMP.format(1)}]
    tokens = {"input": 120, "output": 12, "thoughts": 3, "cached": 100}
    chat.message("gemini", "I look.", "m2", thoughts=thoughts, tokens=tokens)
    chat.rows.append({"$set": {"lastUpdated": STAMP.format(3)}})
    with_call = chat.call("run_shell_command", report("boom", 2), message_id="m2", command="make")
    with_call |= {"content": "I look.", "timestamp": STAMP.format(2), "tokens": tokens, "thoughts": thoughts}
    chat.rows[-1] = with_call
    assert chat.events(tmp_path) == [
        Started(START, SESSION, "gemini"),
        Prompt(START + 1, "Fix the tokens"),
        Said(START + 2, "They expire.", thinking=True),
        Said(START + 2, "I look."),
        Usage(START + 2, 120, 15, 120),
        Call(START + 2, "m2/call-1", ToolKind.SHELL, "run_shell_command", command="make"),
        Result(START + 4, "m2/call-1", False, "boom"),
    ]


def test_a_message_that_is_written_again_counts_once(chat: Chat, tmp_path: Path) -> None:
    first = chat.user("Go")
    called = chat.call("read_file", "x = 1", file_path="a.py")
    chat.rows += [called, called, first]
    chat.rows.append({"$set": {"messages": [first, called]}})
    events = chat.events(tmp_path)
    assert prompts(events) == ["Go"]
    assert [event.path for event in events if isinstance(event, Call)] == ["a.py"]
    assert results(events) == [(True, "x = 1")]
    assert [event.at for event in events] == sorted(event.at for event in events)


def test_a_call_that_is_added_to_an_earlier_message_is_told_when_it_was_written(chat: Chat, tmp_path: Path) -> None:
    said = chat.message("gemini", "I look.", "m1")
    chat.user("Go on")
    call = {"id": "call-1", "name": "read_file", "args": {"file_path": "a.py"}}
    chat.rows.append(said | {"toolCalls": [call]})
    times = [event.at for event in chat.events(tmp_path)]
    assert times == sorted(times)
    assert times[-1] == START + 2


def test_only_what_the_person_typed_is_a_prompt(chat: Chat, tmp_path: Path) -> None:
    setting = {"id": "s", "timestamp": STAMP.format(0), "type": "user", "content": [{"text": "<session_context>linux"}]}
    chat.rows.append({"$set": {"messages": [setting]}})
    chat.user("<hook_context>a trap</hook_context>\n\nFix it")
    chat.user("/memory show")
    chat.user("? help")
    chat.user("Review the code as follows.", displayContent=[{"text": "Review"}])
    chat.message("user", [{"functionResponse": {"id": "c", "response": {"output": "x"}}}])
    chat.message("info", "Request cancelled.")
    events = chat.events(tmp_path)
    assert prompts(events) == ["Fix it", "Review"]
    assert delivered(events) == ["<session_context>linux", "a trap", "Review the code as follows."]


def test_the_summary_of_a_compaction_is_told(chat: Chat, tmp_path: Path) -> None:
    first = chat.user("Go")
    summary = {"id": "new", "type": "user", "content": [{"text": "<state_snapshot>tabs</state_snapshot>"}]}
    answer = {"id": "new2", "type": "gemini", "content": [{"text": "Got it."}]}
    chat.rows.append({"$set": {"messages": [summary, answer, first]}})
    events = chat.events(tmp_path)
    assert [event.text for event in events if isinstance(event, Summarized)] == [
        "<state_snapshot>tabs</state_snapshot>"
    ]
    assert prompts(events) == ["Go"]
    assert not [event for event in events if isinstance(event, Said)]


@pytest.mark.parametrize(
    ("tool", "output", "status", "ok", "text"),
    [
        ("run_shell_command", report("fine"), "success", True, "fine"),
        ("run_shell_command", report("bad", 1), "success", False, "bad"),
        ("run_shell_command", report("bad", 1) + "\n\n<hook_context>x</hook_context>", "success", False, "bad"),
        ("read_file", "Exit Code: 1", "success", True, "Exit Code: 1"),
        ("read_file", "no such file", "error", False, "no such file"),
        ("replace", "[Operation Cancelled]", "cancelled", False, "[Operation Cancelled]"),
    ],
)
def test_the_outcome_of_a_call(
    chat: Chat, tmp_path: Path, tool: str, output: str, status: str, ok: bool, text: str
) -> None:
    chat.call(tool, output, status=status)
    assert results(chat.events(tmp_path)) == [(ok, text)]


def test_an_edit_that_the_person_changed_is_told_as_such(chat: Chat, tmp_path: Path) -> None:
    display = {"fileDiff": "--- a\n+++ a\n@@ -1 +1 @@\n-x\n+theirs\n", "diffStat": {"user_added_lines": 1}}
    chat.call("replace", "ok", display=display, file_path="a.py", old_string="x", new_string="y")
    events = chat.events(tmp_path)
    (call,) = (event for event in events if isinstance(event, Call))
    assert (call.kind, call.path, call.removed, call.added) == (ToolKind.EDIT, "a.py", ("x",), ("y",))
    (result,) = (event for event in events if isinstance(event, Result))
    assert (result.changed_by_user, result.applied) == (True, ("theirs",))


def test_a_tool_of_a_server_is_told_apart(chat: Chat, tmp_path: Path) -> None:
    called = chat.call("search", "x")
    assert isinstance(called["toolCalls"], list)
    called["toolCalls"][0]["displayName"] = "search (github MCP Server)"
    assert [event.tool for event in chat.events(tmp_path) if isinstance(event, Call)] == ["mcp__search"]


def test_the_files_of_subagents_are_read_with_the_session(chat: Chat, tmp_path: Path) -> None:
    chat.user("Go")
    part = Chat("sub", kind="subagent")
    part.user("You look for tokens")
    part.message("gemini", "They are there.")
    part.write(tmp_path / "shop" / "chats" / SESSION / "sub.jsonl")
    events = chat.events(tmp_path)
    assert prompts(events) == ["Go"]
    assert [(event.text, event.actor) for event in events if isinstance(event, Said)] == [("They are there.", "sub")]
    assert sum(isinstance(event, Started) for event in events) == 1


def test_the_documents_of_old_versions_are_read(tmp_path: Path) -> None:
    chat = Chat()
    chat.user("Go")
    chat.call("read_file", "x", file_path="a.py")
    document = chat.rows[0] | {"messages": chat.rows[1:]}
    path = tmp_path / "session-2026-03-01T10-00-5da8c000.json"
    path.write_text(json.dumps(document, indent=2))
    events = list(gemini.read_session(path, tmp_path))
    assert events[:2] == [Started(START, SESSION, "gemini"), Prompt(START + 1, "Go")]
    assert results(events) == [(True, "x")]
    transcript = session_files.open_transcript(path, "gemini")
    assert transcript is not None
    assert (transcript.session, transcript.started_at) == (SESSION, START)


@pytest.mark.promise("past-sessions")
def test_sessions_of_a_project_are_found(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("GEMINI_CLI_HOME", raising=False)
    person, root = tmp_path / "person", repository.root
    tmp = person / ".gemini" / "tmp"
    chat = Chat()
    chat.user("Go")
    name = "session-2026-03-01T10-00-5da8c000.jsonl"
    named = chat.write(tmp / "shop" / "chats" / name)
    (tmp / "shop" / ".project_root").write_text(f"{root}/src\n")
    digest = hashlib.sha256(str(root).encode()).hexdigest()
    hashed = chat.write(tmp / digest / "chats" / name)
    described = Chat(projectHash=digest).write(tmp / "old" / "chats" / name)
    named.with_suffix(".json").write_text("{}")  # continued in the file with lines
    chat.write(tmp / "shop" / "chats" / SESSION / "sub.jsonl")
    chat.write(tmp / "other" / "chats" / name)
    (tmp / "other" / ".project_root").write_text(str(tmp_path / "elsewhere"))
    transcripts = session_files.find_transcripts(root, person)
    assert {transcript.path for transcript in transcripts} == {named, hashed, described}
    assert {(transcript.agent, transcript.session, transcript.started_at) for transcript in transcripts} == {
        ("gemini", SESSION, START)
    }
    assert prompts(list(session_files.read_events(transcripts[0], root))) in (["Go"], [])
    monkeypatch.setenv("GEMINI_CLI_HOME", str(tmp_path / "nothing"))
    assert gemini.find_transcripts(person, root) == []


@pytest.mark.parametrize("session", ["../../other", "a/b", ""])
def test_a_session_id_names_no_other_folder(tmp_path: Path, session: str) -> None:
    assert gemini.session_id(Chat(session).write(tmp_path / "session-x.jsonl")) == "session-x"


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=10), inner, max_size=4),
    max_leaves=10,
)
FIELDS = "id content displayContent thoughts tokens toolCalls timestamp sessionId startTime messages $set".split()
CALL_FIELDS = "id name args status result resultDisplay displayName timestamp".split()
ROWS = st.fixed_dictionaries(
    {"type": st.sampled_from(["user", "gemini"]) | JSON},
    optional={
        **dict.fromkeys(FIELDS, JSON),
        "toolCalls": st.lists(st.dictionaries(st.sampled_from(CALL_FIELDS), JSON), max_size=2),
    },
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.lists(ROWS | st.builds(lambda rows: {"$set": {"messages": rows}}, st.lists(ROWS)), max_size=5), st.binary())
def test_any_lines_are_read_into_events_that_a_scratchpad_takes(
    tmp_path: Path, rows: list[dict[str, object]], rest: bytes
) -> None:
    path = tmp_path / "any.jsonl"
    path.write_bytes("".join(json.dumps(row) + "\n" for row in rows).encode() + rest)
    pad = Scratchpad()
    for event in gemini.read_session(path, tmp_path):
        pad.add_event(event)
        assert len(repr(event).encode()) < 20 * json_lines.TRANSCRIPT_TEXT_CHARS_MAX
