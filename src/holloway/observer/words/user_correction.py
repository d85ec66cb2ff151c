"""User corrections: detects prompts in which the user corrects the agent, or states a lasting rule or preference."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, NamedTuple

from holloway.observer.words.prompt import extract_user_text
from holloway.observer.words.sentences import clean_clause, split_prose

Kind = Literal["preference", "requirement", "gotcha"]
CORRECTION_CHARS_MAX = 2_500
"""Limit of the user's own text; a longer prompt is a document that describes the task, not a rule."""
USER_CORRECTION_SCORE_MIN = 0.6
CONTEXT_BONUS = 0.1
"""Score bonus for each of: a "no" at the beginning, an edit of the agent just before, an interruption."""
CERTAIN_SCORE = 0.8
"""Confidence threshold: a statement below it is rejected if its sentence expresses doubt."""
USER_CORRECTION_SENTENCES_MAX = 40
_CASUAL_STOP = re.compile(r"(?<=[a-z]{3}[.!]) (?=[a-z])")
"""Sentence break before a lower-case letter, as people type it."""


@dataclass(frozen=True, slots=True)
class UserCorrection:
    """A rule or correction in the user's own words."""

    text: str
    kind: Kind
    score: float


class _CorrectionRule(NamedTuple):
    """One pattern of a rule, with the probability that a match is meant to last."""

    pattern: re.Pattern[str]
    score: float
    kind: Kind = "preference"


def _build_rule(pattern: str, score: float, kind: Kind = "preference") -> _CorrectionRule:
    return _CorrectionRule(re.compile(pattern, re.IGNORECASE), score, kind)


