"""The routing table: every path of the panel, its method and its view."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from holloway.panel.views import bulk, entrance, health, memories, memory, teach, trust, welcome, wrong

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.responses import Response

    from holloway.panel.page import Page


class PanelRoute(NamedTuple):
    """One path and what answers it."""

    method: str
    path: str
    view: Callable[[Page], Response]


ROUTES = (
    PanelRoute("GET", "/enter", entrance.sign_in),
    PanelRoute("POST", "/look", entrance.choose_look),
    PanelRoute("GET", "/", health.show_health),
    PanelRoute("POST", "/audit/later", health.dismiss_audit),
    PanelRoute("GET", "/welcome", welcome.show_welcome),
    PanelRoute("POST", "/welcome/map", welcome.start_map),
    PanelRoute("POST", "/welcome/rules", welcome.import_rules),
    PanelRoute("GET", "/memories", memories.show_memories),
    PanelRoute("GET", "/memories/{id}", memory.show_memory),
    PanelRoute("POST", "/memories/bulk", bulk.change_memories),
    PanelRoute("POST", "/undo/{change}", bulk.undo_change),
    PanelRoute("POST", "/memories/{id}/edit", memory.edit_memory),
    PanelRoute("POST", "/memories/{id}/erase", memory.forget_for_good),
    PanelRoute("POST", "/memories/{id}/restore", memory.restore_memory),
    PanelRoute("GET", "/memories/{id}/wrong", wrong.show_dialog),
    PanelRoute("POST", "/memories/{id}/wrong", wrong.flag_wrong),
    PanelRoute("POST", "/memories/{id}/{action}", memory.act_on_memory),
    PanelRoute("GET", "/teach", teach.show_form),
    PanelRoute("POST", "/teach", teach.teach_memory),
    PanelRoute("GET", "/teach/paths", teach.complete_path),
    PanelRoute("GET", "/trust", trust.show_trust),
    PanelRoute("POST", "/trust/level", trust.choose_level),
    PanelRoute("POST", "/trust/pause", trust.set_pause),
    PanelRoute("POST", "/trust/settings", trust.change_settings),
    PanelRoute("GET", "/trust/agents", trust.show_agents),
    PanelRoute("GET", "/export/{form}", trust.export_memories),
)
