import pytest
from hypothesis import given
from hypothesis import strategies as st

from holloway.text.command_compare import (
    hides_status,
    main_step,
    normalise_command,
    step_differences,
)


def test_the_purpose_is_the_last_step_that_does_something() -> None:
    said = {command: step.program for command in PURPOSES if (step := main_step(command))}
    assert said == PURPOSES
    assert main_step("cd somewhere") is None


PURPOSES = {
    "mise run fmt && mise run lint": "mise run lint",
    "go build -o x . && ./x help": "x",
    "cat a.py; pytest; ls": "pytest",
    "git add a.py && git commit -m x": "git commit",
    "ls src": "ls",
}


def test_one_command_on_two_machines_is_one() -> None:
    here = "cd /home/ann/app && REDIS_URL=redis://a python  /home/ann/app/tests/a.py --out=/tmp/x1/y 2>&1 | tail -5"
    there = "REDIS_URL=redis://b python /Users/bob/app/tests/a.py --out=/var/folders/zz/9/T/q"
    assert normalise_command(here) == normalise_command(there) == "REDIS_URL= python …/a.py --out=<tmp>"


def test_other_flags_make_another_command() -> None:
    assert normalise_command("go test -v ./a") != normalise_command("go test ./a")


def list_differences(failed: str, passed: str) -> tuple[str, ...]:
    before, after = main_step(failed), main_step(passed)
    return step_differences(before, after) if before and after else ()


@pytest.mark.parametrize(
    ("failed", "passed", "expected"),
    [
        ("pytest", "REDIS_URL=x pytest", ("env REDIS_URL",)),
        ("go test ./x", "go test -tags integration ./x", ("flag -tags=integration",)),
        ("go test -tags=integration ./x", "go test -tags integration ./x", ()),
        ("git show --no-stat a", "git show a", ("without --no-stat",)),
        ("pytest", "cd sub && pytest", ("directory sub",)),
        ("go test ./...", "mise run test", ("program mise run test",)),
        ("pytest -x -q", "pytest -vv --tb=short", ()),
    ],
)
def test_what_the_passing_command_had_is_named(failed: str, passed: str, expected: tuple[str, ...]) -> None:
    assert list_differences(failed, passed) == expected


def test_a_pipe_a_fallback_and_a_sequence_hide_the_status() -> None:
    assert [hides_status(c) for c in ("pytest", "cd a && pytest", "pytest | tail", "pytest || true", "pytest; ls")] == [
        False,
        False,
        True,
        True,
        True,
    ]


@given(st.text(alphabet="ab '\"\\$`(){}<>|&;#\n-=./EOF*~", max_size=300))
def test_any_text_can_be_compared_and_does_not_differ_from_itself(command: str) -> None:
    normalise_command(command)
    assert list_differences(command, command) == ()
