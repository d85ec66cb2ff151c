"""Promotion pipeline: turns the signals of a finished session into memories, stage by stage.

validate > check frequency > check explanations > merge recipes > write text > trace sources > deduplicate
> reject known > resolve contradictions > apply trust > score > rewrite (LLM) > store

A dropped candidate keeps its reason; all others are written in one transaction.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import TYPE_CHECKING

from holloway.config import RECORDS_PER_SESSION_MAX, STANDING_RULE_CONFIDENCE
from holloway.domain import confidence
from holloway.domain.memory import Draft, MemoryType, Relation, RelationType, ReviewReason, Source, State
from holloway.domain.memory_details import Recipe
from holloway.domain.ports import format_stamp
from holloway.domain.work import Outcome
from holloway.errors import HollowayError
from holloway.observer.signals.signal import SIGNALS, WRITTEN, Signal, SignalName
from holloway.promotion.candidate import Candidate, CodeMapLookup, FinishedSession, build_sighting_key
from holloway.promotion.explanation_checks import check_explanations
from holloway.promotion.gates import GATES, HELD_DAYS, check_gate
from holloway.promotion.memory_text import SignalEvidence, write_memory_text
from holloway.promotion.recipes import count_success, merge_recipes
from holloway.promotion.related_memories import list_relations, raise_validated
from holloway.promotion.signal_reasons import has_reason
from holloway.promotion.standing_rules import (
    find_overruled,
    is_branch_independent,
    is_overtaken,
    is_standing_rule,
    list_named_files,
)
from holloway.retrieval.duplicate_detection import Verdict, find_similar_memories
from holloway.safety.guarded_commands import lowers_protection
from holloway.safety.paths import path_exists
from holloway.safety.prompt_injection import find_injection
from holloway.safety.repository_text import admit, is_unread_wish
from holloway.store import candidates as ledger
from holloway.store import observations, session_ledger
from holloway.store.candidates import HELD, PROMOTED, REINFORCED
from holloway.store.memories import HUMAN_SOURCES
from holloway.store.write_gate import sanitize_draft

if TYPE_CHECKING:
    from holloway.store.store import Store

COUNTED_ONLY = frozenset(
    {
        SignalName.FILE_ACCESS,
        SignalName.CO_ACCESS,
        SignalName.IMPORT_CHASE,
        SignalName.TIME_ANOMALY,
        SignalName.TEST_ORDER,
        SignalName.STEP_OVERRUN,
        SignalName.CONTEXT_TOKEN_SPIKE,
        SignalName.BACKTRACK,
        SignalName.READ_ABANDON,
        SignalName.REPEATED_GREP,
        SignalName.GLOB_IGNORE,
        SignalName.CONFIG_TOUCH,
        SignalName.EXTERNAL_REFERENCE,
    }
)
"""Signals that are only counted: for synthesis, the status and the panel. Their sentences did not help an agent."""

TOO_FEW_SESSIONS = "seen in"
SESSION_CANDIDATES_MAX = 300
CONFIDENCE_AT_MINIMUM = 0.7
PROMOTED_CONFIDENCE_PER_SESSION = 0.05
PROMOTED_CONFIDENCE_MAX = 0.9
STRICT_FACTOR = 1.2
RECIPE_SUCCESS_ABOVE = 0.8
OBVIOUS_FIX_SESSIONS = 2

_SCORE_MIN: dict[str, float] = {
    "dead_end": 0.3,
    "gotcha": 0.5,
    "error_pattern": 0.5,
    "causal_dependency": 0.6,
    "prefetch_pattern": 0.6,
    "module_insight": 0.55,
    "workflow_recipe": 0.65,
    "task_calibration": 0.55,
}
SCORE_MIN_DEFAULT = 0.6
REASONED_CONFIDENCE = 0.75
"""Confidence at birth of an inferred memory with its reason; without one, it must be observed again to be told."""

_FIXED_CONFIDENCE_SOURCES = frozenset(
    {
        Source.ERROR_FIX,
        Source.AGENT_EXPLICIT,
        Source.QA_AUTO,
        Source.MCP_AUTO,
        Source.COMMIT_AUTO,
        Source.AGENT_NOTE,
        Source.AGENT_CONCLUDED,
    }
)


SourceTracer = Callable[[Sequence[Signal]], list[str]]
"""Returns the taint source of each signal, or empty strings."""


@dataclass(frozen=True, slots=True)
class Promotion:
    """The candidates of a session after promotion."""

    candidates: tuple[Candidate, ...]

    def list_in_state(self, state: str) -> list[Candidate]:
        """Return the candidates in one state."""
        return [candidate for candidate in self.candidates if candidate.state == state]


def evaluate_signals(
    store: Store, finished: FinishedSession, places: CodeMapLookup, sources: SourceTracer, *, strict: bool = False
) -> list[Candidate]:
    """Run a session's signals through all deciding stages; nothing is written yet."""
    candidates = validate_signals(finished)
    candidates = check_frequency(store, finished, candidates, strict=strict)
    check_explanations(finished, candidates, str(store.project.root))
    merge_recipes(store, candidates)
    write_drafts(store, finished, candidates, places)
    trace_sources(candidates, sources)
    deduplicate_candidates(store, candidates)
    reject_known(store, candidates)
    resolve_contradictions(candidates)
    apply_trust(candidates)
    score_candidates(finished, candidates, strict=strict)
    return candidates


