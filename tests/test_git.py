import os
import shutil
import subprocess
from pathlib import Path

import pytest

from holloway import git
from holloway.git import queries, runner
from tests.conftest import Repository, make_repository


@pytest.mark.parametrize(
    "url",
    [
        "git@github.com:Acme/shop.git",
        "https://github.com/acme/shop",
        "https://user:secret@github.com/acme/shop.git/",
        "ssh://git@github.com:22/acme/shop.git",
        "git://github.com/acme/shop.git",
    ],
)
def test_the_ways_to_write_an_origin_are_one_place(url: str) -> None:
    assert git.normalise_origin(url) == "github.com/acme/shop"


def test_an_origin_never_keeps_a_password() -> None:
    for url in (
        "https://user:secret@example.com/a/b.git",
        "https://user:secret@[::1]:80/a/b.git",
        "https://example.com/a/b.git?private_token=secret",
    ):
        assert "secret" not in git.normalise_origin(url)
    assert git.normalise_origin("ssh://git@[::1]:22/a/b.git") == "::1/a/b"


def test_a_folder_as_origin_is_its_real_path(tmp_path: Path) -> None:
    assert git.normalise_origin("../other", str(tmp_path / "here")) == str(tmp_path.resolve() / "other")
    assert git.normalise_origin(f"file://{tmp_path}/x") == str(tmp_path.resolve() / "x")


def test_what_is_read_directly_equals_what_git_says(repository: Repository) -> None:
    root = str(repository.root)
    assert git.find_root(str(repository.root / "src/shop")) == str(repository.root.resolve())
    assert git.current_branch(root) == repository.git("branch", "--show-current")
    assert git.head_commit(root) == repository.git("rev-parse", "HEAD")
    repository.git("pack-refs", "--all")
    assert git.head_commit(root) == repository.git("rev-parse", "HEAD")
    repository.git("checkout", "-q", "--detach")
    assert git.current_branch(root) == ""
    assert git.head_commit(root) == repository.git("rev-parse", "HEAD")


def test_a_worktree_is_followed_to_its_repository(repository: Repository, tmp_path: Path) -> None:
    repository.git("remote", "add", "origin", "git@example.com:acme/shop.git")
    repository.git("worktree", "add", "-q", "-b", "side", str(tmp_path / "side"))
    side = str(tmp_path / "side")
    assert git.origin_url(side) == "example.com/acme/shop"
    assert git.current_branch(side) == "side"
    assert git.main_root(side) == str(repository.root.resolve())
    assert git.head_commit(side) == repository.git("rev-parse", "HEAD")


def tabled(root: Path) -> Repository:
    """A repository whose refs lie in tables, made by git itself."""
    root.mkdir()
    repository = Repository(root)
    try:
        repository.git("init", "-q", "-b", "main", "--ref-format=reftable")
    except subprocess.CalledProcessError:
        pytest.skip("this git does not know reftable yet")
    repository.git("commit", "-qm", "first", "--allow-empty")
    return repository


def as_if_tabled(root: Path, monkeypatch: pytest.MonkeyPatch) -> Repository:
    """The same as others see it: the files of `.git` lead nowhere, and only git knows the refs."""
    repository = make_repository(root)
    kept = root.with_name("refs.git")
    (root / ".git").rename(kept)
    (root / ".git/reftable").mkdir(parents=True)
    (root / ".git/refs").mkdir()
    (root / ".git/refs/heads").write_text("this repository uses the reftable format\n")
    (root / ".git/HEAD").write_text("ref: refs/heads/.invalid\n")
    script = root.with_name("bin") / "git"
    script.parent.mkdir()
    program = shutil.which("git")
    script.write_text(
        "#!/bin/sh\nunset GIT_COMMON_DIR GIT_OBJECT_DIRECTORY GIT_SHALLOW_FILE\n"
        f'GIT_DIR={kept} GIT_WORK_TREE={root} exec {program} "$@"\n'
    )
    script.chmod(0o755)
    monkeypatch.setenv("PATH", f"{script.parent}{os.pathsep}{os.environ['PATH']}")
    return repository


