"""Output gate: stored text must not speak as the host, the user or holloway when it is shown to an agent."""

from __future__ import annotations

import re

from holloway.text.sanitize import clean_text

_TAG = re.compile(
    r"<(?=/?\s*(?:system|assistant|user|human|tool|function|invoke|antml|instructions?|reminder|memory|holloway)\b)",
    re.IGNORECASE,
)
_CITATION = re.compile(r"\[\s*hw\s*:", re.IGNORECASE)


def neutralize_text(text: str) -> str:
    """Put a text on one line, and make its hidden characters, role tags and forged citations harmless."""
    return _CITATION.sub("(hw:", _TAG.sub("‹", " ".join(clean_text(text).split())))


def neutralize_tags(text: str) -> str:
    """Make the role tags of a text harmless, and change nothing else."""
    return _TAG.sub("‹", text)
