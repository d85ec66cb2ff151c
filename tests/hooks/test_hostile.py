"""Whatever a hook is given and wherever it runs: exit 0, nothing or one JSON object, no noise.

Every row is a process of its own, started by the very command that setup writes.
"""

import json
import os
import resource
import sqlite3
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from filelock import FileLock

import holloway
from holloway.service import background_worker
from holloway.testing import CountedIds, FakeClock
from tests.conftest import Repository, make_repository
from tests.hooks.asking import TRAP, TRAP_FILE, Answer, command, hook

pytestmark = pytest.mark.promise("never-in-the-way")

EVENTS = (
    "SessionStart",
    "UserPromptSubmit",
    "PostToolUse",
    "PostToolUseFailure",
    "PostToolBatch",
    "SubagentStart",
    "SubagentStop",
    "InstructionsLoaded",
    "PreCompact",
    "PostCompact",
    "Stop",
    "SessionEnd",
)


@dataclass(frozen=True)
class Place:
    """A project with a trap, its data folder, and the environment in which its hooks run."""

    repository: Repository
    data: Path
    journal: Path
    database: Path

    @property
    def environment(self) -> dict[str, str]:
        """As the agent passes it on."""
        return os.environ | {"HOLLOWAY_HOME": str(self.data), "HOLLOWAY_PATIENCE": "1"}

    def tell(self, name: str = "PostToolUse", /, **fields: object) -> bytes:
        """An event of this project that has all that any event has."""
        root = self.repository.root
        payload: dict[str, object] = {
            "session_id": "s1",
            "transcript_path": "/nowhere.jsonl",
            "cwd": str(root),
            "hook_event_name": name,
            "tool_name": "Read",
            "tool_input": {"file_path": str(root / TRAP_FILE)},
            "tool_response": {"stdout": "x"},
            "prompt": f"Please fix refresh in {TRAP_FILE}",
            "source": "startup",
            "error": "Exit code 1\nKeyError: 'x'",
            "trigger": "auto",
            "compact_summary": "so far",
            "file_path": str(root / "CLAUDE.md"),
            "tool_calls": [{"tool_name": "Read", "tool_input": {"file_path": str(root / TRAP_FILE)}}],
        }
        return json.dumps({**payload, **fields}).encode()


def place_in(folder: Path) -> Place:
    """A project of its own with one trap."""
    repository = make_repository(folder / "shop")
    with holloway.open(repository.root, clock=FakeClock(), ids=CountedIds()) as memory:
        memory.remember(TRAP, files=[TRAP_FILE])
        memory.store.database.truncate_wal()
        return Place(repository, memory.home, memory.project.journal_folder, memory.project.database_path)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    """The same project for all rows that only differ in what the host tells."""
    folder = tmp_path_factory.mktemp("hostile")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOLLOWAY_HOME", str(folder / "data"))
        patch.setenv("HOME", str(folder / "person"))
        made = place_in(folder)
        # Whoever holds this lock is the worker: no row starts another one.
        with FileLock(background_worker.lock_file(str(made.database.parent))):
            yield made


@pytest.fixture
def own(tmp_path: Path) -> Iterator[Place]:
    """A project that a row may break."""
    made = place_in(tmp_path)
    with FileLock(background_worker.lock_file(str(made.database.parent))):
        yield made


def is_fine(answer: Answer) -> bool:
    """Whether a host is content: it went well, silently or with one object."""
    fine = (answer.code, answer.stderr) == (0, b"")
    return fine and (answer.stdout == b"" or isinstance(json.loads(answer.stdout), dict))


