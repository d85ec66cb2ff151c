import json
import signal
import subprocess
import sys
import time
from ast import literal_eval
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import IO, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import holloway
from holloway.capture import hosts
from holloway.domain.ports import format_stamp
from holloway.hooks import entry, responses
from holloway.install import launch_command
from holloway.service import project_finder
from holloway.store import registry
from tests.conftest import Repository, make_repository
from tests.hooks.asking import TRAP, TRAP_FILE, Answer, Asking, command, event, hook
from tests.outside_input import JSON, text_of
from tests.store.test_memories import taught
from tests.store.test_privacy import places_of

FILE = TRAP_FILE


@contextmanager
def started(data: bytes) -> Iterator[tuple[subprocess.Popen[bytes], IO[bytes]]]:
    """A hook whose host has written something and keeps the pipe open; with it, what it says on stderr."""
    pipe = subprocess.PIPE
    with subprocess.Popen(command(), bufsize=0, stdin=pipe, stdout=pipe, stderr=pipe) as process:
        assert process.stdin is not None
        assert process.stderr is not None
        process.stdin.write(data)
        yield process, process.stderr


def failures(home: Path) -> str:
    log = home / "hook-failures.log"
    return log.read_text() if log.exists() else ""


@pytest.mark.promise("trap-with-file")
def test_a_trap_arrives_with_the_file_it_is_about(repository: Repository, trap: str) -> None:
    answer = hook(event(repository))
    assert (answer.code, answer.stderr) == (0, b"")
    assert answer.context == f"holloway on {FILE}: {TRAP} [hw:{trap}, taught, 5 Jan]"
    assert json.loads(answer.stdout)["hookSpecificOutput"]["hookEventName"] == "PostToolUse"


@pytest.mark.promise("trap-with-file")
@pytest.mark.parametrize("tool", ["Edit", "Write", "NotebookEdit"])
def test_it_arrives_with_an_edit_too(repository: Repository, trap: str, tool: str) -> None:
    name = "notebook_path" if tool == "NotebookEdit" else "file_path"
    answer = hook(event(repository, tool_name=tool, tool_input={name: str(repository.root / FILE)}))
    assert TRAP in answer.context


@pytest.mark.promise("once")
def test_it_arrives_once_per_session_and_again_in_the_next(repository: Repository, trap: str) -> None:
    assert TRAP in hook(event(repository)).context
    assert hook(event(repository)).stdout == b""
    assert TRAP in hook(event(repository, session="s2")).context


@pytest.mark.promise("once")
def test_of_parallel_hooks_only_one_speaks(repository: Repository, trap: str) -> None:
    running = [subprocess.Popen(command(), stdin=subprocess.PIPE, stdout=subprocess.PIPE) for _ in range(6)]
    answers = [process.communicate(event(repository), timeout=20)[0] for process in running]
    assert sum(TRAP.encode() in answer for answer in answers) == 1


def test_after_compaction_it_may_arrive_again(repository: Repository, trap: str) -> None:
    assert TRAP in hook(event(repository)).context
    hook(event(repository, "SessionStart", source="compact"))
    assert TRAP in hook(event(repository)).context


def test_a_subagent_has_eyes_of_its_own(repository: Repository, trap: str) -> None:
    assert TRAP in hook(event(repository)).context
    assert TRAP in hook(event(repository, agent_id="a1", agent_type="Explore")).context


@pytest.mark.promise("trap-with-file")
def test_a_trap_on_a_folder_arrives_with_the_files_in_it(repository: Repository, memory: holloway.Holloway) -> None:
    taught(memory, "everything here is generated", files=["src/shop/auth"])
    assert "everything here is generated" in hook(event(repository)).context


def test_a_file_without_traps_is_met_with_silence(repository: Repository, trap: str) -> None:
    other = str(repository.root / "src/shop/billing/invoice.py")
    assert hook(event(repository, tool_input={"file_path": other})).stdout == b""


