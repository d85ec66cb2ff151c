import json
import os
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from holloway.capture import json_lines, opencode, opencode_storage, session_files
from holloway.capture.session_files import from_transcript
from holloway.domain.event import (
    Call,
    Event,
    Interrupted,
    Plan,
    PlanItem,
    Prompt,
    Recorded,
    Result,
    Said,
    Started,
    Summarized,
    ToolKind,
    Usage,
)
from holloway.observer.scratchpad import Scratchpad
from tests.conftest import Repository

SESSION = "ses_main1"
START = 1_772_359_200
ENCODINGS = ("export", "storage", "database")


class Session:
    """Writes a session as OpenCode does, a message each ten seconds."""

    agent = "opencode"

    def __init__(self, root: Path, session: str = SESSION, start: int = START, **facts: object) -> None:
        self.start = start
        self.info = {"id": session, "directory": str(root), "time": {"created": start * 1000}, **facts}
        self.messages: list[dict[str, object]] = []
        self.session = session

    @property
    def now_ms(self) -> int:
        return (self.start + 10 * len(self.messages)) * 1000

    def message(self, role: str, *parts: Mapping[str, object], **info: object) -> None:
        info = {"role": role, "time": {"created": self.now_ms}, **info}
        self.messages.append({"info": info, "parts": list(parts)})

    def user(self, text: str, **part: object) -> None:
        self.message("user", {"type": "text", "text": text, **part})

    def assistant(self, *parts: Mapping[str, object], **info: object) -> None:
        self.message("assistant", {"type": "step-start"}, *parts, **info)

    def uses(
        self, tool: str, output: str = "", *, error: str = "", exit_code: object = ..., **arguments: object
    ) -> None:
        state: dict[str, object] = {"status": "completed", "input": arguments, "output": output}
        if error:
            state = {"status": "error", "input": arguments, "error": error}
        if exit_code is not ...:
            state["metadata"] = {"exit": exit_code, "output": output}
        self.assistant({"type": "tool", "tool": tool, "callID": "REDACTED", "state": state})

    def write(self, folder: Path, encoding: str = "export", agent: str = "opencode") -> Path:
        self.agent = agent
        return getattr(self, f"_write_{encoding}")(folder)  # type: ignore[no-any-return]

    def _write_export(self, folder: Path) -> Path:
        return self._save(folder / f"{self.session}.json", {"info": self.info, "messages": self.messages})

    def _write_storage(self, folder: Path) -> Path:
        storage = folder / "storage"
        for number, message in enumerate(self.messages):
            message_id = f"msg_{self.session}{number:03}"
            self._save(storage / "message" / self.session / f"{message_id}.json", message["info"])
            assert isinstance(message["parts"], list)
            for index, part in enumerate(message["parts"]):
                self._save(storage / "part" / message_id / f"prt_{index:03}.json", part)
        return self._save(storage / "session" / "project1" / f"{self.session}.json", self.info)

    def _write_database(self, folder: Path) -> Path:
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{self.agent}.db"
        database = sqlite3.connect(path)
        with database:
            database.execute("PRAGMA journal_mode = WAL")
            for table in (
                "session (id, parent_id, directory, time_created, time_updated)",
                "message (id, session_id, time_created, time_updated, data)",
                "part (id, message_id, session_id, time_created, time_updated, data)",
            ):
                database.execute(f"CREATE TABLE IF NOT EXISTS {table}")
            times = (self.start * 1000, self.now_ms)
            facts = (self.info["id"], self.info.get("parentID"), self.info["directory"])
            database.execute("INSERT INTO session VALUES (?, ?, ?, ?, ?)", (*facts, *times))
            for number, message in enumerate(self.messages):
                message_id = f"msg_{self.session}{number:03}"
                row = (message_id, self.session, *times, json.dumps(message["info"]))
                database.execute("INSERT INTO message VALUES (?, ?, ?, ?, ?)", row)
                assert isinstance(message["parts"], list)
                for index, part in enumerate(message["parts"]):
                    part_row = (f"prt_{number:03}{index:03}", message_id, self.session, *times, json.dumps(part))
                    database.execute("INSERT INTO part VALUES (?, ?, ?, ?, ?, ?)", part_row)
        database.close()
        return path / self.session

    @staticmethod
    def _save(path: Path, value: object) -> Path:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(value, indent=2), "utf-8")
        return path

    def events(self, tmp_path: Path, encoding: str = "export") -> list[Event]:
        return list(opencode.read_session(self.write(tmp_path, encoding), tmp_path / "project"))


