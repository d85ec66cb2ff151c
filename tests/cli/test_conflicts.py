"""The conflicts command shows both versions and lets a person decide."""

from pathlib import Path

import pytest

from tests.cli.conftest import Cli


def test_two_commands_decide_a_conflict(cli: Cli, hub: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def use(name: str) -> None:
        monkeypatch.setenv("HOLLOWAY_HOME", str(tmp_path / name))

    use("ada")
    card = cli("remember", "tests need Redis", "--visibility", "project", "--json").json["id"]
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
