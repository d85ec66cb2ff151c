"""The commands that share memories: nothing leaves without a yes, and a dry run shows all that would."""

import subprocess
from pathlib import Path

import pytest

from holloway.store import operation_log
from tests.cli.conftest import Cli
from tests.conftest import Repository


def list_refs(hub: Path) -> str:
    return subprocess.run(["git", "-C", str(hub), "for-each-ref"], check=True, capture_output=True, text=True).stdout


@pytest.mark.promise("shared-by-choice")
def test_a_dry_run_prints_all_that_would_be_sent_and_sends_nothing(cli: Cli, hub: Path) -> None:
    cli("remember", "tests hang without REDIS_URL", "--file", "README.md", "--visibility", "project")
    cli("remember", "mine alone", "--visibility", "personal")
    out = cli("share", "--git", "--dry-run").out
    assert "1 memory would be sent, nothing was" in out
    assert "tests hang without REDIS_URL" in out
    assert "files: README.md" in out
    assert "it is personal" in out
    assert "mine alone" not in out
    assert list_refs(hub) == ""
    assert cli("share", "--dry-run", "--json").json["memories"][0]["content"] == {
        "text": "tests hang without REDIS_URL"
    }


def test_without_a_terminal_only_yes_shares(cli: Cli, hub: Path) -> None:
    cli("remember", "tests hang without REDIS_URL", "--visibility", "project")
    assert "nothing was shared" in cli("share", "--git").out
    assert list_refs(hub) == ""
    assert "Synced: 1 sent" in cli("share", "--git", "--yes", "--as", "Ada").out
    assert "refs/holloway/" in list_refs(hub)


def test_status_pause_and_leave(cli: Cli, hub: Path) -> None:
    assert cli("share").out.startswith("off")
    cli("remember", "tests hang without REDIS_URL", "--visibility", "project")
    cli("share", "--git", "--yes", "--as", "Ada")
    assert cli("share", "--status", "--json").json["state"] == "synced"
    assert cli("status", "--json").json["sharing"] == {"state": "synced", "detail": ""}
    cli("share", "--pause")
    assert cli("share").out.startswith("paused")
    assert "sharing    paused" in cli("status").out
    assert "Left." in cli("share", "--leave", "--yes").out
    assert list_refs(hub) == ""


def test_what_looks_like_client_work_is_not_shared_by_yes(cli: Cli, hub: Path, repository: Repository) -> None:
    client = hub.rename(hub.with_name("acme-client.git"))
    repository.git("remote", "set-url", "origin", str(client))
    cli("remember", "tests hang without REDIS_URL", "--visibility", "project")
    run = cli("share", "--git", "--yes")
    assert run.code != 0
    assert "looks like work for a client" in run.out
    assert list_refs(client) == ""


def test_joining_reads_what_others_share_and_shares_nothing(
    cli: Cli, hub: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    cli("remember", "tests hang without REDIS_URL", "--visibility", "project")
    cli("share", "--git", "--yes", "--as", "Ada")
    monkeypatch.setenv("HOLLOWAY_HOME", str(tmp_path / "bob"))
    cli("remember", "of Bob alone")
    out = cli("share", "--join", "--as", "Bob").out
    assert "1 new" in out
    assert "Not accepted yet: Ada" in out
    assert "Accepted Ada" in cli("share", "--accept", "ada").out
    assert "tests hang" in cli("list").out
    assert "pending" not in cli("share").out


def test_options_that_exclude_each_other_are_refused(cli: Cli) -> None:
    assert "exclude each other" in cli("share", "--pause", "--leave").err


def test_sync_without_sharing_says_how_to_start(cli: Cli, repository: Repository) -> None:
    cli("remember", "x")
    assert "holloway share --git" in cli("sync").err


def test_a_memory_of_all_projects_is_shared_through_a_remote_of_its_own(cli: Cli, hub: Path) -> None:
    cli("remember", "I prefer small commits", "--user")
    assert "1 memory" in cli("share", "--git", "--dry-run", "--user", "--remote", str(hub)).out
    cli("share", "--git", "--yes", "--user", "--remote", str(hub), "--as", "Ada")
    assert "refs/holloway/" in list_refs(hub)
    assert cli("share", "--status", "--user").out.startswith("synced")
    assert cli("share").out.startswith("off")
    assert operation_log.SETTINGS_KEY == "sharing"


def test_an_excluded_project_is_not_shared_until_it_is_included(cli: Cli, hub: Path) -> None:
    cli("remember", "chosen", "--visibility", "project")
    cli("share", "--git", "--yes", "--as", "Ada")
    assert "not shared from now on" in cli("share", "--exclude", ".").out
    assert cli("share").out.startswith("excluded")
    assert cli("status", "--json").json["sharing"]["state"] == "excluded"
    assert "is excluded from sharing" in cli("sync").err
    assert cli("share", "--git", "--yes").code != 0
    cli("share", "--include", ".")
    assert "Synced" in cli("share", "--git", "--yes").out


def test_accepting_prints_what_to_read_first(
    cli: Cli, hub: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    cli("remember", "tests hang without REDIS_URL", "--visibility", "project")
    cli("share", "--git", "--yes", "--as", "Ada")
    monkeypatch.setenv("HOLLOWAY_HOME", str(tmp_path / "bob"))
    cli("share", "--join", "--as", "Bob")
    out = cli("share", "--accept", "Ada").out
    assert "Accepted Ada (" in out
    assert "Read these first" in out
    assert "tests hang without REDIS_URL" in out
    assert "from Ada" in out
    assert "Read these first" not in cli("share", "--accept", "Ada").out


def test_quotes_are_ticked_by_id(cli: Cli, hub: Path) -> None:
    card = cli("remember", "tests hang without REDIS_URL", "--visibility", "project", "--json").json["id"]
    assert f"{card} has no quotes of yours" in cli("share", "--with-quotes", card).err
    assert f"Quotes of {card} stay here" in cli("share", "--without-quotes", card).out
