"""Drafts of memories from rule blocks: type, scope (files and folders), and trust state."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from holloway.domain import confidence
from holloway.domain.memory import Draft, MemoryType, ReviewReason, Source, State, Visibility
from holloway.promotion import taught_memory
from holloway.safety import paths
from holloway.safety.prompt_injection import find_injection

if TYPE_CHECKING:
    from pathlib import Path

    from holloway.promotion.rules_files.markdown import RuleBlock


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
_BRACES = re.compile(r"\{([^{}]{0,200})\}")
_EVERYWHERE = frozenset({"*", "**", "**/*", "**/**", "/", ".", "./**"})
_ALTERNATIVES_MAX = 20


def draft_rule(block: RuleBlock, root: Path, *, tracked: bool, is_own: bool) -> Draft | str:
    """Draft a rule for review; returns the reason as a string if it is rejected.

    A rule that git tracks in the person's own repository waits as unconfirmed. A rule of somebody else's repository, an
    untracked one, or one that looks like a prompt injection reaches no agent before a person approves it; an untracked
    one that looks like a prompt injection is rejected. An untracked rule is the person's own, so it is personal.
    """
    reason = find_injection(block.text)
    if reason and (not tracked or reason == HIDDEN):
        return f"it tries to instruct an agent ({reason})"
    foreign = bool(reason) or not tracked or not is_own
    sure = confidence.BIRTH[Source.RULES_FILE][0]
    return Draft(
        content=block.text + describe_scope(block.globs),
        type=block.type or infer_rule_type(block.text),
        files=resolve_scope_files(block.globs, block.folder, root),
        tags=(block.heading[:_HEADING_CHARS_MAX],) if block.heading.strip() else (),
        source=Source.RULES_FILE,
        visibility=Visibility.PROJECT if tracked else Visibility.PERSONAL,
        state=State.QUARANTINED if foreign else State.UNCONFIRMED,
        confidence=sure * confidence.TAINTED_FACTOR if foreign else sure,
        review=ReviewReason.IMPORTED if foreign else ReviewReason.RULE,
        origin=block.origin,
    )


def infer_rule_type(text: str) -> MemoryType:
    """Infer the type of a rule from its text; a pattern if there is no cue."""
    sounds = taught_memory.infer_type(text, otherwise=MemoryType.PATTERN)
    return _TYPES.get(sounds, sounds)


def resolve_scope_files(globs: tuple[str, ...], folder: str, root: Path) -> tuple[str, ...]:
    """Return the folders and files that a rule applies to; empty if it applies everywhere or has no fixed place."""
    prefixes = [_get_static_prefix(f"{folder}/{glob}" if folder else glob) for glob in _expand_braces(globs)]
    if not prefixes and folder:
        prefixes = [folder]
    inside = [paths.contained_path(place, str(root)) if place else "" for place in prefixes]
    existing = [place for place in inside if place and place != "." and (root / place).exists()]
    return tuple(dict.fromkeys(existing)) if len(existing) == len(prefixes) else ()


def describe_scope(globs: tuple[str, ...]) -> str:
    """Return the note for a rule that applies only to some files; empty if it applies to all."""
    narrow = [glob for glob in globs if glob not in _EVERYWHERE]
    glob_list = ", ".join(f"`{glob}`" for glob in narrow[:6])
    return f" (applies to {glob_list})" if narrow and len(narrow) == len(globs) else ""


def _expand_braces(globs: tuple[str, ...]) -> list[str]:
    """Expand the braces of globs, up to a limit."""
    expanded: list[str] = []
    for glob in globs:
        match = _BRACES.search(glob)
        ends = match[1].split(",") if match else []
        expanded += [glob[: match.start()] + end.strip() + glob[match.end() :] for end in ends] if match else [glob]
    return expanded[:_ALTERNATIVES_MAX]


def _get_static_prefix(glob: str) -> str:
    """Return the part of a glob before its first wildcard: a file, or the folder in which it matches."""
    prefix_parts = []
    for part in glob.removeprefix("./").lstrip("/").split("/"):
        if set(part) & set("*?[]{}!"):
            break
        prefix_parts.append(part)
    return "/".join(prefix_parts)