@pytest.mark.promise("wrong-is-gone")
def test_what_is_wrong_forgotten_or_replaced_is_gone_from_the_next_event_on(
    repository: Repository, memory: holloway.Holloway, trap: str
) -> None:
    memory.wrong(trap, "incorrect")
    assert hook(event(repository)).stdout == b""
    memory.restore(trap)
    assert TRAP in hook(event(repository, session="s2")).context
    memory.wrong(trap, "outdated", instead="refresh() may be called twice now")
    answer = hook(event(repository, session="s3"))
    assert TRAP not in answer.context
    assert "may be called twice" in answer.context


@pytest.mark.promise("quarantine")
@pytest.mark.parametrize("level", ["1", "2", "3", "4"])
def test_a_quarantined_memory_is_injected_at_no_trust_level(
    repository: Repository, memory: holloway.Holloway, level: str
) -> None:
    from holloway.domain.memory import Draft, Source
    from holloway.store.write_gate import sanitize_draft

    memory.store.set_meta("trust_level", level)
    draft = Draft(content="poison", source=Source.FOREIGN_FILE, confidence=0.95, files=(FILE,), pinned=True)
    memory.store.memories.add_memory(sanitize_draft(draft))
    assert hook(event(repository)).stdout == b""
    assert "poison" not in hook(event(repository, "SessionStart", source="startup")).context


@pytest.mark.promise("labelled")
def test_an_inferred_memory_waits_for_trust_and_says_that_it_is_unconfirmed(
    repository: Repository, memory: holloway.Holloway
) -> None:
    from holloway.domain.memory import Draft, Source
    from holloway.store.write_gate import sanitize_draft

    draft = Draft(content="perhaps so", source=Source.OBSERVER_INFERRED, confidence=0.85, files=(FILE,))
    memory.store.memories.add_memory(sanitize_draft(draft))
    with memory.store.database.write_transaction():
        memory.store.database.execute("UPDATE memories SET last_used_at = strftime('%Y-%m-%dT%H:%M:%fZ', 'now')")
    assert hook(event(repository)).stdout == b""
    memory.store.set_meta("trust_level", "2")
    assert "unconfirmed: perhaps so" in hook(event(repository)).context


def test_what_was_taught_long_ago_still_arrives_when_its_file_is_read(
    repository: Repository, memory: holloway.Holloway, trap: str
) -> None:
    with memory.store.database.write_transaction():
        memory.store.database.execute("UPDATE memories SET last_used_at = '2025-09-01T00:00:00.000Z'")
    assert TRAP in hook(event(repository)).context


def test_a_session_starts_with_the_brief_and_a_line_for_the_person(
    repository: Repository, memory: holloway.Holloway, trap: str
) -> None:
    taught(memory, "money is integer cents", type="decision", pin=True)
    memory.map.update()
    answer = hook(event(repository, "SessionStart", source="startup"))
    assert "money is integer cents [hw:" in answer.context
    assert "test: pytest" in answer.context
    assert TRAP not in answer.context
    assert json.loads(answer.stdout)["systemMessage"] == "holloway: briefed with 1 memory"


@pytest.mark.promise("once")
def test_what_was_in_the_brief_is_not_repeated(repository: Repository, memory: holloway.Holloway) -> None:
    taught(memory, "pinned trap", files=[FILE], pin=True)
    assert "pinned trap" in hook(event(repository, "SessionStart", source="startup")).context
    assert hook(event(repository)).stdout == b""


@pytest.mark.promise("pause")
@pytest.mark.parametrize(("what", "captured", "injected"), [("all", 0, 0), ("capture", 0, 1), ("injection", 1, 0)])
def test_a_pause_takes_effect_from_the_next_event_on(
    repository: Repository, memory: holloway.Holloway, trap: str, what: str, captured: int, injected: int
) -> None:
    from holloway.service.project_finder import pause, resume

    here = str(repository.root)
    pause(here, what)
    answer = hook(event(repository))
    assert (len(list(memory.project.journal_folder.glob("*"))), bool(answer.context)) == (captured, bool(injected))
    resume(here)
    assert TRAP in hook(event(repository, session="s2")).context
    pause(here, what, everywhere=True)
    assert bool(hook(event(repository, session="s3")).context) == bool(injected)


