"""The ceremony: only what was chosen leaves, groups are asked about once, and nothing is offered after "not now"."""

import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path

import pytest

from tests.cli.conftest import Cli
from tests.conftest import make_repository

PLANTED_TOKEN = "ghp_" + "aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zA1bC2"


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Answers that a person at a terminal gives, in order; the questions take their place."""
    answers: list[str] = []

    def answer(question: str, default: bool) -> bool:
        return answers.pop(0) == "y"

    monkeypatch.setattr("holloway.cli.share_ceremony.is_terminal", lambda: True)
    monkeypatch.setattr("click.confirm", answer)
    return answers


def test_yes_shares_what_was_chosen_and_the_groups_that_it_names(cli: Cli, hub: Path) -> None:
    cli("remember", "chosen", "--visibility", "project")
    cli("remember", "said to myself")
    out = cli("share", "--git", "--yes", "--as", "Ada").out
    assert "1 memory taught by you, personal until you say otherwise" in out
    assert "not shared: --group taught shares them" in out
    assert "Synced: 1 sent" in out
    preview = cli("share", "--dry-run", "--group", "taught", "--json").json
    assert sorted(row["content"]["text"] for row in preview["memories"]) == ["chosen", "said to myself"]
    assert "Synced: 1 sent" in cli("share", "--git", "--yes", "--group", "taught").out
    assert {row["visibility"] for row in cli("list", "--shared", "--json").json["results"]} == {"project"}


def test_a_group_that_nobody_asked_about_never_leaves(cli: Cli, hub: Path) -> None:
    cli("remember", "said to myself")
    cli("share", "--git", "--yes", "--as", "Ada")
    cli("remember", "said later")
    cli("sync")
    assert cli("list", "--shared", "--json").json["results"] == []
    assert cli("share", "--status", "--json").json["not_chosen"] == 2


def test_a_secret_is_shown_with_the_place_to_redact(cli: Cli, hub: Path) -> None:
    card = cli("remember", "the deploy step needs a token", "--visibility", "project", "--json").json["id"]
    text = f"the deploy step needs {PLANTED_TOKEN} in the environment"
    with closing(sqlite3.connect(next((hub.parent / "data").rglob("memory.db")))) as database:
        database.execute("UPDATE memories SET content = ? WHERE id = ?", (text, card))
        database.commit()
    out = cli("share", "--git", "--dry-run").out
    assert "its content may contain a secret" in out
    assert "content: …the deploy step needs [REDACTED" in out or "content: the deploy step needs [REDACTED" in out
    assert f"`holloway edit {card}` takes it out" in out
    assert PLANTED_TOKEN not in out


def test_all_projects_are_offered_with_their_counts(cli: Cli, hub: Path, tmp_path: Path) -> None:
    cli("remember", "chosen", "--visibility", "project")
    client = make_repository(tmp_path / "acme-client", {"client.py": "rate = 1\n"}).root
    cli("remember", "of the client", "--visibility", "project", "--project", str(client))
    subprocess.run(["git", "-C", str(client), "remote", "add", "origin", str(hub)], check=True)
    remoteless = make_repository(tmp_path / "notes", {"notes.py": "pages = 1\n"}).root
    cli("remember", "alone", "--project", str(remoteless))
    out = cli("share", "--git", "--all-projects", "--dry-run").out
    assert "2 memories in 2 projects could be shared." in out
    assert "looks like work for a client; --include acme-client allows it" in out
    rows = cli("share", "--all-projects", "--json").json["projects"]
    assert sorted((row["project"], row["problem"] is None, bool(row["excluded"])) for row in rows) == [
        ("acme-client", True, True),
        ("notes", False, False),
        ("shop", True, False),
    ]
    cli("share", "--git", "--all-projects", "--yes", "--as", "Ada")
    assert cli("share", "--project", str(client)).out.startswith("off")
    assert cli("share").out.startswith("synced")


def test_a_person_is_asked_once_per_group(cli: Cli, hub: Path, terminal: list[str]) -> None:
    cli("remember", "chosen", "--visibility", "project")
    cli("remember", "said to myself")
    terminal += ["n", "y"]
    assert "Synced: 1 sent" in cli("share", "--git", "--as", "Ada").out
    terminal += ["y", "y"]
    assert "Synced: 1 sent" in cli("share", "--git").out
    terminal += ["y"]
    assert "taught by you" not in cli("share", "--git").out


def test_not_now_is_remembered(cli: Cli, hub: Path, terminal: list[str]) -> None:
    cli("remember", "chosen", "--visibility", "project")
    terminal += ["n"]
    assert "You are not asked again before" in cli("share", "--git").out
    assert cli("share").out.startswith("off")


def test_a_person_may_share_client_work_all_the_same(cli: Cli, hub: Path, terminal: list[str], tmp_path: Path) -> None:
    client = make_repository(tmp_path / "acme-client", {"client.py": "rate = 1\n"}).root
    cli("remember", "of the client", "--visibility", "project", "--project", str(client))
    terminal += ["y", "y"]
    out = cli("share", "--git", "--remote", str(hub), "--as", "Ada", "--project", str(client)).out
    assert "looks like work for a client" in out
    assert "Synced: 1 sent" in out