_START = r"(?:^|[,;:(]\s?|—\s?| - |\b(?:and|but|so|also|please|then) )"
_OPEN = (
    r"(?:^(?:(?:and|but|so|also|please|no|ok|okay)[, ]+)*|[,;:(] ?(?:and |but |please )?|—\s?| - "
    r"|\b(?:you|we|it|they|tests?|code) (?:must|should) )"
)
_MUST = (
    r"(?:(?:you|we|it|they|tests?|code|agents?|everyone) (?:must|should|have to|need to|ought to) (?:also )?"
    r"|please )?"
)
_KEEP_OFF = r"(?:use|touch|edit|modify|rely on|depend on)"
_TOUCH = (
    r"(?:add|import|commit|push|mock|skip|hard-?code|rename|call|write|put"
    r"|create|install|format|log|print|catch|ignore|disable|bypass|amend|squash|force|delete|run|leave|mention|include|introduce)"
)
_ONCE = r"(?:it|this|that|these|those|them|any|anything|the other|yet|too|so|here|me|one|now|such)\b"
_RULES = (
    _build_rule(r"\b(?:from now on|going forward|from here on)\b|^(?:and |also |please )*in (?:the )?future\b", 0.85),
    _build_rule(
        r"\bas a (?:general )?rule\b|\brule of thumb\b|\bour (?:convention|rule|policy|standard|style) (?:is|for)\b",
        0.8,
    ),
    _build_rule(
        rf"{_START}(?:please |also |and )*(?:remember|keep in mind|note|be aware|bear in mind)(?: also)? "
        r"(?:that|to)\b",
        0.8,
    ),
    _build_rule(r"\b(?:should|must) keep in mind\b|\bplease remember\b|\bremember:", 0.8),
    _build_rule(r"\bI(?:'ve)? (?:already )?told you\b|\bas I (?:said|mentioned)\b|\bhow many times\b", 0.65),
    _build_rule(rf"{_OPEN}{_MUST}(?:always|never) (?!again|mind|be able|\w+(?:ed|en|[^s]s)\b)[a-z]{{2,}}", 0.75),
    _build_rule(r"\bwe (?:always|never) (?!see|saw|get|got|had|know|knew|seem)[a-z]{2,}", 0.75),
    _build_rule(
        r"\b(?:whenever|every time|each time|before every|after every|before you"
        r"|before any) .{3,120}?[,:] ?(?:please |always )?"
        r"(?:run|update|check|use|add|make|do|ask|write|bump|regenerate|also)\b",
        0.7,
    ),
    _build_rule(
        r"(?<!to )(?<!will )(?<!would )(?<!we )(?<!it )\balways (?:run|use|check|ask|add|write|update"
        r"|make sure|start|prefer|include|keep|put|call|exit|return|bump)\b",
        0.7,
    ),
    _build_rule(rf"{_START}(?:please )*(?:don't|do not|dont) (?:ever )?{_KEEP_OFF} (?!{_ONCE})[^,.;?]{{3,}}", 0.6),
    _build_rule(rf"{_START}(?:please )*(?:don't|do not|dont) (?:ever )?{_TOUCH} (?!the\b|{_ONCE})[^,.;?]{{3,}}", 0.6),
    _build_rule(
        r"\b(?:please )?stop (?:adding|using|doing|writing|creating|running|committing|pushing|asking|changing"
        r"|leaving|mocking)"
        rf" (?!{_ONCE})[^,.;?]{{3,}}",
        0.7,
    ),
    _build_rule(
        r"\bwe (?:only |just )?(?:use|write|keep|run|deploy|store|put|name|format|test|target|support|follow"
        r"|rely on|prefer) "
        r"[^?]{3,}?(?:, not [^,]|\binstead of\b|\brather than\b|\bfor (?:all|every|everything)\b"
        r"|\beverywhere\b|\bhere\b)",
        0.7,
    ),
    _build_rule(
        rf"{_START}(?:please |always |just )*(?:use|prefer|go with) "
        rf"(?!{_ONCE})(?:[^\s,;?]+ ){{0,5}}?[^\s,;?]+(?: instead of| rather than| over| not|, not)"
        rf" (?!{_ONCE})\S+",
        0.6,
    ),
    _build_rule(
        r"\bwe (?:don't|do not|dont|cannot|can't|no longer) (?:use|want|have|need|support|allow|do|gitignore"
        r"|commit|ship|store|mock|deploy"
        r"|depend|rely|write|edit|touch|push|run)\b",
        0.55,
        "gotcha",
    ),
    _build_rule(
        r"\b(?:that|this|it|which|part|[a-z]+)(?:'s| is| was) (?:not (?:correct|right|true|how)|wrong"
        r"|incorrect)\b[,;:.—–-]+ ?\S.{12,}",
        0.6,
        "gotcha",
    ),
    _build_rule(
        r"^(?:no|nope|nah)?[,.!:; ]*actually,? (?:the |our |we |it |they |you |these |this )[^?]{0,60}?"
        r"\b(?:needs?|requires?|uses?|must|should|comes? from|lives?|runs?) "
        r"(?=[^?]*(?:`|\w[_/.]\w|(?-i:[A-Z]{2}|[a-z][A-Z]))).{4,}",
        0.65,
        "gotcha",
    ),
    _build_rule(
        r"^(?:no|nope|nah)[,.!:;—–-]+ ?(?:actually )?(?:we|it's|it is|that's|the|this|our|they|you (?:need"
        r"|have|must|should)|there (?:is|are)) .{8,}",
        0.55,
        "gotcha",
    ),
)
"""The most certain patterns first; a sentence gets the score of its best match."""
_NO = re.compile(
    r"^(?:no|nope|nah|wrong|incorrect|not (?:quite|correct|right))\b|\bnot correct\b|\bI said\b", re.IGNORECASE
)
_QUESTION = re.compile(
    r"\?|^(?:(?:and|but|so|also|ok|okay|hmm|then|now|maybe|ah)[, ]+)*(?:can|could|would|should|shall|do|does"
    r"|did|is|are|what|why|how|where"
    r"|who|will|I wonder|I guess|I think|I'm not sure|not sure|maybe|if we|let's see)\b(?! not\b)",
    re.IGNORECASE,
)
_DOUBT = re.compile(
    r"\b(?:I think|I guess|I wonder|maybe|perhaps|not sure|so (?:that )?we|if we|that we|don't we|can always"
    r"|could always|not always"
    r"|because we|where we|since we|when we|what we|how we|wondering|if I|if you)\b",
    re.IGNORECASE,
)
_ONE_OFF = re.compile(
    r"\b(?:for now|this time|right now|just now|at the moment|yet|in this (?:file|function|line|commit|pr"
    r"|branch|case|test|plan)|on line \d+"
    r"|line \d+|this (?:line|button|page|one|time)|that (?:line|button|one)|the other|for the moment|today"
    r"|until|first release|current (?:branch|file|change|pr)|someone else|another agent|these instructions)\b",
    re.IGNORECASE,
)
_REQUIRED = re.compile(
    r"\b(?:must|required?|has to|have to|not allowed|never|need(?:s|ed)? to|always|mandatory)\b", re.IGNORECASE
)
_TRAP = re.compile(r"\b(?:careful|watch out|beware|breaks?|fails?|otherwise|flaky|hangs?|gotcha)\b", re.IGNORECASE)


def find_user_correction(prompt: str, after_edit: bool = False, interrupted: bool = False) -> UserCorrection | None:
    """Return the highest-scored rule or contradiction in the user's own text, or None."""
    text = extract_user_text(prompt)
    if not text or len(text) > CORRECTION_CHARS_MAX:
        return None
    context = CONTEXT_BONUS * (after_edit + interrupted)
    corrections = [
        correction
        for sentence in split_prose(_CASUAL_STOP.sub("\n", text))[:USER_CORRECTION_SENTENCES_MAX]
        if (correction := _evaluate_sentence(sentence, context))
    ]
    return max(corrections, key=lambda correction: correction.score, default=None)


def _evaluate_sentence(sentence: str, context: float) -> UserCorrection | None:
    if _QUESTION.search(sentence) or _ONE_OFF.search(sentence):
        return None
    rule = max((rule for rule in _RULES if rule.pattern.search(sentence)), key=lambda rule: rule.score, default=None)
    if rule is None or (rule.score < CERTAIN_SCORE and _DOUBT.search(sentence)):
        return None
    score = min(0.95, rule.score + context + CONTEXT_BONUS * bool(_NO.search(sentence)))
    if score < USER_CORRECTION_SCORE_MIN:
        return None
    return UserCorrection(clean_clause(sentence), _classify_kind(sentence, rule), round(score, 2))


def _classify_kind(sentence: str, rule: _CorrectionRule) -> Kind:
    if _TRAP.search(sentence):
        return "gotcha"
    return "requirement" if rule.kind == "preference" and _REQUIRED.search(sentence) else rule.kind
