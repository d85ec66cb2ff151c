"""Memory: the card of one memory with its evidence, history and relations, and the actions in place."""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING

from holloway.domain.memory import parse_choice
from holloway.panel import labels
from holloway.panel.data import list_details, list_quotes
from holloway.panel.page import get_word
from holloway.service.bulk_actions import BulkAction

if TYPE_CHECKING:
    from starlette.responses import Response

    from holloway.panel.page import Page


def show_memory(page: Page) -> Response:
    """Show one memory with everything that is known about it."""
    return _show_card(page)


def _show_card(page: Page, *, error: str = "", status: int = HTTPStatus.OK) -> Response:
    card = page.data.get_card(page.path_values["id"])
    details = list_details(card.memory)
    quotes = [*list_quotes(card.provenance), *page.data.sharing.list_shared_quotes(card.memory)]
    return page.render("memory.html", status=status, card=card, quotes=quotes, details=details, error=error)


def act_on_memory(page: Page) -> Response:
    """Confirm, pin, mute, postpone or forget a memory, or end one of these, with undo."""
    memory_id = page.path_values["id"]
    action = parse_choice(BulkAction, page.path_values["action"])
    change = page.data.act(action, memory_id)
    fields = {"user": "1"} if page.data.is_of_all_projects(memory_id) else {}
    page.flash(page.gettext(labels.ACTION_MESSAGES[action]), undo=f"/undo/{change.id}", undo_fields=fields)
    return _return_to(page)


def edit_memory(page: Page) -> Response:
    """Change the text, type, files or visibility of a memory."""
    memory_id = page.path_values["id"]
    before = page.data.get_card(memory_id).memory
    visibility, is_undo = get_word(page.form, "visibility"), "chosen" in page.form
    # The form always has a visibility; only another one was chosen.
    page.data.edit(
        memory_id,
        content=get_word(page.form, "content") or None,
        type=get_word(page.form, "type") or None,
        visibility=visibility if visibility and (is_undo or visibility != before.visibility) else None,
        is_choice=not is_undo or get_word(page.form, "chosen") == "1",
    )
    undo_fields = {"content": before.content, "type": str(before.type), "visibility": str(before.visibility)}
    undo_fields["chosen"] = "1" if before.chosen else "0"
    page.flash(
        page.gettext("Saved. The text before it is in the history."),
        undo=f"/memories/{memory_id}/edit",
        undo_fields=undo_fields,
    )
    return _return_to(page)


def forget_for_good(page: Page) -> Response:
    """Erase a memory after its id was typed; nothing of it can be restored."""
    memory_id = page.path_values["id"]
    if get_word(page.form, "typed") != memory_id:
        message = page.gettext("Type the id %(id)s to confirm. Nothing was erased.", id=memory_id)
        return _show_card(page, error=message, status=HTTPStatus.UNPROCESSABLE_ENTITY)
    left = page.data.forget_for_good(memory_id)
    text = page.gettext("Erased for good.")
    page.flash(f"{text} {page.gettext('Still to be cleaned: %(places)s', places=', '.join(left))}" if left else text)
    return page.redirect("/memories")


def restore_memory(page: Page) -> Response:
    """Restore a memory that was forgotten or judged wrong."""
    page.data.restore(page.path_values["id"])
    page.flash(page.gettext("Restored."))
    return _return_to(page)


def _return_to(page: Page) -> Response:
    """Go back to the page that holds the form, or to the card."""
    return page.redirect(get_word(page.form, "next") or f"/memories/{page.path_values['id']}")
