import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from holloway.capture import journal as hooks
from holloway.capture import journal_reader, json_lines
from holloway.domain.event import (
    Call,
    Ended,
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
)
from holloway.observer.scratchpad import Scratchpad
from holloway.text.sketch import SKETCH_DIGESTS_ALONE, sketch_text

SESSION = "5d0c8f6e-1111-4222-8333-944455556666"
START = 1772359200.0


class Hooks:
    """Runs what a hook keeps of each event, an event a second."""

    def __init__(self, root: Path, folder: Path) -> None:
        self.root = root
        self.folder = folder
        self.second = 0
        root.mkdir(exist_ok=True)

    def fire(self, name: str, *, again: bool = False, **fields: object) -> None:
        self.second += 0 if again else 1
        event = {"session_id": SESSION, "hook_event_name": name, "cwd": str(self.root), **fields}
        stamp = f"2026-03-01T10:00:{self.second:02d}.{5 if again else 0:03d}Z"
        hooks.append_entry(str(self.folder), SESSION, hooks.entry_of(event, stamp, str(self.root), "claude-code"))

    def used(self, tool: str, response: object = "", call: str = "t1", **arguments: object) -> None:
        self.fire("PostToolUse", tool_name=tool, tool_input=arguments, tool_response=response, tool_use_id=call)

    @property
    def path(self) -> Path:
        return self.folder / f"{SESSION}.jsonl"

    def events(self) -> list[Event]:
        return list(journal_reader.read_session(self.path, self.root))


@pytest.fixture
def agent(tmp_path: Path) -> Hooks:
    return Hooks(tmp_path / "project", tmp_path / "journal")


def calls(agent: Hooks) -> list[Call]:
    return [event for event in agent.events() if isinstance(event, Call)]


def results(agent: Hooks) -> list[Result]:
    return [event for event in agent.events() if isinstance(event, Result)]


def test_a_session_is_told_in_its_order(agent: Hooks) -> None:
    agent.fire("SessionStart", source="startup")
    agent.fire("UserPromptSubmit", prompt="Fix the tokens")
    agent.used("Read", {"file": {"content": "x"}}, file_path=str(agent.root / "src/a.py"))
    failed: dict[str, Any] = {
        "tool_name": "Bash",
        "tool_input": {"command": f"cd {agent.root} && pytest"},
        "tool_use_id": "t2",
    }
    agent.fire("PostToolUseFailure", error=f"Exit code 1\n{agent.root}/a.py:3: boom", **failed)
    agent.fire("PostCompact", trigger="auto", compact_summary="All was well.")
    agent.fire("Stop", last_assistant_message="Fixed.")
    agent.fire("SessionEnd", reason="other")
    assert agent.events() == [
        Started(START + 1, SESSION, "claude-code"),
        Prompt(START + 2, "Fix the tokens"),
        Call(START + 3, "t1", ToolKind.READ, "Read", path="src/a.py"),
        Result(START + 3, "t1", True),
        Call(START + 4, "t2", ToolKind.SHELL, "Bash", command="pytest"),
        Result(START + 4, "t2", False, "Exit code 1\na.py:3: boom"),
        Summarized(START + 5, "All was well."),
        Said(START + 6, "Fixed."),
        Ended(START + 7, "other"),
    ]


@pytest.mark.parametrize(
    ("response", "ok"),
    [
        ({"stdout": "3 passed"}, True),
        ({"is_error": True, "content": "boom"}, False),
        ({"isError": True, "content": "boom"}, False),
        ({"success": False}, False),
        ({"error": "boom"}, False),
        ({"stdout": "", "interrupted": True}, False),
    ],
)
def test_a_tool_that_answers_that_it_failed_has_failed(agent: Hooks, response: dict[str, object], ok: bool) -> None:
    agent.used("Bash", response, command="pytest")
    assert [each.ok for each in results(agent)] == [ok]


def test_a_tool_that_takes_a_list_of_files_is_a_use_of_each_and_what_lies_outside_stays_known_as_such(
    agent: Hooks,
) -> None:
    agent.used("read_many_files", "both", paths=["src/a.py", "/etc/passwd", "src/b.py"])
    told = [each for each in agent.events() if isinstance(each, Call)]
    assert [(each.path, each.outside, each.call) for each in told] == [
        ("", True, "t1"),
        ("src/a.py", False, "t1#2"),
        ("src/b.py", False, "t1#3"),
    ]
    assert [each.call for each in results(agent)] == [each.call for each in told]


