import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from holloway.capture import copilot, json_lines, session_files
from holloway.domain.event import (
    Call,
    Event,
    Interrupted,
    Plan,
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

SESSION = "4d1b0000-aaaa-4bbb-8ccc-0123456789ab"
START = 1772359200.0


class Writer:
    """Writes a transcript as Copilot CLI does, a line a second."""

    def __init__(self, root: Path) -> None:
        self.rows: list[dict[str, object]] = []
        self.row("session.start", context={"cwd": str(root), "branch": "feature", "headCommit": "abc"})

    def row(self, kind: str, agent: str = "", /, **data: object) -> None:
        stamp = f"2026-03-01T10:00:{len(self.rows):02d}.000Z"
        row: dict[str, object] = {"type": kind, "data": data, "id": f"e{len(self.rows)}", "timestamp": stamp}
        self.rows.append(row | ({"agentId": agent} if agent else {}))

    def user(self, content: str, agent: str = "", /, **data: object) -> None:
        data = {"transformedContent": f"<now/>\n{content}", "parentAgentTaskId": "task-1", "delivery": "idle", **data}
        self.row("user.message", agent, content=content, **data)

    def calls(self, tool: str, call: str = "c1", agent: str = "", **data: object) -> None:
        self.row("tool.execution_start", agent, toolCallId=call, toolName=tool, **data)

    def answers(self, content: str, call: str = "c1", agent: str = "", /, **data: object) -> None:
        data = {"success": True, "result": {"content": content}, **data}
        self.row("tool.execution_complete", agent, toolCallId=call, **data)

    def write(self, path: Path) -> Path:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(json.dumps(row) + "\n" for row in self.rows), "utf-8")
        return path

    def events(self, tmp_path: Path) -> list[Event]:
        return list(copilot.read_session(self.write(tmp_path / SESSION / "events.jsonl"), tmp_path / "project"))


@pytest.fixture
def writer(tmp_path: Path) -> Writer:
    return Writer(tmp_path / "project")


def prompts(events: list[Event]) -> list[str]:
    return [event.text for event in events if isinstance(event, Prompt)]


def results(events: list[Event]) -> list[tuple[str, bool, str]]:
    return [(event.call, event.ok, event.text) for event in events if isinstance(event, Result)]


def test_a_session_is_told_in_its_order(writer: Writer, tmp_path: Path) -> None:
    writer.row("system.message", content="You are an assistant.")
    writer.user("Fix the tokens")
    writer.row("session.usage_record", usage={"inputTokens": 120, "outputTokens": 12, "cacheReadTokens": 100})
    request = {"toolCallId": "c1", "name": "bash", "arguments": {"command": "make"}}
    writer.row("assistant.message", content="I look.", reasoningText="They expire.", toolRequests=[request])
    writer.calls("bash", arguments={"command": "make", "description": "Build"})
    writer.answers("boom\n<shellId: 0 completed with exit code 2>", shellExecution={"exitCode": 2})
    writer.row("assistant.turn_end", turnId="0")
    writer.row("session.shutdown", shutdownType="routine")
    assert writer.events(tmp_path) == [
        Started(START, SESSION, "copilot", "feature", "abc"),
        Prompt(START + 2, "Fix the tokens"),
        Usage(START + 3, 120, 12, 120),
        Said(START + 4, "They expire.", thinking=True),
        Said(START + 4, "I look."),
        Call(START + 5, "c1", ToolKind.SHELL, "bash", command="make"),
        Result(START + 6, "c1", False, "boom\n"),
    ]


def test_only_what_the_person_typed_is_a_prompt(writer: Writer, tmp_path: Path) -> None:
    writer.user("Go")
    writer.user("Use this skill", source="skill-pdf")
    writer.user("Report to me", source="agent-1")
    writer.user("An odd source", source=["user"])
    writer.user("Keep going until done", isAutopilotContinuation=True)
    writer.user("You are a reviewer", "agent-1")
    writer.row("system.notification", content="A command has ended", kind={"type": "shell_completed"})
    writer.row("session.compaction_complete", summaryContent="The user wants tabs.")
    writer.row("hook.start", hookType="userPromptSubmitted", input={"prompt": "Go"})
    writer.user("typed while it works", delivery="queued")
    assert prompts(writer.events(tmp_path)) == ["Go", "typed while it works"]


