"""Whether a text tries to instruct an agent: folded to plain letters first, then matched in linear time."""

from __future__ import annotations

import base64
import binascii
import html
import re
import unicodedata
from functools import cache
from itertools import islice
from typing import TYPE_CHECKING
from urllib.parse import unquote

import re2

from holloway.safety.injection_cues import CUES, IMPERATIVES
from holloway.text.patterns import Patterns

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

BASE64_CHARS_MAX = 120
"""Longer runs are blobs: the checksums in lock files have 88 characters at most."""
HEX_CHARS_MAX = 160
"""A checksum has 128 at most."""
ENCODED_RUN_MAX = 12
"""So many characters in a row written as %41, \\x41, \\u0041 or &#65; are no accident."""
DECODED_MIN = 20
"""Shorter runs of base64 or hex say too little."""
DECODED_RUNS_MAX = 200
"""So many encoded pieces of a text are decoded and read."""
SPACED_LETTERS_MIN = 12
DISGUISED_MAX = 100
"""More words than this in letters of two scripts are suspect whatever they say."""
PIECE_CHARS = 512

_INVISIBLE = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f"
    "\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
_ZERO_WIDTH = "\u180e\u200b-\u200f\u2060-\u2064\ufeff"
_FOREIGN = "\u0251-\u0279\u0370-\u03ff\u0400-\u052f"
_FANCY = "\uff21-\uff3a\uff41-\uff5a\U0001d400-\U0001d7ff\u24b6-\u24e9\U0001f130-\U0001f149"
_SHAPES = {
    "invisible": f"[{_INVISIBLE}]",
    "foreign": f"[{_FOREIGN}]",
    # Flags of regions are written with tag characters between a black flag and an end.
    "hidden": "[\u202a-\u202e\u2066-\u2069]"
    "|(?:^|[^\U0001f3f4\U000e0030-\U000e007a])[\U000e0000-\U000e007e]"
    f"|[A-Za-z][{_ZERO_WIDTH}]+[A-Za-z]|[\ufe00-\ufe0f\U000e0100-\U000e01ef]{{2}}|[{_ZERO_WIDTH}]{{4}}",
    "spaced": rf"(?:\b[a-zA-Z][ .*_-]{{1,3}}){{{SPACED_LETTERS_MIN - 1},}}[a-zA-Z]\b",
    "disguised": f"[a-zA-Z]*(?:[a-zA-Z][{_FOREIGN}]|[{_FOREIGN}][a-zA-Z]|[{_FANCY}]{{3}})[a-zA-Z{_FOREIGN}{_FANCY}]*",
    "alarming": r"\b(?:ignor|disregard|forget|overrid|bypass|previous|prior\b|instruct|prompt|system|assistant"
    r"|user|agent|always"
    r"|never|must|run\b|execut|install|upload|send|curl|wget|secret|token|passw|credent|admin|sudo|approv|authori"
    r"|holloway"
    r"|memor|rememb)",
    "encoded": rf"(?:%[0-9a-fA-F]{{2}}){{{ENCODED_RUN_MAX}}}|(?:\\x[0-9a-fA-F]{{2}}){{{ENCODED_RUN_MAX}}}"
    rf"|(?:\\u00[0-9a-fA-F]{{2}}){{{ENCODED_RUN_MAX}}}|(?:&#x?[0-9a-fA-F]{{2,5}};){{{ENCODED_RUN_MAX}}}",
    "escaped": r"(?:(?:%[0-9a-fA-F]{2}|&#?[0-9a-z]{2,6};)[^%&\n]{0,8}){4}",
}
_IN_RUN = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/_-")
_RUNS_ONLY = bytes(code if code in _IN_RUN else ord(" ") for code in range(256))
_HIDES = re.compile(_SHAPES["invisible"])
_LOOKALIKES = tuple(zip("аеорсухівјѕԁԛԝһмнткгαεορτυχκνιϲӏɡɩ", "aeopcyxibjsdqwhmhtkraeoptuxkvicigi", strict=True))
_ESCAPING = (b"%", b"&", b"\\")
_HEX = re.compile(r"[0-9a-fA-F]+")
_NAMED_TAG = re.compile(r"`</?[a-z_:-]+/?>`")


