from pathlib import Path

import pytest

from holloway.capture import session_reader
from holloway.capture.session_reader import Following, Plans
from holloway.config import SCRATCHPAD_FILES_MAX, SCRATCHPAD_PLAN_ITEMS_MAX
from holloway.domain.event import Call, Interrupted, Plan, PlanItem, Prompt, Recorded, Result, ToolKind

RECORD = "mcp__holloway__record_memory"
NOTE = {"text": " Dates are UTC ", "type": "gotcha", "files": ["src/a.py", "src/b.py"]}


@pytest.fixture
def session(tmp_path: Path) -> Following:
    following = Following(tmp_path)
    following.entry_time("2026-03-01T10:00:00Z")
    return following


def test_an_entry_without_a_time_gets_that_of_the_entry_before(session: Following) -> None:
    first = session.entry_time("2026-03-01T10:00:07Z")
    assert session.entry_time(None) == first
    assert session.entry_time("no time") == first
    assert session.entry_time("2026-03-01T10:00:08Z") == first + 1


def test_an_entry_without_a_folder_keeps_the_folder_before(session: Following) -> None:
    session.set_folder("/srv/shop/a")
    session.set_folder(None)
    assert session.cwd == "/srv/shop/a"


def test_a_call_and_its_result_have_one_id_and_paths_of_the_project(session: Following, tmp_path: Path) -> None:
    (event,) = session.record_tool_use("Read", {"file_path": str(tmp_path / "src/a.py")}, "t1", "helper")
    assert event == Call(session.at, "t1", ToolKind.READ, "Read", path="src/a.py", actor="helper")
    assert (call := session.find_open_call("t1")) is not None
    assert call.kind is ToolKind.READ
    (result,) = session.record_answer("t1", f"in {tmp_path}/src/a.py", ok=False)
    assert result == Result(session.at, "t1", False, "in src/a.py")


def test_a_call_is_answered_once(session: Following) -> None:
    session.record_tool_use("Read", {"file_path": "a.py"}, "t1")
    assert session.record_answer("other", "text", ok=True) == []
    assert session.record_answer("t1", "text", ok=True)
    assert session.record_answer("t1", "text", ok=True) == []
    assert session.find_open_call("t1") is None


def test_a_call_that_is_written_twice_counts_once(session: Following) -> None:
    assert session.record_tool_use("Bash", {"command": "ls"}, "t1")
    assert session.record_tool_use("Bash", {"command": "ls"}, "t1") == []


def test_calls_without_an_id_are_numbered_and_those_without_a_name_are_dropped(session: Following) -> None:
    named = [session.record_tool_use("Bash", {"command": command}, None)[0] for command in ("ls", "pwd")]
    assert [call.call for call in named if isinstance(call, Call)] == ["call-1", "call-2"]
    assert session.record_tool_use("Bash", {"command": "ls"}, "t1")[0].call == "t1"  # type: ignore[union-attr]
    assert session.record_tool_use(None, {"command": "ls"}, "t2") == []


def test_each_file_of_a_patch_gets_a_copy_of_the_result(session: Following) -> None:
    patch = "*** Begin Patch\n*** Update File: a.py\n-x\n+y\n*** Update File: b.py\n-x\n+y\n*** End Patch"
    calls = session.record_tool_use("apply_patch", {"input": patch}, "t1")
    results = session.record_answer("t1", "Done", ok=True)
    assert [call.path for call in calls if isinstance(call, Call)] == ["a.py", "b.py"]
    assert [result.call for result in results if isinstance(result, Result)] == ["t1", "t1#2"]


def test_the_oldest_open_call_is_given_up_above_the_limit(session: Following, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session_reader, "OPEN_CALLS_MAX", 2)
    for name in ("t1", "t2"):
        session.record_tool_use("Bash", {"command": "ls"}, name)
    assert (call := session.find_open_call("t1")) is not None
    assert call.kind is ToolKind.SHELL
    session.record_tool_use("Bash", {"command": "ls"}, "t3")
    open_calls = [session.find_open_call(name) for name in ("t1", "t2", "t3")]
    assert [call and call.call for call in open_calls] == [None, "t2", "t3"]


def test_a_search_names_the_files_of_its_output_unless_the_host_lists_them(session: Following, tmp_path: Path) -> None:
    session.record_tool_use("Grep", {"pattern": "refresh"}, "t1")
    (found,) = session.record_answer("t1", f"{tmp_path}/src/a.py\nsrc/b.py", ok=True)
    assert isinstance(found, Result)
    assert (found.files, found.count) == (("src/a.py", "src/b.py"), 2)
    session.record_tool_use("Grep", {"pattern": "refresh"}, "t2")
    (listed,) = session.record_answer("t2", "src/b.py", ok=True, named=[str(tmp_path / "src/c.py")], count=7)
    assert isinstance(listed, Result)
    assert (listed.files, listed.count) == (("src/c.py",), 7)


def test_a_result_keeps_so_many_files_and_counts_all(session: Following) -> None:
    session.record_tool_use("Glob", {"pattern": "*.py"}, "t1")
    output = "\n".join(f"{number}.py" for number in range(SCRATCHPAD_FILES_MAX + 1))
    (result,) = session.record_answer("t1", output, ok=True)
    assert isinstance(result, Result)
    assert (len(result.files), result.count) == (SCRATCHPAD_FILES_MAX, SCRATCHPAD_FILES_MAX + 1)


def test_what_the_host_says_of_an_edit_is_kept_with_its_result(session: Following) -> None:
    session.record_tool_use("Edit", {"file_path": "a.py", "old_string": "x", "new_string": "y"}, "t1")
    (result,) = session.record_answer("t1", "", ok=True, changed_by_user=True, applied=("z",), digests=(3,))
    assert result == Result(session.at, "t1", True, changed_by_user=True, applied=("z",), digests=(3,))


