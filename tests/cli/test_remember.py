"""Commands that write memories: remember, edit, pin."""

from pathlib import Path

import pytest

import holloway
from holloway.cli.remember import parse_details
from holloway.errors import InvalidInput
from holloway.service import agent_notes
from tests.cli.conftest import Cli
from tests.conftest import Repository

FIELDS = {"id", "type", "summary", "content", "files", "confidence", "state", "source", "created_at"}


def test_remember_shows_what_it_inferred(cli: Cli) -> None:
    cli("init")
    shown = cli("remember", "src/shop/auth/tokens.py hangs without REDIS_URL")
    assert shown.code == 0
    assert "inferred: type gotcha, file src/shop/auth/tokens.py, module auth" in shown.out


def test_what_was_known_gets_the_places_that_are_said_later_and_keeps_its_type(cli: Cli) -> None:
    cli("init")
    cli("remember", "the token burns twice", "--type", "dead_end")
    shown = cli("remember", "the token burns twice", "--module", "login")
    assert "Already stored" in shown.out
    assert "inferred" not in shown.out  # nothing that was guessed holds for it
    again = cli("remember", "the token burns twice", "--file", "src/shop/auth/tokens.py", "--json").json
    assert (again["type"], again["modules"]) == ("dead_end", ["login", "auth"])


def test_remember_prints_the_memory_as_json(cli: Cli) -> None:
    made = cli("remember", "We chose JWT over sessions because apps use it", "--tag", "auth", "--pin", "--json").json
    assert set(made) >= FIELDS
    assert (made["type"], made["tags"], made["pinned"]) == ("decision", ["auth"], True)
    assert made["inferred"] == {"type": "decision", "files": [], "module": None}


def test_what_is_given_overrides_what_is_inferred(cli: Cli) -> None:
    made = cli("remember", "hangs", "--type", "requirement", "--file", "README.md", "--module", "docs", "--json").json
    assert (made["type"], made["files"], made["modules"]) == ("requirement", ["README.md"], ["docs"])