def validate_signals(finished: FinishedSession) -> list[Candidate]:
    """Apply the gate of the session type; drops corrections that no later action of the session confirms."""
    classification = finished.classification
    chosen = [signal for signal in finished.signals if _can_be_memory(signal)][:SESSION_CANDIDATES_MAX]
    candidates = []
    for number, signal in enumerate(chosen, 1):
        decision = check_gate(classification.type, classification.outcome, signal.name)
        candidate = Candidate(number, signal, decision)
        if decision.decision == "shut":
            candidate.drop(decision.reason)
        elif signal.facts.get("agrees") is False:
            candidate.drop("no later action of the session confirms it")
        candidates.append(candidate)
    return candidates


def check_frequency(
    store: Store, finished: FinishedSession, candidates: list[Candidate], *, strict: bool
) -> list[Candidate]:
    """Drop candidates that too few sessions have shown; two agents that saw the same in one session are enough.

    Sequences are counted by the hundred, so until they recur they are left out instead of dropped.
    """
    _count_sessions(store, _list_undecided(candidates), finished.session.id)
    for candidate in _list_undecided(candidates):
        min_sessions = max(
            candidate.gate_decision.min_sessions, OBVIOUS_FIX_SESSIONS if _is_obvious_fix(candidate.signal) else 1
        )
        if strict and min_sessions > 1:
            min_sessions = math.ceil(min_sessions * STRICT_FACTOR)
        if candidate.signal.actors < 2 and len(candidate.sessions) + 1 < min_sessions:
            candidate.drop(f"{TOO_FEW_SESSIONS} {len(candidate.sessions) + 1} of the {min_sessions} sessions it takes")
        elif (
            candidate.signal.name is SignalName.SEQUENCE
            and _measure_success(store, finished, candidate) <= RECIPE_SUCCESS_ABOVE
        ):
            candidate.drop("sessions that went this way did not succeed often enough")
    return [
        candidate
        for candidate in candidates
        if not (candidate.signal.name is SignalName.SEQUENCE and candidate.reason.startswith(TOO_FEW_SESSIONS))
    ]


def _is_obvious_fix(signal: Signal) -> bool:
    """Whether an error was fixed by an edit of the code: ordinary work, unless another session needs the same edit."""
    return signal.name is SignalName.ERROR_RETRY and signal.facts.get("fix_kind") == "edit"


def _measure_success(store: Store, finished: FinishedSession, candidate: Candidate) -> float:
    """Return the share of sessions with this signal that succeeded."""
    outcomes = [session_ledger.get_outcome(store.database, session) for session in candidate.sessions]
    outcomes.append(str(finished.classification.outcome))
    return outcomes.count(Outcome.SUCCESS) / len(outcomes)