def test_a_search_in_several_folders_is_one_search_and_one_outside_if_any_of_them_is(agent: Hooks) -> None:
    agent.used("Grep", "a.py", call="t1", pattern="retry", path=["src", "tests"])
    agent.used("Grep", "a.py", call="t2", pattern="retry", path=["src", "/etc"])
    told = [each for each in agent.events() if isinstance(each, Call)]
    assert [(each.path, each.outside, each.call) for each in told] == [("src", False, "t1"), ("", True, "t2")]


def test_the_same_event_told_twice_counts_once(agent: Hooks) -> None:
    given: dict[str, Any] = {"tool_name": "Bash", "tool_input": {"command": "find ."}, "tool_response": "a.py"}
    for again in (False, True):
        agent.fire("UserPromptSubmit", again=again, prompt="Fix it")
        agent.fire("PreToolUse", again=True, **given)
        agent.fire("PostToolUse", again=True, **given)
    agent.fire("PreToolUse", tool_name="Bash", tool_input={"command": "find ."}, tool_use_id="t2")
    agent.used("Bash", "b.py", "t2", command="find .")
    agent.fire("UserPromptSubmit", prompt="Fix it")
    told = agent.events()
    assert sum(isinstance(event, Prompt) for event in told) == 2
    pad = Scratchpad()
    for event in told:
        pad.add_event(event)
    assert [action.text for action in pad.actions if action.text] == ["a.py", "b.py"]


def test_searches_tell_their_files_and_whether_they_found_none(agent: Hooks) -> None:
    found = {"filenames": ["src/a.py", str(agent.root / "b.py")], "numFiles": 40}
    agent.used("Grep", found, "t1", pattern="f", path=str(agent.root))
    agent.used("Grep", {"filenames": [], "numFiles": 0}, "t2", pattern="g")
    agent.used("Bash", "src/c.py:3:f\n", "t3", command="rg -n f")
    first, none, shell = results(agent)
    assert (first.files, first.count) == (("src/a.py", "b.py"), 40)
    assert (none.files, none.count, none.text) == ((), 0, "No files found")
    assert shell.files == ("src/c.py",)
    assert [call.pattern for call in calls(agent)] == ["f", "g", ""]


def test_an_edit_that_is_taken_back_can_be_known_by_its_digests(agent: Hooks) -> None:
    agent.used("Edit", {}, "t1", file_path="a.py", old_string="x = 1", new_string="x = 2")
    agent.used("Edit", {"userModified": True}, "t2", file_path="a.py", old_string="x = 2", new_string="x = 1")
    first, second = calls(agent)
    assert first.path == "a.py"
    assert first.added == second.removed != ()
    assert first.removed == second.added
    assert [result.changed_by_user for result in results(agent)] == [False, True]


def test_a_patch_is_an_edit_of_each_of_its_files(agent: Hooks) -> None:
    patch = "*** Begin Patch\n*** Update File: a.py\n-x\n+y\n*** Add File: /etc/x\n+z\n*** End Patch"
    agent.used("apply_patch", "Success.", command=patch)
    assert [(call.kind, call.path, call.outside) for call in calls(agent)] == [
        (ToolKind.EDIT, "a.py", False),
        (ToolKind.WRITE, "", True),
    ]
    assert [result.call for result in results(agent)] == [call.call for call in calls(agent)]


def test_outside_below_and_by_whom_is_told(agent: Hooks) -> None:
    (agent.root / "web").mkdir()
    agent.used("Read", {}, "t1", file_path="/etc/hosts")
    below: dict[str, Any] = {"tool_name": "Bash", "tool_input": {"command": "npm test"}, "cwd": str(agent.root / "web")}
    agent.fire("PostToolUse", tool_use_id="t2", agent_id="a7", agent_type="Explore", **below)
    agent.fire("SubagentStop", agent_id="a7", last_assistant_message="Done.")
    away, shell = calls(agent)
    assert (away.path, away.outside) == ("", True)
    assert (shell.command, shell.actor) == ("cd web && npm test", "a7")
    assert [event.actor for event in agent.events() if isinstance(event, Said)] == ["a7"]