@pytest.fixture
def session(tmp_path: Path) -> Session:
    return Session(tmp_path / "project")


def prompts(events: list[Event]) -> list[str]:
    return [event.text for event in events if isinstance(event, Prompt)]


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_a_session_is_told_in_its_order_wherever_it_is_stored(session: Session, tmp_path: Path, encoding: str) -> None:
    session.user("Fix the tokens")
    begin = session.now_ms
    calls = [
        {"type": "tool", "tool": "bash", "state": {
            "status": "completed", "input": {"command": "make test", "workdir": "web"}, "output": "1 failed\n",
            "metadata": {"exit": 1}, "time": {"start": begin + 3000, "end": begin + 7000},
        }},
        {"type": "tool", "tool": "grep", "state": {
            "status": "completed", "input": {"pattern": "token"}, "output": f"Found 1\n{tmp_path}/project/a.py:\n",
            "time": {"start": begin + 4000, "end": begin + 5000},
        }},
    ]  # fmt: skip
    tokens = {"input": 10, "output": 5, "cache": {"read": 100, "write": 1}}
    session.assistant(
        {"type": "reasoning", "text": "They expire.", "time": {"start": begin + 1000}},
        {"type": "text", "text": "I look.", "time": {"start": begin + 2000}},
        *calls,
        tokens=tokens,
        time={"created": begin, "completed": begin + 8000},
        path={"cwd": str(tmp_path / "project")},
    )
    at = START + 10
    assert session.events(tmp_path, encoding) == [
        Started(START, SESSION, "opencode"),
        Prompt(START, "Fix the tokens"),
        Said(at + 1, "They expire.", thinking=True),
        Said(at + 2, "I look."),
        Call(at + 3, "1.3", ToolKind.SHELL, "bash", command="cd web && make test"),
        Call(at + 4, "1.4", ToolKind.SEARCH, "grep", pattern="token"),
        Result(at + 5, "1.4", True, "Found 1\na.py:\n", ("a.py",), 1),
        Result(at + 7, "1.3", False, "1 failed\n"),
        Usage(at + 8, 111, 5, 111),
    ]


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_only_what_the_person_typed_is_a_prompt(session: Session, tmp_path: Path, encoding: str) -> None:
    session.user("Go")
    session.message("user", {"type": "subtask", "prompt": "Review it", "command": "review"})
    session.user("Summarize the output and go on", synthetic=True)
    session.user("A note that the model does not get", ignored=True)
    session.message("user", {"type": "file", "url": "file:///a.py"}, {"type": "text", "text": "See a.py"})
    session.message("user", {"type": "compaction", "auto": True})
    session.message("assistant", {"type": "text", "text": "The user wants tabs."}, summary=True, agent="compaction")
    events = session.events(tmp_path, encoding)
    assert prompts(events) == ["Go", "See a.py"]
    assert not any(isinstance(event, Said) for event in events)
    assert [event.text for event in events if isinstance(event, Summarized)] == ["The user wants tabs."]


def test_a_prompt_that_the_host_repeats_after_a_compaction_counts_once(session: Session, tmp_path: Path) -> None:
    session.user("Look at this picture")
    session.message("user", {"type": "compaction", "auto": True, "overflow": True})
    session.user("Look at this picture")
    session.user("Go on")
    session.message("user", {"type": "compaction", "auto": True})
    session.user("Go on")
    assert prompts(session.events(tmp_path)) == ["Look at this picture", "Go on", "Go on"]


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_a_subagents_prompts_are_not_the_persons(tmp_path: Path, encoding: str) -> None:
    child = Session(tmp_path / "project", "ses_child", parentID=SESSION)
    child.user("You are a reviewer")
    child.uses("todowrite", todos=[{"content": "one", "status": "pending"}])
    child.assistant({"type": "text", "text": "All is well."}, tokens={"input": 7})
    events = child.events(tmp_path, encoding)
    assert prompts(events) == []
    assert {event.actor for event in events if isinstance(event, Call | Said)} == {"ses_child"}
    assert [event.context for event in events if isinstance(event, Usage)] == [0]
    assert not any(isinstance(event, Plan) for event in events)


