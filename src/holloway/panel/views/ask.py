"""Ask: a conversation over the memories and the map, with citations, or the ranked evidence without a model."""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING

from holloway.config import QUERY_CHARS_MAX
from holloway.panel.page import get_word

if TYPE_CHECKING:
    from starlette.responses import Response

    from holloway.panel.page import Page


EXAMPLE_MODULES = 2


def show_conversation(page: Page) -> Response:
    """Show the conversation of this browser; `q` prefills the question."""
    return _show(page, get_word(page.query, "q")[:QUERY_CHARS_MAX])


def ask_question(page: Page) -> Response:
    """Answer a question, and show it at the end of the conversation."""
    question = get_word(page.form, "q")
    if not question or len(question) > QUERY_CHARS_MAX:
        message = page.gettext("Ask a question of at most %(count)s characters.", count=page.number(QUERY_CHARS_MAX))
        return _show(page, question[:QUERY_CHARS_MAX], error=message)
    page.data.ask(page.conversation, question)
    return page.redirect("/ask#last")


def start_again(page: Page) -> Response:
    """Forget the conversation of this browser."""
    page.forget_conversation()
    return page.redirect("/ask")


def list_examples(page: Page) -> list[str]:
    """Return questions that this project may answer, one for each of its first modules."""
    modules = page.data.list_module_names()[:EXAMPLE_MODULES]
    about = [page.gettext("What should I know before I change %(module)s?", module=module) for module in modules]
    return [*about, page.gettext("What was decided, and why?"), page.gettext("Which errors were solved before?")]


def _show(page: Page, question: str, *, error: str = "") -> Response:
    """Show the conversation without turns that rest on a memory which was erased since."""
    conversation = page.conversation
    conversation.turns = [
        turn
        for turn in conversation.turns
        if all(page.data.find_memory(result.memory.id) for result in turn.answer.results)
    ]
    return page.render(
        "ask.html",
        status=HTTPStatus.UNPROCESSABLE_ENTITY if error else HTTPStatus.OK,
        turns=conversation.turns,
        question=question,
        error=error,
        examples=list_examples(page),
        writer=page.data.describe_writer(),
    )
