"""Learning from the sessions that agents have left on this machine."""

import os
from datetime import timedelta
from pathlib import Path

import pytest

from holloway.capture.session_files import SessionFiles
from holloway.domain.memory import MemoryType
from holloway.service import past_sessions
from holloway.service.holloway import Holloway
from holloway.service.session_learning import Learning
from holloway.store import learned_files, session_ledger
from holloway.store.filter import Filter
from tests.capture.test_copilot import Writer as CopilotSession
from tests.capture.test_opencode import Session as OpenCodeSession
from tests.cli.conftest import Cli, cli  # noqa: F401  (the fixture)
from tests.conftest import Repository
from tests.service.on_disk import BEGAN, deeds, transcript, variable, watched


def contents(memory: Holloway) -> list[str]:
    kept = memory.store.memories.find_memories(Filter(types=(MemoryType.ERROR_PATTERN,)), limit=-1)
    return sorted(each.content for each in kept)


def learn(memory: Holloway) -> past_sessions.PastLessons:
    return past_sessions.learn(memory, past_sessions.find(memory))


@pytest.mark.promise("past-sessions")
def test_sessions_are_learned_from_in_their_order_and_once(memory: Holloway, repository: Repository) -> None:
    for number in (2, 0, 1):
        transcript(repository.root, f"s{number}", number)
    found = past_sessions.find(memory)
    assert [each.session for each in found.sessions] == ["s0", "s1", "s2"]
    done = past_sessions.learn(memory, found)
    assert (done.read, len(done.kept), done.failed) == (3, 3, [])
    before = memory.store.memories.find_memories(Filter(), limit=-1)
    assert past_sessions.find(memory).sessions == ()
    assert past_sessions.find(memory).known == 3
    assert learn(memory).read == 0
    assert memory.store.memories.find_memories(Filter(), limit=-1) == before


@pytest.mark.promise("past-sessions")
@pytest.mark.parametrize("encoding", ["storage", "database"])
def test_sessions_of_opencode_are_learned_from_once(
    memory: Holloway, repository: Repository, monkeypatch: pytest.MonkeyPatch, encoding: str
) -> None:
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    session, child = (
        OpenCodeSession(repository.root),
        OpenCodeSession(repository.root, "ses_child", parentID="ses_main1"),
    )
    session.user("Fix the login")
    for tool, arguments, answer, ok in deeds(1, repository.root):
        state = {"status": "completed", "input": arguments, "output": answer, "metadata": {"exit": 0 if ok else 1}}
        session.assistant({"type": "tool", "tool": tool.lower(), "state": state})
    child.assistant({"type": "text", "text": "I looked around."})
    for written in (session, child):
        written.write(Path.home() / ".local" / "share" / "opencode", encoding)
    assert past_sessions.find(memory, agent="opencode").known == 0
    done = learn(memory)
    assert (done.read, len(done.kept), done.failed) == (1, 1, [])
    assert variable(1) in contents(memory)[0]
    learned_files.delete_missing_files(memory.store.database)
    assert past_sessions.find(memory).sessions == ()
    assert past_sessions.find(memory).known == 1


