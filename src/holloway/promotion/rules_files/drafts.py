"""Drafts of memories from rule blocks: type, files, and trust state."""

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
    """Draft a rule for review; returns the reason as a string if it is rejected.

    A rule that git tracks is the project's and waits as unconfirmed. An untracked rule, or one that looks like a
    prompt injection, reaches no agent before a person approves it; a rule that is both is rejected.
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
    """Infer the type of a rule from its text; a pattern if there is no cue."""
    sounds = memory_kind.infer_type(text, otherwise=MemoryType.PATTERN)
    return _TYPES.get(sounds, sounds)
