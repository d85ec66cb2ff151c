"""The branches of a session: forks and pull requests are foreign, branches of the session and of the project own."""

from __future__ import annotations

import pytest

from holloway.observer.session_branches import SessionBranches, list_operands
from holloway.text.commands import Step, parse_command

TRACKED = frozenset({"v2", "src"})


def parse(command: str) -> Step:
    return parse_command(command)[0]


def follow(*commands: str, branch: str = "fix") -> SessionBranches:
    """Return the branches after a session's git commands."""
    branches = SessionBranches(branch, TRACKED.__contains__)
    for command in commands:
        branches.follow_step(parse(command))
    return branches


def find_revision(branches: SessionBranches, command: str) -> str:
    return branches.find_foreign_revision(parse(command))


@pytest.mark.parametrize(
    "revision",
    [
        *("HEAD", "@", "ORIG_HEAD", "stash@{0}", "HEAD~2", "main", "master", "refs/heads/main", "origin", "origin/fix"),
        *("refs/remotes/origin/develop", "fix", "main..fix", "main...fix", "1a2b3c4", "1a2b3c4^", "HEAD:x.md"),
        *("v2", "./src", "src/a.py", "src/", ".env.md", "'*.md'", "-- contrib", "--author=contrib", "key=contrib"),
        *("-n contrib", "--grep contrib", "-S contrib", "--source contrib", "--format contrib"),
    ],
)
def test_revisions_options_and_paths_of_the_project_are_not_foreign(revision: str) -> None:
    assert find_revision(follow(), f"git log {revision}") == ""


@pytest.mark.parametrize(
    ("revision", "name"),
    [
        ("contrib", "contrib"),
        ("contrib~2", "contrib"),
        ("contrib^", "contrib"),
        ("contrib:README.md", "contrib"),
        ("contrib@{1}", "contrib"),
        ("main..contrib", "contrib"),
        ("contrib...main", "contrib"),
        ("origin/contrib other", "origin/contrib"),
        ("main contrib", "contrib"),
        ("contrib -- src", "contrib"),
        ("--stat contrib", "contrib"),
        ("refs/remotes/origin/contrib", "refs/remotes/origin/contrib"),
        ("pull/7/head", "pull/7/head"),
        ("+pull/7/head", "+pull/7/head"),
        ("origin/pr/7", "origin/pr/7"),
        ("merge-requests/7/head", "merge-requests/7/head"),
        ("FETCH_HEAD", "FETCH_HEAD"),
        ("1a2b3c", "1a2b3c"),
    ],
)
def test_other_revisions_are_foreign(revision: str, name: str) -> None:
    assert find_revision(follow(), f"git log {revision}") == name


def test_without_a_list_of_files_only_the_form_tells_a_path_from_a_branch() -> None:
    branches = SessionBranches()
    assert find_revision(branches, "git diff v2") == "v2"
    assert find_revision(branches, "git diff src/a.py") == ""


@pytest.mark.parametrize(
    ("command", "revision"),
    [
        ("git fetch origin pull/7/head:seven", "seven"),
        ("git fetch origin +pull/7/head:seven", "seven"),
        ("git pull origin merge-requests/7/head:seven", "seven"),
        ("git fetch fork", "fork/main"),
        ("git fetch fork", "1a2b3c4"),
        ("git pull fork main", "fork/main"),
        ("git remote add fork https://example.org/x", "fork/main"),
        ("git remote add fork https://example.org/x", "fork"),
        ("git remote add v2 https://example.org/x", "v2"),
        ("git checkout -b mine FETCH_HEAD", "mine"),
    ],
)
def test_names_of_forks_are_remembered(command: str, revision: str) -> None:
    assert find_revision(follow(command), f"git show {revision}") == revision


@pytest.mark.parametrize(
    "command",
    [
        "git fetch origin main:main",
        "git fetch origin pull/7/head",
        "git fetch origin pull/7/head:",
        "git fetch",
        "git remote -v",
        "git remote add",
        "git remote remove fork",
        "git status fork",
    ],
)
def test_other_commands_name_no_fork(command: str) -> None:
    branches = follow(command)
    assert find_revision(branches, "git show 1a2b3c4") == ""
    assert find_revision(branches, "git show main") == ""
    assert not branches.foreign_checkout


def test_the_addresses_of_a_new_remote_are_not_forks_themselves() -> None:
    assert find_revision(follow("git remote add fork other/x"), "git diff other/x.md") == ""


@pytest.mark.parametrize("command", ["git fetch", "git pull", "git fetch origin main"])
def test_fetching_is_noticed(command: str) -> None:
    assert follow(command).has_fetched


