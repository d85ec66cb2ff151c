"""The command lines inside of a command are listed, at any depth and bounded."""

from __future__ import annotations

import pytest
from hypothesis import given

from holloway.text.nested_commands import COMMAND_LINES_MAX, list_command_lines
from tests.outside_input import bounded_time, text_of


@pytest.mark.parametrize(
    ("command", "inner"),
    [
        ("ls", []),
        ("echo $(cat a)", ["cat a"]),
        ('echo "$(cat a)"', ["cat a"]),
        ("echo `cat a`", ["cat a"]),
        ("diff <(cat a) >(cat b)", ["cat a", "cat b"]),
        ("echo $(cat a | (head -1))", ["cat a | (head -1)"]),
        ("bash -c 'cat a'", ["cat a"]),
        ("bash -c 'echo $(cat a)'", ["echo $(cat a)", "cat a"]),
        ("echo $(cat a) $(cat a)", ["cat a", "cat a"]),
        ("ls; echo $(cat a)", ["cat a"]),
        ("cat <<EOF\n$(cat a)\nEOF", ["cat a"]),
        ('echo "don\'t" $(cat a) "won\'t"', ["cat a"]),
        ("echo '$(cat a)'", []),
        ("cat <<'EOF'\n$(cat a)\nEOF", []),
        (r"echo \`cat a\`", []),
        ("echo $()", []),
    ],
)
def test_substitutions_and_texts_for_a_shell_are_command_lines(command: str, inner: list[str]) -> None:
    assert list_command_lines(command) == [command, *inner]


def test_a_command_line_is_followed_to_any_depth_once() -> None:
    assert list_command_lines("bash -c \"bash -c 'ls'\"") == ["bash -c \"bash -c 'ls'\"", "bash -c 'ls'", "ls"]
    assert list_command_lines("echo $(ls) && bash -c 'echo $(ls)'")[1:] == ["ls", "echo $(ls)"]


def test_a_bounded_number_of_command_lines_is_listed() -> None:
    command = " ".join(f"$(cat {number})" for number in range(100))
    assert list_command_lines(command)[1:] == [f"cat {number}" for number in range(COMMAND_LINES_MAX - 1)]


@given(text_of("$(", ")", "`", "'", '"', "bash -c ", "<<'EOF'\n", "\nEOF", "\\", " "))
def test_any_text_is_listed_within_bounds(command: str) -> None:
    with bounded_time():
        lines = list_command_lines(command)
    assert lines[0] == command
    assert len(lines) <= COMMAND_LINES_MAX
    assert all(lines[1:])
