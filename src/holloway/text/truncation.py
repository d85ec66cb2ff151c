"""Cutting long texts: never inside of a token, because a part of a secret is not recognised as one. Light.

A token is a run of visible ASCII characters, as keys and passwords are; scripts without spaces are cut anywhere.
"""

from __future__ import annotations


def cut_start(text: str, limit: int) -> str:
    """Return the beginning of a text, at most this long; a token that does not fit is dropped."""
    if len(text) <= limit:
        return text
    end = limit
    if _is_token_char(text[limit]):
        while end and _is_token_char(text[end - 1]):
            end -= 1
    return text[:end]


def cut_end(text: str, limit: int) -> str:
    """Return the end of a text, at most this long; a token that does not fit is dropped."""
    if len(text) <= limit:
        return text
    start = len(text) - limit
    if _is_token_char(text[start - 1]):
        while start < len(text) and _is_token_char(text[start]):
            start += 1
    return text[start:]


def _is_token_char(char: str) -> bool:
    return "!" <= char <= "~"
