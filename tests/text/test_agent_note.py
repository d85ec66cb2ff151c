"""A note that an agent takes in its shell reads the same for the command, the hook and the transcript."""

from __future__ import annotations

import pytest

from holloway.config import LESSON_CHARS_MAX
from holloway.text.agent_note import compose_note, find_note, parse_note_command

FULL = 'the token burns. Why: it rotates Quote: "invalid_grant"'


@pytest.mark.parametrize(
    "command",
    [
        'holloway note "the token burns" --why "it rotates" --quote invalid_grant --kind decision --file src/a.py',
        "cd /srv && holloway note -w 'it rotates' --quote=invalid_grant -k decision -f src/a.py the token burns && ls",
        'python3 -m holloway note --json --why="it rotates" --quote "invalid_grant" "the token burns" -k decision '
        "-f src/a.py -p .",
        '/opt/venv/bin/holloway note "the token burns" --why "it rotates" -q "invalid_grant" -k decision -f src/a.py',
    ],
)
def test_a_note_is_found_in_a_command_line(command: str) -> None:
    assert parse_note_command(command) == {"text": FULL, "type": "decision", "files": ["src/a.py"]}


@pytest.mark.parametrize(
    "command", ["holloway recall note", "echo holloway note x", "holloway note", "git commit -m 'holloway note x'", ""]
)
def test_other_commands_are_no_notes(command: str) -> None:
    assert parse_note_command(command) is None


def test_the_tool_and_the_command_build_the_same_text() -> None:
    arguments = {"text": "the token burns", "reason": "it rotates", "quote": "invalid_grant", "files": ["src/a.py"]}
    note = find_note(arguments, is_record_tool=True)
    assert note == {"text": FULL, "type": "", "files": ["src/a.py"]}
    assert find_note({"file_path": "a.py", "text": "x"}, is_record_tool=False) is None
    assert compose_note("It burns!", "it rotates") == "It burns! Why: it rotates"
    assert compose_note(" It burns ") == "It burns"


@pytest.mark.parametrize(
    ("command", "text"),
    [
        ("uv run holloway note burns", "burns"),
        ("poetry run holloway note burns", "burns"),
        ("sudo holloway note burns", None),
        ("a b c d holloway note burns", None),
        ("holloway recall x && holloway note burns", "burns"),
        ("holloway note burns --why", "burns"),
        ("holloway note --unknown burns -x", "burns -x"),
        ("holloway note burns --kind=", "burns"),
    ],
)
def test_a_note_needs_our_program_where_a_program_is_called(command: str, text: str | None) -> None:
    note = parse_note_command(command)
    assert (note and note["text"]) == text


def test_a_note_command_is_found_under_either_name_of_the_argument() -> None:
    for name in ("command", "cmd"):
        note = find_note({name: "holloway note burns"}, is_record_tool=False)
        assert note is not None
        assert note["text"] == "burns"
    assert find_note({"command": ["holloway", "note", "burns"]}, is_record_tool=False) is None


def test_reason_and_quote_are_bounded() -> None:
    note = compose_note("It burns?", "r" * 5_000, "q" * 5_000)
    assert note == f'It burns? Why: {"r" * LESSON_CHARS_MAX} Quote: "{"q" * LESSON_CHARS_MAX}"'
