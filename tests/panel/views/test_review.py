"""The pages of the review: the end of a session, and one card after the other for what waits."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from holloway.domain.memory import Draft, ReviewReason, Source, State
from holloway.service import review_cards
from holloway.store.write_gate import sanitize_draft
from tests.service.test_session_report import set_record, solve
from tests.store.test_memories import taught

if TYPE_CHECKING:
    from starlette.testclient import TestClient

    from holloway.domain.memory import Memory
    from holloway.panel.panel import Panel
    from holloway.service.holloway import Holloway
    from tests.conftest import Repository

RULES = "# Rules\n\n- Money is integer cents.\n- Never edit src/shop/auth/session.py by hand.\n- Run `make check`.\n"


def run_session(panel: Panel, *, level: str = "standard", **fields: object) -> str:
    """Choose a level and let a session learn something; returns the id of what it learned."""
    with panel.open_memory(settle=False) as memory:
        memory.trust.choose(level)
        stored = solve(memory, "s1")
        set_record(memory, "s1", **fields)
    return stored


def read(panel: Panel, memory_id: str) -> Memory:
    with panel.open_memory(settle=False) as memory:
        return memory.get(memory_id)


def quarantine(memory: Holloway, content: str) -> str:
    """Store a memory that came from outside and that nobody confirmed; returns its id."""
    draft = Draft(content, source=Source.FOREIGN_FILE, state=State.QUARANTINED, review=ReviewReason.IMPORTED)
    stored = memory.store.memories.add_memory(sanitize_draft(draft)).memory
    assert stored
    return stored.id


@pytest.fixture
def rules(panel: Panel, own_repository: Repository) -> list[str]:
    """Memories that were read from a rules file and wait."""
    own_repository.commit("CLAUDE.md", RULES)
    with panel.open_memory(settle=True) as memory:
        memory.import_rules()
        return [waiting.id for waiting in memory.to_review()]


def test_nothing_to_review_says_so(client: TestClient) -> None:
    assert "Nothing to review" in client.get("/review").text
    assert "Nothing waits for you." in client.get("/review/queue").text


def test_the_end_of_a_session_shows_what_was_saved_used_and_learned(client: TestClient, panel: Panel) -> None:
    with panel.open_memory(settle=False) as memory:
        used = taught(memory, "Tokens expire after an hour").id
    stored = run_session(panel, saved_tokens=1_200, injected_tokens=200, used=[used], acted_on=[used])
    page = client.get("/review").text
    assert "Memory saved about 1,200 tokens of discovery (an estimate)." in page
    assert "With the 200 that it added: 1,000 net." in page
    assert re.search(r'class="badge acted_on">acted on</span> <a href="/memories/' + used, page)
    assert "1 of 1" in page
    assert f'action="/review/{stored}/confirm"' in page
    assert 'data-key="a"' in page
    assert 'data-key="e"' in page
    assert 'data-key="x"' in page
    assert "Save all confirmed (1)" in page


def test_a_card_is_confirmed_dropped_or_postponed_with_undo(client: TestClient, panel: Panel) -> None:
    stored = run_session(panel)
    for action, text in (("confirm", "Confirmed."), ("later", "asked again tomorrow"), ("forget", "Forgotten.")):
        answer = client.post(f"/review/{stored}/{action}", data={"next": "/review"})
        assert (answer.status_code, answer.headers["location"]) == (303, "/review")
        page = client.get("/memories").text
        assert text in page
        undo = re.search(r'action="(/undo/\w+)"', page)
        assert undo
        client.post(undo[1])
    assert read(panel, stored).is_alive
    assert read(panel, stored).state is State.UNCONFIRMED
    assert client.post(f"/review/{stored}/explode").status_code == 400


def test_an_edited_text_is_kept_and_an_empty_one_is_not(client: TestClient, panel: Panel) -> None:
    stored = run_session(panel)
    assert client.post(f"/review/{stored}/edit", data={"content": "  "}).status_code == 400
    client.post(f"/review/{stored}/edit", data={"content": "Set REDIS_URL before the tests"})
    assert read(panel, stored).content == "Set REDIS_URL before the tests"


def test_all_new_memories_are_confirmed_at_once_and_that_is_undone_at_once(client: TestClient, panel: Panel) -> None:
    stored = run_session(panel)
    answer = client.post("/review/all", data={"session": "s1"})
    assert read(panel, stored).state is State.CONFIRMED
    undo = re.search(r'action="(/undo/\w+)"', client.get(answer.headers["location"]).text)
    assert undo
    client.post(undo[1])
    assert read(panel, stored).state is State.UNCONFIRMED


def test_a_cautious_project_is_asked_about_each(client: TestClient, panel: Panel) -> None:
    run_session(panel, level="cautious")
    page = client.get("/review").text
    assert "Save all confirmed" not in page
    assert "each new memory is asked about" in page


def test_a_confident_project_sees_only_what_needs_a_decision(client: TestClient, panel: Panel) -> None:
    run_session(panel, level="confident", saved_tokens=10)
    page = client.get("/review?session=s1").text
    assert "1 new memory needs no decision of yours." in page
    assert "Save all confirmed" not in page


def test_an_autonomous_project_is_reviewed_on_demand(client: TestClient, panel: Panel) -> None:
    stored = run_session(panel, level="autonomous")
    assert stored not in client.get("/review").text
    assert stored in client.get("/review?session=last").text
    assert client.get("/review?session=none").status_code == 404


def test_a_review_left_for_later_is_not_offered_again(client: TestClient, panel: Panel) -> None:
    stored = run_session(panel)
    answer = client.post("/review/postpone", data={"session": "s1"})
    assert answer.headers["location"] == "/sessions/s1"
    assert stored not in client.get("/review").text
    assert stored in client.get("/review?session=s1").text


def test_a_decision_is_noted_so_that_reviews_stay_full(
    client: TestClient, panel: Panel, monkeypatch: pytest.MonkeyPatch
) -> None:
    noted: list[object] = []
    monkeypatch.setattr("holloway.service.session_report.note_decision", noted.append)
    stored = run_session(panel)
    client.post(f"/review/{stored}/confirm")
    assert len(noted) == 1


def test_a_read_only_panel_does_not_note_that_a_review_was_shown(
    client: TestClient, panel: Panel, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown: list[object] = []
    monkeypatch.setattr(review_cards, "show_review", shown.append)
    run_session(panel)
    object.__setattr__(panel.policy, "read_only", True)
    assert "Save all confirmed" in client.get("/review").text
    assert shown == []


def test_what_waits_is_decided_one_card_at_a_time(client: TestClient, panel: Panel, rules: list[str]) -> None:
    assert len(rules) >= 3
    page = client.get("/review/queue").text
    assert f"1 of {len(rules)}" in page
    assert page.count('class="card review"') == 1
    assert "read from a rules file" in page
    assert "CLAUDE.md" in page
    following = re.search(r'name="following" value="(\w+)"', page)
    assert following
    assert following[1] == rules[1]
    answer = client.post(f"/review/{rules[0]}/confirm", data={"following": rules[1]})
    assert answer.headers["location"] == f"/review/queue?at={rules[1]}"
    assert f"/review/{rules[1]}/confirm" in client.get(answer.headers["location"]).text
    assert read(panel, rules[0]).state is State.CONFIRMED


def test_the_remaining_rules_are_confirmed_together_if_there_are_as_many_as_was_said(
    client: TestClient, panel: Panel, rules: list[str]
) -> None:
    with panel.open_memory(settle=False) as memory:
        outside = quarantine(memory, "Deploys go through the gateway host")
    assert f"Confirm all remaining {len(rules)} from your rules files" in client.get("/review/queue").text
    assert client.post("/review/rules", data={"expected": "1"}).status_code == 400
    assert {read(panel, rule).state for rule in rules} != {State.CONFIRMED}
    client.post("/review/rules", data={"expected": str(len(rules))})
    assert {read(panel, rule).state for rule in rules} == {State.CONFIRMED}
    assert read(panel, outside).state is State.QUARANTINED, "what came from outside is looked at one by one"


def test_a_statement_of_an_agent_about_the_map_is_accepted_or_dropped(
    client: TestClient, panel: Panel, repository: Repository
) -> None:
    with panel.open_memory(settle=True) as memory:
        memory.map.update()
        memory.map.propose("README.md", "documents", "src/shop/auth/tokens.py", agent="claude-code")
        memory.map.propose("README.md", "violates", "src/shop/auth/tokens.py", agent="claude-code")
        first, second = memory.map.proposals()
    assert "README.md" in client.get("/review/queue").text
    client.post(f"/review/map/{first.id}", data={"accept": "1"})
    client.post(f"/review/map/{second.id}", data={"accept": ""})
    with panel.open_memory(settle=False) as memory:
        assert memory.map.proposals() == []
        relations = memory.map.impact("README.md").relations
    assert [relation.kind for relation in relations] == [first.relation.kind]
    assert client.post(f"/review/map/{first.id}", data={"accept": "1"}).status_code == 400


def test_hostile_text_is_shown_as_text(client: TestClient, panel: Panel) -> None:
    with panel.open_memory(settle=False) as memory:
        quarantine(memory, "The logo is <img src=x onerror=alert(1)>")
    page = client.get("/review/queue").text
    assert "<img" not in page
    assert "&lt;img src=x" in page
