"""Promotion pipeline: turns the signals of a finished session into memories, stage by stage.

validate > check frequency > write text > trace sources > deduplicate > reject known > resolve contradictions
> apply trust > score > rewrite (LLM) > store

A dropped candidate keeps its reason; all others are written in one transaction.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import TYPE_CHECKING

from holloway.domain import confidence
from holloway.domain.memory import Draft, MemoryType, Relation, RelationType, ReviewReason, Source, State
from holloway.domain.ports import stamp
from holloway.domain.session import Outcome
from holloway.errors import HollowayError
from holloway.observer.signals.signal import SIGNALS, Signal, SignalName
from holloway.promotion.candidate import Candidate, Finished, Places, sighting_key
from holloway.promotion.gates import GATES, HELD_DAYS, passage, plain
from holloway.promotion.memory_text import Evidence, word
from holloway.promotion.synthesis import often_together
from holloway.retrieval.novelty import Verdict, closest
from holloway.safety.paths import path_exists
from holloway.safety.prompt_injection import find_injection
from holloway.store import candidates as ledger
from holloway.store import observations, session_ledger
from holloway.store.candidates import HELD, PROMOTED, REINFORCED
from holloway.store.memories import HUMAN
from holloway.store.write_gate import admit
from holloway.text.file_roles import is_test

if TYPE_CHECKING:
    from holloway.store.store import Store

COUNTED_ONLY = frozenset(
    {
        SignalName.FILE_ACCESS,
        SignalName.IMPORT_CHASE,
        SignalName.TIME_ANOMALY,
        SignalName.TEST_ORDER,
        SignalName.STEP_OVERRUN,
        SignalName.CONTEXT_TOKEN_SPIKE,
    }
)
"""Signals that are only counted; synthesis turns them into memories across sessions."""

COUNTED_FIRST = frozenset({SignalName.SEQUENCE, SignalName.CO_ACCESS})
TOO_FEW = "seen in"
CANDIDATES_MAX = 300
CONFIDENCE_AT_MINIMUM = 0.7
CONFIDENCE_PER_SESSION = 0.05
CONFIDENCE_MOST = 0.9
REJECTED_TIGHTENS = 1.2
RECIPE_SUCCESS_ABOVE = 0.8
OBVIOUS_FIX_SESSIONS = 2

_SCORE_FROM: dict[str, float] = {
    "dead_end": 0.3,
    "gotcha": 0.5,
    "error_pattern": 0.5,
    "causal_dependency": 0.6,
    "prefetch_pattern": 0.6,
    "module_insight": 0.55,
    "workflow_recipe": 0.65,
    "task_calibration": 0.55,
}
SCORE_FROM_OTHERWISE = 0.6

_OWN_CONFIDENCE = frozenset(
    {Source.ERROR_FIX, Source.AGENT_EXPLICIT, Source.QA_AUTO, Source.MCP_AUTO, Source.COMMIT_AUTO}
)


Sources = Callable[[Sequence[Signal]], list[str]]
"""Returns the taint source of each signal, or empty strings."""


@dataclass(frozen=True, slots=True)
class Promotion:
    """The candidates of a session after promotion."""

    candidates: tuple[Candidate, ...]

    def of(self, state: str) -> list[Candidate]:
        """Return the candidates in one state."""
        return [candidate for candidate in self.candidates if candidate.state == state]


def judged(
    store: Store, finished: Finished, places: Places, sources: Sources, *, strict: bool = False
) -> list[Candidate]:
    """Run a session's signals through all deciding stages; nothing is written yet."""
    candidates = validated(finished)
    candidates = frequent(store, finished, candidates, places, strict=strict)
    worded(store, finished, candidates, places)
    sourced(candidates, sources)
    novel(store, candidates)
    refused(store, candidates)
    contradicted(candidates)
    trusted(candidates)
    scored(finished, candidates, strict=strict)
    return candidates


def validated(finished: Finished) -> list[Candidate]:
    """Apply the gate of the session type; drops corrections that no later action of the session confirms."""
    classification = finished.judged
    chosen = [signal for signal in finished.signals if _could_be(signal)][:CANDIDATES_MAX]
    candidates = []
    for number, signal in enumerate(chosen, 1):
        decision = passage(classification.type, classification.outcome, signal.name)
        candidate = Candidate(number, signal, decision)
        if decision.way == "shut":
            candidate.drop(decision.why)
        elif signal.facts.get("agrees") is False:
            candidate.drop("no later action of the session confirms it")
        candidates.append(candidate)
    return candidates


