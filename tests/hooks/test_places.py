"""Worktrees side by side, a project that moved, a session that is resumed."""

import shutil
from pathlib import Path

import pytest

import holloway
from holloway.service import jobs
from holloway.store import registry
from tests.conftest import Repository, make_repository
from tests.hooks.asking import TRAP, TRAP_FILE, Asking, event, hook
from tests.store.test_memories import taught

BRIEFED = "shared memory of this repository"


@pytest.fixture
def side(repository: Repository, tmp_path: Path) -> Repository:
    """A second working tree of the shop, on a branch of its own."""
    repository.git("worktree", "add", "-q", "-b", "side", str(tmp_path / "side"))
    return Repository(tmp_path / "side")


def test_two_worktrees_at_once_share_one_memory_and_keep_their_sessions_apart(
    repository: Repository, side: Repository, memory: holloway.Holloway, trap: str, ask: Asking
) -> None:
    for name, where in (("main", repository), ("side", side)):
        assert BRIEFED in ask(event(where, "SessionStart", name, source="startup")).context
    assert TRAP in ask(event(repository, session="main")).context
    assert TRAP in ask(event(side, session="side")).context
    assert ask(event(repository, session="main")).printed == b""
    assert sorted(path.name for path in memory.project.journal_folder.glob("*.jsonl")) == ["main.jsonl", "side.jsonl"]
    assert '"branch":"side"' in (memory.project.journal_folder / "side.jsonl").read_text()


@pytest.mark.promise("branches")
def test_what_holds_on_one_branch_reaches_only_the_worktree_that_has_it(
    repository: Repository, side: Repository, memory: holloway.Holloway, ask: Asking
) -> None:
    made = taught(memory, "only the side branch rotates tokens", files=[TRAP_FILE])
    with memory.store.database.write_transaction():
        memory.store.database.execute("UPDATE memories SET branch_only = 'side' WHERE id = ?", (made.id,))
    assert ask(event(repository, session="main")).printed == b""
    assert "only the side branch" in ask(event(side, session="side")).context


def test_a_file_of_the_other_worktree_is_outside(
    repository: Repository, side: Repository, trap: str, ask: Asking
) -> None:
    assert ask(event(repository, tool_input={"file_path": str(side.root / TRAP_FILE)})).printed == b""


def test_a_project_that_moved_is_known_again_when_a_session_starts(
    repository: Repository, memory: holloway.Holloway, trap: str, ask: Asking, tmp_path: Path
) -> None:
    repository.root.rename(tmp_path / "moved")
    moved = Repository(tmp_path / "moved")
    assert ask(event(moved)).printed == b""
    assert BRIEFED in ask(event(moved, "SessionStart", source="startup")).context
    assert TRAP in ask(event(moved)).context
    assert registry.find_project_key(str(moved.root), str(memory.home)) == (memory.project.key, str(moved.root))


def test_a_repository_that_nobody_knows_is_not_taken_in_by_a_session_start(
    memory: holloway.Holloway, trap: str, ask: Asking, tmp_path: Path
) -> None:
    other = make_repository(tmp_path / "other", {"a.py": "another history\n"})
    plain = tmp_path / "plain"
    plain.mkdir()
    for where in (other, Repository(plain)):
        assert ask(event(where, "SessionStart", source="startup")).printed == b""
        assert registry.find_project_key(str(where.root), str(memory.home))[0] == ""


def test_a_project_under_its_own_name_in_another_place_keeps_its_data_folder(
    repository: Repository, memory: holloway.Holloway, trap: str, ask: Asking, tmp_path: Path
) -> None:
    shutil.copytree(repository.root, tmp_path / "copy" / "shop")
    copy = Repository(tmp_path / "copy" / "shop")
    ask(event(copy, "SessionStart", source="startup"))
    assert TRAP in ask(event(copy)).context
    assert [path.name for path in (memory.home / "projects").iterdir()] == [memory.project.key]


@pytest.mark.promise("once")
def test_a_resumed_session_is_told_nothing_twice(
    repository: Repository, memory: holloway.Holloway, trap: str, ask: Asking
) -> None:
    assert BRIEFED in ask(event(repository, "SessionStart", source="startup")).context
    assert TRAP in ask(event(repository)).context
    ask(event(repository, "SessionEnd", reason="other"))
    assert ask(event(repository, "SessionStart", source="resume")).printed == b""
    assert ask(event(repository)).printed == b""
    (log,) = memory.project.journal_folder.glob("*.jsonl")
    assert log.read_text().count('"event":"SessionStart"') == 2


