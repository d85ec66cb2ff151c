"""From a block to what may be remembered: its type, its place, how far it is believed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holloway.domain import confidence
from holloway.domain.memory import Draft, MemoryType, ReviewReason, Source, State
from holloway.promotion.rules_files import scope
from holloway.safety.prompt_injection import find_injection
from holloway.text import memory_kind

if TYPE_CHECKING:
    from pathlib import Path

    from holloway.promotion.rules_files.block import RuleBlock

_TYPES = {
    MemoryType.DEAD_END: MemoryType.GOTCHA,
    MemoryType.ERROR_PATTERN: MemoryType.GOTCHA,
    MemoryType.CAUSAL_DEPENDENCY: MemoryType.REQUIREMENT,
    MemoryType.WORKFLOW_RECIPE: MemoryType.PATTERN,
    MemoryType.MODULE_INSIGHT: MemoryType.PATTERN,
}
"""A rule asks for something, so what sounds like an observation becomes the nearest kind of rule."""

HIDDEN = "hidden"
_HEADING_CHARS_MAX = 60


def draft_rule(block: RuleBlock, root: Path, *, tracked: bool) -> Draft | str:
    """A rule for review; or why it is not taken.

    What git tracks is the project's own word and waits as unconfirmed. What git does not know, or what talks to the
    agent as attacks do, reaches no agent before a person approves it; where it is both, it is not taken at all.
    """
    reason = find_injection(block.text)
    if reason and (not tracked or reason == HIDDEN):
        return f"it tries to instruct an agent ({reason})"
    foreign = bool(reason) or not tracked
    sure = confidence.BIRTH[Source.RULES_FILE][0]
    return Draft(
        content=block.text + scope.describe_scope(block.globs),
        type=block.type or infer_rule_type(block.text),
        files=scope.resolve_scope_files(block.globs, block.folder, root),
        tags=(block.heading[:_HEADING_CHARS_MAX],) if block.heading.strip() else (),
        source=Source.RULES_FILE,
        state=State.QUARANTINED if foreign else State.UNCONFIRMED,
        confidence=sure * confidence.TAINTED_FACTOR if foreign else sure,
        review=ReviewReason.IMPORTED if foreign else ReviewReason.RULE,
        origin=block.origin,
    )


def infer_rule_type(text: str) -> MemoryType:
    """The kind of rule that a text sounds like; a pattern where nothing tells."""
    sounds = memory_kind.infer_type(text, otherwise=MemoryType.PATTERN)
    return _TYPES.get(sounds, sounds)