def write_drafts(store: Store, finished: FinishedSession, candidates: list[Candidate], places: CodeMapLookup) -> None:
    """Write the draft of each candidate; drops those whose text would be vague or whose files are missing."""
    for candidate in _list_undecided(candidates):
        signal = candidate.signal
        facts = (
            observations.list_signal_facts(store.database, signal.name, build_sighting_key(signal))
            if candidate.sessions
            else []
        )
        memory_text = write_memory_text(signal, SignalEvidence(facts, len(candidate.sessions) + 1))
        if memory_text is None:
            candidate.drop("it would only say something vague")
            continue
        root = str(store.project.root)
        files = tuple(path for path in memory_text.files or signal.files if path_exists(path, root))
        if memory_text.files and not files:
            candidate.drop("its files no longer exist")
            continue
        is_standing = is_standing_rule(signal, memory_text.content)
        files = list_named_files(files, memory_text.content) if is_standing else files
        module = places.module_of(files[0]) if files else ""
        session = finished.session
        candidate.draft = Draft(
            content=memory_text.content,
            type=memory_text.type,
            details=memory_text.details,
            files=files,
            modules=(module,) if module else (),
            tags=memory_text.tags,
            relations=tuple(list_relations(store, memory_text.relations)),
            source=SIGNALS[signal.name].source,
            confidence=STANDING_RULE_CONFIDENCE
            if is_standing
            else compute_initial_confidence(signal, len(candidate.sessions) + 1, candidate.gate_decision.reduction),
            state=State.CONFIRMED if signal.actors > 1 else None,
            review=_choose_review(finished, signal),
            session=session.id,
            agent=session.agent,
            branch=session.branch,
            branch_only=""
            if is_branch_independent(memory_text.type, files, SIGNALS[signal.name].source)
            else finished.branch_only,
            commit=str(signal.facts.get("sha") or "") or finished.commit or session.commit,
            work_unit=session.work_unit,
            methodology=session.work_unit.methodology if session.work_unit else "",
            origin=candidate.origin,
            stated_at=session.last_event_at,
        )
        if isinstance(memory_text.details, Recipe):
            details = replace(memory_text.details, last_validated_at=session.last_event_at)
            candidate.draft = replace(candidate.draft, details=details)


def trace_sources(candidates: list[Candidate], sources: SourceTracer) -> None:
    """Set the taint source of the remaining candidates; tracing is too slow for all signals."""
    alive = _list_undecided(candidates)
    for candidate, source in zip(alive, sources([candidate.signal for candidate in alive]), strict=True):
        candidate.signal = replace(candidate.signal, taint=source)


def deduplicate_candidates(store: Store, candidates: list[Candidate]) -> None:
    """Deduplicate: link each candidate to the stored memory that it confirms; drops what a rules file already says.

    Untrusted candidates and quarantined memories do not confirm each other.
    """
    for candidate, draft in _list_drafted(candidates):
        duplicate = candidate.duplicate_of or store.memories.find_by_origin(candidate.origin)
        if duplicate is None and candidate.signal.quotes:
            candidate.similar = tuple(find_similar_memories(store, draft.content))
            same = (match.memory for match in candidate.similar if match.verdict is Verdict.SAME)
            duplicate = next((memory for memory in same if memory.type is draft.type), None)
        if duplicate is None:
            continue
        if duplicate.source is Source.RULES_FILE:
            candidate.drop(f"a rules file says it already ({duplicate.id})")
        elif duplicate.state is State.QUARANTINED or candidate.signal.taint:
            candidate.drop(f"{duplicate.id} says it, and untrusted text proves nothing")
        else:
            candidate.duplicate_of = duplicate


def reject_known(store: Store, candidates: list[Candidate]) -> None:
    """Drop candidates that a person marked wrong, rejected or forgot (tombstones)."""
    for candidate, draft in _list_drafted(candidates):
        if candidate.duplicate_of is None and (
            store.memories.is_rejected(draft.content) or store.memories.is_rejected(candidate.origin)
        ):
            candidate.drop("a person rejected it")


