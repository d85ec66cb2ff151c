"""Credentials typed by accident are cut out of a text before it is kept."""

from __future__ import annotations

from bisect import bisect_left, insort

from holloway.safety.rules import TABLE, values

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from holloway.safety.rules.rule import Rule

_OPEN = "[REDACTED: "
_IDS = frozenset(rule.id for rule in TABLE)
_ID_CHARS_MAX = max(map(len, _IDS))

_compiled: dict[str, Any] = {}


def _by_keyword() -> dict[str, list[int]]:
    ranks: dict[str, list[int]] = {}
    for rank, rule in enumerate(TABLE):
        for word in rule.keywords:
            ranks.setdefault(word, []).append(rank)
    return ranks


_RANKS = _by_keyword()


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
    ranks = {rank for word, ranks in _RANKS.items() if word in lower for rank in ranks}
    if not ranks:
        return []
    # One byte for each character, lone surrogates included, so that RE2's offsets are the text's.
    data = text.encode("ascii", "replace")
    markers = list(_markers(text))
    marked, taken = _Spans(markers), _Spans(markers.copy())
    findings = []
    for rank in sorted(ranks):
        for start, end in _matches(TABLE[rank], text, data, marked, taken):
            taken.add(start, end)
            findings.append(Finding(TABLE[rank].id, start, end))
    findings.sort(key=lambda finding: finding.start)
    return findings


def _matches(rule: Rule, text: str, data: bytes, marked: _Spans, taken: _Spans) -> Iterator[tuple[int, int]]:
    pattern = _pattern(rule)
    group = min(pattern.groups, 1)
    at = 0
    while match := pattern.search(data, at):
        begin, over = match.span()
        start, end = match.span(group)
        if marked.touch(begin, over) or taken.touch(start, end):
            end = 0
        else:
            end = values.accepted(rule, text, begin, start, end)
        if end:
            yield start, end
        at = max(begin + 1, end or start)


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
    at = text.find(_OPEN)
    while at >= 0:
        name = at + len(_OPEN)
        end = text.find("]", name, name + _ID_CHARS_MAX + 1)
        if text[name:end] in _IDS:
            yield at, end + 1
        at = text.find(_OPEN, name)
