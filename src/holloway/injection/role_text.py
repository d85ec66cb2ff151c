"""The texts that the roles around a piece of work read: memories rendered for its reader."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holloway.config import CALIBRATION_SAMPLES_MIN, RELAY_TOKENS_MAX
from holloway.domain.memory import Memory, MemoryType
from holloway.domain.memory_details import CausalDependency, E2EKind, E2EObservation, ErrorFix, Recipe, details_summary
from holloway.domain.work import Phase
from holloway.injection.prompt_text import Rendered, label_doubt
from holloway.injection.template import line
from holloway.retrieval.pack import BUDGET_TOKENS
from holloway.safety.neutralize import neutralize_text
from holloway.text.citation import fits_budget, render_citation

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from holloway.domain.memory_details import Calibration

    Line = tuple[str, str]
    """The id of a memory, or an empty string, and its text."""
    Figure = tuple[str, Calibration]
    """The id of the memory that holds a calibration, or an empty string if it was counted just now."""

SPEC = (MemoryType.REQUIREMENT, MemoryType.DECISION, MemoryType.PREFERENCE, MemoryType.PATTERN)
_KINDS = {kind: place for place, kind in enumerate(E2EKind)}


def render_planner(memories: Sequence[Memory], figures: Sequence[Figure] = ()) -> Rendered:
    """Render calibration first, then dead ends as constraints, dependencies, recipes, rules and outcomes."""
    lines = [(memory, _render_calibration(memory, details)) for memory, details in keep_significant(figures)]
    lines += [(memory.id, _render_memory("constraint", memory)) for memory in _select(memories, MemoryType.DEAD_END)]
    lines += [(memory.id, _render_scope(memory)) for memory in _select(memories, MemoryType.CAUSAL_DEPENDENCY)]
    lines += [(memory.id, _render_recipe(memory)) for memory in _select(memories, MemoryType.WORKFLOW_RECIPE)]
    lines += [
        (memory.id, _render_memory("rule", memory))
        for memory in _select(memories, MemoryType.REQUIREMENT, MemoryType.DECISION)
    ]
    lines += [
        (memory.id, _render_memory("outcome", memory)) for memory in _select(memories, MemoryType.WORK_UNIT_OUTCOME)
    ]
    return _fit(line("roles", "planner"), lines, BUDGET_TOKENS[Phase.DEFINE])


def render_spec(memories: Sequence[Memory]) -> Rendered:
    """Render requirements, decisions, preferences and patterns."""
    lines = [(memory.id, _render_memory("rule", memory)) for kind in SPEC for memory in _select(memories, kind)]
    return _fit(line("roles", "spec"), lines, BUDGET_TOKENS[Phase.DEFINE])


def render_qa(memories: Sequence[Memory]) -> Rendered:
    """Render known failures, observations in the application (preconditions first) and requirements."""
    lines = [(memory.id, _render_failure(memory)) for memory in _select(memories, MemoryType.ERROR_PATTERN)]
    observations = sorted(_select(memories, MemoryType.E2E_OBSERVATION), key=_observation_order)
    lines += [(memory.id, _render_observation(memory)) for memory in observations]
    lines += [(memory.id, _render_memory("rule", memory)) for memory in _select(memories, MemoryType.REQUIREMENT)]
    return _fit(line("roles", "qa"), lines, BUDGET_TOKENS[Phase.VALIDATE])


def render_recovery(memories: Sequence[Memory], work: str, work_id: str) -> Rendered:
    """Render the attempt that failed, the dead ends, and the unfinished work."""
    lines = [
        (memory.id, _render_memory("attempt", memory)) for memory in _select(memories, MemoryType.WORK_UNIT_OUTCOME)
    ]
    lines += [(memory.id, _render_memory("constraint", memory)) for memory in _select(memories, MemoryType.DEAD_END)]
    lines += [(work_id, work)] if work else []
    return _fit(line("roles", "recovery"), lines, BUDGET_TOKENS[Phase.REFINE])


def render_relay(giver: str, taker: str, memories: Sequence[Memory], notes: Sequence[tuple[str, str]]) -> Rendered:
    """Render what one role hands to the next: stored memories, and notes of running sessions."""
    lines = [(memory.id, _render_memory("memory", memory)) for memory in memories]
    for kind, text in notes:
        lines.append(
            ("", line("roles", "note", kind=f" ({neutralize_text(kind)})" if kind else "", text=neutralize_text(text)))
        )
    head = line("roles", "relay", giver=neutralize_text(giver), taker=neutralize_text(taker))
    return _fit(head, lines, RELAY_TOKENS_MAX)


def _fit(head: str, lines: Iterable[Line], tokens: int) -> Rendered:
    """Keep the lines that fit, in order; an empty text if none does."""
    chosen: list[Line] = []
    for entry in dict.fromkeys(lines):
        if fits_budget([head, *(text for _, text in chosen), entry[1]], tokens):
            chosen.append(entry)
    if not chosen:
        return Rendered()
    return Rendered("\n".join([head, *(text for _, text in chosen)]), tuple(memory for memory, _ in chosen if memory))


def keep_significant(figures: Iterable[Figure]) -> list[Figure]:
    """Keep the calibrations that have enough samples."""
    return [(memory, details) for memory, details in figures if details.samples >= CALIBRATION_SAMPLES_MIN]


def _select(memories: Sequence[Memory], *types: MemoryType) -> list[Memory]:
    return [memory for memory in memories if memory.type in types]


def _render_memory(name: str, memory: Memory) -> str:
    more = details_summary(memory.details)
    text = neutralize_text(memory.summary) + (
        f"; {neutralize_text(more)}" if more and more not in memory.summary else ""
    )
    slots = {"doubt": _label_doubt(memory), "kind": memory.type.label.capitalize(), "text": text}
    return line("roles", name, **slots, cited=render_citation(memory.id))


def _render_calibration(memory: str, details: Calibration) -> str:
    slots = {
        "module": neutralize_text(details.module),
        "ratio": f"{details.ratio:.1f}",
        "samples": str(details.samples),
    }
    return line("roles", "calibration", **slots, cited=f" {render_citation(memory)}" if memory else "")


def _render_scope(memory: Memory) -> str:
    details = memory.details
    if not isinstance(details, CausalDependency):
        return _render_memory("rule", memory)
    return line(
        "roles",
        "scope",
        doubt=_label_doubt(memory),
        when=neutralize_text(details.when),
        then=neutralize_text(details.then),
        reason=f" ({neutralize_text(details.reason)})" if details.reason else "",
        cited=render_citation(memory.id),
    )


def _render_recipe(memory: Memory) -> str:
    details = memory.details
    if not isinstance(details, Recipe):
        return _render_memory("rule", memory)
    count = details.success_count or len(memory.sessions)
    steps = " -> ".join(neutralize_text(step.description) for step in details.steps)
    times = f"{count} times" if count > 1 else "once"
    return line(
        "roles",
        "recipe",
        times=times,
        task=neutralize_text(details.task),
        steps=steps,
        cited=render_citation(memory.id),
    )


def _render_failure(memory: Memory) -> str:
    details = memory.details
    if not isinstance(details, ErrorFix):
        return _render_memory("pattern", memory)
    slots = {"doubt": _label_doubt(memory), "text": neutralize_text(details.error), "fix": neutralize_text(details.fix)}
    return line("roles", "verify", **slots, cited=render_citation(memory.id))


def _render_observation(memory: Memory) -> str:
    kind = _observation_kind(memory)
    label = kind.replace("_", " ") if kind else "behaviour"
    text, cited = neutralize_text(memory.summary), render_citation(memory.id)
    return line("roles", "e2e", kind=label, doubt=_label_doubt(memory), text=text, cited=cited)


def _observation_order(memory: Memory) -> int:
    kind = _observation_kind(memory)
    return _KINDS[kind] if kind else len(_KINDS)


def _observation_kind(memory: Memory) -> E2EKind | None:
    return memory.details.kind if isinstance(memory.details, E2EObservation) else None


def _label_doubt(memory: Memory) -> str:
    return label_doubt(memory.state)
