"""What is due, and what is left alone."""

import json
import os
import shutil
from pathlib import Path

import pytest
from filelock import FileLock

from holloway.capture import journal_reader, session_files
from holloway.capture.session_files import SessionFiles
from holloway.config import LEARN_ATTEMPTS_MAX, READER_IDLE_S, SESSION_SILENCE_S
from holloway.domain.memory import MemoryType
from holloway.service import agent_notes, background_worker, jobs, project_finder, session_reading
from holloway.service.doctor import examine
from holloway.service.holloway import Holloway
from holloway.service.jobs import JOBS, learn_ended
from holloway.service.session_learning import Learning
from holloway.service.session_reading import ReadingResult
from holloway.store import candidates, learned_files, session_ledger
from holloway.store.filter import Filter
from holloway.store.pause_state import read_uncaptured
from holloway.testing import FakeClock
from tests.conftest import Repository
from tests.service.learned import corrected, learn
from tests.service.on_disk import transcript, variable, watched


def learned(memory: Holloway) -> list[str]:
    kept = memory.store.memories.find_memories(Filter(types=(MemoryType.ERROR_PATTERN,)), limit=-1)
    return sorted(each.content for each in kept)


def run(memory: Holloway) -> str:
    return learn_ended(memory, 60)


@pytest.mark.promise("journal")
def test_an_ended_session_is_learned_from_and_its_journal_deleted(memory: Holloway) -> None:
    log = watched(memory, "s1", 3)
    assert run(memory) == "1 learned"
    assert [variable(3) in content for content in learned(memory)] == [True]
    assert not log.exists()
    record = session_ledger.load_session_record(memory.store.database, "s1")
    assert (record["tool_calls"], record["group"]) == (3, "full")


def test_a_session_that_the_host_resumed_is_recorded_as_resumed(memory: Holloway) -> None:
    log = watched(memory, "s1")
    lines = log.read_text("utf-8").splitlines()
    entry = {"at": json.loads(lines[0])["at"], "event": "SessionStart", "source": "resume"}
    log.write_text("\n".join([json.dumps(entry), *lines]) + "\n", "utf-8")
    run(memory)
    record = session_ledger.load_session_record(memory.store.database, "s1")
    assert record["resumed"] is True
    assert record["steps_to_orientation"] >= 1


def test_a_session_that_still_runs_is_left_alone(memory: Holloway) -> None:
    log = watched(memory, "s1", ended=False, silent_s=SESSION_SILENCE_S - 60)
    assert run(memory) == ""
    assert log.exists()
    assert learned(memory) == []


@pytest.mark.promise("ends-itself")
def test_a_session_whose_end_never_comes_ends_itself_after_a_silence(memory: Holloway) -> None:
    log = watched(memory, "s1", ended=False, silent_s=SESSION_SILENCE_S + 60)
    assert run(memory) == "1 learned"
    assert len(learned(memory)) == 1
    assert not log.exists()


def test_an_agent_that_still_writes_its_transcript_is_not_silent(memory: Holloway, repository: Repository) -> None:
    told = transcript(repository.root, "s1")
    now = memory.clock.now().timestamp()
    os.utime(told, (now, now))
    log = watched(memory, "s1", ended=False, told=str(told), silent_s=SESSION_SILENCE_S + 60)
    assert run(memory) == ""
    assert log.exists()


def test_the_transcript_is_read_where_there_is_one(memory: Holloway, repository: Repository) -> None:
    watched(memory, "s1", 1, told=str(transcript(repository.root, "s1", 2)))
    run(memory)
    (content,) = learned(memory)
    assert variable(2) in content


def test_the_journal_is_read_where_the_transcript_says_nothing(memory: Holloway, repository: Repository) -> None:
    told = transcript(repository.root, "s1")
    told.write_bytes(b"\xff\xfe broken\n" * 40)
    watched(memory, "s1", 1, told=str(told))
    assert run(memory) == "1 learned"
    assert variable(1) in learned(memory)[0]


def test_a_session_that_fails_is_counted_told_and_set_aside_and_does_not_stop_the_others(
    memory: Holloway, home: Path, repository: Repository
) -> None:
    log = watched(memory, "broken", 1)
    log.write_bytes(b"\x00\x01 no JSON at all\n" * 9)
    os.utime(log, (0, 0))
    watched(memory, "sound", 2)
    assert run(memory) == "1 failed, 1 learned"
    assert variable(2) in learned(memory)[0]
    for _ in range(LEARN_ATTEMPTS_MAX - 1):
        assert run(memory) == "1 failed"
    assert run(memory) == ""
    assert log.exists()
    (told,) = (check for check in examine(repository.root, home) if check.name == "learning")
    assert (told.verdict, "1 sessions" in told.seen, "1 set aside" in told.seen) == ("warning", True, True)
    assert "nothing in it can be read" in told.seen