def test_a_path_is_taken_from_where_one_stands(
    cli: Cli, repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(repository.root / "src/shop/auth")
    assert cli("remember", "x hangs", "--file", "tokens.py", "--json").json["files"] == ["src/shop/auth/tokens.py"]
    assert cli("remember", "y hangs", "--file", "src/shop/auth/session.py", "--json").json["files"] == [
        "src/shop/auth/session.py"
    ]


def test_typed_details_come_from_options(cli: Cli) -> None:
    arguments = ["--type", "workflow_recipe", "--detail", "task=add a route", "--detail", "steps=edit", "--detail"]
    made = cli("remember", "How to add a route", *arguments, "steps=test", "--json").json
    assert made["details"] == {"task": "add a route", "steps": [{"description": "edit"}, {"description": "test"}]}


def test_text_can_come_from_stdin(cli: Cli) -> None:
    assert cli("remember", "-", "--json", stdin=b"from a pipe\n").json["content"] == "from a pipe"


def test_a_memory_is_stored_and_shown_even_if_no_copy_can_be_made(cli: Cli, home: Path) -> None:
    cli("init")
    (folder,) = (home / "projects").iterdir()
    (folder / "backups").write_text("in the way")
    done = cli("remember", "stored all the same", "--json")
    assert (done.code, done.json["content"]) == (0, "stored all the same")
    assert "No backup was made" in done.err


def test_a_dead_end_says_so_and_why_in_the_line_that_agents_see(cli: Cli) -> None:
    details = ["--detail", "approach=Redis", "--detail", "reason=not in CI", "--detail", "alternative=SQLite"]
    made = cli("remember", "Redis for sessions", "--type", "dead_end", *details, "--json").json
    assert made["summary"] == "Redis for sessions (not in CI; instead: SQLite)"
    assert f"dead end: Redis for sessions (not in CI; instead: SQLite) [hw:{made['id']}]" in cli("brief").out


def test_no_editor_opens_where_nobody_sits(cli: Cli, trap: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("VISUAL", "EDITOR"):
        monkeypatch.delenv(name, raising=False)
    refused = cli("edit", trap)
    assert (refused.code, "no terminal" in refused.err) == (2, True)


def test_a_memory_can_be_lifted_from_its_branch(cli: Cli, repository: Repository) -> None:
    repository.git("checkout", "-q", "-b", "feature")
    made = cli("remember", "the gate is ajar, careful", "--json").json
    assert made["branch_only"] == "feature"
    assert cli("edit", made["id"], "--everywhere", "--json").json["branch_only"] == ""


def test_remember_names_the_project_and_says_where_there_is_no_git(cli: Cli, tmp_path: Path) -> None:
    assert cli("remember", "one thing").out.startswith("Remembered in shop.\n")
    plain = tmp_path / "plain"
    plain.mkdir()
    assert f"Remembered in plain ({plain}, not under git)." in cli("remember", "x", "-p", str(plain)).out


def test_a_mistyped_type_is_answered_with_the_closest(cli: Cli) -> None:
    assert "Did you mean dead_end?" in cli("remember", "x", "--type", "deadend").err


@pytest.mark.parametrize(
    ("given", "hint"), [("tokens.py", "Did you mean src/shop/auth/tokens.py?"), ("nope.py", "Paths are taken from ")]
)
def test_a_file_that_is_not_there_is_answered_with_one_of_that_name_or_none(cli: Cli, given: str, hint: str) -> None:
    said = cli("remember", "refresh() burns the token", "--file", given)
    assert said.code == 2
    assert f"Hint: {hint}" in said.err


def test_the_home_folder_is_not_a_project(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    Path.home().mkdir(exist_ok=True)
    monkeypatch.chdir(Path.home())
    done = cli("remember", "x")
    assert (done.code, "is not a project" in done.err) == (2, True)
    assert cli("remember", "I prefer tabs", "--user").code == 2


def test_edit_changes_text_and_fields_and_keeps_the_others(cli: Cli, trap: str) -> None:
    assert cli("edit", trap, "refresh() burns it twice").out.startswith("Changed.\n")
    fields = ["--type", "requirement", "--summary", "burns", "--module", "login", "--tag", "a", "--visibility", "team"]
    changed = cli("edit", trap, *fields, "--json").json
    assert (changed["content"], changed["summary"]) == ("refresh() burns it twice", "burns")
    assert (changed["type"], changed["modules"], changed["tags"]) == ("requirement", ["login"], ["a"])
    assert (changed["files"], changed["visibility"]) == (["src/shop/auth/tokens.py"], "team")
    assert cli("edit", trap, "--file", "README.md", "--json").json["files"] == ["README.md"]
    assert cli("edit", trap, "--no-files", "--json").json["files"] == []
    refused = cli("edit", trap, "--no-files", "--file", "README.md")
    assert (refused.code, "contradict" in refused.err) == (2, True)


def test_an_edit_without_text_opens_the_editor(
    cli: Cli, trap: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    editor = tmp_path / "editor"
    editor.write_text('#!/bin/sh\nsed -i.bak s/burns/keeps/ "$1"\ntouch -t 203001010000 "$1"\n')
    editor.chmod(0o700)
    monkeypatch.setenv("VISUAL", str(editor))
    assert cli("edit", trap, "--json").json["content"].strip() == "refresh() keeps the token"
    monkeypatch.setenv("VISUAL", "true")
    assert cli("edit", trap).out == "Nothing was changed.\n"


def test_a_pin_is_set_and_removed(cli: Cli, trap: str) -> None:
    assert cli("pin", trap).out.startswith("Pinned.\n")
    assert cli("show", trap, "--json").json["pinned"]
    assert cli("pin", trap, "--off").out.startswith("Unpinned.\n")
    assert not cli("pin", trap, "--off", "--json").json["pinned"]


def test_a_memory_is_muted_and_told_again(cli: Cli, trap: str) -> None:
    assert cli("mute", trap).out.startswith("Agents are not told it unasked any more.\n")
    assert "never told unasked" in cli("show", trap).out
    assert [row["id"] for row in cli("list", "--muted", "--json").json["results"]] == [trap]
    assert cli("mute", trap, "--off").out.startswith("Agents are told it again.\n")
    assert not cli("mute", trap, "--off", "--json").json["muted"]


def test_a_memory_says_what_is_close_to_it_and_what_was_redacted(cli: Cli, trap: str) -> None:
    token = "ghp_" + "aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zA1bC2"
    made = cli("remember", f"the token is {token}", "--json").json
    assert (made["redacted"], made["outcome"]) == (["github-pat"], "added")
    assert "A secret was redacted before storing: github-pat." in cli("edit", trap, f"or {token}").out


def test_a_memory_of_a_branch_says_so_and_one_of_the_person_names_no_project(cli: Cli, repository: Repository) -> None:
    cli("init")
    repository.git("checkout", "-q", "-b", "feature")
    assert "Visible only on feature until that is merged; `holloway edit" in cli("remember", "the gate is ajar").out
    assert "Visible only" not in cli("remember", "the door is ajar", "--everywhere").out
    assert cli("remember", "--user", "I prefer tabs").out.startswith("Remembered for all your projects.\n")


@pytest.mark.parametrize("detail", ["reason", "=x", " =x"])
def test_a_detail_without_a_key_or_a_value_is_refused(detail: str) -> None:
    with pytest.raises(InvalidInput, match="is not KEY=VALUE"):
        parse_details((detail,))


def test_a_repeated_detail_is_a_list() -> None:
    assert parse_details(("Why-Not=a=b",)) == {"why_not": "a=b"}
    assert parse_details(("steps=1", "steps=2", "steps=3", "task=x")) == {"steps": ["1", "2", "3"], "task": "x"}


@pytest.mark.promise("required-together")
def test_a_memory_names_those_that_it_requires_and_validates(cli: Cli) -> None:
    lock, trap = (cli("remember", text, "--json").json["id"] for text in ("hold the lock", "renew first"))
    done = cli("remember", "refresh() burns the token", "--requires", lock, "--validates", trap, "--json").json
    assert [(relation["type"], relation["memory"]) for relation in done["relations"]] == [
        ("required_with", lock),
        ("validates", trap),
    ]
    edited = cli("edit", trap, "--requires", lock, "--json").json
    assert [relation["memory"] for relation in edited["relations"]] == [lock]
    assert cli("remember", "a fact that is not stored", "--requires", "ffffff").code != 0
    assert "a fact that is not stored" not in cli("list").out


def test_a_note_of_an_agent_that_nobody_watched_waits_for_review(cli: Cli, repository: Repository) -> None:
    cli("init", "--yes")
    options = ("--why", "the provider rotates it", "--quote", "invalid_grant", "--file", "src/shop/auth/tokens.py")
    noted = cli("note", "the refresh token burns", *options, "--json")
    assert (noted.code, noted.json["recorded"]) == (0, True)
    assert cli("list", "--json").json["results"] == []
    with holloway.open(repository.root) as memory:
        assert agent_notes.finish_left(memory) == 1
        (note,) = memory.to_review()
    assert note.content == 'the refresh token burns. Why: the provider rotates it Quote: "invalid_grant"'
    assert (note.files, str(note.state)) == (("src/shop/auth/tokens.py",), "quarantined")


def test_a_note_needs_a_type_and_a_file_that_exist_and_a_memory(cli: Cli) -> None:
    assert "Not noted" in cli("note", "x is y").out
    cli("init", "--yes")
    assert cli("note", "x is y", "--kind", "wisdom").code == 2
    assert cli("note", "x is y", "--file", "no/such.py").code == 2
    cli("pause", "capture")
    assert cli("note", "x is y", "--json").json["recorded"] is False


def test_notes_that_nobody_has_looked_at_are_limited(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    cli("init", "--yes")
    monkeypatch.setattr("holloway.service.agent_notes.RECORDS_PER_SESSION_MAX", 1)
    assert cli("note", "x is y").code == 0
    assert cli("note", "z is y").code == 2
