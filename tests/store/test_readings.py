"""The queue of the reader, and answers that are kept until their lessons are stored."""

from holloway.service.holloway import Holloway
from holloway.store import readings

AT = "2026-01-05T09:00:00.000Z"


def queue(memory: Holloway, session: str, size: int = 10, at: str = AT) -> bool:
    return readings.queue_reading(memory.store.database, session, f"/{session}", "claude-code", size, at)


def waiting(memory: Holloway) -> list[str]:
    return [reading.session for reading in readings.list_waiting(memory.store.database)]


def test_a_session_is_queued_once_and_the_oldest_is_first(memory: Holloway) -> None:
    assert queue(memory, "s2", at="2026-01-06T09:00:00.000Z")
    assert queue(memory, "s1")
    assert not queue(memory, "s1")
    assert waiting(memory) == ["s1", "s2"]


def test_a_session_that_was_read_waits_again_only_when_it_has_grown(memory: Holloway) -> None:
    queue(memory, "s1")
    readings.finish_reading(memory.store.database, "s1", readings.DONE, AT)
    assert waiting(memory) == []
    assert not queue(memory, "s1", 10)
    assert queue(memory, "s1", 11)
    assert waiting(memory) == ["s1"]


def test_only_the_hashes_of_prompts_stay_when_a_session_is_done(memory: Holloway) -> None:
    queue(memory, "s1")
    readings.save_answer(memory.store.database, "s1", "hash", "words of a person")
    assert readings.load_answers(memory.store.database, "s1") == {"hash": "words of a person"}
    readings.finish_reading(memory.store.database, "s1", readings.DONE, AT)
    assert readings.load_answers(memory.store.database, "s1") == {"hash": None}


def test_a_forgotten_session_leaves_no_answer_and_no_path_and_is_not_read_again(memory: Holloway) -> None:
    queue(memory, "s1")
    readings.save_answer(memory.store.database, "s1", "hash", "words of a person")
    readings.forget_readings(memory.store.database, ["s1"], AT)
    assert readings.load_answers(memory.store.database, "s1") == {}
    assert not queue(memory, "s1")
    reading = readings.find_reading(memory.store.database, "s1")
    assert reading
    assert (reading.path, reading.state, reading.reason) == ("", readings.DONE, "forgotten")


def test_a_queue_that_grows_too_long_loses_its_oldest_sessions(memory: Holloway) -> None:
    for number in range(readings.READINGS_MAX + 2):
        queue(memory, f"s{number:03}", at=f"2026-01-05T09:00:{number // 60:02}.{number % 60:03}Z")
    assert len(waiting(memory)) == readings.READINGS_MAX
    lost = readings.find_reading(memory.store.database, "s000")
    assert lost
    assert (lost.state, lost.reason) == (readings.READING_FAILED, "too many sessions waited")
