"""A replayed memory knows what had ended, stands where the developers stood, and cannot see ahead."""

from __future__ import annotations

import os
import subprocess
from datetime import UTC, datetime
from pathlib import Path

import pytest

from benchmarks import b1_sessions, learning_curve, trivial
from benchmarks.learning_result import METHODS, OURS, UNTAUGHT, Curve, Looked, Met, result
from benchmarks.replay import Past, replay
from benchmarks.replay_result import build_result
from benchmarks.told import read_recording
from tests.benchmarks.recordings import DAY_S, FIRST_DAY, recording

FILES = {"src/tokens.py": "def refresh():\n    return 1\n", "src/invoice.py": "def total():\n    return 2\n"}


def commit(root: Path, day: float, name: str, text: str, message: str = "change") -> str:
    """Commit a file on a day."""
    when = datetime.fromtimestamp(FIRST_DAY + day * DAY_S, UTC).isoformat()
    (root / name).parent.mkdir(parents=True, exist_ok=True)
    (root / name).write_text(text, "utf-8")
    git(root, "add", "-A")
    git(root, "commit", "-qm", message, when=when)
    return git(root, "rev-parse", "HEAD")


def git(root: Path, *arguments: str, when: str = "2026-01-01T00:00:00+00:00") -> str:
    identity = ("-c", "user.name=Test", "-c", "user.email=test@example.invalid", "-c", "commit.gpgsign=false")
    env = os.environ | {"GIT_AUTHOR_DATE": when, "GIT_COMMITTER_DATE": when}
    done = subprocess.run(["git", *identity, *arguments], cwd=root, env=env, capture_output=True, text=True, check=True)
    return done.stdout.strip()


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with a commit on each of the first days, and a branch that was merged."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "cache"))
    (tmp_path / "cache").mkdir()
    root = tmp_path / "repos" / "cli"
    root.mkdir(parents=True)
    git(root, "init", "-q", "-b", "main")
    for day, (name, text) in enumerate(FILES.items()):
        commit(root, day - 2, name, text)
    git(root, "checkout", "-qb", "feature")
    commit(root, 1, "src/feature.py", "def feature():\n    return 3\n")
    git(root, "checkout", "-q", "main")
    merged = datetime.fromtimestamp(FIRST_DAY + 3 * DAY_S, UTC).isoformat()
    git(root, "merge", "-q", "--no-ff", "-m", "Merge pull request #1 from ada/feature", "feature", when=merged)
    commit(root, 9, "src/later.py", "def later():\n    return 4\n")
    return root


def test_the_commit_of_a_time_is_that_of_the_branch_if_it_had_one(shop: Path) -> None:
    past = Past(shop)
    now = FIRST_DAY + 2 * DAY_S
    assert git(shop, "ls-tree", "--name-only", past.commit("feature", now), "src/").endswith("src/tokens.py")
    assert "src/feature.py" in git(shop, "ls-tree", "--name-only", past.commit("feature", now), "src/")
    assert "src/feature.py" not in git(shop, "ls-tree", "--name-only", past.commit("", now), "src/")
    assert past.commit("feature", FIRST_DAY) == past.commit("", FIRST_DAY)


@pytest.mark.promise("no-hindsight")
def test_a_session_knows_only_what_had_ended_before_it(shop: Path) -> None:
    sessions = [
        read_recording(recording("long", 0, "Mend the token refresh", ("edit", "src/tokens.py"), hours=72)),
        read_recording(recording("short", 1, "Add tax to the invoice", ("edit", "src/invoice.py"), branch="feature")),
        read_recording(recording("asked", 2, "Add a discount to it", ("read", "src/invoice.py"), began_on="feature")),
        read_recording(recording("last", 4, "Look at all of this", ("read", "src/tokens.py"))),
    ]
    with replay(shop, "test") as replayed:
        seen = {}
        for session in replayed.through(sessions):
            seen[session.id] = [one.id for one in replayed.learned]
            if session.id == "asked":
                assert replayed.memory.branch == "feature"
                assert sorted(replayed.paths()) == ["src/feature.py", "src/invoice.py", "src/tokens.py"]
                assert git(replayed.tree.root, "for-each-ref", "--format=%(refname:short)") == "feature\nmain"
            assert replayed.clock.now().timestamp() == pytest.approx(session.start)
        assert len(replayed.learning_ms) == 4
    assert seen == {"long": [], "short": [], "asked": ["short"], "last": ["short", "asked", "long"]}


