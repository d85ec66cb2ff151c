"""The health of a project's memory: its score, module coverage, what needs attention, and what runs or does not."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from holloway.config import LARGE_MAP_FILES
from holloway.domain.codec import encode
from holloway.domain.memory import State
from holloway.domain.ports import format_stamp, parse_stamp
from holloway.proof.record_fields import complete_record
from holloway.safety.repository_text import admit
from holloway.service import background_worker
from holloway.service.doctor import RECENT_DAYS
from holloway.service.memory_list import list_active
from holloway.service.reader import describe_reader
from holloway.store import answer_log, first_memories, operation_log, registry, session_ledger
from holloway.store.filter import Filter
from holloway.store.memory_list import count_selected

if TYPE_CHECKING:
    from holloway.service.holloway import Holloway

REVIEW_DAYS = 30
COVERAGE_SESSIONS_MIN = 3
"""Learned sessions below which no module can be partly mapped, so that the coverage is not known yet."""
STALE_PILE_MIN = 10
"""Stale memories from which a weekly audit is offered."""
AUDIT_EVERY = timedelta(days=7)
SESSIONS_SEARCHED = 20
"""Latest sessions among which the last one that was learned from is searched."""
_AUDIT_DISMISSED = "audit_dismissed_at"


class CoverageState(StrEnum):
    """How well a part of the code is known: by how many sessions worked in it."""

    UNKNOWN = "unknown"
    """In no module, or there is no map."""
    SHALLOW = "shallow"
    PARTIAL = "partial"
    MAPPED = "mapped"


class AttentionKind(StrEnum):
    """The reasons for which a person is needed."""

    REVIEW = "review"
    STALE = "stale"
    CONFLICTS = "conflicts"
    AUDIT = "audit"
    FAILED_JOB = "failed_job"
    DROPPED_ANSWERS = "dropped_answers"
    READER = "reader"
    SHARED_CONFLICTS = "shared_conflicts"
    """Two people rewrote the same shared text."""
    STRANGERS = "strangers"
    """Devices share here that nobody accepted or refused."""
    FIRST_MEMORIES = "first_memories"
    """Memories of colleagues to read first, after joining."""
    NO_MAP = "no_map"


@dataclass(frozen=True, slots=True)
class HealthScore:
    """The score, 0 to 100, and its three parts; None where a part is not known yet.

    The score is 100 times the geometric mean of the parts.
    """

    score: int | None
    confidence: float | None
    """Mean confidence today of the living memories."""
    coverage: float | None
    """Share of the product's source files in modules that are at least partly mapped."""
    reviewed: float
    """Share of what waited for review in the last thirty days that was reviewed."""


@dataclass(frozen=True, slots=True)
class ModuleCoverage:
    """A module of the product and how well it is known."""

    name: str
    folder: str
    files: int
    memories: int
    state: CoverageState


@dataclass(frozen=True, slots=True)
class Coverage:
    """The coverage of the code by its modules, and the number of files in each state."""

    modules: tuple[ModuleCoverage, ...]
    files: dict[CoverageState, int]
    share: float | None
    """Share of the files in modules that are at least partly mapped; None without a map and three sessions."""


@dataclass(frozen=True, slots=True)
class TokenBalance:
    """Tokens of the last session that was learned from: an estimate of those saved, those injected, and the rest."""

    session: str
    saved: int
    injected: int

    @property
    def net(self) -> int:
        """Saved minus injected tokens; negative if memory cost more than it saved."""
        return self.saved - self.injected


@dataclass(frozen=True, slots=True)
class Attention:
    """Something that needs a person: how many, since when, and a text of the system such as an error."""

    kind: AttentionKind
    count: int
    detail: str = ""
    at: str = ""


@dataclass(frozen=True, slots=True)
class ServiceState:
    """The state of index, search, reader, worker and pause."""

    map_ready: bool
    map_behind: bool
    map_files: int
    map_large: bool
    """So many files that answers may be slow."""
    map_progress: str
    """Progress of a running index, for display; empty if none runs."""
    embedder: str
    """Name of the embedding model; empty if search goes by words only."""
    embedder_problem: str
    to_embed: int
    reader: dict[str, Any]
    worker_running: bool
    paused: str