def test_a_note_is_recorded_once_its_call_has_succeeded(session: Following) -> None:
    assert [type(event) for event in session.record_tool_use(RECORD, NOTE, "t1", "helper")] == [Call]
    result, note = session.record_answer("t1", "ok", ok=True)
    assert isinstance(result, Result)
    assert note == Recorded(session.at, "Dates are UTC", "gotcha", ("src/a.py", "src/b.py"), "helper")


def test_a_note_that_is_empty_or_was_refused_is_not_recorded(session: Following) -> None:
    session.record_tool_use(RECORD, NOTE, "t1")
    session.record_tool_use(RECORD, {"text": "  "}, "t2")
    assert [type(event) for event in session.record_answer("t1", "no", ok=False)] == [Result]
    assert [type(event) for event in session.record_answer("t2", "ok", ok=True)] == [Result]


def test_waiting_notes_are_bounded(session: Following, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session_reader, "OPEN_CALLS_MAX", 1)
    for name in ("t1", "t2"):
        session.queue_note(name, NOTE)
    assert list(session._records) == ["t1"]


def test_a_prompt_that_is_recorded_twice_at_once_counts_once(session: Following) -> None:
    start = session.at
    assert session.record_prompt("Fix it") == [Prompt(start, "Fix it")]
    session.entry_time("2026-03-01T10:00:02Z")
    assert session.record_prompt("Fix it") == []
    assert session.record_prompt("Test it") == [Prompt(start + 2, "Test it")]
    session.entry_time("2026-03-01T10:00:05Z")
    assert session.record_prompt("Test it") == [Prompt(start + 5, "Test it")]


def test_an_interruption_may_bring_a_prompt(session: Following) -> None:
    assert session.record_prompt("[Request interrupted by user]") == [Interrupted(session.at)]
    assert session.record_prompt("[Request interrupted by user for tool use] Use SQLite") == [
        Interrupted(session.at),
        Prompt(session.at, "Use SQLite"),
    ]
    assert session.record_prompt("") == []


def test_the_plan_comes_with_the_call_of_the_main_agent_only(session: Following) -> None:
    todos = {"todos": [{"content": "Write it", "status": "completed"}, {"content": ""}, {"content": "Test it"}]}
    call, plan = session.record_tool_use("TodoWrite", todos, "t1")
    assert isinstance(call, Call)
    assert plan == Plan(session.at, (PlanItem("Write it", True), PlanItem("Test it")))
    assert len(session.record_tool_use("TodoWrite", todos, "t2", "helper")) == 1
    assert session.record_tool_use("TodoWrite", todos, "t2") == []


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("update_plan", {"plan": [{"step": "Write it", "status": "done"}, {"step": "Test it", "status": "pending"}]}),
        ("write_todos", {"todos": [{"description": "Write it", "done": True}, {"title": "Test it", "done": 1}]}),
        ("todowrite", {"todos": [{"text": "Write it", "status": "complete"}, {"content": "", "text": "Test it"}]}),
    ],
)
def test_lists_of_every_host_become_the_same_plan(tool: str, arguments: dict[str, object]) -> None:
    assert Plans().apply_tool(tool, arguments, 3.0) == Plan(3.0, (PlanItem("Write it", True), PlanItem("Test it")))


def test_the_numbered_steps_of_a_plan_in_prose_are_its_items() -> None:
    prose = "# Plan\n\n1. Write it\n**2) Test it**\n- not a step\nStep 3: Ship it\n4. x\n"
    plan = Plans().apply_tool("ExitPlanMode", {"plan": prose}, 3.0)
    assert plan == Plan(3.0, (PlanItem("Write it"), PlanItem("Test it"), PlanItem("Ship it")), mode=True)
    assert Plans().apply_tool("EnterPlanMode", {}, 3.0) == Plan(3.0, mode=True)


def test_tasks_are_changed_by_their_number() -> None:
    plans = Plans()
    assert plans.apply_tool("TaskCreate", {"subject": ""}, 1.0) is None
    assert plans.apply_tool("TaskCreate", {"subject": "Write it"}, 1.0) == Plan(1.0, (PlanItem("Write it"),))
    plans.apply_tool("TaskCreate", {"subject": "Test it"}, 1.0)
    assert plans.apply_tool("TaskUpdate", {"taskId": "1", "status": "completed"}, 1.0) is None
    done = (PlanItem("Write it", True), PlanItem("Test it"))
    assert plans.apply_tool("TaskUpdate", {"taskId": 2, "status": "completed"}, 2.0) == Plan(2.0, done)
    assert plans.apply_tool("TaskUpdate", {"taskId": "2"}, 3.0) == Plan(3.0, done)
    assert plans.apply_tool("TaskUpdate", {"taskId": "2", "status": "deleted"}, 4.0) == Plan(4.0, done[1:])
    assert plans.apply_tool("TaskList", {}, 5.0) is None


def test_plans_are_bounded() -> None:
    many = SCRATCHPAD_PLAN_ITEMS_MAX + 1
    plans = Plans()
    made = [plans.apply_tool("TaskCreate", {"subject": f"Part {number}"}, 1.0) for number in range(many)]
    assert made[-2] is not None
    assert made[-1] is None
    listed = plans.apply_tool("TodoWrite", {"todos": [{"content": str(number)} for number in range(many)]}, 1.0)
    prose = plans.apply_tool("ExitPlanMode", {"plan": "1. Do it\n" * many}, 1.0)
    assert listed is not None
    assert prose is not None
    assert (len(listed.items), len(prose.items)) == (SCRATCHPAD_PLAN_ITEMS_MAX, SCRATCHPAD_PLAN_ITEMS_MAX)
