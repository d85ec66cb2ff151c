"""Other spellings of a text in which a secret may hide: joined lines, invisible characters, base64.

A spelling is the changed text and, for each of its characters, the position in the original text.
"""

from __future__ import annotations

from binascii import Error, a2b_base64

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

INVISIBLE = frozenset("\u00ad\u180e\u200b\u200c\u200d\u200e\u200f\u2060\u2061\u2062\u2063\u2064\ufeff")
ENCODED_CHARS_MIN = 40
"""Minimum length of a base64 run: shorter ones decode to less than a key."""
ENCODED_CHARS_MAX = 65_536
"""Maximum number of characters of a text that are decoded."""
_PRINTABLE_SHARE_MIN = 0.95
_JOINT_CHARS_MAX = 40
"""Maximum length of what stands between a quote and the end of its line."""
_QUOTES = "\"'"
_BASE64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_"
_NOT_BASE64 = {code: " " for code in range(128) if chr(code) not in _BASE64}


def join_lines(text: str) -> tuple[str, list[int]] | None:
    """Remove invisible characters, line continuations and the quotes between adjacent string literals.

    Returns the joined text and the original position of each of its characters; None if nothing was removed.
    """
    positions: list[int] = []
    start = 0
    for joint, end in _find_joints(text):
        if joint >= start:
            positions += range(start, joint)
            start = end
    if not start:
        return None
    positions += range(start, len(text))
    return "".join([text[position] for position in positions]), positions


def _find_joints(text: str) -> list[tuple[int, int]]:
    """Find the start and the end of every joint; one may contain another."""
    starts = [] if text.isascii() else [index for index, char in enumerate(text) if char in INVISIBLE]
    position = 0
    for line in text.split("\n")[:-1]:
        newline = position + len(line)
        before = line[-_JOINT_CHARS_MAX:]
        quoted = before.removesuffix("\\").rstrip(" \t")
        if quoted.endswith(("'", '"')):
            starts.append(newline - len(before) + len(quoted) - 1)
        if before.endswith("\\"):
            starts.append(newline - 1)
        position = newline + 1
    joints = [(start, _skip_joint(text, start)) for start in sorted(starts)]
    return [(start, end) for start, end in joints if end > start]


def _skip_joint(text: str, index: int) -> int:
    """Return the position after a joint that starts at this position, or the position itself."""
    char = text[index]
    if char in INVISIBLE:
        return index + 1
    if char == "\\" and text[index + 1 : index + 2] == "\n":
        return _skip_blanks(text, index + 2)
    if char in _QUOTES:
        after = _skip_blanks(text, index + 1)
        after += text[after : after + 1] == "\\"
        if text[after : after + 1] == "\n":
            after = _skip_blanks(text, after + 1)
            if text[after : after + 1] == char:
                return after + 1
    return index


def _skip_blanks(text: str, index: int) -> int:
    while text[index : index + 1] in (" ", "\t"):
        index += 1
    return index


def decode_runs(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield the start, the end and the decoded text of each base64 run that decodes to printable text."""
    budget = ENCODED_CHARS_MAX
    position = 0
    # Letters beyond ASCII break no run here; such a run fails to decode.
    for run in text.translate(_NOT_BASE64).split():
        if len(run) < ENCODED_CHARS_MIN or len(run) > budget:
            continue
        budget -= len(run)
        start = text.index(run, position)
        position = start + len(run)
        if decoded := _decode_run(run):
            while text[position : position + 1] == "=":
                position += 1
            yield start, position, decoded


def _decode_run(run: str) -> str:
    """Decode a base64 run; returns an empty text if it is not base64 of printable text."""
    standard = run.replace("-", "+").replace("_", "/")
    try:
        data = a2b_base64(standard[: len(standard) // 4 * 4] + _pad_rest(standard[len(standard) // 4 * 4 :]))
    except (Error, ValueError):
        return ""
    decoded = data.decode("ascii", "replace")
    printable = sum(char.isprintable() or char in "\n\r\t" for char in decoded) - decoded.count("\ufffd")
    return decoded if printable >= _PRINTABLE_SHARE_MIN * len(decoded) else ""


def _pad_rest(ending: str) -> str:
    return f"{ending}==" if len(ending) > 1 else ""  # Excess padding is ignored.
