"""Infers the type of a memory from its sentence, for callers that give none."""

from __future__ import annotations

import re

from holloway.domain.memory import MemoryType

_CUES: tuple[tuple[MemoryType, str], ...] = (
    (
        MemoryType.DEAD_END,
        r"\b(?:we|i)? ?tried\b.{1,200}\b(?:fail|did ?n[o']t|does ?n[o']t|abandon|gave up|instead"
        r"|no luck|without success)|\bdead end\b|\bdo(?:n't| not) try\b",
    ),
    (
        MemoryType.ERROR_PATTERN,
        r"\b\w*(?:error|exception|traceback|errno|panic)\b.{1,200}"
        r"(?:\bfix|\bsolved|\bresolved|\bgoes away\b|->|→|=>|\bset\b|\brun\b|\bmeans\b)",
    ),
    (
        MemoryType.DECISION,
        r"\b(?:we|i|team) (?:chose|decided|picked|went with|settled on|agreed)\b|\bdecision\b|\bdecided to\b"
        r"|\b(?:instead of|over|rather than)\b.{1,120}\bbecause\b|\bbecause\b.{1,160}\b(?:instead of|rather than)\b",
    ),
    (
        MemoryType.PREFERENCE,
        r"\bi (?:prefer|like|want|hate)\b|\bprefer\b|\bplease always\b|\bour style\b|\bmy style\b",
    ),
    (MemoryType.WORKFLOW_RECIPE, r"(?:^|\s)1[.)]\s.{1,400}\s2[.)]\s|\bto add an? \w+.{0,80}:\s|\bsteps?:"),
    (
        MemoryType.CAUSAL_DEPENDENCY,
        r"\b(?:when(?:ever)?|if|after) (?:you|we|i)? ?(?:touch|chang|edit|modif|updat|renam)\w*\b.{1,200}"
        r"\b(?:also|must|too|update|regenerate|change)\b"
        r"|\bmust (?:be )?(?:change|update)d? together\b",
    ),
    (
        MemoryType.GOTCHA,
        r"\b(?:never|don't|do not|avoid|careful|beware|watch out|gotcha|trap|hangs?|breaks?|fails?|flak\w+"
        r"|silently|otherwise|unless|without|not safe|race|deadlock\w*)\b",
    ),
    (
        MemoryType.REQUIREMENT,
        r"\b(?:must|shall|required?|requirement|has to|have to|needs? to support|within \d+ ?(?:ms|s|seconds))\b",
    ),
    (
        MemoryType.PATTERN,
        r"\b(?:pattern|convention|always|we use|use the|follow|every \w+ (?:has|goes|is)|by convention)\b",
    ),
    (
        MemoryType.MODULE_INSIGHT,
        r"\b(?:lives? in|is (?:in|under)|handles|is responsible for|contains|entry point|module)\b",
    ),
)
_COMPILED = tuple((memory_type, re.compile(cue, re.IGNORECASE | re.DOTALL)) for memory_type, cue in _CUES)


def infer_type(content: str, otherwise: MemoryType = MemoryType.GOTCHA) -> MemoryType:
    """Return the first type whose cue is in the sentence, else the fallback: people mostly teach traps (gotchas)."""
    head = content[:1_000]
    return next((memory_type for memory_type, cue in _COMPILED if cue.search(head)), otherwise)