def resolve_contradictions(candidates: list[Candidate]) -> None:
    """Resolve contradictions: a candidate replaces an observed memory, and a person's rule their older one.

    A taught memory, or a statement about something else, stays and is marked as a conflict.
    """
    for candidate, draft in _list_drafted(candidates):
        if candidate.duplicate_of is not None or not candidate.signal.quotes or candidate.signal.taint:
            continue
        against = [match.memory for match in candidate.similar if match.verdict is Verdict.CONTRADICTS]
        if overruled := find_overruled(draft, against):
            if is_overtaken(draft, overruled):
                candidate.drop(f"{overruled.id} is a later word of the same person")
            else:
                candidate.replaces = overruled
            continue
        same = [memory for memory in against if memory.type is draft.type and set(memory.files) & set(draft.files)]
        if (
            same
            and same[0].source not in (*HUMAN_SOURCES, Source.RULES_FILE)
            and same[0].state is not State.QUARANTINED
        ):
            candidate.replaces = same[0]
        elif against:
            relation = Relation(RelationType.CONFLICTS_WITH, memory=against[0].id, automatic=True)
            candidate.draft = replace(draft, relations=(*draft.relations, relation))


def apply_trust(candidates: list[Candidate]) -> None:
    """Quarantine tainted candidates and guarded commands for a person; drops what contains a prompt injection."""
    for candidate, draft in _list_drafted(candidates):
        texts = (*candidate.signal.quotes, draft.content)  # The text of a memory may contain more than its quotes.
        is_doubtful = candidate.signal.name is SignalName.USER_STATEMENT
        reason = "" if _is_user_text(candidate.signal) and not is_doubtful else find_injection("\n".join(texts))
        if reason:
            candidate.drop(f"it tries to instruct an agent ({reason})")
        elif is_doubtful and not admit("wish", candidate.signal.quotes[0]):
            if is_unread_wish(candidate.signal.quotes[0]):  # the gate reads English only
                candidate.draft = _leave_to_person(draft)
            else:
                candidate.drop("it may be pasted: it names a host or a program")
        elif candidate.signal.facts.get("pasted") or candidate.signal.facts.get("declined"):
            candidate.draft = _leave_to_person(draft)
        elif candidate.signal.taint:
            candidate.draft = replace(
                draft,
                state=State.QUARANTINED,
                review=ReviewReason.TAINTED,
                confidence=(draft.confidence or 0.0) * confidence.TAINTED_FACTOR,
                tags=(*draft.tags, f"from {candidate.signal.taint}"[:60]),
            )
        elif (is_doubtful or not _is_user_text(candidate.signal)) and lowers_protection("\n".join(texts)):
            candidate.draft = replace(draft, state=State.QUARANTINED, review=ReviewReason.GUARDED)
            candidate.replaces = None  # What is waiting does not take the place of a memory that is told.


def _leave_to_person(draft: Draft) -> Draft:
    """Return a draft that no agent sees before a person approves it."""
    return replace(draft, state=State.QUARANTINED, review=ReviewReason.INFERRED)


def _is_user_text(signal: Signal) -> bool:
    """Whether the user wrote all quotes of a signal; a changed line of the agent is quoted next to the user's."""
    by_person = SIGNALS[signal.name].source is Source.USER_CORRECTION
    return by_person and not signal.taint and "agents_line" not in signal.facts


def score_candidates(finished: FinishedSession, candidates: list[Candidate], *, strict: bool) -> None:
    """Score the candidates; drops those below the threshold and beyond the limits.

    The gate limits what is inferred from behaviour; statements have a separate limit in every type of session.
    """
    factor = STRICT_FACTOR if strict else 1.0
    for candidate, draft in _list_drafted(candidates):
        candidate.score = 0.5 * SIGNALS[candidate.signal.name].score + 0.5 * (draft.confidence or 0.0)
        if candidate.score < factor * get_score_threshold(draft.type) and not candidate.signal.taint:
            candidate.drop(f"its score is {candidate.score:.2f}")
    undecided = _list_undecided(candidates)
    behavioural = [candidate for candidate in undecided if candidate.signal.name not in WRITTEN]
    _limit_candidates(behavioural, GATES[finished.classification.type].max_memories)
    written = [candidate for candidate in undecided if candidate.signal.name in WRITTEN]
    _limit_candidates(written, RECORDS_PER_SESSION_MAX)


def _limit_candidates(candidates: list[Candidate], max_memories: int) -> None:
    ranked = sorted(candidates, key=lambda candidate: (-candidate.score, candidate.number))
    for candidate in ranked[max_memories:]:
        candidate.drop(f"more than {max_memories} from one session")


