"""Files, commands and projects that are never captured: by hooks, from transcripts, in sessions of Python programs."""

from pathlib import Path

import pytest

import holloway
from holloway import config
from holloway.capture.event_filter import EventFilter
from holloway.capture.exclusions import Exclusions
from holloway.domain.event import Call, Recorded, Result, ToolKind
from holloway.service import past_sessions
from holloway.service.project_finder import refresh_hook_settings
from holloway.store import registry
from tests.conftest import Repository
from tests.hooks.asking import Asking, event
from tests.service.on_disk import transcript


@pytest.mark.parametrize(
    ("pattern", "path", "is_excluded"),
    [
        ("*.pem", "deploy/keys/a.pem", True),
        ("*.pem", "deploy/pem.txt", False),
        ("secrets", "app/secrets/prod/db.json", True),
        ("secrets/", "secrets/db.json", True),
        ("deploy/keys/**", "deploy/keys/prod/a.txt", True),
        ("deploy/keys", "other/deploy/keys/a.txt", False),
        ("./.env*", ".env.local", True),
        ("src/*.py", "src/a.py", True),
        ("src/*.py", "src/a.js", False),
    ],
)
def test_a_pattern_is_for_a_name_a_folder_or_a_path_from_the_root(pattern: str, path: str, is_excluded: bool) -> None:
    assert Exclusions([pattern]).has_path(path) is is_excluded


@pytest.mark.parametrize(
    ("pattern", "command", "is_excluded"),
    [
        ("vault", "vault read secret/db", True),
        ("vault", "/usr/local/bin/vault read secret/db", True),
        ("vault", "cd x && VAULT_ADDR=y sudo vault read secret/db | jq .", True),
        ("vault", "echo $(vault read secret/db)", True),
        ("vault", "cat vault.py", False),
        ("op read", "op read op://x", True),
        ("op read", "op list", False),
        ("aws * get-secret-value*", "aws secretsmanager get-secret-value --secret-id x", True),
    ],
)
def test_a_command_is_excluded_wherever_it_is_in_a_line(pattern: str, command: str, is_excluded: bool) -> None:
    assert Exclusions([], [pattern]).has_command(command) is is_excluded


@pytest.mark.parametrize(
    "command", ["cat secrets/db.json", "grep -r x <secrets/a", "run --file=secrets/a", "less 'secrets/a'"]
)
def test_a_command_that_names_an_excluded_file_is_excluded(command: str) -> None:
    assert Exclusions(["secrets"]).has_command(command)
    assert not Exclusions(["secrets"]).has_command("cat src/a.py")


def test_a_result_goes_with_its_call_and_names_no_excluded_file() -> None:
    events = EventFilter(Exclusions(["secrets"]))
    read = Call(1.0, "c1#2", ToolKind.READ, path="secrets/a")
    assert events.admit(read) is None
    assert events.admit(Result(2.0, "c1", text="hunter2")) is None
    listing = Result(3.0, "c2", files=("a.py", "secrets/a"))
    admitted = events.admit(listing)
    assert isinstance(admitted, Result)
    assert admitted.files == ("a.py",)
    assert events.admit(Recorded(4.0, "x", files=("secrets/a",))) is None
    note = Recorded(4.0, "x", files=("a.py",))
    assert events.admit(note) is note


@pytest.fixture
def excluding(memory: holloway.Holloway) -> None:
    """The settings of a person who keeps a folder and a program to themselves."""
    config.change_setting("exclude.paths", "secrets, *.pem")
    config.change_setting("exclude.commands", "vault")
    refresh_hook_settings()


def read_journal(memory: holloway.Holloway) -> str:
    return "".join(path.read_text() for path in memory.project.journal_folder.glob("*.jsonl"))


@pytest.mark.promise("exclusions")
@pytest.mark.usefixtures("excluding")
def test_a_hook_notes_nothing_of_excluded_files_and_commands(
    memory: holloway.Holloway, repository: Repository, ask: Asking
) -> None:
    root = repository.root
    for tool, given in (
        ("Read", {"file_path": str(root / "secrets/hush.json")}),
        ("Edit", {"file_path": str(root / "deploy/hush.pem"), "old_string": "a", "new_string": "b"}),
        ("Bash", {"command": "vault read hush"}),
        ("Bash", {"command": "cat secrets/hush.json"}),
    ):
        ask(event(repository, tool_name=tool, tool_input=given, tool_response={"stdout": "hush hush"}))
    found = {"filenames": ["src/shop/auth/tokens.py", "secrets/hush.json"], "numFiles": 2}
    ask(event(repository, tool_name="Glob", tool_input={"pattern": "**/*"}, tool_response=found))
    journal = read_journal(memory)
    assert "hush" not in journal
    assert "src/shop/auth/tokens.py" in journal


@pytest.mark.promise("exclusions")
@pytest.mark.parametrize("pattern", ["shop", "*/shop", "PARENT/*", "PARENT"])
def test_nothing_of_an_excluded_project_is_captured_or_learned(
    memory: holloway.Holloway, repository: Repository, ask: Asking, pattern: str
) -> None:
    transcript(repository.root, "before")
    config.change_setting("exclude.projects", pattern.replace("PARENT", str(repository.root.parent)))
    refresh_hook_settings()
    ask(event(repository, "SessionStart", source="startup"))
    ask(event(repository))
    assert read_journal(memory) == ""
    assert memory.paused("capture")
    assert past_sessions.learn(memory, past_sessions.find(memory)).kept == set()
    config.change_setting("exclude.projects", "")
    refresh_hook_settings()
    assert not memory.paused("capture")
    ask(event(repository))
    assert read_journal(memory) != ""


@pytest.mark.promise("exclusions")
def test_what_a_transcript_tells_of_an_excluded_command_is_not_learned(
    memory: holloway.Holloway, repository: Repository
) -> None:
    transcript(repository.root, "before")
    config.change_setting("exclude.commands", "pytest, python")
    refresh_hook_settings()
    assert past_sessions.learn(memory, past_sessions.find(memory)).kept == set()


@pytest.mark.promise("exclusions")
@pytest.mark.usefixtures("excluding")
def test_a_session_of_a_program_obeys_too(memory: holloway.Holloway) -> None:
    session = memory.session("own", task="x")
    session.observe(Call(1.0, "c1", ToolKind.SHELL, command="vault read hush"))
    session.observe(Result(2.0, "c1", text="hush"))
    assert session.pad.actions == []


def test_without_rules_there_is_no_file_and_a_damaged_one_stops_capturing(memory: holloway.Holloway) -> None:
    file = memory.project.folder / registry.HOOK_SETTINGS
    assert not file.exists()
    file.write_text("{")
    assert memory.paused("capture")
    refresh_hook_settings()
    assert not memory.paused("capture")
    assert not Path(file).exists()
