"""What the project's past says, over real repositories."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from holloway import git
from holloway.codemap.history import cochange
from holloway.codemap.history.cochange import (
    compute_rewritten_shares,
    find_partners,
    find_similar_commits,
)
from holloway.codemap.history.git_log import FILES_PER_COMMIT_MAX
from holloway.codemap.history.sync import sync_history
from holloway.codemap.index import update_index
from tests.codemap.history.repository import BODY, NOW, Past

if TYPE_CHECKING:
    from pathlib import Path

    from holloway.codemap.database import MapDatabase


@pytest.mark.promise("moves-together")
def test_partners_are_the_files_of_the_same_commits(past: Past, database: MapDatabase) -> None:
    past.commit("one", {"a.py": "1\n", "b.py": "1\n", "c.py": "1\n"}, days_ago=3)
    past.commit("two", {"a.py": "2\n", "b.py": "2\n"}, days_ago=2)
    past.commit("three", {"a.py": "3\n"}, days_ago=1)
    past.commit("far", {"z.py": "1\n", "y.py": "1\n"}, days_ago=1)
    sync_history(database, past.root, now=NOW)
    found = find_partners(database, ["a.py"], now=NOW)
    assert [(partner.path, partner.commits, partner.of) for partner in found] == [("b.py", 2, 3), ("c.py", 1, 3)]
    assert 0 < found[1].score < found[0].score < 1
    assert [partner.path for partner in find_partners(database, ["a.py", "b.py"], now=NOW)] == ["c.py"]
    assert [partner.path for partner in find_partners(database, ["a.py", "z.py"], now=NOW, limit=2)] == ["y.py", "b.py"]
    assert find_partners(database, ["unknown.py"], now=NOW) == find_partners(database, [], now=NOW) == []


def test_what_a_first_commit_brings_in_did_not_change_together(database: MapDatabase, tmp_path: Path) -> None:
    (tmp_path / "imported").mkdir()
    past = Past(tmp_path / "imported")
    past.git("init", "-q")
    past.commit("Import", {"a.py": "1\n", "b.py": "1\n", "c.py": "1\n"}, days_ago=2)
    sync_history(database, past.root, now=NOW)
    assert find_partners(database, ["a.py"], now=NOW) == []
    past.commit("Change", {"a.py": "2\n", "b.py": "2\n"}, days_ago=1)
    sync_history(database, past.root, now=NOW)
    assert [(one.path, one.commits, one.of) for one in find_partners(database, ["a.py"], now=NOW)] == [("b.py", 1, 1)]


def test_an_old_commit_counts_less_than_a_new_one(past: Past, database: MapDatabase) -> None:
    past.commit("old", {"a.py": "1\n", "then.py": "1\n"}, days_ago=cochange.COMMIT_HALF_LIFE_DAYS)
    past.commit("new", {"a.py": "2\n", "now.py": "1\n"})
    sync_history(database, past.root, now=NOW)
    first, second = find_partners(database, ["a.py"], now=NOW)
    assert (first.path, second.path) == ("now.py", "then.py")
    assert second.score == pytest.approx(first.score / 2)


def test_only_the_latest_commits_of_a_busy_file_are_looked_at(
    past: Past, database: MapDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    past.commit("pair", {"a.py": "1\n", "then.py": "1\n"}, days_ago=3)
    past.git("checkout", "-q", "-b", "side")
    past.commit("late", {"a.py": "2\n", "now.py": "1\n"}, days_ago=1)
    sync_history(database, past.root, now=NOW)
    past.git("checkout", "-q", "main")
    past.commit("between", {"b.py": "1\n"}, days_ago=2)
    past.git("merge", "-q", "--no-edit", "side")
    sync_history(database, past.root, now=NOW)
    monkeypatch.setattr(cochange, "COMMITS_PER_FILE_MAX", 1)
    (only,) = find_partners(database, ["a.py"], now=NOW - timedelta(days=1))
    assert (only.path, only.commits, only.of) == ("now.py", 1, 1)
    assert only.score == pytest.approx(1 / (1 + cochange.SMOOTHING_COMMITS))


def test_a_commit_ties_its_files_the_less_the_more_they_are(past: Past, database: MapDatabase) -> None:
    past.commit("pair", {"a.py": "1\n", "close.py": "1\n"})
    past.commit("crowd", {"a.py": "2\n", **{f"far{number}.py": "1\n" for number in range(9)}})
    past.commit("bulk", {"a.py": "3\n", **{f"bulk{number}.py": "1\n" for number in range(FILES_PER_COMMIT_MAX)}})
    sync_history(database, past.root, now=NOW)
    found = {partner.path: partner.score for partner in find_partners(database, ["a.py"], now=NOW)}
    assert found["close.py"] == pytest.approx(9 * found["far1.py"])
    assert not any(path.startswith("bulk") for path in found)
    assert database.fetch_value("SELECT count(*) FROM commits") == 4


def test_a_file_that_changed_much_is_a_closer_partner_than_one_that_was_touched(
    past: Past, database: MapDatabase
) -> None:
    past.commit("one", {"a.py": "1\n", "touched.py": "1\n", "written.py": BODY})
    sync_history(database, past.root, now=NOW)
    assert [partner.path for partner in find_partners(database, ["a.py"], now=NOW)] == ["written.py", "touched.py"]


def test_similar_commits_share_words_and_parts_of_identifiers(past: Past, database: MapDatabase) -> None:
    wanted = past.commit("Refreshing of the sessionToken\n\nwhen it has expired", {"token.py": "1\n"}, days_ago=2)
    past.commit("Colours of the chart", {"chart.py": "1\n"}, days_ago=1)
    sync_history(database, past.root, now=NOW)
    for text in ("refresh tokens", "session_token", 'the "sessionToken" OR NOT (expired*', "expired"):
        assert [(commit.hash, commit.files) for commit in find_similar_commits(database, text, now=NOW)] == [
            (wanted, ("token.py",))
        ]
    for text in ("", "  ", "()", "nothing alike"):
        assert find_similar_commits(database, text, now=NOW) == []


def test_of_two_commits_with_the_same_words_the_newer_is_nearer(past: Past, database: MapDatabase) -> None:
    for days_ago in (cochange.COMMIT_HALF_LIFE_DAYS, 0):
        past.commit("Parse dates", {f"{days_ago}.py": "1\n"}, days_ago=days_ago)
    sync_history(database, past.root, now=NOW)
    newer, older = find_similar_commits(database, "dates", now=NOW)
    assert newer.files == ("0.py",)
    assert [newer.score, older.score] == pytest.approx([1.0, 0.5])
    assert find_similar_commits(database, "dates", now=NOW, limit=1) == [newer]


def test_the_share_of_a_file_that_changed_since_a_commit_is_counted_in_lines(past: Past, database: MapDatabase) -> None:
    ten = [f"line_{number} = 1" for number in range(10)]
    files = {name: "\n".join(ten) for name in ("some.py", "same.py", "gone.py", "new.py", "short.py")}
    first = past.commit("first", files)
    (past.root / "gone.py").unlink()
    changed = {"some.py": "\n".join([*ten[:7], "x = 1", "y = 1", "z = 1"]), "new.py": "\n".join(["other = 1"] * 10)}
    last = past.commit("second", {**changed, "short.py": "\n".join(ten[:5])})
    update_index(database, past.root, workers=1)
    pairs = [(first, name) for name in files] + [(last, "some.py"), ("", "some.py")]
    shares = {path: share for (_, path), share in compute_rewritten_shares(database, past.root, pairs).items()}
    assert shares == {"some.py": 0.3, "same.py": 0.0, "gone.py": 1.0, "new.py": 1.0, "short.py": 0.6}
    assert compute_rewritten_shares(database, past.root, [(last, "some.py")]) == {}


def test_shares_are_asked_of_git_once_until_head_moves(
    past: Past, database: MapDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = past.commit("first", {"a.py": "x = 1\ny = 1", "b.py": "x = 1"})
    past.commit("second", {"a.py": "x = 1\nz = 1"})
    update_index(database, past.root, workers=1)
    asked: list[list[str]] = []
    count_churn = git.count_churn

    def count(root: str, commit: str, head: str, paths: list[str]) -> object:
        asked.append(paths)
        return count_churn(root, commit, head, paths)

    monkeypatch.setattr(git, "count_churn", count)
    for _ in range(2):
        assert compute_rewritten_shares(database, past.root, [(first, "a.py")]) == {(first, "a.py"): 0.5}
    assert asked == [["a.py"]]
    past.commit("third", {"a.py": "q = 1\np = 1"})
    update_index(database, past.root, workers=1)
    assert compute_rewritten_shares(database, past.root, [(first, "a.py")]) == {(first, "a.py"): 1.0}
    assert asked == [["a.py"], ["a.py"]]