NO_EVENT = {
    "nothing": b"",
    "white space": b"  \n ",
    "half an object": b'{"session_id": "s1", "hook_event_na',
    "a list": b"[1, 2, 3]",
    "a number": b"42",
    "null": b"null",
    "a string": b'"hello"',
    "not a number": b"NaN",
    "binary": bytes(range(256)) * 40,
    "not UTF-8": b'{"hook_event_name": "\xff\xfe"}',
    "UTF-16": '{"hook_event_name": "Stop"}'.encode("utf-16"),
    "a byte order mark": b'\xef\xbb\xbf{"hook_event_name": "Stop"}',
    "deeply nested": b"[" * 100_000,
    "deep object": b'{"a":' * 50_000,
    "two objects": b"{}{}",
    "an empty object": b"{}",
    "the same key twice": b'{"hook_event_name": "Stop", "hook_event_name": [1]}',
    "huge numbers": b'{"hook_event_name": 1e999999, "session_id": ' + b"9" * 5_000 + b"}",
    "six megabytes": b'{"hook_event_name": "UserPromptSubmit", "prompt": "' + b"y" * 6_000_000 + b'"}',
}


@pytest.mark.parametrize("data", NO_EVENT.values(), ids=NO_EVENT)
def test_what_is_no_event_is_met_with_silence(place: Place, data: bytes) -> None:
    answer = hook(data, environment=place.environment, cwd=place.repository.root)
    assert is_fine(answer)
    assert answer.stdout == b""


ODD: dict[str, dict[str, object]] = {
    "a session id that climbs": {"session_id": "../../x"},
    "a session id with a null byte": {"session_id": "a\0b"},
    "a session id of ten kilobytes": {"session_id": "x" * 10_000},
    "a session id of dots": {"session_id": ".."},
    "a session id of lines": {"session_id": "a\nb\r\x1b[31m"},
    "a session id of half characters": {"session_id": "\ud800"},
    "no session id": {"session_id": ""},
    "an agent id that climbs": {"agent_id": "/../../x"},
    "no folder": {"cwd": ""},
    "a folder that is gone": {"cwd": "/nowhere/at/all"},
    "a folder with a null byte": {"cwd": "/tmp\0"},
    "a folder of ten kilobytes": {"cwd": "/x" * 5_000},
    "the root as the folder": {"cwd": "/"},
    "a relative folder": {"cwd": "../.."},
    "an unknown event": {"hook_event_name": "Telepathy"},
    "an event of control characters": {"hook_event_name": "PostToolUse\0\n"},
    "an event of ten kilobytes": {"hook_event_name": "x" * 10_000},
    "a path outside": {"tool_input": {"file_path": "/etc/passwd"}},
    "a path that climbs": {"tool_input": {"file_path": "../../../../etc/passwd"}},
    "a path of another person": {"tool_input": {"file_path": "~root/.ssh/id_rsa"}},
    "an endless path": {"tool_input": {"file_path": "a/" * 20_000}},
    "a path with a null byte": {"tool_input": {"file_path": "a\0b"}},
    "a path of half characters": {"tool_input": {"file_path": "\udfff"}},
    "an argument that is nested": {"tool_input": {"file_path": [[[{}]]]}},
    "two megabytes of prompt": {"hook_event_name": "UserPromptSubmit", "prompt": "word " * 400_000},
    "a prompt of one word of a megabyte": {"hook_event_name": "UserPromptSubmit", "prompt": "x" * 1_000_000},
    "a prompt of control characters": {"hook_event_name": "UserPromptSubmit", "prompt": "\0\x1b]0;x\x07" * 900},
    "a prompt of half characters": {"hook_event_name": "UserPromptSubmit", "prompt": "fix \ud800 the \udfff"},
    "a tool of ten kilobytes": {"tool_name": "x" * 10_000},
    "an answer of two megabytes": {"tool_name": "Bash", "tool_response": "Error: boom\n" * 170_000},
    "an answer that is a number": {"tool_name": "Bash", "tool_response": 7},
    "an answer that is a list": {"tool_name": "Bash", "tool_response": [None, 7, {"text": []}]},
    "a command of a megabyte": {"tool_name": "Bash", "tool_input": {"command": "cat " + "a " * 500_000}},
    "a command without an end": {"tool_name": "Bash", "tool_input": {"command": "cat 'src/a.py"}},
    "a command that nests": {"tool_name": "Bash", "tool_input": {"command": "cat $(" * 3_000}},
    "a command that is a table": {"tool_name": "Bash", "tool_input": {"command": {"cat": 1}}},
    "a command of words that are none": {"tool_name": "shell", "tool_input": {"command": [None, [], 7]}},
    "a search of brackets": {"tool_name": "Grep", "tool_input": {"pattern": "((((" * 9_000}},
    "a patch of ten thousand files": {
        "tool_name": "apply_patch",
        "tool_input": {"command": "*** Begin Patch\n" + "*** Update File: a.py\n@@\n-x\n+y\n" * 10_000},
    },
    "a patch that only begins": {"tool_name": "apply_patch", "tool_input": {"command": "*** Begin Patch"}},
    "a patch of files elsewhere": {
        "tool_name": "apply_patch",
        "tool_input": {"command": "*** Begin Patch\n*** Add File: /etc/cron.d/x\n+y\n*** Update File: \0\n"},
    },
    "a patch that is a list": {"tool_name": "apply_patch", "tool_input": {"command": ["*** Begin Patch"]}},
    "a step of ten thousand calls": {"hook_event_name": "PostToolBatch", "tool_calls": [{}] * 10_000},
    "a step of nothing": {"hook_event_name": "PostToolBatch", "tool_calls": None},
    "rules with a null byte": {"hook_event_name": "InstructionsLoaded", "file_path": "\0"},
    "rules that are a list": {"hook_event_name": "InstructionsLoaded", "file_path": ["CLAUDE.md"]},
    "a subagent of ten kilobytes": {"hook_event_name": "SubagentStart", "agent_type": "plan" * 2_500},
    "a transcript that is a folder": {"hook_event_name": "SessionStart", "transcript_path": "/"},
    "a turn of Codex without the rest": {"turn_id": {}, "model": [], "transcript_path": None},
    "a start that nobody knows": {"hook_event_name": "SessionStart", "source": {"compact": True}},
}