FEEDBACK = "The user rejected permission to use this specific tool call with the following feedback: never delete that"


@pytest.mark.parametrize(
    ("tool", "error", "heard"),
    [
        ("bash", FEEDBACK, ["never delete that"]),
        ("edit", f"Error: {FEEDBACK}", ["never delete that"]),
        ("webfetch", FEEDBACK, []),
        ("forms_bash", FEEDBACK, []),
        ("bash", f"It printed: {FEEDBACK}", []),
        ("bash", "The user rejected permission to use this specific tool call.", []),
    ],
)
def test_a_rejection_is_heard_from_the_hosts_own_tools_only(
    session: Session, tmp_path: Path, tool: str, error: str, heard: list[str]
) -> None:
    session.uses(tool, error=error, command="rm -rf build")
    session.uses("bash", FEEDBACK, exit_code=0, command="cat log")
    events = session.events(tmp_path)
    assert prompts(events) == heard
    assert [event.ok for event in events if isinstance(event, Result)] == [False, True]


def test_a_typed_answer_is_a_prompt_and_a_chosen_one_is_not(session: Session, tmp_path: Path) -> None:
    questions = [{"question": "Where?", "options": [{"label": "Redis"}, {"label": "A file"}]}]
    state = {"status": "completed", "input": {"questions": questions}, "output": "answered"}
    for tool, answers in (("question", [["Redis"]]), ("question", [["in SQLite"]]), ("forms_question", [["no"]])):
        session.assistant({"type": "tool", "tool": tool, "state": {**state, "metadata": {"answers": answers}}})
    events = session.events(tmp_path)
    assert prompts(events) == ["in SQLite"]
    assert [event.text for event in events if isinstance(event, Said)] == ["Where?"]


@pytest.mark.parametrize(("exit_code", "ok"), [(0, True), (1, False), (127, False), (None, False), ("0", False)])
def test_the_exit_code_decides_whether_a_command_failed(
    session: Session, tmp_path: Path, exit_code: object, ok: bool
) -> None:
    session.uses("bash", "out", exit_code=exit_code, command="make")
    assert [event.ok for event in session.events(tmp_path) if isinstance(event, Result)] == [ok]


def test_edits_are_those_that_the_host_recorded(session: Session, tmp_path: Path) -> None:
    root = tmp_path / "project"
    patch = "*** Begin Patch\n*** Update File: wrong.py\n@@\n-x\n+y\n*** End Patch"
    diff = "--- a.py\n+++ a.py\n@@ -1,3 +1,3 @@\n keep\n-old\n+new\n@@ -9 +9 @@\n--- dashes\n+later\n"
    files = [
        {"filePath": f"{root}/a.py", "type": "update", "diff": diff, "before": "b", "after": "a"},
        {"filePath": f"{root}/b.py", "type": "add", "diff": "--- b.py\n+++ b.py\n@@ -0,0 +1 @@\n+made\n"},
        {"filePath": "/elsewhere/c.py", "type": "delete", "diff": 3},
    ]
    state = {"status": "completed", "input": {"patchText": patch}, "output": "Success", "metadata": {"files": files}}
    session.assistant({"type": "tool", "tool": "apply_patch", "state": state})
    session.uses("apply_patch", error="no match", patchText=patch)
    session.uses("edit", "ok", filePath=f"{root}/d.py", oldString="one", newString="two")
    events = session.events(tmp_path)
    edits = [
        (event.kind, event.path, event.removed, event.added, event.outside)
        for event in events
        if isinstance(event, Call)
    ]
    assert edits == [
        (ToolKind.EDIT, "a.py", ("old", "-- dashes"), ("new", "later"), False),
        (ToolKind.WRITE, "b.py", (), ("made",), False),
        (ToolKind.EDIT, "/elsewhere/c.py", (), (), True),
        (ToolKind.EDIT, "wrong.py", ("x",), ("y",), False),
        (ToolKind.EDIT, "d.py", ("one",), ("two",), False),
    ]
    assert [event.ok for event in events if isinstance(event, Result)] == [True, True, True, False, True]


