"""Commits as git tells them, and renames followed from commit to commit."""

from __future__ import annotations

from datetime import timedelta

import pytest

from holloway.codemap.history import git_log
from tests.codemap.history.repository import BODY, NOW, Past


def test_renames_between_two_commits_are_found_step_by_step(past: Past) -> None:
    first = past.commit("first", {"a.py": BODY, "b.py": f"b\n{BODY}", "c.py": "gone\n"})
    past.rename("a.py", "lib/a.py")
    past.commit("rewrite", {"lib/a.py": "\n".join(f"another line {number}" for number in range(40))})
    past.rename("lib/a.py", "core/a.py")
    (past.root / "c.py").unlink()
    last = past.rename("b.py", "with\nnewline.py")
    assert git_log.find_renames(past.root, first, last) == {"a.py": "core/a.py", "b.py": "with\nnewline.py"}
    assert git_log.find_renames(past.root, last, last) == {}
    for wrong in ("", "--output=x", "0" * 40, "HEAD"):
        assert git_log.find_renames(past.root, wrong, last) == {}


@pytest.mark.parametrize(
    ("became", "ends"),
    [
        ({"a": "b", "b": "c"}, {"a": "c", "b": "c"}),
        ({"a": "b", "b": "a", "x": "b"}, {"b": "a", "x": "a"}),
        ({}, {}),
    ],
)
def test_a_name_is_followed_to_its_end_and_a_circle_has_one(became: dict[str, str], ends: dict[str, str]) -> None:
    assert git_log.resolve_renames(became) == ends


def test_commits_are_read_with_their_time_words_and_changed_lines(past: Past) -> None:
    first = past.commit("first", {"a.py": "1\n2\n", "b.py": "1\n"}, days_ago=2)
    second = past.commit("second\n\nwith a body\n", {"a.py": "1\n3\n4\n"}, days_ago=1)
    reading = git_log.read_commits(str(past.root), [second, first], has_contents=True)
    newest, oldest = reading.commits
    assert (newest.hash, newest.subject, newest.body) == (second, "second", "with a body")
    assert newest.at == int((NOW - timedelta(days=1)).timestamp())
    assert (newest.churn, newest.files, newest.renames) == ({"a.py": 3}, 1, [])
    assert (oldest.churn, oldest.files, oldest.body) == ({"a.py": 2, "b.py": 1}, 2, "")
    assert (reading.is_complete, reading.skipped_paths) == (True, 0)
    assert git_log.read_commits(str(past.root), [], has_contents=True) == git_log.LogReading()


@pytest.mark.parametrize("has_contents", [True, False])
def test_a_rename_is_read_with_both_names(past: Past, has_contents: bool) -> None:
    past.commit("first", {"a.py": BODY})
    moved = past.rename("a.py", "lib/a.py")
    (commit,) = git_log.read_commits(str(past.root), [moved], has_contents=has_contents).commits
    assert commit.renames == [("a.py", "lib/a.py")]
    assert commit.churn == {"lib/a.py": 0}


def test_a_commit_of_very_many_files_counts_them_and_no_lines(past: Past, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(git_log, "FILES_PER_COMMIT_MAX", 3)
    few = past.commit("few", {f"{name}.py": "1\n" for name in "abc"})
    many = past.commit("many", {f"{name}.py": "2\n" for name in "abcd"})
    read = git_log.read_commits(str(past.root), [few, many], has_contents=True).commits
    assert [(commit.files, len(commit.churn)) for commit in read] == [(3, 3), (4, 0)]


def test_a_history_that_breaks_off_ends_before_the_commit_that_it_broke_off_in(past: Past) -> None:
    first = past.commit("first", {"a.py": "1\n"})
    reading = git_log.read_commits(str(past.root), [first, "0" * 40], has_contents=True)
    assert not reading.is_complete
    assert len(reading.commits) < 2


def test_commits_are_listed_newest_first_without_merges_and_paths_as_they_were(past: Past) -> None:
    first = past.commit("first", {"a.py": "1\n"})
    past.git("checkout", "-qb", "side")
    side = past.commit("side", {"b.py": "1\n"})
    past.git("checkout", "-q", "main")
    main = past.commit("main", {"c/d.py": "1\n"})
    past.git("merge", "-q", "--no-ff", "-m", "merge", "side")
    listed = git_log.list_commits(str(past.root), "HEAD", f"^{first}")
    assert sorted(listed) == sorted([main, side])
    assert list(git_log.list_paths_at(str(past.root), main)) == ["a.py", "c/d.py"]
