"""Sharing: where it stands, who takes part, the ceremony before anything leaves, and conflicts."""

from __future__ import annotations

import json
from http import HTTPStatus
from typing import TYPE_CHECKING

from holloway.errors import HollowayError, InvalidInput
from holloway.panel.page import get_word

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from starlette.responses import Response

    from holloway.panel.page import Page
    from holloway.service.share import Participant, Sharing

SHARING_PATH = "/sharing"
OFFER_PATH = "/sharing/offer"
CONFLICTS_PATH = "/sharing/conflicts"
CHECKS = ("readers", "quotes", "copies")
"""The lines of the checklist, each of which the person ticks before anything leaves."""
DEFAULT_REMOTE = "origin"


def show_sharing(page: Page, *, error: HollowayError | None = None) -> Response:
    """Show where sharing stands and who takes part."""
    sharing = page.data.sharing
    return page.render(
        "sharing.html",
        status=HTTPStatus.UNPROCESSABLE_ENTITY if error else HTTPStatus.OK,
        sharing=sharing.status(),
        first_memories=sharing.list_onboarding(),
        fetched=sharing.count_fetched_devices() if sharing.may_be_offered else 0,
        error=error,
    )


def change_sharing(page: Page) -> Response:
    """Exchange now, join, pause, leave, exclude or include the project."""
    action = SHARE_ACTIONS.get(page.path_values["action"])
    if action is None:
        raise InvalidInput(
            f"There is no action {page.path_values['action'][:40]!r}.", f"Known: {', '.join(SHARE_ACTIONS)}."
        )
    try:
        text = action(page, page.data.sharing)
    except HollowayError as error:
        return show_sharing(page, error=error)
    if text:
        page.flash(text)
    return page.redirect(page.next_path or SHARING_PATH)


def _exchange(page: Page, sharing: Sharing) -> str:
    report = sharing.synchronize()
    sent, added = page.number(report.sent), page.number(report.applied.added)
    return page.gettext("Exchanged: %(sent)s sent, %(added)s new.", sent=sent, added=added)


def _join(page: Page, sharing: Sharing) -> str:
    sharing.join(get_word(page.form, "remote") or DEFAULT_REMOTE)
    sharing.synchronize()
    return page.gettext("You read what others share. Nothing of yours has left.")


def _pause(page: Page, sharing: Sharing) -> str:
    sharing.membership.set_paused(is_paused=True)
    return page.gettext("Paused. Changes are recorded and sent when you go on.")


def _resume(page: Page, sharing: Sharing) -> str:
    sharing.membership.set_paused(is_paused=False)
    return page.gettext("Sharing goes on.")


def _leave(page: Page, sharing: Sharing) -> str:
    sharing.membership.leave()
    return page.gettext("Left. Your memories stay here; copies that others fetched stay with them.")


def _exclude(page: Page, sharing: Sharing) -> str:
    sharing.exclude()
    return page.gettext("This project is not shared from now on.")


def _include(page: Page, sharing: Sharing) -> str:
    sharing.include()
    return page.gettext("This project may be shared. Nothing has left yet.")


def _postpone(page: Page, sharing: Sharing) -> str:
    return page.gettext("Not now. Nothing offers it before %(day)s.", day=sharing.snooze()[:10])


def _dismiss(page: Page, sharing: Sharing) -> str:
    sharing.dismiss_onboarding()
    return ""


SHARE_ACTIONS: Mapping[str, Callable[[Page, Sharing], str]] = {
    "sync": _exchange,
    "join": _join,
    "pause": _pause,
    "resume": _resume,
    "leave": _leave,
    "exclude": _exclude,
    "include": _include,
    "later": _postpone,
    "read": _dismiss,
}
"""Actions of the page by the last word of their path; each returns the message for the person."""


def decide_person(page: Page) -> Response:
    """Accept or refuse an author or a device."""
    sharing, name = page.data.sharing, get_word(page.form, "replica")
    try:
        if get_word(page.form, "decision") == "refuse":
            people = sharing.refuse(name)
            text = page.gettext("Refused: %(names)s. What they wrote is set aside.", names=_name_people(people))
        else:
            people = sharing.accept(name, is_mine=get_word(page.form, "decision") == "mine")
            text = page.gettext("Accepted: %(names)s. Agents read their memories now.", names=_name_people(people))
    except HollowayError as error:
        return show_sharing(page, error=error)
    page.flash(text)
    return page.redirect(SHARING_PATH)