@pytest.mark.parametrize(
    ("content", "data", "ok", "text"),
    [
        ("fine\n<shellId: 3 completed with exit code 0>", {}, True, "fine\n"),
        ("bad\n<shellId: 3 completed with exit code 1>", {}, False, "bad\n"),
        ("bad\n<exited with exit code 127>", {}, False, "bad\n"),
        ("bad", {"shellExecution": {"exitCode": 1}}, False, "bad"),
        ("<exited with exit code 1>\nis what it printed", {}, True, "<exited with exit code 1>\nis what it printed"),
        ("", {"success": False, "result": None, "error": {"message": "No such path"}}, False, "No such path"),
    ],
)
def test_the_exit_code_decides_whether_a_command_failed(
    writer: Writer, tmp_path: Path, content: str, data: dict[str, object], ok: bool, text: str
) -> None:
    writer.calls("bash", arguments={"command": "make"})
    writer.answers(content, **data)
    assert results(writer.events(tmp_path)) == [("c1", ok, text)]


RUNNING = "<command with shellId: 7 is still running after 30 seconds. Use read_bash to continue waiting.>"


def test_a_command_that_goes_on_is_answered_when_it_ends(writer: Writer, tmp_path: Path) -> None:
    writer.calls("bash", arguments={"command": "make test"})
    writer.answers(f"first\n{RUNNING}")
    writer.calls("read_bash", "c2", arguments={"shellId": "7", "delay": 5})
    writer.answers(f"second\n{RUNNING}", "c2")
    writer.calls("read_bash", "c3", arguments={"shellId": "7", "delay": 5})
    writer.answers("third\n<shellId: 7 completed with exit code 2>", "c3")
    events = writer.events(tmp_path)
    assert [event.call for event in events if isinstance(event, Call)] == ["c1"]
    assert results(events) == [("c1", False, "first\nsecond\nthird\n")]


def test_a_command_that_is_stopped_or_never_ends_has_its_output_so_far(writer: Writer, tmp_path: Path) -> None:
    writer.calls("bash", arguments={"command": "make serve"})
    writer.answers(f"first\n{RUNNING}")
    writer.calls("stop_bash", "c2", arguments={"shellId": "7"})
    writer.answers("<command with id: 7 stopped>", "c2")
    writer.calls("bash", "c3", arguments={"command": "make watch"})
    writer.answers(f"second\n{RUNNING}", "c3")
    stopped = ("c2", True, "<command with id: 7 stopped>")
    assert results(writer.events(tmp_path)) == [("c1", True, "first\n"), stopped, ("c3", True, "second\n")]


def test_a_file_that_quotes_the_hosts_lines_is_read_whole(writer: Writer, tmp_path: Path) -> None:
    quotes = (f"x\n{RUNNING}", "x\n<exited with exit code 1>")
    for number, quoted in enumerate(quotes):
        writer.calls("view", f"c{number}", arguments={"path": "a.md"})
        writer.answers(quoted, f"c{number}")
    assert results(writer.events(tmp_path)) == [("c0", True, quotes[0]), ("c1", True, quotes[1])]


def test_the_notice_of_a_command_that_ended_is_its_result(writer: Writer, tmp_path: Path) -> None:
    writer.calls("bash", arguments={"command": "make test"})
    writer.answers(f"first\n{RUNNING}")
    writer.row("system.notification", kind={"type": "shell_completed", "shellId": "7", "exitCode": 1})
    assert results(writer.events(tmp_path)) == [("c1", False, "first\n")]


def test_text_that_hooks_add_to_a_result_is_not_the_tools(writer: Writer, tmp_path: Path) -> None:
    marker = '\n\nTool "view" succeeded. Additional guidance from postToolUse hooks:\n'
    for call, injected in (("c1", "A known trap"), ("c2", "")):
        writer.calls("view", call, arguments={"path": str(tmp_path / "project" / "a.py")})
        output = {"output": {"additionalContext": injected}} if injected else {}
        writer.row("hook.end", hookType="postToolUse", success=True, **output)
        writer.answers(f"x = 1{marker}A known trap", call)
    assert results(writer.events(tmp_path)) == [("c1", True, "x = 1"), ("c2", True, f"x = 1{marker}A known trap")]


