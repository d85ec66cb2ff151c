"""Normative statements: how people say what should be, in several languages."""

from __future__ import annotations

import re

WORDS_MIN, WORDS_MAX = 6, 60
_SHOULD = re.compile(
    r"\b(?:should(?: not|n't)?|must(?: not|n't)?|never|always|(?:do not|don't|dont) want|no longer|instead of"
    r"|rather than|prefer|has to|have to|not allowed"
    r"|soll(?:te|ten|en)?|muss|m\u00fcssen|nie(?:mals)?|immer|darf nicht|statt|lieber"
    r"|doit|doivent|devrait|jamais|toujours|plut\u00f4t que|au lieu de"
    r"|debe(?:n|r\u00eda)?|nunca|siempre|en lugar de|en vez de|deve(?:m)?|sempre|mai|invece di)\b"
    r"|(?<!\w)(?:\u0434\u043e\u043b\u0436(?:\u0435\u043d|\u043d\u0430|\u043d\u043e|\u043d\u044b)|\u043d\u0438\u043a\u043e\u0433\u0434\u0430|\u0432\u0441\u0435\u0433\u0434\u0430|\u043d\u0435\u043b\u044c\u0437\u044f|\u0432\u043c\u0435\u0441\u0442\u043e)(?!\w)"
    r"|\u5fc5\u305a|\u3059\u3079\u304d|\u3057\u306a\u3044\u3067|\u5fc5\u987b|\u4e0d\u8981|\u4e0d\u80fd|\u5e94\u8be5|\u59cb\u7ec8",
    re.IGNORECASE,
)
_TASK_ONLY = re.compile(
    r"\b(?:for now|this time|right now|in this (?:pr|branch|commit|session)|now|first|before you|let me know"
    r"|(?:can|could|would) you|please (?:fix|add|check|run|update|create|make|do|go))\b",
    re.IGNORECASE,
)
_TASK_OPENING = re.compile(
    r"(?:please |ok(?:ay)?,? |now |then |also |and |so )*(?:add|build|change|check|create|debug|delete|enforce|fix"
    r"|implement|look|make|mention|move|read|refactor|remove|rename|review|rewrite|run|update|write|you are"
    r"|i want you)\b",
    re.IGNORECASE,
)
_OUTPUT = re.compile(r"^\s*(?:---|\+\+\+|[\w./-]+:\d+|(?:Error|Warning|Traceback)\b)|--- FAIL|\[hw:", re.MULTILINE)


def is_normative(text: str) -> bool:
    """Return whether a typed passage says what should be, beyond the task at hand."""
    words = len(text.split())
    spaceless = words < WORDS_MIN and not text.isascii() and len(text) >= 2 * WORDS_MIN
    if not (WORDS_MIN <= words <= WORDS_MAX or spaceless) or "?" in text or "\uff1f" in text:
        return False
    return bool(_SHOULD.search(text)) and not (
        _TASK_ONLY.search(text) or _TASK_OPENING.match(text) or _OUTPUT.search(text)
    )