@pytest.mark.promise("no-hindsight")
def test_the_branch_on_which_a_session_ends_is_not_known_when_it_begins(shop: Path) -> None:
    ends_elsewhere = recording("one", 2, "Begin the feature at last", ("read", "src/tokens.py"), branch="feature")
    with replay(shop, "test") as replayed:
        for session in replayed.through([read_recording(ends_elsewhere)]):
            assert (session.began_on, replayed.memory.branch) == ("", "")
            assert "src/feature.py" not in replayed.paths()
        assert replayed.memory.branch == "feature"


def test_a_session_without_a_branch_begins_on_none(shop: Path) -> None:
    session = read_recording(recording("one", 5, "Mend the token refresh", ("read", "src/tokens.py"), began_on="HEAD"))
    with replay(shop, "test") as replayed:
        assert [replayed.memory.branch for _ in replayed.through([session])] == [""]


@pytest.mark.promise("no-hindsight")
def test_the_checkout_never_shows_what_comes_later(shop: Path) -> None:
    with replay(shop, "test") as replayed:
        for _ in replayed.through(
            [read_recording(recording("one", 5, "Mend the token refresh", ("read", "src/tokens.py")))]
        ):
            assert not (replayed.tree.root / "src/later.py").exists()
            log = git(replayed.tree.root, "log", "--all", "--name-only", "--format=")
            assert "src/later.py" not in log


def test_the_curve_is_measured_with_what_was_known(shop: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [
        recording(f"s{day}", day, f"Task number {day} about something", ("edit", "src/invoice.py")) for day in range(4)
    ]
    monkeypatch.setattr(learning_curve, "load_sessions", lambda path: rows)
    found = learning_curve.run(tmp_path, shop.parent)
    first, last = found["figures"]["same_sessions"]["0"], found["figures"]["same_sessions"]["4"]
    assert first[OURS] == first[UNTAUGHT] == last[UNTAUGHT]
    assert first["recent"][0] == 0.0
    assert last["recent"][0] == last[OURS][0] == 1.0
    assert found["tables"][-1]["rows"][-1][0] == 4


def test_windows_do_not_overlap_and_hold_every_session_with_files_to_find() -> None:
    looked = [
        Looked(number, dict.fromkeys(METHODS, (number / 100, 0.0)) if number % 2 else {}, Met(1, 1, 0, 0))
        for number in range(100)
    ]
    curve = Curve(looked, {0: [looked[1].figures], 9: [looked[3].figures]}, [])
    windows = result(curve, [1.0])["figures"]["windows"]
    assert [window["sessions"] for window in windows] == [20, 30]
    assert windows[0]["learned"] < windows[1]["learned"]
    errors = next(table for table in result(curve, [1.0])["tables"] if table["title"].startswith("Errors"))
    assert sum(row[1] for row in errors["rows"][:-1]) == 100


@pytest.mark.promise("no-hindsight")
def test_a_prompt_is_asked_in_every_arm_and_the_result_names_each(shop: Path) -> None:
    tasks = [
        read_recording(recording(f"s{day}", day, f"Round invoice number {day}", ("edit", "src/invoice.py")))
        for day in range(6)
    ]
    questions = list(b1_sessions.ask_sessions(shop, "shop", tasks, tasks[:1]))
    assert [question.session.id for question in questions] == [f"s{day}" for day in range(b1_sessions.LEARNED_MIN, 6)]
    assert all(question.is_same_topic for question in questions)
    assert questions[-1].lists[b1_sessions.SESSIONS][0] == "src/invoice.py"
    assert questions[-1].shown[b1_sessions.SESSIONS] == ["src/invoice.py"]
    assert questions[-1].baseline_shown[0] == "src/invoice.py"
    tables = build_result({"cli": questions, "agentv": questions})["tables"]
    ranked, differences, texts = (table["rows"] for table in tables)
    assert {*b1_sessions.ARMS, *trivial.METHODS, trivial.ON_BRANCH, trivial.ALL_FUSED} <= {row[1] for row in ranked}
    assert {(row[0], row[1]) for row in differences} == {
        (name, topic) for name in ("cli", "agentv") for topic in ("all", "same topic")
    }
    assert [row[:3] for row in texts] == [["cli", "3 of 3", 1.0], ["agentv", "3 of 3", 1.0]]
