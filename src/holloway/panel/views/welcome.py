"""Welcome: the first steps in a project, with the progress of its map, its rules files and its past sessions."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from starlette.responses import Response

    from holloway.panel.page import Page


def show_welcome(page: Page) -> Response:
    """Show how far the project is known, and the next decision to take."""
    return page.render("welcome.html", start=page.data.describe_start())


def start_map(page: Page) -> Response:
    """Have the worker map the code."""
    page.data.start_map()
    return page.redirect("/welcome")


def import_rules(page: Page) -> Response:
    """Import the rules files; every rule waits for a review."""
    count = page.data.import_rules()
    page.flash(page.ngettext("%(count)s rule waits for you.", "%(count)s rules wait for you.", count))
    return page.redirect("/welcome")
