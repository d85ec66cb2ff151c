"""The facts beside its events that a session is measured against."""

from holloway.domain.work import SessionSummary
from holloway.proof.session_facts import InjectedMemory, SessionFacts, StoreFigures, collect_before
from holloway.service.holloway import Holloway
from holloway.store import lookup, session_ledger
from holloway.text.tokens import estimate_tokens
from tests.observer.story import Story
from tests.service.learned import learn, solved
from tests.store.test_memories import taught

TOKENS, INVOICE = "src/shop/auth/tokens.py", "src/shop/billing/invoice.py"
AT = "2026-01-05T09:00:00.000Z"


def facts_of(memory: Holloway, session: str, modules: set[str] | None = None) -> SessionFacts:
    (summary,) = session_ledger.find_sessions(memory.store.database, session) or [SessionSummary(session, "", AT, AT)]
    return collect_before(memory.store, summary, [TOKENS, INVOICE], SessionFacts(group="full"), modules or set())


def test_what_nobody_tells_is_unknown() -> None:
    before = SessionFacts()
    facts = (before.group, before.methodology, before.role, before.modules, before.resumed, before.answers)
    assert (*facts, before.prefetched, before.store) == (None,) * 8


def test_a_project_without_a_past_has_no_facts(memory: Holloway) -> None:
    facts = facts_of(memory, "s1")
    assert (facts.files, facts.errors, facts.dead_end_files, facts.shown) == (frozenset(), frozenset(), frozenset(), ())
    assert (facts.corrected, facts.flagged, facts.search_tokens, facts.group) == (0, 0, 0.0, "full")
    assert facts.store == StoreFigures(0, None, None)


def test_files_count_that_another_session_opened(memory: Holloway) -> None:
    learn(memory, Story("s1").read(TOKENS))
    assert facts_of(memory, "s1").files == frozenset()
    assert facts_of(memory, "s2").files == {TOKENS}
    learn(memory, Story("s2", at=9_000.0).read(TOKENS, INVOICE))
    assert facts_of(memory, "s1").files == {TOKENS, INVOICE}
    assert facts_of(memory, "s2").files == {TOKENS}


def test_errors_count_that_another_session_solved(memory: Holloway) -> None:
    learn(memory, solved("s1"))
    assert facts_of(memory, "s1").errors == frozenset()
    assert len(facts_of(memory, "s2").errors) == 1


def test_files_with_a_dead_end_and_the_figures_of_the_store_are_told(memory: Holloway) -> None:
    taught(memory, "Redis was slow", type="dead_end", files=[TOKENS], modules=["auth"])
    taught(memory, "Money is integer cents", files=[INVOICE], modules=["billing"])
    facts = facts_of(memory, "s1", {"auth", "billing", "tests"})
    assert facts.dead_end_files == {TOKENS}
    assert facts.store == StoreFigures(2, 0.9, 0.667)


def test_what_a_session_and_its_subagents_were_shown_is_told_while_it_exists(memory: Holloway) -> None:
    stored, gone = taught(memory, "Money is integer cents", files=[INVOICE]), taught(memory, "Dates are local")
    connection = memory.store.database.connection
    for session, ids in (("s1", [stored.id]), ("s1/a1", [gone.id]), ("s2", [stored.id])):
        lookup.claim_injections(connection, ids, session=session, agent="a", point="prompt", now=AT)
    assert {shown.memory for shown in facts_of(memory, "s1").shown} == {stored.id, gone.id}
    memory.forget([gone], hard=True)
    at = memory.clock.now().timestamp()
    tokens = estimate_tokens(stored.summary)
    assert facts_of(memory, "s1").shown == (InjectedMemory(stored.id, "prompt", at, tokens, (INVOICE,)),)


def test_the_fix_of_an_error_is_shown_with_its_fingerprint(memory: Holloway) -> None:
    learn(memory, solved("s1"))
    (lesson,) = [stored for stored in memory.memories() if stored.type == "error_pattern"]
    connection = memory.store.database.connection
    lookup.claim_injections(connection, [lesson.id], session="s2", agent="a", point="tool_result", now=AT)
    (shown,) = facts_of(memory, "s2").shown
    assert shown.fingerprint in facts_of(memory, "s2").errors
