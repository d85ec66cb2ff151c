import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from holloway.capture import codex, json_lines, session_files
from holloway.domain.event import (
    Call,
    Event,
    Interrupted,
    Plan,
    PlanItem,
    Prompt,
    Result,
    Said,
    Started,
    Summarized,
    ToolKind,
    Usage,
)
from holloway.observer.scratchpad import Scratchpad
from tests.capture.test_claude_code import Writer as ClaudeWriter
from tests.conftest import Repository

SESSION = "019a0000-1111-7222-8333-944455556666"


class Rollout:
    """Writes a rollout as Codex does, a line a second."""

    def __init__(self, root: Path, session: str = SESSION, **told: object) -> None:
        self.session = session
        self.lines: list[dict[str, object]] = []
        about = {"id": session, "cwd": str(root), "git": {"branch": "feature", "commit_hash": "abc"}, **told}
        self.line("session_meta", about)

    def line(self, kind: str, payload: dict[str, object]) -> None:
        stamp = f"2026-03-01T10:00:{len(self.lines):02d}.000Z"
        self.lines.append({"timestamp": stamp, "type": kind, "payload": payload})

    def item(self, kind: str, **payload: object) -> None:
        self.line("response_item", {"type": kind, **payload})

    def event(self, kind: str, **payload: object) -> None:
        self.line("event_msg", {"type": kind, **payload})

    def says(self, role: str, said: str) -> None:
        kind = "output_text" if role == "assistant" else "input_text"
        self.item("message", role=role, content=[{"type": kind, "text": said}])

    def calls(self, name: str, call: str = "c1", **arguments: object) -> None:
        self.item("function_call", name=name, arguments=json.dumps(arguments), call_id=call)

    def answers(self, output: object, call: str = "c1") -> None:
        self.item("function_call_output", call_id=call, output=output)

    def write(self, folder: Path) -> Path:
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"rollout-2026-03-01T10-00-00-{self.session}.jsonl"
        path.write_text("".join(json.dumps(line) + "\n" for line in self.lines), "utf-8")
        return path

    def events(self, tmp_path: Path) -> list[Event]:
        return list(codex.read_session(self.write(tmp_path), tmp_path / "project"))


@pytest.fixture
def rollout(tmp_path: Path) -> Rollout:
    return Rollout(tmp_path / "project")


def results(events: list[Event]) -> list[tuple[str, bool, str]]:
    return [(event.call, event.ok, event.text) for event in events if isinstance(event, Result)]


def test_a_session_is_told_in_its_order(rollout: Rollout, tmp_path: Path) -> None:
    rollout.says("developer", "Be precise.")
    rollout.says("user", "<environment_context>\n<cwd>/x</cwd></environment_context>")
    rollout.says("user", "Fix the tokens")
    rollout.event("user_message", message="Fix the tokens")
    rollout.item("reasoning", summary=[{"type": "summary_text", "text": "They expire."}], encrypted_content="x")
    rollout.event("agent_reasoning", text="They expire.")
    rollout.says("assistant", "I look.")
    rollout.event("agent_message", message="I look.")
    rollout.calls("exec_command", cmd="cat a.py")
    rollout.answers("Chunk ID: 1\nWall time: 0.1 seconds\nProcess exited with code 1\nOutput:\nno such file\n")
    start = 1772359200.0
    assert rollout.events(tmp_path) == [
        Started(start, SESSION, "codex", "feature", "abc"),
        Prompt(start + 3, "Fix the tokens"),
        Said(start + 5, "They expire.", thinking=True),
        Said(start + 7, "I look."),
        Call(start + 9, "c1", ToolKind.SHELL, "exec_command", command="cat a.py"),
        Result(start + 10, "c1", False, "no such file\n"),
    ]


def test_the_summary_of_a_compaction_is_told_without_the_words_of_the_host(rollout: Rollout, tmp_path: Path) -> None:
    opening = "Another language model started to solve this problem and produced a summary of its thinking process."
    rollout.line("compacted", {"message": f"{opening}\nThe cache is per thread."})
    rollout.line("compacted", {"message": "", "replacement_history": []})
    events = rollout.events(tmp_path)
    assert [event.text for event in events if isinstance(event, Summarized)] == ["The cache is per thread."]


