import os
import shutil
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holloway import git
from holloway.git import refs
from tests.conftest import Repository, make_repository
from tests.outside_input import bounded_time, bytes_of


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


def test_a_repository_without_commits_has_no_history(tmp_path: Path) -> None:
    empty = make_repository(tmp_path / "empty", {})
    empty.git("checkout", "-q", "--orphan", "fresh")
    assert git.head_commit(str(empty.root)) == ""


@pytest.mark.parametrize("head", ["ref: ../../secret", "ref: refs/../../../secret", "a secret that is no hash"])
def test_what_a_repository_brings_for_its_head_leads_to_no_other_file(tmp_path: Path, head: str) -> None:
    (tmp_path / "secret").write_text("f" * 40 + "\n")  # a key of somebody else, which looks like a commit
    (tmp_path / "cloned" / ".git" / "refs").mkdir(parents=True)
    (tmp_path / "cloned" / ".git" / "HEAD").write_text(head)
    assert git.head_commit(str(tmp_path / "cloned")) == ""


def test_refs_that_name_each_other_end_nowhere(repository: Repository) -> None:
    for one, other in (("a", "b"), ("b", "a")):
        (repository.root / ".git" / "refs" / "heads" / one).write_text(f"ref: refs/heads/{other}\n")
    assert git.commit_of(str(repository.root), "refs/heads/a") == ""


def write_ref(root: Path, name: str, value: str) -> None:
    path = root / ".git" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(value + "\n")


A, B, C = "a" * 40, "b" * 40, "c" * 40


def test_a_branch_keeps_its_slashes_and_head_elsewhere_is_no_branch(tmp_path: Path) -> None:
    write_ref(tmp_path, "HEAD", "ref: refs/heads/feature/x")
    assert refs.current_branch(str(tmp_path)) == "feature/x"
    write_ref(tmp_path, "HEAD", "ref: refs/remotes/origin/main")
    assert refs.current_branch(str(tmp_path)) == ""


def test_a_commit_is_forty_or_sixty_four_hex_digits(tmp_path: Path) -> None:
    for value in (A, "0" * 64, "0123456789abcdef" * 4):
        write_ref(tmp_path, "HEAD", value)
        assert refs.head_commit(str(tmp_path)) == value
    for value in ("a" * 39, "a" * 41, "a" * 63, "a" * 65, "A" * 40, "g" * 40, ""):
        write_ref(tmp_path, "HEAD", value)
        assert refs.head_commit(str(tmp_path)) == ""


def test_symbolic_refs_are_followed_as_far_as_git_does(tmp_path: Path) -> None:
    last = refs._REFS_FOLLOWED_MAX
    for number in range(1, last):
        write_ref(tmp_path, f"refs/heads/{number}", f"ref: refs/heads/{number + 1}")
    write_ref(tmp_path, f"refs/heads/{last}", A)
    write_ref(tmp_path, "refs/heads/0", "ref: refs/heads/1")
    assert refs.commit_of(str(tmp_path), "refs/heads/1") == A
    assert refs.commit_of(str(tmp_path), "refs/heads/0") == ""


def test_only_a_full_ref_name_resolves(tmp_path: Path) -> None:
    write_ref(tmp_path, "refs/heads/main", A)
    write_ref(tmp_path, "ORIG_HEAD", B)
    assert refs.commit_of(str(tmp_path), "refs/heads/main") == A
    for name in ("ORIG_HEAD", "main", "refs/heads/../heads/main", "refs/heads/gone"):
        assert refs.commit_of(str(tmp_path), name) == ""


def test_a_packed_ref_is_found_by_its_whole_name_and_a_loose_one_wins(tmp_path: Path) -> None:
    write_ref(tmp_path, "packed-refs", f"# pack-refs\n{A} refs/heads/main\n{B} refs/heads/side main\n^{C}")
    write_ref(tmp_path, "HEAD", "ref: refs/heads/main")
    assert refs.head_commit(str(tmp_path)) == A
    assert refs.commit_of(str(tmp_path), "refs/heads/mai") == ""
    assert refs.commit_of(str(tmp_path), "refs/heads/side") == ""
    write_ref(tmp_path, "refs/heads/main", C)
    assert refs.head_commit(str(tmp_path)) == C
    write_ref(tmp_path, "refs/heads/main", "torn write")
    assert refs.head_commit(str(tmp_path)) == A