def test_a_resumed_session_is_briefed_where_it_was_not_or_something_new_is_to_be_said(
    repository: Repository, memory: holloway.Holloway, ask: Asking
) -> None:
    assert BRIEFED in ask(event(repository, "SessionStart", "unknown", source="resume")).context
    ask(event(repository, "SessionStart", source="startup"))
    taught(memory, "amounts are integer cents", type="decision", pin=True)
    assert "integer cents" in ask(event(repository, "SessionStart", source="resume")).context


def test_a_session_that_is_resumed_after_a_day_is_briefed_anew(
    repository: Repository, memory: holloway.Holloway, ask: Asking
) -> None:
    ask(event(repository, "SessionStart", source="startup"))
    with memory.store.database.write_transaction():
        memory.store.database.execute("UPDATE sessions SET last_event_at = '2026-01-01T00:00:00.000Z'")
    assert BRIEFED in ask(event(repository, "SessionStart", source="resume")).context


def test_a_session_that_goes_on_after_it_was_cleared_is_told_again(
    repository: Repository, trap: str, ask: Asking
) -> None:
    """A host that clears its context gives the session a new id."""
    assert TRAP in ask(event(repository)).context
    ask(event(repository, "SessionEnd", reason="clear"))
    ask(event(repository, "SessionStart", "s2", source="clear"))
    assert TRAP in ask(event(repository, session="s2")).context


@pytest.mark.promise("one-project")
def test_a_folder_that_only_names_the_origin_is_told_and_writes_nothing_and_the_person_is_asked_once(
    repository: Repository, memory: holloway.Holloway, trap: str, ask: Asking, tmp_path: Path
) -> None:
    repository.git("remote", "add", "origin", "git@example.com:acme/shop.git")
    holloway.open(repository.root).close()
    stranger = make_repository(tmp_path / "stranger", {TRAP_FILE: "other = 1\n"})
    stranger.git("remote", "add", "origin", "https://example.com/acme/shop")
    first = ask(event(stranger, "SessionStart", source="startup"))
    assert first.context == ""
    assert "init --same-project" in first.printed.decode()
    for told in ("SessionStart", "UserPromptSubmit", "PostToolUse", "SessionEnd"):
        assert ask(event(stranger, told, source="startup", prompt="Fix refresh in tokens.py")).printed == b""
    assert not memory.project.journal_folder.exists()
    assert len(list((memory.home / "projects").iterdir())) == 1
    assert TRAP in ask(event(repository)).context, "the project itself is told as before"


def test_a_clone_is_recognised_when_its_first_session_starts(
    repository: Repository, memory: holloway.Holloway, trap: str, ask: Asking, tmp_path: Path
) -> None:
    repository.git("remote", "add", "origin", "git@example.com:acme/shop.git")
    holloway.open(repository.root).close()
    repository.git("clone", "-q", str(repository.root), str(tmp_path / "clone"))
    clone = Repository(tmp_path / "clone")
    clone.git("remote", "set-url", "origin", "git@example.com:acme/shop.git")
    assert BRIEFED in ask(event(clone, "SessionStart", source="startup")).context
    assert TRAP in ask(event(clone)).context


@pytest.mark.promise("withheld")
@pytest.mark.parametrize(
    "change", ["def renew(token): ...\n", "", None], ids=["the symbol is gone", "the file is empty", "the file is gone"]
)
def test_a_hook_withholds_what_speaks_of_code_that_is_gone_and_the_worker_marks_it(
    repository: Repository, memory: holloway.Holloway, change: str | None
) -> None:
    file = repository.root / TRAP_FILE
    made = memory.remember("refresh() burns the token; call it once", type="gotcha", files=[TRAP_FILE]).memory
    assert made is not None
    assert "burns the token" in hook(event(repository)).context
    if change is None:
        file.unlink()
    else:
        file.write_text(change, "utf-8")
    assert hook(event(repository, session="s2")).context == ""
    assert jobs.mark_stale(memory, 60) == "1 marked stale"
    assert memory.get(made.id).review == "stale"
    assert jobs.mark_stale(memory, 60) == ""
