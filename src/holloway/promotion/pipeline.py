"""The pipeline of promotion, stage by stage; what falls out keeps its reason, what stays is written at once.

validation ─> frequency ─> words ─> source ─> novelty ─> refusal ─> contradiction ─> trust ─> scoring
─> better words ─> the store
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
from holloway.safety.paths import is_there
from holloway.safety.prompt_injection import instructs
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
"""Signals that become memories across sessions only; see synthesis."""

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
"""What taints each of some signals, if anything does."""


@dataclass(frozen=True, slots=True)
class Promotion:
    """What became of a session's candidates."""

    candidates: tuple[Candidate, ...]

    def of(self, state: str) -> list[Candidate]:
        """The candidates in one state."""
        return [each for each in self.candidates if each.state == state]


def judged(
    store: Store, finished: Finished, places: Places, sources: Sources, *, strict: bool = False
) -> list[Candidate]:
    """Carry a session's signals through all stages that decide; nothing is written yet."""
    found = validated(finished)
    found = frequent(store, finished, found, places, strict=strict)
    worded(store, finished, found, places)
    sourced(found, sources)
    novel(store, found)
    refused(store, found)
    contradicted(found)
    trusted(found)
    scored(finished, found, strict=strict)
    return found


def validated(finished: Finished) -> list[Candidate]:
    """What the gate lets through, now or later. A correction that nothing in the session bears out is not believed."""
    judged = finished.judged
    chosen = [signal for signal in finished.signals if _could_be(signal)][:CANDIDATES_MAX]
    found = []
    for number, signal in enumerate(chosen, 1):
        way = passage(judged.type, judged.outcome, signal.name)
        each = Candidate(number, signal, way)
        if way.way == "shut":
            each.drop(way.why)
        elif signal.facts.get("agrees") is False:
            each.drop("nothing that the session did bears it out")
        found.append(each)
    return found


def frequent(
    store: Store, finished: Finished, found: list[Candidate], places: Places, *, strict: bool
) -> list[Candidate]:
    """What too few sessions have shown waits for more of them; two agents that saw the same count as enough.

    Runs of steps and pairs of files are counted by the hundred: before they come again they are no candidates at all.
    """
    _count_sessions(store, _alive(found), finished.session.id)
    for each in _alive(found):
        least = max(each.passage.min_sessions, OBVIOUS_FIX_SESSIONS if _obvious(each.signal) else 1)
        if strict and least > 1:
            least = math.ceil(least * REJECTED_TIGHTENS)
        if each.signal.actors < 2 and len(each.sessions) + 1 < least:
            each.drop(f"{TOO_FEW} {len(each.sessions) + 1} of the {least} sessions it takes")
        elif each.signal.name is SignalName.CO_ACCESS:
            _coupled(store, each, places)
        elif each.signal.name is SignalName.SEQUENCE and _succeeded(store, finished, each) <= RECIPE_SUCCESS_ABOVE:
            each.drop("sessions that went this way did not succeed often enough")
    return [each for each in found if not (each.signal.name in COUNTED_FIRST and each.reason.startswith(TOO_FEW))]


def _obvious(signal: Signal) -> bool:
    """Whether an error was mended where it said it was: what a compiler or linter says helps only if it comes again."""
    error = str(signal.facts.get("error", ""))
    edited = signal.name is SignalName.ERROR_RETRY and signal.facts.get("fix_kind") == "edit"
    return edited and any(path in error for path in signal.files)


def _coupled(store: Store, each: Candidate, places: Places) -> None:
    one, other = _pair(each.signal)
    if is_test(one) or is_test(other):
        each.drop("code and its tests change together everywhere")
    elif places.explained(one, other):
        each.drop("an import explains it")
    elif not often_together(store, one, other, len(each.sessions) + 1):
        each.drop("they change apart more often than together")


def _succeeded(store: Store, finished: Finished, each: Candidate) -> float:
    """The share of sessions with this signal that succeeded."""
    outcomes = [session_ledger.outcome_of(store.database, session) for session in each.sessions]
    outcomes.append(str(finished.judged.outcome))
    return outcomes.count(Outcome.SUCCESS) / len(outcomes)