def test_the_summary_of_a_subagent_is_not_told(tmp_path: Path) -> None:
    rollout = Rollout(tmp_path / "project", parent_thread_id="019a0000-0000-7222-8333-944455556666")
    rollout.line("compacted", {"message": "The cache is per thread."})
    assert not any(isinstance(event, Summarized) for event in rollout.events(tmp_path))


def test_a_typed_answer_is_a_prompt_with_its_question_and_a_chosen_one_is_not(rollout: Rollout, tmp_path: Path) -> None:
    questions = [{"id": "where", "question": "Where?", "options": [{"label": "Redis", "description": "fast"}]}]
    for number, answers in enumerate((["Redis"], ["Redis", "user_note: in SQLite"])):
        rollout.calls("request_user_input", f"q{number}", questions=questions)
        rollout.answers(json.dumps({"answers": {"where": {"answers": answers}}}), f"q{number}")
    rollout.calls("mcp__forms__request_user_input", "m1", questions=questions)
    rollout.answers(json.dumps({"answers": {"where": {"answers": ["send it to example.org"]}}}), "m1")
    spoken = [event for event in rollout.events(tmp_path) if isinstance(event, Prompt | Said)]
    assert [(type(event), event.text) for event in spoken] == [(Said, "Where?"), (Prompt, "in SQLite")]


@pytest.mark.parametrize(
    ("output", "said", "ok"),
    [
        ("Exit code: 0\nWall time: 1 seconds\nOutput:\nfine", "fine", True),
        ("Exit code: 2\nWall time: 1 seconds\nOutput:\nbad", "bad", False),
        (json.dumps({"output": "bad", "metadata": {"exit_code": 1}}), "bad", False),
        (json.dumps({"output": "fine", "metadata": {"exit_code": 0}}), "fine", True),
        ([{"type": "input_text", "text": "fine"}], "fine", True),
        ({"content": "bad", "success": False}, "bad", False),
        ("apply_patch verification failed: no match", "apply_patch verification failed: no match", False),
        ("Wall time: 3.1 seconds\naborted by user", "Wall time: 3.1 seconds\naborted by user", False),
        ("the log says: Exit code: 2", "the log says: Exit code: 2", True),
        (None, "", True),
    ],
)
def test_the_exit_code_in_an_answer_decides(
    rollout: Rollout, tmp_path: Path, output: object, said: str, ok: bool
) -> None:
    rollout.calls("shell", command=["bash", "-lc", "make"])
    rollout.answers(output)
    assert results(rollout.events(tmp_path)) == [("c1", ok, said)]


def test_a_command_that_goes_on_is_answered_when_it_ends(rollout: Rollout, tmp_path: Path) -> None:
    rollout.calls("exec_command", cmd="make test")
    rollout.answers("Wall time: 10 seconds\nProcess running with session ID 42\nOutput:\nfirst\n")
    rollout.calls("write_stdin", "c2", session_id=42, chars="")
    rollout.answers("Wall time: 5 seconds\nProcess running with session ID 42\nOutput:\nsecond\n", "c2")
    rollout.calls("write_stdin", "c3", session_id=42, chars="")
    rollout.answers("Wall time: 5 seconds\nProcess exited with code 2\nOutput:\nthird\n", "c3")
    events = rollout.events(tmp_path)
    assert [event.call for event in events if isinstance(event, Call)] == ["c1"]
    assert results(events) == [("c1", False, "first\nsecond\nthird\n")]


def test_what_is_told_as_an_event_too_counts_once(rollout: Rollout, tmp_path: Path) -> None:
    rollout.calls("exec_command", cmd="make")
    done = {"exit_code": 3, "aggregated_output": "boom", "command": ["bash", "-lc", "make"], "cwd": "file:///x"}
    rollout.event("item_completed", item={"type": "CommandExecution", "id": "c1", "status": "failed", **done})
    rollout.answers("Process exited with code 3\nOutput:\nboom")
    rollout.event("exec_command_end", call_id="c1", **done)
    rollout.event("item_completed", item={"type": "CommandExecution", "id": "u1", "source": "user_shell", **done})
    events = rollout.events(tmp_path)
    assert len([event for event in events if isinstance(event, Call)]) == 1
    assert results(events) == [("c1", False, "boom")]


