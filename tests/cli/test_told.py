"""What agents were told, as the command prints it."""

import holloway
from tests.cli.conftest import Cli
from tests.conftest import Repository


def work(repository: Repository, session: str) -> str:
    with holloway.open(repository.root) as memory, memory.session(session, agent="mine") as running:
        return running.augment("read_file", {"path": "src/shop/auth/tokens.py"}, "def refresh(token): ...")


def test_a_person_reads_what_an_agent_was_told(cli: Cli, trap: str, repository: Repository) -> None:
    text = work(repository, "s1")
    printed = cli("told", "--today").out
    assert "  tool result, session s1, about " in printed
    assert all(f"  {line}\n" in printed for line in text.splitlines())
    (row,) = cli("told", "--session", "last", "--json").json["texts"]
    assert (row["text"], row["session"], row["memories"]) == (text, "s1", [trap])


def test_pages_and_an_empty_list_say_what_to_expect(cli: Cli, trap: str, repository: Repository) -> None:
    assert cli("told").out == "No agent was told anything in the last thirty days.\n"
    assert cli("told", "--today").out == "No agent was told anything today.\n"
    for session in ("s1", "s2"):
        work(repository, session)
    assert "There is more" in cli("told", "--limit", "1").out
    first = cli("told", "--limit", "1", "--json").json
    second = cli("told", "--limit", "1", "--after", first["next_key"], "--json").json
    assert [page["texts"][0]["session"] for page in (first, second)] == ["s2", "s1"]
    assert cli("told", "--session", "s1", "--json").json["texts"][0]["session"] == "s1"
    assert trap


def test_a_text_with_a_forgotten_sentence_is_printed_as_erased(cli: Cli, trap: str, repository: Repository) -> None:
    cli("edit", trap, "refresh() burns the token twice when it is called from the cron job")
    work(repository, "s1")
    assert cli("forget", trap, "--hard", "--yes").code == 0
    assert "(erased)" in cli("told").out
    assert cli("told", "--json").json["texts"][0]["text"] == ""


def test_uninstall_with_data_deletes_what_was_told(cli: Cli, trap: str, repository: Repository) -> None:
    work(repository, "s1")
    with holloway.open(repository.root) as memory:
        folder = memory.project.folder
    work(repository, "s2")
    assert (folder / "told.log").exists()
    assert cli("uninstall", "--data", "--yes").code == 0
    assert not folder.exists()
    assert trap