def store_candidates(store: Store, finished: FinishedSession, candidates: list[Candidate]) -> Promotion:
    """Write memories, held and dropped candidates with their reasons, in one transaction."""
    now = store.clock.now()
    with store.database.write_transaction():
        for candidate, draft in _list_drafted(candidates):
            if candidate.gate_decision.decision == "held":
                candidate.state, candidate.reason = HELD, candidate.gate_decision.reason
            else:
                store_candidate(store, candidate, draft)
        until = format_stamp(now + timedelta(days=HELD_DAYS))
        rows = [candidate.to_ledger_row(finished.session.id, format_stamp(now), until) for candidate in candidates]
        ledger.replace_session_candidates(store.database, finished.session.id, rows)
    return Promotion(tuple(candidates))


def store_candidate(store: Store, candidate: Candidate, draft: Draft) -> None:
    """Store one candidate as a new memory, as a replacement, or as a confirmation of a stored one."""
    try:
        admitted = sanitize_draft(draft, str(store.project.root))
    except HollowayError as error:
        candidate.drop(error.message)
        return
    if candidate.duplicate_of is not None:
        candidate.memory = candidate.duplicate_of.id
        if draft.session in candidate.duplicate_of.sessions:
            candidate.state, candidate.reason = PROMOTED, "known from this session"
        else:
            reinforced = store.memories.reinforce_similar(candidate.duplicate_of, admitted)
            count_success(store, reinforced.memory, draft)
            candidate.state, candidate.reason = REINFORCED, "another session came to the same"
        return
    if candidate.replaces is not None:
        candidate.memory = store.memories.supersede_memory(
            candidate.replaces, admitted, "replaced", "a later session saw it otherwise"
        ).id
        candidate.state = PROMOTED
        return
    added = store.memories.add_memory(admitted)
    if added.memory is None:
        candidate.drop("a person rejected it")
    else:
        candidate.memory = added.memory.id
        candidate.state = PROMOTED if added.outcome == "added" else REINFORCED
        if candidate.state == PROMOTED:
            raise_validated(store, added.memory.id, admitted.draft)


def compute_initial_confidence(signal: Signal, sessions: int, reduction: float) -> float:
    """Return the initial confidence of a memory from this signal."""
    row = SIGNALS[signal.name]
    if row.confidence is not None:
        initial = row.confidence
    elif row.source in _FIXED_CONFIDENCE_SOURCES or row.source is Source.USER_CORRECTION:
        initial = confidence.BIRTH[row.source][0]
    else:
        extra_sessions = max(0, sessions - row.min_sessions)
        initial = min(
            PROMOTED_CONFIDENCE_MAX,
            row.score * (CONFIDENCE_AT_MINIMUM + PROMOTED_CONFIDENCE_PER_SESSION * extra_sessions),
        )
    if has_reason(signal):
        initial = max(initial, REASONED_CONFIDENCE)
    return round(max(0.0, initial - reduction), 4)


def get_score_threshold(kind: MemoryType) -> float:
    """Return the score threshold for memories of this type."""
    return _SCORE_MIN.get(kind, SCORE_MIN_DEFAULT)


def _can_be_memory(signal: Signal) -> bool:
    return signal.name not in COUNTED_ONLY


def _count_sessions(store: Store, candidates: list[Candidate], session: str) -> None:
    """Set on each candidate the other sessions that showed the same signal."""
    keys = [(str(candidate.signal.name), build_sighting_key(candidate.signal)) for candidate in candidates]
    sessions = observations.list_sessions_with_signals(store.database, keys, session)
    for candidate, names in zip(candidates, sessions, strict=True):
        candidate.sessions = tuple(names)


def _choose_review(finished: FinishedSession, signal: Signal) -> ReviewReason | None:
    """Return why a person should look at the memory; None if nobody needs to."""
    if SIGNALS[signal.name].source is Source.USER_CORRECTION:
        return ReviewReason.STATED
    return ReviewReason.INFERRED if GATES[finished.classification.type].review else None


def _list_undecided(candidates: list[Candidate]) -> list[Candidate]:
    return [candidate for candidate in candidates if candidate.is_undecided]


def _list_drafted(candidates: list[Candidate]) -> list[tuple[Candidate, Draft]]:
    """Return the undecided candidates that have a draft."""
    return [(candidate, candidate.draft) for candidate in _list_undecided(candidates) if candidate.draft is not None]
