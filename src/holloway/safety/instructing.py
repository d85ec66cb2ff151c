"""Whether a text tries to instruct an agent: folded to plain letters first, then matched in linear time."""

from __future__ import annotations

import base64
import binascii
import html
import re
import unicodedata
from collections.abc import Iterator
from functools import cache
from itertools import chain, islice
from typing import Any
from urllib.parse import unquote

import re2

from holloway.safety.cues import CUES, IMPERATIVES

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
ANY_CUE = "any"
"""One look for all the reasons at once: nearly every text has none."""
PATTERN_BYTES_MAX = 64 << 20
"""For the states of one pattern; with RE2's usual 8 MB a wide one is dropped and built again and again."""

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
_RUN = re.compile(rf"[A-Za-z0-9+/_-]{{{DECODED_MIN},}}".encode())
_HIDES = re.compile(_SHAPES["invisible"])
_LOOKALIKES = tuple(zip("аеорсухівјѕԁԛԝһмнткгαεορτυχκνιϲӏɡɩ", "aeopcyxibjsdqwhmhtkraeoptuxkvicigi", strict=True))
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
    data = _bytes(fold(text))
    return next((cue for cue in IMPERATIVES if _pattern(cue).search(data)), "")


def fold(text: str) -> str:
    """The text as a reader takes it: compatible forms made plain, invisible characters gone, look-alikes Latin."""
    if not text.isascii():
        text = _plain(text)
        data = _bytes(text)
        if _pattern("invisible").search(data):
            text = _HIDES.sub("", text)
        if _pattern("foreign").search(data):
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
    data = _bytes(fold(text))
    if not _pattern(ANY_CUE).search(data):
        return ""
    return next(cue for cue in CUES if _pattern(cue).search(data))


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "replace")


@cache
def _pattern(name: str) -> Any:
    options = re2.Options()
    options.log_errors = False
    options.never_capture = True
    options.max_mem = PATTERN_BYTES_MAX
    any_cue = {ANY_CUE: tuple(chain.from_iterable(CUES.values()))}
    cues = (CUES | IMPERATIVES | any_cue).get(name) or (_SHAPES[name],)
    return re2.compile("|".join(f"(?:{cue})" for cue in cues), options)


def _hidden(data: bytes) -> bool:
    if _pattern("spaced").search(data):
        return True
    if data.isascii():
        return False
    return bool(_pattern("hidden").search(data)) or _disguised(data)


def _disguised(data: bytes) -> bool:
    """Whether alarming words are written in letters of two scripts, or in fancy ones."""
    words = [match.group().decode() for match in islice(_pattern("disguised").finditer(data), DISGUISED_MAX)]
    return len(words) == DISGUISED_MAX or bool(_pattern("alarming").search(_bytes(fold(" ".join(words)))))


def _blob(text: str, data: bytes) -> bool:
    if _pattern("encoded").search(data):
        return True
    found = islice(_RUN.finditer(data), DECODED_RUNS_MAX)
    runs = [run for match in found if not (run := match.group().decode()).islower() or _HEX.fullmatch(run)]
    if any(map(_long, runs)):
        return True
    decoded = "\n".join(_decoded(text, runs))
    return bool(decoded and _said(decoded))


def _long(run: str) -> bool:
    if _HEX.fullmatch(run):
        return len(run) > HEX_CHARS_MAX
    # Long paths and names have joints; a blob has the odd one by chance.
    return len(run) > BASE64_CHARS_MAX and not run.isupper() and sum(map(run.count, "/-_")) * 12 < len(run)


def _decoded(text: str, runs: list[str]) -> Iterator[str]:
    for run in runs:
        try:
            if _HEX.fullmatch(run):
                yield bytes.fromhex(run[: len(run) // 2 * 2]).decode()
            else:
                yield base64.b64decode(run[: len(run) // 4 * 4], "-_" if "-" in run or "_" in run else None).decode()
        except (binascii.Error, ValueError):
            continue
    if _pattern("escaped").search(_bytes(text)):
        yield html.unescape(unquote(text))
