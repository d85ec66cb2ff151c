import pytest
from hypothesis import given
from hypothesis import strategies as st

from holloway.text.command_compare import (
    covers_target,
    find_moved_folder,
    hides_status,
    is_same_program,
    list_flags,
    main_step,
    normalise_command,
)
from holloway.text.commands import Step


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


def test_the_runner_is_part_of_a_command() -> None:
    assert normalise_command("cd /home/ann/app && /home/ann/app/.venv/bin/python -m pytest -q") == (
        "…/python -m pytest -q"
    )
    assert normalise_command("timeout 60 uv run pytest") == "uv run pytest"


def parse_pair(failed: str, passed: str) -> tuple[Step, Step]:
    before, after = main_step(failed), main_step(passed)
    assert before is not None
    assert after is not None
    return before, after


@pytest.mark.parametrize(
    ("failed", "passed", "same"),
    [
        ("pytest", "python3 -m pytest", True),
        ("pytest", "uv run pytest", True),
        ("pytest", "docker compose exec web pytest", True),
        ("npm test", "pnpm run test", True),
        ("npm ci", "pnpm install", False),
        ("cargo test", "cargo +nightly test", True),
        ("gradle test", "./gradlew test", True),
        ("docker-compose up", "docker compose up", True),
        ("python a.py", "uv run a.py", True),
        ("npm test", "npm run lint", False),
        ("pytest", "make test", False),
    ],
)
def test_a_program_is_the_same_whatever_runs_it(failed: str, passed: str, same: bool) -> None:
    before, after = parse_pair(failed, passed)
    assert is_same_program(before, after) is same
    assert not same or before.call != after.call


@pytest.mark.parametrize(
    ("failed", "passed", "covered"),
    [
        ("pytest tests/a.py", "pytest -v tests/a.py", True),
        ("pytest tests/a.py", "pytest", True),
        ("pytest tests/a.py -k x", "pytest tests/a.py", True),
        ("pytest web/tests/a.py", "cd web && pytest tests/a.py", True),
        ("pytest tests/a.py", "cd web && pytest tests/a.py", True),
        ("pytest tests/a.py", "cd web && pytest", False),
        ("pytest", "pytest tests/a.py", False),
        ("pytest", "pytest -k x", False),
        ("jest", "jest invoice", False),
        ("pytest tests/a.py tests/b.py", "pytest tests/a.py", False),
        ("gh pr diff 1", "gh pr diff 1 --name-only", True),
        ("gh pr diff 1", "gh pr diff 2", False),
        ("mypy src", "mypy", False),
    ],
)
def test_a_run_covers_the_same_target_or_all_tests(failed: str, passed: str, covered: bool) -> None:
    assert covers_target(*parse_pair(failed, passed)) is covered


@pytest.mark.parametrize(
    ("failed", "passed", "folder"),
    [
        ("pytest", "cd sub && pytest", "sub"),
        ("cd sub && pytest", "cd sub && pytest", None),
        ("pytest", "cd /home/ann/app && pytest", None),
        ("cd /home/ann/app && pytest", "cd /home/ann/app/web && pytest", "web"),
        ("cd web && pytest", "cd /home/ann/app/web && pytest", None),
        ("cd web && pytest", "cd /home/ann/app && pytest", ""),
        ("cd web && pytest", "cd .. && pytest", ""),
    ],
)
def test_the_folder_of_the_later_run_is_named_from_the_project(failed: str, passed: str, folder: str | None) -> None:
    assert find_moved_folder(*parse_pair(failed, passed)) == folder


@pytest.mark.parametrize(
    ("command", "flags"),
    [
        ("go test -tags integration ./x", ["-tags=integration"]),
        ("go test -tags=integration ./x", ["-tags=integration"]),
        ("pytest -x -q -vv --tb=short", []),
    ],
)
def test_options_that_only_change_the_output_are_no_flags(command: str, flags: list[str]) -> None:
    assert list_flags(parse_pair(command, command)[0]) == flags


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
    if step := main_step(command):
        assert is_same_program(step, step)
        assert covers_target(step, step)
        assert find_moved_folder(step, step) is None
