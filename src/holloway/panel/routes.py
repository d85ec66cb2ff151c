"""The routing table: every path of the panel, its method and its view."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from holloway.panel.locale import mark_text
from holloway.panel.views import code, entrance, memories, memory, modules, wrong

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.responses import Response

    from holloway.panel.page import Page


class PanelRoute(NamedTuple):
    """One path and what answers it."""

    method: str
    path: str
    view: Callable[[Page], Response]


class NavigationItem(NamedTuple):
    """A page in the navigation, with the text of its link."""

    path: str
    label: str


ROUTES = (
    PanelRoute("GET", "/enter", entrance.sign_in),
    PanelRoute("POST", "/look", entrance.choose_look),
    PanelRoute("GET", "/", memories.show_memories),
    PanelRoute("GET", "/memories", memories.show_memories),
    PanelRoute("GET", "/memories/{id}", memory.show_memory),
    PanelRoute("POST", "/memories/{id}/confirm", memory.confirm_memory),
    PanelRoute("POST", "/memories/{id}/pin", memory.pin_memory),
    PanelRoute("POST", "/memories/{id}/edit", memory.edit_memory),
    PanelRoute("POST", "/memories/{id}/forget", memory.forget_memory),
    PanelRoute("POST", "/memories/{id}/restore", memory.restore_memory),
    PanelRoute("GET", "/memories/{id}/wrong", wrong.show_dialog),
    PanelRoute("POST", "/memories/{id}/wrong", wrong.flag_wrong),
    PanelRoute("GET", "/modules", modules.show_modules),
    PanelRoute("POST", "/modules/edit", modules.edit_module),
    PanelRoute("POST", "/modules/hide", modules.hide_module),
    PanelRoute("POST", "/modules/reset", modules.reset_module),
    PanelRoute("GET", "/modules/merge", modules.show_merge),
    PanelRoute("POST", "/modules/merge", modules.merge_modules),
    PanelRoute("GET", "/code", code.show_code),
)

NAVIGATION = (
    NavigationItem("/memories", mark_text("Memories")),
    NavigationItem("/modules", mark_text("Modules")),
    NavigationItem("/code", mark_text("Code")),
)
"""The pages of the navigation in their order; a page enters when it exists."""