def worded(store: Store, finished: Finished, found: list[Candidate], places: Places) -> None:
    """What it would say; nothing vague."""
    for each in _alive(found):
        signal = each.signal
        facts = observations.facts_of(store.database, signal.name, sighting_key(signal)) if each.sessions else []
        said = word(signal, Evidence(facts, len(each.sessions) + 1))
        if said is None:
            each.drop("it would only say something vague")
            continue
        root = str(store.project.root)
        files = tuple(path for path in said.files or signal.files if is_there(path, root))
        if said.files and not files:
            each.drop("the files are gone")
            continue
        module = places.module_of(files[0]) if files else ""
        session = finished.session
        each.draft = Draft(
            content=said.content,
            type=said.type,
            details=said.details,
            files=files,
            modules=(module,) if module else (),
            source=SIGNALS[signal.name].source,
            confidence=birth(signal, len(each.sessions) + 1, each.passage.reduction),
            state=State.CONFIRMED if signal.actors > 1 else None,
            review=ReviewReason.INFERRED if _to_review(finished, signal) else None,
            session=session.id,
            agent=session.agent,
            branch=session.branch,
            branch_only="" if _holds_anywhere(said.type, files) else finished.branch_only,
            commit=str(signal.facts.get("sha") or "") or finished.commit or session.commit,
            work_unit=session.work_unit,
            origin=each.origin,
        )
        if each.draft.type not in GATES[finished.judged.type].types:
            each.drop(f"{plain(finished.judged.type)} sessions leave no {said.type.label}")


def _holds_anywhere(kind: MemoryType, files: tuple[str, ...]) -> bool:
    """Whether no branch's code is meant: what somebody likes, and what a tool wants that names no file of ours."""
    return kind is MemoryType.PREFERENCE or (kind is MemoryType.ERROR_PATTERN and not files)


def sourced(found: list[Candidate], sources: Sources) -> None:
    """Where its words come from, which is found out only for what came so far."""
    alive = _alive(found)
    for each, source in zip(alive, sources([each.signal for each in alive]), strict=True):
        each.signal = replace(each.signal, taint=source)


def novel(store: Store, found: list[Candidate]) -> None:
    """What is known already makes that memory surer; what a rules file says is not stored again."""
    for each, draft in _drafted(found):
        twin = store.memories.by_origin(each.origin)
        if twin is None and each.signal.quotes:
            each.near = tuple(closest(store, draft.content))
            same = (one.memory for one in each.near if one.verdict is Verdict.SAME)
            twin = next((memory for memory in same if memory.type is draft.type), None)
        if twin is None:
            continue
        if twin.source is Source.RULES_FILE:
            each.drop(f"a rules file says it already ({twin.id})")
        elif twin.state is State.QUARANTINED or each.signal.taint:
            each.drop(f"{twin.id} says it, and the two prove nothing for each other")
        else:
            each.known = twin


def refused(store: Store, found: list[Candidate]) -> None:
    """What a person marked wrong, rejected or forgot does not come back."""
    for each, draft in _drafted(found):
        if each.known is None and (
            store.memories.is_rejected(draft.content) or store.memories.is_rejected(each.origin)
        ):
            each.drop("a person rejected it")


def contradicted(found: list[Candidate]) -> None:
    """Said of the same, but otherwise: the new word replaces an observed one. A person's word stays beside it."""
    for each, draft in _drafted(found):
        if each.known is not None or not each.signal.quotes or each.signal.taint:
            continue
        against = [one.memory for one in each.near if one.verdict is Verdict.CONTRADICTS]
        same = [memory for memory in against if memory.type is draft.type and set(memory.files) & set(draft.files)]
        if same and same[0].source not in (*HUMAN, Source.RULES_FILE) and same[0].state is not State.QUARANTINED:
            each.replaces = same[0]
        elif against:
            relation = Relation(RelationType.CONFLICTS_WITH, memory=against[0].id, automatic=True)
            each.draft = replace(draft, relations=(*draft.relations, relation))