@pytest.mark.parametrize("is_made_by_git", [True, False])
def test_refs_in_tables_are_asked_of_git(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, is_made_by_git: bool
) -> None:
    made = tmp_path / "tabled"
    repository = tabled(made) if is_made_by_git else as_if_tabled(made, monkeypatch)
    root, first = str(made), repository.git("rev-parse", "HEAD")
    repository.git("checkout", "-q", "-b", "side")
    tip = repository.commit("side.py", "1\n")
    assert (git.current_branch(root), git.head_commit(root), git.default_branch(root)) == ("side", tip, "main")
    assert git.default_commits(root) == [first]
    assert git.files_underway(root) == ["side.py"]
    repository.git("update-ref", "refs/remotes/origin/next", first)
    repository.git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/next")
    assert git.default_branch(root) == "next"
    repository.git("checkout", "-q", "--detach")
    assert (git.current_branch(root), git.head_commit(root)) == ("", tip)
    repository.git("checkout", "-q", "--orphan", "empty")
    assert (git.current_branch(root), git.head_commit(root)) == ("empty", "")


def test_a_ref_is_never_read_from_where_the_process_stands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "HEAD").write_text("ref: refs/heads/elsewhere\n")
    monkeypatch.chdir(tmp_path)
    assert git.current_branch(str(tmp_path)) == ""


def test_outside_of_git_everything_is_empty(tmp_path: Path) -> None:
    root = str(tmp_path)
    assert git.find_root(root) == ""
    assert (git.origin_url(root), git.current_branch(root), git.head_commit(root)) == ("", "", "")
    assert git.root_commits(root) == []
    assert git.files_underway(root) == []


def test_a_shallow_clone_has_no_first_commit(repository: Repository, tmp_path: Path) -> None:
    repository.commit("a.txt", "2")
    repository.git("clone", "-q", "--depth", "1", f"file://{repository.root}", str(tmp_path / "shallow"))
    assert git.root_commits(str(repository.root)) == [repository.git("rev-list", "--max-parents=0", "HEAD")]
    assert git.root_commits(str(tmp_path / "shallow")) == []


def test_ignored_files_are_not_the_projects(repository: Repository) -> None:
    (repository.root / ".gitignore").write_text("secret.txt\n")
    (repository.root / "secret.txt").write_text("x")
    (repository.root / "new.txt").write_text("x")
    files = git.tracked_files(str(repository.root))
    assert files is not None
    assert "new.txt" in files
    assert "secret.txt" not in files


@pytest.fixture
def branch(repository: Repository) -> tuple[Repository, str, str]:
    """A branch with two commits: the repository, where it left main, its tip."""
    fork = repository.git("rev-parse", "HEAD")
    repository.git("checkout", "-q", "-b", "feature")
    repository.commit("feature.py", "one\n", "one")
    tip = repository.commit("feature.py", "one\ntwo\n", "two")
    repository.git("checkout", "-q", "main")
    repository.commit("main.py", "meanwhile\n", "meanwhile")
    return repository, fork, tip


def merged(repository: Repository, fork: str, tip: str) -> bool:
    return git.is_merged(str(repository.root), fork, tip, repository.git("rev-parse", "main"))


def test_underway_is_what_a_branch_changed_and_what_is_not_committed(branch: tuple[Repository, str, str]) -> None:
    repository, _, _ = branch
    root = str(repository.root)
    assert git.files_underway(root) == []
    repository.git("checkout", "-q", "feature")
    (repository.root / "main.py").write_text("of another branch\n", "utf-8")
    repository.commit("b ä.txt", "b\n")
    (repository.root / "feature.py").write_text("not committed\n", "utf-8")
    assert git.files_underway(root) == ["b ä.txt", "feature.py", "main.py"]
    repository.git("reset", "-q", "--hard")
    repository.git("checkout", "-q", "main")
    (repository.root / "main.py").write_text("not committed\n", "utf-8")
    assert git.files_underway(root) == ["main.py"]