@pytest.mark.parametrize("fields", ODD.values(), ids=ODD)
def test_odd_fields_are_met_without_harm(place: Place, fields: dict[str, object]) -> None:
    before = {path for path in place.data.rglob("*") if path.is_dir()}
    assert is_fine(hook(place.tell(**fields), environment=place.environment, cwd=place.repository.root))
    assert {path.parent for path in place.data.rglob("*.jsonl")} <= {place.journal}
    assert {path for path in place.data.rglob("*") if path.is_dir()} <= before | {place.journal}


FIELDS = (
    "session_id transcript_path cwd hook_event_name tool_name tool_input tool_response tool_use_id agent_id agent_type "
    "prompt source error trigger compact_summary file_path tool_calls permission_mode model last_assistant_message"
).split()


@pytest.mark.parametrize("field", FIELDS)
def test_a_field_of_any_other_type_is_met_without_harm(place: Place, field: str) -> None:
    """Every field with three events and three values; over the fields each event and each value has its turn."""
    values: list[object] = [None, 7, -1.5, True, "", [], {}, [[]], {"a": {"b": []}}]
    first = FIELDS.index(field)
    for at in (first, first + 5, first + 10):
        name, odd = EVENTS[at % len(EVENTS)], values[at % len(values)]
        answer = hook(place.tell(**{"hook_event_name": name, field: odd}), environment=place.environment)
        assert is_fine(answer), (name, odd)


@pytest.mark.parametrize("name", EVENTS)
def test_an_event_with_nothing_but_its_name_is_met_without_harm(place: Place, name: str) -> None:
    data = json.dumps({"hook_event_name": name}).encode()
    assert is_fine(hook(data, environment=place.environment, cwd=place.repository.root, host="codex"))


