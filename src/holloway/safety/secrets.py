"""Detects secrets (API keys, tokens, passwords) in a text and redacts them: a marker replaces each before storing.

The rules and their keywords are in `data/secrets.toml`. Most texts have no keyword, so the rules are loaded late.
"""

from __future__ import annotations

from _codecs import charmap_build, charmap_encode  # the functions behind codecs, without the module

from holloway.data import load_table
from holloway.safety import secret_spellings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

MARKER_START = "[REDACTED: "
_SEPARATORS = dict.fromkeys(map(ord, "/.,:;=\"'`()[]{}<>|"), " ")
TOKEN_CHARS_MIN = 12
"""Minimum length of the longest unbroken run in a token that stands alone, for every vendor."""
WORD_CHARS_MAX = 32
"""Length from which a run of small letters is no word of a name."""
RETRIES_MAX = 8
"""Maximum number of starts that are tried for a value that turned out to be no secret; each is read to its end."""
RETRY_CHARS = 256
"""Every start this close to the value's end is tried: no assigned value is longer."""

_AROUND_PATHS = ",;:()[]'\"`"
PATH_SECRET_CHARS_MIN = 20
"""Length from which a part of a path may be a secret."""
_compiled: dict[str, Any] = {}
_keywords: dict[str, list[str]] = {}
_rule_tables: list[RuleTable] = []
_code_page: list[Any] = []


class Rule:
    """One kind of secret.

    `regex` is RE2; the secret is its first group, else the whole match. `entropy` is the minimum in bits per character.
    `value_check` names the check of `secret_values` for a regex that says where a secret is but not how it looks.
    """

    __slots__ = ("entropy", "id", "keywords", "regex", "value_check")

    def __init__(self, row: dict[str, Any]) -> None:
        self.id: str = row["id"]
        self.regex: str = row["regex"]
        self.entropy: float = row["entropy"]
        self.keywords: list[str] = row["keywords"]
        self.value_check: str = row.get("value_check", "")


class RuleTable:
    """The rules in their order, and the ranks of those that have a keyword."""

    __slots__ = ("ranks", "rules")

    def __init__(self, rules: list[Rule]) -> None:
        self.rules = rules
        self.ranks: dict[str, list[int]] = {}
        for rank, rule in enumerate(rules):
            for keyword in rule.keywords:
                self.ranks.setdefault(keyword, []).append(rank)


def load_rules() -> RuleTable:
    """Load the rules; from the second call on, return the same table."""
    if not _rule_tables:
        _rule_tables.append(RuleTable([Rule(row) for row in load_table("secrets")["rules"]]))
    return _rule_tables[0]


class SecretFinding:
    """A secret in a text: the id of the rule that found it, and its position."""

    __slots__ = ("end", "rule", "start")

    def __init__(self, rule: str, start: int, end: int) -> None:
        self.rule = rule
        self.start = start
        self.end = end

    def __repr__(self) -> str:
        return f"Finding({self.rule!r}, {self.start}, {self.end})"


def redact_secrets(text: str) -> tuple[str, list[str]]:
    """Replace each secret by a marker; return the text and the sorted ids of the rules that found secrets."""
    rule_ids: set[str] = set()
    # Removing one secret can uncover the edge of the next. Each round leaves less text outside of the markers.
    while findings := scan_secrets(text):
        rule_ids.update(finding.rule for finding in findings)
        text = _insert_markers(text, findings)
    return text, sorted(rule_ids)


def redact_path(path: str) -> str:
    """Return a path without secrets; each part is also scanned alone, because `/` and `.` may belong to a token."""
    if not any(len(part) >= PATH_SECRET_CHARS_MIN and any(map(str.isdigit, part)) for part in path.split("/")):
        return path
    return "/".join(map(_redact_path_part, redact_secrets(path)[0].split("/")))


def _redact_path_part(part: str) -> str:
    redacted = redact_secrets(part)[0]
    if redacted != part or "." not in part:
        return redacted
    stem, _, ending = part.rpartition(".")
    return f"{redact_secrets(stem)[0]}.{ending}"


def redact_paths_in(text: str) -> str:
    """Return a text without secrets in the paths that it names."""
    for word in text.split():
        path = word.strip(_AROUND_PATHS)
        if "/" in path and (redacted := redact_path(path)) != path:
            text = text.replace(path, redacted)
    return text


def redact_nested(value: Any) -> Any:
    """Return a JSON value without secrets in its texts and in the keys of its objects."""
    if isinstance(value, str):
        return redact_paths_in(redact_secrets(value)[0])
    if isinstance(value, list | tuple):
        return [redact_nested(item) for item in value]
    if isinstance(value, dict):
        return {redact_nested(key): redact_nested(item) for key, item in value.items()}
    return value