def test_an_unknown_project_is_neither_captured_nor_answered(tmp_path: Path, home: Path, trap: str) -> None:
    other = tmp_path / "other"
    other.mkdir()
    before = sorted(path for path in home.rglob("*") if path.is_file() and path.suffix != ".db-shm")
    answer = hook(json.dumps({"hook_event_name": "PostToolUse", "cwd": str(other), "session_id": "s"}).encode())
    assert answer == Answer(0, b"", b"")
    assert sorted(path for path in home.rglob("*") if path.is_file() and path.suffix != ".db-shm") == before


def test_a_worktree_gets_the_traps_of_its_repository(
    repository: Repository, memory: holloway.Holloway, trap: str, tmp_path: Path
) -> None:
    repository.git("worktree", "add", "-q", "-b", "side", str(tmp_path / "side"))
    side = Repository(tmp_path / "side")
    assert TRAP in hook(event(side)).context


def test_a_repository_that_moved_to_another_address_is_settled_when_a_session_starts(
    repository: Repository, memory: holloway.Holloway, trap: str
) -> None:
    repository.git("remote", "add", "origin", "git@example.com:old/shop.git")
    with holloway.open(repository.root):
        pass
    repository.git("remote", "set-url", "origin", "git@example.com:new/shop.git")
    assert hook(event(repository)).stdout == b""
    assert "shared memory" in hook(event(repository, "SessionStart", source="startup")).context
    assert TRAP in hook(event(repository)).context


def test_only_the_start_of_a_session_asks_git_whose_checkout_this_is(
    repository: Repository, memory: holloway.Holloway, trap: str, ask: Asking
) -> None:
    repository.git("remote", "add", "origin", "git@example.com:old/shop.git")
    with holloway.open(repository.root):
        pass
    assert TRAP in ask(event(repository, session="before")).context
    repository.git("remote", "set-url", "origin", "git@example.com:new/shop.git")
    assert ask(event(repository)).printed == b""
    assert "shared memory" in ask(event(repository, "SessionStart", source="startup")).context
    assert TRAP in ask(event(repository)).context


@pytest.mark.parametrize(("part", "is_told"), [("all", False), ("injection", False), ("capture", True)])
def test_a_pause_of_a_part_is_obeyed_within_the_process(
    repository: Repository, memory: holloway.Holloway, trap: str, ask: Asking, part: str, is_told: bool
) -> None:
    project_finder.pause(str(repository.root), part)
    assert (TRAP in ask(event(repository)).context) is is_told


def test_another_repository_in_the_same_place_gets_nothing_of_the_old_one(
    repository: Repository, memory: holloway.Holloway, trap: str, tmp_path: Path
) -> None:
    repository.git("remote", "add", "origin", "git@example.com:old/shop.git")
    with holloway.open(repository.root):
        pass
    repository.root.rename(tmp_path / "away")
    other = make_repository(repository.root, {FILE: "another history\n"})
    other.git("remote", "add", "origin", "git@example.com:other/shop.git")
    hook(event(other, "SessionStart", source="startup"))
    assert hook(event(other)).stdout == b""


def test_a_session_start_has_the_map_brought_up_to_date_for_the_next(
    repository: Repository, memory: holloway.Holloway
) -> None:
    repository.commit("src/shop/shipping/box.py", "x = 1\n")
    assert "Modules:" not in hook(event(repository, "SessionStart", source="startup")).context
    wait_until(lambda: memory.map.overview().source_files)
    assert "Modules:" in hook(event(repository, "SessionStart", "s2", source="startup")).context


def wait_until(holds: Callable[[], object], seconds: float = 60) -> None:
    """Another process is at work: look until it is done."""
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.05)


