"""The publish command asks before it writes, and shows each line that comes and goes."""

from tests.cli.conftest import Cli
from tests.conftest import Repository


def test_publishing_asks_before_it_writes(cli: Cli, repository: Repository) -> None:
    card = cli("remember", "tests hang", "--visibility", "project", "--module", "auth", "--json").json["id"]
    run = cli("publish")
    assert "added    .holloway/auth.md  +1 -0" in run.out
    assert "Add --yes" in run.err
    assert not (repository.root / ".holloway").exists()
    assert "+ tests hang" in cli("publish", "--dry-run").out
    assert not (repository.root / ".holloway").exists()
    assert "Written." in cli("publish", "--yes").out
    assert "up to date" in cli("publish").out
    cli("edit", card, "--visibility", "personal")
    assert "- tests hang" in cli("publish", "--dry-run").out
    document = cli("publish", "--yes", "--json").json
    assert (document["written"], document["files"][0]["action"]) == (True, "removed")


def test_without_a_chosen_memory_it_says_how_to_choose_one(cli: Cli) -> None:
    cli("remember", "said to myself")
    assert "--visibility project` chooses a memory" in cli("publish").out
