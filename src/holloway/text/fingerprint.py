"""Recognise a text again without keeping it."""

from __future__ import annotations

import hashlib
import re
import unicodedata

_QUOTES = re.compile("[`'\"\u2018\u2019\u201c\u201d]")
_STOPS = re.compile(r"[.,;:!?]+(?=\s|$)")


def normalised(text: str) -> str:
    """The text without what does not change its sense: case, white space, quotes, stops at the end of words.

    Signs inside it stay: `>= 3` is not `<= 3`, and C++ is not C#.
    """
    flat = unicodedata.normalize("NFC", text).casefold()
    return " ".join(_STOPS.sub("", _QUOTES.sub("", flat)).split())


def fingerprint(text: str, salt: str) -> str:
    """The same for texts that say the same; says nothing of the text to those who do not have it."""
    telling = normalised(text) or text
    return hashlib.blake2b(telling.encode("utf-8", "replace"), key=salt.encode(), digest_size=16).hexdigest()