@dataclass(frozen=True, slots=True)
class Health:
    """Everything on the first page about a project's memory."""

    memories: int
    active: int
    """Used by a session within thirty days."""
    to_review: int
    tokens: TokenBalance | None
    """Of the last session; None if its saving is not known."""
    score: HealthScore
    coverage: Coverage
    attention: tuple[Attention, ...]
    state: ServiceState

    def to_json(self) -> dict[str, Any]:
        """Return the health as JSON fields; names of modules that read as sentences are left out."""
        tokens = self.tokens
        return {
            "active": self.active,
            "last_session_tokens": {**encode(tokens), "net": tokens.net} if tokens else None,
            "health": encode(self.score),
            "coverage": {
                "modules": [encode(module) for module in self.coverage.modules if admit("name", module.name)],
                "files": {str(state): number for state, number in self.coverage.files.items()},
                "share": self.coverage.share,
            },
            "attention": encode(self.attention),
            "index": {
                "ready": self.state.map_ready,
                "behind": self.state.map_behind,
                "files": self.state.map_files,
                "large": self.state.map_large,
                "progress": self.state.map_progress or None,
            },
            "worker_running": self.state.worker_running,
        }


def measure_health(memory: Holloway) -> Health:
    """Return the health of a project's memory now."""
    database = memory.store.database
    coverage = measure_coverage(memory)
    state = describe_state(memory)
    to_review = memory.count_to_review()
    return Health(
        memories=count_selected(database, Filter()),
        active=count_selected(database, Filter(ids=list_active(memory))),
        to_review=to_review,
        tokens=find_last_tokens(memory),
        score=measure_score(memory, coverage),
        coverage=coverage,
        attention=tuple(_list_attention(memory, state, to_review)),
        state=state,
    )


def measure_score(memory: Holloway, coverage: Coverage) -> HealthScore:
    """Return the health score; None while there is no memory or no map."""
    now = memory.clock.now()
    confidence = memory.store.memories.mean_current_confidence(format_stamp(now))
    since = format_stamp(now - timedelta(days=REVIEW_DAYS))
    reviewed_count, waiting_count = memory.store.memories.count_reviewed_since(since)
    waited_count = reviewed_count + waiting_count
    reviewed = reviewed_count / waited_count if waited_count else 1.0
    score = None
    if confidence is not None and coverage.share is not None:
        score = round(100 * (confidence * coverage.share * reviewed) ** (1 / 3))
    return HealthScore(score, _round_share(confidence), _round_share(coverage.share), round(reviewed, 3))


def _round_share(share: float | None) -> float | None:
    return None if share is None else round(share, 3)


def measure_coverage(memory: Holloway) -> Coverage:
    """Return how well each module of the product is known; hidden modules and supporting code do not count."""
    files = dict.fromkeys(CoverageState, 0)
    if not memory.map.is_ready:
        return Coverage((), files, None)
    counts = memory.store.memories.count_by_module()
    modules = [
        ModuleCoverage(
            module.name,
            module.folder,
            len(module.files),
            counts.get(module.name, 0),
            CoverageState(module.confidence),
        )
        for module in memory.map.modules()
        if not module.hidden and not module.support
    ]
    for module in modules:
        files[module.state] += module.files
    files[CoverageState.UNKNOWN] = memory.map.count_unassigned_files()
    total = sum(files.values())
    known_files = files[CoverageState.PARTIAL] + files[CoverageState.MAPPED]
    is_known = (
        bool(known_files) or session_ledger.count_feedback(memory.store.database).sessions >= COVERAGE_SESSIONS_MIN
    )
    share = known_files / total if total and is_known else None
    return Coverage(tuple(modules), files, _round_share(share))


def find_last_tokens(memory: Holloway) -> TokenBalance | None:
    """Return the tokens of the latest session that was learned from; None if what it saved is not known."""
    database = memory.store.database
    for session in session_ledger.list_latest_sessions(database, SESSIONS_SEARCHED):
        if session.outcome:
            record = complete_record(session_ledger.load_session_record(database, session.id))
            return balance_tokens(session.id, record)
    return None