def test_plans_interruptions_and_what_was_read_are_told(session: Session, tmp_path: Path) -> None:
    session.message("user", {"type": "text", "text": "Plan it"}, agent="plan")
    session.message("user", {"type": "text", "text": "More"}, agent="plan")
    session.uses("todowrite", todos=[{"content": "one", "status": "completed"}, {"content": "two"}])
    read = "<path>/x/a.py</path>\n<type>file</type>\n<content>\n1: import os\n2: x = '3: y'\n</content>"
    session.uses("read", read, filePath=str(tmp_path / "project" / "a.py"))
    session.assistant({"type": "text", "text": "I"}, error={"name": "MessageAbortedError"})
    events = session.events(tmp_path)
    plans = [(event.items, event.mode) for event in events if isinstance(event, Plan)]
    assert plans == [((), True), ((PlanItem("one", True), PlanItem("two")), False)]
    assert [event.text for event in events if isinstance(event, Result)][1] == "import os\nx = '3: y'\n"
    assert isinstance(events[-1], Interrupted)


def test_tools_of_servers_are_told_apart_and_ours_records(session: Session, tmp_path: Path) -> None:
    session.uses("grep_search", "found", query="x")
    session.uses("holloway_record_memory", "noted", text="Use tabs", type="preference")
    events = session.events(tmp_path)
    assert [event.kind for event in events if isinstance(event, Call)] == [ToolKind.MCP, ToolKind.MCP]
    assert [event.text for event in events if isinstance(event, Recorded)] == ["Use tabs"]


def test_a_command_that_the_user_ran_is_not_the_agents(session: Session, tmp_path: Path) -> None:
    run = {"type": "tool", "tool": "bash", "state": {"status": "completed", "input": {"command": "ls"}, "output": "a"}}
    session.user("The following tool was executed by the user", synthetic=True)
    session.message("assistant", run)
    session.user("Go on", synthetic=True)
    session.assistant(run)
    assert len([event for event in session.events(tmp_path) if isinstance(event, Call)]) == 1


def test_a_call_without_an_end_has_no_result(session: Session, tmp_path: Path) -> None:
    session.assistant({"type": "tool", "tool": "bash", "state": {"status": "running", "input": {"command": "make"}}})
    assert [type(event) for event in session.events(tmp_path)] == [Started, Call]


@pytest.mark.promise("past-sessions")
@pytest.mark.parametrize("encoding", ["storage", "database"])
def test_sessions_of_a_project_are_found_with_their_subagents(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, encoding: str
) -> None:
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    person, root = tmp_path / "person", repository.root
    folder = person / ".local" / "share" / "opencode"
    main, child, deep, orphan, other = (
        Session(root),
        Session(root, "ses_child", START + 5, parentID=SESSION),
        Session(root, "ses_deep", START + 6, parentID="ses_child"),
        Session(root, "ses_orphan", START + 7, parentID="ses_gone"),
        Session(tmp_path / "elsewhere", "ses_other"),
    )
    for written in (main, child, deep, orphan, other):
        written.user(f"Go {written.session}")
        written.assistant({"type": "text", "text": f"Done {written.session}"})
    paths = [written.write(folder, encoding) for written in (main, child, deep, orphan, other)]
    found = session_files.find_transcripts(root, person)
    assert [(each.agent, each.session, each.path, set(each.parts)) for each in found] == [
        ("opencode", SESSION, paths[0], set(paths[1:3])),
        ("opencode", "ses_orphan", paths[3], set()),
    ]
    assert sorted(stored.path for stored in opencode.find_sessions(person, root)) == sorted(paths[:4])
    events = list(session_files.read_events(found[0], root))
    assert events[0] == Started(START, SESSION, "opencode")
    assert prompts(events) == ["Go ses_main1"]
    assert [event.actor for event in events if isinstance(event, Said)] == ["", "ses_child", "ses_deep"]
    assert session_files.open_transcript(paths[3], "opencode") == found[1]
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "nothing"))
    assert opencode.find_sessions(person, root) == []


