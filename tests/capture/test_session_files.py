import json
import os
from pathlib import Path

import pytest
from filelock import FileLock

from holloway.capture import journal_reader, session_files
from holloway.capture.session_files import SessionFile, SessionFiles, Unlearned, from_journal, from_transcript
from holloway.config import LEARN_ATTEMPTS_MAX, SESSION_SILENCE_S
from holloway.domain.event import Call, Prompt, Said
from holloway.errors import HollowayError, InvalidInput
from holloway.observer.scratchpad import Scratchpad
from holloway.service.holloway import Holloway
from holloway.store import learned_files, registry
from holloway.store.database import DatabaseBusy
from tests.capture.test_codex import SESSION, Rollout
from tests.conftest import Repository
from tests.service.on_disk import BEGAN, transcript, watched

BEGAN_S = BEGAN.timestamp()


class Learner:
    """Learns from session files and keeps the scratchpads it was given."""

    def __init__(self, memory: Holloway, *, error: BaseException | None = None) -> None:
        self.pads: list[Scratchpad] = []
        self.error = error
        self.files: SessionFiles[str] = SessionFiles(memory.store, memory.home, self._learn)

    def _learn(self, file: SessionFile, pad: Scratchpad, settle: bool) -> str:
        if self.error:
            raise self.error
        self.pads.append(pad)
        return f"{file.session} {settle}"

    def calls(self) -> list[str]:
        return [action.command or action.path for pad in self.pads for action in pad.actions]


def opened(path: Path) -> SessionFile:
    transcript = session_files.open_transcript(path, "claude-code")
    assert transcript is not None
    return from_transcript(transcript)


def attempts(memory: Holloway, path: Path) -> tuple[int, str] | None:
    record = learned_files.find_learned_file(memory.store.database, str(path))
    return (record.attempts, record.error) if record else None


def test_a_version_of_a_file_is_learned_from_once(memory: Holloway, repository: Repository) -> None:
    path = transcript(repository.root, "s1")
    learner = Learner(memory)
    file = opened(path)
    assert not learner.files.is_done(file)
    assert learner.files.learn(file, settle=False) == "s1 False"
    assert learner.files.is_done(file)
    assert not learner.files.has_failed(file)
    assert learner.files.learn(file) is None
    path.write_text(path.read_text() + "{}\n")
    assert learner.files.learn(opened(path)) == "s1 True"
    assert len(learner.pads) == 2


def test_a_file_that_fails_is_tried_so_often_and_says_why(memory: Holloway, repository: Repository) -> None:
    path = transcript(repository.root, "s1")
    learner = Learner(memory, error=ZeroDivisionError("boom"))
    file = opened(path)
    for number in range(1, LEARN_ATTEMPTS_MAX + 1):
        assert not learner.files.is_done(file)
        with pytest.raises(Unlearned, match=r"s1\.jsonl: ZeroDivisionError"):
            learner.files.learn(file)
        assert attempts(memory, path) == (number, "ZeroDivisionError")
        assert learner.files.has_failed(file)
    assert learner.files.is_done(file)
    path.write_text(path.read_text() + "{}\n")
    assert not learner.files.is_done(opened(path))
    assert not learner.files.has_failed(opened(path))
    with pytest.raises(Unlearned):
        learner.files.learn(opened(path))
    assert attempts(memory, path) == (1, "ZeroDivisionError")


def test_invalid_input_counts_as_a_failure_of_the_file(memory: Holloway, repository: Repository) -> None:
    path = transcript(repository.root, "s1")
    with pytest.raises(Unlearned, match="InvalidInput"):
        Learner(memory, error=InvalidInput("no", "hint")).files.learn(opened(path))
    assert attempts(memory, path) == (1, "InvalidInput")


@pytest.mark.parametrize("error", [KeyboardInterrupt(), HollowayError("disk full", "free some")])
def test_an_error_that_is_not_the_files_fault_is_not_counted(
    memory: Holloway, repository: Repository, error: BaseException
) -> None:
    path = transcript(repository.root, "s1")
    file = opened(path)
    with pytest.raises(type(error)):
        Learner(memory, error=error).files.learn(file)
    assert attempts(memory, path) is None
    with pytest.raises(Unlearned):
        Learner(memory, error=ValueError()).files.learn(file)
    with pytest.raises(type(error)):
        Learner(memory, error=error).files.learn(file)
    assert attempts(memory, path) == (1, "ValueError")


def test_a_file_that_ends_the_process_has_been_counted_before(memory: Holloway, repository: Repository) -> None:
    path = transcript(repository.root, "s1")
    seen: list[object] = []
    files: SessionFiles[None] = SessionFiles(memory.store, memory.home, lambda *_: seen.append(attempts(memory, path)))
    files.learn(opened(path))
    assert seen == [(1, "the process ended while reading it")]


