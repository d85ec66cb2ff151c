from pathlib import Path

import pytest

import holloway
from holloway.domain.memory import Source
from holloway.store.branches import find_unmerged_branch
from holloway.testing import CountedIds, FakeClock
from tests.conftest import Repository
from tests.store.test_privacy import places_of


def contents(repository: Repository, clock: FakeClock) -> set[str]:
    with holloway.open(repository.root, clock=clock, ids=CountedIds("x")) as memory:
        found = memory.recall("gate")
        return {result.memory.content for result in found}


@pytest.fixture
def on_branch(repository: Repository, clock: FakeClock) -> Repository:
    """`feature` is checked out, and something was taught there."""
    repository.git("checkout", "-q", "-b", "feature")
    with holloway.open(repository.root, clock=clock, ids=CountedIds()) as memory:
        done = memory.remember("the gate is half open", type="gotcha")
        assert done.memory is not None
        assert (done.memory.branch, done.memory.branch_only) == ("feature", "feature")
    return repository


@pytest.mark.promise("branches")
def test_what_was_taught_on_a_branch_stays_on_it(on_branch: Repository, clock: FakeClock) -> None:
    on_branch.commit("gate.py", "half\n")
    assert contents(on_branch, clock) == {"the gate is half open"}
    on_branch.git("checkout", "-q", "main")
    assert contents(on_branch, clock) == set()
    on_branch.git("checkout", "-q", "-b", "other")
    assert contents(on_branch, clock) == set()


@pytest.mark.promise("branches")
@pytest.mark.parametrize("how", ["merge", "fast-forward", "squash", "rebase"])
def test_once_merged_it_is_seen_everywhere(on_branch: Repository, clock: FakeClock, how: str) -> None:
    fork = on_branch.git("rev-parse", "main")
    on_branch.commit("gate.py", "half\n", "one")
    on_branch.commit("gate.py", "half\nopen\n", "two")
    assert contents(on_branch, clock) == {"the gate is half open"}
    on_branch.git("checkout", "-q", "main")
    if how != "fast-forward":
        on_branch.commit("main.py", "went on\n", "meanwhile")
    assert contents(on_branch, clock) == set()
    if how == "merge":
        on_branch.git("merge", "-q", "--no-ff", "-m", "merge", "feature")
    elif how == "fast-forward":
        on_branch.git("merge", "-q", "--ff-only", "feature")
    elif how == "squash":
        on_branch.git("merge", "-q", "--squash", "feature")
        on_branch.git("commit", "-qm", "squash")
    else:
        on_branch.git("cherry-pick", f"{fork}..feature")
    assert contents(on_branch, clock) == {"the gate is half open"}


def test_a_merged_branch_may_be_deleted_before_anybody_looks(on_branch: Repository, clock: FakeClock) -> None:
    on_branch.commit("gate.py", "half\n", "one")
    assert contents(on_branch, clock) == {"the gate is half open"}
    on_branch.git("checkout", "-q", "main")
    on_branch.git("merge", "-q", "--squash", "feature")
    on_branch.git("commit", "-qm", "squash")
    on_branch.git("branch", "-D", "feature")
    assert contents(on_branch, clock) == {"the gate is half open"}


def test_a_branch_that_has_not_begun_is_not_taken_for_merged(on_branch: Repository, clock: FakeClock) -> None:
    on_branch.git("checkout", "-q", "main")
    on_branch.commit("main.py", "went on\n")
    assert contents(on_branch, clock) == set()


def test_everywhere_and_preferences_are_not_bound_to_a_branch(repository: Repository, clock: FakeClock) -> None:
    repository.git("checkout", "-q", "-b", "feature")
    with holloway.open(repository.root, clock=clock, ids=CountedIds()) as memory:
        memory.remember("the gate is red", everywhere=True)
        memory.remember("I prefer the gate open", type="preference")
    repository.git("checkout", "-q", "main")
    assert contents(repository, clock) == {"the gate is red", "I prefer the gate open"}


def test_teaching_it_again_on_main_lifts_it(on_branch: Repository, clock: FakeClock) -> None:
    on_branch.git("checkout", "-q", "main")
    with holloway.open(on_branch.root, clock=clock, ids=CountedIds("y")) as memory:
        assert memory.remember("the gate is half open").outcome == "reinforced"
    assert contents(on_branch, clock) == {"the gate is half open"}


def test_saying_almost_the_same_on_the_branch_does_not_lift_it(on_branch: Repository, clock: FakeClock) -> None:
    with holloway.open(on_branch.root, clock=clock, ids=CountedIds("y")) as memory:
        said = {"type": "gotcha", "source": Source.AGENT_EXPLICIT}
        again = memory.remember("that gate is half open", **said).memory  # type: ignore[arg-type]
        assert again is not None
        assert (again.content, again.branch_only) == ("the gate is half open", "feature")
    on_branch.git("checkout", "-q", "main")
    on_branch.git("checkout", "-q", "-b", "other")
    with holloway.open(on_branch.root, clock=clock, ids=CountedIds("z")) as memory:
        assert memory.remember("that gate is half open", **said).outcome == "added"  # type: ignore[arg-type]