def test_underway_begins_where_the_default_branch_is_nearest(repository: Repository, tmp_path: Path) -> None:
    clone = Repository(tmp_path / "clone")
    repository.git("clone", "-q", str(repository.root), str(clone.root))
    repository.commit("others.txt", "of others\n")
    clone.git("fetch", "-q")
    clone.git("checkout", "-q", "-b", "feature", "origin/main")
    clone.commit("own.txt", "own\n")
    assert git.files_underway(str(clone.root)) == ["own.txt"]


def test_work_that_never_reached_main_is_not_merged(branch: tuple[Repository, str, str]) -> None:
    assert not merged(*branch)


def test_a_branch_without_commits_of_its_own_is_not_merged(repository: Repository) -> None:
    here = repository.git("rev-parse", "HEAD")
    assert not merged(repository, here, here)


def test_a_merge_is_recognised(branch: tuple[Repository, str, str]) -> None:
    branch[0].git("merge", "-q", "--no-ff", "-m", "merge", "feature")
    assert merged(*branch)


def test_a_rebased_branch_is_recognised_by_its_patches(branch: tuple[Repository, str, str]) -> None:
    branch[0].git("cherry-pick", f"{branch[1]}..{branch[2]}")
    assert merged(*branch)


def test_a_squashed_branch_is_recognised(branch: tuple[Repository, str, str]) -> None:
    branch[0].git("merge", "-q", "--squash", "feature")
    branch[0].git("commit", "-qm", "squashed")
    assert merged(*branch)


def test_a_squashed_branch_is_recognised_after_main_went_on(branch: tuple[Repository, str, str]) -> None:
    branch[0].git("merge", "-q", "--squash", "feature")
    branch[0].git("commit", "-qm", "squashed")
    branch[0].commit("feature.py", "one\ntwo\nthree\n", "on main")
    assert merged(*branch)


