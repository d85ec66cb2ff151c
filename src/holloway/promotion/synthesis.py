"""Synthesis: statistics of each session, and memories derived from many sessions without a language model.

A module is analysed once each after 5, 10, 20, 50 and 100 sessions; pairs of modules are analysed weekly.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from statistics import mean, quantiles
from typing import TYPE_CHECKING, Any, NamedTuple

from holloway.config import SHORT_TEXT_CHARS_MAX
from holloway.domain.memory import Draft, MemoryType, Scope, Source
from holloway.domain.memory_details import Calibration, CausalDependency, ContextCost, Prefetch
from holloway.domain.ports import format_stamp
from holloway.observer.signals.command_runs import list_passed_calls
from holloway.observer.signals.error_retry import list_session_errors
from holloway.observer.signals.signal import SignalName
from holloway.promotion.candidate import build_sighting_key
from holloway.safety import secrets
from holloway.safety.repository_text import is_command
from holloway.store import observations, session_ledger
from holloway.store.lookup import OBSERVED_PREFIX, PASSED_COMMAND
from holloway.store.observations import ErrorSighting, SessionObservations, SignalSighting
from holloway.store.write_gate import sanitize_observed_draft
from holloway.text.command_compare import is_portable
from holloway.text.file_roles import is_test
from holloway.text.sanitize import clean_text, one_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from holloway.domain.memory import Memory
    from holloway.domain.memory_details import Details
    from holloway.domain.work import SessionSummary
    from holloway.observer.activity import SessionActivity
    from holloway.observer.signals.error_retry import SessionError
    from holloway.observer.signals.signal import Signal
    from holloway.promotion.candidate import CodeMapLookup
    from holloway.store.store import Store


THRESHOLDS = (5, 10, 20, 50, 100)
RECENT_SESSIONS_MAX = 50
"""Number of latest sessions of a module that count, so that refactored code drops out."""
ALWAYS_ABOVE = 0.8
OFTEN_ABOVE = 0.5
PREFETCH_MAX = 6
SAMPLES_MIN = 3
PLANNED_MIN = 2
"""Minimum number of planned steps or items of a plan that counts."""
UNDERESTIMATED_ABOVE = 1.2
OVERESTIMATED_BELOW = 0.8
"""Ratios of actual to planned work between which plans are accurate."""
COST_TOKENS_MIN = 1_000
"""Minimum mean token cost worth a memory; costs are rounded to thousands."""
FILE_PAIR_SESSIONS_MIN = 5
PAIRS_WEEKLY_MAX = 10
TOGETHER_SHARE = 0.4
"""Minimum share, of the sessions that change either of two files, that change both (co-change)."""
SHARE_OF_ALL_BELOW = 0.5
"""Share of all sessions from which an opened file is not specific to one module."""
SYNTHESIS_CONFIDENCE_FROM = 0.6
SYNTHESIS_CONFIDENCE_PER_SESSION = 0.01
SYNTHESIS_CONFIDENCE_MAX = 0.85
SIGHTINGS_MAX = 600
SESSION_ERRORS_MAX = 200
"""Number of different errors of one session that are counted."""
PASSED_CALLS_MAX = 50


@dataclass(frozen=True, slots=True)
class ModuleSynthesis:
    """Memories that were synthesised for a module at a threshold."""

    module: str
    threshold: int
    memories: tuple[Memory, ...]


def find_due_modules(store: Store, modules: Sequence[str]) -> list[tuple[str, int]]:
    """Return the modules that have reached a threshold at which they were not analysed yet, with that threshold."""
    counts = observations.count_module_sessions(store.database)
    due_modules = []
    for module in dict.fromkeys(modules):
        reached = [threshold for threshold in THRESHOLDS if threshold <= counts.get(module, 0)]
        if reached and not observations.is_synthesised(store.database, module, reached[-1]):
            due_modules.append((module, reached[-1]))
    return due_modules


def synthesise_module(store: Store, module: str, threshold: int, places: CodeMapLookup) -> ModuleSynthesis:
    """Analyse one module; stores its memories and the completed threshold in one transaction."""
    drafts = [
        draft
        for build_draft in (draft_prefetch, draft_calibration, draft_context_cost)
        if (draft := build_draft(store, module, places))
    ]
    with store.database.write_transaction():
        memories = [memory for draft in drafts if (memory := _store_draft(store, draft)) is not None]
        observations.record_synthesis(store.database, module, threshold, format_stamp(store.clock.now()), len(memories))
    return ModuleSynthesis(module, threshold, tuple(memories))


def synthesise_module_pairs(store: Store, places: CodeMapLookup) -> list[Memory]:
    """Store memories on modules that are changed together without importing each other; returns them."""
    drafts = draft_module_pairs(store, places)
    with store.database.write_transaction():
        return [memory for draft in drafts if (memory := _store_draft(store, draft)) is not None]


def draft_prefetch(store: Store, module: str, places: CodeMapLookup) -> Draft | None:
    """Draft the files that sessions in a module open nearly always or often, without files that all sessions open."""
    recent = observations.list_module_sessions(store.database, module)[-RECENT_SESSIONS_MAX:]
    opened = observations.list_session_files(store.database, recent)
    counted = Counter(path for files in opened.values() for path, _ in files)
    session_counts = observations.count_file_sessions(store.database, list(counted))
    total = max(1, session_ledger.count_all_sessions(store.database))
    common_paths = {
        path
        for path, (count, _) in session_counts.items()
        if count / total > SHARE_OF_ALL_BELOW and total > len(recent)
    }
    shares = {path: count / len(recent) for path, count in counted.items() if path not in common_paths}
    ranked = sorted(shares, key=lambda path: (-shares[path], path))
    always = tuple(path for path in ranked if shares[path] > ALWAYS_ABOVE)[:PREFETCH_MAX]
    often = tuple(path for path in ranked if ALWAYS_ABOVE >= shares[path] > OFTEN_ABOVE)[:PREFETCH_MAX]
    if len(always) + len(often) < 2:
        return None
    phrases = [f"nearly always {_join_paths(always)}" if always else "", f"often {_join_paths(often)}" if often else ""]
    content = f"Work in {module} opens " + " and ".join(filter(None, phrases))
    details = Prefetch(module, always, often, len(recent))
    return _build_draft(MemoryType.PREFETCH_PATTERN, content, details, (*always, *often), module, recent)


def draft_calibration(store: Store, module: str, places: CodeMapLookup) -> Draft | None:
    """Draft the ratio of actual to planned steps over all sessions in a module that had a plan, if they are enough."""
    recent = observations.list_module_sessions(store.database, module)[-RECENT_SESSIONS_MAX:]
    records = [session_ledger.load_session_record(store.database, session) for session in recent]
    plans = [plan for record in records if (plan := _read_plan(record))]
    unit = Counter(plan.unit for plan in plans).most_common(1)[0][0] if plans else ""
    plans = [plan for plan in plans if plan.unit == unit]
    if len(plans) < SAMPLES_MIN:
        return None
    actual, planned = mean(plan.actual for plan in plans), mean(plan.planned for plan in plans)
    methodology = Counter(plan.methodology for plan in plans).most_common(1)[0][0]
    details = Calibration(module, actual, planned, len(plans), methodology)
    content = f"Work in {module} is {judge_plans(details)}: {details.ratio:.1f} times the planned {unit}"
    return _build_draft(MemoryType.TASK_CALIBRATION, content, details, (), module, recent)


class _Plan(NamedTuple):
    """The plan of one session, and what it really took."""

    planned: int
    actual: int
    unit: str
    methodology: str


def _read_plan(record: Mapping[str, Any]) -> _Plan | None:
    """Read the plan from a session's record: its steps if they were planned, else the items of its plan."""
    methodology = str(record.get("methodology") or "plain")
    for planned, actual, unit in (
        (record.get("planned_steps"), record.get("tool_calls"), "steps"),
        (record.get("planned_subtasks"), record.get("actual_subtasks"), "plan items"),
    ):
        if planned and actual and planned >= PLANNED_MIN:
            return _Plan(int(planned), int(actual), unit, methodology)
    return None


