"""The facts of the brief: which rules, known problems and unfinished work a session is given at its start."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

from holloway import git
from holloway.config import WORK_TOLD_DAYS
from holloway.domain.memory import MemoryType, Source, State
from holloway.domain.ports import moment
from holloway.injection.session_start import Brief, brief
from holloway.injection.work_state import in_brief
from holloway.store import session_ledger
from holloway.store.filter import Filter

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holloway.codemap.modules.overview import Overview
    from holloway.domain.memory import Memory
    from holloway.store.store import Store

RULES = (MemoryType.DECISION, MemoryType.REQUIREMENT, MemoryType.PREFERENCE)
TRAPS = (MemoryType.GOTCHA, MemoryType.DEAD_END, MemoryType.ERROR_PATTERN)


def collect_brief(
    stores: Sequence[Store], branch: str, *, overview: Overview, command: str, indexing: str = "", open_work: str = ""
) -> Brief:
    """Render the brief of a project, whose store comes first, with rules of all stores and its own gotchas."""
    project = stores[0]
    visible = Filter(quarantined=False, branch=branch)
    rules = [
        memory for store in stores for memory in store.memories.find(replace(visible, types=RULES), order="telling")
    ]
    traps = project.memories.find(replace(visible, types=TRAPS), order="telling")
    return brief(
        overview,
        session_ledger.count(project.database),
        sorted(filter(_is_general, rules), key=lambda memory: (not memory.pinned, memory.type, memory.created_at)),
        list(filter(_is_general, traps)),
        command,
        indexing,
        open_work,
    )


def find_open_work(store: Store, branch: str) -> Memory | None:
    """Return the unfinished work of a branch, if it was left within the last month."""
    from holloway.promotion.work_state import state_origin  # asked once a session

    state = store.memories.by_origin(state_origin(branch))
    if state is None or state.state is State.QUARANTINED:
        return None
    age = store.clock.now() - moment(state.updated_at)
    return state if age <= timedelta(days=WORK_TOLD_DAYS) else None


def describe_open_work(store: Store, branch: str) -> str:
    """Return the unfinished work of a branch in a line; empty if there is no such work."""
    state = find_open_work(store, branch)
    return in_brief(state, changes_since(store, state), store.clock.now()) if state else ""


def changes_since(store: Store, state: Memory) -> list[str]:
    """Return the short hashes of the commits on the files of unfinished work since it was left."""
    return git.changes_since(str(store.project.root), state.updated_at, list(state.files)) if state.files else []


def _is_general(memory: Memory) -> bool:
    """Return whether a memory belongs into the brief: pinned, or confirmed and not tied to a file.

    Agents load their rules files themselves, so memories read from one serve search and files only.
    """
    general = memory.state is State.CONFIRMED and not memory.files and memory.source is not Source.RULES_FILE
    return memory.pinned or general
