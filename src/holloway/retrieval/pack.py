"""Packing: fills a token budget with memories as short cited lines in a stable order.

Each memory type has a share of the budget, and the others may take what it leaves. A pack never exceeds its budget.
"""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from holloway.domain.memory import Memory, MemoryType, RelationType, Source, State
from holloway.domain.work import Phase
from holloway.safety.neutralize import neutralize_text
from holloway.text.tokens import MARGIN, doubt_note, estimate_tokens, render_citation

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

BUDGET_TOKENS = {
    Phase.DEFINE: 2_500,
    Phase.IMPLEMENT: 3_000,
    Phase.VALIDATE: 2_500,
    Phase.REFINE: 2_000,
    Phase.EXPLORE: 2_000,
    Phase.REFLECT: 1_500,
}

SHARES: dict[Phase, dict[MemoryType, float]] = {
    Phase.DEFINE: {
        MemoryType.WORKFLOW_RECIPE: 0.30,
        MemoryType.REQUIREMENT: 0.20,
        MemoryType.DECISION: 0.20,
        MemoryType.DEAD_END: 0.15,
        MemoryType.TASK_CALIBRATION: 0.10,
    },
    Phase.IMPLEMENT: {
        MemoryType.GOTCHA: 0.30,
        MemoryType.ERROR_PATTERN: 0.25,
        MemoryType.CAUSAL_DEPENDENCY: 0.15,
        MemoryType.PATTERN: 0.15,
        MemoryType.DEAD_END: 0.10,
    },
    Phase.VALIDATE: {
        MemoryType.ERROR_PATTERN: 0.30,
        MemoryType.REQUIREMENT: 0.25,
        MemoryType.E2E_OBSERVATION: 0.25,
        MemoryType.WORK_UNIT_OUTCOME: 0.15,
    },
    Phase.REFINE: {
        MemoryType.ERROR_PATTERN: 0.35,
        MemoryType.GOTCHA: 0.25,
        MemoryType.DEAD_END: 0.20,
        MemoryType.PATTERN: 0.15,
    },
    Phase.EXPLORE: {
        MemoryType.MODULE_INSIGHT: 0.40,
        MemoryType.DECISION: 0.25,
        MemoryType.PATTERN: 0.20,
        MemoryType.CAUSAL_DEPENDENCY: 0.15,
    },
    Phase.REFLECT: {
        MemoryType.WORK_UNIT_OUTCOME: 0.40,
        MemoryType.TASK_CALIBRATION: 0.35,
        MemoryType.DEAD_END: 0.15,
    },
}
"""Share of the budget that a type may take at first; types without an entry split the remainder."""

OUTSIDE_SHARE_MAX = 0.2
"""Share of a pack that untrusted memories from outside the project may take."""
FILES_SHOWN = 2
BREAK_TOKENS = 1.5
"""The line break, and what rounding per line may lose."""

_ALWAYS = {"all": 1.0, "outside": OUTSIDE_SHARE_MAX}
_ORDER = {kind: place for place, kind in enumerate(MemoryType)}


@dataclass(frozen=True, slots=True)
class MemoryPack:
    """The text, the ids of its memories, its tokens, and how many memories did not fit."""

    text: str
    memories: tuple[str, ...]
    tokens: int
    left_out: int


def pack_memories(
    ranked: Sequence[Memory],
    phase: Phase = Phase.EXPLORE,
    *,
    budget: int | None = None,
    find: Callable[[str], Memory | None] = lambda _: None,
) -> MemoryPack:
    """Fill a budget with memories, the best first. `find` returns the memory that another one requires."""
    filling = _PackBuilder(phase, BUDGET_TOKENS[phase] if budget is None else max(budget, 0))
    ranked = list({memory.id: memory for memory in ranked}.values())
    waiting = [memory for memory in ranked if not filling.add_group(_add_required(memory, find), by_share=True)]
    for memory in waiting:
        filling.add_group(_add_required(memory, find), by_share=False)
    packed = sorted(filling.memories.values(), key=lambda memory: (_ORDER[memory.type], memory.created_at, memory.id))
    text = "\n".join(render_line(memory) for memory in packed)
    left_out = sum(memory.id not in filling.memories for memory in ranked)
    return MemoryPack(text, tuple(memory.id for memory in packed), sum(map(estimate_cost, packed)), left_out)


def _add_required(memory: Memory, find: Callable[[str], Memory | None]) -> list[Memory]:
    """Return a memory with those it requires, if they are alive and not quarantined."""
    required = [
        find(relation.memory)
        for relation in memory.relations
        if relation.type is RelationType.REQUIRED_WITH and relation.memory
    ]
    usable = [other for other in required if other and other.is_alive and other.state is not State.QUARANTINED]
    return [memory, *(other for other in usable if other.id != memory.id)]


class _PackBuilder:
    """A pack while it is filled."""

    def __init__(self, phase: Phase, budget: int) -> None:
        self._budget = budget
        self._shares = SHARES[phase]
        self._spent: dict[str, float] = defaultdict(float)
        """Tokens in total, of untrusted memories, and of each type with a share."""
        self.memories: dict[str, Memory] = {}

    def add_group(self, group: list[Memory], *, by_share: bool) -> bool:
        """Add memories that belong together, all or none; return whether they fit."""
        new = [memory for memory in group if memory.id not in self.memories]
        spent = self._spent.copy()
        for memory in new:
            for purse in self._list_budgets(memory):
                spent[purse] += estimate_cost(memory)
        wanted = {purse for memory in new for purse in self._list_budgets(memory)}
        if any(spent[purse] > self._get_limit(purse) for purse in wanted if by_share or purse in _ALWAYS):
            return False
        self._spent = spent
        self.memories |= {memory.id: memory for memory in new}
        return True

    def _list_budgets(self, memory: Memory) -> tuple[str, ...]:
        outside = ("outside",) if memory.source is Source.FOREIGN_FILE else ()
        return ("all", *outside, memory.type if memory.type in self._shares else "rest")

    def _get_limit(self, budget: str) -> float:
        if budget in _ALWAYS:
            return self._budget * _ALWAYS[budget]
        unassigned_share = 1.0 - sum(self._shares.values())
        return self._budget * (unassigned_share if budget == "rest" else self._shares[MemoryType(budget)])


def estimate_cost(memory: Memory) -> int:
    """Return the tokens of a memory's line, with the estimator's margin, rounded up."""
    return math.ceil((estimate_tokens(render_line(memory)) + BREAK_TOKENS) * MARGIN)


def render_line(memory: Memory) -> str:
    """Render one memory as a line for an agent."""
    label = doubt_note(memory.state, memory.source, memory.stated_at, memory.origin)
    doubt_prefix = f"{label} " if label else ""
    files_note = f" ({', '.join(memory.files[:FILES_SHOWN])})" if memory.files else ""
    conflicting_ids = [
        relation.memory
        for relation in memory.relations
        if relation.type is RelationType.CONFLICTS_WITH and relation.memory
    ]
    conflict_note = (
        f"; disagrees with {', '.join(f'hw:{other}' for other in conflicting_ids[:2])}" if conflicting_ids else ""
    )
    text = neutralize_text(memory.summary + files_note) + conflict_note
    citation = render_citation(memory.id, taught=memory.source is Source.USER_TAUGHT)
    return f"- {doubt_prefix}{memory.type.label}: {text} {citation}"