def break_database(path: Path, how: str) -> None:
    """Do to a database what disks, people and newer versions do."""
    for beside in path.parent.glob("memory.db-*"):
        beside.unlink()
    if how == "missing":
        path.unlink()
    elif how == "empty":
        path.write_bytes(b"")
    elif how == "not a database":
        path.write_bytes(b"hello" * 1_000)
    elif how == "truncated":
        path.write_bytes(path.read_bytes()[:5_000])
    elif how == "a folder":
        path.unlink()
        path.mkdir()
    elif how == "damaged":
        data = bytearray(path.read_bytes())
        data[4_096 : len(data) // 2] = b"\xaa" * (len(data) // 2 - 4_096)
        path.write_bytes(data)
    elif how == "newer":
        connection = sqlite3.connect(path)
        connection.execute("PRAGMA user_version = 99")
        connection.execute("INSERT INTO migrations(name, at) VALUES ('x_0099', '')")
        connection.commit()
        connection.close()


@pytest.mark.parametrize(
    "how", ["missing", "empty", "not a database", "truncated", "a folder", "damaged", "newer", "locked"]
)
def test_a_broken_store_is_met_with_exit_0_and_no_noise(own: Place, how: str) -> None:
    holder = sqlite3.connect(own.database, isolation_level=None) if how == "locked" else None
    if holder:
        holder.execute("BEGIN EXCLUSIVE")
    else:
        break_database(own.database, how)
    names = ("PostToolUse", "PostToolBatch", "SessionStart", "UserPromptSubmit", "InstructionsLoaded")
    answers = {name: hook(own.tell(name), environment=own.environment) for name in names}
    if holder:
        holder.close()
    assert {name: is_fine(answer) for name, answer in answers.items()} == dict.fromkeys(answers, True)


def _registry(place: Place, data: bytes) -> None:
    (place.data / "registry.json").write_bytes(data)


STATES: dict[str, Callable[[Place], object]] = {
    "a registry that is no JSON": lambda place: _registry(place, b"{"),
    "a registry of another form": lambda place: _registry(place, b'{"roots": 7, "identities": []}'),
    "a registry that is binary": lambda place: _registry(place, bytes(range(256))),
    "a registry that is gone": lambda place: (place.data / "registry.json").unlink(),
    "a pause that is binary": lambda place: (place.data / "paused").write_bytes(b"\xff\xfe"),
    "a pause that is a folder": lambda place: (place.data / "paused").mkdir(),
    "a journal that is a file": lambda place: place.journal.write_text("x"),
    "a journal of a session that is a folder": lambda place: (place.journal / "s1.jsonl").mkdir(parents=True),
    "a journal on a full disk": lambda place: _linked(place.journal / "s1.jsonl", "/dev/full"),
    "a count on a full disk": lambda place: _linked(place.journal / "s1.step", "/dev/full"),
    "a count that is a folder": lambda place: (place.journal / "s1.step").mkdir(parents=True),
    "a failure log that is a folder": lambda place: (place.data / "hook-failures.log").mkdir(),
    "a data folder that is read-only": lambda place: _read_only(place.data, place.database.parent),
    "a project that is gone": lambda place: place.repository.root.rename(place.repository.root.with_name("away")),
    "a repository without a head": lambda place: (place.repository.root / ".git/HEAD").unlink(),
    "a repository whose head is binary": lambda place: (place.repository.root / ".git/HEAD").write_bytes(b"\xff\0\xfe"),
    "a git folder that is a file": lambda place: _as_file(place.repository.root / ".git"),
    "a trap's file that is a folder": lambda place: _as_folder(place.repository.root / TRAP_FILE),
}


def _read_only(*folders: Path) -> None:
    for folder in folders:
        folder.chmod(0o500)


def _linked(path: Path, target: str) -> None:
    path.parent.mkdir(exist_ok=True)
    path.symlink_to(target)


def _as_file(path: Path) -> None:
    path.rename(path.with_name("away"))
    path.write_text("gitdir: /nowhere")


def _as_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


@pytest.mark.parametrize("state", STATES.values(), ids=STATES)
def test_a_broken_place_is_met_without_harm(own: Place, state: Callable[[Place], object]) -> None:
    state(own)
    answers = [hook(own.tell(name), environment=own.environment) for name in ("PostToolUse", "PostToolBatch", "Stop")]
    assert [is_fine(answer) for answer in answers] == [True] * 3


@pytest.mark.parametrize("name", ["HOME", "HOLLOWAY_HOME", "PATH", "LANG", "TMPDIR", "everything"])
def test_a_poor_environment_is_met_with_exit_0(own: Place, name: str) -> None:
    environment = {} if name == "everything" else {k: v for k, v in own.environment.items() if k != name}
    assert is_fine(hook(own.tell(), environment=environment))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("HOLLOWAY_HOME", "/dev/null"),
        ("HOLLOWAY_HOME", "relative/folder"),
        ("HOLLOWAY_HOME", "x" * 5_000),
        ("HOLLOWAY_PATIENCE", "a lot"),
        ("HOLLOWAY_TRUST_LEVEL", "none"),
        ("HOME", "/nowhere"),
        ("LANG", "tlh_KX.Klingon"),
        ("PYTHONHOME", "/nowhere"),
        ("PYTHONPATH", "/nowhere"),
        ("GIT_DIR", "/nowhere"),
    ],
)
def test_an_odd_environment_is_met_with_exit_0(place: Place, name: str, value: str) -> None:
    assert is_fine(hook(place.tell(), environment={**place.environment, name: value}))


