"""Recognise a text again without keeping it."""

from __future__ import annotations

import hashlib

from holloway.text.identifiers import words


def fingerprint(text: str, salt: str) -> str:
    """The same for texts that differ in case, white space and punctuation only; says nothing of the text."""
    telling = " ".join(words(text)) or " ".join(text.split())
    return hashlib.blake2b(telling.encode("utf-8", "replace"), key=salt.encode(), digest_size=16).hexdigest()
