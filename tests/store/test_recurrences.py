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
