"""Plain text: what a reader sees of a text that is marked up, escaped, coloured or wrapped behind a prefix.

An agent reads through all of that, so texts are compared without it. The hook process may import this module: it loads
nothing but `re`.
"""

from __future__ import annotations

import re

_COLOUR = re.compile(r"\x1b(?:\[[0-9;:?]{0,40}[ -/]?[@-~]|\][^\x07\x1b]{0,200}(?:\x07|\x1b\\)?)")
_ENTITY = re.compile(r"&(?:#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6})|(amp|lt|gt|quot|apos|nbsp|ndash|mdash|hellip|rsquo));")
_NAMED = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'", "nbsp": " ", "rsquo": "'"}
_INLINE_TAG = re.compile(
    r"</?(?:a|b|i|u|s|em|strong|span|code|kbd|mark|small|font|sup|sub|tt|wbr)(?:\s[^<>]{0,200})?/?>"
)
_TAG = re.compile(r"</?[a-zA-Z][\w:-]{0,40}(?:\s[^<>]{0,200})?/?>")
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|([nrt\"'/]))")
_ESCAPED_BREAK = re.compile(r"=\r?\n")
"""A soft line break of a mail in quoted-printable form."""
_PERCENT = re.compile(r"%([2-7][0-9a-fA-F])")
PERCENT_MIN = 3
"""Characters written as %41 from which on a text counts as an encoded address."""
_EMPHASIS = re.compile(r"_(?:(?<!\w_)_{0,2}(?=\w)|(?<=[^\W_]_)_{0,2}(?!\w))")
_WRAPPED = re.compile(
    r"\n(?<=[\w,;)\]'\"`]\n)[ \t]*"
    r"(?:[>#*|+]{1,4}|//{1,2}!?|--|(?:[\w./@+-]{1,200}[:-])?\d{1,7}[\u2192\t:|-])[ \t]*(?:(?://{1,2}|[#*>|])[ \t]*)?"
    r"(?=[a-z(\"'`])"
)
"""A line break inside of a sentence, with the prefix of the next line: a quote, a comment, a table, a line number."""


def to_plain_text(text: str) -> str:
    """Return a text without colours, tags, escapes and emphasis, with wrapped lines joined."""
    if "\x1b" in text:
        text = _COLOUR.sub("", text)
    if "&" in text:
        text = _ENTITY.sub(_decode_entity, text)
    if "<" in text:
        text = _TAG.sub("\n", _INLINE_TAG.sub("", text))
    if "\\" in text:
        text = _ESCAPE.sub(_decode_escape, text)
    if "=\n" in text or "=\r\n" in text:
        text = _ESCAPED_BREAK.sub("", text)
    if text.count("%") >= PERCENT_MIN:
        text = _PERCENT.sub(_decode_percent, text)
    if "_" in text:
        text = _EMPHASIS.sub("", text)
    return _WRAPPED.sub(" ", text.replace("\r\n", "\n")) if "\n" in text else text


def _decode_entity(match: re.Match[str]) -> str:
    decimal, hexadecimal, name = match.groups()
    return _NAMED.get(name, " ") if name else _decode_code(int(decimal) if decimal else int(hexadecimal, 16))


def _decode_escape(match: re.Match[str]) -> str:
    wide, narrow, letter = match.groups()
    if letter:
        return {"n": "\n", "r": "", "t": " "}.get(letter, letter)
    return _decode_code(int(wide or narrow, 16))


def _decode_percent(match: re.Match[str]) -> str:
    return chr(int(match[1], 16))


def _decode_code(code: int) -> str:
    """Return the character with this code; a space for a control character or a code that is none."""
    return chr(code) if 32 <= code < 0xD800 or 0xE000 <= code <= 0x10FFFF else " "