def frequent(
    store: Store, finished: Finished, found: list[Candidate], places: Places, *, strict: bool
) -> list[Candidate]:
    """Drop candidates that too few sessions have shown; two agents that saw the same in one session are enough.

    Sequences and file pairs are counted by the hundred, so until they recur they are left out instead of dropped.
    """
    _count_sessions(store, _alive(found), finished.session.id)
    for candidate in _alive(found):
        min_sessions = max(candidate.passage.min_sessions, OBVIOUS_FIX_SESSIONS if _obvious(candidate.signal) else 1)
        if strict and min_sessions > 1:
            min_sessions = math.ceil(min_sessions * REJECTED_TIGHTENS)
        if candidate.signal.actors < 2 and len(candidate.sessions) + 1 < min_sessions:
            candidate.drop(f"{TOO_FEW} {len(candidate.sessions) + 1} of the {min_sessions} sessions it takes")
        elif candidate.signal.name is SignalName.CO_ACCESS:
            _coupled(store, candidate, places)
        elif (
            candidate.signal.name is SignalName.SEQUENCE
            and _succeeded(store, finished, candidate) <= RECIPE_SUCCESS_ABOVE
        ):
            candidate.drop("sessions that went this way did not succeed often enough")
    return [
        candidate
        for candidate in found
        if not (candidate.signal.name in COUNTED_FIRST and candidate.reason.startswith(TOO_FEW))
    ]


def _obvious(signal: Signal) -> bool:
    """Whether an error was fixed in the file that it names: such a fix is obvious unless the error recurs."""
    error = str(signal.facts.get("error", ""))
    edited = signal.name is SignalName.ERROR_RETRY and signal.facts.get("fix_kind") == "edit"
    return edited and any(path in error for path in signal.files)


def _coupled(store: Store, each: Candidate, places: Places) -> None:
    path, other_path = _pair(each.signal)
    if is_test(path) or is_test(other_path):
        each.drop("code and its tests change together everywhere")
    elif places.explained(path, other_path):
        each.drop("an import explains it")
    elif not often_together(store, path, other_path, len(each.sessions) + 1):
        each.drop("they change apart more often than together")


def _succeeded(store: Store, finished: Finished, each: Candidate) -> float:
    """Return the share of sessions with this signal that succeeded."""
    outcomes = [session_ledger.outcome_of(store.database, session) for session in each.sessions]
    outcomes.append(str(finished.judged.outcome))
    return outcomes.count(Outcome.SUCCESS) / len(outcomes)


def worded(store: Store, finished: Finished, found: list[Candidate], places: Places) -> None:
    """Write the draft of each candidate; drops those whose text would be vague or whose files are missing."""
    for candidate in _alive(found):
        signal = candidate.signal
        facts = observations.facts_of(store.database, signal.name, sighting_key(signal)) if candidate.sessions else []
        memory_text = word(signal, Evidence(facts, len(candidate.sessions) + 1))
        if memory_text is None:
            candidate.drop("it would only say something vague")
            continue
        root = str(store.project.root)
        files = tuple(path for path in memory_text.files or signal.files if path_exists(path, root))
        if memory_text.files and not files:
            candidate.drop("its files no longer exist")
            continue
        module = places.module_of(files[0]) if files else ""
        session = finished.session
        candidate.draft = Draft(
            content=memory_text.content,
            type=memory_text.type,
            details=memory_text.details,
            files=files,
            modules=(module,) if module else (),
            source=SIGNALS[signal.name].source,
            confidence=birth(signal, len(candidate.sessions) + 1, candidate.passage.reduction),
            state=State.CONFIRMED if signal.actors > 1 else None,
            review=ReviewReason.INFERRED if _to_review(finished, signal) else None,
            session=session.id,
            agent=session.agent,
            branch=session.branch,
            branch_only="" if _holds_anywhere(memory_text.type, files) else finished.branch_only,
            commit=str(signal.facts.get("sha") or "") or finished.commit or session.commit,
            work_unit=session.work_unit,
            origin=candidate.origin,
        )
        if candidate.draft.type not in GATES[finished.judged.type].types:
            candidate.drop(f"{plain(finished.judged.type)} sessions leave no {memory_text.type.label}")


