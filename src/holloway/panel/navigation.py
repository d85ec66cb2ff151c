"""The navigation: the pages that every page links to, in groups."""

from __future__ import annotations

from typing import NamedTuple

from holloway.panel.locale import mark_text


class NavigationItem(NamedTuple):
    """A page in the navigation, with the text of its link and its icon: an SVG path on a square of sixteen."""

    path: str
    label: str
    icon: str


NAVIGATION = (
    (
        NavigationItem("/", mark_text("Health"), "M1 8.5h3l2-5 3.5 9 2-4H15"),
        NavigationItem("/review", mark_text("Review"), "M2 9l4 4 8-10"),
    ),
    (
        NavigationItem("/memories", mark_text("Memories"), "M4 2h8v12l-4-3.5-4 3.5z"),
        NavigationItem("/ask", mark_text("Ask"), "M2 3h12v8H7.5L4 14v-3H2z"),
        NavigationItem("/teach", mark_text("Teach"), "M3 13l.8-3.2L11 2.5l2.5 2.5-7.3 7.2z"),
    ),
    (
        NavigationItem(
            "/sessions", mark_text("Sessions"), "M8 1.7a6.3 6.3 0 1 0 0 12.6a6.3 6.3 0 1 0 0-12.6M8 4.5V8l2.5 1.7"
        ),
        NavigationItem(
            "/modules", mark_text("Modules"), "M2 2h4.5v4.5H2zM9.5 2H14v4.5H9.5zM2 9.5h4.5V14H2zM9.5 9.5H14V14H9.5z"
        ),
        NavigationItem("/code", mark_text("Code"), "M5 4L1.5 8 5 12M11 4l3.5 4-3.5 4"),
    ),
    (
        NavigationItem("/proof", mark_text("Proof"), "M2 14V2M2 14h12M5 11V8M8.5 11V4M12 11V6"),
        NavigationItem(
            "/sharing",
            mark_text("Sharing"),
            "M5.800 7l4.500-2.300M5.800 9l4.500 2.300M4 6a2 2 0 1 0 0 4a2 2 0 1 0 0-4"
            "M12 2a2 2 0 1 0 0 4a2 2 0 1 0 0-4M12 10a2 2 0 1 0 0 4a2 2 0 1 0 0-4",
        ),
        NavigationItem("/trust", mark_text("Trust and settings"), "M2 5h7M13 5h1M2 11h1M7 11h7M11 3v4M5 9v4"),
    ),
)
"""The pages of the navigation in their groups; a page enters when it exists."""