def instructs(text: str) -> str:
    """Why a text must not be stored as it stands unless a person said it; empty where nothing speaks against it.

    The reasons: `override`, `role`, `command`, `exfiltration`, `markup`, `authority`, `hidden`, `blob`. Advice about
    the code ("always run `make generate` after editing the schema") is none of them.
    """
    data = _bytes(text)
    if _hidden(data):
        return "hidden"
    return _said(text) or ("blob" if _blob(text, data) else "")


def imperative(text: str) -> str:
    """Which softer cue of an instruction a text has: `must`, `always`, `verb`, `answer`, or none.

    Half of what developers write is advice of this kind, so it counts only in a text that came from outside.
    """
    return _first(_imperatives(), IMPERATIVES, text)


def fold(text: str) -> str:
    """The text as a reader takes it: compatible forms made plain, invisible characters gone, look-alikes Latin."""
    if not text.isascii():
        text = _plain(text)
        data = _bytes(text)
        if _shape("invisible").any(data):
            text = _HIDES.sub("", text)
        if _shape("foreign").any(data):
            text = text.lower()
            for looks, letter in _LOOKALIKES:
                text = text.replace(looks, letter)
    # The name of a tag in code is a mention; a tag that is open to what follows is not.
    return _NAMED_TAG.sub(" ", text.lower())


def _plain(text: str) -> str:
    """In compatible composed form; piece by piece, as a long run of combining marks takes quadratic time."""
    pieces = (text[at : at + PIECE_CHARS] for at in range(0, len(text), PIECE_CHARS))
    return "".join(unicodedata.normalize("NFKC", piece) for piece in pieces).replace("\u2019", "'")


def _said(text: str) -> str:
    return _first(_cues(), CUES, text)


def _first(patterns: Patterns, cues: Mapping[str, tuple[str, ...]], text: str) -> str:
    found = patterns.found(_bytes(fold(text)))
    return list(cues)[found[0]] if found else ""


@cache
def _cues() -> Patterns:
    return Patterns(map(_alternatives, CUES.values()))


@cache
def _imperatives() -> Patterns:
    return Patterns(map(_alternatives, IMPERATIVES.values()))


def _alternatives(cues: tuple[str, ...]) -> str:
    return "|".join(f"(?:{cue})" for cue in cues)  # A flag of one does not reach into the next.


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "replace")


@cache
def _shape(name: str) -> Patterns:
    return Patterns([_SHAPES[name]])


def _hidden(data: bytes) -> bool:
    if _shape("spaced").any(data):
        return True
    if data.isascii():
        return False
    return _shape("hidden").any(data) or _disguised(data)


def _disguised(data: bytes) -> bool:
    """Whether alarming words are written in letters of two scripts, or in fancy ones."""
    found = re2.finditer(_SHAPES["disguised"], data) if _shape("disguised").any(data) else ()
    words = [match.group().decode() for match in islice(found, DISGUISED_MAX)]
    return len(words) == DISGUISED_MAX or _shape("alarming").any(_bytes(fold(" ".join(words))))


def _blob(text: str, data: bytes) -> bool:
    escapes = any(sign in data for sign in _ESCAPING)
    if escapes and _shape("encoded").any(data):
        return True
    runs = _runs(data)
    if any(map(_long, runs)):
        return True
    decoded = list(_decoded(runs))
    if escapes and _shape("escaped").any(data):
        decoded.append(html.unescape(unquote(text)))
    return bool(decoded and _said("\n".join(decoded)))


def _runs(data: bytes) -> list[str]:
    """Stretches that may be base64 or hex: cut out by a table of characters, which is faster than any pattern."""
    found = (run for run in data.translate(_RUNS_ONLY).split() if len(run) >= DECODED_MIN)
    return [run for each in islice(found, DECODED_RUNS_MAX) if not (run := each.decode()).islower() or _is_hex(run)]


def _is_hex(run: str) -> bool:
    return _HEX.fullmatch(run) is not None


def _long(run: str) -> bool:
    if _is_hex(run):
        return len(run) > HEX_CHARS_MAX
    # Long paths and names have joints; a blob has the odd one by chance.
    return len(run) > BASE64_CHARS_MAX and not run.isupper() and sum(map(run.count, "/-_")) * 12 < len(run)


def _decoded(runs: list[str]) -> Iterator[str]:
    for run in runs:
        try:
            if _is_hex(run):
                yield bytes.fromhex(run[: len(run) // 2 * 2]).decode()
            else:
                yield base64.b64decode(run[: len(run) // 4 * 4], "-_" if "-" in run or "_" in run else None).decode()
        except (binascii.Error, ValueError):
            continue
