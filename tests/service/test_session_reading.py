"""Reading in the worker: once per session, when nobody works, and nothing is lost or asked twice."""

import json
from pathlib import Path

import pytest

from holloway import config
from holloway.errors import HollowayError
from holloway.llm.providers import CapReached, RateLimited, WriterFailed
from holloway.service import background_worker, jobs, past_sessions, session_reading
from holloway.service.holloway import Holloway
from holloway.service.session_learning import Learning
from holloway.service.session_reading import ReadingResult
from holloway.store import hook_settings, readings
from holloway.testing import FakeClock, FakeWriter
from tests.promotion.reader.reading import answer, lesson
from tests.service.on_disk import transcript, watched

WORDS = "The login of the shop fails in the morning because the cache of the tokens is empty at start. " * 12
CAUSE = "The login fails in the morning because the cache of the tokens is empty at start"
QUOTE = "the cache of the tokens is empty at start"
ANSWER = answer(lesson(CAUSE, QUOTE))
KEY = "ghp_" + "a1B2c3D4e5F6" * 3


@pytest.fixture(autouse=True)
def reader(monkeypatch: pytest.MonkeyPatch) -> FakeWriter:
    """A reader is on; its answers are those of the test."""
    writer = FakeWriter()
    monkeypatch.setenv("HOLLOWAY_READER_PROVIDER", "openai")
    monkeypatch.setattr(
        "holloway.llm.reader_choice.choose_reader", lambda settings: type("C", (), {"writer": writer, "reason": ""})
    )
    return writer


def leave_session(memory: Holloway, session: str = "s1", words: str = WORDS, number: int = 0) -> Path:
    """A session on disk in which the agent explains something, and the journal that its hooks wrote."""
    path = transcript(memory.project.root, session, number)
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    row = rows[-1] | {
        "type": "assistant",
        "uuid": f"{session}-said",
        "message": {"role": "assistant", "id": "m9", "content": words},
    }
    path.write_text("".join(json.dumps(each) + "\n" for each in [*rows, row]), "utf-8")
    return watched(memory, session, number, told=str(path))


def learn_and_wait(memory: Holloway, clock: FakeClock) -> None:
    jobs.learn_ended(memory, 60)
    clock.advance(seconds=config.READER_IDLE_S + 1)


def read(memory: Holloway, seconds: float = 60.0) -> ReadingResult:
    return session_reading.read_sessions(memory, Learning(memory.opened), seconds)


def contents(memory: Holloway) -> list[str]:
    return [str(row[0]) for row in memory.store.database.connection.execute("SELECT content FROM memories")]


def test_a_session_that_was_learned_from_is_read_once(memory: Holloway, clock: FakeClock, reader: FakeWriter) -> None:
    leave_session(memory)
    learn_and_wait(memory, clock)
    reader._answers.append(ANSWER)
    assert jobs.has_sessions_to_read(memory)
    assert jobs.read_sessions(memory, 60) == "1 read, 1 lessons stored"
    assert CAUSE in contents(memory)
    assert not jobs.has_sessions_to_read(memory)
    assert len(reader.asked) == 1


def test_learning_does_not_wait_for_a_reader_that_fails(memory: Holloway, clock: FakeClock, reader: FakeWriter) -> None:
    leave_session(memory)
    assert jobs.learn_ended(memory, 60) == "1 learned"
    assert reader.asked == []
    clock.advance(seconds=config.READER_IDLE_S + 1)
    for _ in range(config.READER_ATTEMPTS_MAX):
        reader._answers.append(WriterFailed("it gave no answer."))
        assert read(memory).failed == 1
    assert not session_reading.has_waiting(memory)
    reading = readings.find_reading(memory.store.database, "s1")
    assert reading
    assert (reading.state, reading.reason) == (readings.READING_FAILED, "it gave no answer.")


@pytest.mark.parametrize("error", [RateLimited("limit"), CapReached("cap")])
def test_it_stops_at_the_first_answer_that_a_limit_is_reached(
    memory: Holloway, clock: FakeClock, reader: FakeWriter, error: HollowayError
) -> None:
    for number in range(3):
        leave_session(memory, f"s{number}", number=number)
    learn_and_wait(memory, clock)
    for _ in range(config.READER_ATTEMPTS_MAX + 2):
        reader._answers.append(error)
        assert read(memory).stopped == error.message
    assert len(reader.asked) == config.READER_ATTEMPTS_MAX + 2
    assert len(readings.list_waiting(memory.store.database)) == 3


