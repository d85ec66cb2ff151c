"""Review: the end of a session, and one card after the other for everything that waits for a person."""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from holloway.domain.memory import ReviewReason, parse_choice
from holloway.errors import InvalidInput
from holloway.panel import error_pages, labels
from holloway.panel.page import get_word
from holloway.service.bulk_actions import BulkAction

if TYPE_CHECKING:
    from starlette.responses import Response

    from holloway.panel.page import Page
    from holloway.service.review_cards import ReviewQueue

QUEUE_PATH = "/review/queue"


def show_review(page: Page) -> Response:
    """Show the end of the last session, or of the one in `session`, and how much else waits."""
    reference = get_word(page.query, "session")
    try:
        review = page.data.get_review(reference) if reference else page.data.find_review(read_only=page.is_read_only)
    except InvalidInput:
        return error_pages.show_status(page, HTTPStatus.NOT_FOUND)
    queue = page.data.list_queue()
    learned_ids = {card.memory.id for card in review.learned} if review else set()
    return page.render(
        "review.html",
        review=review,
        is_asked_for=bool(reference),
        has_sessions=page.data.has_sessions(),
        confirmable=sum(card.is_confirmed_by_default for card in review.learned) if review else 0,
        waiting_elsewhere=queue.total - sum(card.memory.id in learned_ids for card in queue.cards),
    )


def show_queue(page: Page) -> Response:
    """Show one card of what waits: the one in `at`, or the first; a statement about the map if no card is left."""
    queue, proposals = page.data.list_queue(), page.data.list_proposals()
    chosen = get_word(page.query, "at")
    position = next((index for index, card in enumerate(queue.cards) if card.memory.id == chosen), 0)
    cards = queue.cards
    return page.render(
        "review_queue.html",
        card=cards[position] if cards else None,
        proposal=proposals[0] if proposals and not cards else None,
        total=queue.total,
        position=position + 1,
        previous=cards[position - 1].memory.id if position else "",
        following=cards[position + 1].memory.id if position + 1 < len(cards) else "",
        rules=len(list_rules(queue)),
    )


def list_rules(queue: ReviewQueue) -> list[str]:
    """Return the ids of the waiting memories that were read from the project's own rules files.

    Only these may be confirmed without a look at each; what came from outside is quarantined until a person saw it.
    """
    return [card.memory.id for card in queue.cards if card.reason is ReviewReason.RULE]


def decide_card(page: Page) -> Response:
    """Confirm, drop or postpone a memory, and return to the review."""
    memory_id, action = page.path_values["id"], parse_choice(BulkAction, page.path_values["action"])
    change = page.data.decide(action, memory_id)
    fields = {"user": "1"} if page.data.is_of_all_projects(memory_id) else {}
    page.flash(page.gettext(labels.ACTION_MESSAGES[action]), undo=f"/undo/{change.id}", undo_fields=fields)
    return _return_to_review(page)


def edit_card(page: Page) -> Response:
    """Save the text of a memory as a person wrote it; an edit is a decision too."""
    memory_id, text = page.path_values["id"], get_word(page.form, "content")
    before = page.data.get_card(memory_id).memory.content
    page.data.edit_card(memory_id, text)
    page.flash(
        page.gettext("Saved. The text before it is in the history."),
        undo=f"/memories/{memory_id}/edit",
        undo_fields={"content": before},
    )
    return _return_to_review(page)


def confirm_session(page: Page) -> Response:
    """Confirm every new memory of a session that nothing speaks against."""
    change = page.data.confirm_review(get_word(page.form, "session"))
    singular, plural = labels.BULK_MESSAGES[BulkAction.CONFIRM]
    page.flash(page.ngettext(singular, plural, change.memories), undo=f"/undo/{change.id}")
    return page.redirect("/review")


def postpone_session(page: Page) -> Response:
    """Leave the review of a session for later; its new memories keep waiting where they need a decision."""
    session = get_word(page.form, "session")
    page.data.dismiss_review(session)
    page.flash(page.gettext("Left for later. You find it on the page of the session."))
    return page.redirect(f"/sessions/{session}" if session else "/review")


def confirm_rules(page: Page) -> Response:
    """Confirm the remaining memories from rules files, if there are as many as the person was told."""
    ids = list_rules(page.data.list_queue())
    if get_word(page.form, "expected") != str(len(ids)):
        raise InvalidInput(
            page.gettext("The number of rules has changed; nothing was confirmed."),
            page.gettext("Look at the review again."),
        )
    change = page.data.confirm_all(ids)
    singular, plural = labels.BULK_MESSAGES[BulkAction.CONFIRM]
    page.flash(page.ngettext(singular, plural, change.memories), undo=f"/undo/{change.id}")
    return page.redirect(QUEUE_PATH)


def decide_proposal(page: Page) -> Response:
    """Take a statement of an agent about the map for true, or drop it."""
    accepts = get_word(page.form, "accept") == "1"
    page.data.decide_proposal(page.path_values["id"], accepts=accepts)
    page.flash(page.gettext("Added to the map.") if accepts else page.gettext("Dropped."))
    return page.redirect(QUEUE_PATH)


def _return_to_review(page: Page) -> Response:
    """Return to the card after this one in the queue, or to the page that holds the form."""
    following = get_word(page.form, "following")
    return page.redirect(
        f"{QUEUE_PATH}?{urlencode({'at': following})}" if following else page.next_path or "/review#learned-title"
    )
