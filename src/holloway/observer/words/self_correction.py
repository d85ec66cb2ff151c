"""Self-corrections: finds statements in which an agent says that a belief or action was wrong, and what is right.

The cues are in `data/corrections.toml`: forms that hold a belief and a fact, and signs around them.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import islice
from typing import Literal, NamedTuple

from holloway.data import load_table
from holloway.observer.words.sentences import bound_text, clean_clause, compile_linear, split_prose
from holloway.text.patterns import Patterns

HERE, BEFORE, AFTER, SO_FAR, ROUND = "here", "before", "after", "so far", "round"
CONCEDED = "after a concession"
"""Replaces "after": in "You're right. Let me fix that." the repair says nothing about the belief."""


class Form(NamedTuple):
    """One way to say it. Groups `b` and `f` hold belief and fact; a half that is missing is looked for nearby."""

    name: str
    points: float
    """Base score of the form; the points of nearby signs are added."""
    anchors: tuple[str, ...]
    """Strings, one of which is in every sentence that matches: they are looked for before the pattern is tried."""
    pattern: str
    admits: bool
    """Whether it is a plain admission, which may follow the fact as well as precede it."""
    weak: bool
    """Whether the form is used for much else, so that a sign of a change of mind must be near."""


_TABLE = load_table("corrections")
FORMS = tuple(
    Form(form["name"], form["points"], tuple(form["anchors"]), form["regex"], form["admits"], form["weak"])
    for form in _TABLE["forms"]
)
"""From the most to the least telling; a sentence is read by the first that matches."""
SIGNS: dict[str, str] = {sign["name"]: sign["regex"] for sign in _TABLE["signs"]}
"""Patterns that are looked for in a sentence and in its neighbours."""
CHANGES_OF_MIND = frozenset(sign["name"] for sign in _TABLE["signs"] if sign["changes_mind"])
"""Signs of which one must be at or near a weak form."""
SIGN_POINTS: dict[tuple[str, str], float] = {
    (sign["name"], place): points for sign in _TABLE["signs"] for place, points in sign["points"].items()
}
"""The points of a sign, by where it is."""
BIAS: float = _TABLE["bias"]

Kind = Literal["factual", "approach", "api", "config", "path"]
SELF_CORRECTION_SCORE_MIN = 0.5
CORRECTION_CANDIDATES_MAX = 16
SENTENCES_READ_MAX = 30
"""Limit of sentences with an anchor that are read, from the first on."""
CORRECTION_CLAUSE_CHARS_MIN = 12
BELIEF_CHARS_MIN = 4
STATEMENT_CHARS_MIN = 24
NEAR_SENTENCES = 2
"""Number of sentences before and after a sentence that count as its context."""
_SIGN_NAMES = tuple(SIGNS)
_DENIAL = re.compile(
    r"\b(?P<verb>do|does|did|is|are|was|were|wo|ca|would|could|should|will|can|has|have|(?<=there)'s)"
    r"(?:n't| not|not| no)\b|\bnever ",
    re.I,
)
_VERBS = {"wo": "will", "ca": "can"}
TAIL_CHARS = 12
_VERB_AT_END = re.compile(
    r"\b(?:do|does|did|is|are|was|were|will|can|could|would|should|has|have|had|may|might|must|but|if|or|why"
    r"|and|to|be|of|or|was|been|it's"
    r"|that's|I'm|\w+'re|only|just|also|it|still|currently)\W*$",
    re.I,
)
_CONTRAST = re.compile(r", (?:and )?not (?P<b>[^,;()]{4,160})")
_INTENT = re.compile(r"(?:now )?(?:let me|let's|I'll|I will|I need to|I should|do you|should I|would you)\b", re.I)
_MERELY = re.compile(r"(?:just|only|even|yet|sure|all|necessarily|really|be|being)\b", re.I)
_LEAD = re.compile(
    r"^(?:(?:I see(?: (?:the|an) (?:issue|problem|bug)(?: \w+)?)?|ah|oh|wait|hmm|actually|but|so|ok|okay|no"
    r"|and|now|looking at [^,]{1,60}"
    r"|(?:you're|you are|the user is)(?: \w+)? (?:right|correct)|good catch)[\s,.!:—–-]+)+",
    re.I,
)
_VAGUE = re.compile(
    r"(?:(?:the|my|this|that|it|current|new|own|old) ?)*(?:approach|code|test|fix|change|it|that|one|something else)?"
    r"|my(?: \w+){1,3}",
    re.I,
)
_KINDS: tuple[tuple[Kind, re.Pattern[str]], ...] = (
    (
        "config",
        re.compile(
            r"\b(?:config\w*|settings?|env(?:ironment)? var\w*|flag|option|toml|ya?ml"
            r"|default)\b",
            re.I,
        ),
    ),
    ("path", re.compile(r"\b(?:path|director(?:y|ies)|folder|located|lives? in)\b|\b[\w.-]+/[\w.-]+/", re.I)),
    (
        "api",
        re.compile(r"\w\(\)|\b(?:function|method|API|parameter|argument|return(?:s|ed)?|signature|endpoint)\b", re.I),
    ),
    ("approach", re.compile(r"\b(?:approach|fix|plan|test|design|revert|strategy|solution)\w*\b", re.I)),
)


@dataclass(frozen=True, slots=True)
class SelfCorrection:
    """A self-correction: the wrong belief, the fact, and the probability that this is a correction."""

    belief: str
    fact: str
    kind: Kind
    score: float
    sentence: str


@dataclass(frozen=True, slots=True)
class CorrectionCandidate:
    """A sentence that may be a correction, with belief and fact, and the features that scored it."""

    belief: str
    fact: str
    sentence: str
    features: tuple[str, ...]
    score: float
    """Probability that this is a correction, from 0 to 1."""


def find_self_correction(text: str) -> SelfCorrection | None:
    """Return the most probable self-correction in a text of the agent, or None below the threshold."""
    best = max(find_candidates(text), key=lambda candidate: candidate.score, default=None)
    if best is None or best.score < SELF_CORRECTION_SCORE_MIN:
        return None
    return SelfCorrection(
        best.belief, best.fact, classify_kind(best.belief, best.fact), round(best.score, 3), best.sentence
    )


def find_candidates(text: str) -> list[CorrectionCandidate]:
    """Return every sentence that has the form of a correction and both a belief and a fact."""
    if not _find_anchored_forms(bound_text(text)):
        return []
    passage = _SentenceContext(split_prose(text))
    possible = (passage.build_candidate(index) for index in islice(passage.find_anchored(), SENTENCES_READ_MAX))
    return list(islice((candidate for candidate in possible if candidate), CORRECTION_CANDIDATES_MAX))


class _SentenceContext:
    """The sentences of a text with their signs, each matched once."""

    def __init__(self, texts: tuple[str, ...]) -> None:
        self.texts = texts
        self._forms = [_find_anchored_forms(sentence) for sentence in texts]
        self._signs: dict[int, frozenset[str]] = {}

    def find_anchored(self) -> Iterator[int]:
        """Yield the indexes of the sentences that have an anchor of a form."""
        return (at for at, forms in enumerate(self._forms) if forms)

    def signs_at(self, at: int) -> frozenset[str]:
        """Return the signs in the sentence at this index; empty if there is no such sentence."""
        if not 0 <= at < len(self.texts):
            return frozenset()
        if at not in self._signs:
            self._signs[at] = frozenset(_SIGN_NAMES[index] for index in _compile_signs().find_matches(self.texts[at]))
        return self._signs[at]

    def build_candidate(self, at: int) -> CorrectionCandidate | None:
        """Return the sentence as a candidate if belief and fact are stated in it or nearby, else None."""
        read = self._match_form(at)
        if read is None:
            return None
        form, groups = read
        fact = _require_clear_clause(groups.get("f")) or self._find_statement(at, admits=form.admits)
        belief = (
            _require_clear_clause(groups.get("b"), BELIEF_CHARS_MIN)
            or _extract_contrast(fact)
            or _remove_negation(fact)
            or self._find_previous(at)
        )
        if not fact or not belief or fact == belief:
            return None
        signs = self._list_scored_signs(at)
        points = BIAS + form.points + sum(SIGN_POINTS[sign] for sign in signs)
        features = (form.name, *(f"{name} {place}" for name, place in signs))
        return CorrectionCandidate(belief, fact, self.texts[at], features, 1 / (1 + math.exp(-points)))

    def _match_form(self, at: int) -> tuple[Form, dict[str, str | None]] | None:
        """Return the first form that this sentence matches, with its groups, or None."""
        for form in self._forms[at]:
            match = compile_linear(form.pattern).search(self.texts[at])
            if match is None or (form.weak and not CHANGES_OF_MIND & self._collect_nearby_signs(at)):
                continue
            if not _is_verb_negation(form, groups := match.groupdict()):
                return form, groups
        return None

    def _collect_nearby_signs(self, at: int) -> frozenset[str]:
        return frozenset[str]().union(
            *(self.signs_at(near) for near in range(at - NEAR_SENTENCES, at + NEAR_SENTENCES + 1))
        )

    def _find_statement(self, at: int, *, admits: bool) -> str:
        """Return the first statement after a sentence, else the one before it if the agent admits or concedes it."""
        after = next((near for near in range(at + 1, at + 1 + NEAR_SENTENCES) if self._is_statement(near)), None)
        if after is not None:
            return clean_clause(self.texts[after])
        if not self._is_statement(at - 1):
            return ""
        before = self.texts[at - 1]
        return (
            clean_clause(before)
            if admits or "concede" in self._collect_signs_until(at) or _CONTRAST.search(before)
            else ""
        )

    def _collect_signs_until(self, at: int) -> frozenset[str]:
        return frozenset[str]().union(*(self.signs_at(near) for near in range(at - NEAR_SENTENCES, at + 1)))

    def _find_previous(self, at: int) -> str:
        """Return the nearest earlier sentence that is long enough, or an empty string."""
        before = (self.texts[near] for near in range(at - 1, max(-1, at - 1 - NEAR_SENTENCES), -1))
        return next((clean_clause(sentence) for sentence in before if len(sentence) >= STATEMENT_CHARS_MIN), "")

    def _is_statement(self, at: int) -> bool:
        if not 0 <= at < len(self.texts) or "asks" in self.signs_at(at):
            return False
        sentence = self.texts[at]
        return len(sentence) >= STATEMENT_CHARS_MIN and not sentence.endswith(":") and not _INTENT.match(sentence)

    def _list_scored_signs(self, at: int) -> list[tuple[str, str]]:
        current = self.signs_at(at)
        before = frozenset[str]().union(*(self.signs_at(near) for near in range(at - NEAR_SENTENCES, at)))
        after = frozenset[str]().union(*(self.signs_at(near) for near in range(at + 1, at + 1 + NEAR_SENTENCES)))
        places = {
            HERE: current,
            BEFORE: before,
            AFTER: after,
            SO_FAR: current | before,
            ROUND: current | before | after,
        }
        places[CONCEDED] = frozenset()
        if "concede" in places[SO_FAR]:
            places[AFTER], places[CONCEDED] = after - {"repair"}, after
        return [sign for sign in SIGN_POINTS if sign[0] in places[sign[1]]]


def _find_anchored_forms(text: str) -> list[Form]:
    """Return the forms of which the text has an anchor (prefilter)."""
    return [FORMS[index] for index in _compile_anchors().find_matches(text)]


@cache
def _compile_anchors() -> Patterns:
    return Patterns(("|".join(map(re.escape, form.anchors)) for form in FORMS), any_case=True)


@cache
def _compile_signs() -> Patterns:
    return Patterns(SIGNS.values(), any_case=True)


def _is_verb_negation(form: Form, groups: dict[str, str | None]) -> bool:
    """Whether the "not" between fact and belief negates the verb before it: "it does not", unlike "red, not blue"."""
    fact, belief = groups.get("f"), groups.get("b")
    if not fact or not belief or form.pattern.index("(?P<f>") > form.pattern.index("(?P<b>"):
        return False
    return bool(_VERB_AT_END.search(fact[-TAIL_CHARS:]) or _MERELY.match(belief))


def _require_clear_clause(text: str | None, chars_min: int = CORRECTION_CLAUSE_CHARS_MIN) -> str:
    """Return the cleaned clause, or an empty string if it is too short, vague or an intention."""
    cleaned = clean_clause(_LEAD.sub("", (text or "").lstrip(), count=1))
    if len(cleaned) < chars_min or _VAGUE.fullmatch(cleaned) or _INTENT.match(cleaned):
        return ""
    return cleaned


def _extract_contrast(fact: str) -> str:
    """Return the belief that a fact contrasts with: "it was the second, not the first" gives "the first"."""
    match = _CONTRAST.search(fact)
    return _require_clear_clause(match["b"], BELIEF_CHARS_MIN) if match else ""


def _remove_negation(fact: str) -> str:
    """Return the belief behind a negated sentence, without its negation; empty if it negates nothing."""
    match = _DENIAL.search(fact)
    if match is None:
        return ""
    verb = _VERBS.get((match["verb"] or "").lower(), match["verb"] or "")
    return _require_clear_clause(f"{fact[: match.start()]}{verb}{fact[match.end() :]}")


def classify_kind(belief: str, fact: str) -> Kind:
    """Classify a correction by the first matching cue word; "factual" if none matches."""
    text = f"{fact} {belief}"
    return next((kind for kind, pattern in _KINDS if pattern.search(text)), "factual")
