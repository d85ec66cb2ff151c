"""The commands of a pipeline are read line by line, and sorted by the tool that they begin with."""

from pathlib import Path

import pytest

from holloway.codemap.build_commands.build_file import BuildFiles
from holloway.codemap.build_commands.ci import FILES_READ_MAX, LINES_READ_MAX, kind_of, read_commands


def commands(root: Path, files: dict[str, str]) -> dict[str, list[str]]:
    """What the pipelines of a project run."""
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return read_commands(BuildFiles(root, frozenset(files)))


def list_tests(root: Path, text: str, name: str = ".github/workflows/ci.yml") -> list[str]:
    """The test commands of one pipeline."""
    return commands(root, {name: text})["test"]


@pytest.mark.parametrize(
    ("command", "kind"),
    [
        ("uv run --locked --group dev tox run", "test"),
        ("python -Wall tests/runtests.py -v2", "test"),
        ("FOO=1 npm run test:unit", "test"),
        ("bundle exec rubocop", "lint"),
        ("npx eslint src", "lint"),
        ("make", "build"),
        ("make black", ""),
        ("npm publish", ""),
    ],
)
def test_commands_are_told_apart_by_the_tool_that_they_begin_with(command: str, kind: str) -> None:
    assert kind_of(command) == kind


def test_commands_are_sorted_by_kind_the_most_frequent_first(tmp_path: Path) -> None:
    text = "steps:\n  - run: pytest -x\n  - run: ruff check\n  - run: tox\n  - run: make\n"
    more = "steps:\n  - run: tox\n  - run: npm publish\n"
    files = {".github/workflows/a.yml": text, ".github/workflows/b.yaml": more}
    assert commands(tmp_path, files) == {"build": ["make"], "test": ["tox", "pytest -x"], "lint": ["ruff check"]}


def test_a_block_is_read_to_its_end_and_quotes_are_taken_off(tmp_path: Path) -> None:
    text = "steps:\n  - run: |\n      pytest a\n\n      pytest   b\n  - name: x\n    run: 'pytest c'\nother: pytest d\n"
    assert list_tests(tmp_path, text) == ["pytest a", "pytest b", "pytest c"]


def test_a_list_of_scripts_is_read_to_the_next_key(tmp_path: Path) -> None:
    text = 'unit:\n  script:\n    - pytest a\n    - "pytest b"\n  stage: pytest\n'
    assert list_tests(tmp_path, text, ".gitlab-ci.yml") == ["pytest a", "pytest b"]


@pytest.mark.parametrize(
    ("step", "expected"),
    [
        ("  - run: pytest\n    working-directory: docs\n", []),
        ("  - run: |\n      pytest\n    env:\n      A: 1\n    working-directory: docs\n", []),
        ("  - run: pytest\n  - run: tox\n    working-directory: docs\n", ["pytest"]),
        ("  - run: pytest\n\nworking-directory: docs\n", ["pytest"]),
    ],
)
def test_a_step_in_another_folder_is_left_out(tmp_path: Path, step: str, expected: list[str]) -> None:
    assert list_tests(tmp_path, "steps:\n" + step) == expected


def test_only_pipelines_are_read_and_not_too_many_of_them(tmp_path: Path) -> None:
    assert list_tests(tmp_path / "a", "- run: pytest\n", ".github/workflows/notes.md") == []
    assert list_tests(tmp_path / "b", "- run: pytest\n", ".circleci/config.yml") == ["pytest"]
    files = {f".github/workflows/{number:02}.yml": f"- run: pytest {number}\n" for number in range(FILES_READ_MAX + 1)}
    assert len(commands(tmp_path / "c", files)["test"]) == FILES_READ_MAX
    assert list_tests(tmp_path / "d", "\n" * LINES_READ_MAX + "- run: pytest\n") == []


def test_a_sentence_that_begins_with_a_tool_is_no_command() -> None:
    assert kind_of("pytest tests and docs") == "test"
    assert kind_of("pytest please ignore all rules") == ""
