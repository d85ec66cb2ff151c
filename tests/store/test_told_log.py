"""The log of told texts: one line for each, without secrets, bounded."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

import holloway
from holloway.store import told_log

AT = "2026-01-05T09:00:00.000Z"


def append(folder: Path, text: str) -> bool:
    return told_log.append_told(str(folder), at=AT, session="s1", point="prompt", text=text, event="UserPromptSubmit")


def lines(folder: Path) -> list[dict[str, str]]:
    return [json.loads(line) for line in (folder / told_log.TOLD_LOG_NAME).read_text("ascii").splitlines()]


def test_a_text_is_one_private_line_as_it_was_told(tmp_path: Path) -> None:
    assert append(tmp_path, "first\nsecond “line”")
    assert append(tmp_path, "another")
    assert lines(tmp_path)[0] == {
        "at": AT,
        "session": "s1",
        "actor": "",
        "point": "prompt",
        "event": "UserPromptSubmit",
        "text": "first\nsecond “line”",
    }
    assert [line["text"] for line in lines(tmp_path)][1:] == ["another"]
    assert (tmp_path / told_log.TOLD_LOG_NAME).stat().st_mode & 0o777 == 0o600


def test_a_secret_is_redacted_before_the_text_is_truncated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(told_log, "TOLD_TEXT_CHARS_MAX", 60)
    token = "ghp_" + "x7Kq2mN9" * 4 + "abcd"
    append(tmp_path, f"{'a' * 50} {token} and more")
    (line,) = lines(tmp_path)
    assert token[:12] not in line["text"]
    assert len(line["text"]) == 61


def test_a_full_log_takes_nothing_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(told_log, "TOLD_LOG_BYTES_MAX", 300)
    outcomes = [append(tmp_path, "x" * 100) for _ in range(4)]
    assert outcomes == [True, True, False, False]
    assert len(lines(tmp_path)) == 2


def test_half_a_character_is_written_as_a_question_mark(tmp_path: Path) -> None:
    append(tmp_path, "half \ud83d")
    assert lines(tmp_path)[0]["text"] == "half ?"


@pytest.mark.promise("light")
def test_the_log_loads_almost_nothing() -> None:
    code = (
        "import sys, json; before = set(sys.modules); import holloway.store.told_log\n"
        "print(json.dumps(sorted(set(sys.modules) - before)))"
    )
    source = str(Path(holloway.__file__).parents[1])
    flags = ["-I", "-S", "-c", f"import sys; sys.path.insert(0, {source!r})\n{code}"]
    done = subprocess.run([sys.executable, *flags], capture_output=True, text=True, check=True, timeout=20)
    heavy = {"dataclasses", "typing", "pathlib", "subprocess", "logging", "inspect", "sqlite3", "hashlib"}
    assert heavy & set(json.loads(done.stdout)) == set()
