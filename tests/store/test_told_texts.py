"""Told texts in the database: each line once, for thirty days, and gone when a sentence or a session is forgotten."""

from datetime import timedelta
from pathlib import Path

import pytest

from holloway.domain.ports import format_stamp
from holloway.service.holloway import Holloway
from holloway.store import told_log, told_texts
from holloway.testing import FakeClock
from tests.service.test_session_report import began
from tests.store.test_memories import taught

END = ("9999", 0)


def tell(memory: Holloway, text: str, session: str = "s1", actor: str = "") -> None:
    at = format_stamp(memory.clock.now())
    folder = str(memory.project.folder)
    told_log.append_told(folder, at=at, session=session, point="prompt", text=text, actor=actor, event="E")


def collect(memory: Holloway) -> int:
    return told_texts.collect_told(memory.store.database, memory.project.folder)


def texts(memory: Holloway, **chosen: str) -> list[str]:
    return [told.text for told in told_texts.list_told_before(memory.store.database, END, 50, **chosen)]


def log(memory: Holloway) -> Path:
    return memory.project.folder / told_log.TOLD_LOG_NAME


def test_lines_are_moved_into_the_database(memory: Holloway, clock: FakeClock) -> None:
    tell(memory, "Money is integer cents [hw:7f3a2c], see [hw:7f3a2c] and [hw:19c0d4]", actor="helper")
    clock.advance(seconds=1)
    tell(memory, "another")
    assert collect(memory) == 2
    assert not log(memory).exists()
    assert collect(memory) == 0
    another, first = told_texts.list_told_before(memory.store.database, END, 5)
    assert (first.session, first.actor, first.point, first.event) == ("s1", "helper", "prompt", "E")
    assert (first.memories, first.tokens > 5) == (("7f3a2c", "19c0d4"), True)
    assert another.text == "another"


def test_a_line_that_was_stored_before_a_crash_is_stored_once(memory: Holloway) -> None:
    tell(memory, "one")
    saved = log(memory).read_bytes()
    collect(memory)
    log(memory).with_name("told.log.taken").write_bytes(saved)
    tell(memory, "two")
    assert collect(memory) == 1
    assert sorted(texts(memory)) == ["one", "two"]
    assert not log(memory).with_name("told.log.taken").exists()


def test_a_line_that_a_hook_wrote_after_its_log_was_taken_is_not_lost(
    memory: Holloway, monkeypatch: pytest.MonkeyPatch
) -> None:
    tell(memory, "one")
    late = log(memory).read_bytes().replace(b"one", b"late")
    read_file = told_texts._read_file

    def read_then_append(path: Path) -> bytes:
        data = read_file(path)
        if data:
            with path.open("ab") as taken:
                taken.write(late)
        return data

    with monkeypatch.context() as patched:
        patched.setattr(told_texts, "_read_file", read_then_append)
        collect(memory)
    assert texts(memory) == ["one"]
    collect(memory)
    assert sorted(texts(memory)) == ["late", "one"]


@pytest.mark.parametrize("line", [b"{", b"[]\n", b'{"at": 1}\n', b"\xff\xfe\n", b"[" * 100_000])
def test_a_damaged_line_is_left_out(memory: Holloway, line: bytes) -> None:
    tell(memory, "one")
    with log(memory).open("ab") as file:
        file.write(line)
    assert collect(memory) == 1
    assert texts(memory) == ["one"]


def test_texts_are_listed_by_session_and_time_with_a_key(memory: Holloway, clock: FakeClock) -> None:
    for number in range(3):
        tell(memory, f"text {number}", session=f"s{number % 2}")
        clock.advance(seconds=1 if number else 0)
    collect(memory)
    assert texts(memory, session="s1") == ["text 1"]
    assert texts(memory, since=format_stamp(clock.now() - timedelta(seconds=1))) == ["text 2"]
    database = memory.store.database
    first = told_texts.list_told_before(database, END, 2)
    assert [told.text for told in first] == ["text 2", "text 1"]
    rest = told_texts.list_told_before(database, (first[-1].at, first[-1].id), 2)
    assert [told.text for told in rest] == ["text 0"]
    assert [told.text for told in told_texts.list_session_texts(database, "s0")] == ["text 0", "text 2"]


def test_texts_are_kept_for_thirty_days_and_in_a_limited_number(
    memory: Holloway, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    tell(memory, "old")
    clock.advance(days=29)
    tell(memory, "recent")
    collect(memory)
    memory.maintain()
    assert len(texts(memory)) == 2
    clock.advance(days=2)
    memory.maintain()
    assert texts(memory) == ["recent"]
    for number in range(3):
        tell(memory, f"text {number}")
    collect(memory)
    monkeypatch.setattr(told_texts, "TOLD_ROWS_MAX", 2)
    assert told_texts.delete_old_told(memory.store.database, clock.now()) == 2
    assert sorted(texts(memory)) == ["text 1", "text 2"]


def test_settling_moves_the_log(memory: Holloway) -> None:
    tell(memory, "one")
    memory.settle()
    assert texts(memory) == ["one"]


@pytest.mark.promise("forget")
def test_a_forgotten_sentence_leaves_no_part_in_what_was_told(memory: Holloway) -> None:
    stored = taught(memory, "The staging password is rotated every Monday by the night job").id
    tell(memory, f"gotcha: The staging password is rotated every Monday [hw:{stored}]", session="s1")
    collect(memory)
    memory.opened.maintain()
    tell(memory, "it is rotated every monday by the night job", session="s2")
    tell(memory, "Money is integer cents", session="s2")
    log(memory).with_name("told.log.taken").write_bytes(log(memory).read_bytes())
    memory.forget([stored], hard=True)
    collect(memory)
    assert sorted(texts(memory)) == ["", "Money is integer cents"]
    for file in memory.project.folder.rglob("*"):
        assert not file.is_file() or b"rotated every" not in file.read_bytes().lower(), file


def test_a_forgotten_session_leaves_nothing_of_what_it_was_told(memory: Holloway) -> None:
    began(memory, "s1")
    tell(memory, "one", session="s1")
    collect(memory)
    tell(memory, "two", session="s1", actor="helper")
    tell(memory, "three", session="s2")
    memory.forget_session("s1")
    assert texts(memory) == ["three"]
