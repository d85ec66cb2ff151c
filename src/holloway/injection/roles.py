"""What the roles around a piece of work read: each memory in the words that its reader needs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holloway.config import RELAY_TOKENS_MAX
from holloway.domain.memory import Memory, MemoryType
from holloway.domain.memory_details import CausalDependency, E2EKind, E2EObservation, ErrorFix, Recipe, gist
from holloway.domain.work import Phase
from holloway.injection.calibration import telling
from holloway.injection.prompt import Said, doubtful
from holloway.injection.template import line
from holloway.retrieval.pack import BUDGET_TOKENS
from holloway.safety.neutralize import neutral
from holloway.text.citation import citation, within

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from holloway.domain.memory_details import Calibration
    from holloway.injection.calibration import Figure

Line = tuple[str, str]
"""The id of a memory, or nothing, and what is said."""

SPEC = (MemoryType.REQUIREMENT, MemoryType.DECISION, MemoryType.PREFERENCE, MemoryType.PATTERN)
_KINDS = {kind: place for place, kind in enumerate(E2EKind)}


def planner(memories: Sequence[Memory], figures: Sequence[Figure] = ()) -> Said:
    """Calibration first, then dead ends as constraints, what widens the scope, recipes, rules and outcomes."""
    lines = [(memory, _calibration(memory, details)) for memory, details in telling(figures)]
    lines += [(each.id, _said("constraint", each)) for each in _of(memories, MemoryType.DEAD_END)]
    lines += [(each.id, _scope(each)) for each in _of(memories, MemoryType.CAUSAL_DEPENDENCY)]
    lines += [(each.id, _recipe(each)) for each in _of(memories, MemoryType.WORKFLOW_RECIPE)]
    lines += [(each.id, _said("rule", each)) for each in _of(memories, MemoryType.REQUIREMENT, MemoryType.DECISION)]
    lines += [(each.id, _said("outcome", each)) for each in _of(memories, MemoryType.WORK_UNIT_OUTCOME)]
    return _fitted(line("roles", "planner"), lines, BUDGET_TOKENS[Phase.DEFINE])


def spec(memories: Sequence[Memory]) -> Said:
    """What was asked for and decided before, how people like it done, and how it is done here."""
    lines = [(each.id, _said("rule", each)) for kind in SPEC for each in _of(memories, kind)]
    return _fitted(line("roles", "spec"), lines, BUDGET_TOKENS[Phase.DEFINE])


def qa(memories: Sequence[Memory]) -> Said:
    """Known failures with what to look at, what was seen in the application (preconditions first), requirements."""
    lines = [(each.id, _verify(each)) for each in _of(memories, MemoryType.ERROR_PATTERN)]
    seen = sorted(_of(memories, MemoryType.E2E_OBSERVATION), key=_place)
    lines += [(each.id, _e2e(each)) for each in seen]
    lines += [(each.id, _said("rule", each)) for each in _of(memories, MemoryType.REQUIREMENT)]
    return _fitted(line("roles", "qa"), lines, BUDGET_TOKENS[Phase.VALIDATE])


def recovery(memories: Sequence[Memory], work: str, work_id: str) -> Said:
    """The attempt that failed, the dead ends, and where the work stood."""
    lines = [(each.id, _said("attempt", each)) for each in _of(memories, MemoryType.WORK_UNIT_OUTCOME)]
    lines += [(each.id, _said("constraint", each)) for each in _of(memories, MemoryType.DEAD_END)]
    lines += [(work_id, work)] if work else []
    return _fitted(line("roles", "recovery"), lines, BUDGET_TOKENS[Phase.REFINE])


def relay(giver: str, taker: str, memories: Sequence[Memory], notes: Sequence[tuple[str, str]]) -> Said:
    """What one role hands to the next: what was kept, and what was noted by those who are still at work."""
    lines = [(each.id, _said("memory", each)) for each in memories]
    for kind, text in notes:
        lines.append(("", line("roles", "note", kind=f" ({neutral(kind)})" if kind else "", text=neutral(text))))
    head = line("roles", "relay", giver=neutral(giver), taker=neutral(taker))
    return _fitted(head, lines, RELAY_TOKENS_MAX)


def _fitted(head: str, lines: Iterable[Line], tokens: int) -> Said:
    """As many lines as fit, in order; nothing without any."""
    kept: list[Line] = []
    for each in dict.fromkeys(lines):
        if within([head, *(text for _, text in kept), each[1]], tokens):
            kept.append(each)
    if not kept:
        return Said()
    return Said("\n".join([head, *(text for _, text in kept)]), tuple(memory for memory, _ in kept if memory))


def _of(memories: Sequence[Memory], *types: MemoryType) -> list[Memory]:
    return [memory for memory in memories if memory.type in types]


def _said(name: str, memory: Memory) -> str:
    more = gist(memory.details)
    text = neutral(memory.summary) + (f"; {neutral(more)}" if more and more not in memory.summary else "")
    slots = {"doubt": _doubt(memory), "kind": memory.type.label.capitalize(), "text": text}
    return line("roles", name, **slots, cited=citation(memory.id))


def _calibration(memory: str, details: Calibration) -> str:
    slots = {"module": neutral(details.module), "ratio": f"{details.ratio:.1f}", "samples": str(details.samples)}
    return line("roles", "calibration", **slots, cited=f" {citation(memory)}" if memory else "")


def _scope(memory: Memory) -> str:
    details = memory.details
    if not isinstance(details, CausalDependency):
        return _said("rule", memory)
    return line(
        "roles",
        "scope",
        doubt=_doubt(memory),
        when=neutral(details.when),
        then=neutral(details.then),
        reason=f" ({neutral(details.reason)})" if details.reason else "",
        cited=citation(memory.id),
    )


def _recipe(memory: Memory) -> str:
    details = memory.details
    if not isinstance(details, Recipe):
        return _said("rule", memory)
    count = details.success_count or len(memory.sessions)
    steps = " -> ".join(neutral(step.description) for step in details.steps)
    times = f"{count} times" if count > 1 else "once"
    return line("roles", "recipe", times=times, task=neutral(details.task), steps=steps, cited=citation(memory.id))


def _verify(memory: Memory) -> str:
    details = memory.details
    if not isinstance(details, ErrorFix):
        return _said("pattern", memory)
    slots = {"doubt": _doubt(memory), "text": neutral(details.error), "fix": neutral(details.fix)}
    return line("roles", "verify", **slots, cited=citation(memory.id))


def _e2e(memory: Memory) -> str:
    kind = _kind(memory)
    said = kind.replace("_", " ") if kind else "behaviour"
    text, cited = neutral(memory.summary), citation(memory.id)
    return line("roles", "e2e", kind=said, doubt=_doubt(memory), text=text, cited=cited)


def _place(memory: Memory) -> int:
    kind = _kind(memory)
    return _KINDS[kind] if kind else len(_KINDS)


def _kind(memory: Memory) -> E2EKind | None:
    return memory.details.kind if isinstance(memory.details, E2EObservation) else None


def _doubt(memory: Memory) -> str:
    return doubtful(memory.state)
