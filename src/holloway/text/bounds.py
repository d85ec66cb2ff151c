"""Text from outside, made safe to keep and to show: bounded, no control, bidi or invisible characters."""

from __future__ import annotations

import unicodedata

from holloway.errors import InvalidInput

_KEEP = frozenset("\n\t")
_JOINERS = frozenset("\u200c\u200d")
_DROP = {"Cc", "Cf", "Cs", "Co", "Cn"}


def clean(text: str) -> str:
    """Drop control, format (bidi, zero-width, tags), surrogate and private characters; compose the rest.

    The two joiners stay where they stand between letters or emoji, because scripts and emoji need them.
    """
    if text.isascii() and text.isprintable():
        return text.strip()
    text = unicodedata.normalize("NFC", text.replace("\r\n", "\n").replace("\r", "\n"))
    kept = [char for char in text if _kept(char)]
    joined = [char for at, char in enumerate(kept) if char not in _JOINERS or _joins(kept, at)]
    return "".join(joined).strip()


def _kept(char: str) -> bool:
    return char in _KEEP or char in _JOINERS or unicodedata.category(char) not in _DROP


def _joins(chars: list[str], at: int) -> bool:
    before, after = chars[at - 1 : at], chars[at + 1 : at + 2]
    return bool(before and after and not before[0].isascii() and not after[0].isascii())


def bounded(text: str, limit_bytes: int, what: str) -> str:
    """The cleaned text, or an error that says how much too long or empty it is."""
    if len(text) > limit_bytes:
        raise InvalidInput(f"{what} has {len(text):,} characters.", _shorter(limit_bytes))
    if any("\ud800" <= char <= "\udfff" for char in text):
        raise InvalidInput(f"{what} has bytes that are not UTF-8.", "Give it as UTF-8 text.")
    cleaned = clean(text)
    if not cleaned:
        raise InvalidInput(f"{what} is empty.", "Say in a sentence what is worth remembering.")
    if (size := len(cleaned.encode())) > limit_bytes:
        raise InvalidInput(f"{what} has {size:,} bytes.", _shorter(limit_bytes))
    return cleaned


def one_line(text: str, limit_chars: int) -> str:
    """The text on one line, cut at a word with an ellipsis where it is too long."""
    flat = " ".join(text.split())
    if len(flat) <= limit_chars:
        return flat
    cut = flat[: limit_chars - 1]
    space = cut.rfind(" ")
    return (cut[:space] if space > limit_chars // 2 else cut).rstrip(" ,;:.") + "…"


def summary(content: str, limit_chars: int) -> str:
    """As many whole sentences as fit on one line within the limit; a first one that is too long is cut at a word."""
    flat = " ".join(content.split())
    if len(flat) > limit_chars:
        end = max(flat.rfind(mark, 0, limit_chars) for mark in (". ", "! ", "? "))
        flat = flat[: end + 1] if end >= limit_chars // 4 else one_line(flat, limit_chars)
    return flat.rstrip(".")


def _shorter(limit_bytes: int) -> str:
    return f"At most {limit_bytes:,} bytes: keep to what the next session needs, or split it in two."