@pytest.mark.promise("past-sessions")
def test_sessions_of_kilo_are_read_from_its_own_database(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    person, root = tmp_path / "person", repository.root
    folder = person / ".local" / "share" / "kilo"
    written = Session(root)
    written.user("Go")
    child = Session(root, "ses_child", START + 5, parentID=SESSION)
    child.assistant({"type": "text", "text": "Looked"})
    path = written.write(folder, "database", "kilo")
    child.write(folder, "database", "kilo")
    with closing(sqlite3.connect(path.parent)) as database:  # Kilo has such an index
        database.execute("CREATE INDEX role ON message (json_extract(data, '$.role'))")
    (transcript,) = session_files.find_transcripts(root, person)
    assert (transcript.agent, transcript.session, len(transcript.parts)) == ("kilo", SESSION, 1)
    events = list(session_files.read_events(transcript, root))
    assert events[0] == Started(START, SESSION, "kilo")
    assert prompts(events) == ["Go"]
    assert [event.actor for event in events if isinstance(event, Said)] == ["ses_child"]
    assert from_transcript(transcript).size > transcript.size
    opened = session_files.open_transcript(path, "kilo")
    assert opened is not None
    assert opened.agent == "kilo"


@pytest.mark.parametrize("encoding", ["storage", "database"])
def test_a_session_that_went_on_is_another_version_of_it(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, encoding: str
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    versions = []
    for count in (1, 2):
        session = Session(repository.root)
        for _ in range(count):
            session.user("Go")
        (tmp_path / "opencode" / "opencode.db").unlink(missing_ok=True)
        session.write(tmp_path / "opencode", encoding)
        (found,) = session_files.find_transcripts(repository.root, tmp_path)
        versions.append((from_transcript(found).size, from_transcript(found).modified_at))
    assert versions[0] != versions[1]


def test_a_session_in_files_and_in_the_database_is_found_once(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    session = Session(repository.root)
    session.user("Go")
    for encoding in ("storage", "database"):
        path = session.write(tmp_path / "opencode", encoding)
    assert [stored.path for stored in opencode.find_sessions(tmp_path, repository.root)] == [path]
    (tmp_path / "opencode" / "opencode.db").write_bytes(b"SQLite format 3\x00" + os.urandom(500))
    sessions = opencode.find_sessions(tmp_path, repository.root)
    assert [stored.path.parent.name for stored in sessions] == ["project1"]


def test_the_id_comes_from_the_file_name_where_it_was_cut_out(session: Session, tmp_path: Path) -> None:
    session.info["id"] = "REDACTED"
    started = session.events(tmp_path)[0]
    assert isinstance(started, Started)
    assert started.session == SESSION


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"[1]", b'{"info": 3, "messages": 4}', b"[" * 100_000, b"\xff\xfe", b'{"info": {}, "messages": []}'],
)
def test_a_malformed_document_has_no_events(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "any.json"
    path.write_bytes(content)
    assert list(opencode.read_session(path, tmp_path)) == []
    assert list(opencode.read_session(tmp_path / "gone.json", tmp_path)) == []


def test_what_is_too_large_is_left_out(session: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    session.user("Go")
    session.user("x" * 5_000)
    session.user("on")
    monkeypatch.setattr(opencode_storage, "LINE_BYTES_MAX", 2_000)
    assert prompts(session.events(tmp_path, "database")) == ["Go", "on"]
    monkeypatch.setattr(opencode_storage, "MESSAGES_MAX", 1)
    for encoding in ENCODINGS:
        assert prompts(session.events(tmp_path / encoding, encoding)) == ["Go"]
    monkeypatch.setattr(opencode_storage, "EXPORT_BYTES_MAX", 1_000)
    assert session.events(tmp_path) == []


def test_text_that_is_not_unicode_is_replaced(session: Session, tmp_path: Path) -> None:
    session.user("use \ud800 tabs")
    path = session.write(tmp_path)
    path.write_bytes(path.read_bytes().replace(b"tabs", b"t\xffbs"))
    assert prompts(list(opencode.read_session(path, tmp_path))) == ["use ? t\ufffdbs"]


def test_ids_in_a_database_cannot_leave_it(repository: Repository, tmp_path: Path) -> None:
    for session in ("../../secret", "a/b", "x" * 200, ""):
        Session(repository.root, session).write(tmp_path, "database")
    assert opencode_storage.list_sessions(tmp_path, lambda _: True) == []


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=10), inner, max_size=4),
    max_leaves=10,
)
STATES = st.fixed_dictionaries(
    {"status": st.sampled_from(["completed", "error", "running"]) | JSON},
    optional=dict.fromkeys("input output error time".split(), JSON)
    | {"metadata": st.dictionaries(st.sampled_from(["exit", "files", "answers", "count"]), JSON) | JSON},
)
PARTS = st.fixed_dictionaries(
    {"type": st.sampled_from("text reasoning tool compaction subtask step-start".split()) | JSON},
    optional=dict.fromkeys("text synthetic ignored time overflow".split(), JSON)
    | {"tool": st.sampled_from(["bash", "read", "question", "apply_patch", "x_y"]) | JSON, "state": STATES | JSON},
)
INFOS = st.fixed_dictionaries(
    {"role": st.sampled_from(["user", "assistant"]) | JSON},
    optional=dict.fromkeys("time agent summary tokens path error".split(), JSON),
)
MESSAGES = st.fixed_dictionaries({"info": INFOS | JSON, "parts": st.lists(PARTS | JSON, max_size=4) | JSON})
FACTS = st.dictionaries(st.sampled_from(["id", "parentID", "directory", "time", "title"]), JSON)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(FACTS | JSON, st.lists(MESSAGES | JSON, max_size=4) | JSON)
def test_any_export_is_read_into_events_that_a_scratchpad_takes(tmp_path: Path, info: object, messages: object) -> None:
    path = tmp_path / "any.json"
    path.write_text(json.dumps({"info": info, "messages": messages}))
    pad = Scratchpad()
    for event in opencode.read_session(path, tmp_path):
        pad.add_event(event)
        assert len(repr(event).encode()) < 20 * json_lines.TRANSCRIPT_TEXT_CHARS_MAX