def judge_plans(calibration: Calibration) -> str:
    """Return whether the plans of a module are underestimated, accurate or overestimated."""
    if calibration.ratio > UNDERESTIMATED_ABOVE:
        return "underestimated"
    return "overestimated" if calibration.ratio < OVERESTIMATED_BELOW else "estimated accurately"


def draft_context_cost(store: Store, module: str, places: CodeMapLookup) -> Draft | None:
    """Draft the mean and the 90th percentile of context tokens that a session in a module takes."""
    recent = observations.list_module_sessions(store.database, module)[-RECENT_SESSIONS_MAX:]
    records = [session_ledger.load_session_record(store.database, session) for session in recent]
    tokens = [float(record.get("context_peak") or record.get("tokens_in") or 0) for record in records]
    tokens = [count for count in tokens if count > 0]
    if len(tokens) < SAMPLES_MIN or mean(tokens) < COST_TOKENS_MIN:
        return None
    p90 = quantiles(tokens, n=10, method="inclusive")[-1]  # the exclusive method can exceed the maximum
    usual, high = f"{round(mean(tokens), -3):,.0f}", f"{round(p90, -3):,.0f}"
    content = f"A session in {module} takes about {usual} tokens of context, up to {high}"
    details = ContextCost(module, mean(tokens), p90, len(tokens))
    return _build_draft(MemoryType.CONTEXT_COST, content, details, (), module, recent)


def draft_module_pairs(store: Store, places: CodeMapLookup) -> list[Draft]:
    """Draft the co-changed files of different modules that no import connects."""
    pairs = observations.list_co_changed_pairs(store.database, FILE_PAIR_SESSIONS_MIN)
    drafts = []
    for path, other_path, count in pairs:
        first, second = places.module_of(path), places.module_of(other_path)
        are_different = first and second and first != second
        if (
            are_different
            and not is_test(path)
            and not is_test(other_path)
            and is_coupled(store, path, other_path, count, places)
        ):
            content = f"Work in {first} reaches into {second}: `{path}` and `{other_path}` change together"
            details = CausalDependency(path, other_path, "sessions changed both; no import ties them")
            draft = _build_draft(
                MemoryType.CAUSAL_DEPENDENCY, content, details, (path, other_path), first, [""] * count
            )
            drafts.append(draft)
    return drafts[:PAIRS_WEEKLY_MAX]


