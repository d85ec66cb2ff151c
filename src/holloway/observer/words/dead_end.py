"""Dead-end statements: parses which approach an agent abandons, why, and the alternative, as far as it says so."""

from __future__ import annotations

import re
from dataclasses import dataclass

from holloway.observer.words.sentences import bound_text, clean_clause, split_prose
from holloway.text.patterns import Patterns

DEAD_END_CLAUSE_CHARS_MIN = 8
DEAD_END_SENTENCES_MAX = 50
_BECAUSE = r"(?:,? (?:because|since|as|due to|given that)|:| -{1,2}|—|–|;) ?"
_WONT = (
    r"(?:won't|will not|cannot|can't|doesn't|does not|didn't|did not|isn't going to|is not going to|wouldn't"
    r"|would not)"
)
_PATTERNS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"\b(?P<approach>(?:this|that|the|my|our)(?: [\w`./-]+){{0,6}}? (?:approach|strategy|solution|idea"
        rf"|plan|route|attempt|method|workaround"
        rf"|design)(?: of [\w`./ -]{{3,80}}?)?) {_WONT} (?:actually |really )?(?:work|help|be possible|scale|fly)\b"
        rf"(?:[^;:]{{0,60}}?{_BECAUSE}(?P<reason>.+))?",
        rf"\b(?P<approach>[\w`./()-]+(?: [\w`./()-]+){{0,8}}?) (?:is|was|turned out to be) (?:clearly "
        rf"|just )?a dead[ -]end\b"
        rf"(?:{_BECAUSE}(?P<reason>.+))?",
        rf"\b(?:I need to|I'll|I will|let me|let's|we should|I'm going to|I have to|I am) (?:abandon"
        rf"|give up on|scrap|drop|discard|ditch)(?:ing)? "
        rf"(?P<approach>.+?)(?:{_BECAUSE}(?P<reason>.+?))?(?:,? and (?P<alternative>.+))?$",
        rf"\b(?:I'm|I am|I was|we're|we were|this is) (?:abandoning|giving up on|going down) "
        rf"(?P<approach>(?:the wrong (?:path|track|road))|.+?)"
        rf"(?:{_BECAUSE}(?P<reason>.+))?$",
        r"\b(?:let me|I'll|I will|let's|I need to|I should|we should) (?:revert|undo|back out|roll back) "
        r"(?P<approach>(?:my|this|that|these|those|the|all)\b.*?)"
        r"(?:,? (?:and|then)(?: instead)? (?P<alternative>.+))$",
        r"\b(?P<approach>[\w`./()-]+(?: [\w`./()-]+){0,8}?) (?P<reason>(?:is|are|was) (?:not available"
        r"|unavailable|not supported|not possible)"
        r" (?:in|on|under|with) (?:this|the|our|test|tests|ci|production)\b.*)",
        r"\b(?:let me|I'll|I will|let's|I need to|we need|I need) (?:try |take |use "
        r"|find )?(?P<alternative>(?:a|an) (?:completely |entirely |totally )?"
        r"(?:different|another|new|alternative) (?:approach|strategy|way|route|tack|method|solution)\b.*"
        r"|another (?:approach|way|strategy)\b.*)",
        r"\b(?:back to the drawing board|start(?:ing)? over from scratch|wrong (?:path|track|rabbit hole))\b",
    )
)
_PREFILTER = Patterns(
    (
        rf"(?:approach|strategy|solution|idea|plan|route|attempt|method|workaround|design)\b.* {_WONT} ",
        r"a dead[ -]end\b",
        r"(?:abandon|give up on|giving up on|scrap|drop|discard|ditch|going down)(?:ing)? ",
        r"(?:revert|undo|back out|roll back) (?:my|this|that|these|those|the|all)\b",
        r"(?:not available|unavailable|not supported|not possible) (?:in|on|under|with) ",
        r"(?:different|another|new|alternative) (?:approach|strategy|way|route|tack|method|solution)\b",
        r"\b(?:back to the drawing board|start(?:ing)? over from scratch|wrong (?:path|track|rabbit hole))\b",
    ),
    any_case=True,
)
"""Prefilter in linear time: every pattern above needs one of these."""
_ONLY_TRY = re.compile(
    r"(?:(?:a|an) )?(?:\w+ )?(?:different|another|new|alternative) (?:approach|strategy|way|route|tack|method"
    r"|solution)",
    re.IGNORECASE,
)
_REASON = re.compile(
    r"\b(?:because|doesn't|does not|can't|cannot|won't|isn't|fails?|failed|breaks?|causes?|too \w+|isn't"
    r"|is not|not (?:work|available|supported|possible|installed))\b",
    re.IGNORECASE,
)
_STATED_REASON = re.compile(r"(?:^|,? )(?:because|since|as|given that) (?P<reason>.+)", re.IGNORECASE)
_NEXT = re.compile(
    r"^(?:instead,? ?|so |now )*(?:let me|I'll|I will|let's|I'm going to|the better way is to|we can|I can) "
    r"(?P<what>.+)",
    re.IGNORECASE,
)
_LEAD = re.compile(r"^[\s:;,.—–-]*(?:let me|I'll|I will|let's) (?:just )?", re.IGNORECASE)
_QUESTION = re.compile(r"\?|^(?:if|should|could|would)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Abandonment:
    """An abandoned approach; a part that was not stated is empty."""

    approach: str
    reason: str
    alternative: str


def find_abandonment(text: str) -> Abandonment | None:
    """Return the first approach that a text abandons, or None."""
    if not _PREFILTER.has_match(bound_text(text)):
        return None
    texts = split_prose(text)[:DEAD_END_SENTENCES_MAX]
    for index, sentence in enumerate(texts):
        if _PREFILTER.has_match(sentence) and not _QUESTION.search(sentence):
            for pattern in _PATTERNS:
                if match := pattern.search(sentence):
                    return _parse_match(match.groupdict(), texts, index)
    return None


def _parse_match(groups: dict[str, str | None], texts: tuple[str, ...], index: int) -> Abandonment:
    approach, reason = _require_long_clause(groups.get("approach")), _require_long_clause(groups.get("reason"))
    alternative = _LEAD.sub("", _ONLY_TRY.sub("", groups.get("alternative") or "", count=1))
    if not reason and (stated := _STATED_REASON.search(alternative)):
        reason, alternative = _require_long_clause(stated["reason"]), alternative[: stated.start()]
    before = texts[index - 1] if index else ""
    if not reason and not approach and _REASON.search(before):
        reason = _require_long_clause(before)
    after = _NEXT.match(texts[index + 1]) if index + 1 < len(texts) else None
    return Abandonment(
        approach, reason, _require_long_clause(alternative) or (_require_long_clause(after["what"]) if after else "")
    )


def _require_long_clause(text: str | None) -> str:
    cleaned = clean_clause(text or "")
    return cleaned if len(cleaned) >= DEAD_END_CLAUSE_CHARS_MIN else ""
