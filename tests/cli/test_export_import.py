"""Commands for sets of memories: export, import, backup."""

import json
from pathlib import Path

import pytest

from holloway.cli import export_import
from tests.cli.conftest import Cli
from tests.conftest import Repository


@pytest.mark.promise("backups")
def test_backup_list_and_restore(cli: Cli, trap: str) -> None:
    assert cli("backup").code == 0
    name = cli("backup", "--list", "--json").json["backups"][0]["name"]
    cli("forget", trap, "--hard", "--yes")
    cli("remember", "something new")
    assert cli("backup", "--restore", name).code == 2
    kept = cli("backup", "--restore", name, "--yes", "--json").json["kept"]
    assert Path(kept).exists()
    assert cli("list", "--json").json["results"] == []
    for answered in ((), ("--yes",)):
        assert "There is no backup 'nonsense'" in cli("backup", "--restore", "nonsense", *answered).err


def test_an_export_does_not_write_over_a_file_that_is_there(cli: Cli, trap: str, repository: Repository) -> None:
    (repository.root / "CLAUDE.md").write_text("mine")
    refused = cli("export", "--format", "claude", "CLAUDE.md")
    assert (refused.code, "already exists" in refused.err) == (2, True)
    assert (repository.root / "CLAUDE.md").read_text() == "mine"
    assert cli("export", "--format", "claude", "CLAUDE.md", "--replace").code == 0
    assert "refresh() burns the token" in (repository.root / "CLAUDE.md").read_text()


def test_an_altered_archive_is_told_from_other_files(cli: Cli, trap: str, tmp_path: Path) -> None:
    cli("export", "--format", "archive", str(tmp_path / "a"))
    (tmp_path / "b").write_bytes((tmp_path / "a").read_bytes().replace(b"burns", b"keeps"))
    shown = cli("import", str(tmp_path / "b")).out
    assert "not signed here or was changed afterwards" in shown
    assert "Imported 1 memory for review" in shown


def test_what_is_known_is_known_even_if_it_was_rejected_once(cli: Cli, trap: str, tmp_path: Path) -> None:
    cli("export", str(tmp_path / "all.json"))
    cli("forget", trap, "--hard", "--yes")
    cli("remember", "refresh() burns the token")
    assert cli("import", str(tmp_path / "all.json"), "--json").json["known"] == 1


def test_memories_are_exported_to_a_file_or_to_stdout(cli: Cli, trap: str, tmp_path: Path) -> None:
    target = tmp_path / "all.json"
    assert cli("export", str(target)).out == f"Wrote {target} ({target.stat().st_size:,} bytes).\n"
    assert [row["id"] for row in json.loads(target.read_text())["memories"]] == [trap]
    assert cli("export", "--format", "markdown").out == cli("export", "-", "--format", "markdown").out
    assert "refresh() burns the token" in cli("export", "--format", "claude").out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--to", "AGENTS.md", "all.json"), "--to writes into AGENTS.md, not into all.json."),
        (("--remove",), "--remove removes a block from a rules file."),
    ],
)
def test_options_of_an_export_that_contradict_each_other_are_refused(
    cli: Cli, trap: str, arguments: tuple[str, ...], message: str
) -> None:
    refused = cli("export", *arguments)
    assert (refused.code, message in refused.err) == (2, True)


def test_a_block_in_a_rules_file_is_written_updated_and_removed(cli: Cli, trap: str, repository: Repository) -> None:
    for arguments, told in (
        ((), "the block was added"),
        ((), "the block is up to date"),
        (("--remove",), "the file held only the block and was deleted"),
    ):
        assert told in cli("export", "--to", "AGENTS.md", *arguments).out
    (repository.root / "AGENTS.md").write_text("mine\n")
    assert "there is no block to remove" in cli("export", "--to", "AGENTS.md", "--remove").out
    cli("export", "--to", "AGENTS.md")
    cli("remember", "cents, not floats")
    assert "the block was updated" in cli("export", "--to", "AGENTS.md").out
    assert "the rest of the file is unchanged" in cli("export", "--to", "AGENTS.md", "--remove").out
    assert (repository.root / "AGENTS.md").read_text() == "mine\n"


def test_an_import_tells_what_was_added_known_redacted_and_skipped(cli: Cli, trap: str, tmp_path: Path) -> None:
    token = "ghp_" + "aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zA1bC2"
    source = tmp_path / "foreign.json"
    source.write_text(json.dumps([{"content": f"the token is {token}"}, {"content": ""}]))
    done = cli("import", str(source), "--skip-invalid")
    assert done.code == 1
    assert "Imported 1 memory for review; 0 already stored, 0 rejected before.\n" in done.out
    assert "No agent sees them until you approve them: `holloway review`.\n" in done.out
    assert "A secret was redacted before storing: github-pat.\n" in done.out
    assert "Skipped " in done.out
    source.write_text(json.dumps([{"content": "refresh() burns the token"}]))
    again = cli("import", str(source))
    assert (again.code, "No agent sees them" in again.out, "claims to be an archive" in again.out) == (0, False, False)
    fields = cli("import", str(source), "--json").json
    assert set(fields) == {"restored", "added", "known", "refused", "redacted", "skipped"}


def test_an_archive_signed_here_is_restored(cli: Cli, trap: str, tmp_path: Path) -> None:
    cli("export", "--format", "archive", str(tmp_path / "a"))
    assert cli("import", str(tmp_path / "a")).out == "Restored 0 memories; 1 already stored.\n"


def test_backups_are_listed_and_restored_in_words(cli: Cli, trap: str, monkeypatch: pytest.MonkeyPatch) -> None:
    made = cli("backup", "--json").json["backup"]
    name = Path(made).name
    assert f"{name}  {Path(made).stat().st_size // 1024:,} KB\n" in cli("backup", "--list").out
    monkeypatch.setattr(export_import, "confirm_action", lambda question, yes: yes)
    assert cli("backup", "--restore", "latest").out == "Nothing was changed.\n"
    told = cli("backup", "--restore", name, "--yes").out
    assert told.startswith(f"Restored {name}.\nThe previous memory is kept as replaced-")


def test_a_folder_without_a_memory_has_no_backup(cli: Cli, home: Path) -> None:
    assert "There is no memory for" in cli("backup").err
    assert not (home / "projects").exists()
    cli("init")
    assert cli("backup", "--list").out == "There is no backup yet.\n"
    assert cli("backup", "--list", "--json").json == {"backups": []}


def test_personal_memories_go_into_a_tracked_file_only_by_your_word(cli: Cli, repository: Repository) -> None:
    cli("remember", "for the team", "--visibility", "project", "--type", "requirement")
    cli("remember", "said to myself", "--type", "requirement")
    cli("remember", "made personal", "--type", "requirement", "--visibility", "personal")
    rules = repository.root / "AGENTS.md"
    out = cli("export", "--to", "AGENTS.md").out
    assert "1 personal memory left out" in out
    assert ("said to myself" in rules.read_text(), "made personal" in rules.read_text()) == (True, False)
    repository.git("add", "AGENTS.md")
    repository.git("commit", "-qm", "add the rules")
    assert "2 personal memories left out, because others read that file" in cli("export", "--to", "AGENTS.md").out
    assert "said to myself" not in rules.read_text()
    assert "for the team" in rules.read_text()
    cli("export", "--to", "AGENTS.md", "--personal")
    assert "said to myself" in rules.read_text()
    assert "made personal" in rules.read_text()
