import pytest

from holloway.retrieval import past_sessions
from holloway.retrieval.past_sessions import PastSession, measure_habits, score_recent_sessions, score_similar_sessions

PAST = (
    PastSession("rotate the refresh tokens", (("auth/tokens.py", 2), ("auth/store.py", 1))),
    PastSession("round invoices to cents", (("billing/invoice.py", 2),)),
    PastSession("fix the layout of the footer", (("web/footer.css", 2), ("auth/store.py", 1))),
)


def test_sessions_on_similar_tasks_name_their_files() -> None:
    found = score_similar_sessions(PAST, "tokens are not rotated after a refresh")
    assert found.scores["auth/tokens.py"] == found.scores["auth/store.py"] == found.similarity > 0
    assert found.tasks["auth/tokens.py"] == "rotate the refresh tokens"
    assert "billing/invoice.py" not in found.scores


def test_a_task_that_resembles_nothing_names_nothing() -> None:
    assert score_similar_sessions(PAST, "zebra quagga") == ({}, {}, 0.0)
    assert score_similar_sessions((), "rotate tokens") == ({}, {}, 0.0)


def test_the_latest_sessions_count_most() -> None:
    found = score_recent_sessions(PAST)
    assert found["web/footer.css"] > found["billing/invoice.py"] > found["auth/tokens.py"]
    assert found["auth/store.py"] > 1.0


def test_without_sessions_there_is_no_evidence() -> None:
    assert score_recent_sessions(()) == {}


def test_work_on_the_same_branch_goes_on_where_it_was() -> None:
    past = (PastSession("a", (("old.py", 2),), "feature"), *(PastSession("b", (("new.py", 2),), "main"),) * 3)
    assert score_recent_sessions(past)["new.py"] > score_recent_sessions(past)["old.py"]
    assert score_recent_sessions(past, "feature")["old.py"] > score_recent_sessions(past)["old.py"]


def test_the_weight_of_a_session_halves_with_those_after_it_and_grows_on_its_branch() -> None:
    read = PastSession("a", (("a.py", 1),), "feature")
    later = (PastSession("c", ()),) * int(past_sessions.HALF_LIFE_SESSIONS)
    assert score_recent_sessions((read,)) == {"a.py": 1.0}
    assert score_recent_sessions((read, *later)) == pytest.approx({"a.py": 0.5})
    assert score_recent_sessions((read,), "feature") == {"a.py": past_sessions.SAME_BRANCH_WEIGHT}
    assert score_recent_sessions((read, read)) == pytest.approx(
        {"a.py": 1 + 0.5 ** (1 / past_sessions.HALF_LIFE_SESSIONS)}
    )


def test_the_same_task_is_as_similar_as_can_be_and_repeated_words_count_less() -> None:
    assert score_similar_sessions(PAST, "rotate the refresh tokens").similarity == pytest.approx(1.0)
    repeated = score_similar_sessions(PAST, "tokens tokens tokens")
    assert repeated.similarity == pytest.approx(score_similar_sessions(PAST, "tokens").similarity)


def test_a_file_has_the_most_similar_of_the_tasks_that_opened_it_and_counts_for_all_of_them() -> None:
    similar = PastSession("rotate the refresh tokens of every store", (("auth/store.py", 1),))
    found = score_similar_sessions((*PAST, similar), "rotate the refresh tokens")
    assert found.tasks == {"auth/tokens.py": PAST[0].task, "auth/store.py": PAST[0].task}
    assert found.scores["auth/tokens.py"] == pytest.approx(found.similarity) == pytest.approx(1.0)
    assert 1.3 < found.scores["auth/store.py"] < 2.0


def test_only_the_nearest_sessions_count() -> None:
    near = tuple(
        PastSession("rotate the refresh tokens", ((f"near{number}.py", 1),))
        for number in range(past_sessions.NEAREST_SESSIONS)
    )
    far = PastSession("rotate the footer image", (("far.py", 1),))
    assert "far.py" in score_similar_sessions((far, *near[1:]), "rotate the refresh tokens").scores
    assert "far.py" not in score_similar_sessions((far, *near), "rotate the refresh tokens").scores


def test_a_habit_is_the_share_of_sessions_that_opened_a_file_and_needs_several() -> None:
    def changelog(count: int) -> float:
        past = tuple(PastSession("a", (("CHANGELOG.md", 1), (f"{number}.py", 1))) for number in range(count))
        return measure_habits(past)["CHANGELOG.md"]

    assert changelog(1) == pytest.approx(1 / (1 + past_sessions.HABIT_SESSIONS_MIN))
    assert changelog(1) < changelog(5) < changelog(50) < 1
    half_life = past_sessions.HABIT_HALF_LIFE_SESSIONS
    old = (PastSession("a", (("old.py", 1), ("old.py", 2))), *(PastSession("b", (("new.py", 1),)),) * half_life)
    habits = measure_habits(old)
    assert (
        habits["new.py"]
        > habits["old.py"]
        == pytest.approx(0.5 / (0.5 + habits["new.py"] / habits["old.py"] * 0.5 + 3))
    )
    assert measure_habits(()) == {}
