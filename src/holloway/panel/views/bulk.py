"""Bulk actions: one action on the chosen memories or on all that a filter selects, and its undo."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holloway.domain.memory import parse_choice
from holloway.errors import InvalidInput
from holloway.panel import labels
from holloway.panel.page import get_word, parse_fields
from holloway.service.bulk_actions import BulkAction
from holloway.service.memory_list import parse_query

if TYPE_CHECKING:
    from starlette.responses import Response

    from holloway.panel.page import Page


def change_memories(page: Page) -> Response:
    """Apply an action to the marked memories, or to all of the filter in the form; nothing if the number differs."""
    action = parse_choice(BulkAction, get_word(page.form, "action"))
    fields = parse_fields(get_word(page.form, "query"))
    chosen_ids = page.form.get("id", [])
    is_all = get_word(page.form, "all") == "1"
    if not (chosen_ids or is_all):
        raise InvalidInput(page.gettext("No memory is marked."), page.gettext("Mark some in the list first."))
    query = parse_query(fields if is_all else {"ids": chosen_ids, "user": fields.get("user", [])})
    expected = get_word(page.form, "expected")
    change = page.data.act_on_all(action, query, int(expected) if is_all and expected.isdecimal() else None)
    singular, plural = labels.BULK_MESSAGES[action]
    page.flash(
        page.ngettext(singular, plural, change.memories),
        undo=f"/undo/{change.id}",
        undo_fields={"user": "1"} if query.user else {},
    )
    return page.redirect(page.next_path or "/memories")


def undo_change(page: Page) -> Response:
    """Undo an action; memories that were changed again since stay as they are."""
    undo = page.data.undo(page.path_values["change"], user=get_word(page.form, "user") == "1")
    text = page.ngettext("%(count)s memory is as before.", "%(count)s memories are as before.", undo.restored)
    if undo.skipped:
        skipped = page.ngettext(
            "%(count)s was changed since and stays.", "%(count)s were changed since and stay.", undo.skipped
        )
        text = f"{text} {skipped}"
    page.flash(text)
    return page.redirect(page.next_path or "/memories")