@pytest.mark.parametrize(
    "limit", [(resource.RLIMIT_FSIZE, 0), (resource.RLIMIT_NOFILE, 8), (resource.RLIMIT_NPROC, 1)], ids=str
)
@pytest.mark.parametrize("name", ["PostToolUse", "PostToolBatch", "Stop"])
def test_a_machine_at_its_limits_is_met_without_harm(place: Place, limit: tuple[int, int], name: str) -> None:
    kind, most = limit
    done = subprocess.run(
        command(),
        input=place.tell(name),
        capture_output=True,
        env=place.environment,
        timeout=20,
        check=False,
        preexec_fn=lambda: resource.setrlimit(kind, (most, resource.getrlimit(kind)[1])),
    )
    assert is_fine(Answer(done.returncode, done.stdout, done.stderr))


@pytest.mark.parametrize("closed", ["0<&-", "1>&-", "2>&-", "0<&- 1>&- 2>&-"])
def test_a_host_that_closes_a_stream_sees_exit_0(place: Place, closed: str) -> None:
    done = subprocess.run(
        ["/bin/sh", "-c", f'exec "$@" {closed}', "sh", *command()],
        input=place.tell(),
        capture_output=True,
        env=place.environment,
        timeout=20,
        check=False,
    )
    assert is_fine(Answer(done.returncode, done.stdout, done.stderr))


def test_a_host_that_closes_its_end_of_stdin_is_not_waited_for(own: Place) -> None:
    subprocess.run(["/bin/sh", "-c", 'exec "$@" 0<&-', "sh", *command()], env=own.environment, timeout=20, check=True)
    # What runs into its deadline is not counted; what reads an empty input at once is.
    assert "JSONDecodeError" in (own.data / "hook-failures.log").read_text()


def test_a_host_that_does_not_wait_for_the_answer_is_left_in_peace(place: Place) -> None:
    read, write = os.pipe()
    os.close(read)
    with subprocess.Popen(
        command(), stdin=subprocess.PIPE, stdout=write, stderr=subprocess.PIPE, env=place.environment
    ) as process:
        os.close(write)
        _, complaints = process.communicate(place.tell("SessionStart", session_id="unread"), timeout=20)
    assert (process.returncode, complaints) == (0, b"")


def test_a_project_behind_a_link_is_the_same_project(own: Place, tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(own.repository.root)
    told = own.tell(cwd=str(link), tool_input={"file_path": str(link / TRAP_FILE)})
    assert TRAP in hook(told, environment={**own.environment, "HOLLOWAY_PATIENCE": "20"}).context


def test_a_link_that_leads_out_of_the_project_brings_nothing(own: Place, tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("x")
    (own.repository.root / "inside.txt").symlink_to(tmp_path / "secret.txt")
    told = own.tell(tool_input={"file_path": str(own.repository.root / "inside.txt")})
    assert is_fine(hook(told, environment=own.environment))
    assert "secret" not in (own.journal / "s1.jsonl").read_text()