def _holds_anywhere(kind: MemoryType, files: tuple[str, ...]) -> bool:
    """Whether a memory is independent of any branch: a preference, or an error pattern without project files."""
    return kind is MemoryType.PREFERENCE or (kind is MemoryType.ERROR_PATTERN and not files)


def sourced(found: list[Candidate], sources: Sources) -> None:
    """Set the taint source of the remaining candidates; tracing is too slow for all signals."""
    alive = _alive(found)
    for candidate, source in zip(alive, sources([candidate.signal for candidate in alive]), strict=True):
        candidate.signal = replace(candidate.signal, taint=source)


def novel(store: Store, found: list[Candidate]) -> None:
    """Deduplicate: link each candidate to the stored memory that it confirms; drops what a rules file already says.

    Untrusted candidates and quarantined memories do not confirm each other.
    """
    for candidate, draft in _drafted(found):
        duplicate = store.memories.by_origin(candidate.origin)
        if duplicate is None and candidate.signal.quotes:
            candidate.near = tuple(closest(store, draft.content))
            same = (match.memory for match in candidate.near if match.verdict is Verdict.SAME)
            duplicate = next((memory for memory in same if memory.type is draft.type), None)
        if duplicate is None:
            continue
        if duplicate.source is Source.RULES_FILE:
            candidate.drop(f"a rules file says it already ({duplicate.id})")
        elif duplicate.state is State.QUARANTINED or candidate.signal.taint:
            candidate.drop(f"{duplicate.id} says it, and untrusted text proves nothing")
        else:
            candidate.known = duplicate


def refused(store: Store, found: list[Candidate]) -> None:
    """Drop candidates that a person marked wrong, rejected or forgot (tombstones)."""
    for candidate, draft in _drafted(found):
        if candidate.known is None and (
            store.memories.is_rejected(draft.content) or store.memories.is_rejected(candidate.origin)
        ):
            candidate.drop("a person rejected it")


def contradicted(found: list[Candidate]) -> None:
    """Resolve contradictions: a candidate replaces an observed memory; one by a person stays, marked as a conflict."""
    for candidate, draft in _drafted(found):
        if candidate.known is not None or not candidate.signal.quotes or candidate.signal.taint:
            continue
        against = [match.memory for match in candidate.near if match.verdict is Verdict.CONTRADICTS]
        same = [memory for memory in against if memory.type is draft.type and set(memory.files) & set(draft.files)]
        if same and same[0].source not in (*HUMAN, Source.RULES_FILE) and same[0].state is not State.QUARANTINED:
            candidate.replaces = same[0]
        elif against:
            relation = Relation(RelationType.CONFLICTS_WITH, memory=against[0].id, automatic=True)
            candidate.draft = replace(draft, relations=(*draft.relations, relation))


def trusted(found: list[Candidate]) -> None:
    """Quarantine tainted candidates for review by a person; drops those that contain a prompt injection."""
    for candidate, draft in _drafted(found):
        texts = (*candidate.signal.quotes, draft.content)  # The text of a memory may contain more than its quotes.
        reason = "" if _is_users_word(candidate.signal) else find_injection("\n".join(texts))
        if reason:
            candidate.drop(f"it tries to instruct an agent ({reason})")
        elif candidate.signal.taint:
            candidate.draft = replace(
                draft,
                state=State.QUARANTINED,
                review=ReviewReason.TAINTED,
                confidence=(draft.confidence or 0.0) * confidence.TAINTED_FACTOR,
                tags=(*draft.tags, f"from {candidate.signal.taint}"[:60]),
            )


def _is_users_word(signal: Signal) -> bool:
    """Whether the user wrote all quotes of a signal; a changed line of the agent is quoted next to the user's."""
    by_person = SIGNALS[signal.name].source is Source.USER_CORRECTION
    return by_person and not signal.taint and "agents_line" not in signal.facts


def scored(finished: Finished, found: list[Candidate], *, strict: bool) -> None:
    """Score the candidates; drops those below the threshold and those beyond the gate's limit."""
    factor = REJECTED_TIGHTENS if strict else 1.0
    for candidate, draft in _drafted(found):
        candidate.score = 0.5 * SIGNALS[candidate.signal.name].score + 0.5 * (draft.confidence or 0.0)
        if candidate.score < factor * score_from(draft.type) and not candidate.signal.taint:
            candidate.drop(f"its score is {candidate.score:.2f}")
    max_memories = GATES[finished.judged.type].most
    ranked = sorted(_alive(found), key=lambda candidate: (-candidate.score, candidate.number))
    for candidate in ranked[max_memories:]:
        candidate.drop(f"more than {max_memories} from one session")


