"""Credentials typed by accident are cut out of a text before it is kept."""

from __future__ import annotations

from bisect import bisect_left, insort

from holloway.safety.secret_keywords import KEYWORDS, TOKENS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from holloway.safety.rules.rule import Rule

_OPEN = "[REDACTED: "
_BETWEEN = dict.fromkeys(map(ord, "/.,:;=\"'`()[]{}<>|_"), " ")
TOKEN_CHARS_MIN = 12
"""The longest unbroken run in a token that stands alone is at least this long, whatever its vendor."""
BEGINNINGS_MAX = 8
"""So many beginnings of a value that turned out to be none are tried; each is read to its end."""
BEGINNINGS_CHARS = 256
"""So near to its end all are: no value after a name is longer, and a secret may follow many settings that are none."""

_compiled: dict[str, Any] = {}
_loaded: list[Tables] = []


class Tables:
    """The rules, and what is looked up in them."""

    __slots__ = ("id_chars_max", "ids", "ranks", "rules")

    def __init__(self, rules: tuple[Rule, ...]) -> None:
        self.rules = rules
        self.ids = frozenset(rule.id for rule in rules)
        self.id_chars_max = max(map(len, self.ids))
        self.ranks: dict[str, list[int]] = {}
        for rank, rule in enumerate(rules):
            for word in rule.keywords:
                self.ranks.setdefault(word, []).append(rank)


def _tables() -> Tables:
    if not _loaded:
        from holloway.safety.rules import TABLE  # most texts have no keyword in them and need no rule

        _loaded.append(Tables(TABLE))
    return _loaded[0]


class Finding:
    """A secret in a text: which rule knew it, and the characters it takes up."""

    __slots__ = ("end", "rule", "start")

    def __init__(self, rule: str, start: int, end: int) -> None:
        self.rule = rule
        self.start = start
        self.end = end

    def __repr__(self) -> str:
        return f"Finding({self.rule!r}, {self.start}, {self.end})"


class _Spans:
    """Stretches of a text that do not overlap."""

    __slots__ = ("_spans",)

    def __init__(self, spans: list[tuple[int, int]]) -> None:
        self._spans = spans

    def add(self, start: int, end: int) -> None:
        insort(self._spans, (start, end))

    def touch(self, start: int, end: int) -> bool:
        at = bisect_left(self._spans, (start, end))
        before = at > 0 and self._spans[at - 1][1] > start
        return before or (at < len(self._spans) and self._spans[at][0] < end)


def redact(text: str) -> tuple[str, list[str]]:
    """The text with a marker in place of each secret, and the sorted ids of the rules that found them."""
    found: set[str] = set()
    # Cutting one secret out can uncover the edge of the next. Each round leaves less text outside of the markers.
    while findings := scan(text):
        found.update(finding.rule for finding in findings)
        text = _marked(text, findings)
    return text, sorted(found)


def scan(text: str) -> list[Finding]:
    """The secrets in a text in their order, none overlapping; a more specific rule goes before a generic one."""
    lower = text.lower()
    words = [word for word in KEYWORDS if word in lower]
    if _has_token(text):
        words += [word for word in TOKENS if word in lower]
    if not words:
        return []
    tables = _tables()
    ranks = {rank for word in words for rank in tables.ranks[word]}
    # One byte for each character, lone surrogates included, so that RE2's offsets are the text's.
    data = text.encode("ascii", "replace")
    markers = list(_markers(text))
    marked, taken = _Spans(markers), _Spans(markers.copy())
    findings = []
    for rank in sorted(ranks):
        rule = tables.rules[rank]
        for start, end in _matches(rule, text, data, marked, taken):
            taken.add(start, end)
            findings.append(Finding(rule.id, start, end))
    findings.sort(key=lambda finding: finding.start)
    return findings


def _has_token(text: str) -> bool:
    """Whether a text has a run as long as a token that is no plain word: with a capital or a digit in it."""
    words = text.translate(_BETWEEN).split()
    return any(len(word) >= TOKEN_CHARS_MIN and (word != word.lower() or not word.isalpha()) for word in words)


def _matches(rule: Rule, text: str, data: bytes, marked: _Spans, taken: _Spans) -> Iterator[tuple[int, int]]:
    from holloway.safety.rules import values  # loaded with the rules

    pattern = _pattern(rule)
    group = min(pattern.groups, 1)
    at = tried = last = 0
    while match := pattern.search(data, at):
        begin, over = match.span()
        start, end = match.span(group)
        known = marked.touch(begin, over) or taken.touch(start, end)
        found = 0 if known else values.accepted(rule, text, begin, start, end)
        if found:
            yield start, found
        tried, last = (tried + 1 if end == last else 1), end
        at = max(begin + 1, found or (start if tried < BEGINNINGS_MAX else max(start, end - BEGINNINGS_CHARS)))


def _pattern(rule: Rule) -> Any:
    if rule.id not in _compiled:
        import re2  # Loaded here, as most texts have no keyword in them and need no pattern.

        options = re2.Options()
        options.log_errors = False
        _compiled[rule.id] = re2.compile(rule.pattern, options)
    return _compiled[rule.id]


def _marked(text: str, findings: list[Finding]) -> str:
    pieces: list[str] = []
    at = 0
    for finding in findings:
        pieces += text[at : finding.start], _OPEN, finding.rule, "]"
        at = finding.end
    return "".join((*pieces, text[at:]))


def _markers(text: str) -> Iterator[tuple[int, int]]:
    tables = _tables()
    at = text.find(_OPEN)
    while at >= 0:
        name = at + len(_OPEN)
        end = text.find("]", name, name + tables.id_chars_max + 1)
        if text[name:end] in tables.ids:
            yield at, end + 1
        at = text.find(_OPEN, name)