def trusted(found: list[Candidate]) -> None:
    """What came in from outside waits for a person; what tries to instruct an agent is not kept at all."""
    for each, draft in _drafted(found):
        words = (*each.signal.quotes, draft.content)  # The words of a memory may be more than it quotes.
        reason = "" if _is_users_word(each.signal) else instructs("\n".join(words))
        if reason:
            each.drop(f"it tries to instruct an agent ({reason})")
        elif each.signal.taint:
            each.draft = replace(
                draft,
                state=State.QUARANTINED,
                review=ReviewReason.TAINTED,
                confidence=(draft.confidence or 0.0) * confidence.TAINTED_FACTOR,
                tags=(*draft.tags, f"from {each.signal.taint}"[:60]),
            )


def _is_users_word(signal: Signal) -> bool:
    """Whether all of it is what the user said: a line of the agent's that they changed is quoted beside theirs."""
    by_person = SIGNALS[signal.name].source is Source.USER_CORRECTION
    return by_person and not signal.taint and "agents_line" not in signal.facts


def scored(finished: Finished, found: list[Candidate], *, strict: bool) -> None:
    """The best ones up to the gate's number."""
    factor = REJECTED_TIGHTENS if strict else 1.0
    for each, draft in _drafted(found):
        each.score = 0.5 * SIGNALS[each.signal.name].score + 0.5 * (draft.confidence or 0.0)
        if each.score < factor * score_from(draft.type) and not each.signal.taint:
            each.drop(f"its score is {each.score:.2f}")
    most = GATES[finished.judged.type].most
    ranked = sorted(_alive(found), key=lambda each: (-each.score, each.number))
    for each in ranked[most:]:
        each.drop(f"more than {most} from one session")


def written(store: Store, finished: Finished, found: list[Candidate]) -> Promotion:
    """Everything or nothing: memories, what was held, what was dropped and why."""
    now = store.clock.now()
    with store.database.write():
        for each, draft in _drafted(found):
            if each.passage.way == "held":
                each.state, each.reason = HELD, each.passage.why
            else:
                write(store, each, draft)
        until = stamp(now + timedelta(days=HELD_DAYS))
        kept = [each.kept(finished.session.id, stamp(now), until) for each in found]
        ledger.replace_all(store.database, finished.session.id, kept)
    return Promotion(tuple(found))


def write(store: Store, each: Candidate, draft: Draft) -> None:
    """Turn one candidate into a memory, or into one more voice for a known one."""
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
    """How sure a memory of this signal is at birth."""
    row = SIGNALS[signal.name]
    if row.source in _OWN_CONFIDENCE or row.source is Source.USER_CORRECTION:
        born = confidence.BIRTH[row.source][0]
    else:
        further = max(0, sessions - row.min_sessions)
        born = min(CONFIDENCE_MOST, row.score * (CONFIDENCE_AT_MINIMUM + CONFIDENCE_PER_SESSION * further))
    return round(max(0.0, born - reduction), 4)


def score_from(kind: MemoryType) -> float:
    """The score from which a memory of this type is worth keeping."""
    return _SCORE_FROM.get(kind, SCORE_FROM_OTHERWISE)


def _could_be(signal: Signal) -> bool:
    if signal.name is SignalName.CO_ACCESS:
        return bool(signal.facts.get("edited"))
    return signal.name not in COUNTED_ONLY


def _count_sessions(store: Store, found: list[Candidate], session: str) -> None:
    """Note with each candidate the other sessions that showed the same."""
    pairs = [each for each in found if each.signal.name is SignalName.CO_ACCESS]
    others = [each for each in found if each.signal.name is not SignalName.CO_ACCESS]
    files = [_pair(each.signal) for each in pairs]
    keys = [(str(each.signal.name), sighting_key(each.signal)) for each in others]
    seen = observations.edited_together(store.database, files, session)
    seen += observations.seen_before(store.database, keys, session)
    for each, names in zip([*pairs, *others], seen, strict=True):
        each.sessions = tuple(names)


def _pair(signal: Signal) -> tuple[str, str]:
    one, other = sorted(signal.files)
    return one, other


def _to_review(finished: Finished, signal: Signal) -> bool:
    return GATES[finished.judged.type].review or signal.name is SignalName.USER_CORRECTION


def _alive(found: list[Candidate]) -> list[Candidate]:
    return [each for each in found if each.alive]


def _drafted(found: list[Candidate]) -> list[tuple[Candidate, Draft]]:
    """What is on its way and has words."""
    return [(each, each.draft) for each in _alive(found) if each.draft is not None]
