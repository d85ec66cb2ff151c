"""Recognise a text again, without storing it."""

from __future__ import annotations

import hashlib
import re
import unicodedata

FINGERPRINT_BYTES = 16

_QUOTES = re.compile("[`'\"\u2018\u2019\u201c\u201d]")
_STOPS = re.compile(r"[.,;:!?]+(?=\s|$)")


def normalise_text(text: str) -> str:
    """Return the form in which texts are compared: no case, quotes, stops at the end of words or extra white space.

    Signs inside it stay: `>= 3` is not `<= 3`, and C++ is not C#. Stored fingerprints are made from this form.
    """
    flat = unicodedata.normalize("NFC", text).casefold()
    return " ".join(_STOPS.sub("", _QUOTES.sub("", flat)).split())


def fingerprint_text(text: str, salt: str, digest_bytes: int = FINGERPRINT_BYTES) -> str:
    """Return a digest that is the same for texts with the same normal form; it reveals nothing of the text."""
    compared = normalise_text(text) or text
    return hashlib.blake2b(compared.encode("utf-8", "replace"), key=salt.encode(), digest_size=digest_bytes).hexdigest()