def test_a_file_that_kills_the_process_is_counted_before_it_is_read(
    memory: Holloway, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = watched(memory, "s1")
    seen = []

    def dies(self: Learning, *given: object, **named: object) -> None:
        read = learned_files.find_learned_file(memory.store.database, str(log))
        assert read is not None
        seen.append(read.attempts)
        raise KeyboardInterrupt

    monkeypatch.setattr(Learning, "learn", dies)
    with pytest.raises(KeyboardInterrupt):
        run(memory)
    assert seen == [1]
    assert learned_files.find_learned_file(memory.store.database, str(log)) is None


def test_a_session_learned_from_before_is_not_read_again(
    memory: Holloway, repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = transcript(repository.root, "s1")
    watched(memory, "s1", told=str(told))
    run(memory)
    log = watched(memory, "s1", told=str(told))
    monkeypatch.setattr(SessionFiles, "read_scratchpad", lambda *given: pytest.fail("it was read again"))
    assert run(memory) == "1 learned"
    assert not log.exists()


def test_an_event_that_comes_in_while_a_session_is_learned_from_keeps_its_journal(memory: Holloway) -> None:
    log = watched(memory, "s1")
    (about,) = session_files.list_ended(journal_reader.list_journals(log.parent), memory.clock.now().timestamp(), 0)
    log.write_bytes(log.read_bytes() + b"{}\n")
    jobs._delete_journal(about)
    assert log.exists()


def test_a_session_in_which_nobody_did_anything_leaves_nothing(memory: Holloway) -> None:
    log = watched(memory, "s1")
    kept = log.read_text().splitlines()
    log.write_text(f"{kept[0]}\n{kept[-1]}\n")
    assert run(memory) == "1 learned"
    assert session_ledger.count_all_sessions(memory.store.database) == 0
    assert not log.exists()


def test_a_session_that_repeats_another_ones_beginning_does_not_confirm_it(
    memory: Holloway, repository: Repository
) -> None:
    first = transcript(repository.root, "s1", 1)
    watched(memory, "s1", told=str(first))
    run(memory)
    watched(memory, "s2", told=str(transcript(repository.root, "s2", 2, of=first)))
    run(memory)
    kept = memory.store.memories.find_memories(Filter(types=(MemoryType.ERROR_PATTERN,)), limit=-1)
    assert sorted(each.sessions for each in kept) == [("s1",), ("s2",)]
    assert session_ledger.load_session_record(memory.store.database, "s2")["tool_calls"] == 3


def test_what_an_agent_did_while_capturing_was_paused_is_not_read_from_its_transcript(
    memory: Holloway, repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = transcript(repository.root, "s1", 1)
    began = memory.clock.now().timestamp() - 48 * 3600
    monkeypatch.setattr("time.time", lambda: began)
    project_finder.pause(str(repository.root), "capture")
    monkeypatch.setattr("time.time", lambda: began + 96 * 3600)
    project_finder.resume(str(repository.root))
    watched(memory, "s1", 1, told=str(told))
    run(memory)
    assert learned(memory) == []


def test_a_pause_of_injection_does_not_keep_sessions_from_being_read(memory: Holloway, repository: Repository) -> None:
    project_finder.pause(str(repository.root), "injection")
    assert read_uncaptured(memory.project.folder) == []
    project_finder.pause(str(repository.root), "all")
    assert [end for _, end in read_uncaptured(memory.project.folder)] == [None]
    project_finder.resume(str(repository.root), "capture")
    ((start, end),) = read_uncaptured(memory.project.folder)
    assert end is not None
    assert end >= start


def test_held_candidates_are_looked_at_when_the_history_has_moved(memory: Holloway, repository: Repository) -> None:
    learn(memory, corrected())
    assert candidates.list_held_candidates(memory.store.database)
    assert jobs.is_held(memory)
    jobs.settle_held(memory, 60)
    assert not jobs.is_held(memory)
    repository.commit("limits.toml", "retry_limit = 3\n")
    assert jobs.is_held(memory)
    assert jobs.settle_held(memory, 60) == "1 settled"
    assert not candidates.list_held_candidates(memory.store.database)


@pytest.mark.promise("taken-back")
def test_the_history_is_looked_at_for_what_was_undone_once_after_it_moved(
    memory: Holloway, repository: Repository
) -> None:
    assert jobs.has_moved(memory)
    assert jobs.set_aside_reverted(memory, 60) == ""
    assert not jobs.has_moved(memory)
    sha = repository.commit("limits.toml", "retry_limit = 3\n", "Raise the limit")
    learn(memory, corrected().commit("Raise the limit", sha[:7]))
    repository.commit("limits.toml", "retry_limit = 1\n", f"Lower it\n\nThis reverts commit {sha}.")
    assert jobs.has_moved(memory)
    assert jobs.set_aside_reverted(memory, 60) == "1 taken back"
    assert not jobs.has_moved(memory)


@pytest.mark.promise("backups")
def test_pairs_are_looked_at_once_a_week_and_backups_made_once_a_day(memory: Holloway, clock: FakeClock) -> None:
    def due() -> tuple[bool, bool]:
        return jobs.is_week_over(memory), jobs.is_day_over(memory)

    assert due() == (True, True)
    jobs.look_across(memory, 60)
    jobs.clean_up(memory, 60)
    assert due() == (False, False)
    assert list(memory.project.backups_folder.glob("memory-*.db"))
    clock.advance(days=1)
    assert due() == (False, True)
    clock.advance(days=6)
    assert due() == (True, True)


def test_the_map_comes_before_the_first_session_and_every_chore_says_when_it_is_due(memory: Holloway) -> None:
    assert [job.name for job in JOBS][:2] == ["map", "learn"]
    for job in JOBS:
        if job.is_due(memory) and job.name != "embed":
            job.do(memory, 60)
    assert {job.name for job in JOBS if job.is_due(memory)} - {"embed"} == {"settle", "map", "stale"}


def test_a_clock_that_was_once_far_ahead_does_not_keep_the_chores_from_being_done(
    memory: Holloway, clock: FakeClock
) -> None:
    clock.advance(days=4_000)
    jobs.clean_up(memory, 60)
    jobs.look_across(memory, 60)
    clock.advance(days=-4_000)
    assert jobs.is_day_over(memory)
    assert jobs.is_week_over(memory)


@pytest.mark.promise("backups")
def test_a_transcript_that_cannot_be_looked_at_does_not_keep_the_backup_from_being_made(memory: Holloway) -> None:
    gone, hidden = "/nowhere/gone.jsonl", str(memory.project.root / ("a" * 300))
    for path in (gone, hidden):
        learned_files.save_learned_file(
            memory.store.database, learned_files.LearnedFile(path, "s1", 1, 1.0, "2026-01-05T09:00:00.000Z")
        )
    assert jobs.clean_up(memory, 60) == "backed up"
    assert list(learned_files.load_learned_files(memory.store.database)) == [hidden]


def test_the_map_job_tells_what_it_read_and_leaves_a_busy_map_alone(memory: Holloway, repository: Repository) -> None:
    assert jobs.is_map_missing(memory)
    with FileLock(str(memory.map.path.with_suffix(".lock"))):
        assert jobs.update_map(memory, 60) == "somebody else is at it"
    assert jobs.update_map(memory, 60) == "6 files read"
    assert not jobs.is_map_missing(memory)
    assert jobs.update_map(memory, 60) == ""
    (repository.root / "README.md").unlink()
    assert jobs.update_map(memory, 60) == "0 files read"
    assert jobs.has_folder(memory)
    shutil.rmtree(repository.root)
    assert not jobs.has_folder(memory)
    assert not jobs.is_map_missing(memory)


def test_sessions_that_no_time_is_left_for_wait_for_the_next_run(memory: Holloway) -> None:
    log = watched(memory, "s1")
    assert jobs.has_journals(memory)
    assert learn_ended(memory, -1) == "1 left for the next run"
    assert log.exists()
    assert run(memory) == "1 learned"
    assert not jobs.has_journals(memory)


def test_records_that_a_killed_server_left_are_due_and_finished(memory: Holloway) -> None:
    assert not jobs.has_records(memory)
    assert jobs.learn_records(memory, 60) == ""
    recording = agent_notes.Recording("mcp-1")
    recording.record(memory, "Dates are kept as UTC, because offices differ", kind=MemoryType.DECISION)
    assert jobs.has_records(memory)
    recording._release()
    assert jobs.learn_records(memory, 60) == "1 finished"
    assert not jobs.has_records(memory)


def test_the_daily_job_tells_what_was_pruned(memory: Holloway, clock: FakeClock) -> None:
    assert jobs.clean_up(memory, 60) == "backed up"
    memory.remember("tokens live an hour")
    with memory.store.database.write_transaction():
        memory.store.database.execute("UPDATE memories SET half_life_days = 1, source = 'observer_inferred'")
    clock.advance(days=100)
    assert jobs.clean_up(memory, 60) == "1 pruned, backed up"


def test_settling_the_store_is_always_due_and_says_nothing(memory: Holloway) -> None:
    assert jobs.is_always_due(memory)
    assert jobs.settle_store(memory, 60) == ""


@pytest.mark.parametrize("must_wait", [True, False])
def test_a_reader_that_must_wait_for_an_agent_is_started_again_later(
    memory: Holloway, monkeypatch: pytest.MonkeyPatch, must_wait: bool
) -> None:
    result = ReadingResult(read=1, stored=2, must_wait=must_wait)
    monkeypatch.setattr(session_reading, "read_sessions", lambda *_: result)
    started: list[tuple[str, str, float]] = []
    monkeypatch.setattr(background_worker, "start_later", lambda *asked: started.append(asked))
    assert jobs.read_sessions(memory, 60) == "1 read, 2 lessons stored"
    later = (str(memory.project.folder), str(memory.project.root), READER_IDLE_S + 1)
    assert started == ([later] if must_wait else [])


def test_vectors_are_due_while_a_memory_lacks_one(memory: Holloway) -> None:
    assert not jobs.has_unembedded(memory)
    memory.remember("Money is integer cents")
    assert jobs.has_unembedded(memory)
    memory.search.embed_waiting()
    assert not jobs.has_unembedded(memory)
