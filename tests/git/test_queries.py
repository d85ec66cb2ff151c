from pathlib import Path

import pytest

from holloway import git
from holloway.git import queries
from tests.conftest import Repository


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

    (repository.root / "more.py").write_text("more\n")
    repository.commit("z.py", "work\n", "the second half, with more in the same commit")
    assert not is_merged()
    (repository.root / "more.py").write_text("even more\n")
    repository.commit("[id].py", "work\n", "the first half, with more in the same commit")
    assert is_merged()


def test_what_git_cannot_say_is_not_taken_for_no_change(repository: Repository) -> None:
    root, head = str(repository.root), repository.git("rev-parse", "HEAD")
    assert git.count_churn(root, head, head, ["README.md"]) == {}
    assert git.count_churn(root, head, "f" * 40, ["README.md"]) is None


def test_files_that_only_this_clone_excludes_are_left_out(repository: Repository) -> None:
    (repository.root / ".git/info").mkdir(exist_ok=True)
    (repository.root / ".git/info/exclude").write_text("mine.txt\n")
    (repository.root / "mine.txt").write_text("x")
    assert "mine.txt" not in (git.tracked_files(str(repository.root)) or ())


def test_commits_of_other_branches_are_found(branch: tuple[Repository, str, str]) -> None:
    repository, _, tip = branch
    for _ in range(2):
        assert tip in [sha for sha, _ in git.commits_since(str(repository.root), "2020-01-01", ["feature.py"])]
        repository.git("pack-refs", "--all")
    assert git.changes_since(str(repository.root), "2020-01-01", ["feature.py"]) == []


