"""Memory: the card of one memory with its evidence, history and relations, and the actions in place."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holloway.panel.data import list_details, list_quotes
from holloway.panel.page import get_word

if TYPE_CHECKING:
    from starlette.responses import Response

    from holloway.panel.page import Page


def show_memory(page: Page) -> Response:
    """Show one memory with everything that is known about it."""
    card = page.data.get_card(page.path_values["id"])
    quotes, details = list_quotes(card.provenance), list_details(card.memory)
    return page.render("memory.html", card=card, quotes=quotes, details=details)


def confirm_memory(page: Page) -> Response:
    """Confirm a memory."""
    page.data.confirm(page.path_values["id"])
    page.flash(page.gettext("Confirmed."))
    return _return_to(page)


def pin_memory(page: Page) -> Response:
    """Pin a memory, or unpin it."""
    is_pinned = get_word(page.form, "on") == "1"
    page.data.pin(page.path_values["id"], on=is_pinned)
    text = page.gettext("Pinned: it no longer fades.") if is_pinned else page.gettext("No longer pinned.")
    page.flash(text, undo=page.request.url.path, undo_fields={"on": "" if is_pinned else "1"})
    return _return_to(page)


def edit_memory(page: Page) -> Response:
    """Change the text, type, files or visibility of a memory."""
    page.data.edit(
        page.path_values["id"],
        content=get_word(page.form, "content") or None,
        type=get_word(page.form, "type") or None,
        visibility=get_word(page.form, "visibility") or None,
    )
    page.flash(page.gettext("Saved. The text before it is in the history."))
    return _return_to(page)


def forget_memory(page: Page) -> Response:
    """Forget a memory; it can be restored for thirty days."""
    memory_id = page.path_values["id"]
    page.data.forget(memory_id)
    page.flash(page.gettext("Forgotten. Agents no longer see it."), undo=f"/memories/{memory_id}/restore")
    return _return_to(page)


def restore_memory(page: Page) -> Response:
    """Restore a memory that was forgotten or judged wrong."""
    page.data.restore(page.path_values["id"])
    page.flash(page.gettext("Restored."))
    return _return_to(page)


def _return_to(page: Page) -> Response:
    """Go back to the page that holds the form, or to the card."""
    return page.redirect(get_word(page.form, "next") or f"/memories/{page.path_values['id']}")
