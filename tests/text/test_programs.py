"""A program is known by its name in the table, and what a command does by its subcommand and its options."""

from __future__ import annotations

import pytest

from holloway.text.programs import (
    classify_command,
    classify_task,
    has_subcommands,
    is_check,
    is_runner,
    normalise_name,
)


@pytest.mark.parametrize(
    ("task", "kind"),
    [
        ("test:ci", "test"),
        ("lint-tests", "check"),
        ("typecheck:test", "check"),
        (":app:assembleDebug", "check"),
        ("setup", "install"),
        ("dev", "run"),
        ("", "run"),
        ("x" * 100 + " test", "run"),
    ],
)
def test_a_task_is_classified_by_the_words_in_its_name(task: str, kind: str) -> None:
    assert classify_task(task) == kind


@pytest.mark.parametrize(
    ("word", "name"),
    [
        ("/usr/bin/git", "git"),
        (r"C:\Python\python.EXE", "python"),
        ("npm.cmd", "npm"),
        ("python3.12", "python"),
        ("pip3", "pip"),
        ("./gradlew", "gradle"),
        ("Get-Content", "get-content"),
        ("MyTool", "MyTool"),
        ("bin/", "bin"),
        ("/", "/"),
    ],
)
def test_a_program_is_reduced_to_its_name(word: str, name: str) -> None:
    assert normalise_name(word) == name


@pytest.mark.parametrize(
    ("command", "kind"),
    [
        ("gh api repos", "fetch"),
        ("gh pr view", "fetch"),
        ("gh pr create view", "fetch"),
        ("gh pr create a view", "other"),
        ("gh view", "other"),
        ("go mod tidy", "install"),
        ("go mod graph", "other"),
        ("go test", "test"),
        ("go something", "run"),
        ("go", "other"),
        ("yarn", "install"),
        ("yarn lint", "check"),
        ("make", "check"),
        ("make deps", "install"),
        ("npm ci", "install"),
        ("docker logs", "read"),
        ("docker test", "test"),
        ("docker", "other"),
        ("sed -i s/a/b/ x", "edit"),
        ("sed -ni.bak s/a/b/ x", "edit"),
        ("sed --in-place=.bak s/a/b/ x", "edit"),
        ("sed -n 1p x", "read"),
        ("perl -pi x", "edit"),
        ("perl x", "run"),
        ("awk inplace x", "edit"),
        ("awk -i x", "read"),
        ("cat -i x", "read"),
        ("bash -n x.sh", "check"),
        ("bash x.sh -n", "run"),
        ("node --test a.js", "test"),
        ("node a.js", "run"),
        ("ruby --test a.rb", "run"),
        ("find . -name x", "search"),
        ("find . -type f", "list"),
        ("grep x", "search"),
        ("bin/tool", "run"),
        ("tool.mjs", "run"),
        ("tool", "other"),
        ("git checkout -- a", "revert"),
        ("git checkout .", "revert"),
        ("git checkout main", "git"),
        ("git checkout -b x .", "git"),
        ("git restore a", "revert"),
        ("git restore --staged a", "git"),
        ("git restore --staged --worktree a", "revert"),
        ("git stash", "revert"),
        ("git stash push", "revert"),
        ("git stash pop", "git"),
        ("git reset --hard", "revert"),
        ("git reset a", "git"),
        ("git clean -fd", "revert"),
        ("git clean -n", "git"),
        ("git merge --abort", "revert"),
        ("git merge main", "git"),
        ("git commit -m x", "commit"),
        ("git grep x", "search"),
        ("git", "git"),
    ],
)
def test_a_command_is_classified_by_program_subcommand_and_options(command: str, kind: str) -> None:
    program, *words = command.split()
    assert classify_command(program, words[0] if words else "", words) == kind


def test_only_programs_that_test_or_check_are_checks() -> None:
    assert is_check("/venv/bin/pytest")
    assert is_check("mypy")
    assert not is_check("cat")
    assert not is_check("unknown")


def test_subcommands_and_task_runners_are_known_from_the_table() -> None:
    assert has_subcommands("git")
    assert not has_subcommands("cat")
    assert is_runner("make")
    assert not is_runner("git")