@pytest.mark.promise("past-sessions")
def test_sessions_of_copilot_are_learned_from_once(
    memory: Holloway, repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("COPILOT_HOME", raising=False)
    session = CopilotSession(repository.root)
    session.user("Fix the login")
    for number, (tool, arguments, answer, ok) in enumerate(deeds(1, repository.root)):
        session.calls(tool.lower(), f"c{number}", arguments=arguments)
        session.answers(answer, f"c{number}", shellExecution={"exitCode": 0 if ok else 1})
    session.write(Path.home() / ".copilot" / "session-state" / "s1" / "events.jsonl")
    done = learn(memory)
    assert (done.read, len(done.kept), done.failed) == (1, 1, [])
    assert variable(1) in contents(memory)[0]
    assert past_sessions.find(memory, agent="copilot").known == 1


def test_a_session_that_went_on_is_read_again_and_makes_no_twin(memory: Holloway, repository: Repository) -> None:
    first = transcript(repository.root, "s1", 1)
    learn(memory)
    first.write_text(first.read_text() + first.read_text().splitlines()[0].replace("s1-0", "s1-9") + "\n")
    assert learn(memory).read == 1
    assert len(contents(memory)) == 1
    assert session_ledger.count_all_sessions(memory.store.database) == 1


def test_sessions_of_other_worktrees_count(memory: Holloway, repository: Repository, tmp_path: Path) -> None:
    repository.git("worktree", "add", "-q", "-b", "side", str(tmp_path / "side"))
    transcript(tmp_path / "side", "s1", 1)
    (tmp_path / "other").mkdir()
    transcript(tmp_path / "other", "s2", 2)
    assert [each.session for each in past_sessions.find(memory).sessions] == ["s1"]


def test_only_sessions_of_an_agent_and_since_a_day(memory: Holloway, repository: Repository) -> None:
    for number in range(3):
        transcript(repository.root, f"s{number}", number)
    (_, middle, _) = past_sessions.find(memory).sessions
    assert len(past_sessions.find(memory, since=middle.started_at).sessions) == 2
    assert past_sessions.find(memory, agent="codex").sessions == ()


def test_a_session_that_hooks_are_watching_is_left_to_the_worker(memory: Holloway, repository: Repository) -> None:
    told = transcript(repository.root, "s1")
    watched(memory, "s1", ended=False, told=str(told))
    found = past_sessions.find(memory)
    assert (found.sessions, found.running) == ((), 1)


@pytest.mark.promise("past-sessions")
def test_one_broken_file_does_not_stop_the_others(memory: Holloway, repository: Repository) -> None:
    transcript(repository.root, "s0", 0)
    broken = transcript(repository.root, "s1", 1)
    transcript(repository.root, "s2", 2)
    found = past_sessions.find(memory)
    broken.write_bytes(b"\x00" * 100)
    done = past_sessions.learn(memory, found)
    assert (done.read, len(done.kept), len(done.failed)) == (3, 2, 1)
    assert "s1.jsonl: nothing in it can be read" in done.failed[0]


def test_an_interruption_keeps_what_was_done(
    memory: Holloway, repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(3):
        transcript(repository.root, f"s{number}", number)
    whole, calls = Learning.learn, []

    def interrupted(self: Learning, *given: object, **named: object) -> object:
        calls.append(given)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return whole(self, *given, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(Learning, "learn", interrupted)
    done = learn(memory)
    assert (done.read, done.interrupted, len(done.kept)) == (1, True, 1)
    again = learn(memory)
    assert (again.read, again.interrupted, len(contents(memory))) == (2, False, 3)


def test_a_beginning_that_two_sessions_share_counts_for_the_first(memory: Holloway, repository: Repository) -> None:
    first = transcript(repository.root, "b", 1)
    transcript(repository.root, "a", 2, of=first)
    os.utime(first, (1, 1))
    learn(memory)
    kept = memory.store.memories.find_memories(Filter(types=(MemoryType.ERROR_PATTERN,)), limit=-1)
    assert {variable(1) in each.content: each.sessions for each in kept} == {True: ("b",), False: ("a",)}


def test_a_fork_from_the_midst_of_a_session_is_not_counted_twice(memory: Holloway, repository: Repository) -> None:
    first = transcript(repository.root, "b", 1)
    fork = transcript(repository.root, "a", 2, of=first)
    fork.write_text("".join(fork.read_text("utf-8").splitlines(keepends=True)[1:]), "utf-8")
    over = (BEGAN + timedelta(hours=10)).timestamp()
    os.utime(first, (over, over))
    learn(memory)
    kept = memory.store.memories.find_memories(Filter(types=(MemoryType.ERROR_PATTERN,)), limit=-1)
    assert {variable(1) in each.content: each.sessions for each in kept} == {True: ("b",), False: ("a",)}


def test_the_command_says_what_was_learned_and_what_to_do_next(cli: Cli, repository: Repository) -> None:  # noqa: F811
    assert "no agent session of this project" in cli("learn").out
    transcript(repository.root, "s1", 1)
    planned = cli("learn", "--dry-run")
    assert ("1 session would be read" in planned.out, "s1" in planned.out) == (True, True)
    done = cli("learn")
    assert done.code == 0
    assert "1 session read" in done.out
    assert "1 memory stored" in done.out
    assert "holloway review" in done.out
    assert "1 already read" in cli("learn").out


def test_a_dry_run_makes_no_memory(cli: Cli, repository: Repository, home: Path) -> None:  # noqa: F811
    transcript(repository.root, "s1", 1)
    planned = cli("learn", "--dry-run", "--json").json
    assert [each["session"] for each in planned["sessions"]] == ["s1"]
    assert not (home / "projects").exists()


def test_the_command_speaks_json(cli: Cli, repository: Repository) -> None:  # noqa: F811
    transcript(repository.root, "s1", 1)
    told = cli("learn", "--json", "--since", "2026-01-01", "--agent", "claude-code").json
    assert (told["read"], len(told["kept"]), told["failed"], told["interrupted"]) == (1, 1, [], False)
    assert cli("learn", "--json").json["known"] == 1
    assert cli("learn", "--since", "yesterday").code == 2


def test_a_second_run_reads_no_session(
    memory: Holloway, repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    transcript(repository.root, "s1", 1)
    learn(memory)
    monkeypatch.setattr(SessionFiles, "read_scratchpad", lambda *given: pytest.fail("it was read again"))
    assert learn(memory).read == 0