def test_nobody_learns_while_another_process_does(
    memory: Holloway, repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session_files, "LOCK_WAIT_S", 0)
    learner = Learner(memory)
    file = opened(transcript(repository.root, "s1"))
    with (
        FileLock(str(memory.project.folder / "learning.lock")),
        pytest.raises(DatabaseBusy, match="Another process is learning"),
    ):
        learner.files.learn(file)
    assert learner.files.learn(file)


def test_a_session_without_an_action_or_a_note_is_read_and_no_lesson(memory: Holloway, tmp_path: Path) -> None:
    path = tmp_path / "s1.jsonl"
    path.write_text(json.dumps({"type": "summary", "summary": "x"}) + "\n")
    learner = Learner(memory)
    assert learner.files.learn(opened(path)) is None
    assert learner.pads == []
    assert attempts(memory, path) == (0, "")


def test_a_file_without_a_readable_line_fails_and_an_empty_one_does_not(memory: Holloway, tmp_path: Path) -> None:
    broken, empty = tmp_path / "broken.jsonl", tmp_path / "empty.jsonl"
    broken.write_bytes(b"\x00" * 100)
    empty.touch()
    with pytest.raises(Unlearned, match="nothing in it can be read") as refusal:
        Learner(memory).files.learn(opened(broken))
    assert refusal.value.hint == "`holloway doctor` lists such sessions."
    assert attempts(memory, broken) == (1, "nothing in it can be read")
    assert Learner(memory).files.learn(opened(empty)) is None


def test_a_resumed_session_counts_only_what_it_added(memory: Holloway, repository: Repository) -> None:
    first = transcript(repository.root, "b", 1)
    second = transcript(repository.root, "a", 2, of=first)
    os.utime(first, (1, 1))
    learner = Learner(memory)
    learner.files.learn(opened(first))
    learner.files.learn(opened(second))
    assert [[action.command for action in pad.actions if action.command != "pytest -q"] for pad in learner.pads] == [
        ["", "SHOP_AB_URL=fake:// pytest -q"],
        ["", "SHOP_AC_URL=fake:// pytest -q"],
    ]


def test_a_session_that_was_read_before_the_one_it_repeats_has_it_all(memory: Holloway, repository: Repository) -> None:
    first = transcript(repository.root, "a", 1)
    second = transcript(repository.root, "b", 2, of=first)
    os.utime(second, (1, 1))
    learner = Learner(memory)
    assert learner.files.learn(opened(second)) == "b True"
    memory.clock.advance(hours=1)  # type: ignore[attr-defined]
    assert learner.files.learn(opened(first)) is None
    assert "SHOP_AB_URL=fake:// pytest -q" in learner.calls()


def test_the_session_that_was_read_first_keeps_the_beginning_when_both_go_on(
    memory: Holloway, repository: Repository
) -> None:
    first = transcript(repository.root, "a", 1)
    learner = Learner(memory)
    learner.files.learn(opened(first))
    memory.clock.advance(hours=1)  # type: ignore[attr-defined]
    second = transcript(repository.root, "b", 2, of=first)
    os.utime(second, (1, 1))
    later = Learner(memory)
    later.files.learn(opened(second))
    assert [command for command in later.calls() if command.startswith("SHOP_")] == ["SHOP_AC_URL=fake:// pytest -q"]


def test_transcripts_of_subagents_do_not_take_the_beginning(memory: Holloway, repository: Repository) -> None:
    first = transcript(repository.root, "b", 1)
    part = first.with_name("agent-1.jsonl")
    part.write_text(first.read_text())
    os.utime(part, (1, 1))
    learner = Learner(memory)
    learner.files.learn(opened(first))
    assert len(learner.calls()) == 3


def test_a_journal_is_read_where_the_transcript_says_nothing(memory: Holloway, repository: Repository) -> None:
    told = transcript(repository.root, "s1")
    watched(memory, "s1", told=str(told))
    (journal,) = journal_reader.list_journals(memory.project.journal_folder)
    both = from_journal(journal)
    assert both is not None
    assert (both.path, both.journal, both.session) == (told, journal.path, "s1")
    told.write_text("{}\n")
    emptied = from_journal(journal)
    assert emptied is not None
    learner = Learner(memory)
    learner.files.learn(emptied)
    assert len(learner.calls()) == 3


def test_a_session_without_a_transcript_is_its_journal(memory: Holloway) -> None:
    path = watched(memory, "s1")
    (journal,) = journal_reader.list_journals(memory.project.journal_folder)
    about = path.stat()
    assert from_journal(journal) == SessionFile("s1", path, about.st_size, about.st_mtime, journal=path)
    learner = Learner(memory)
    alone = from_journal(journal)
    assert alone is not None
    learner.files.learn(alone)
    assert len(learner.calls()) == 3
    path.unlink()
    assert from_journal(journal) is None


