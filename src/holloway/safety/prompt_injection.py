"""Detects prompt injection: text of memories, pages or tools that tries to give an agent orders, or hides something.

A text is folded to plain letters, then matched in linear time. The cues are in `data/prompt_injection.toml`.
"""

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

from holloway.data import load_table
from holloway.text.patterns import Patterns

if TYPE_CHECKING:
    from collections.abc import Iterator

BASE64_CHARS_MAX = 120
"""Longer runs are blobs: the checksums in lock files have 88 characters at most."""
HEX_CHARS_MAX = 160
"""A checksum has 128 at most."""
ENCODED_RUN_MAX = 12
"""From this many characters in a row written as %41, \\x41, \\u0041 or &#65;, a text is a blob."""
DECODED_MIN = 20
"""Shorter runs of base64 or hex say too little."""
DECODED_RUNS_MAX = 200
"""Maximum number of encoded runs of a text that are decoded."""
DECODED_NOISE_MAX = 0.25
"""Share of characters that are no text from which on a run is a name that only looks encoded."""
SPACED_LETTERS_MIN = 12
DISGUISED_MAX = 100
"""More words than this in letters of two scripts are suspect whatever they say."""
CHUNK_CHARS = 512

_INVISIBLE = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f"
    "\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
_ZERO_WIDTH = "\u180e\u200b-\u200f\u2060-\u2064\ufeff"
_NON_LATIN = "\u0251-\u0279\u0370-\u03ff\u0400-\u052f"
_FANCY = "\uff21-\uff3a\uff41-\uff5a\U0001d400-\U0001d7ff\u24b6-\u24e9\U0001f130-\U0001f149"
_SHAPES = {
    "invisible": f"[{_INVISIBLE}]",
    "non_latin": f"[{_NON_LATIN}]",
    # Flags of regions are written with tag characters between a black flag and an end.
    "hidden": "[\u202a-\u202e\u2066-\u2069]"
    "|(?:^|[^\U0001f3f4\U000e0030-\U000e007a])[\U000e0000-\U000e007e]"
    f"|[A-Za-z][{_ZERO_WIDTH}]+[A-Za-z]|[\ufe00-\ufe0f\U000e0100-\U000e01ef]{{2}}|[{_ZERO_WIDTH}]{{4}}",
    "spaced": rf"(?:\b[a-zA-Z][ .*_-]{{1,3}}){{{SPACED_LETTERS_MIN - 1},}}[a-zA-Z]\b",
    "disguised": f"[a-zA-Z]*(?:[a-zA-Z][{_NON_LATIN}]|[{_NON_LATIN}][a-zA-Z]|[{_FANCY}]{{3}})"
    f"[a-zA-Z{_NON_LATIN}{_FANCY}]*",
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


def find_injection(text: str) -> str:
    """Detect prompt injection; return the reason not to store a text that no person wrote, empty if it is clean.

    The reasons: `override`, `role`, `command`, `exfiltration`, `markup`, `authority`, `hidden`, `blob`. Advice about
    the code ("always run `make generate` after editing the schema") is not a reason.
    """
    data = _encode_text(text)
    if _has_hidden_text(data):
        return "hidden"
    return _find_reason(text) or ("blob" if _has_blob(text, data) else "")


def find_imperative(text: str) -> str:
    """Find the first softer cue of an instruction: `must`, `always`, `verb`, `answer`; empty if there is no cue.

    Half of what developers write is advice of this kind, so it counts only in untrusted text.
    """
    return _find_cue("imperatives", text)


def fold_characters(text: str) -> str:
    """Fold a text to what a reader sees: compatible forms normalised, invisible characters gone, look-alikes Latin."""
    if not text.isascii():
        text = _normalise_chunks(text)
        data = _encode_text(text)
        if _shape_patterns("invisible").has_match(data):
            text = _HIDES.sub("", text)
        if _shape_patterns("non_latin").has_match(data):
            text = text.lower()
            for looks, letter in _LOOKALIKES:
                text = text.replace(looks, letter)
    # The name of a tag in code is a mention; a tag that is open to what follows is not.
    return _NAMED_TAG.sub(" ", text.lower())


def _normalise_chunks(text: str) -> str:
    """Normalise to compatible composed form, in chunks: a long run of combining marks takes quadratic time."""
    chunks = (text[start : start + CHUNK_CHARS] for start in range(0, len(text), CHUNK_CHARS))
    return "".join(unicodedata.normalize("NFKC", chunk) for chunk in chunks).replace("\u2019", "'")


def _find_reason(text: str) -> str:
    return _find_cue("cues", text)


def _find_cue(kind: str, text: str) -> str:
    """Find the first reason or cue of a kind whose patterns match."""
    matches = _cue_patterns(kind).find_matches(_encode_text(fold_characters(text)))
    return list(_load_cues()[kind])[matches[0]] if matches else ""


@cache
def _load_cues() -> dict[str, dict[str, list[str]]]:
    return load_table("prompt_injection")


@cache
def _cue_patterns(kind: str) -> Patterns:
    return Patterns(map(_join_alternatives, _load_cues()[kind].values()))


def _join_alternatives(cues: list[str]) -> str:
    return "|".join(f"(?:{cue})" for cue in cues)  # A flag of one does not reach into the next.


def _encode_text(text: str) -> bytes:
    return text.encode("utf-8", "replace")


@cache
def _shape_patterns(name: str) -> Patterns:
    return Patterns([_SHAPES[name]])


def _has_hidden_text(data: bytes) -> bool:
    if _shape_patterns("spaced").has_match(data):
        return True
    return _shape_patterns("hidden").has_match(data) or _has_disguise(data)


def _has_disguise(data: bytes) -> bool:
    """Whether alarming words are written in letters of two scripts, or in fancy ones."""
    matches = re2.finditer(_SHAPES["disguised"], data) if _shape_patterns("disguised").has_match(data) else ()
    words = [match.group().decode() for match in islice(matches, DISGUISED_MAX)]
    return len(words) == DISGUISED_MAX or _shape_patterns("alarming").has_match(
        _encode_text(fold_characters(" ".join(words)))
    )


def _has_blob(text: str, data: bytes) -> bool:
    has_escapes = any(sign in data for sign in _ESCAPING)
    if has_escapes and _shape_patterns("encoded").has_match(data):
        return True
    runs = _find_runs(data)
    if any(map(_is_long, runs)):
        return True
    decoded = list(_decode_runs(runs))
    if has_escapes and _shape_patterns("escaped").has_match(data):
        decoded.append(html.unescape(unquote(text)))
    return bool(decoded and _find_reason("\n".join(decoded)))


def _find_runs(data: bytes) -> list[str]:
    """Find runs that may be base64 or hex, by a table of characters, which is faster than any pattern."""
    long_runs = (run for run in data.translate(_RUNS_ONLY).split() if len(run) >= DECODED_MIN)
    return [
        run
        for data_run in islice(long_runs, DECODED_RUNS_MAX)
        if not (run := data_run.decode()).islower() or _is_hex(run)
    ]


def _is_hex(run: str) -> bool:
    return _HEX.fullmatch(run) is not None


def _is_long(run: str) -> bool:
    if _is_hex(run):
        return len(run) > HEX_CHARS_MAX
    # Long paths and names have joints; a blob has the odd one by chance.
    return len(run) > BASE64_CHARS_MAX and not run.isupper() and sum(map(run.count, "/-_")) * 12 < len(run)


def _decode_runs(runs: list[str]) -> Iterator[str]:
    """Decode runs of base64 or hex, whatever their length; some bytes that are no text do not hide the others."""
    for run in runs:
        try:
            data = bytes.fromhex(run[: len(run) // 2 * 2]) if _is_hex(run) else _decode_base64(run)
        except binascii.Error:
            continue
        decoded = data.decode(errors="replace")
        if decoded.count("\ufffd") <= DECODED_NOISE_MAX * len(decoded):
            yield decoded


def _decode_base64(run: str) -> bytes:
    run = run[:-1] if len(run) % 4 == 1 else run  # One sign alone has no byte.
    return base64.b64decode(run + "=" * (-len(run) % 4), "-_" if "-" in run or "_" in run else None)
