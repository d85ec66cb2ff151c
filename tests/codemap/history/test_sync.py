"""Whatever happens to a repository, its past in the map is what a first reading makes it."""

from __future__ import annotations

import os
import shutil
import subprocess
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from holloway.codemap.database import MapDatabase, open_map
from holloway.codemap.history import git_log
from holloway.codemap.history.cochange import find_partners, find_similar_commits
from holloway.codemap.history.git_log import BODY_CHARS_MAX, FILES_PER_COMMIT_MAX, SUBJECT_CHARS_MAX
from holloway.codemap.history.sync import COMMITS_MAX, _load_state, sync_history
from tests.codemap.history.repository import BODY, NOW, Past, begun


def contents(database: MapDatabase) -> dict[str, object]:
    """Everything that the tables say, without the numbers of rows."""
    facts = (
        "SELECT p.path, c.hash, f.churn FROM commit_files f JOIN paths p ON p.id = f.path"
        ' JOIN commits c ON c.id = f."commit"'
    )
    likely = find_similar_commits(database, "change move first file", now=NOW)
    return {
        "commits": {tuple(row) for row in database.fetch_rows("SELECT hash, at, subject, body, files FROM commits")},
        "facts": {tuple(row) for row in database.fetch_rows(facts)},
        "paths": {row[0] for row in database.fetch_rows("SELECT path FROM paths")},
        "text": [(commit.hash, commit.score, commit.files) for commit in likely],
        "names": sorted(_load_state(database).names.today.items()),
    }


def fresh(root: Path, commits_max: int = COMMITS_MAX) -> dict[str, object]:
    """What a first reading of the same HEAD says."""
    with TemporaryDirectory() as folder:
        database = open_map(Path(folder) / "map.db")
        sync_history(database, root, now=NOW, commits_max=commits_max)
        found = contents(database)
        database.close()
    return found


def paths(database: MapDatabase) -> set[str]:
    return {row[0] for row in database.fetch_rows("SELECT path FROM paths")}


def worked_on(database: MapDatabase) -> dict[str, tuple[int, int]]:
    """For each file how many commits it has, and how many lines they changed."""
    rows = database.fetch_rows(
        "SELECT p.path, COUNT(*), SUM(f.churn) FROM paths p JOIN commit_files f ON f.path = p.id GROUP BY p.id"
    )
    return {row[0]: (row[1], row[2]) for row in rows}


NAMES = ("a.py", "b.py", "c.py", "d/e.py")
name = st.integers(0, len(NAMES) - 1)
step = st.one_of(
    st.tuples(st.just("edit"), name, name),
    st.tuples(st.just("rename"), name, name),
    st.tuples(st.just("delete"), name, name),
    st.tuples(st.just("branch"), st.integers(0, 2), st.just(0)),
    st.tuples(st.just("merge"), st.integers(0, 2), st.just(0)),
    st.tuples(st.sampled_from(["amend", "drop", "sync"]), st.just(0), st.just(0)),
)


