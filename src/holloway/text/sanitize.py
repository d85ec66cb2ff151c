"""Sanitizing untrusted text: length limits, and no control, bidi or invisible characters."""

from __future__ import annotations

import unicodedata
from itertools import accumulate

from holloway.errors import InvalidInput
from holloway.text.identifiers import split_sentences
from holloway.text.truncation import cut_start

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_KEEP = frozenset("\n\t")
_JOINERS = frozenset("\u200c\u200d")
_MARKS_MAX = 30
"""Marks on one letter; Unicode's own stream-safe form allows as many."""
_INVISIBLE = frozenset({"Cc", "Cf", "Cs"})
_DROP = _INVISIBLE | {"Co", "Cn"}


def clean_text(text: str) -> str:
    """Drop control, format (bidi, zero-width, tags), surrogate and private characters; compose the rest.

    The two joiners stay where they stand between letters or emoji, because scripts and emoji need them.
    """
    if text.isascii() and text.isprintable():
        return text.strip()
    allowed_chars = filter(_is_allowed, text.replace("\r\n", "\n").replace("\r", "\n"))
    chars = list(unicodedata.normalize("NFC", "".join(_with_few_marks(allowed_chars))))
    joined = "".join(char for at, char in enumerate(chars) if char not in _JOINERS or _is_joiner(chars, at))
    return unicodedata.normalize("NFC", joined).strip()


def strip_invisible(text: str) -> str:
    """Return a text without control, bidirectional and other invisible characters; indentation stays."""
    return "".join(char for char in text if char in _KEEP or unicodedata.category(char) not in _INVISIBLE)


def _is_allowed(char: str) -> bool:
    return char in _KEEP or char in _JOINERS or unicodedata.category(char) not in _DROP


def _with_few_marks(chars: Iterable[str]) -> Iterator[str]:
    """Limit the combining marks per letter: normalisation takes quadratic time in their number."""
    marks = 0
    for char in chars:
        if char not in _JOINERS:
            marks = marks + 1 if unicodedata.combining(char) else 0
        if marks <= _MARKS_MAX:
            yield char


def _is_joiner(chars: list[str], at: int) -> bool:
    around = chars[at - 1 : at] + chars[at + 1 : at + 2]
    return len(around) == 2 and not any(char.isascii() or char.isspace() or char in _JOINERS for char in around)


def bounded_text(text: str, limit_bytes: int, field_name: str) -> str:
    """Return the cleaned text; raises InvalidInput if it is empty, too long or not UTF-8."""
    if len(text) > limit_bytes:
        raise InvalidInput(f"{field_name} has {len(text):,} characters.", _limit_hint(limit_bytes))
    if any("\ud800" <= char <= "\udfff" for char in text):
        raise InvalidInput(f"{field_name} has bytes that are not UTF-8.", "Give it as UTF-8 text.")
    cleaned = clean_text(text)
    if not cleaned:
        raise InvalidInput(f"{field_name} is empty.", "Say in a sentence what is worth remembering.")
    if (size := len(cleaned.encode())) > limit_bytes:
        raise InvalidInput(f"{field_name} has {size:,} bytes.", _limit_hint(limit_bytes))
    return cleaned


def cut_text(text: str, limit_bytes: int) -> str:
    """The cleaned text, with an ellipsis where it was too long."""
    data = clean_text(text).encode()
    if len(data) <= limit_bytes:
        return data.decode()
    return data[: limit_bytes - len("…".encode())].decode(errors="ignore").rstrip() + "…"


def one_line(text: str, limit_chars: int) -> str:
    """The text on one line, cut at a word with an ellipsis where it is too long, and never inside of a token."""
    flat = " ".join(text.split())
    if len(flat) <= limit_chars:
        return flat
    cut = flat[: limit_chars - 1]
    space = cut.rfind(" ")
    return (cut[:space] if space > limit_chars // 2 else cut_start(flat, limit_chars - 1)).rstrip(" ,;:.") + "…"


def summarise_text(content: str, limit_chars: int) -> str:
    """Return as many full sentences as fit on one line within the limit; a long first one is cut at a word."""
    flat = " ".join(content.split())
    if len(flat) > limit_chars:
        beginnings = (beginning.rstrip() for beginning in accumulate(split_sentences(flat)))
        fitting = max((text for text in beginnings if len(text) <= limit_chars), key=len, default="")
        flat = fitting if len(fitting) > limit_chars // 4 else one_line(flat, limit_chars)
    return flat.rstrip(".")


def _limit_hint(limit_bytes: int) -> str:
    return f"At most {limit_bytes:,} bytes: keep to what the next session needs, or split it in two."


def first_paragraph(text: str) -> str:
    """Return the first paragraph of a prompt; material that was pasted into it follows below."""
    return text.strip().partition("\n\n")[0]