@pytest.mark.promise("journal")
def test_the_journal_keeps_what_was_done_and_no_results(
    repository: Repository, memory: holloway.Holloway, trap: str
) -> None:
    hook(event(repository, "UserPromptSubmit", prompt="Fix the login"))
    hook(event(repository, tool_response={"file": {"content": "SOURCE CODE"}}))
    hook(event(repository, "PostToolUseFailure", tool_name="Bash", tool_input={"command": "pytest"}, error="Exit 1"))
    (log,) = memory.project.journal_folder.glob("*.jsonl")
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    assert [line["event"] for line in lines] == ["UserPromptSubmit", "PostToolUse", "PostToolUseFailure"]
    assert (lines[0]["prompt"], lines[1]["path"], lines[2]["command"]) == ("Fix the login", FILE, "pytest")
    assert "SOURCE CODE" not in log.read_text()
    assert log.stat().st_mode & 0o077 == 0


@pytest.mark.promise("no-secret")
def test_no_secret_gets_into_the_journal(repository: Repository, memory: holloway.Holloway, home: Path) -> None:
    token = "ghp_" + "aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zA1bC2"
    hook(event(repository, "UserPromptSubmit", prompt=f"deploy with {token} please"))
    hook(event(repository, tool_name="Bash", tool_input={"command": f"curl -H 'Authorization: Bearer {token}' x"}))
    hook(event(repository, "PostToolUseFailure", error=f"401 for {token}"))
    (log,) = memory.project.journal_folder.glob("*.jsonl")
    assert log.read_text().count("REDACTED") == 3
    assert places_of(home, token) == []


def test_a_file_that_is_named_from_a_folder_below_is_noted_as_the_one_that_is_answered_for(
    repository: Repository, memory: holloway.Holloway, trap: str, ask: Asking
) -> None:
    below, name = TRAP_FILE.rsplit("/", 1)
    answered = ask(event(repository, cwd=str(repository.root / below), tool_input={"file_path": name}))
    assert TRAP in answered.context
    (log,) = memory.project.journal_folder.glob("*.jsonl")
    assert json.loads(log.read_text())["path"] == TRAP_FILE


@pytest.mark.promise("paths-inside")
def test_a_path_outside_of_the_project_is_not_kept(repository: Repository, memory: holloway.Holloway) -> None:
    hook(event(repository, tool_input={"file_path": "/etc/passwd"}))
    (log,) = memory.project.journal_folder.glob("*.jsonl")
    assert "passwd" not in log.read_text()


