"""Error pages: what happened in a sentence, and what to do next."""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING

from holloway.errors import InvalidInput
from holloway.extras import find_invocation
from holloway.panel.locale import mark_text
from holloway.panel.security import BODY_BYTES_MAX
from holloway.service.results import UnknownMemory

if TYPE_CHECKING:
    from starlette.responses import Response

    from holloway.errors import HollowayError
    from holloway.panel.page import Page

MEGABYTE = 1024 * 1024
STATUS_MESSAGES = {
    HTTPStatus.UNAUTHORIZED: (
        mark_text("This browser is not signed in"),
        mark_text("Ask for a one-time address in a terminal, in the folder of the project, and open it here:"),
    ),
    HTTPStatus.FORBIDDEN: (
        mark_text("This request was refused"),
        mark_text("It came from another site, or its link was used before. Open the panel and try again there."),
    ),
    HTTPStatus.NOT_FOUND: (
        mark_text("There is no such page"),
        mark_text("The address may be mistyped, or the memory was forgotten for good."),
    ),
    HTTPStatus.METHOD_NOT_ALLOWED: (
        mark_text("This page cannot be used like that"),
        mark_text("Open the panel and try again there."),
    ),
    HTTPStatus.MISDIRECTED_REQUEST: (
        mark_text("This panel does not answer to that name"),
        mark_text("Open it by the address that it printed. For a container or a forwarded port, use --host-header."),
    ),
    HTTPStatus.REQUEST_TIMEOUT: (
        mark_text("The request took too long to arrive"),
        mark_text("Nothing was changed. Try again."),
    ),
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE: (
        mark_text("That is too much text"),
        mark_text("Nothing was changed. A request may have %(limit)s MB."),
    ),
    HTTPStatus.UNSUPPORTED_MEDIA_TYPE: (
        mark_text("This kind of form is not understood"),
        mark_text("Nothing was changed."),
    ),
    HTTPStatus.INTERNAL_SERVER_ERROR: (
        mark_text("The panel failed"),
        mark_text("This is a bug in holloway. Your memories are safe; the terminal of the panel shows the error."),
    ),
    HTTPStatus.LOCKED: (
        mark_text("This panel is read-only"),
        mark_text("Nothing was changed. It was started with --read-only."),
    ),
}


def show_status(page: Page, status: HTTPStatus) -> Response:
    """Answer with the page of an HTTP status."""
    title, hint = STATUS_MESSAGES.get(status, (status.phrase, ""))
    command = f"{find_invocation()} panel --link" if status is HTTPStatus.UNAUTHORIZED else ""
    hint = page.gettext(hint, limit=BODY_BYTES_MAX // MEGABYTE) if "%(limit)s" in hint else page.gettext(hint or " ")
    return page.render("error.html", status=status, title=page.gettext(title), hint=hint, command=command)


def show_error(page: Page, error: HollowayError) -> Response:
    """Answer with the message and the hint of an error of the service."""
    if isinstance(error, UnknownMemory):
        status = HTTPStatus.NOT_FOUND
    else:
        status = HTTPStatus.BAD_REQUEST if isinstance(error, InvalidInput) else HTTPStatus.SERVICE_UNAVAILABLE
    return page.render(
        "error.html", status=status, title=page.translate(error.message), hint=page.translate(error.hint), command=""
    )
