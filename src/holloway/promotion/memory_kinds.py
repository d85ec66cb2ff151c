"""Kinds of statements and the memory types that they become: one table for everything that classifies statements."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from holloway.domain.memory import MemoryType
from holloway.domain.memory_details import DeadEnd
from holloway.errors import InvalidInput
from holloway.text.sanitize import one_line

if TYPE_CHECKING:
    from holloway.domain.memory_details import Details

USER_RULE = "user_rule"
MEMORY_TYPES: dict[str, MemoryType] = {
    USER_RULE: MemoryType.PREFERENCE,
    "convention": MemoryType.PATTERN,
    "location": MemoryType.MODULE_INSIGHT,
    "workflow": MemoryType.WORKFLOW_RECIPE,
    "coupling": MemoryType.CAUSAL_DEPENDENCY,
    "error_fix": MemoryType.ERROR_PATTERN,
    "dead_end": MemoryType.DEAD_END,
    "gotcha": MemoryType.GOTCHA,
    "decision": MemoryType.DECISION,
    "constraint": MemoryType.REQUIREMENT,
}
"""Memory type of each kind of statement. A user rule that obliges is a requirement instead."""

STATEMENT_CHARS_MAX = 640
DEAD_END_PART_CHARS_MAX = 240
"""Limits of a statement, and of each part of a dead end that it describes."""
_OBLIGATION = re.compile(
    r"\b(?:must(?:n't)?|never|always|required?|has to|have to|not allowed|mandatory|do not|don't|dont|no longer"
    r"|muss|m\u00fcssen|nie(?:mals)?|immer|darf nicht|d\u00fcrfen nicht|doit|doivent|jamais|toujours"
    r"|debe(?:n)?|nunca|siempre|deve(?:m)?|sempre)\b"
    r"|(?<!\w)(?:\u0434\u043e\u043b\u0436(?:\u0435\u043d|\u043d\u0430|\u043d\u043e|\u043d\u044b)|\u043d\u0438\u043a\u043e\u0433\u0434\u0430|\u0432\u0441\u0435\u0433\u0434\u0430|\u043d\u0435\u043b\u044c\u0437\u044f)(?!\w)"
    r"|\u5fc5\u305a|\u5fc5\u987b|\u4e0d\u8981|\u4e0d\u80fd",
    re.IGNORECASE,
)
_TASTE = re.compile(
    r"\b(?:prefer|i (?:like|hate|dislike)|i'd rather|lieber|je pr\u00e9f\u00e8re|prefiero)\b", re.IGNORECASE
)
# One attempt, why it failed, and what was used instead. Each part is bounded, so that no text takes long to read.
_DEAD_END = re.compile(
    r"\b(?:(?:we|i|they)(?:'ve| have| had)? )?(?:first )?tri(?:ed|ing) (?:to )?(?P<approach>[^.;\n]{3,240}?)"
    r"(?:[,;.:]| -| \u2014|,? but|,? and)? (?:(?:but|and|which|it|that|this|because) ){0,3}"
    r"(?P<reason>(?:did(?: not|n't)|does(?: not|n't)|fail(?:s|ed)|broke|breaks|could(?: not|n't)|made)\b[^;\n]{0,240}?)"
    r"(?:[;.,]| \u2014| -|,? so)? (?:(?:we|i|now|then|so) ){0,2}"
    r"(?:(?:use|used|using|went with|switched to|do|did)\s(?P<named>[^.;\n]{2,240}?)\sinstead\b"
    r"|instead[:,]? (?P<instead>[^.;\n]{2,240}))",
    re.IGNORECASE,
)


def choose_memory_type(kind: str, text: str = "") -> MemoryType:
    """Return the memory type of a kind of statement, given its text; raises InvalidInput for an unknown kind."""
    if kind not in MEMORY_TYPES:
        if kind in set(MemoryType):
            return MemoryType(kind)
        raise InvalidInput(f"There is no kind of statement {kind[:60]!r}.", f"Known: {', '.join(MEMORY_TYPES)}.")
    if parse_dead_end(text) is not None:
        return MemoryType.DEAD_END
    return choose_rule_type(text) if kind == USER_RULE else MEMORY_TYPES[kind]


def choose_rule_type(text: str) -> MemoryType:
    """Return the type of a person's rule: a requirement if it obliges, a preference if it states a taste."""
    obliges = _OBLIGATION.search(text) and not _TASTE.search(text)
    return MemoryType.REQUIREMENT if obliges else MEMORY_TYPES[USER_RULE]


def parse_dead_end(text: str) -> DeadEnd | None:
    """Return the attempt, the reason and the alternative of "tried ..., did not work, ... instead"; None without."""
    match = _DEAD_END.search(text[:STATEMENT_CHARS_MAX])
    if match is None:
        return None
    alternative = match["named"] or match["instead"]
    approach, reason, alternative = (
        one_line(part.strip(" ,;.:"), DEAD_END_PART_CHARS_MAX)
        for part in (match["approach"], match["reason"], alternative)
    )
    return DeadEnd(approach, reason, alternative)


def parse_statement_details(memory_type: MemoryType, text: str) -> Details | None:
    """Return the details that a statement of this type gives in its own words; None if it gives none."""
    return parse_dead_end(text) if memory_type is MemoryType.DEAD_END else None