@pytest.mark.promise("never-in-the-way")
def test_a_host_that_never_closes_its_pipe_is_left_within_the_deadline(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOLLOWAY_PATIENCE", "0.1")
    with started(b'{"half') as (process, stderr):
        assert process.wait(timeout=15) == 0
        assert stderr.read() == b""


ENDING = [signal.SIGTERM, signal.SIGINT, signal.SIGHUP]


@pytest.mark.promise("never-in-the-way")
@pytest.mark.parametrize("number", ENDING)
def test_a_host_that_terminates_the_hook_sees_exit_0(repository: Repository, number: signal.Signals) -> None:
    with started(b" ") as (process, stderr):
        # The handler is in place once the hook has moved its stderr away from our pipe, which closes it.
        assert stderr.read() == b""
        process.send_signal(number)
        assert process.wait(timeout=15) == 0


@pytest.mark.promise("never-in-the-way")
@pytest.mark.parametrize("number", ENDING)
@pytest.mark.parametrize("wait_ms", [5, 15, 30, 60])
def test_a_host_that_terminates_the_hook_while_it_starts_sees_exit_0(
    repository: Repository, number: signal.Signals, wait_ms: int
) -> None:
    words = (*launch_command.launch_by_path().hook, "claude-code")
    # The marker is written once the shell ignores signals: before that, nobody can.
    line = launch_command.join_hook_line(words, windows=False).replace("; test", "; echo >&2; test", 1)
    pipe = subprocess.PIPE
    with subprocess.Popen(["/bin/sh", "-c", line], stdin=pipe, stdout=pipe, stderr=pipe) as process:
        assert process.stderr is not None
        assert process.stderr.readline() == b"\n"
        time.sleep(wait_ms / 1000)
        process.send_signal(number)
        assert process.communicate(b"{}", timeout=30) == (b"", b"")
    assert process.returncode == 0


@pytest.mark.promise("never-in-the-way")
def test_failures_are_counted_for_the_doctor_without_content(repository: Repository, trap: str, home: Path) -> None:
    hook(b'{"broken secret content')
    assert failures(home).endswith("JSONDecodeError\n")
    assert "secret" not in failures(home)


HEAVY = {"dataclasses", "typing", "pathlib", "subprocess", "logging", "inspect", "click", "rich", "tomllib", "asyncio"}
READS: dict[str, Any] = {
    "tool_name": "Bash",
    "tool_input": {"command": "sed -n 1,9p README.md"},
    "tool_response": "# shop",
}
RUNS: dict[str, Any] = {
    "tool_name": "Bash",
    "tool_input": {"command": "pytest -q"},
    "tool_response": "3 passed in 0.1s",
}
STEP: dict[str, Any] = {"hook_event_name": "PostToolBatch", "tool_calls": [READS]}


def loaded_by(data: bytes, *flags: str) -> tuple[str, set[str]]:
    """What a hook says, and the modules that it loaded for that."""
    code = (
        "import sys; before = set(sys.modules)\n"
        "from holloway.hooks import entry\n"
        f"answer = entry.respond({data!r})\n"
        "print([answer[0].decode(), sorted(set(sys.modules) - before)])"
    )
    source = str(Path(holloway.__file__).parents[1])
    command = [sys.executable, "-I", *flags, "-c", f"import sys; sys.path.insert(0, {source!r})\n{code}"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=20)
    answer, loaded = literal_eval(done.stdout)
    return answer, set(loaded)


@pytest.mark.promise("light")
@pytest.mark.parametrize(("fields", "says"), [({}, TRAP), (READS, "it is generated"), (RUNS, ""), (STEP, "")])
def test_capture_and_file_lookup_load_almost_nothing(
    repository: Repository, memory: holloway.Holloway, trap: str, fields: dict[str, Any], says: str
) -> None:
    taught(memory, "it is generated", files=["README.md"])
    answer, loaded = loaded_by(event(repository, **fields), "-S")
    assert says in answer
    assert {name.split(".")[0] for name in loaded} & HEAVY == set()
    assert not any(name.startswith("holloway.domain") for name in loaded)


@pytest.mark.promise("light")
def test_a_command_that_names_no_file_is_noted_without_understanding_it(repository: Repository, trap: str) -> None:
    _, loaded = loaded_by(event(repository, **RUNS), "-S")
    assert (
        loaded
        & {"json", "re", "sqlite3", "holloway.text.commands", "holloway.store.lookup", "holloway.injection.known_facts"}
        == set()
    )


@pytest.mark.promise("light")
@pytest.mark.parametrize(
    ("name", "fields", "says"),
    [
        ("SessionStart", {"source": "startup"}, "shared memory of this repository"),
        ("UserPromptSubmit", {"prompt": "fix the refresh in src/shop/auth/tokens.py"}, TRAP),
        ("Stop", {}, ""),
    ],
)
def test_a_start_and_a_prompt_are_answered_without_the_service(
    repository: Repository, memory: holloway.Holloway, trap: str, name: str, fields: dict[str, Any], says: str
) -> None:
    memory.map.update()
    answer, loaded = loaded_by(event(repository, name, **fields))
    assert says in answer
    services = {module for module in loaded if module.startswith("holloway.service.")}
    assert services == set()
    assert "holloway.domain.memory_details" not in loaded


@pytest.mark.parametrize("name", ["SessionStart", "Stop", "SessionEnd", "PostToolUse", "UserPromptSubmit"])
def test_work_is_left_for_later_only_where_a_session_or_a_turn_begins_or_ends(
    repository: Repository, ask: Asking, memory: holloway.Holloway, name: str
) -> None:
    _, chore = entry.respond(event(repository, name, prompt="Fix the tokens"))
    assert (chore is not None) is (name in hosts.MILESTONES)
    project_finder.pause(str(repository.root), "all")
    assert entry.respond(event(repository, name, prompt="Fix the tokens"))[1] is None


@pytest.mark.parametrize("time_ms", [0, 999, 1000, 1_767_603_600_007, 1_767_603_600_999, 1_767_603_601_000])
def test_a_hook_stamps_events_as_the_store_does(time_ms: int) -> None:
    moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=time_ms)
    assert entry._format_stamp(time_ms) == format_stamp(moment)


