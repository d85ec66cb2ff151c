"""The screen of the mirror: one line for each fact, and nothing without facts."""

from typing import Any

import pytest

from holloway.cli.mirror import print_mirror
from holloway.service.mirror import CommandFix, FileUse, Mirror, Orientation, RecurringError

REFUSED = RecurringError("connection refused", "pytest", sessions=3, solved=1, met_again=1)
FIXED = RecurringError("connection refused", "pytest", 3, 1, 1, fix="set REDIS_URL=fake://", memory="m1")
WAY = Orientation(sessions=4, discovery_calls=1_200, steps_to_first_edit=7, first_reads=8, known_reads=2)


def mirror_of(sessions: int, **facts: Any) -> Mirror:
    return Mirror(sessions, "2026-01-05", "2026-02-01", **facts)


def screen(capsys: pytest.CaptureFixture[str], mirror: Mirror) -> list[str]:
    print_mirror(mirror)
    return capsys.readouterr().out.splitlines()


def test_without_facts_nothing_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert screen(capsys, mirror_of(9)) == []


@pytest.mark.parametrize(
    ("until", "heading"),
    [
        ("2026-02-01", "Your agents in 1,234 sessions, 2026-01-05 to 2026-02-01"),
        ("2026-01-05", "Your agents in 1,234 sessions, 2026-01-05"),
    ],
)
def test_the_heading_names_the_sessions_and_their_days(
    until: str, heading: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert screen(capsys, Mirror(1_234, "2026-01-05", until, errors=(REFUSED,)))[0] == heading


@pytest.mark.parametrize(
    ("error", "lines"),
    [
        (
            FIXED,
            [
                "     3 sessions  pytest: connection refused",
                "               from now on agents are told: set REDIS_URL=fake://  [m1]",
            ],
        ),
        (
            REFUSED,
            [
                "     3 sessions  pytest: connection refused",
                "               1 session met it after an earlier one had solved it; no fix is proved yet",
            ],
        ),
        (
            RecurringError("", "", sessions=1, solved=0, met_again=0),
            ["     1 session   an error whose text is withheld", "               no fix is proved yet"],
        ),
    ],
)
def test_an_error_says_what_agents_are_told_of_it(
    error: RecurringError, lines: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    mirror = mirror_of(3, errors=(error,), errors_in_total=1)
    assert screen(capsys, mirror)[1:] == ["Errors that came again", *lines]


@pytest.mark.parametrize(
    ("in_total", "line"),
    [
        (3, "  and 2 other errors in two sessions or more"),
        (2, "  and 1 other error in two sessions or more"),
        (1, "               no fix is proved yet"),
    ],
)
def test_errors_that_are_not_listed_are_counted(in_total: int, line: str, capsys: pytest.CaptureFixture[str]) -> None:
    error = RecurringError("a", "b", sessions=2, solved=0, met_again=0)
    assert screen(capsys, mirror_of(3, errors=(error,), errors_in_total=in_total))[-1] == line


def test_a_command_says_how_often_it_failed_if_that_is_more_than_once_a_session(
    capsys: pytest.CaptureFixture[str],
) -> None:
    commands = (CommandFix("use `make test`", 2, 5, "m1"), CommandFix("add `-q`", 1, 1, "m2"))
    assert screen(capsys, mirror_of(3, commands=commands))[1:] == [
        "Commands that failed before the right one",
        "     2 sessions  use `make test` (5 times)",
        "     1 session   add `-q`",
    ]


def test_a_file_says_in_how_many_sessions_it_was_opened_and_changed(capsys: pytest.CaptureFixture[str]) -> None:
    assert screen(capsys, mirror_of(1_000, files=(FileUse("src/a.py", 12, 4),)))[1:] == [
        "Files that sessions open again and again",
        "    12 of 1,000  src/a.py, changed in 4",
    ]


@pytest.mark.parametrize(
    ("orientation", "lines"),
    [
        (
            WAY,
            [
                "  A session makes 1,200 searches, listings and first reads (median of 4 sessions); its first edit is"
                " step 7.",
                "  25 % of the 8 files that sessions read had been opened in an earlier session.",
            ],
        ),
        (
            Orientation(4, 3, steps_to_first_edit=None, first_reads=8, known_reads=0),
            ["  A session makes 3 searches, listings and first reads (median of 4 sessions)."],
        ),
        (
            Orientation(4, 3, steps_to_first_edit=0, first_reads=0, known_reads=0),
            [
                "  A session makes 3 searches, listings and first reads (median of 4 sessions);"
                " its first edit is step 0."
            ],
        ),
    ],
)
def test_finding_the_way_is_told_as_far_as_it_was_measured(
    orientation: Orientation, lines: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert screen(capsys, mirror_of(4, orientation=orientation))[1:] == ["Finding the way", *lines]