def is_coupled(store: Store, path: str, other_path: str, both: int, places: CodeMapLookup) -> bool:
    """Whether two files are often changed together and no import explains it."""
    return is_often_changed_together(store, path, other_path, both) and not places.explained(path, other_path)


def is_often_changed_together(store: Store, path: str, other_path: str, both: int) -> bool:
    """Whether two files are often changed together (co-change share at or above the threshold)."""
    changed = observations.count_file_sessions(store.database, [path, other_path])
    either = sum(edited for _, edited in changed.values()) - both
    return both / max(1, either) >= TOGETHER_SHARE


def compute_sample_confidence(samples: int) -> float:
    """Return the confidence of a statistic by its number of samples."""
    return min(SYNTHESIS_CONFIDENCE_MAX, SYNTHESIS_CONFIDENCE_FROM + SYNTHESIS_CONFIDENCE_PER_SESSION * samples)


def _build_draft(
    kind: MemoryType,
    content: str,
    details: Details,
    files: tuple[str, ...],
    module: str,
    sessions: Sequence[str],
) -> Draft:
    pair = "|".join(sorted(files)) if kind is MemoryType.CAUSAL_DEPENDENCY else module
    return Draft(
        content=content,
        type=kind,
        details=details,
        files=files,
        modules=(module,),
        source=Source.SYNTHESIS,
        scope=Scope.MODULE,
        confidence=compute_sample_confidence(len(sessions)),
        session=sessions[-1],
        origin=f"{OBSERVED_PREFIX}{kind}:{pair}"[:300],
    )


def _store_draft(store: Store, draft: Draft) -> Memory | None:
    """Store a draft, replacing the memory of an earlier threshold; returns the memory.

    Returns None if a person rejected it, the write gate refuses it, or nothing changed.
    """
    if store.memories.is_rejected(draft.origin) or store.memories.is_rejected(draft.content):
        return None
    old = store.memories.find_by_origin(draft.origin)
    admitted = sanitize_observed_draft(draft, str(store.project.root))
    if admitted is None:
        return None
    if old is None:
        return store.memories.add_memory(admitted).memory
    if old.details == admitted.draft.details:
        return None
    return store.memories.supersede_memory(old, admitted, "replaced", "seen again over more sessions")


def _join_paths(paths: Sequence[str]) -> str:
    return ", ".join(f"`{path}`" for path in paths)


def collect_statistics(
    activity: SessionActivity, session: SessionSummary, signals: Sequence[Signal], modules: Sequence[str]
) -> SessionObservations:
    """Collect what a session adds to the statistics."""
    pairs = [signal for signal in signals if signal.name is SignalName.CO_ACCESS]
    counted_signals = [
        signal for signal in signals if signal.name not in (SignalName.CO_ACCESS, SignalName.FILE_ACCESS)
    ]
    sightings = [
        # The facts of a signal that quotes somebody are left out.
        SignalSighting(signal.name, build_sighting_key(signal), {} if signal.quotes else signal.facts)
        for signal in counted_signals[:SIGHTINGS_MAX]
    ]
    passed_calls = [
        SignalSighting(PASSED_COMMAND, program, {"call": call})
        for program, call in list_passed_calls(activity.pad.actions).items()
        if is_portable(call) and is_command(call)
    ]
    return SessionObservations(
        session=session.id,
        at=session.last_event_at,
        files=tuple(
            (path, 1 + (path in activity.edited_files) + any(action.kind == "write" for action in actions))
            for path, actions in activity.touched_files.items()
        ),
        modules=tuple(modules),
        pairs=tuple((*sorted(signal.files), bool(signal.facts["edited"])) for signal in pairs),  # type: ignore[misc]
        sightings=(*sightings, *passed_calls[:PASSED_CALLS_MAX]),
        errors=tuple(_describe_errors(activity)),
    )


def _describe_errors(activity: SessionActivity) -> Iterator[ErrorSighting]:
    """Yield the errors that the session met once each, as resolved if they were at any time."""
    errors: dict[str, list[SessionError]] = {}
    for error in list_session_errors(activity.pad.actions):
        if error.program or error.fix:
            errors.setdefault(error.fingerprint, []).append(error)
    for fingerprint, occurrences in list(errors.items())[:SESSION_ERRORS_MAX]:
        error = next((error for error in occurrences if error.fix), occurrences[0])
        times = sum(occurrence.times for occurrence in occurrences)
        yield ErrorSighting(fingerprint, error.program, _redact_line(error.error), _redact_line(error.fix), times)


def _redact_line(text: object) -> str:
    return one_line(secrets.redact_secrets(clean_text(str(text)))[0], SHORT_TEXT_CHARS_MAX)
