from holloway.retrieval.past_sessions import PastSession, score_recent_sessions, score_similar_sessions

PAST = (
    PastSession("rotate the refresh tokens", (("auth/tokens.py", 2), ("auth/store.py", 1))),
    PastSession("round invoices to cents", (("billing/invoice.py", 2),)),
    PastSession("fix the layout of the footer", (("web/footer.css", 2), ("auth/store.py", 1))),
)


def test_sessions_on_similar_tasks_name_their_files() -> None:
    found = score_similar_sessions(PAST, "tokens are not rotated after a refresh")
    assert max(found, key=lambda path: found[path][0]) == "auth/tokens.py"
    assert found["auth/tokens.py"][1] == "rotate the refresh tokens"
    assert "billing/invoice.py" not in found


def test_a_task_that_resembles_nothing_names_nothing() -> None:
    assert score_similar_sessions(PAST, "zebra quagga") == {}
    assert score_similar_sessions((), "rotate tokens") == {}


def test_the_latest_sessions_and_what_they_changed_count_most() -> None:
    found = score_recent_sessions(PAST)
    assert found["web/footer.css"] > found["billing/invoice.py"] > found["auth/tokens.py"]
    assert found["auth/store.py"] > 1.0


def test_without_sessions_there_is_no_evidence() -> None:
    assert score_recent_sessions(()) == {}


def test_work_on_the_same_branch_goes_on_where_it_was() -> None:
    past = (PastSession("a", (("old.py", 2),), "feature"), *(PastSession("b", (("new.py", 2),), "main"),) * 3)
    assert score_recent_sessions(past)["new.py"] > score_recent_sessions(past)["old.py"]
    assert score_recent_sessions(past, "feature")["old.py"] > score_recent_sessions(past)["old.py"]
