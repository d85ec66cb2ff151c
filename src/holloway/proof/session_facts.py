"""Facts about a session, besides its events, that its metrics need; None means unknown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple

from holloway.domain.memory import MemoryType
from holloway.domain.ports import parse_stamp
from holloway.store import observations, session_ledger
from holloway.store.filter import Filter
from holloway.text.tokens import estimate_tokens

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from holloway.domain.work import SessionSummary
    from holloway.store.store import Store


@dataclass(frozen=True, slots=True)
class InjectedMemory:
    """A memory that was injected into the session: injection point, time, files and command."""

    memory: str
    point: str
    at: float
    tokens: int = 0
    files: tuple[str, ...] = ()
    command: str = ""
    fingerprint: str = ""
    """Fingerprint of the error that the memory fixes."""


class HookAnswer(NamedTuple):
    """One answer of holloway to a running session."""

    point: str
    outcome: str
    """full, degraded, dropped or empty."""
    degraded_step: str = ""
    """Last step of a degraded answer, or the reason why an answer was dropped."""
    milliseconds: float = 0.0


class StoreFigures(NamedTuple):
    """The size and quality of the store."""

    memories: int
    mean_confidence: float | None
    module_coverage: float | None


@dataclass(frozen=True, slots=True)
class SessionFacts:
    """Facts about a session that its events do not carry."""

    files: frozenset[str] = frozenset()
    """Files that other sessions opened."""
    errors: frozenset[str] = frozenset()
    """Fingerprints of errors that other sessions solved."""
    dead_end_files: frozenset[str] = frozenset()
    shown: tuple[InjectedMemory, ...] = ()
    corrected: int = 0
    flagged: int = 0
    trust_level: int = 1
    prefetched: Mapping[str, int] | None = None
    """Prefetched files (given to the agent before it asked), with their tokens."""
    located: Mapping[str, float] = field(default_factory=dict)
    """Files that the agent was pointed to with a prompt, with the time."""
    search_tokens: float = 0.0
    """Mean tokens that earlier sessions spent on searching for each file they opened; 0 is unknown."""
    group: str | None = None
    """Experiment group, `full` without an experiment; None if no injection was possible."""
    is_randomised: bool | None = None
    """Whether chance assigned the group."""
    methodology: str | None = None
    role: str | None = None
    modules: tuple[str, ...] | None = None
    resumed: bool | None = None
    resumed_at: float = 0.0
    """When a resumed session was resumed, in seconds since 1970."""
    answers: tuple[HookAnswer, ...] | None = None
    store: StoreFigures | None = None


def collect_before(
    store: Store, session: SessionSummary, touched: Sequence[str], before: SessionFacts, mapped_modules: set[str]
) -> SessionFacts:
    """Add what the store knew before a session, and what the session was shown of it, to what the caller knows."""
    database = store.database
    opened = observations.count_file_sessions(database, touched)
    files = dict(observations.list_session_files(database, [session.id])[session.id])
    dead_ends = store.memories.find_memories(Filter(types=(MemoryType.DEAD_END,)), limit=-1)
    return replace(
        before,
        files=frozenset(path for path, (count, _) in opened.items() if count - (path in files) > 0),
        errors=frozenset(observations.list_solved_errors(database, session.id)),
        dead_end_files=frozenset(path for memory in dead_ends for path in memory.files),
        shown=tuple(_list_shown(store, session.id)),
        corrected=session_ledger.count_corrected_in_session(database, session.id),
        flagged=session_ledger.count_flagged_in_session(database, session.id),
        search_tokens=observations.mean_search_tokens(database, session.started_at),
        store=_measure_store(store, mapped_modules),
    )


def _measure_store(store: Store, mapped_modules: set[str]) -> StoreFigures:
    mean = store.memories.mean_confidence()
    covered = len(mapped_modules & store.memories.list_modules()) / len(mapped_modules) if mapped_modules else None
    return StoreFigures(
        store.memories.count_memories(Filter()),
        None if mean is None else round(mean, 3),
        None if covered is None else round(covered, 3),
    )


def _list_shown(store: Store, session: str) -> Iterator[InjectedMemory]:
    for memory_id, point, at in session_ledger.list_injections_with_subagents(store.database, session):
        if store.memories.has_memory(memory_id):
            memory = store.memories.get_memory(memory_id)
            command = getattr(memory.details, "command", "")
            fingerprint = getattr(memory.details, "fingerprint", "")
            tokens = estimate_tokens(memory.summary)
            yield InjectedMemory(
                memory_id, point, parse_stamp(at).timestamp(), tokens, memory.files, command, fingerprint
            )
