"""The calls that an agent may make on a project's memory, over MCP or the SDK.

An agent never sees quarantined memories. It cannot write to the user's own store, delete a memory or overrule a person.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from holloway.capture.session_files import list_running
from holloway.codemap.health import MapBusy
from holloway.domain import confidence
from holloway.domain.memory import MemoryType, ReviewReason, State
from holloway.domain.memory_json import group_relations, split_record_relations
from holloway.domain.ports import format_stamp
from holloway.errors import InvalidInput
from holloway.safety import paths, secrets
from holloway.safety.prompt_injection import find_injection
from holloway.store import contributions, session_ledger
from holloway.store.filter import Filter
from holloway.store.memories import UnknownMemory
from holloway.store.write_gate import sanitize_reason
from holloway.text import sanitize

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from holloway.domain.memory import Memory
    from holloway.retrieval.recall import RecallResult
    from holloway.service.holloway import Holloway
    from holloway.store.contributions import CodeRelation

PURPOSE_BYTES_MAX = 300
MODULE_FILES_MAX = 20


def read_pauses(memory: Holloway) -> tuple[bool, bool]:
    """Return whether the person has paused injection, and whether capture."""
    return memory.paused("injection"), memory.paused("capture")


def search_memories(
    memory: Holloway, query: str, *, types: Sequence[MemoryType] = (), files: Sequence[str] = (), limit: int = 5
) -> list[RecallResult]:
    """Return the memories that answer an agent's question, best first."""
    visible = Filter(types=tuple(types), quarantined=False, branch=memory.branch)
    return memory.recall(query, chosen=visible, files=files, limit=limit)


def find_recipes(memory: Holloway, task: str, limit: int) -> list[RecallResult]:
    """Return recipes of tasks like this one."""
    return search_memories(memory, task, types=(MemoryType.WORKFLOW_RECIPE,), limit=limit)


def get_memory(memory: Holloway, reference: str) -> Memory:
    """Return a memory by its id; raises UnknownMemory for a quarantined one and InvalidInput for a deleted one."""
    stored_memory = memory.get(reference)
    if stored_memory.state is State.QUARANTINED:
        raise UnknownMemory(f"There is no memory {stored_memory.id}.", "search_memory finds memories by words.")
    if stored_memory.deleted_at:
        raise InvalidInput(f"{stored_memory.id} was taken out.", "search_memory finds what holds now.")
    return stored_memory


def find_watched_session(memory: Holloway, agent: str) -> str:
    """Return the running session in which hooks watch an agent of this name; empty unless there is exactly one.

    A host's name at a server is its name at hooks with a suffix, such as `codex-mcp-client`.
    """
    sessions = [journal.session for journal in list_running(memory.store) if agent.startswith(journal.agent)]
    return sessions[0] if len(sessions) == 1 else ""


def mark_used(memory: Holloway, reference: str, session: str) -> bool:
    """Count a memory as used by an agent, once per session; returns whether it was counted now."""
    used = _get_project_memory(memory, reference)
    return session_ledger.record_reported_use(memory.store.database, used.id, session, format_stamp(memory.clock.now()))


def dispute(memory: Holloway, reference: str, why: str, *, note: str = "", session: str = "") -> tuple[Memory, bool]:
    """Lower the confidence of a memory that an agent calls wrong, and have a person review it.

    Disputing it again before the review changes nothing more. Returns the memory, and whether it changed.
    """
    disputed = _get_project_memory(memory, reference)
    if disputed.superseded_by:
        message = f"{disputed.id} was replaced by {disputed.superseded_by}."
        raise InvalidInput(message, "What holds now can be disputed.")
    if disputed.review is ReviewReason.DISPUTED:
        return disputed, False
    reason = f"{why} (session {session})" + (f": {sanitize_reason(note)}" if note else "")
    lower = round(disputed.confidence * confidence.DISPUTED_FACTOR, 4)
    fields = {"confidence": lower, "review": ReviewReason.DISPUTED, "review_after": ""}
    return memory.store.memories.update_memory(disputed, "disputed", reason, **fields), True


