"""The commands that share memories: nothing leaves without a yes, and a dry run shows all that would."""

import subprocess
from pathlib import Path

import pytest

from holloway.store import operation_log
from tests.cli.conftest import Cli
from tests.conftest import Repository


@pytest.fixture
def hub(tmp_path: Path, repository: Repository) -> Path:
    """A bare repository that the project's remote `origin` names."""
    path = tmp_path / "hub.git"
    subprocess.run(["git", "init", "-q", "--bare", str(path)], check=True)
    repository.git("remote", "add", "origin", str(path))
    return path


def list_refs(hub: Path) -> str:
    return subprocess.run(["git", "-C", str(hub), "for-each-ref"], check=True, capture_output=True, text=True).stdout


@pytest.mark.promise("shared-by-choice")
def test_a_dry_run_prints_all_that_would_be_sent_and_sends_nothing(cli: Cli, hub: Path) -> None:
    cli("remember", "tests hang without REDIS_URL", "--file", "README.md")
    cli("remember", "mine alone", "--visibility", "personal")
    out = cli("share", "--git", "--dry-run").out
    assert "1 memory would be sent, nothing was" in out
    assert "tests hang without REDIS_URL" in out
    assert "it is personal" in out
    assert "mine alone" not in out
    assert list_refs(hub) == ""
    assert cli("share", "--dry-run", "--json").json["memories"][0]["content"] == {
        "text": "tests hang without REDIS_URL"
    }


def test_without_a_terminal_only_yes_shares(cli: Cli, hub: Path) -> None:
    cli("remember", "tests hang without REDIS_URL")
    assert "nothing was shared" in cli("share", "--git").out
    assert list_refs(hub) == ""
    assert "Synced: 1 sent" in cli("share", "--git", "--yes", "--as", "Ada").out
    assert "refs/holloway/" in list_refs(hub)


def test_status_pause_and_leave(cli: Cli, hub: Path) -> None:
    assert cli("share").out.startswith("off")
    cli("remember", "tests hang without REDIS_URL")
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
    cli("remember", "tests hang without REDIS_URL")
    run = cli("share", "--git", "--yes")
    assert run.code != 0
    assert "looks like work for a client" in run.out
    assert list_refs(client) == ""


def test_joining_reads_what_others_share_and_shares_nothing(
    cli: Cli, hub: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    cli("remember", "tests hang without REDIS_URL")
    cli("share", "--git", "--yes", "--as", "Ada")
    monkeypatch.setenv("HOLLOWAY_HOME", str(tmp_path / "bob"))
    cli("remember", "of Bob alone")
    out = cli("share", "--join", "--as", "Bob").out
    assert "1 new" in out
    assert "Not accepted yet: Ada" in out
    assert "Accepted Ada" in cli("share", "--accept", "ada").out
    assert "tests hang" in cli("list").out
    assert "pending" not in cli("share").out


def test_two_commands_decide_a_conflict(cli: Cli, hub: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def use(name: str) -> None:
        monkeypatch.setenv("HOLLOWAY_HOME", str(tmp_path / name))

    use("ada")
    card = cli("remember", "tests need Redis", "--json").json["id"]
    cli("share", "--git", "--yes", "--as", "Ada")
    use("bob")
    cli("share", "--join", "--as", "Bob")
    cli("share", "--accept", "Ada")
    cli("edit", card, "tests need Redis 7")
    use("ada")
    cli("sync")
    cli("share", "--accept", "Bob")
    cli("edit", card, "tests need Redis 6")
    cli("sync")
    use("bob")
    assert "1 conflict" in cli("sync").out
    assert "b  Ada" in cli("conflicts").out
    assert len(cli("conflicts", "--json").json["conflicts"][0]["versions"]) == 2
    assert "Give --keep" in cli("conflicts", card).err
    assert "Decided: tests need Redis 6" in cli("conflicts", card, "--keep", "b").out
    assert cli("conflicts").out == "No conflicts.\n"


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