@pytest.mark.promise("repository-is-not-trusted")
def test_git_runs_no_program_that_the_environment_or_repository_names(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trap = tmp_path / "trap.sh"
    trap.write_text(f"#!/bin/sh\ntouch {tmp_path}/sprung\n")
    trap.chmod(0o755)
    tip = repository.commit("a.txt", "x")
    repository.git("config", "core.fsmonitor", str(trap))
    repository.git("config", "diff.external", str(trap))
    monkeypatch.setenv("GIT_EXTERNAL_DIFF", str(trap))
    assert "a.txt" in (git.tracked_files(str(repository.root)) or ())
    assert not git.is_merged(str(repository.root), f"{tip}~1", tip, f"{tip}~1")
    assert not (tmp_path / "sprung").exists()


def test_a_missing_git_reads_as_silence(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    assert git.run_git(str(repository.root), "log") == ""
    assert not git.run_succeeds(str(repository.root), "log")


def test_a_repository_without_commits_has_no_history(tmp_path: Path) -> None:
    empty = make_repository(tmp_path / "empty", {})
    empty.git("checkout", "-q", "--orphan", "fresh")
    assert git.head_commit(str(empty.root)) == ""


def test_a_branch_of_many_files_is_merged_only_when_all_of_them_are(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(queries, "_PATHS_MAX", 1)
    repository.git("checkout", "-q", "-b", "feature")
    for name in ("[id].py", "z.py"):
        repository.commit(name, "work\n", name)
    repository.git("checkout", "-q", "main")
    repository.commit("other.py", "x\n", "meanwhile")
    fork, tip = repository.git("rev-parse", "main~1"), repository.git("rev-parse", "feature")

    def is_merged() -> bool:
        return git.is_merged(str(repository.root), fork, tip, repository.git("rev-parse", "main"))

    repository.commit("[id].py", "work\n", "the first half, with more in the same commit")
    assert not is_merged()
    repository.commit("z.py", "work\n", "the second half")
    assert is_merged()


def test_what_git_cannot_say_is_not_taken_for_no_change(repository: Repository) -> None:
    root, head = str(repository.root), repository.git("rev-parse", "HEAD")
    assert git.count_churn(root, head, head, ["README.md"]) == {}
    assert git.count_churn(root, head, "f" * 40, ["README.md"]) is None


@pytest.mark.parametrize("head", ["ref: ../../secret", "ref: refs/../../../secret", "a secret that is no hash"])
def test_what_a_repository_brings_for_its_head_leads_to_no_other_file(tmp_path: Path, head: str) -> None:
    (tmp_path / "secret").write_text("f" * 40 + "\n")  # a key of somebody else, which looks like a commit
    (tmp_path / "cloned" / ".git" / "refs").mkdir(parents=True)
    (tmp_path / "cloned" / ".git" / "HEAD").write_text(head)
    assert git.head_commit(str(tmp_path / "cloned")) == ""


def test_what_no_disk_can_hold_leads_nowhere(tmp_path: Path) -> None:
    (tmp_path / "cloned" / ".git").mkdir(parents=True)
    (tmp_path / "cloned" / ".git" / "HEAD").write_text("ref: refs/heads/a\0b")
    (tmp_path / "linked").mkdir()
    (tmp_path / "linked" / ".git").write_text("gitdir: /a\0b")
    for root in (str(tmp_path / "cloned"), str(tmp_path / "linked")):
        assert git.head_commit(root) == git.origin_url(root) == ""


def test_refs_that_name_each_other_end_nowhere(repository: Repository) -> None:
    for one, other in (("a", "b"), ("b", "a")):
        (repository.root / ".git" / "refs" / "heads" / one).write_text(f"ref: refs/heads/{other}\n")
    assert git.commit_of(str(repository.root), "refs/heads/a") == ""


@pytest.mark.parametrize("command", [("status",), ("config", "user.name", "x"), ("-c", "x.y=z", "log"), ()])
def test_git_is_run_for_commands_that_only_inspect(repository: Repository, command: tuple[str, ...]) -> None:
    with pytest.raises(ValueError, match="only inspect"):
        git.run_git(str(repository.root), *command)
    with pytest.raises(ValueError, match="only inspect"):
        list(git.stream_git(str(repository.root), *command))


def test_git_sees_no_configuration_but_its_own(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    repository.git("config", "diff.x.textconv", "cat")
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    environment = runner._isolated_environment(str(repository.root))
    listed = subprocess.run(
        ["git", "config", "--list"], cwd=repository.root, env=environment, capture_output=True, text=True, check=True
    )
    assert listed.stdout == "core.repositoryformatversion=0\n"


def test_settings_of_the_work_tree_still_count(repository: Repository, tmp_path: Path) -> None:
    root = str(repository.root)
    (tmp_path / "mine").write_text("scratch.txt\n")
    (repository.root / "scratch.txt").write_text("x")
    repository.git("config", "core.excludesFile", str(tmp_path / "mine"))
    repository.git("config", "core.fileMode", "false")
    repository.git("config", "core.eol", "touch me")
    (repository.root / "README.md").chmod(0o755)
    assert "scratch.txt" not in (git.tracked_files(root) or ())
    assert git.changed_files(root, "HEAD") == []
    assert not any("touch" in option for option in runner.read_work_tree_options(root) or ())
    repository.git("config", "core.fileMode", "true")
    assert git.changed_files(root, "HEAD") == ["README.md"]


def test_files_that_only_this_clone_excludes_are_left_out(repository: Repository) -> None:
    (repository.root / ".git/info").mkdir(exist_ok=True)
    (repository.root / ".git/info/exclude").write_text("mine.txt\n")
    (repository.root / "mine.txt").write_text("x")
    assert "mine.txt" not in (git.tracked_files(str(repository.root)) or ())


def test_a_repository_with_sha256_is_read(tmp_path: Path) -> None:
    (tmp_path / "new").mkdir()
    repository = Repository(tmp_path / "new")
    repository.git("init", "-q", "-b", "main", "--object-format=sha256")
    tip = repository.commit("a.txt", "a")
    assert git.root_commits(str(repository.root)) == [tip]


def test_commits_of_other_branches_are_found(branch: tuple[Repository, str, str]) -> None:
    repository, _, tip = branch
    for _ in range(2):
        assert tip in [sha for sha, _ in git.commits_since(str(repository.root), "2020-01-01", ["feature.py"])]
        repository.git("pack-refs", "--all")
    assert git.changes_since(str(repository.root), "2020-01-01", ["feature.py"]) == []
