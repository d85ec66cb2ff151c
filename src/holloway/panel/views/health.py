"""Health: the first page, with where the project stands, what needs attention, and what happened."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holloway.panel.page import get_word

if TYPE_CHECKING:
    from starlette.responses import Response

    from holloway.panel.page import Page

FEED_SHOWN = 12


def show_health(page: Page) -> Response:
    """Show the figures of the project and the latest activities; a new project is sent to its first steps."""
    health = page.data.measure_health()
    if not health.memories and not health.state.map_ready:
        return page.redirect("/welcome")
    after = get_word(page.query, "after")
    return page.render("health.html", health=health, feed=page.data.list_activities(after=after, limit=FEED_SHOWN))


def dismiss_audit(page: Page) -> Response:
    """Put off the audit of stale memories for a week."""
    page.data.dismiss_audit()
    page.flash(page.gettext("You will be reminded in a week."))
    return page.redirect("/")