def test_the_setting_lets_branches_share_at_once(
    repository: Repository, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOLLOWAY_BRANCH_SCOPE", "everywhere")
    repository.git("checkout", "-q", "-b", "feature")
    with holloway.open(repository.root, clock=clock, ids=CountedIds()) as memory:
        memory.remember("the gate is ajar", type="gotcha")
    repository.git("checkout", "-q", "main")
    assert contents(repository, clock) == {"the gate is ajar"}


def test_a_new_branch_of_an_old_name_is_not_taken_for_the_merged_one(on_branch: Repository, clock: FakeClock) -> None:
    on_branch.commit("gate.py", "half\n")
    on_branch.git("checkout", "-q", "main")
    on_branch.git("merge", "-q", "--no-ff", "-m", "merge", "feature")
    assert contents(on_branch, clock) == {"the gate is half open"}
    on_branch.git("branch", "-D", "feature")
    on_branch.commit("main.py", "went on\n")
    on_branch.git("checkout", "-q", "-b", "feature")
    with holloway.open(on_branch.root, clock=clock, ids=CountedIds("z")) as memory:
        memory.remember("the gate is painted", type="gotcha")
    on_branch.git("checkout", "-q", "main")
    assert contents(on_branch, clock) == {"the gate is half open"}


def test_a_branch_that_only_caught_up_with_main_is_not_merged(on_branch: Repository, clock: FakeClock) -> None:
    on_branch.git("checkout", "-q", "main")
    on_branch.commit("main.py", "went on\n")
    on_branch.git("checkout", "-q", "feature")
    on_branch.git("merge", "-q", "--ff-only", "main")
    assert contents(on_branch, clock) == {"the gate is half open"}
    on_branch.git("checkout", "-q", "main")
    assert contents(on_branch, clock) == set()


def test_right_words_given_while_no_branch_is_checked_out_stay_on_the_branch_too(
    on_branch: Repository, clock: FakeClock
) -> None:
    on_branch.git("checkout", "-q", "--detach")
    with holloway.open(on_branch.root, clock=clock, ids=CountedIds("y")) as memory:
        (old,) = memory.memories()
        assert memory.wrong(old.id, "partly", instead="the gate is wide open").branch_only == "feature"


def test_a_branch_whose_name_holds_a_secret_is_not_written_down(repository: Repository, home: Path) -> None:
    token = "ghp_" + "aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zA1bC2"
    repository.git("checkout", "-q", "-b", f"try-{token}")
    with holloway.open(repository.root) as memory:
        memory.remember("the gate is ajar", type="gotcha")
    assert places_of(home, token) == []


def test_who_still_stands_on_a_branch_when_it_is_merged_elsewhere_loses_nothing(
    on_branch: Repository, clock: FakeClock
) -> None:
    on_branch.commit("gate.py", "half\n")
    assert contents(on_branch, clock) == {"the gate is half open"}
    # As after a fetch: somebody else merged it, and the local main has not followed yet.
    tree, tip = on_branch.git("rev-parse", "feature^{tree}"), on_branch.git("rev-parse", "feature")
    merge = on_branch.git("commit-tree", tree, "-p", "main", "-p", tip, "-m", "merge")
    on_branch.git("update-ref", "refs/remotes/origin/main", merge)
    assert contents(on_branch, clock) == {"the gate is half open"}
    on_branch.git("checkout", "-q", "main")
    on_branch.git("merge", "-q", "--ff-only", merge)
    assert contents(on_branch, clock) == {"the gate is half open"}


def test_a_branch_whose_work_was_thrown_away_is_not_merged(on_branch: Repository, clock: FakeClock) -> None:
    on_branch.commit("gate.py", "half\n")
    assert contents(on_branch, clock) == {"the gate is half open"}
    on_branch.git("reset", "-q", "--hard", "main")
    assert contents(on_branch, clock) == {"the gate is half open"}
    on_branch.git("checkout", "-q", "main")
    assert contents(on_branch, clock) == set()


@pytest.mark.promise("branches")
@pytest.mark.parametrize("is_recorded", [True, False])
@pytest.mark.parametrize("how", ["--squash", "--no-ff", "--ff-only"])
def test_a_branch_that_is_not_checked_out_binds_until_it_is_merged(
    repository: Repository, memory: holloway.Holloway, how: str, is_recorded: bool
) -> None:
    def find(name: str) -> str:
        return find_unmerged_branch(memory.store.database, str(repository.root), name)

    fork = repository.git("rev-parse", "main")
    repository.git("checkout", "-q", "-b", "topic")
    repository.commit("gate.py", "half\n")
    assert (find("main"), find("nowhere")) == ("", "")
    repository.git("checkout", "-q", "main")
    if is_recorded:
        assert find("topic") == "topic"
        stored = memory.store.database.fetch_rows("SELECT name, fork, tip FROM branches")
        assert [tuple(row) for row in stored] == [("topic", fork, repository.git("rev-parse", "topic"))]
    if how != "--ff-only":
        repository.commit("main.py", "went on\n")
    repository.git("merge", "-q", how, "topic")
    if how == "--squash":
        repository.git("commit", "-qm", "squash")
    assert (find("topic"), find("main")) == ("", "")


def test_a_branch_that_was_begun_without_a_commit_still_binds(
    repository: Repository, memory: holloway.Holloway
) -> None:
    repository.git("checkout", "-q", "-b", "topic")
    database, root = memory.store.database, str(repository.root)
    assert find_unmerged_branch(database, root, "topic") == "topic"
    repository.git("checkout", "-q", "main")
    assert find_unmerged_branch(database, root, "topic") == "topic"