def check_relations(memory: Holloway, details: Mapping[str, object]) -> dict[str, list[str]]:
    """Return the full ids of the memories that an agent relates its note to, by kind of relation.

    Raises UnknownMemory or InvalidInput for one that it cannot see.
    """
    relations = split_record_relations(details)[1]
    return group_relations([(kind, _get_project_memory(memory, memory_id).id) for kind, memory_id in relations])


def _get_project_memory(memory: Holloway, reference: str) -> Memory:
    """Return a memory of the project; raises InvalidInput for the user's own, which only the user judges."""
    stored_memory = get_memory(memory, reference)
    if not memory.store.memories.has_memory(stored_memory.id):
        raise InvalidInput(
            f"{stored_memory.id} is the user's own, for all projects.", "Only the user judges it; tell them."
        )
    return stored_memory


def resolve_file(memory: Holloway, reference: str, base_folder: Path | None = None) -> str:
    """Return a file relative to the project; raises InvalidInput if it is outside or missing."""
    path = memory.path_of(reference, base_folder)
    if not paths.path_exists(path, str(memory.project.root)):
        raise InvalidInput(
            f"{reference[:200]} does not exist in {memory.project.name}.", "locate finds files by a task."
        )
    return path


def resolve_location(memory: Holloway, location: str, base_folder: Path | None) -> str:
    """Return a path or path:symbol as the project names it; raises InvalidInput if it does not exist."""
    path, colon, symbol = location.partition(":")
    if symbol and not memory.map.knows(symbol.rpartition(".")[2]):
        raise InvalidInput(f"No symbol {symbol[:100]} is known.", "Give path:symbol as the code names it.")
    return resolve_file(memory, path, base_folder) + colon + symbol


def relate(
    memory: Holloway, source: str, kind: str, target: str, *, agent: str, base_folder: Path | None = None
) -> CodeRelation:
    """Propose an edge that no parser can see, between existing locations and without a note."""
    start, end = (resolve_location(memory, location, base_folder) for location in (source, target))
    return memory.map.propose(start, kind, end, agent=agent)


def describe_module(
    memory: Holloway, name: str, *, purpose: str = "", files: Sequence[str] = (), agent: str = ""
) -> None:
    """Propose the purpose or files of a module; raises InvalidInput for a purpose that a person set before."""
    module = memory.map.module(name)
    edits = contributions.list_module_edits(memory.store.database)
    if purpose and any(kind == "purpose" and key == module.key for kind, key, _ in edits):
        raise InvalidInput(
            f"A person has set the purpose of {module.name}: {module.purpose}", "The user can change it."
        )
    assigned = {value for kind, _, value in edits if kind == "files"}
    if len(files) > MODULE_FILES_MAX:
        raise InvalidInput(f"{len(files)} files are too many at once.", f"At most {MODULE_FILES_MAX}.")
    added = [path for file in files if (path := resolve_file(memory, file)) not in assigned]
    if stated_purpose := _sanitize_purpose(purpose):
        memory.map.propose(module.key, contributions.HAS_PURPOSE, module.key, agent=agent, note=stated_purpose)
    for path in added:
        memory.map.propose(path, contributions.BELONGS_TO, module.key, agent=agent)


def _sanitize_purpose(purpose: str) -> str:
    if not purpose:
        return ""
    redacted = secrets.redact_secrets(sanitize.bounded_text(purpose, PURPOSE_BYTES_MAX, "The purpose"))[0]
    if find_injection(redacted):
        raise InvalidInput("That tells an agent what to do.", "Say in a sentence what the module is for.")
    return " ".join(redacted.split())


def refresh_map(memory: Holloway) -> str:
    """Update the map to recent edits, or have the worker do it; returns a notice for the agent, usually empty."""
    if memory.map.is_ready and not memory.map.is_behind:
        try:
            memory.map.update(wait=False)
        except MapBusy:
            return "The code map is being brought up to date; this is from the last one."
        return ""
    memory.map.start()
    if memory.map.is_ready:
        return "The code map is being brought up to the present commit; this is from the last one."
    return "The code map of this project is being made; ask again in a moment."
