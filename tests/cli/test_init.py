"""The first day: what init finds, offers and does, and what it leaves alone."""

from pathlib import Path

import pytest

from holloway.embeddings.remote_providers import OLLAMA
from holloway.sharing.published_folder import PUBLISHED_MARK
from tests.capture.test_host_notes import memory_folder, write
from tests.cli.conftest import Cli
from tests.conftest import Repository, make_repository
from tests.install.installing import events, tree
from tests.service.on_disk import transcript

SETTINGS = ".claude/settings.json"
HOOKS = ".codex/hooks.json"


@pytest.fixture(autouse=True)
def machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine on whose PATH there is no agent."""
    monkeypatch.setenv("PATH", "/usr/bin:/bin")


@pytest.fixture
def agents() -> None:
    """A person who uses both agents."""
    for folder in (".claude", ".codex"):
        (Path.home() / folder).mkdir(parents=True)


@pytest.mark.promise("asks-first")
@pytest.mark.usefixtures("agents")
def test_without_a_terminal_nothing_of_the_person_is_touched(cli: Cli) -> None:
    before = tree(Path.home())
    said = cli("init")
    assert (said.code, tree(Path.home())) == (0, before)
    assert "holloway setup\n" in said.out


@pytest.mark.promise("one-step")
@pytest.mark.usefixtures("agents")
def test_yes_connects_every_agent_that_is_here_and_names_each_file(cli: Cli) -> None:
    said = cli("init", "--yes").out
    assert events(Path.home() / SETTINGS)
    assert events(Path.home() / HOOKS)
    for name in (SETTINGS, HOOKS, ".claude.json", ".codex/config.toml"):
        assert str(Path.home() / name) in said
    assert "after you trust them" in said
    once = tree(Path.home())
    again = cli("init", "--yes").out
    assert tree(Path.home()) == once
    assert "is connected" not in again
    assert "connect the agents" not in again
    assert "connect the agents" not in cli("init").out, "without a terminal, too"


def test_an_agent_that_is_not_here_is_not_connected(cli: Cli) -> None:
    (Path.home() / ".codex").mkdir(parents=True)
    cli("init", "--yes")
    assert events(Path.home() / HOOKS)
    assert not (Path.home() / ".claude").exists()


@pytest.mark.usefixtures("agents")
def test_an_agent_whose_file_is_broken_is_named_and_the_other_connected(cli: Cli) -> None:
    (Path.home() / SETTINGS).write_text("{")
    said = cli("init", "--yes")
    assert said.code == 0
    assert str(Path.home() / SETTINGS) in said.err
    assert events(Path.home() / HOOKS)


@pytest.mark.promise("one-step")
def test_sessions_from_before_are_told_of_and_learned_from_when_told_to(cli: Cli, repository: Repository) -> None:
    transcript(repository.root, "before")
    assert "On this disk: 1 session of this project (claude-code)" in cli("init").out
    assert cli("learn", "--dry-run", "--json").json["known"] == 0
    said = cli("init", "--yes").out
    assert "1 session read" in said
    assert "1 memory stored, 0 of them waiting for review" in said
    assert cli("learn", "--dry-run", "--json").json["known"] == 1


@pytest.mark.usefixtures("agents")
def test_programs_read_what_was_found_and_with_yes_what_was_done(cli: Cli, repository: Repository) -> None:
    transcript(repository.root, "before")
    found = cli("init", "--json").json
    assert (found["sessions"], [agent["changed"] for agent in found["agents"]]) == (1, [False, False])
    assert not (Path.home() / SETTINGS).exists()
    done = cli("init", "--json", "--yes").json
    assert [(agent["agent"], agent["changed"]) for agent in done["agents"]] == [("claude-code", True), ("codex", True)]
    assert str(Path.home() / SETTINGS) in done["agents"][0]["files"]
    assert events(Path.home() / SETTINGS)


@pytest.mark.promise("one-project")
def test_a_folder_that_only_names_the_origin_is_told_how_to_join(
    cli: Cli, repository: Repository, tmp_path: Path
) -> None:
    origin = ("remote", "add", "origin", "git@example.com:acme/shop.git")
    repository.git(*origin)
    cli("init")
    cli("remember", "tokens are burnt on refresh")
    stranger = make_repository(tmp_path / "stranger", {"a.py": "a = 1\n"})
    stranger.git(*origin)
    place = ("--project", str(stranger.root))
    question = "shares no first commit with it; if it is the same project, `holloway init --same-project`"
    assert question in cli("status", *place).out
    assert "burnt" not in cli("list", *place).out
    assert question in cli("init", *place).out
    assert "burnt" not in cli("list", *place).out
    assert question in cli("status", *place).out, "a separate memory can still be joined"
    joined = cli("init", "--same-project", *place)
    assert (joined.code, question in joined.out) == (0, False)
    assert "burnt" in cli("list", *place).out
    assert question not in cli("status", *place).out


def test_there_is_nothing_to_join_without_a_project_of_that_origin(cli: Cli, repository: Repository) -> None:
    said = cli("init", "--same-project")
    assert said.code == 2
    assert "No project on this machine has the origin or the first commit" in said.err
    assert "no memory" in cli("doctor").out


def test_init_shows_what_came_again_in_past_sessions(cli: Cli, repository: Repository) -> None:
    for number, session in enumerate(("s1", "s2")):
        path = transcript(repository.root, session)
        path.write_text(path.read_text("utf-8").replace("2026-01-04T09", f"2026-01-04T1{number}"), "utf-8")
    printed = cli("init", "--yes").out
    assert "Errors that came again" in printed
    assert "from now on agents are told: set SHOP_AA_URL=fake://" in printed


def test_notes_that_an_agent_keeps_are_named_and_wait_for_review(cli: Cli, repository: Repository) -> None:
    folder = memory_folder(Path.home(), repository.root)
    write(folder / "cache.md", "The cache is per thread because `refresh` is not atomic.")
    write(folder / "total.md", "The total is rounded once because rounding each line lost a cent.")
    assert "2 notes of Claude Code for this project wait for `holloway review`" in cli("init").out
    assert "The cache is per thread" in cli("review").out
    assert cli("init", "--json").json["notes"] == 2


@pytest.fixture
def ollama(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine on which Ollama runs with an embedding model; its server does not answer here."""
    program = tmp_path / "bin" / "ollama"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\nprintf 'NAME ID\\nembeddinggemma:300m 8546\\n'\n", "utf-8")
    program.chmod(0o700)
    monkeypatch.setenv("PATH", f"{program.parent}:/usr/bin:/bin")