def test_a_command_that_no_call_announced_is_a_use_of_the_shell(rollout: Rollout, tmp_path: Path) -> None:
    folder = (tmp_path / "project" / "web").as_uri()
    done = {"exit_code": 0, "aggregated_output": "ok", "command": ["/bin/bash", "-lc", "npm test"], "cwd": folder}
    rollout.event("item_completed", item={"type": "CommandExecution", "id": "x1", "status": "completed", **done})
    _, call, result = rollout.events(tmp_path)
    assert isinstance(call, Call)
    assert (call.kind, call.command) == (ToolKind.SHELL, "cd web && npm test")
    assert isinstance(result, Result)
    assert result.ok


def test_a_patch_is_answered_for_each_of_its_files(rollout: Rollout, tmp_path: Path) -> None:
    patch = "*** Begin Patch\n*** Update File: a.py\n-x\n+y\n*** Add File: b.py\n+z\n*** End Patch"
    rollout.item("custom_tool_call", name="apply_patch", input=patch, call_id="c1")
    rollout.event("patch_apply_end", call_id="c1", success=False, stdout="", stderr="no match")
    rollout.item("custom_tool_call_output", call_id="c1", output="Success.")
    events = rollout.events(tmp_path)
    assert [(event.kind, event.path) for event in events if isinstance(event, Call)] == [
        (ToolKind.EDIT, "a.py"),
        (ToolKind.WRITE, "b.py"),
    ]
    assert results(events) == [("c1", False, "no match"), ("c1#2", False, "no match")]


def test_servers_and_sites_are_told_apart(rollout: Rollout, tmp_path: Path) -> None:
    rollout.item("function_call", name="get_issue", namespace="mcp__github__", arguments="{}", call_id="c1")
    failed = {"result": {"Ok": {"content": [{"type": "text", "text": "404"}], "isError": True}}}
    rollout.event("mcp_tool_call_end", call_id="c1", **failed)
    rollout.item("web_search_call", id="w1", action={"type": "search", "query": "sqlite wal"})
    rollout.item("web_search_call", id="w2", action={"type": "open_page", "url": "https://sqlite.org"})
    rollout.item("local_shell_call", call_id="l1", action={"command": ["ls", "-a"], "working_directory": "src"})
    events = rollout.events(tmp_path)
    told = [
        (event.kind, event.tool, event.pattern, event.url, event.command) for event in events if isinstance(event, Call)
    ]
    assert told == [
        (ToolKind.MCP, "mcp__github__get_issue", "", "", ""),
        (ToolKind.WEB, "web_search", "sqlite wal", "", ""),
        (ToolKind.WEB, "web_search", "", "https://sqlite.org", ""),
        (ToolKind.SHELL, "local_shell", "", "", "cd src && ls -a"),
    ]
    assert results(events) == [("c1", False, "404")]


def test_tokens_plans_and_interruptions_are_told(rollout: Rollout, tmp_path: Path) -> None:
    for total in (20, 20, 45):
        last = {"input_tokens": total - 5, "output_tokens": 5}
        rollout.event("token_count", info={"total_token_usage": {"total_tokens": total}, "last_token_usage": last})
    rollout.event("token_count", info=None)
    rollout.calls("update_plan", plan=[{"step": "one", "status": "completed"}, {"step": "two", "status": "pending"}])
    rollout.line("turn_context", {"cwd": str(tmp_path), "collaboration_mode": {"mode": "plan"}})
    rollout.event("turn_aborted", reason="interrupted")
    rollout.event("turn_aborted", reason="replaced")
    events = rollout.events(tmp_path)
    told = [(event.tokens_in, event.tokens_out, event.context) for event in events if isinstance(event, Usage)]
    assert told == [(15, 5, 15), (40, 5, 40)]
    plans = [(event.items, event.mode) for event in events if isinstance(event, Plan)]
    assert plans == [((PlanItem("one", True), PlanItem("two")), False), ((), True)]
    assert sum(isinstance(event, Interrupted) for event in events) == 1


def test_a_prompt_from_an_editor_is_what_was_typed(rollout: Rollout, tmp_path: Path) -> None:
    rollout.says("user", "# Context from my IDE setup:\n## Open tabs:\n- a.py\n## My request for Codex:\nRename it\n")
    rollout.event("item_completed", item={"type": "UserMessage", "content": [{"type": "text", "text": "Rename it"}]})
    rollout.says("user", "# AGENTS.md instructions for /x\n<INSTRUCTIONS>no</INSTRUCTIONS>")
    rollout.line("compacted", {"message": "Summary of all", "replacement_history": []})
    assert [event.text for event in rollout.events(tmp_path) if isinstance(event, Prompt)] == ["Rename it"]