def scan_secrets(text: str) -> list[SecretFinding]:
    """Find the secrets in a text, in their order and without overlap; the longest wins, then the more specific rule.

    Secrets that are split over lines or by invisible characters, and base64 of secrets, are found as a whole.
    """
    findings = _scan_spelling(text)
    if joined := secret_spellings.join_lines(text):
        spelling, positions = joined
        findings += [
            SecretFinding(finding.rule, positions[finding.start], positions[finding.end - 1] + 1)
            for finding in _scan_spelling(spelling)
        ]
    for start, end, decoded in secret_spellings.decode_runs(text):
        if inner := _scan_spelling(decoded):
            findings.append(SecretFinding(inner[0].rule, start, end))
    return _merge_findings(findings)


def _merge_findings(findings: list[SecretFinding]) -> list[SecretFinding]:
    """Sort findings and join those that overlap; the rule of the longest is kept."""
    merged: list[SecretFinding] = []
    for finding in sorted(findings, key=lambda finding: (finding.start, -finding.end)):
        last = merged[-1] if merged else None
        if last is None or finding.start >= last.end:
            merged.append(finding)
        elif finding.end > last.end:
            rule = finding.rule if finding.end - finding.start > last.end - last.start else last.rule
            merged[-1] = SecretFinding(rule, last.start, finding.end)
    return merged


def _scan_spelling(text: str) -> list[SecretFinding]:
    keywords = _find_keywords(text)
    if not keywords:
        return []
    table = load_rules()
    ranks = {rank for keyword in keywords for rank in table.ranks[keyword]}
    data = _encode_text(text)
    rules = (table.rules[rank] for rank in sorted(ranks))
    return [SecretFinding(rule.id, start, end) for rule in rules for start, end in _find_secrets(rule, text, data)]


def _encode_text(text: str) -> bytes:
    """Encode one byte for each character, lone surrogates included, so that RE2's offsets are the text's.

    The letters beyond ASCII that rules contain have the bytes from 0x80; any other character is a question mark.
    """
    if text.isascii():
        return text.encode("ascii")
    if not _code_page:
        letters = sorted({char for rule in load_rules().rules for char in rule.regex if ord(char) > 127})
        _code_page.append(charmap_build("".join(map(chr, range(128))) + "".join(letters)))
    return charmap_encode(text, "replace", _code_page[0])[0]


def _find_keywords(text: str) -> list[str]:
    """Find the keywords of rules in a text; those of tokens count only in a text with a run as long as a token."""
    if not _keywords:
        _keywords.update(load_table("secret_keywords"))
    lower = text.lower()
    keywords = [keyword for keyword in _keywords["keywords"] if keyword in lower]
    if _has_token(text):
        keywords += [keyword for keyword in _keywords["token_keywords"] if keyword in lower]
    return keywords


def _has_token(text: str) -> bool:
    """Check for a run as long as a token that is no plain word: with a capital or a digit in it."""
    return any(len(run) >= TOKEN_CHARS_MIN and _is_token_like(run) for run in text.translate(_SEPARATORS).split())


def _is_token_like(run: str) -> bool:
    """Whether a run is no plain word and no name with underscores, which has one case and few digits."""
    if "_" not in run:
        return run != run.lower() or not run.isalpha()
    is_mixed = run != run.lower() and run != run.upper()
    parts = [part for part in run.split("_") if len(part) >= TOKEN_CHARS_MIN]
    return is_mixed or any(not part.isalpha() or len(part) >= WORD_CHARS_MAX for part in parts)


def _find_secrets(rule: Rule, text: str, data: bytes) -> Iterator[tuple[int, int]]:
    from holloway.safety import secret_values  # loaded with the rules

    pattern = _compile_rule(rule)
    group = min(pattern.groups, 1)
    position = tries = last_end = 0
    while match := pattern.search(data, position):
        start, end = match.span(group)
        secret = secret_values.find_secret(rule.value_check, rule.entropy, text, match.start(), start, end)
        if secret:
            yield start, start + len(secret)
        tries, last_end = (tries + 1 if end == last_end else 1), end
        next_start = start if tries < RETRIES_MAX else max(start, end - RETRY_CHARS)
        position = max(match.start() + 1, start + len(secret) if secret else next_start)


def _compile_rule(rule: Rule) -> Any:
    if rule.id not in _compiled:
        import re2  # Loaded here, as most texts have no keyword in them and need no pattern.

        options = re2.Options()
        options.log_errors = False
        options.encoding = re2.Options.Encoding.LATIN1
        _compiled[rule.id] = re2.compile(_encode_text(rule.regex), options)
    return _compiled[rule.id]


def _insert_markers(text: str, findings: list[SecretFinding]) -> str:
    parts: list[str] = []
    position = 0
    for finding in findings:
        parts += text[position : finding.start], MARKER_START, finding.rule, "]"
        position = finding.end
    return "".join((*parts, text[position:]))