def balance_tokens(session: str, record: dict[str, Any]) -> TokenBalance | None:
    """Return the tokens that a session saved and those that were injected; None if the saving is not known."""
    saved = record.get("saved_tokens")
    return None if saved is None else TokenBalance(session, int(saved), int(record.get("injected_tokens") or 0))


def describe_state(memory: Holloway) -> ServiceState:
    """Return the state of index, search, reader, worker and pause."""
    choice, is_ready = memory.search.choice, memory.map.is_ready
    map_files = memory.map.overview().files if is_ready else 0
    return ServiceState(
        map_ready=is_ready,
        map_behind=is_ready and memory.map.is_behind,
        map_files=map_files,
        map_large=map_files >= LARGE_MAP_FILES,
        map_progress=memory.map.progress(),
        embedder=choice.embedder.model if choice.embedder else "",
        embedder_problem=choice.reason,
        to_embed=memory.search.to_embed(),
        reader=describe_reader(memory.settings, memory.store.database, memory.clock),
        worker_running=background_worker.is_running(str(memory.project.folder)),
        paused=registry.get_paused_mode(str(memory.home), memory.project.key),
    )


def _list_attention(memory: Holloway, state: ServiceState, to_review: int) -> list[Attention]:
    stale_count = count_selected(memory.store.database, Filter(states=(State.STALE,)))
    items = [Attention(AttentionKind.REVIEW, to_review)] if to_review else []
    if stale_count:
        items.append(Attention(AttentionKind.STALE, stale_count))
    if stale_count >= STALE_PILE_MIN and _is_audit_due(memory):
        items.append(Attention(AttentionKind.AUDIT, stale_count))
    if conflicts := count_selected(memory.store.database, Filter(conflicting=True)):
        items.append(Attention(AttentionKind.CONFLICTS, conflicts))
    items += _list_failed_jobs(memory)
    if dropped := _list_dropped(memory):
        items.append(Attention(AttentionKind.DROPPED_ANSWERS, len(dropped), dropped[-1].point, dropped[-1].at))
    if problem := state.reader["problem"]:
        items.append(Attention(AttentionKind.READER, 1, problem))
    items += _list_sharing(memory)
    if not state.map_ready and not state.map_progress:
        items.append(Attention(AttentionKind.NO_MAP, 1))
    return items


def _list_sharing(memory: Holloway) -> list[Attention]:
    """Return what needs a person among the memories that are shared."""
    database = memory.store.database
    counts = {
        AttentionKind.SHARED_CONFLICTS: operation_log.count_shared(database, operation_log.CONFLICT),
        AttentionKind.STRANGERS: sum(
            replica.standing == operation_log.STRANGER for replica in operation_log.list_replicas(database)
        ),
        AttentionKind.FIRST_MEMORIES: len(first_memories.read_undismissed(database.connection)),
    }
    return [Attention(kind, count) for kind, count in counts.items() if count]


def _list_failed_jobs(memory: Holloway) -> list[Attention]:
    """Return the jobs that failed and have not run since, each with how often and when; the latest has its error."""
    state = background_worker.read_state(str(memory.project.folder))
    failures = state.get("failures")
    if not isinstance(failures, dict):
        return []
    latest_error = str(state.get("error") or "")
    return [
        Attention(AttentionKind.FAILED_JOB, int(times), latest_error if latest_error.startswith(name) else name, at)
        for name, (times, at) in sorted(failures.items())
    ]


def _list_dropped(memory: Holloway) -> list[answer_log.LoggedAnswer]:
    since = format_stamp(memory.clock.now() - timedelta(days=RECENT_DAYS))
    answers = answer_log.read_answers(str(memory.project.folder), since=since)
    return [answer for answer in answers if answer.outcome == answer_log.ANSWER_DROPPED]


def _is_audit_due(memory: Holloway) -> bool:
    dismissed_at = memory.store.get_meta(_AUDIT_DISMISSED)
    return not dismissed_at or memory.clock.now() - parse_stamp(dismissed_at) >= AUDIT_EVERY


def dismiss_audit(memory: Holloway) -> None:
    """Do not offer the audit of stale memories again for a week."""
    memory.store.set_meta(_AUDIT_DISMISSED, format_stamp(memory.clock.now()))
