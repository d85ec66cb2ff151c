"""Across sessions: what no single one shows. Figures alone prove these memories; no language model is needed.

A module is looked at when it has been worked in 5, 10, 20, 50 and 100 times, once each, and pairs of modules weekly.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from statistics import mean, quantiles
from typing import TYPE_CHECKING

from holloway.domain.memory import Draft, MemoryType, Scope, Source
from holloway.domain.memory_details import Calibration, CausalDependency, ContextCost, Prefetch
from holloway.domain.ports import stamp
from holloway.observer.signals.signal import SignalName
from holloway.store import observations, session_ledger
from holloway.store.memories import OBSERVED
from holloway.store.write_gate import admit_watched
from holloway.text.file_roles import is_test

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holloway.domain.memory import Memory
    from holloway.domain.memory_details import Details
    from holloway.promotion.candidate import Places
    from holloway.store.store import Store

THRESHOLDS = (5, 10, 20, 50, 100)
LOOKED_BACK = 50
"""Sessions of a module, the latest ones, that count: what was refactored away fades."""
ALWAYS_ABOVE = 0.8
OFTEN_ABOVE = 0.5
PREFETCH_MAX = 6
SAMPLES_MIN = 3
COST_TOKENS_MIN = 1_000
"""A session that takes less costs nothing worth telling; counts are told in thousands."""
PAIR_SESSIONS_MIN = 5
PAIRS_WEEKLY_MAX = 10
TOGETHER_SHARE = 0.4
"""Of the sessions that change either of two files, so many must change both."""
SHARE_OF_ALL_BELOW = 0.5
"""A file that this share of all sessions opens says nothing about one module."""
CONFIDENCE_FROM = 0.6
CONFIDENCE_PER_SESSION = 0.01
CONFIDENCE_MOST = 0.85


@dataclass(frozen=True, slots=True)
class Synthesised:
    """What was found, by module and threshold."""

    module: str
    threshold: int
    memories: tuple[Memory, ...]


def due(store: Store, modules: Sequence[str]) -> list[tuple[str, int]]:
    """The modules among these that have reached a count at which nobody has looked at them yet."""
    counts = observations.modules(store.database)
    found = []
    for module in dict.fromkeys(modules):
        reached = [threshold for threshold in THRESHOLDS if threshold <= counts.get(module, 0)]
        if reached and not observations.synthesised(store.database, module, reached[-1]):
            found.append((module, reached[-1]))
    return found


def synthesise(store: Store, module: str, threshold: int, places: Places) -> Synthesised:
    """Look at one module; what is found is written together with the note that it was done."""
    drafts = [draft for find in (prefetch, calibration, context_cost) if (draft := find(store, module, places))]
    with store.database.write():
        kept = [memory for draft in drafts if (memory := _kept(store, draft)) is not None]
        observations.note_synthesis(store.database, module, threshold, stamp(store.clock.now()), len(kept))
    return Synthesised(module, threshold, tuple(kept))


def weekly(store: Store, places: Places) -> list[Memory]:
    """Pairs of modules that are worked in together without importing each other."""
    drafts = across_modules(store, places)
    with store.database.write():
        return [memory for draft in drafts if (memory := _kept(store, draft)) is not None]


def prefetch(store: Store, module: str, places: Places) -> Draft | None:
    """The files that sessions in a module open almost always, and often; not those that every session opens."""
    recent = observations.module_sessions(store.database, module)[-LOOKED_BACK:]
    opened = observations.files_of(store.database, recent)
    counted = Counter(path for files in opened.values() for path, _ in files)
    everywhere = observations.sessions_with(store.database, list(counted))
    total = max(1, session_ledger.count(store.database))
    elsewhere = {
        path for path, (count, _) in everywhere.items() if count / total > SHARE_OF_ALL_BELOW and total > len(recent)
    }
    telling = {path: count / len(recent) for path, count in counted.items() if path not in elsewhere}
    ranked = sorted(telling, key=lambda path: (-telling[path], path))
    always = tuple(path for path in ranked if telling[path] > ALWAYS_ABOVE)[:PREFETCH_MAX]
    often = tuple(path for path in ranked if ALWAYS_ABOVE >= telling[path] > OFTEN_ABOVE)[:PREFETCH_MAX]
    if len(always) + len(often) < 2:
        return None
    told = [f"nearly always {_named(always)}" if always else "", f"often {_named(often)}" if often else ""]
    content = f"Work in {module} opens " + " and ".join(filter(None, told))
    details = Prefetch(module, always, often, len(recent))
    return _draft(MemoryType.PREFETCH_PATTERN, content, details, (*always, *often), module, recent)


def calibration(store: Store, module: str, places: Places) -> Draft | None:
    """How many steps work in a module takes, against what was planned where somebody planned."""
    recent = observations.module_sessions(store.database, module)[-LOOKED_BACK:]
    overruns = [facts for session in recent for facts in _facts(store, session, SignalName.STEP_OVERRUN)]
    planned = [facts for facts in overruns if facts.get("planned") and facts.get("actual")]
    if len(planned) < SAMPLES_MIN:
        return None
    actual, wanted = (mean(float(str(facts[name])) for facts in planned) for name in ("actual", "planned"))
    unit = Counter(str(facts.get("unit", "steps")) for facts in planned).most_common(1)[0][0]
    ratio = actual / wanted
    content = f"Work in {module} is underestimated: {ratio:.1f} times the planned {unit}"
    return _draft(
        MemoryType.TASK_CALIBRATION, content, Calibration(module, actual, wanted, len(planned)), (), module, recent
    )


def context_cost(store: Store, module: str, places: Places) -> Draft | None:
    """How many tokens of context a session in a module takes."""
    recent = observations.module_sessions(store.database, module)[-LOOKED_BACK:]
    records = [session_ledger.record_of(store.database, session) for session in recent]
    tokens = [float(record.get("context_peak") or record.get("tokens_in") or 0) for record in records]
    tokens = [count for count in tokens if count > 0]
    if len(tokens) < SAMPLES_MIN or mean(tokens) < COST_TOKENS_MIN:
        return None
    p90 = quantiles(tokens, n=10, method="inclusive")[-1]  # the other method tells more than was ever measured
    usual, high = f"{round(mean(tokens), -3):,.0f}", f"{round(p90, -3):,.0f}"
    content = f"A session in {module} takes about {usual} tokens of context, up to {high}"
    details = ContextCost(module, mean(tokens), p90, len(tokens))
    return _draft(MemoryType.CONTEXT_COST, content, details, (), module, recent)


def across_modules(store: Store, places: Places) -> list[Draft]:
    """Files of different modules that sessions change together though no import ties them."""
    pairs = observations.most_together(store.database, PAIR_SESSIONS_MIN)
    found = []
    for one, other, count in pairs:
        first, second = places.module_of(one), places.module_of(other)
        apart = first and second and first != second
        if apart and not is_test(one) and not is_test(other) and coupled(store, one, other, count, places):
            content = f"Work in {first} reaches into {second}: `{one}` and `{other}` change together"
            details = CausalDependency(one, other, "sessions changed both; no import ties them")
            draft = _draft(MemoryType.CAUSAL_DEPENDENCY, content, details, (one, other), first, [""] * count)
            found.append(draft)
    return found[:PAIRS_WEEKLY_MAX]


def coupled(store: Store, one: str, other: str, both: int, places: Places) -> bool:
    """Whether two files change together often enough to mean it, and nothing plain explains it."""
    return often_together(store, one, other, both) and not places.explained(one, other)


def often_together(store: Store, one: str, other: str, both: int) -> bool:
    """Whether two files change together often enough to mean it."""
    changed = observations.sessions_with(store.database, [one, other])
    either = sum(edited for _, edited in changed.values()) - both
    return both / max(1, either) >= TOGETHER_SHARE


def confidence(samples: int) -> float:
    """A figure is as sure as it has samples."""
    return min(CONFIDENCE_MOST, CONFIDENCE_FROM + CONFIDENCE_PER_SESSION * samples)


def _draft(
    kind: MemoryType,
    content: str,
    details: Details,
    files: tuple[str, ...],
    module: str,
    seen: Sequence[str],
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
        confidence=confidence(len(seen)),
        session=seen[-1],
        origin=f"{OBSERVED}{kind}:{pair}"[:300],
    )


def _kept(store: Store, draft: Draft) -> Memory | None:
    """Store it, in the place of what was found about the same at an earlier count; not what a person rejected."""
    if store.memories.is_rejected(draft.origin) or store.memories.is_rejected(draft.content):
        return None
    old = store.memories.by_origin(draft.origin)
    admitted = admit_watched(draft, str(store.project.root))
    if admitted is None:
        return None
    if old is None:
        return store.memories.add(admitted).memory
    if old.details == admitted.draft.details:
        return None
    return store.memories.supersede(old, admitted, "replaced", "seen again over more sessions")


def _facts(store: Store, session: str, signal: SignalName) -> list[dict[str, object]]:
    return observations.facts_in(store.database, session, signal)


def _named(paths: Sequence[str]) -> str:
    return ", ".join(f"`{path}`" for path in paths)
