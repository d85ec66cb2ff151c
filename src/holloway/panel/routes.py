"""The routing table: every path of the panel, its method and its view."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from holloway.panel.views import (
    ask,
    bulk,
    code,
    entrance,
    health,
    memories,
    memory,
    modules,
    proof,
    review,
    sessions,
    share,
    teach,
    trust,
    welcome,
    wrong,
)

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
    PanelRoute("GET", "/go/{path:path}", entrance.follow_link),
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
    PanelRoute("GET", "/modules", modules.show_modules),
    PanelRoute("POST", "/modules/edit", modules.edit_module),
    PanelRoute("POST", "/modules/hide", modules.hide_module),
    PanelRoute("POST", "/modules/reset", modules.reset_module),
    PanelRoute("GET", "/modules/merge", modules.show_merge),
    PanelRoute("POST", "/modules/merge", modules.merge_modules),
    PanelRoute("GET", "/code", code.show_code),
    PanelRoute("GET", "/ask", ask.show_conversation),
    PanelRoute("POST", "/ask", ask.ask_question),
    PanelRoute("POST", "/ask/again", ask.start_again),
    PanelRoute("GET", "/sessions", sessions.show_sessions),
    PanelRoute("GET", "/review", review.show_review),
    PanelRoute("GET", "/review/queue", review.show_queue),
    PanelRoute("POST", "/review/all", review.confirm_session),
    PanelRoute("POST", "/review/postpone", review.postpone_session),
    PanelRoute("POST", "/review/rules", review.confirm_rules),
    PanelRoute("POST", "/review/map/{id}", review.decide_proposal),
    PanelRoute("POST", "/review/{id}/edit", review.edit_card),
    PanelRoute("POST", "/review/{id}/{action}", review.decide_card),
    PanelRoute("GET", "/sessions/{id:path}", sessions.show_session),
    PanelRoute("POST", "/memories/{id}/{action}", memory.act_on_memory),
    PanelRoute("GET", "/teach", teach.show_form),
    PanelRoute("POST", "/teach", teach.teach_memory),
    PanelRoute("GET", "/teach/paths", teach.complete_path),
    PanelRoute("GET", "/proof", proof.show_proof),
    PanelRoute("GET", "/proof/figures.csv", proof.download_figures),
    PanelRoute("POST", "/proof/on", proof.start_experiment),
    PanelRoute("POST", "/proof/off", proof.stop_experiment),
    PanelRoute("GET", "/sharing", share.show_sharing),
    PanelRoute("GET", "/sharing/offer", share.show_offer),
    PanelRoute("POST", "/sharing/offer", share.start_sharing),
    PanelRoute("POST", "/sharing/quotes", share.tick_quotes),
    PanelRoute("POST", "/sharing/people", share.decide_person),
    PanelRoute("GET", "/sharing/conflicts", share.show_conflicts),
    PanelRoute("POST", "/sharing/conflicts/{id}", share.resolve_conflict),
    PanelRoute("POST", "/sharing/{action}", share.change_sharing),
    PanelRoute("GET", "/trust", trust.show_trust),
    PanelRoute("POST", "/trust/level", trust.choose_level),
    PanelRoute("POST", "/trust/pause", trust.set_pause),
    PanelRoute("POST", "/trust/settings", trust.change_settings),
    PanelRoute("POST", "/trust/embedder/stop", trust.stop_embedder_switch),
    PanelRoute("GET", "/trust/agents", trust.show_agents),
    PanelRoute("POST", "/trust/delete", trust.delete_everything),
    PanelRoute("GET", "/export/{form}", trust.export_memories),
)
