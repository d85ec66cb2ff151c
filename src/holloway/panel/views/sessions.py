"""Sessions: the list, and the story of one session with what agents were told, word for word."""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING

from holloway.errors import InvalidInput
from holloway.panel import error_pages
from holloway.panel.page import get_word

if TYPE_CHECKING:
    from starlette.responses import Response

    from holloway.panel.page import Page

ROWS_NUMBER_MAX = 1_000_000


def show_sessions(page: Page) -> Response:
    """Show a page of the sessions, newest first."""
    return page.render("sessions.html", listing=page.data.list_sessions(after=get_word(page.query, "after")))


def show_session(page: Page) -> Response:
    """Show one session, by the beginning of its id or `last`."""
    first = _parse_row(get_word(page.query, "first"))
    try:
        story = page.data.load_story(page.path_values["id"], first=first)
    except InvalidInput:
        return error_pages.show_status(page, HTTPStatus.NOT_FOUND)
    shown_to = first + len(story.timeline)
    return page.render(
        "session.html",
        story=story,
        row=story.row,
        session=story.row.session,
        first=first,
        next_first=shown_to if shown_to < story.timeline_total else 0,
        previous_first=max(0, first - page.data.timeline_rows),
    )


def _parse_row(text: str) -> int:
    return min(int(text), ROWS_NUMBER_MAX) if text.isascii() and text.isdigit() and len(text) < 10 else 0
