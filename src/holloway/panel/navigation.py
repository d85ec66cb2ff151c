"""The navigation: the pages that every page links to, in their order."""

from __future__ import annotations

from typing import NamedTuple

from holloway.panel.locale import mark_text


class NavigationItem(NamedTuple):
    """A page in the navigation, with the text of its link."""

    path: str
    label: str


NAVIGATION = (
    NavigationItem("/", mark_text("Health")),
    NavigationItem("/review", mark_text("Review")),
    NavigationItem("/memories", mark_text("Memories")),
    NavigationItem("/ask", mark_text("Ask")),
    NavigationItem("/teach", mark_text("Teach")),
    NavigationItem("/sessions", mark_text("Sessions")),
    NavigationItem("/modules", mark_text("Modules")),
    NavigationItem("/code", mark_text("Code")),
    NavigationItem("/trust", mark_text("Trust and settings")),
)
"""The pages of the navigation in their order; a page enters when it exists."""