def test_what_happened_in_a_pause_is_not_read(memory: Holloway, repository: Repository) -> None:
    path = transcript(repository.root, "s1")
    # The prompt is second 0, the calls are seconds 1, 3 and 5.
    (memory.project.folder / "pauses.json").write_text(json.dumps([[BEGAN_S + 1, BEGAN_S + 3]]))
    (memory.home / "pauses.json").write_text(json.dumps([[BEGAN_S + 5, None]]))
    learner = Learner(memory)
    learner.files.learn(opened(path))
    assert learner.calls() == ["pytest -q"]
    assert learner.pads[0].start is not None


def test_nothing_of_an_excluded_project_is_read(memory: Holloway, repository: Repository) -> None:
    settings = memory.project.folder / registry.HOOK_SETTINGS
    settings.write_text(json.dumps({"excluded": True}))
    learner = Learner(memory)
    assert learner.files.learn(opened(transcript(repository.root, "s1"))) is None
    settings.write_text(json.dumps({"exclude_commands": ["pytest"]}))
    other = Learner(memory)
    assert other.files.learn(opened(transcript(repository.root, "s2", 1)))
    assert [call for call in other.calls() if "pytest -q" in call] == []


def test_a_session_is_over_when_the_host_says_so_or_after_a_silence(memory: Holloway) -> None:
    watched(memory, "ended")
    watched(memory, "quiet", 1, ended=False, silent_s=SESSION_SILENCE_S + 1)
    watched(memory, "alive", 2, ended=False, silent_s=SESSION_SILENCE_S)
    assert [journal.session for journal in session_files.list_running(memory.store)] == ["alive"]


def test_a_transcript_that_goes_on_keeps_its_session_alive(memory: Holloway, repository: Repository) -> None:
    told = transcript(repository.root, "s1")
    watched(memory, "s1", ended=False, told=str(told), silent_s=SESSION_SILENCE_S + 1)
    now = memory.clock.now().timestamp()
    os.utime(told, (now, now))
    (journal,) = session_files.list_running(memory.store)
    told.unlink()
    assert session_files.list_ended([journal], now, SESSION_SILENCE_S) == [journal]


def test_transcripts_of_all_agents_are_found_oldest_first(repository: Repository, tmp_path: Path) -> None:
    late = transcript(repository.root, "late", 2)
    early = transcript(repository.root, "early", 1)
    person = Path.home()
    rollout = Rollout(repository.root).write(person / ".codex/sessions/2026/03/01")
    found = session_files.find_transcripts(repository.root)
    assert [(each.agent, each.path) for each in found] == [
        ("claude-code", early),
        ("claude-code", late),
        ("codex", rollout),
    ]
    assert found[0].started_at == BEGAN_S + 3600
    assert (found[0].size, found[0].modified_at) == (early.stat().st_size, early.stat().st_mtime)
    assert session_files.find_transcripts(repository.root, tmp_path / "nobody") == []


def test_the_files_of_subagents_belong_to_the_session_that_started_them(repository: Repository, tmp_path: Path) -> None:
    folder = tmp_path / "person/.codex/sessions/2026/03/01"
    main = Rollout(repository.root)
    main.says("user", "Go on with it")
    main.line("turn_context", {"cwd": str(repository.root)})
    main.says("assistant", "I have it.")
    part = Rollout(repository.root, "019a0000-0000-7222-8333-000000000002", parent_thread_id=SESSION)
    part.says("assistant", "Child here.")
    paths = [each.write(folder) for each in (main, part)]
    os.utime(paths[1], (9e9, 9e9))
    (found,) = session_files.find_transcripts(repository.root, tmp_path / "person")
    assert (found.session, found.path, found.parts) == (SESSION, paths[0], (paths[1],))
    file = from_transcript(found)
    assert (file.size, file.modified_at) == (sum(path.stat().st_size for path in paths), 9e9)
    events = list(session_files.read_events(found, repository.root))
    assert [event.at for event in events] == sorted(event.at for event in events)
    assert [event.text for event in events if isinstance(event, Said)] == ["Child here.", "I have it."]
    paths[1].unlink()
    assert from_transcript(found).size == paths[0].stat().st_size


def test_entries_that_were_seen_are_left_out(repository: Repository) -> None:
    found = session_files.open_transcript(transcript(repository.root, "s1"), "claude-code")
    assert found is not None
    seen: set[int] = set()
    events = list(session_files.read_events(found, repository.root, seen))
    assert [event.text for event in events if isinstance(event, Prompt)] == ["Fix the login, part 0"]
    assert not [event for event in session_files.read_events(found, repository.root, seen) if isinstance(event, Call)]


def test_a_transcript_without_a_time_began_when_it_was_written(tmp_path: Path) -> None:
    path = tmp_path / "s1.jsonl"
    path.write_text("{}\n" * session_files.TRANSCRIPT_START_LINES + '{"timestamp": "2026-03-01T10:00:00Z"}\n')
    os.utime(path, (7, 7))
    found = session_files.open_transcript(path, "claude-code")
    assert found is not None
    assert (found.session, found.started_at) == ("s1", 7.0)
    assert session_files.open_transcript(tmp_path / "gone.jsonl", "claude-code") is None
