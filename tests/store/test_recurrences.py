import holloway
from holloway.store import recurrences
from holloway.store.observations import ErrorSighting, SessionObservations, save_observations
from tests.service.learned import learn, solved


def _meet(memory: holloway.Holloway, session: str, fingerprint: str, fix: str = "", message: str = "boom") -> None:
    errors = (ErrorSighting(fingerprint, "pytest", message, fix, 2),)
    learn(memory, solved(session))
    save_observations(memory.store.database, SessionObservations(session, "2026-01-05", errors=errors))


def test_errors_are_ranked_by_sessions_and_count_those_after_the_first_solution(memory: holloway.Holloway) -> None:
    _meet(memory, "s1", "e1")
    _meet(memory, "s2", "e1", "make db", "boom again")
    _meet(memory, "s3", "e1")
    _meet(memory, "s4", "e2")
    database = memory.store.database
    (error,) = recurrences.list_recurring_errors(database, 2, 10)
    assert (error.sessions, error.times, error.solved, error.met_again) == (3, 6, 1, 1)
    assert (error.message, error.varies) == ("boom", True)
    assert [row.fingerprint for row in recurrences.list_recurring_errors(database, 1, 10)] == ["e1", "e2"]
    assert recurrences.list_solved_fingerprints(database, 10) == ["e1"]
    assert recurrences.count_meetings(database, ["e1", "e3"]) == {"e1": (3, 6)}


def test_an_error_that_was_never_solved_or_solved_last_was_not_met_again(memory: holloway.Holloway) -> None:
    for session, fingerprint, fix in (("s1", "e1", ""), ("s2", "e1", ""), ("s3", "e2", ""), ("s4", "e2", "make db")):
        _meet(memory, session, fingerprint, fix)
    errors = recurrences.list_recurring_errors(memory.store.database, 2, 10)
    assert [(error.solved, error.met_again, error.varies) for error in errors] == [(0, 0, False), (1, 0, False)]
    assert len(recurrences.list_recurring_errors(memory.store.database, 2, 1)) == 1
    assert recurrences.list_recurring_errors(memory.store.database, 3, 10) == []


def test_the_period_of_a_store_is_that_of_its_finished_sessions(memory: holloway.Holloway) -> None:
    assert recurrences.read_period(memory.store.database) == (0, "", "")
    _meet(memory, "s1", "e1")
    _meet(memory, "s2", "e1")
    sessions, since, until = recurrences.read_period(memory.store.database)
    assert sessions == 2
    assert "" < since <= until