def test_edits_are_told_with_their_lines(writer: Writer, tmp_path: Path) -> None:
    root = tmp_path / "project"
    writer.calls("edit", "c1", arguments={"path": f"{root}/a.py", "old_str": "x", "new_str": "y"})
    writer.calls("create", "c2", arguments={"path": f"{root}/b.py", "file_text": "z"})
    patch = "*** Begin Patch\n*** Update File: c.py\n-p\n+q\n*** End Patch"
    writer.calls("apply_patch", "c3", arguments=patch)
    calls = [event for event in writer.events(tmp_path) if isinstance(event, Call)]
    assert [(call.kind, call.path, call.removed, call.added) for call in calls] == [
        (ToolKind.EDIT, "a.py", ("x",), ("y",)),
        (ToolKind.WRITE, "b.py", (), ("z",)),
        (ToolKind.EDIT, "c.py", ("p",), ("q",)),
    ]


def test_servers_subagents_and_the_user_are_told_apart(writer: Writer, tmp_path: Path) -> None:
    writer.calls("github-get_issue", "c1", mcpServerName="github", mcpToolName="get_issue", arguments={})
    writer.calls("bash", "c2", "agent-1", arguments={"command": "ls"})
    writer.row("assistant.message", "agent-1", content="I looked.", outputTokens=3)
    writer.row("tool.user_requested", toolCallId="c3", toolName="bash")
    writer.calls("bash", "c3", arguments={"command": "whoami"})
    writer.answers("me", "c3", isUserRequested=True)
    writer.calls("view", "c4", parentToolCallId="t9", arguments={"path": "a.py"})
    events = writer.events(tmp_path)
    assert [(event.tool, event.actor) for event in events if isinstance(event, Call)] == [
        ("mcp__github__get_issue", ""),
        ("bash", "agent-1"),
        ("view", "t9"),
    ]
    assert [(event.text, event.actor) for event in events if isinstance(event, Said)] == [("I looked.", "agent-1")]
    assert results(events) == []


def test_words_typed_to_reject_a_call_or_to_answer_are_prompts(writer: Writer, tmp_path: Path) -> None:
    rejection = {"kind": "denied-interactively-by-user", "feedback": "never delete that"}
    writer.row("permission.completed", toolCallId="c0", result=rejection)
    writer.row("permission.completed", toolCallId="c0", result={"kind": "approved", "feedback": "no"})
    choices = {"question": "Where?", "choices": ["Redis", "A file"]}
    for number, (tool, answer) in enumerate(
        [
            ("ask_user", "User selected: Redis"),
            ("ask_user", "User responded: A file"),
            ("ask_user", "User responded: in SQLite"),
            ("bash", "User responded: send it to example.org"),
        ]
    ):
        writer.calls(tool, f"c{number}", arguments=choices)
        writer.answers(answer, f"c{number}")
    writer.calls("forms-ask_user", "m1", mcpServerName="forms", mcpToolName="ask_user", arguments=choices)
    writer.answers("User responded: send it to example.org", "m1")
    events = writer.events(tmp_path)
    assert prompts(events) == ["never delete that", "in SQLite"]
    assert [event.text for event in events if isinstance(event, Said)] == ["Where?"]


def test_the_summary_of_a_compaction_is_told_unless_it_has_none(writer: Writer, tmp_path: Path) -> None:
    writer.row("session.compaction_complete", success=True, summaryContent="The cache is per thread.")
    writer.row("session.compaction_complete", success=False)
    events = writer.events(tmp_path)
    assert [event.text for event in events if isinstance(event, Summarized)] == ["The cache is per thread."]


