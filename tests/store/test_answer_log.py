import stat
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holloway.store import answer_log


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    answer_log.append_answer(str(tmp_path), "s1", "prompt", "degraded", "files", 12.6)
    (answer,) = answer_log.read_answers(str(tmp_path))
    assert (answer.session, answer.point, answer.outcome, answer.step, answer.milliseconds) == (
        "s1",
        "prompt",
        "degraded",
        "files",
        13,
    )


@given(st.text())
def test_any_name_of_a_session_is_one_word_and_found_again(session: str) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        answer_log.append_answer(folder, session, "prompt", "full", "", 1)
        assert len(answer_log.read_answers(folder)) == 1
        assert len(answer_log.read_answers(folder, session=session)) == 1


def test_answers_are_chosen_by_session_and_by_time(tmp_path: Path) -> None:
    log = tmp_path / answer_log.LOG_FILE_NAME
    log.write_text("2026-01-01T00:00:00Z s1 prompt full - 5\n2026-01-03T00:00:00Z s2 prompt dropped - 5\n")
    assert [answer.session for answer in answer_log.read_answers(str(tmp_path), since="2026-01-02")] == ["s2"]
    assert [answer.outcome for answer in answer_log.read_answers(str(tmp_path), session="s1")] == ["full"]


def test_damaged_lines_are_skipped(tmp_path: Path) -> None:
    (tmp_path / answer_log.LOG_FILE_NAME).write_bytes(
        b"\xff\xfe\nhalf a line\n2026-01-01T00:00:00Z s1 prompt full - x\n"
    )
    assert answer_log.read_answers(str(tmp_path)) == []


def test_a_full_log_becomes_the_old_one_and_both_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answer_log, "FILE_BYTES_MAX", 60)
    for _ in range(3):
        answer_log.append_answer(str(tmp_path), "s1", "prompt", "full", "", 1)
    assert (tmp_path / "answers.log.1").exists()
    assert len(answer_log.read_answers(str(tmp_path))) == 3


def test_the_log_is_for_its_owner_alone(tmp_path: Path) -> None:
    answer_log.append_answer(str(tmp_path), "s1", "prompt", "full", "", 1)
    assert stat.S_IMODE((tmp_path / answer_log.LOG_FILE_NAME).stat().st_mode) == 0o600


def test_counts_are_by_outcome_and_by_step_of_degradation() -> None:
    def answer(outcome: str, step: str = "") -> answer_log.LoggedAnswer:
        return answer_log.LoggedAnswer("2026-01-01T00:00:00Z", "s1", "prompt", outcome, step, 1)

    owed = [
        answer("full"),
        answer("empty"),
        answer("degraded", "files"),
        answer("degraded", "files"),
        answer("dropped"),
    ]
    assert answer_log.count_outcomes(owed) == {
        "full": 1,
        "degraded": 2,
        "dropped": 1,
        "prompt:files": 2,
        "prompt:deadline": 1,
    }