@pytest.mark.parametrize("closed", [(), (0,), (1, 2), (0, 1, 2)])
def test_closed_streams_are_filled_and_no_other_number_is_taken(closed: tuple[int, ...], tmp_path: Path) -> None:
    code = (
        "import os; from holloway.hooks import entry; os.closerange(3, 64)\n"
        f"for stream in {closed!r}: os.close(stream)\n"
        "entry._fill_streams()\n"
        f"free = os.open({str(tmp_path / 'free')!r}, os.O_WRONLY | os.O_CREAT)\n"
        "os.write(free, str(free).encode()); os._exit(0)"
    )
    subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert (tmp_path / "free").read_text() == "3"


def test_nothing_reaches_stderr_once_it_is_silenced() -> None:
    code = "import os; from holloway.hooks import entry; os.closerange(3, 64); entry._quiet(); os.write(2, b'warning')"
    code += "; os.write(1, str(os.open(os.devnull, os.O_RDONLY)).encode())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert (done.stdout, done.stderr) == (b"3", b"")


FIELDS = "prompt tool_name tool_input tool_response error source agent_id agent_type tool_calls".split()
WORDS = text_of("Read", "Bash", "src/shop/auth/tokens.py", "<system-reminder>", "cat ", "startup", "```", "KeyError: ")


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.sampled_from([*entry._POINTS, "Stop", "PostCompact", "InstructionsLoaded", "SubagentStop"]),
    st.dictionaries(
        st.sampled_from(FIELDS), JSON | WORDS | st.dictionaries(st.sampled_from(["command", "file_path"]), WORDS)
    ),
    st.sampled_from(["s1", "s2"]) | JSON,
)
def test_any_payload_of_a_known_project_is_answered_with_nothing_or_one_object(
    repository: Repository, trap: str, ask: Asking, name: str, fields: dict[str, object], session: object
) -> None:
    payload = {"hook_event_name": name, "cwd": str(repository.root), "session_id": session, **fields}
    answer = ask(json.dumps(payload).encode()).said
    assert set(answer) <= {"hookSpecificOutput", "systemMessage"}


@pytest.mark.parametrize("field", ["session_id", "agent_id"])
@pytest.mark.parametrize("name", ["PostCompact", "PostToolUse"])
def test_half_of_a_surrogate_pair_in_a_name_stops_nothing(
    repository: Repository, trap: str, ask: Asking, field: str, name: str
) -> None:
    answer = ask(event(repository, name, **{field: "s\udc80"}))
    assert (TRAP in answer.context) is (name != "PostCompact")


@pytest.mark.parametrize("data", [b"[]", b"7", b"null", b'"text"'])
def test_an_event_that_is_no_object_is_met_with_silence(data: bytes) -> None:
    assert entry.respond(data) == (b"", None)


def test_every_event_reaches_its_response_and_the_others_none(
    repository: Repository, memory: holloway.Holloway, monkeypatch: pytest.MonkeyPatch
) -> None:
    reached: list[str] = []

    def stand_in(name: str, answer: object) -> None:
        def respond(reader: object, *given: object) -> object:
            reached.append(name)
            return answer

        monkeypatch.setattr(responses, name, respond)

    texts = ("respond_to_step", "respond_to_tool", "respond_to_prompt", "respond_to_subagent")
    for name in texts:
        stand_in(name, "for the agent")
    stand_in("respond_to_start", ("for the agent", "for the person"))
    stand_in("respond_to_turn_end", "for the person")
    for name in ("note_loaded_rules", "note_compaction", "end_session"):
        stand_in(name, None)
    expected = {
        "PostToolBatch": ("respond_to_step", True),
        "PostToolUse": ("respond_to_tool", True),
        "PostToolUseFailure": ("respond_to_tool", True),
        "SessionStart": ("respond_to_start", True),
        "UserPromptSubmit": ("respond_to_prompt", True),
        "Stop": ("respond_to_turn_end", True),
        "SubagentStart": ("respond_to_subagent", True),
        "InstructionsLoaded": ("note_loaded_rules", False),
        "PostCompact": ("note_compaction", False),
        "SessionEnd": ("end_session", False),
    }
    for name, (response, is_answered) in expected.items():
        printed, _ = entry.respond(event(repository, name, prompt="Fix it", tool_calls=[]))
        assert reached == [response]
        assert bool(printed) is is_answered
        reached.clear()
    for data in (event(repository, "PreCompact"), event(repository, "UserPromptSubmit", prompt=7)):
        assert entry.respond(data)[0] == b""
    assert reached == []