def show_offer(page: Page, *, error: HollowayError | None = None) -> Response:
    """Show what would leave, in groups, and what stays; with `preview`, exactly what would be sent."""
    sharing = page.data.sharing
    fields = page.form or page.query
    groups = [name for name in fields.get("groups", ()) if name]
    remote = get_word(fields, "remote") or DEFAULT_REMOTE
    offer, preview = None, []
    try:
        offer = sharing.build_offer(remote)
        if get_word(fields, "preview"):
            preview = [(card, _dump_preview(sharing.preview(card))) for card in offer.pick(groups)]
    except HollowayError as problem:
        error = error or problem
    return page.render(
        "sharing_offer.html",
        status=HTTPStatus.UNPROCESSABLE_ENTITY if error else HTTPStatus.OK,
        offer=offer,
        remote=remote,
        groups=groups,
        ticked=[name for name in CHECKS if name in fields],
        author=get_word(fields, "author"),
        is_previewed=bool(get_word(fields, "preview")),
        preview=preview,
        quotes={card.id: sharing.list_quotes(card) for card in offer.chosen} if offer else {},
        quoted={card.id for card in offer.chosen if sharing.has_ticked(card)} if offer else (),
        error=error,
    )


def start_sharing(page: Page) -> Response:
    """Share what was chosen and the ticked groups, once every line of the checklist is ticked."""
    sharing = page.data.sharing
    if missing := [name for name in CHECKS if name not in page.form]:
        count = len(missing)
        message = page.ngettext(
            "Tick the %(count)s line that is left. Nothing was shared.",
            "Tick the %(count)s lines that are left. Nothing was shared.",
            count,
        )
        return show_offer(page, error=InvalidInput(message))
    try:
        offer = sharing.build_offer(get_word(page.form, "remote") or DEFAULT_REMOTE)
        groups = [name for name in page.form.get("groups", ()) if name]
        recorded = sharing.start(offer, groups, author=get_word(page.form, "author"))
    except HollowayError as error:
        return show_offer(page, error=error)
    page.flash(page.ngettext("%(count)s memory is shared.", "%(count)s memories are shared.", recorded))
    try:
        sharing.synchronize()
    except HollowayError as error:
        return show_sharing(page, error=error)
    return page.redirect(SHARING_PATH)


def tick_quotes(page: Page) -> Response:
    """Let the evidence quotes of a memory leave with it, or keep them here."""
    page.data.sharing.tick_quotes([get_word(page.form, "id")], is_on=bool(get_word(page.form, "leave")))
    return page.redirect(page.next_path or OFFER_PATH)


def show_conflicts(page: Page, *, error: HollowayError | None = None) -> Response:
    """Show each conflict with all versions of its text."""
    return page.render(
        "sharing_conflicts.html",
        status=HTTPStatus.UNPROCESSABLE_ENTITY if error else HTTPStatus.OK,
        conflicts=page.data.sharing.list_conflicts(),
        error=error,
    )


def resolve_conflict(page: Page) -> Response:
    """Keep one version of a text, or replace all by a merged one."""
    text, letter = get_word(page.form, "text"), get_word(page.form, "keep")
    try:
        if bool(text) == bool(letter):
            raise InvalidInput(page.gettext("Keep one version, or write the text that holds."))
        page.data.sharing.resolve_conflict(page.path_values["id"], letter=letter, text=text)
    except HollowayError as error:
        return show_conflicts(page, error=error)
    page.flash(page.gettext("Decided. Everybody gets this version with the next exchange."))
    return page.redirect(CONFLICTS_PATH)


def _name_people(people: Sequence[Participant]) -> str:
    return ", ".join(f"{person.author} ({person.device})" for person in people)


def _dump_preview(row: dict[str, object]) -> str:
    return json.dumps(row, ensure_ascii=False, indent=2)