def test_the_default_branch_is_origins_then_a_usual_name_then_the_current(tmp_path: Path) -> None:
    root = str(tmp_path)
    write_ref(tmp_path, "HEAD", "ref: refs/heads/work")
    assert (refs.default_branch(root), refs.default_commits(root)) == ("work", [])
    write_ref(tmp_path, "refs/remotes/origin/develop", A)
    assert (refs.default_branch(root), refs.default_commits(root)) == ("develop", [A])
    for name in ("trunk", "master", "main"):
        write_ref(tmp_path, f"refs/heads/{name}", B)
        assert refs.default_branch(root) == name
    write_ref(tmp_path, "refs/remotes/origin/main", C)
    assert refs.default_commits(root) == [B, C]
    write_ref(tmp_path, "refs/remotes/origin/main", B)
    assert refs.default_commits(root) == [B]
    write_ref(tmp_path, "refs/remotes/origin/HEAD", "ref: refs/remotes/origin/release/2")
    write_ref(tmp_path, "refs/remotes/origin/release/2", C)
    assert (refs.default_branch(root), refs.default_commits(root)) == ("release/2", [C])


def test_a_detached_head_without_a_usual_branch_has_no_default(tmp_path: Path) -> None:
    write_ref(tmp_path, "HEAD", A)
    assert (refs.default_branch(str(tmp_path)), refs.default_commits(str(tmp_path))) == ("", [])


def test_commits_of_all_branches_come_once_with_heads_first(tmp_path: Path) -> None:
    d, e = "d" * 40, "e" * 40
    write_ref(tmp_path, "HEAD", "ref: refs/heads/work")
    write_ref(tmp_path, "refs/heads/work", B)
    write_ref(tmp_path, "refs/heads/main", A)
    write_ref(tmp_path, "refs/remotes/origin/x/y", C)
    write_ref(tmp_path, "refs/tags/v1", e)
    write_ref(tmp_path, "packed-refs", f"{A} refs/heads/main\n{d} refs/remotes/origin/old\n{e} refs/tags/v1")
    assert refs.branch_commits(str(tmp_path)) == [B, A, C, d]


def test_branches_are_read_up_to_a_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_ref(tmp_path, "HEAD", A)
    for number in range(4):
        write_ref(tmp_path, f"refs/heads/{number}/{number}", f"{number}" * 40)
    monkeypatch.setattr(refs, "_TIPS_MAX", 2)
    commits = refs.branch_commits(str(tmp_path))
    assert commits[0] == A
    assert len(commits) == 2
    assert len(refs._list_loose_refs(str(tmp_path / ".git"), "refs/heads")) == 3


REFS = ("HEAD", "packed-refs", "refs/heads/main", "refs/remotes/origin/HEAD", "refs/heads/work")


@given(
    st.dictionaries(
        st.sampled_from(REFS),
        bytes_of(
            "ref: ", "refs/heads/", "main", "work", "../../../etc/passwd", A, " ", "^", "# pack-refs\n", "refs/remotes/"
        ),
    )
)
def test_any_bytes_in_refs_give_hashes_or_nothing(texts: dict[str, bytes]) -> None:
    with TemporaryDirectory() as folder, bounded_time():
        write_ref(Path(folder), "HEAD", "ref: refs/heads/main")
        for name, data in texts.items():
            path = Path(folder, ".git", name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        refs.current_branch(folder)
        commits = [refs.head_commit(folder), *refs.default_commits(folder), *refs.branch_commits(folder)]
    assert all(commit == "" or len(commit) in (40, 64) for commit in commits)
    assert len(commits) <= refs._TIPS_MAX + 3


def test_refs_are_listed_by_a_part_of_their_name_loose_and_packed(repository: Repository) -> None:
    repository.git("update-ref", "refs/holloway/packed", "HEAD")
    repository.git("pack-refs", "--all")
    repository.git("update-ref", "refs/remotes/origin/holloway/loose", "HEAD")
    assert refs.list_refs_named(str(repository.root), "/holloway/") == [
        "refs/holloway/packed",
        "refs/remotes/origin/holloway/loose",
    ]


def test_a_folder_without_git_has_no_refs(tmp_path: Path) -> None:
    assert refs.list_refs_named(str(tmp_path), "/holloway/") == []