@pytest.mark.parametrize("command", ["git checkout main", "git merge main", "git log", "git remote add x y"])
def test_other_commands_fetch_nothing(command: str) -> None:
    assert not follow(command).has_fetched


@pytest.mark.parametrize(
    ("commands", "name"),
    [
        (["git checkout FETCH_HEAD"], "FETCH_HEAD"),
        (["git switch -c mine pull/7/head"], "pull/7/head"),
        (["git checkout -b mine pull/7/head"], "pull/7/head"),
        (["git restore -s FETCH_HEAD README.md"], "FETCH_HEAD"),
        (["git fetch fork", "git checkout fork/main"], "fork/main"),
        (["git merge FETCH_HEAD"], "FETCH_HEAD"),
        (["git rebase main pull/7/head"], "pull/7/head"),
        (["git cherry-pick FETCH_HEAD~1"], "FETCH_HEAD"),
        (["git am FETCH_HEAD"], "FETCH_HEAD"),
        (["git pull origin pull/7/head"], "pull/7/head"),
        (["git remote add fork x", "git pull fork main"], "fork"),
        (["git merge FETCH_HEAD", "git merge pull/7/head"], "FETCH_HEAD"),
        (["git merge FETCH_HEAD", "git checkout pull/7/head"], "pull/7/head"),
        (["git merge FETCH_HEAD", "git pull origin pull/8/head"], "pull/8/head"),
        (["git checkout FETCH_HEAD", "git checkout -b mine"], "FETCH_HEAD"),
        (["git checkout FETCH_HEAD", "git checkout"], "FETCH_HEAD"),
        (["git checkout FETCH_HEAD", "git checkout -- main"], "FETCH_HEAD"),
    ],
)
def test_the_work_of_others_that_is_checked_out_is_named(commands: list[str], name: str) -> None:
    assert follow(*commands).foreign_checkout == f"branch of others: {name}"


@pytest.mark.parametrize(
    "commands",
    [
        ["git checkout FETCH_HEAD", "git checkout main"],
        ["git checkout FETCH_HEAD", "git switch fix"],
        ["git checkout -b mine", "git checkout FETCH_HEAD", "git checkout mine"],
        ["git merge main"],
        ["git merge contrib"],
        ["git fetch fork"],
        ["git fetch origin pull/7/head:seven"],
        ["git pull origin main"],
        ["git pull first main"],
        ["git checkout FETCH_HEAD -- README.md"],
        ["git restore --source=FETCH_HEAD README.md"],
        ["git log FETCH_HEAD"],
    ],
)
def test_the_checkout_is_own(commands: list[str]) -> None:
    assert follow(*commands).foreign_checkout == ""


@pytest.mark.parametrize("command", ["git checkout mine", "git switch -c mine", "git checkout -b mine main"])
def test_a_branch_that_the_session_checks_out_is_own(command: str) -> None:
    assert find_revision(follow(), "git show mine") == "mine"
    assert find_revision(follow(command), "git show mine") == ""


@pytest.mark.parametrize(
    "commands", [["git checkout -- mine"], ["git show mine"], ["git checkout FETCH_HEAD", "git checkout -b mine"]]
)
def test_a_branch_that_is_only_named_or_starts_from_the_work_of_others_is_not_own(commands: list[str]) -> None:
    assert find_revision(follow(*commands), "git show mine") == "mine"


@pytest.mark.parametrize(
    ("command", "source"),
    [
        ("git checkout FETCH_HEAD -- README.md", "branch of others: FETCH_HEAD"),
        ("git checkout fork/main -- README.md", "branch of others: fork/main"),
        ("git restore --source=FETCH_HEAD README.md", "branch of others: FETCH_HEAD"),
        ("git restore --source=fork/main README.md", "branch of others: fork/main"),
        ("git restore --source=main README.md", ""),
        ("git checkout -- README.md", ""),
        ("git checkout FETCH_HEAD", ""),
        ("git log FETCH_HEAD -- README.md", ""),
    ],
)
def test_single_files_that_a_checkout_takes_from_a_fork_have_its_source(command: str, source: str) -> None:
    assert follow("git remote add fork x").find_restored_source(parse(command)) == source


def test_operands_are_the_words_that_are_not_options() -> None:
    assert list_operands(parse("git checkout -b mine --track main")) == ["mine", "main"]


@pytest.mark.parametrize("fetch", ["git fetch origin pull/7/head:seven", "git pull origin main pull/7/head:seven"])
def test_a_branch_that_was_fetched_from_a_pull_request_is_foreign_when_it_is_checked_out(fetch: str) -> None:
    assert follow(fetch, "git checkout seven").foreign_checkout == "branch of others: seven"
    assert follow("git fetch origin", "git checkout seven").foreign_checkout == ""