def test_it_waits_while_an_agent_is_at_work(
    memory: Holloway, clock: FakeClock, reader: FakeWriter, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[int] = []
    monkeypatch.setattr(background_worker, "start_later", lambda folder, root, seconds: started.append(seconds))
    leave_session(memory)
    learn_and_wait(memory, clock)
    watched(memory, "s2", 1, ended=False)
    assert jobs.read_sessions(memory, 60) == "an agent is at work"
    assert (reader.asked, started) == ([], [config.READER_IDLE_S + 1])
    clock.advance(seconds=config.READER_IDLE_S + 1)
    reader._answers.append(ANSWER)
    assert read(memory).read == 1


def test_nothing_is_begun_without_time(memory: Holloway, clock: FakeClock, reader: FakeWriter) -> None:
    leave_session(memory)
    learn_and_wait(memory, clock)
    assert read(memory, 5.0).stopped == "left for the next run"
    assert reader.asked == []


def test_a_reader_that_was_killed_asks_nothing_twice_and_loses_nothing(
    memory: Holloway, clock: FakeClock, reader: FakeWriter, monkeypatch: pytest.MonkeyPatch
) -> None:
    leave_session(memory)
    learn_and_wait(memory, clock)
    reader._answers.append(ANSWER)

    def die(*arguments: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(session_reading, "store_lessons", die)
        with pytest.raises(KeyboardInterrupt):
            read(memory)
    assert CAUSE not in contents(memory)
    assert read(memory).stored == 1
    assert len(reader.asked) == 1


def test_a_session_without_a_transcript_keeps_its_journal_until_it_was_read(
    memory: Holloway, clock: FakeClock, reader: FakeWriter
) -> None:
    log = watched(memory, "s1")
    learn_and_wait(memory, clock)
    assert log.exists()
    read(memory)
    jobs.learn_ended(memory, 60)
    assert not log.exists()


def test_without_a_reader_nothing_waits(memory: Holloway, clock: FakeClock, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOLLOWAY_READER_PROVIDER", "off")
    log = leave_session(memory)
    learn_and_wait(memory, clock)
    assert not session_reading.has_waiting(memory)
    assert not log.exists()
    monkeypatch.setenv("HOLLOWAY_READER_PROVIDER", "openai")
    assert not session_reading.has_waiting(memory)


def test_a_reader_that_cannot_be_reached_now_reads_later(
    memory: Holloway, clock: FakeClock, reader: FakeWriter, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = type("C", (), {"writer": None, "reason": "its program is not on the PATH"})
    with monkeypatch.context() as patched:
        patched.setattr("holloway.llm.reader_choice.choose_reader", lambda settings: gone)
        leave_session(memory)
        learn_and_wait(memory, clock)
        assert read(memory).stopped == "its program is not on the PATH"
    reader._answers.append(ANSWER)
    assert read(memory).stored == 1


def test_a_transcript_that_is_gone_ends_its_reading(memory: Holloway, clock: FakeClock, reader: FakeWriter) -> None:
    leave_session(memory)
    learn_and_wait(memory, clock)
    for path in Path.home().rglob("s1.jsonl"):
        path.unlink()
    read(memory)
    assert not session_reading.has_waiting(memory)
    assert reader.asked == []


def test_a_secret_is_neither_sent_nor_stored(memory: Holloway, clock: FakeClock, reader: FakeWriter) -> None:
    leave_session(memory, words=f"{WORDS} The key is {KEY}.")
    learn_and_wait(memory, clock)
    reader._answers.append(answer(lesson(f"The login needs the key {KEY} of the shop", f"The key is {KEY}")))
    read(memory)
    assert KEY not in "".join(reader.asked)
    memory.store.database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    assert KEY.encode() not in memory.project.database_path.read_bytes()


def test_what_is_excluded_is_not_sent(memory: Holloway, clock: FakeClock, reader: FakeWriter) -> None:
    leave_session(memory)
    learn_and_wait(memory, clock)
    config.change_setting("exclude.commands", "pytest", folder=str(memory.home))
    hook_settings.save_hook_settings(
        memory.project, config.Settings.load_settings(memory.project.key, str(memory.home))
    )
    reader._answers.append(ANSWER)
    read(memory)
    (prompt,) = reader.asked
    assert QUOTE in prompt
    assert "pytest" not in prompt
    assert "is not set" not in prompt


def test_past_sessions_are_read_only_when_a_person_asks(memory: Holloway, reader: FakeWriter) -> None:
    leave = [leave_session(memory, f"s{number}", number=number) for number in range(3)]
    for log in leave:
        log.unlink()
    past = past_sessions.find(memory)
    past_sessions.learn(memory, past)
    assert not session_reading.has_waiting(memory)
    plan = session_reading.plan_reading(memory, past.transcripts, 2)
    assert (len(plan.transcripts), plan.reason) == (2, "")
    assert 500 < plan.tokens < 20_000
    reader._answers += [ANSWER, '{"lessons": []}']
    result = session_reading.read_past(memory, plan)
    assert (result.read, result.stored) == (2, 1)
    again = session_reading.plan_reading(memory, past.transcripts, 3)
    assert len(again.transcripts) == 1
