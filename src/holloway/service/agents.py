"""What an agent may ask of a project's memory, and what it may say to it, whatever brings its words.

It never sees what is quarantined. Nothing that it says reaches the user's own store, takes a memory out, or overrules
a person.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from holloway.capture.session_files import list_running
from holloway.codemap.health import MapBusy
from holloway.domain import confidence
from holloway.domain.memory import MemoryType, ReviewReason, State
from holloway.domain.ports import stamp
from holloway.errors import InvalidInput
from holloway.safety import paths, secrets
from holloway.safety.prompt_injection import find_injection
from holloway.store import contributions, session_ledger
from holloway.store.filter import Filter
from holloway.store.memories import Unknown
from holloway.store.write_gate import reason_text
from holloway.text import sanitize

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from holloway.domain.memory import Memory
    from holloway.retrieval.recall import Result
    from holloway.service.holloway import Holloway
    from holloway.store.contributions import Relation

PURPOSE_BYTES_MAX = 300
MODULE_FILES_MAX = 20


def paused(memory: Holloway) -> tuple[bool, bool]:
    """Whether the person has paused what agents are told, and what is taken from them."""
    return memory.paused("injection"), memory.paused("capture")


def find(
    memory: Holloway, query: str, *, types: Sequence[MemoryType] = (), files: Sequence[str] = (), limit: int = 5
) -> list[Result]:
    """The memories that answer an agent's question, best first."""
    chosen = Filter(types=tuple(types), quarantined=False, branch=memory.branch)
    return memory.recall(query, chosen=chosen, files=files, limit=limit)


def get(memory: Holloway, reference: str) -> Memory:
    """The memory of that id; one that waits in quarantine does not exist for an agent."""
    found = memory.get(reference)
    if found.state is State.QUARANTINED:
        raise Unknown(f"There is no memory {found.id}.", "search_memory finds memories by words.")
    if found.deleted_at:
        raise InvalidInput(f"{found.id} was taken out.", "search_memory finds what holds now.")
    return found


def watched(memory: Holloway, agent: str) -> str:
    """The session that hooks watch an agent of this name in; nothing where there is none, or more than one.

    Hosts name themselves to a server as they name themselves to hooks, with a word more: `codex-mcp-client`.
    """
    found = [each.session for each in list_running(memory.store) if agent.startswith(each.agent)]
    return found[0] if len(found) == 1 else ""


def used(memory: Holloway, reference: str, session: str) -> bool:
    """An agent says that a memory helped; counted once a session."""
    found = _own(memory, reference)
    return session_ledger.used_in(memory.store.database, found.id, session, stamp(memory.clock.now()))


def dispute(memory: Holloway, reference: str, why: str, *, note: str = "", session: str = "") -> tuple[Memory, bool]:
    """An agent says that a memory does not hold: it becomes less sure and waits for a person, who alone takes it out.

    Said again before a person has looked, it changes nothing more. Returns it, and whether it changed.
    """
    found = _own(memory, reference)
    if found.superseded_by:
        raise InvalidInput(f"{found.id} was replaced by {found.superseded_by}.", "What holds now can be disputed.")
    if found.review is ReviewReason.DISPUTED:
        return found, False
    said = f"{why} (session {session})" + (f": {reason_text(note)}" if note else "")
    lower = round(found.confidence * confidence.DISPUTED_FACTOR, 4)
    fields = {"confidence": lower, "review": ReviewReason.DISPUTED, "review_after": ""}
    return memory.store.memories.change(found, "disputed", said, **fields), True


def _own(memory: Holloway, reference: str) -> Memory:
    """The memory of that id, if it is the project's: what holds in every project is the user's alone to judge."""
    found = get(memory, reference)
    if not memory.store.memories.has(found.id):
        raise InvalidInput(f"{found.id} is the user's own, for all projects.", "Only the user judges it; tell them.")
    return found


def inside(memory: Holloway, given: str, where: Path | None = None) -> str:
    """A file as the project names it; one that is elsewhere or not there is an error."""
    path = memory.path_of(given, where)
    if not paths.path_exists(path, str(memory.project.root)):
        raise InvalidInput(f"{given[:200]} does not exist in {memory.project.name}.", "locate finds files by a task.")
    return path


def relate(memory: Holloway, source: str, kind: str, target: str, *, agent: str, where: Path | None = None) -> Relation:
    """An edge that no parser can see, between places that there are; no words go with it."""
    ends = [place(memory, end, where) for end in (source, target)]
    return memory.map.relate(ends[0], kind, ends[1], agent=agent or "agent")


def place(memory: Holloway, given: str, where: Path | None) -> str:
    """A path or path:symbol as the project names it; one that there is not is an error."""
    path, colon, symbol = given.partition(":")
    if symbol and not memory.map.knows(symbol.rpartition(".")[2]):
        raise InvalidInput(f"No symbol {symbol[:100]} is known.", "Give path:symbol as the code names it.")
    return inside(memory, path, where) + colon + symbol


def describe_module(memory: Holloway, name: str, *, purpose: str = "", files: Sequence[str] = ()) -> None:
    """An agent's word on a module: what it is for, which files belong to it. What was said before stays."""
    module = memory.map.module(name)
    said = contributions.module_edits(memory.store.database)
    if purpose and any(kind == "purpose" and key == module.key for kind, key, _ in said):
        raise InvalidInput(f"What {module.name} is for has been said: {module.purpose}", "The user can change it.")
    taken = {value for kind, _, value in said if kind == "files"}
    if len(files) > MODULE_FILES_MAX:
        raise InvalidInput(f"{len(files)} files are too many at once.", f"At most {MODULE_FILES_MAX}.")
    chosen = [path for given in files if (path := inside(memory, given)) not in taken]
    memory.map.edit_module(module.name, purpose=_purpose(purpose), add=chosen)


def _purpose(given: str) -> str:
    if not given:
        return ""
    said = secrets.redact(sanitize.bounded(given, PURPOSE_BYTES_MAX, "The purpose"))[0]
    if find_injection(said):
        raise InvalidInput("That tells an agent what to do.", "Say in a sentence what the module is for.")
    return " ".join(said.split())


def recipes(memory: Holloway, task: str, limit: int) -> list[Result]:
    """How tasks like this one were done here before."""
    return find(memory, task, types=(MemoryType.WORKFLOW_RECIPE,), limit=limit)


def freshened(memory: Holloway) -> str:
    """Bring the map up to what was edited, or have it made; what there is to know about it, else nothing."""
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
