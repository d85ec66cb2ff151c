"""Teach: a form for a new memory, prefilled by the address, so that editors and the command line can open it."""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING

from holloway.domain.memory import Visibility
from holloway.errors import InvalidInput
from holloway.panel.page import get_word

if TYPE_CHECKING:
    from collections.abc import Mapping

    from starlette.responses import Response

    from holloway.panel.page import Page

FIELDS = ("text", "file", "type", "module", "visibility", "scope")


def show_form(page: Page) -> Response:
    """Show the form with the values of the address."""
    return _show(page, page.query)


def teach_memory(page: Page) -> Response:
    """Store a memory. A form that the service refuses is shown again with its message."""
    try:
        remembered = page.data.teach(
            get_word(page.form, "text"),
            type=get_word(page.form, "type") or None,
            files=get_word(page.form, "file").split(),
            modules=[name for name in page.form.get("module", []) if name],
            visibility=get_word(page.form, "visibility") or Visibility.PERSONAL,
            user=get_word(page.form, "scope") == "user",
        )
    except InvalidInput as error:
        return _show(page, page.form, error=error)
    if remembered.memory is None:
        refusal = InvalidInput(
            page.gettext("You called this text wrong before, so it was not stored."),
            page.gettext("Restore it in the list of forgotten memories, or say it in other words."),
        )
        return _show(page, page.form, error=refusal)
    text = page.gettext("Agents know it from their next session on.")
    if remembered.outcome != "added":
        text = page.gettext("You said this before: its confidence was raised.")
    if remembered.redacted:
        redacted = ", ".join(remembered.redacted)
        text = f"{text} {page.gettext('Removed before storing: %(secrets)s.', secrets=redacted)}"
    if remembered.close:
        page.flash(
            page.gettext("Something close is stored: %(memory)s", memory=remembered.close[0].memory.summary),
            link=f"/memories/{remembered.close[0].memory.id}",
        )
    page.flash(text, undo=f"/memories/{remembered.memory.id}/forget" if remembered.outcome == "added" else "")
    return page.redirect(f"/memories/{remembered.memory.id}")


def complete_path(page: Page) -> Response:
    """Return options for the field of a file."""
    text = get_word(page.query, "file") or get_word(page.query, "files")
    return page.render("parts/options.html", options=page.data.complete_path(text))


def _show(page: Page, fields: Mapping[str, list[str]], *, error: InvalidInput | None = None) -> Response:
    return page.render(
        "teach.html",
        status=HTTPStatus.UNPROCESSABLE_ENTITY if error else HTTPStatus.OK,
        values={name: get_word(fields, name) for name in FIELDS},
        modules=page.data.list_module_names(),
        error=error,
    )