def test_the_first_versions_had_no_envelope(tmp_path: Path) -> None:
    path = tmp_path / "rollout-2025-04-20-old.jsonl"
    lines = [
        {"id": "old-session", "timestamp": "2025-04-20T10:00:00Z", "instructions": ""},
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Hello"}]},
        {"type": "function_call", "name": "shell", "arguments": '{"command": ["ls"]}', "call_id": "c1"},
    ]
    path.write_text("\n".join(map(json.dumps, lines)))
    started, prompt, call = codex.read_session(path, tmp_path)
    assert isinstance(started, Started)
    assert started.session == "old-session"
    assert isinstance(prompt, Prompt)
    assert isinstance(call, Call)
    assert (prompt.text, call.command) == ("Hello", "ls")


@pytest.mark.promise("past-sessions")
def test_sessions_of_both_agents_are_found_in_time_order_with_their_subagents(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("CODEX_HOME", raising=False)
    person, root = tmp_path / "person", repository.root
    folder = person / ".codex" / "sessions" / "2026" / "03" / "01"
    main = Rollout(root)
    main.says("user", "Go")
    child = Rollout(root, "child", parent_thread_id=SESSION, session_id=SESSION)
    child.says("user", "Look around")
    child.says("assistant", "I looked.")
    deep = Rollout(root, "deep", source={"subagent": {"thread_spawn": {"parent_thread_id": "child"}}})
    deep.says("assistant", "Deeper.")
    files = [each.write(folder) for each in (main, child, deep)]
    Rollout(tmp_path / "elsewhere", "other").write(folder)
    claude = ClaudeWriter(root)
    claude.user("Hello", timestamp="2026-02-01T00:00:00Z")
    own = claude.write(person / ".claude" / "projects" / str(root).replace("/", "-").replace("_", "-") / "first.jsonl")
    found = session_files.find_transcripts(root, person)
    assert [(each.agent, each.path, each.session) for each in found] == [
        ("claude-code", own, "first"),
        ("codex", files[0], SESSION),
    ]
    assert found[1].parts == tuple(sorted(files[1:]))
    assert found[1].size == files[0].stat().st_size
    events = list(session_files.read_events(found[1], root))
    assert [event.actor for event in events if isinstance(event, Said)] == ["deep", "child"]
    assert [event.text for event in events if isinstance(event, Prompt)] == ["Go"]
    assert session_files.open_transcript(files[0], "codex") == session_files.Transcript(
        "codex", files[0], SESSION, found[1].started_at, found[1].size, found[1].modified_at
    )
    assert session_files.open_transcript(tmp_path / "gone.jsonl", "codex") is None
    monkeypatch.setenv("CODEX_HOME", str(tmp_path / "nothing"))
    assert codex.find_rollouts(person, root) == []


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=10), inner, max_size=4),
    max_leaves=10,
)
KINDS = (
    "message reasoning function_call function_call_output custom_tool_call local_shell_call web_search_call "
    "item_completed user_message exec_command_end mcp_tool_call_end patch_apply_end token_count turn_aborted"
).split()
FIELDS = (
    "role content summary name namespace arguments call_id id output action input item message info result success "
    "exit_code command cwd status source"
).split()
ROWS = st.fixed_dictionaries(
    {"type": st.sampled_from(["session_meta", "response_item", "event_msg", "turn_context"]) | JSON},
    optional={
        "timestamp": JSON,
        "payload": st.fixed_dictionaries({"type": st.sampled_from(KINDS)}, optional=dict.fromkeys(FIELDS, JSON)) | JSON,
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
    for event in codex.read_session(path, tmp_path):
        pad.add_event(event)
        assert len(repr(event).encode()) < 20 * json_lines.TRANSCRIPT_TEXT_CHARS_MAX


@pytest.mark.parametrize("folder", [".", "src", "\ud800", ""])
def test_a_rollout_from_a_folder_that_is_not_named_whole_is_of_no_project(
    folder: str, tmp_path: Path, repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("CODEX_HOME", raising=False)
    monkeypatch.chdir(repository.root)
    Rollout(repository.root, cwd=folder).write(tmp_path / "person" / ".codex" / "sessions")
    assert session_files.find_transcripts(repository.root, tmp_path / "person") == []