def test_an_excluded_file_is_answered_for_and_not_noted(
    repository: Repository, memory: holloway.Holloway, trap: str
) -> None:
    rules = memory.project.folder / registry.HOOK_SETTINGS
    rules.write_text(json.dumps({"exclude_paths": [FILE]}))
    found = {"filenames": [FILE, "README.md"], "numFiles": 2}
    assert TRAP in Answer(0, entry.respond(event(repository))[0], b"").context
    assert not memory.project.journal_folder.exists()
    entry.respond(event(repository, tool_name="Glob", tool_input={"pattern": "**/*"}, tool_response=found))
    (noted,) = memory.project.journal_folder.glob("*.jsonl")
    assert FILE not in noted.read_text()
    assert "README.md" in noted.read_text()


def test_input_over_the_limit_is_read_to_its_end_and_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    parts = [b"x" * 10, b"x" * 10, b""]
    monkeypatch.setattr("os.read", lambda descriptor, size: parts.pop(0))
    monkeypatch.setattr(entry, "HOOK_INPUT_BYTES_MAX", 19)
    with pytest.raises(ValueError, match="over the limit"):
        entry._read_input()
    assert parts == []
    monkeypatch.setattr(entry, "HOOK_INPUT_BYTES_MAX", 20)
    parts += [b"x" * 10, b"x" * 10, b""]
    assert entry._read_input() == b"x" * 20


def test_a_log_of_failures_that_is_full_is_set_aside(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    entry._count_failure(ValueError())
    assert not home.exists()
    home.mkdir()
    monkeypatch.setattr(entry, "FAILURE_LOG_BYTES_MAX", 30)
    entry._count_failure(ValueError())
    assert failures(home).endswith(" ValueError\n")
    entry._count_failure(KeyError())
    assert failures(home).count("\n") == 1 or (home / "hook-failures.log.1").exists()
    entry._count_failure(TypeError())
    assert (home / "hook-failures.log.1").exists()
    assert (home / "hook-failures.log").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("name", ["SessionStart", "UserPromptSubmit", "PostToolUse", "SessionEnd"])
def test_a_run_of_the_reader_is_neither_observed_nor_answered(
    name: str, repository: Repository, trap: str, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    journals = set(home.rglob("*.jsonl"))
    monkeypatch.setenv("HOLLOWAY_READER", "1")
    answer = hook(event(repository, name, source="startup", prompt="never commit secrets"))
    assert (answer.code, answer.stdout) == (0, b"")
    assert set(home.rglob("*.jsonl")) == journals


@pytest.mark.parametrize(("mode", "phase"), [("plan", "define"), ("default", "")])
def test_an_agent_that_only_plans_defines_the_work(
    repository: Repository, trap: str, ask: Asking, monkeypatch: pytest.MonkeyPatch, mode: str, phase: str
) -> None:
    phases: list[str] = []

    def note_phase(reader: responses.HookReader, _: str) -> str:
        phases.append(reader.phase)
        return ""

    monkeypatch.setattr(responses, "respond_to_prompt", note_phase)
    ask(event(repository, "UserPromptSubmit", prompt="refresh the token once", permission_mode=mode))
    assert phases == [phase]