CELLS = st.none() | st.integers(-(2**63), 2**63 - 1) | st.floats() | st.text(max_size=20) | st.binary(max_size=20)
DATA = MESSAGES.map(lambda message: json.dumps(message["info"])) | CELLS
PART_DATA = PARTS.map(json.dumps) | CELLS


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.tuples(CELLS, CELLS, CELLS, CELLS), st.lists(st.tuples(CELLS, DATA, PART_DATA), max_size=3))
def test_any_rows_are_read_into_events_that_a_scratchpad_takes(
    tmp_path: Path, facts: tuple[object, ...], rows: list[tuple[object, object, object]]
) -> None:
    folder = tmp_path / "any"
    (folder / "opencode.db").unlink(missing_ok=True)
    path = Session(tmp_path, "ses_any").write(folder, "database")
    database = sqlite3.connect(path.parent)
    with database:
        for number, (time, message, part) in enumerate(rows):
            database.execute("INSERT INTO message VALUES (?, 'ses_any', ?, ?, ?)", (number, time, time, message))
            database.execute("INSERT INTO part VALUES (?, ?, 'ses_any', ?, ?, ?)", (number, number, time, time, part))
        database.execute("UPDATE session SET parent_id = ?, directory = ?, time_created = ?, time_updated = ?", facts)
    database.close()
    pad = Scratchpad()
    for found in opencode_storage.list_sessions(folder, lambda _: True):
        for event in opencode.read_session(found.path, tmp_path):
            pad.add_event(event)
    assert pad.start is not None


def test_a_prompt_from_the_command_line_has_no_quotation_marks_of_the_host(tmp_path: Path) -> None:
    session = Session(tmp_path / "project")
    session.user('"Why does it hang?"')
    session.user('"this" or "that"')
    session.user('say "hello"')
    assert prompts(session.events(tmp_path)) == ["Why does it hang?", '"this" or "that"', 'say "hello"']
