"""Causal statements: parses sentences which say that changing one thing requires changing another."""

from __future__ import annotations

import re
from dataclasses import dataclass

from holloway.observer.words.sentences import bound_text, clean_clause, compile_linear, split_prose
from holloway.text.patterns import Patterns

CAUSAL_CLAUSE_CHARS_MIN = 4
CAUSAL_SENTENCES_MAX = 60
_CHANGE = (
    r"(?:touch|chang|edit|modif|updat|renam|add|remov|mov|delet|bump|regenerat|alter|extend|refactor|introduc)"
    r"(?:e|es|ed|ing|y|ies|ied)?"
)
_WHO = r"(?:you|we|I|one|someone|anyone|they)"
_MUST = (
    rf"(?:{_WHO} )?(?:(?:also|always|then) )?(?:must|have to|has to|need to|needs to|should|remember to"
    rf"|don't forget to"
    rf"|make sure to|be sure to|will need to)(?: also| always)?"
)
_PATTERNS = tuple(
    compile_linear(pattern)
    for pattern in (
        rf"\b(?:whenever|when|every time|each time|any time|anytime|if) {_WHO} (?P<when>{_CHANGE}\b [^,;]{{2,160}}), "
        rf"(?:{_MUST}|(?:please )?also|(?:please )?always) (?P<then>[^;]{{4,}})",
        rf"\b(?:whenever|every time|each time) {_WHO} (?P<when>{_CHANGE}\b [^,;]{{2,100}}?) {_MUST} "
        rf"(?P<then>[^;]{{4,}})",
        r"\b(?:whenever|every time|each time) (?P<when>[^,;]{3,120}? (?:changes?|is (?:changed|edited|added"
        r"|renamed|updated))), "
        r"(?P<then>[^;]{3,}?(?:must|has to|have to|needs? to|should)(?: also)? [^;]{4,})",
        rf"(?P<then>[^,;]{{3,160}}? (?:must|has to|have to|needs? to) (?:also )?be (?:\w+ )?(?:updated|changed"
        rf"|regenerated|edited|rebuilt"
        rf"|adjusted|bumped|kept in sync))(?: too| as well)?,? (?:whenever|when|every time|each time|if) "
        rf"(?:{_WHO} )?(?P<when>[^;]{{6,}})",
        r"(?P<when>[^,;]{3,120}?) and (?P<then>[^,;]{3,120}?) (?:must|have to|need to)(?: always)? "
        r"(?:be (?:changed|updated|edited|kept)|change|stay|move) (?:together|in sync|in step)",
        r"\b(?P<when>(?:changing|editing|adding|renaming|modifying|touching|removing) [^,;]{3,120}?) (?:also )?"
        r"(?:requires|needs|means you (?:must|have to)|means updating)(?: also)? (?P<then>[^;]{4,})",
    )
)
_PREFILTER = Patterns(
    (
        r"\b(?:whenever|every time|each time)\b",
        rf"\b(?:when|any time|anytime|if) {_WHO} ",
        r"\b(?:must|has to|have to|needs? to) (?:also )?be (?:\w+ )?(?:updated|changed|regenerated|edited|rebuilt"
        r"|adjusted|bumped|kept in sync)",
        r"\b(?:must|have to|need to)\b.*\b(?:together|in sync|in step)",
        r"\b(?:changing|editing|adding|renaming|modifying|touching|removing) .*\b(?:requires|needs|means)\b",
    ),
    any_case=True,
)
"""Prefilter in linear time: every pattern above needs one of these."""
_QUESTION = re.compile(r"\?|\b(?:would|might|could|maybe|let me)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class CausalStatement:
    """A causal statement: a change, and the action that it requires."""

    when: str
    then: str


def find_causal_statement(text: str) -> CausalStatement | None:
    """Return the first causal statement in a text, or None."""
    if not _PREFILTER.has_match(bound_text(text)):
        return None
    for sentence in split_prose(text)[:CAUSAL_SENTENCES_MAX]:
        if (
            _PREFILTER.has_match(sentence)
            and not _QUESTION.search(sentence)
            and (statement := _parse_sentence(sentence))
        ):
            return statement
    return None


def _parse_sentence(sentence: str) -> CausalStatement | None:
    for pattern in _PATTERNS:
        if match := pattern.search(sentence):
            when, then = clean_clause(match["when"]), clean_clause(match["then"])
            if min(len(when), len(then)) >= CAUSAL_CLAUSE_CHARS_MIN:
                return CausalStatement(when, then)
    return None
