"""Flag wrong: one dialog with four reasons, each with another effect."""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING

from holloway.domain.memory import WrongReason, parse_choice
from holloway.errors import InvalidInput
from holloway.panel.page import get_word

if TYPE_CHECKING:
    from starlette.responses import Response

    from holloway.panel.page import Page


def show_dialog(page: Page) -> Response:
    """Show the dialog, prefilled with the memory's text."""
    card = page.data.get_card(page.path_values["id"])
    return page.render("wrong.html", card=card, chosen=None, instead="", note="", error=None, next=page.next_path)


def flag_wrong(page: Page) -> Response:
    """Apply the effect of the chosen reason. A form that lacks its text is shown again with what is missing."""
    memory_id = page.path_values["id"]
    reason = parse_choice(WrongReason, get_word(page.form, "reason"))
    instead, note = get_word(page.form, f"instead_{reason}"), get_word(page.form, "note")
    try:
        if reason is WrongReason.INCORRECT and not instead and not get_word(page.form, "unknown"):
            raise InvalidInput(page.gettext("Say what is right, or that you don't know."))
        now_valid = page.data.flag_wrong(memory_id, reason, note=note, instead=instead)
    except InvalidInput as error:
        card = page.data.get_card(memory_id)
        return page.render(
            "wrong.html",
            status=HTTPStatus.UNPROCESSABLE_ENTITY,
            card=card,
            chosen=reason,
            instead=instead,
            note=note,
            error=error,
            next=page.next_path,
        )
    _offer_careful_level(page)
    page.flash(
        page.gettext("Done. Agents stop seeing the old text from their next step on."),
        undo=f"/memories/{memory_id}/restore" if reason is not WrongReason.PARTLY else "",
    )
    return page.redirect(page.next_path or f"/memories/{now_valid.id}")


def _offer_careful_level(page: Page) -> None:
    """Offer a more careful trust level if several memories of one session were wrong."""
    standing = page.data.get_standing()
    if standing.offered and standing.offered < standing.level:
        page.flash(
            page.gettext("Several memories were wrong in one session: a more careful level would show less."),
            link="/trust",
        )
