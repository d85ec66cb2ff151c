"""The facts beside its events that a session is measured against."""

from holloway.proof.session_facts import SessionFacts


def test_what_nobody_tells_is_unknown() -> None:
    before = SessionFacts()
    facts = (before.group, before.methodology, before.role, before.modules, before.resumed, before.answers)
    assert (*facts, before.prefetched, before.store) == (None,) * 8