def test_plans_interruptions_and_prompts_of_the_host_are_told_apart(agent: Hooks) -> None:
    agent.fire("UserPromptSubmit", prompt="Plan it", permission_mode="plan")
    agent.fire("UserPromptSubmit", prompt="wake up", source="loop_wakeup")
    agent.used("TodoWrite", "", "t1", todos=[{"content": "one", "status": "completed"}])
    agent.used("TaskCreate", "", "t2", subject="two")
    agent.used("TaskUpdate", "", "t3", taskId="1", status="completed")
    agent.fire("PostToolUseFailure", tool_name="Bash", tool_input={"command": "x"}, is_interrupt=True, error="stopped")
    events = agent.events()
    assert [event.text for event in events if isinstance(event, Prompt)] == ["Plan it"]
    plans = [(event.items, event.mode) for event in events if isinstance(event, Plan)]
    assert plans == [
        ((), True),
        ((PlanItem("one", True),), False),
        ((PlanItem("two"),), False),
        ((PlanItem("two", True),), False),
    ]
    assert sum(isinstance(event, Interrupted) for event in events) == 1


def test_the_transcript_is_named_where_it_can_be_read(agent: Hooks, tmp_path: Path) -> None:
    transcript = tmp_path / "rollout-2026.jsonl"
    agent.fire("SessionStart", transcript_path=str(transcript))
    (told,) = journal_reader.list_journals(agent.folder)
    assert (told.session, told.agent, told.started_at, told.ended) == (SESSION, "claude-code", START + 1, False)
    assert told.transcript is None
    transcript.write_text("{}")
    agent.fire("SessionEnd", reason="other", transcript_path=str(transcript))
    (told,) = journal_reader.list_journals(agent.folder)
    assert (told.transcript, told.ended) == (transcript, True)
    assert journal_reader.list_journals(tmp_path / "nowhere") == []


def test_a_journal_of_an_earlier_version_is_read_too(tmp_path: Path) -> None:
    path = tmp_path / "s1.jsonl"
    old = {"at": "2026-03-01T10:00:00.000Z", "event": "PostToolUse", "tool": "Edit", "path": "a.py"}
    path.write_text(json.dumps(old) + "\n" + '{"at": "2026-03-01T10')
    assert list(journal_reader.read_session(path, tmp_path)) == [
        Started(START, "s1", "claude-code"),
        Call(START, "call-1", ToolKind.EDIT, "Edit", path="a.py"),
        Result(START, "call-1", True),
    ]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=10), inner, max_size=4),
    max_leaves=10,
)
FIELDS = (
    "at session host transcript branch tool call agent path outside cwd command pattern text failed count files "
    "removed added edits plan subject task status prompt source mode error interrupted last_assistant_message reason"
).split()
EVENTS = ["PreToolUse", "PostToolUse", "PostToolUseFailure", "UserPromptSubmit", "SessionStart", "Stop", "SessionEnd"]
ROWS = st.fixed_dictionaries({"event": st.sampled_from(EVENTS) | JSON}, optional=dict.fromkeys(FIELDS, JSON))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.lists(ROWS, max_size=5), st.binary(max_size=50))
def test_any_lines_are_read_into_events_that_a_scratchpad_takes(
    tmp_path: Path, rows: list[dict[str, object]], rest: bytes
) -> None:
    path = tmp_path / "any.jsonl"
    path.write_bytes("".join(json.dumps(row) + "\n" for row in rows).encode() + rest)
    journal_reader.list_journals(tmp_path)
    pad = Scratchpad()
    for event in journal_reader.read_session(path, tmp_path):
        pad.add_event(event)
        assert len(repr(event).encode()) < 20 * json_lines.TRANSCRIPT_TEXT_CHARS_MAX


def test_a_session_was_resumed_where_its_host_says_so(agent: Hooks, tmp_path: Path) -> None:
    assert journal_reader.find_resume(tmp_path / "missing.jsonl") == (None, 0.0)
    agent.used("Read", file_path=str(agent.root / "a.py"))
    assert journal_reader.find_resume(agent.path) == (None, 0.0), "its beginning was not told"
    agent.fire("SessionStart", source="startup")
    assert journal_reader.find_resume(agent.path) == (False, 0.0)
    agent.fire("SessionStart", source="resume")
    resumed_at = START + agent.second
    agent.fire("SessionStart", source="compact")
    assert journal_reader.find_resume(agent.path) == (True, resumed_at)


def test_the_sketch_of_an_output_is_read_and_other_values_are_dropped(agent: Hooks) -> None:
    page = "The client keeps its release tokens in the harbour vault, which every worker may open."
    agent.used("Read", page, "t1", file_path="/elsewhere/notes.md")
    (result,) = results(agent)
    assert (result.text, result.digests) == ("", tuple(sketch_text(page, 100, SKETCH_DIGESTS_ALONE)))
    assert journal_reader._parse_digests(["ff", "xyz", 3, "1" * 17, None]) == (255,)
