"""The first steps in a project: how far it is known, and what could be imported and reviewed."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from holloway.install import connection_checks
from holloway.service import past_sessions
from holloway.store.filter import Filter

if TYPE_CHECKING:
    from holloway.service.holloway import Holloway


@dataclass(frozen=True, slots=True)
class FirstSteps:
    """What is known of a new project, and what waits for its person."""

    map_ready: bool
    map_progress: str
    """Progress of a running index, for display; empty if none runs."""
    files: int
    modules: tuple[str, ...]
    rules: tuple[str, ...]
    """Texts of the rules in the project's rules files that are not imported."""
    rule_files: tuple[str, ...]
    past_sessions: int
    """Sessions on this disk that were not learned from."""
    memories: int
    to_review: int
    agents: tuple[str, ...]
    """The agents that are connected."""
    embedder: str
    """The model by which memories are found by meaning; empty without one."""


def describe_first_steps(memory: Holloway) -> FirstSteps:
    """Return how far a project is known. Reads its rules files and lists the sessions on this disk; changes nothing."""
    is_ready = memory.map.is_ready
    overview = memory.map.overview() if is_ready else None
    rules = memory.import_rules(dry_run=True)
    embedder = memory.search.choice.embedder
    return FirstSteps(
        map_ready=is_ready,
        map_progress=memory.map.progress(),
        files=overview.files if overview else 0,
        modules=tuple(module.name for module in overview.modules) if overview else (),
        rules=tuple(change.content for change in rules.added),
        rule_files=rules.files,
        past_sessions=len(past_sessions.find(memory).sessions),
        memories=memory.store.memories.count_memories(Filter()),
        to_review=memory.count_to_review(),
        agents=tuple(connection_checks.list_connected_agents(Path(memory.project.root))),
        embedder=embedder.model if embedder else "",
    )