def chosen_provider(cli: Cli) -> str:
    return "builtin" if "builtin" in cli("config", "get", "embedding.provider").out else "another"


@pytest.mark.promise("nothing-is-sent")
@pytest.mark.parametrize("arguments", [(), ("--yes",)])
@pytest.mark.usefixtures("ollama")
def test_an_ollama_that_runs_is_offered_and_never_chosen_unasked(cli: Cli, arguments: tuple[str, ...]) -> None:
    said = cli("init", *arguments).out
    assert "Ollama runs here with embeddinggemma:300m." in said
    assert "holloway embedder use ollama --model embeddinggemma:300m" in said
    assert chosen_provider(cli) == "builtin"


@pytest.mark.usefixtures("ollama")
def test_an_ollama_that_embeds_nothing_is_not_chosen(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    def confirm(question: str, *, yes: bool, default: bool = True) -> bool:
        return "find memories by meaning" in question

    monkeypatch.setattr("holloway.cli.init._confirm_step", confirm)
    monkeypatch.setattr("holloway.embeddings.remote_providers.OLLAMA", OLLAMA._replace(base_url="http://127.0.0.1:9"))
    assert "The model inside holloway stays." in cli("init").out
    assert chosen_provider(cli) == "builtin"


def test_a_folder_without_git_is_mapped_and_the_person_told_that_all_of_it_is_one_project(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path / "plain" / "a.py", "A = 1\n")
    monkeypatch.chdir(tmp_path / "plain")
    assert "is not under git: every folder below it belongs to this project." in cli("init").out


def test_init_offers_what_colleagues_published(cli: Cli, repository: Repository) -> None:
    folder = repository.root / ".holloway"
    folder.mkdir()
    (folder / "auth.md").write_text(f"{PUBLISHED_MARK}\n\n# auth\n\n## Gotchas\n\n- theirs [hw:aaaaaaaaaa]\n")
    out = cli("init").out
    assert ".holloway: 1 memory that colleagues published for review" in out
    assert "`holloway import .holloway` does at any time" in out
    assert "1 memory imported; no agent sees them until `holloway review`" in cli("init", "--yes").out
    assert "colleagues published" not in cli("init").out


def test_init_offers_to_look_at_fetched_refs_and_contacts_no_remote(cli: Cli, repository: Repository) -> None:
    assert "Colleagues share" not in cli("init").out
    repository.git("update-ref", f"refs/holloway/{'a' * 32}", "HEAD")
    repository.git("update-ref", "refs/holloway/no-replica", "HEAD")
    repository.git("remote", "add", "origin", "https://example.invalid/shop.git")
    out = cli("init", "--yes").out
    assert "Colleagues share memories of this project (1 device fetched)." in out
    assert "`holloway share --join` reads what they share" in out
    assert cli("share").out.startswith("off")
    cli("share", "--exclude", ".")
    assert "Colleagues share" not in cli("init").out
