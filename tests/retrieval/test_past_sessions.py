from holloway.retrieval.past_sessions import PastSession, recent, similar

PAST = (
    PastSession("rotate the refresh tokens", (("auth/tokens.py", 2), ("auth/store.py", 1))),
    PastSession("round invoices to cents", (("billing/invoice.py", 2),)),
    PastSession("fix the layout of the footer", (("web/footer.css", 2), ("auth/store.py", 1))),
)


def test_sessions_on_similar_tasks_name_their_files() -> None:
    found = similar(PAST, "tokens are not rotated after a refresh")
    assert max(found, key=lambda path: found[path][0]) == "auth/tokens.py"
    assert found["auth/tokens.py"][1] == "rotate the refresh tokens"
    assert "billing/invoice.py" not in found


def test_a_task_that_resembles_nothing_names_nothing() -> None:
    assert similar(PAST, "zebra quagga") == {}
    assert similar((), "rotate tokens") == {}


def test_the_latest_sessions_and_what_they_changed_count_most() -> None:
    found = recent(PAST)
    assert found["web/footer.css"] > found["billing/invoice.py"] > found["auth/tokens.py"]
    assert found["auth/store.py"] > 1.0


def test_without_sessions_there_is_no_evidence() -> None:
    assert recent(()) == {}


def test_work_on_the_same_branch_goes_on_where_it_was() -> None:
    past = (PastSession("a", (("old.py", 2),), "feature"), *(PastSession("b", (("new.py", 2),), "main"),) * 3)
    assert recent(past)["new.py"] > recent(past)["old.py"]
    assert recent(past, "feature")["old.py"] > recent(past)["old.py"]