def test_at_most_a_few_root_commits_are_named_in_order(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    roots = [repository.git("rev-parse", "HEAD")]
    for name in ("b", "c"):
        repository.git("checkout", "-q", "--orphan", name)
        roots.append(repository.commit(f"{name}.txt", name))
        repository.git("checkout", "-q", "main")
        repository.git("merge", "-q", "--allow-unrelated-histories", "-m", "join", name)
    assert git.root_commits(str(repository.root)) == sorted(roots)
    monkeypatch.setattr(queries, "_ROOTS_MAX", 2)
    assert git.root_commits(str(repository.root)) == sorted(roots)[:2]


def test_tracked_files_can_be_limited_to_some(repository: Repository) -> None:
    root = str(repository.root)
    (repository.root / "src/shop/new.py").write_text("")
    assert git.tracked_files(root, among=["src/shop/auth", "README.md"]) == [
        "README.md",
        "src/shop/auth/session.py",
        "src/shop/auth/tokens.py",
    ]
    assert git.tracked_files(root, among=["src/shop/*.py"]) == []  # a path, not a pattern
    assert "src/shop/new.py" in (git.tracked_files(root) or ())


def test_no_files_are_listed_when_git_fails_or_has_no_time(repository: Repository) -> None:
    root = str(repository.root)
    assert git.tracked_files(root, timeout_s=0) is None
    assert git.changed_files(root, "HEAD", timeout_s=0) is None
    assert git.files_underway(root, timeout_s=0) == []
    (repository.root / ".git/index").write_text("damaged")
    assert git.tracked_files(root) is None
    assert git.changed_files(root, "HEAD") is None
    assert git.changed_files(root, "f" * 40) is None


def test_ancestry_of_two_commits(branch: tuple[Repository, str, str]) -> None:
    repository, fork, tip = branch
    root, main = str(repository.root), repository.git("rev-parse", "main")
    assert git.merge_base(root, tip, main) == fork
    assert git.merge_base(root, tip, "f" * 40) == ""
    assert git.is_ancestor(root, fork, tip)
    assert not git.is_ancestor(root, tip, fork)
    assert not git.is_ancestor(root, "", tip)
    assert not git.is_ancestor(root, fork, "")
    assert git.has_commit(root, tip)
    assert not git.has_commit(root, "f" * 40)
    assert not git.has_commit(root, repository.git("rev-parse", f"{tip}^{{tree}}"))


def test_churn_counts_added_and_removed_lines_of_text_files(repository: Repository) -> None:
    root = str(repository.root)
    old = repository.commit("a b.txt", "1\n2\n3\n")
    (repository.root / "binary").write_bytes(b"\0\1")
    new = repository.commit("a b.txt", "1\nx\ny\nz\n")
    assert git.count_churn(root, old, new, ["a b.txt", "binary", "gone"]) == {"a b.txt": (3, 2)}
    assert git.count_churn(root, old, new, ["binary"]) == {}
    assert git.count_churn(root, "HEAD", new, ["a b.txt"]) is None
    assert git.count_churn(root, old, "HEAD", ["a b.txt"]) is None
    assert git.count_churn(root, "f" * 40, new, ["a b.txt"]) is None


def test_changed_files_compare_the_work_tree_with_any_commit(repository: Repository) -> None:
    root, first = str(repository.root), repository.git("rev-parse", "HEAD")
    repository.commit("a.txt", "a\n")
    assert git.changed_files(root, "HEAD") == []
    (repository.root / "README.md").unlink()
    assert git.changed_files(root, "HEAD") == ["README.md"]
    assert git.changed_files(root, first) == ["README.md", "a.txt"]
    assert git.changed_files(root, "") is None


def test_commits_are_listed_newest_first_up_to_a_limit(repository: Repository) -> None:
    root, first = str(repository.root), repository.git("rev-parse", "HEAD")
    second = repository.commit("a.txt", "1", "second\n\nwith a body\n")
    third = repository.commit("b.txt", "1", "third")
    assert git.commits_between(root, first, third) == [(third, "third"), (second, "second\n\nwith a body")]
    assert git.commits_between(root, first, third, limit=1) == [(third, "third")]
    everything = [third, second, first]
    assert [sha for sha, _ in git.commits_between(root, "", third)] == everything
    assert [sha for sha, _ in git.commits_between(root, "f" * 40, third)] == everything
    assert git.commits_between(root, first, "f" * 40) == []


def test_commits_since_a_time_touch_the_named_files(repository: Repository) -> None:
    root = str(repository.root)
    second = repository.commit("a.txt", "1", "second")
    third = repository.commit("a.txt", "2", "third")
    repository.commit("b.txt", "1", "other")
    assert git.commits_since(root, "2026-01-01", ["a.txt"]) == [(third, "third"), (second, "second")]
    assert git.commits_since(root, "2026-01-01", ["a.txt"], limit=1) == [(third, "third")]
    assert git.commits_since(root, "2026-01-06", ["a.txt"]) == []
    assert [third.startswith(short) for short in git.changes_since(root, "2026-01-01", ["a.txt"])] == [True, False]
    assert len(git.changes_since(root, "2026-01-01", ["a.txt"], limit=1)) == 1
    assert git.changes_since(root, "2026-01-06", ["a.txt"]) == []


def test_before_the_first_commit_there_is_nothing_to_list(tmp_path: Path) -> None:
    root = tmp_path / "empty"
    root.mkdir()
    Repository(root).git("init", "-q")
    assert git.commits_since(str(root), "2026-01-01", ["a.txt"]) == []
    assert git.changes_since(str(root), "2026-01-01", ["a.txt"]) == []
    assert git.list_committed_files(str(root)) == []
    assert git.read_file_at(str(root), "HEAD", "a.txt") == ""


def test_default_limits_on_the_number_of_commits_reach_git(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[str, ...]] = []

    def record(_root: str, *arguments: str, **_options: object) -> str:
        asked.append(arguments)
        return ""

    monkeypatch.setattr(queries, "run_git", record)
    monkeypatch.setattr(queries, "branch_commits", lambda _: ["a" * 40])
    monkeypatch.setattr(queries, "head_commit", lambda _: "a" * 40)
    queries.commits_since("/", "2026-01-01", ["a"])
    queries.changes_since("/", "2026-01-01", ["a"])
    queries.commits_between("/", "", "a" * 40)
    limits = [argument for arguments in asked for argument in arguments if argument.startswith("--max-count")]
    assert limits == ["--max-count=50", "--max-count=50", "--max-count=500"]


def test_work_is_not_merged_without_its_commits(branch: tuple[Repository, str, str]) -> None:
    repository, fork, tip = branch
    root, main = str(repository.root), repository.git("rev-parse", "main")
    assert not git.is_merged(root, fork, "", main)
    assert not git.is_merged(root, "", tip, main)
    assert not git.is_merged(root, fork, "f" * 40, main)
    assert git.is_merged(root, "", fork, main)


def test_half_of_a_rebased_branch_is_not_merged(branch: tuple[Repository, str, str]) -> None:
    repository, fork, tip = branch
    repository.git("cherry-pick", f"{tip}~1")
    assert not merged(repository, fork, tip)


def test_a_branch_that_undid_itself_is_not_merged(repository: Repository) -> None:
    fork = repository.git("rev-parse", "HEAD")
    repository.git("checkout", "-q", "-b", "feature")
    repository.commit("x.txt", "x")
    repository.git("revert", "--no-edit", "HEAD")
    tip = repository.git("rev-parse", "HEAD")
    repository.git("checkout", "-q", "main")
    repository.commit("y.txt", "y")
    assert not merged(repository, fork, tip)


def test_a_file_of_a_commit_is_read_by_its_path(repository: Repository) -> None:
    root, first = str(repository.root), repository.git("rev-parse", "HEAD")
    repository.commit("README.md", "# new\n")
    assert git.read_file_at(root, "HEAD", "README.md") == "# new\n"
    assert git.read_file_at(root, first, "README.md") == "# shop\n"
    assert git.read_file_at(root, first, "src") == ""
    assert git.read_file_at(root, "", "README.md") == ""


def test_committed_files_are_listed_without_new_ones(repository: Repository) -> None:
    (repository.root / "new.txt").write_text("x")
    names = git.list_committed_files(str(repository.root))
    assert names == repository.git("ls-tree", "-r", "--name-only", "HEAD").split("\n")
    assert len(names) == 6


def test_a_submodule_is_no_file_of_a_commit(repository: Repository) -> None:
    head = repository.git("rev-parse", "HEAD")
    repository.git("update-index", "--add", "--cacheinfo", f"160000,{head},libs/wire")
    repository.git("commit", "-qm", "submodule")
    assert "libs/wire" not in git.list_committed_files(str(repository.root))
    assert "libs/wire" not in git.list_accepted_files(str(repository.root), "")


def test_a_rebased_branch_is_recognised_after_main_went_on(branch: tuple[Repository, str, str]) -> None:
    branch[0].git("cherry-pick", f"{branch[1]}..{branch[2]}")
    branch[0].commit("feature.py", "something else\n", "on main")
    assert merged(*branch)


def test_files_of_an_earlier_commit_are_listed(repository: Repository) -> None:
    root, first = str(repository.root), repository.git("rev-parse", "HEAD")
    repository.commit("docs/new.md", "new\n")
    assert "docs/new.md" in git.list_committed_files(root)
    assert "docs/new.md" not in git.list_committed_files(root, first)
    assert "README.md" in git.list_committed_files(root, first)
    assert git.list_committed_files(root, "f" * 40) == []


def test_files_are_accepted_by_the_sessions_commit_or_by_the_remote(repository: Repository, tmp_path: Path) -> None:
    clone = Repository(tmp_path / "clone")
    repository.git("clone", "-q", str(repository.root), str(clone.root))
    root, start = str(clone.root), clone.git("rev-parse", "HEAD")
    clone.commit("during.md", "written by the session\n")
    repository.commit("merged.md", "on the remote\n")
    repository.git("checkout", "-q", "-b", "contrib")
    repository.commit("contrib.md", "on a branch of others\n")
    assert "merged.md" not in git.list_accepted_files(root, start)
    clone.git("fetch", "-q")
    accepted = git.list_accepted_files(root, start)
    assert {"README.md", "merged.md"} <= accepted
    assert not {"during.md", "contrib.md"} & accepted
    clone.git("push", "-q", "origin", "HEAD:refs/heads/other")
    assert "during.md" not in git.list_accepted_files(root, start)


@pytest.mark.parametrize("commit", ["", "f" * 40])
def test_without_the_sessions_commit_the_files_of_head_are_accepted(repository: Repository, commit: str) -> None:
    (repository.root / "new.txt").write_text("x")
    root = str(repository.root)
    accepted = git.list_accepted_files(root, commit)
    assert {name for name in accepted if (repository.root / name).is_file()} == {*git.list_committed_files(root)}
    assert {"src", "src/shop", "src/shop/auth"} < accepted
    repository.commit("later.md", "later\n")
    assert "later.md" in git.list_accepted_files(root, commit)


def test_nothing_is_accepted_before_the_first_commit(tmp_path: Path) -> None:
    Repository(tmp_path).git("init", "-q", "-b", "main")
    assert git.list_accepted_files(str(tmp_path), "") == frozenset()


def test_files_of_a_commit_are_found_by_their_text_and_nothing_else(repository: Repository) -> None:
    before = repository.git("rev-parse", "HEAD")
    commit = repository.commit("src/new.py", "def warm_cache(x): ...\n")
    (repository.root / "README.md").write_text("warm_cache")
    root = str(repository.root)
    assert git.list_files_with(root, commit, "warm_cache(") == ["src/new.py"]
    assert git.list_files_with(root, before, "warm_cache(") == []
    assert git.list_files_with(root, commit, ".*") == []
    assert git.list_files_with(root, "0" * 40, "warm_cache(") is None
    assert git.list_files_with(root, commit, "--open-files-in-pager=touch pwned") == []


def test_the_last_commit_before_a_moment_is_found(repository: Repository) -> None:
    head = repository.commit("a.txt", "2")
    assert git.find_commit_before(str(repository.root), head, "2026-01-06T00:00:00Z") == head
    assert git.find_commit_before(str(repository.root), head, "2026-01-01T00:00:00Z") == ""


def test_a_file_has_the_lines_of_a_text_in_a_commit_whatever_numbers_are_before_them(repository: Repository) -> None:
    root, path = str(repository.root), "src/shop/auth/tokens.py"
    first = repository.git("rev-parse", "HEAD")
    text = "     1\u2192def refresh(token):\n     2\u2192    return token\n\n"
    assert git.has_lines_at(root, first, path, text)
    assert git.has_lines_at(root, first, path, "2: return token\n1\tdef refresh(token):")
    assert git.has_lines_at(root, "", path, "return token")
    assert not git.has_lines_at(root, first, path, f"{text}     3\u2192# ask the vault\n")
    assert not git.has_lines_at(root, first, "src/shop/none.py", "")
    repository.commit(path, "def refresh(token):\n    return None\n")
    assert git.has_lines_at(root, first, path, text)
    assert not git.has_lines_at(root, "", path, text)
    repository.commit(path, "7: lists begin with a number\nsee 7: of them\n")
    assert git.has_lines_at(root, "", path, "7: lists begin with a number\n2: see 7: of them")
    assert not git.has_lines_at(root, "", path, "see of them")


def test_texts_with_most_words_are_found_in_accepted_files_of_a_commit(repository: Repository) -> None:
    text = "Weights are stored gross,\nand the tare is subtracted later.\n"
    first = repository.commit("docs/weights.md", text)
    repository.commit("vendor/weights.md", text)
    repository.commit("docs/weights.md", "Nothing.\n")
    (repository.root / "untracked.md").write_text(text)
    root, words = str(repository.root), ["weights", "stored", "subtracted", "Gross", "elsewhere"]
    assert list(git.find_texts_with(root, first, words, {"docs/weights.md"})) == [text]
    assert list(git.find_texts_with(root, "", words, {"docs/weights.md", "untracked.md"})) == []
    assert list(git.find_texts_with(root, "", words, {"vendor/weights.md"})) == [text]
    assert list(git.find_texts_with(root, first, ["weights", "x1x", "x2x"], {"docs/weights.md"})) == []
    assert list(git.find_texts_with(root, first, [], {"docs/weights.md"})) == []


def test_the_file_with_the_most_words_is_the_first_text(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository.commit("a.md", "alpha beta gamma")
    repository.commit("b.md", "alpha\nbeta\ngamma\ndelta")
    words, files = ["alpha", "beta", "gamma", "delta"], {"a.md", "b.md"}
    texts = ["alpha\nbeta\ngamma\ndelta", "alpha beta gamma"]
    assert list(git.find_texts_with(str(repository.root), "", words, files)) == texts
    monkeypatch.setattr(queries, "_TEXTS_FOUND_MAX", 1)
    assert list(git.find_texts_with(str(repository.root), "", words, files)) == texts[:1]
    monkeypatch.setattr(queries, "_MATCHES_READ_MAX", 2)
    assert list(git.find_texts_with(str(repository.root), "", words, files)) == []


def test_the_files_of_several_texts_are_found_in_one_search(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = repository.commit("a.py", "warm_cache()\nwarm_cache_of(tokens)\n")
    second = repository.commit("b.py", "warm_cache_of(tokens)\n")
    root, texts = str(repository.root), ["warm_cache", "warm_cache_of", "nowhere_at_all"]
    both = {"a.py", "b.py"}
    assert git.list_files_with_each(root, second, texts) == {"warm_cache": both, "warm_cache_of": both}
    assert git.list_files_with_each(root, first, texts[:1]) == {"warm_cache": {"a.py"}}
    assert git.list_files_with_each(root, first, ["nowhere_at_all"]) == {}
    assert git.list_files_with_each(root, "0" * 40, texts) == {}
    monkeypatch.setattr(queries, "_MATCHES_READ_MAX", 2)
    assert git.list_files_with_each(root, second, texts) == {}


def test_the_texts_of_files_are_read_at_a_commit(repository: Repository) -> None:
    first = repository.commit("a.md", "alpha\n\nbeta\n")
    repository.commit("b*.md", "gamma\n")
    (repository.root / "a.md").write_text("changed\n")
    root = str(repository.root)
    assert git.read_files_at(root, first, ["a.md", "b*.md", "gone.md"]) == "alpha\n\nbeta\n"
    assert git.read_files_at(root, "", ["a.md", "b*.md"]) == "alpha\n\nbeta\ngamma\n"
    assert git.read_files_at(root, "", []) == ""


def test_nothing_is_found_in_a_repository_without_commits(tmp_path: Path) -> None:
    empty = Repository(tmp_path)
    empty.git("init", "-q")
    assert list(git.find_texts_with(str(tmp_path), "", ["alpha"], {"a.md"})) == []
