"""Injection when a subagent starts: what its role needs for the task that the session was last given."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from holloway.injection.project_map import ProjectMap
    from holloway.injection.prompt_text import Rendered
    from holloway.injection.reader import Reader
    from holloway.injection.session_state import SessionState
    from holloway.store.store import Store

CODER = "coder"
_ROLES = {
    "planner": ("plan", "architect", "design"),
    "qa": ("review", "qa", "test", "verif", "check", "audit", "critic"),
    "recovery": ("debug", "fix", "recover", "repair"),
}
"""Parts of the name of a subagent's type, by role."""


def choose_role(agent_type: str) -> str:
    """Choose the role of a subagent by the name of its type; the default is a coder."""
    name = agent_type.lower()
    return next((role for role, parts in _ROLES.items() if any(part in name for part in parts)), CODER)


def inject(
    reader: Reader,
    project_map: ProjectMap,
    state: SessionState,
    agent_type: str,
    prompt: str,
    open_store: Callable[[], Store],
) -> Rendered | None:
    """Return what a subagent reads when it starts, and record it; None if there is nothing.

    A coder reads what goes with the prompt; `open_store` gives the other roles the full store.
    """
    role = choose_role(agent_type)
    if role == CODER:
        from holloway.injection import prompt as prompt_point

        state["prompts"] = max(state["prompts"], 1)  # The session began before its subagent did.
        return prompt_point.inject(reader, project_map, state, prompt)
    from contextlib import closing
    from datetime import datetime

    from holloway.domain.methodology import find_methodology
    from holloway.injection.roles import RoleContext, show_rendered
    from holloway.observer.words.prompt import strip_host_additions

    with closing(open_store()) as store:
        context = RoleContext(
            store, reader, project_map, datetime.fromisoformat(reader.now()), strip_host_additions(prompt)
        )
        if role == "planner":
            rendered = context.render_planner()
        elif role == "qa":
            rendered = context.render_qa()
        else:
            rendered = context.render_recovery(None, find_methodology("plain"))
        return rendered._replace(text=show_rendered(reader, rendered, role))