class Walk:
    """A repository that is changed at random."""

    def __init__(self, root: Path) -> None:
        self.past = begun(root)
        self._numbers = count()
        self._save("first", {path: f"{path}\n{BODY}" for path in NAMES[:3]})

    def _save(self, message: str, files: dict[str, str]) -> None:
        # Two commits share a second here and there, as they do after a rebase.
        self.past.commit(message, files, days_ago=100 - next(self._numbers) // 2)

    def take(self, kind: str, one: int, other: int) -> None:
        root, git = self.past.root, self.past.git
        here = [(path, root / path) for path in (NAMES[one], NAMES[other])]
        if kind == "edit":
            texts = {path: file.read_text() if file.exists() else f"{path}\n{BODY}" for path, file in here}
            self._save("change", {path: f"{text}{next(self._numbers)}\n" for path, text in texts.items()})
        elif kind == "rename" and here[0][1].exists() and not here[1][1].exists():
            self.past.rename(here[0][0], here[1][0], days_ago=100 - next(self._numbers) // 2)
        elif kind == "delete" and here[0][1].exists():
            here[0][1].unlink()
            self._save("change", {})
        elif kind == "branch":
            known = git("branch", "--list", f"side{one}")
            git("checkout", "-q", *([] if known else ["-b"]), f"side{one}")
        elif kind == "merge" and git("branch", "--list", f"side{one}"):
            try:
                git("merge", "-q", "--no-edit", f"side{one}")
            except subprocess.CalledProcessError:
                git("reset", "-q", "--hard")
        elif kind == "amend":
            git("commit", "-q", "--amend", "-m", "change again", "--allow-empty")
        elif kind == "drop" and git("rev-list", "HEAD").count("\n"):
            git("reset", "-q", "--hard", "HEAD~1")


@pytest.mark.promise("moves-together")
@given(st.lists(step, min_size=4, max_size=14), st.sampled_from([3, 6, COMMITS_MAX]))
@example([("rename", 0, 3), ("sync", 0, 0), ("drop", 0, 0), ("sync", 0, 0), ("edit", 0, 1)], COMMITS_MAX)
@example([("branch", 0, 0), ("rename", 0, 3), ("sync", 0, 0), ("edit", 0, 0), ("sync", 0, 0)], COMMITS_MAX)
@settings(
    max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture]
)
def test_whatever_happens_to_the_branch_the_tables_equal_a_first_reading(
    steps: list[tuple[str, int, int]], commits_max: int
) -> None:
    with TemporaryDirectory() as folder:
        walk = Walk(Path(folder) / "project")
        root = walk.past.root
        database = open_map(Path(folder) / "map.db")
        sync_history(database, root, now=NOW, commits_max=commits_max)
        for kind, one, other in [*steps, ("sync", 0, 0)]:
            if kind == "sync":
                sync_history(database, root, now=NOW, commits_max=commits_max)
                assert contents(database) == fresh(root, commits_max)
            else:
                walk.take(kind, one, other)
        database.close()


def test_only_new_commits_are_read_and_lost_ones_removed(past: Past, database: MapDatabase) -> None:
    first = past.commit("first", {"a.py": "1\n", "b.py": "1\n"}, days_ago=3)
    past.commit("second", {"a.py": "2\n"}, days_ago=2)
    seen = sync_history(database, past.root, now=NOW)
    assert (seen.added, seen.removed, seen.total, seen.is_whole) == (3, 0, 3, True)
    past.commit("third", {"b.py": "2\n"}, days_ago=1)
    seen = sync_history(database, past.root, now=NOW)
    assert (seen.added, seen.removed, seen.total) == (1, 0, 4)
    past.git("checkout", "-q", "-b", "side", first)
    past.commit("other", {"c.py": "1\n"})
    seen = sync_history(database, past.root, now=NOW)
    assert (seen.added, seen.removed, seen.total) == (1, 2, 3)
    assert paths(database) == {"a.py", "b.py", "c.py"}
    assert sync_history(database, past.root, now=NOW).added == 0


def test_a_history_without_new_commits_is_not_read(past: Past, database: MapDatabase) -> None:
    sync_history(database, past.root, now=NOW)
    before = contents(database)
    again = sync_history(database, past.root, now=NOW)
    assert (again.seconds, again.is_whole) == (0.0, True)
    assert contents(database) == before


def test_a_rewritten_history_that_forgot_the_old_one_is_read_again(past: Past, database: MapDatabase) -> None:
    past.commit("first", {"a.py": "1\n"})
    past.commit("second", {"a.py": "2\n"})
    sync_history(database, past.root, now=NOW)
    past.git("checkout", "-q", "--orphan", "anew")
    past.commit("afresh", {"a.py": "3\n"})
    past.git("branch", "-D", "main")
    past.git("reflog", "expire", "--expire=now", "--all")
    past.git("gc", "-q", "--prune=now")
    seen = sync_history(database, past.root, now=NOW)
    assert (seen.added, seen.removed, seen.total) == (1, 3, 1)
    assert contents(database) == fresh(past.root)


def test_only_the_newest_commits_are_kept(past: Past, database: MapDatabase) -> None:
    for number in range(6):
        past.commit(f"change {number}", {f"{number}.py": "x\n"}, days_ago=10 - number)
        sync_history(database, past.root, now=NOW, commits_max=4)
    assert paths(database) == {"2.py", "3.py", "4.py", "5.py"}
    past.git("reset", "-q", "--hard", "HEAD~3")
    seen = sync_history(database, past.root, now=NOW, commits_max=4)
    assert (seen.added, seen.removed) == (3, 3)
    assert paths(database) == {"0.py", "1.py", "2.py"}


def test_merges_are_no_commits_of_their_own(past: Past, database: MapDatabase) -> None:
    past.commit("first", {"a.py": "1\n"}, days_ago=3)
    past.git("checkout", "-q", "-b", "side")
    past.commit("side work", {"b.py": "1\n"}, days_ago=2)
    past.git("checkout", "-q", "main")
    past.commit("main work", {"c.py": "1\n"}, days_ago=1)
    past.git("merge", "-q", "--no-edit", "side")
    assert sync_history(database, past.root, now=NOW).total == 4


def test_a_renamed_file_keeps_its_past_and_its_row(past: Past, database: MapDatabase) -> None:
    past.commit("first", {"old.py": BODY, "friend.py": "1\n"}, days_ago=3)
    sync_history(database, past.root, now=NOW)
    row = database.fetch_value("SELECT id FROM paths WHERE path = 'old.py'")
    past.rename("old.py", "lib/new.py", days_ago=2)
    past.commit("grow", {"lib/new.py": BODY + "more\n"}, days_ago=1)
    assert sync_history(database, past.root, now=NOW).added == 2
    assert database.fetch_value("SELECT id FROM paths WHERE path = 'lib/new.py'") == row
    assert worked_on(database)["lib/new.py"][0] == 3
    assert [found.path for found in find_partners(database, ["lib/new.py"], now=NOW)] == ["friend.py"]
    assert "old.py" not in paths(database)


def test_a_rename_of_a_whole_folder_is_followed_although_the_commit_is_too_large_to_count(
    past: Past, database: MapDatabase
) -> None:
    many = {f"old/{number}.py": f"{number}\n{BODY}" for number in range(FILES_PER_COMMIT_MAX + 1)}
    past.commit("bulk", many, days_ago=5)
    past.commit("pair", {"old/1.py": f"1\n{BODY}x\n", "old/2.py": f"2\n{BODY}x\n"}, days_ago=4)
    past.rename("old", "new", days_ago=3)
    sync_history(database, past.root, now=NOW)
    assert paths(database) == {"new/1.py", "new/2.py"}
    assert [row["files"] for row in database.fetch_rows("SELECT files FROM commits ORDER BY at")] == [0, 51, 2, 51]


def test_going_back_over_a_rename_brings_the_old_name_back(past: Past, database: MapDatabase) -> None:
    past.commit("far", {"far.py": "1\n"}, days_ago=4)
    past.commit("first", {"old.py": BODY}, days_ago=3)
    past.git("checkout", "-q", "-b", "side")
    past.rename("old.py", "new.py", days_ago=2)
    sync_history(database, past.root, now=NOW)
    assert paths(database) == {"new.py", "far.py"}
    past.git("checkout", "-q", "main")
    seen = sync_history(database, past.root, now=NOW)
    assert (seen.added, seen.removed, seen.read_again, seen.total) == (0, 1, 1, 3)
    assert paths(database) == {"old.py", "far.py"}
    assert contents(database) == fresh(past.root)


def test_a_file_that_came_and_moved_on_a_branch_goes_with_it_alone(past: Past, database: MapDatabase) -> None:
    past.commit("first", {"a.py": BODY}, days_ago=4)
    past.git("checkout", "-q", "-b", "side")
    past.commit("come\n\nwith a body", {"b.py": f"b\n{BODY}"}, days_ago=3)
    past.rename("b.py", "c.py", days_ago=2)
    sync_history(database, past.root, now=NOW)
    past.git("checkout", "-q", "main")
    seen = sync_history(database, past.root, now=NOW)
    assert (seen.added, seen.removed, seen.read_again) == (0, 2, 0)
    assert contents(database) == fresh(past.root)
    past.commit("other", {"a.py": "1\n"})
    sync_history(database, past.root, now=NOW)
    assert find_similar_commits(database, "body", now=NOW) == []


def test_two_files_that_became_one_share_what_a_commit_changed_in_both(past: Past, database: MapDatabase) -> None:
    past.commit("both", {"a.py": f"a\n{BODY}", "b.py": "1\n2\n"}, days_ago=4)
    sync_history(database, past.root, now=NOW)
    (past.root / "b.py").unlink()
    past.commit("less", {}, days_ago=3)
    past.rename("a.py", "b.py", days_ago=2)
    assert sync_history(database, past.root, now=NOW).added == 2
    assert worked_on(database)["b.py"][1] == len(BODY.splitlines()) + 1 + 2 + 2
    assert contents(database) == fresh(past.root)


def test_a_name_that_is_used_again_is_the_file_that_has_it_today(past: Past, database: MapDatabase) -> None:
    past.commit("first", {"a.py": BODY}, days_ago=4)
    past.rename("a.py", "b.py", days_ago=3)
    sync_history(database, past.root, now=NOW)
    assert worked_on(database).keys() == {"b.py"}
    past.commit("again", {"a.py": "something else\n"}, days_ago=2)
    sync_history(database, past.root, now=NOW)
    assert {path: commits for path, (commits, _) in worked_on(database).items()} == {"a.py": 2, "b.py": 1}
    assert contents(database) == fresh(past.root)


def test_without_git_or_commits_the_history_is_empty(tmp_path: Path, database: MapDatabase) -> None:
    (tmp_path / "empty").mkdir()
    Past(tmp_path / "empty").git("init", "-q")
    for folder in (tmp_path / "nowhere", tmp_path, tmp_path / "empty"):
        seen = sync_history(database, folder, now=NOW)
        assert (seen.total, seen.is_whole) == (0, True)
    assert find_partners(database, ["a.py"], now=NOW) == []
    assert find_similar_commits(database, "anything", now=NOW) == []
    assert worked_on(database) == {}


def test_a_branch_without_commits_has_no_history(past: Past, database: MapDatabase) -> None:
    past.commit("first", {"a.py": BODY})
    past.rename("a.py", "b.py")
    sync_history(database, past.root, now=NOW)
    past.git("checkout", "-q", "--orphan", "empty")
    assert sync_history(database, past.root, now=NOW).removed == 3
    assert contents(database) == fresh(past.root)
    past.git("checkout", "-qf", "main")
    assert sync_history(database, past.root, now=NOW).total == 3
    assert contents(database) == fresh(past.root)


def test_a_head_that_is_an_option_is_no_commit(past: Past, database: MapDatabase) -> None:
    past.commit("first", {"a.py": "1\n"})
    (past.root / ".git/HEAD").write_text(f"--output={past.root}/taken\n")
    seen = sync_history(database, past.root, now=NOW)
    assert (seen.total, seen.is_whole) == (0, True)
    assert not (past.root / "taken").exists()


def test_where_git_is_missing_what_is_known_stays(
    past: Past, database: MapDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    past.commit("first", {"a.py": "1\n"})
    sync_history(database, past.root, now=NOW)
    past.commit("second", {"a.py": "2\n"})
    with monkeypatch.context() as without:
        without.setenv("PATH", str(past.root / "nothing"))
        seen = sync_history(database, past.root, now=NOW)
    assert (seen.added, seen.total, seen.is_whole) == (0, 2, False)
    assert sync_history(database, past.root, now=NOW).added == 1


def cut_off(folder: Path, after_bytes: int) -> Path:
    """A git whose log breaks off."""
    folder.mkdir()
    real = shutil.which("git")
    script = folder / "git"
    script.write_text(
        f'#!/bin/sh\ncase " $* " in *" log "*) {real} "$@" | head -c {after_bytes}; exit 1;; esac\nexec {real} "$@"\n'
    )
    script.chmod(0o755)
    return folder


def test_of_a_reading_that_breaks_off_the_newest_commits_are_kept(
    past: Past, database: MapDatabase, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(8):
        past.commit(f"change {number}", {f"{number}.py": "x\n"}, days_ago=10 - number)
    with monkeypatch.context() as broken:
        broken.setenv("PATH", f"{cut_off(tmp_path / 'bin', 350)}{os.pathsep}{os.environ['PATH']}")
        seen = sync_history(database, past.root, now=NOW)
    assert not seen.is_whole
    assert 1 < seen.total < 8
    assert paths(database) == {f"{number}.py" for number in range(8 - seen.total, 8)}
    kept = seen.total
    past.commit("change 8", {"8.py": "x\n"})
    with monkeypatch.context() as broken:
        broken.setenv("PATH", f"{cut_off(tmp_path / 'worse', 150)}{os.pathsep}{os.environ['PATH']}")
        seen = sync_history(database, past.root, now=NOW)
    assert (seen.added, seen.total, seen.is_whole) == (0, kept, False)
    assert sync_history(database, past.root, now=NOW).added == 1


def test_a_shallow_clone_does_not_claim_that_its_first_commit_made_everything(
    past: Past, database: MapDatabase, tmp_path: Path
) -> None:
    past.commit("first", {"a.py": "1\n", "b.py": "1\n"}, days_ago=4)
    past.commit("second", {"a.py": "2\n"}, days_ago=3)
    past.commit("third", {"b.py": "2\n"}, days_ago=2)
    clone = Past(tmp_path / "clone")
    past.git("clone", "-q", "--depth", "2", f"file://{past.root}", str(clone.root))
    assert sync_history(database, clone.root, now=NOW).total == 2
    assert paths(database) == {"b.py"}
    clone.git("fetch", "-q", "--unshallow")
    sync_history(database, clone.root, now=NOW)
    assert contents(database) == fresh(past.root)


def test_a_partial_clone_is_read_without_fetching_anything(past: Past, database: MapDatabase, tmp_path: Path) -> None:
    past.commit("first", {"a.py": BODY, "b.py": "1\n"}, days_ago=4)
    past.commit("second", {"a.py": BODY + "2\n", "b.py": "2\n"}, days_ago=3)
    past.rename("a.py", "c.py", days_ago=2)
    past.git("config", "uploadpack.allowFilter", "true")
    clone = Past(tmp_path / "clone")
    past.git("clone", "-q", "--filter=blob:none", f"file://{past.root}", str(clone.root))
    held = clone.git("count-objects", "-v")
    seen = sync_history(database, clone.root, now=NOW)
    assert (seen.total, seen.is_whole) == (4, True)
    assert [found.path for found in find_partners(database, ["c.py"], now=NOW)] == ["b.py"]
    assert clone.git("count-objects", "-v") == held
    clone.commit("more", {"c.py": BODY + "3\n"})
    assert sync_history(database, clone.root, now=NOW).added == 1
    assert contents(database) == fresh(clone.root)


def test_a_repository_that_lost_an_old_file_still_has_a_history(past: Past, database: MapDatabase) -> None:
    past.commit("first", {"a.py": "1\n", "b.py": "1\n"}, days_ago=4)
    lost = past.git("rev-parse", "HEAD:a.py")
    past.commit("second", {"a.py": "2\n"}, days_ago=3)
    (past.root / ".git/objects" / lost[:2] / lost[2:]).unlink()
    seen = sync_history(database, past.root, now=NOW)
    assert (seen.total, seen.is_whole) == (3, True)
    assert worked_on(database)["a.py"][0] == 2


@pytest.mark.promise("repository-is-not-trusted")
def test_what_a_repository_configures_neither_runs_nor_changes_what_is_read(past: Past, database: MapDatabase) -> None:
    past.commit("first", {"lib/a.py": BODY, ".gitattributes": "*.py diff=evil\n"}, days_ago=3)
    past.rename("lib/a.py", "lib/b.py", days_ago=2)
    past.commit("grow", {"lib/b.py": BODY + "more\n", "c.txt": "1\n"}, days_ago=1)
    signed = past.git("cat-file", "commit", "HEAD").replace("\n\n", "\ngpgsig -----BEGIN PGP SIGNATURE-----\n\n", 1)
    (past.root / ".git/signed").write_text(signed)
    past.git("reset", "-q", "--hard", past.git("hash-object", "-t", "commit", "-w", ".git/signed"))
    clean = fresh(past.root)
    taken = past.root / "taken"
    program = past.root / ".git/evil.sh"
    program.write_text(f"#!/bin/sh\ntouch {taken}\ncat $1\n")
    program.chmod(0o755)
    for key in (
        "diff.external",
        "diff.evil.command",
        "diff.evil.textconv",
        "gpg.program",
        "core.fsmonitor",
        "core.pager",
    ):
        past.git("config", key, str(program))
    for setting in (
        *("log.showSignature=true", "log.showRoot=true", "color.ui=always", "diff.renames=false"),
        *("format.pretty=oneline", "diff.renameLimit=1", "i18n.logOutputEncoding=UTF-16", "diff.noprefix=true"),
    ):
        past.git("config", *setting.split("="))
    sync_history(database, past.root, now=NOW)
    assert contents(database) == clean
    assert not taken.exists()


def test_names_and_messages_are_data_however_odd(past: Past, database: MapDatabase) -> None:
    odd = ["with\nnewline.py", "tab\there.py", '"quoted".py', "-rf.py", "ünïcode.py", "1\t1\tx.py", "\x01abc.py"]
    past.commit("\x01first\n\nline\n\x1b[31m\n" + "x" * 200_000, dict.fromkeys(odd, "1\n"), days_ago=2)
    past.commit("y" * 100_000, {"a.py": "1\n"}, days_ago=1)
    (past.root / os.fsdecode(b"caf\xe9.py")).write_text("1\n")
    (past.root / "library").mkdir()
    past.git("update-index", "--add", "--cacheinfo", f"160000,{past.git('rev-parse', 'HEAD')},library")
    seen = sync_history(database, past.root, now=NOW)
    assert seen.skipped_paths == 0
    past.commit("odd", {"a.py": "2\n"})
    seen = sync_history(database, past.root, now=NOW)
    assert (seen.total, seen.skipped_paths) == (4, 1)
    assert paths(database) == {*odd, "a.py"}
    longest = database.fetch_row("SELECT max(length(subject)) AS subject, max(length(body)) AS body FROM commits")
    assert longest is not None
    assert (longest["subject"], longest["body"]) == (SUBJECT_CHARS_MAX, BODY_CHARS_MAX)


def test_two_processes_that_read_at_once_write_once(
    past: Past, database: MapDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    past.commit("first", {"a.py": "1\n"})
    other = open_map(database.path)

    def slowly(root: str, hashes: list[str], *, has_contents: bool) -> git_log.LogReading:
        monkeypatch.setattr("holloway.codemap.history.sync.read_commits", git_log.read_commits)
        assert sync_history(other, past.root, now=NOW).added == 2
        return git_log.read_commits(root, hashes, has_contents=has_contents)

    monkeypatch.setattr("holloway.codemap.history.sync.read_commits", slowly)
    assert sync_history(database, past.root, now=NOW).added == 0
    other.close()
    assert contents(database) == fresh(past.root)