def written(store: Store, finished: Finished, found: list[Candidate]) -> Promotion:
    """Write memories, held and dropped candidates with their reasons, in one transaction."""
    now = store.clock.now()
    with store.database.write():
        for candidate, draft in _drafted(found):
            if candidate.passage.way == "held":
                candidate.state, candidate.reason = HELD, candidate.passage.why
            else:
                write(store, candidate, draft)
        until = stamp(now + timedelta(days=HELD_DAYS))
        rows = [candidate.kept(finished.session.id, stamp(now), until) for candidate in found]
        ledger.replace_all(store.database, finished.session.id, rows)
    return Promotion(tuple(found))


def write(store: Store, each: Candidate, draft: Draft) -> None:
    """Store one candidate as a new memory, as a replacement, or as a confirmation of a stored one."""
    try:
        admitted = admit(draft, str(store.project.root))
    except HollowayError as error:
        each.drop(error.message)
        return
    if each.known is not None:
        each.memory = each.known.id
        if draft.session in each.known.sessions:
            each.state, each.reason = PROMOTED, "known from this session"
        else:
            store.memories.agree(each.known, admitted)
            each.state, each.reason = REINFORCED, "another session came to the same"
        return
    if each.replaces is not None:
        each.memory = store.memories.supersede(
            each.replaces, admitted, "replaced", "a later session saw it otherwise"
        ).id
        each.state = PROMOTED
        return
    added = store.memories.add(admitted)
    if added.memory is None:
        each.drop("a person rejected it")
    else:
        each.memory = added.memory.id
        each.state = PROMOTED if added.outcome == "added" else REINFORCED


def birth(signal: Signal, sessions: int, reduction: float) -> float:
    """Return the initial confidence of a memory from this signal."""
    row = SIGNALS[signal.name]
    if row.source in _OWN_CONFIDENCE or row.source is Source.USER_CORRECTION:
        initial = confidence.BIRTH[row.source][0]
    else:
        extra_sessions = max(0, sessions - row.min_sessions)
        initial = min(CONFIDENCE_MOST, row.score * (CONFIDENCE_AT_MINIMUM + CONFIDENCE_PER_SESSION * extra_sessions))
    return round(max(0.0, initial - reduction), 4)


def score_from(kind: MemoryType) -> float:
    """Return the score threshold for memories of this type."""
    return _SCORE_FROM.get(kind, SCORE_FROM_OTHERWISE)


def _could_be(signal: Signal) -> bool:
    if signal.name is SignalName.CO_ACCESS:
        return bool(signal.facts.get("edited"))
    return signal.name not in COUNTED_ONLY


def _count_sessions(store: Store, found: list[Candidate], session: str) -> None:
    """Set on each candidate the other sessions that showed the same signal."""
    pairs = [candidate for candidate in found if candidate.signal.name is SignalName.CO_ACCESS]
    single = [candidate for candidate in found if candidate.signal.name is not SignalName.CO_ACCESS]
    files = [_pair(candidate.signal) for candidate in pairs]
    keys = [(str(candidate.signal.name), sighting_key(candidate.signal)) for candidate in single]
    sessions = observations.edited_together(store.database, files, session)
    sessions += observations.seen_before(store.database, keys, session)
    for candidate, names in zip([*pairs, *single], sessions, strict=True):
        candidate.sessions = tuple(names)


def _pair(signal: Signal) -> tuple[str, str]:
    path, other_path = sorted(signal.files)
    return path, other_path


def _to_review(finished: Finished, signal: Signal) -> bool:
    return GATES[finished.judged.type].review or signal.name is SignalName.USER_CORRECTION


def _alive(found: list[Candidate]) -> list[Candidate]:
    return [candidate for candidate in found if candidate.alive]


def _drafted(found: list[Candidate]) -> list[tuple[Candidate, Draft]]:
    """Return the undecided candidates that have a draft."""
    return [(candidate, candidate.draft) for candidate in _alive(found) if candidate.draft is not None]
