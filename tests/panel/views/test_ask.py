"""The page Ask: a conversation with citations, refusal, and the evidence without a model."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from holloway.llm.providers import Choice
from holloway.panel.conversations import CONVERSATIONS_MAX, Conversations
from holloway.testing import FakeWriter
from tests.panel.views.test_memories import teach

if TYPE_CHECKING:
    from starlette.testclient import TestClient

    from holloway.panel.panel import Panel

QUESTION = "how is money stored"


@pytest.fixture
def money(panel: Panel) -> str:
    """The id of a memory about money, in a project that is mapped."""
    memory_id = teach(panel, "Money is stored as integer cents")[0]
    with panel.open_memory(settle=True) as memory:
        memory.map.update()
    return memory_id


def answer_with(monkeypatch: pytest.MonkeyPatch, *texts: str) -> FakeWriter:
    """Let a language model give these answers, one after the other."""
    writer = FakeWriter(*texts)
    monkeypatch.setattr("holloway.service.ask.choose_writer", lambda _: Choice(writer, ""))
    return writer


def ask(client: TestClient, question: str = QUESTION) -> str:
    answer = client.post("/ask", data={"q": question})
    assert (answer.status_code, answer.headers["location"]) == (303, "/ask#last")
    return client.get("/ask").text


def test_it_says_what_is_answered_from_what(client: TestClient) -> None:
    page = client.get("/ask?q=why+cents").text
    assert "with citations" in page
    assert "No language model is set up" in page
    assert ">why cents</textarea>" in page


def test_without_a_model_the_evidence_is_the_answer_and_the_page_says_so(client: TestClient, money: str) -> None:
    page = ask(client)
    assert QUESTION in page
    assert "No language model wrote an answer. Here is the evidence, best first." in page
    assert f'href="/memories/{money}"' in page


def test_a_citation_is_a_chip_that_opens_its_memory(
    client: TestClient, money: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer_with(monkeypatch, f"In cents <b> [hw:{money}].")
    page = ask(client)
    assert f'<span class="chip"><a href="/memories/{money}">Money is stored as integer cents</a>' in page
    assert f'href="/memories/{money}/wrong?next=/ask"' in page
    assert "In cents &lt;b&gt;" in page
    assert "Written by fake" in page


def test_an_answer_that_cites_nothing_is_refused(
    client: TestClient, money: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer_with(monkeypatch, "In gold, I think.")
    page = ask(client)
    assert "In gold" not in page
    assert "cited nothing that is stored, so it is not shown" in page


def test_a_question_that_nothing_supports_is_refused_and_no_model_is_asked(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    writer = answer_with(monkeypatch, "Anything")
    page = ask(client, "zzzz qqqq")
    assert "Nothing in the memories or the map supports an answer." in page
    assert 'href="/teach"' in page
    assert writer.asked == []


def test_a_conversation_remembers_its_turns_until_it_starts_again(
    client: TestClient, money: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    writer = answer_with(monkeypatch, f"In cents [hw:{money}].", f"Because of rounding [hw:{money}].")
    ask(client)
    page = ask(client, "and why?")
    assert "In cents" in writer.asked[1]
    assert page.index("In cents") < page.index("Because of rounding")
    assert page.index(QUESTION) < page.index("and why?")
    assert client.post("/ask/again").status_code == 303
    assert QUESTION not in client.get("/ask").text


def test_another_browser_has_another_conversation(client: TestClient, panel: Panel, money: str) -> None:
    assert QUESTION in ask(client)
    client.cookies.set(panel.policy.cookie_name, panel.policy.sessions.sign_in())
    assert QUESTION not in client.get("/ask").text


def test_an_answer_is_forgotten_with_a_memory_that_is_erased(
    client: TestClient, panel: Panel, money: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer_with(monkeypatch, f"As integer cents [hw:{money}].")
    assert "As integer cents" in ask(client)
    with panel.open_memory(settle=False) as memory:
        memory.forget([money], hard=True)
    assert "As integer cents" not in client.get("/ask").text


@pytest.mark.parametrize("question", ["", "   ", "x" * 4_097])
def test_a_question_of_no_or_too_many_words_is_not_asked(client: TestClient, question: str) -> None:
    answer = client.post("/ask", data={"q": question})
    assert answer.status_code == 422
    assert "at most 4,096 characters" in answer.text


def test_the_oldest_conversation_is_dropped_when_there_are_too_many() -> None:
    conversations = Conversations()
    first = conversations.get("first")
    assert conversations.get("first") is first
    for number in range(CONVERSATIONS_MAX):
        conversations.get(str(number))
    assert conversations.get("first") is not first