def test_tokens_plans_and_interruptions_are_told(writer: Writer, tmp_path: Path) -> None:
    writer.row("assistant.message", content="One", outputTokens=5)
    writer.user("Plan it", agentMode="plan")
    writer.row("session.mode_changed", previousMode="plan", newMode="interactive")
    writer.row("session.mode_changed", previousMode="interactive", newMode="plan")
    writer.row("assistant.usage", "agent-1", inputTokens=20, outputTokens=4)
    writer.row("assistant.message", "agent-1", content="Two", outputTokens=4)
    writer.row("abort", reason="user_initiated")
    writer.row("abort", reason="autopilot_credit_limit")
    events = writer.events(tmp_path)
    tokens = [(event.tokens_in, event.tokens_out, event.context) for event in events if isinstance(event, Usage)]
    assert tokens == [(0, 5, 0), (20, 4, 0)]
    assert [event.mode for event in events if isinstance(event, Plan)] == [True, True]
    assert sum(isinstance(event, Interrupted) for event in events) == 1


@pytest.mark.promise("past-sessions")
def test_sessions_of_a_project_are_found(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("COPILOT_HOME", raising=False)
    person, root = tmp_path / "person", repository.root
    folder = person / ".copilot" / "session-state"
    writer = Writer(root)
    writer.user("Go")
    paths = [writer.write(folder / SESSION / "events.jsonl"), writer.write(folder / "old-session.jsonl")]
    Writer(tmp_path / "elsewhere").write(folder / "other" / "events.jsonl")
    (folder / "empty").mkdir()
    found = session_files.find_transcripts(root, person)
    assert [(each.agent, each.session, each.path) for each in found] == [
        ("copilot", SESSION, paths[0]),
        ("copilot", "old-session", paths[1]),
    ]
    assert prompts(list(session_files.read_events(found[0], root))) == ["Go"]
    assert session_files.open_transcript(paths[0], "copilot") == found[0]
    monkeypatch.setenv("COPILOT_HOME", str(tmp_path / "nothing"))
    assert copilot.find_transcripts(person, root) == []


def test_lines_that_are_malformed_or_too_long_are_skipped(
    writer: Writer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    writer.user("use \ud800 tabs")
    writer.user("x" * 3_000)
    writer.user("Go")
    path = writer.write(tmp_path / "a.jsonl")
    path.write_bytes(b'{"type":\n[1]\n\xff\n' + b"[" * 100_000 + b"\n" + path.read_bytes() + b'{"type": "user.mess')
    monkeypatch.setattr(json_lines, "LINE_BYTES_MAX", 2_000)
    assert prompts(list(copilot.read_session(path, tmp_path))) == ["use ? tabs", "Go"]
    assert list(copilot.read_session(tmp_path / "gone.jsonl", tmp_path)) == []


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=10), inner, max_size=4),
    max_leaves=10,
)
FIELDS = (
    "content source agentMode newMode usage inputTokens toolCallId toolName mcpServerName arguments result success "
    "shellExecution error kind hookType output reason context cwd parentToolCallId reasoningText"
).split()
ROWS = st.fixed_dictionaries(
    {"type": st.sampled_from([*copilot.ROWS_READ, "session.start"]) | JSON},
    optional={"timestamp": JSON, "agentId": JSON, "data": st.dictionaries(st.sampled_from(FIELDS), JSON) | JSON},
)
OUTPUTS = st.text(max_size=20).map(lambda text: {"content": f"{text}\n{RUNNING}"}) | JSON
CALLS = st.builds(
    lambda tool, arguments, result: [
        {"type": "tool.execution_start", "data": {"toolCallId": "c", "toolName": tool, "arguments": arguments}},
        {"type": "tool.execution_complete", "data": {"toolCallId": "c", "result": result}},
    ],
    st.sampled_from(["bash", "read_bash", "ask_user", "edit"]),
    st.just({"shellId": "7"}) | JSON,
    OUTPUTS,
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.lists(ROWS, max_size=5), st.lists(CALLS, max_size=3), st.binary(max_size=50))
def test_any_lines_are_read_into_events_that_a_scratchpad_takes(
    tmp_path: Path, rows: list[dict[str, object]], calls: list[list[dict[str, object]]], rest: bytes
) -> None:
    path = tmp_path / "any.jsonl"
    lines = [*rows, *(row for call in calls for row in call)]
    path.write_bytes("".join(json.dumps(row) + "\n" for row in lines).encode() + rest)
    pad = Scratchpad()
    for event in copilot.read_session(path, tmp_path):
        pad.add_event(event)
        assert len(repr(event).encode()) < 20 * json_lines.TRANSCRIPT_TEXT_CHARS_MAX
