"""Checks of a matched value: is it a secret, or a placeholder, a word or an expression."""

from __future__ import annotations

from itertools import pairwise
from math import log2

from holloway.data import load_table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

PASSWORD_CHARS_MIN = 6
KEY_CHARS_MIN = 10
_RUN_CHARS_MIN = 4
_FILLER_SHARE_MAX = 0.6
_FILLER_STEPS = (0, 1, -1)
"""Distances between the characters of a run of filler: the same, the next or the one before."""
_ALPHABET_KEY_CHARS_MIN = 40
"""From this length on a key of the alphabet is a key: that of GitHub tokens; shorter ones are examples in documents."""
_NAME_CHARS_MAX = 40
_WORD_CHARS_MAX = 12
_VOWEL_SHARE_MIN = 0.25
_ACRONYM_CHARS_MAX = 4
_CAMEL_WORD_CHARS_MIN = 3
_CAMEL_VOWEL_SHARE_MIN = 0.2
_CAMEL_SHARE_MIN = 0.75

_WORDS: dict[str, list[str]] = load_table("secret_values")
_COMMON_WORDS = frozenset(_WORDS["common_words"])
_QUOTES = ('"', "'", "`")
_ASSIGNED_CHECKS = frozenset({"key", "password"})
_VALUE_ENDS = frozenset(",;&<>(){}[]|\\`")
_SYMBOLS = frozenset("!@#$%^&*~")
_DIGITS = frozenset("0123456789")
_PASSWORD_SIGNS = _SYMBOLS | _DIGITS
_VOWELS = frozenset("aeiouAEIOU")


def find_secret(check: str, entropy_min: float, text: str, match_start: int, start: int, end: int) -> str:
    """Return the secret that begins at `start`, or an empty string if the match is no secret.

    `check` is the `value_check` of the rule that matched, `entropy_min` its minimum in bits per character.
    """
    value = _read_value(check, text, match_start, start, end)
    # A long key of a vendor's shape is one, even if it is made of the alphabet.
    steps = (0,) if not check and len(value) >= _ALPHABET_KEY_CHARS_MIN else _FILLER_STEPS
    if not value or is_placeholder(value, steps) or measure_entropy(value) < entropy_min:
        return ""
    return value + _read_rest(text, start + len(value)) if check in _ASSIGNED_CHECKS else value


def _read_value(check: str, text: str, match_start: int, start: int, end: int) -> str:
    """Return the part of a match that passes the check of its rule, or an empty string."""
    value = text[start:end]
    match check:
        case "shape":
            return value if _is_random(value) else ""
        case "address":
            return value if _is_unusual(value) else ""
        case "argument":
            return _admit_password(value)
        case "prose":
            return _admit_password(_cut_word(value))
        case "strong":
            word = _admit_password(_cut_word(value))
            return word if _is_strong(word) else ""
        case "key" | "password":
            is_public = _is_public(text, match_start)
            return "" if is_public else _read_assigned_value(text, match_start, start, end, is_key=check == "key")
    return value


def measure_entropy(value: str) -> float:
    """Measure the Shannon entropy in bits per character."""
    size = len(value)
    shares = [value.count(char) / size for char in set(value)]
    return -sum(share * log2(share) for share in shares)


def is_placeholder(value: str, steps: tuple[int, ...] = _FILLER_STEPS) -> bool:
    """Whether a value is a template, an example or filler such as `xxxx` and `12345678`."""
    lower = value.lower()
    return (
        any(word in lower for word in _WORDS["placeholders"])
        or any(sign in value for sign in _WORDS["template_signs"])
        or measure_filler(value, steps) >= _FILLER_SHARE_MAX
    )


def measure_filler(value: str, steps: tuple[int, ...] = _FILLER_STEPS) -> float:
    """Measure the share of a value that consists of runs of one character (step 0) or of consecutive ones."""
    filler_chars = start = 0
    step = None
    next_steps = [*(ord(after) - ord(before) for before, after in pairwise(value)), None]
    for index, next_step in enumerate(next_steps, 1):
        if next_step == step and next_step in steps:
            continue
        if step in steps and index - start >= _RUN_CHARS_MIN:
            filler_chars += index - start
        start, step = index - 1, next_step
    return filler_chars / len(value) if value else 0.0


def _is_public(text: str, name_end: int) -> bool:
    """Whether the name before a value is one that a site gives to every visitor."""
    start = name_end
    while start > max(0, name_end - _NAME_CHARS_MAX) and (text[start - 1].isalnum() or text[start - 1] in "_.-"):
        start -= 1
    name = text[start:name_end].lower()
    return any(public_name in name for public_name in _WORDS["public_names"])


def _read_assigned_value(text: str, match_start: int, start: int, end: int, *, is_key: bool) -> str:
    """Return an assigned value if it reads like a password (or like a random key), otherwise an empty string."""
    before = text[match_start:start]
    if before.endswith(_QUOTES):
        value = text[start:end].rstrip("\\")
        return value if _is_random(value) or (not is_key and _is_password(value)) else ""
    cut = next((index for index in range(start, end) if text[index] in _VALUE_ENDS), end)
    value = text[start:cut].rstrip(".:?")
    if text.startswith(("(", "[", "{"), cut):
        return ""
    is_code = text.startswith((",", ")"), cut) or ("=" in before and before != before.rstrip())
    is_secret = _is_random(value) or (not is_key and not is_code and _is_password(value))
    return value if is_secret else ""


def _cut_word(value: str) -> str:
    """Cut a word of prose at its end and at the first character beyond ASCII; empty for a call or an assignment."""
    ascii_length = next((index for index, char in enumerate(value) if not char.isascii()), len(value))
    word = value[:ascii_length].rstrip(".,:;?)")
    return "" if "(" in word or "=" in word.rstrip("=") else word


def _admit_password(value: str) -> str:
    """Return a value that reads like a password, otherwise an empty string."""
    return value if _is_random(value) or _is_password(value) else ""


def _read_rest(text: str, start: int) -> str:
    """Return the characters after a value that its pattern's limit on length may have cut off."""
    end = next((index for index in range(start, len(text)) if not _continues_value(text[index])), len(text))
    return text[start:end]


def _continues_value(char: str) -> bool:
    return char.isalnum() or char in "_+/=-"


def _is_random(value: str) -> bool:
    """Whether a value reads like something a machine generated."""
    return len(value) >= KEY_CHARS_MIN and not _is_address(value) and not all(map(_is_wordlike, _split_parts(value)))


def _is_unusual(value: str) -> bool:
    """Whether the password in an address is more than a word that stands for one."""
    words = {part.rstrip("0123456789").lower() for part in _split_parts(value)}
    return value[0] not in "$<{%*" and not words <= _COMMON_WORDS and not value.isupper()


def _is_password(value: str) -> bool:
    """Whether a value reads like something a person chose as a secret."""
    if len(value) < PASSWORD_CHARS_MIN or _is_address(value) or value[0] == "$":
        return False
    has_digits, has_letters = not _DIGITS.isdisjoint(value), any(map(str.isalpha, value))
    if value.isalnum():
        if not has_digits:
            return len(value) >= KEY_CHARS_MIN and value.isascii() and not _is_camel_case(value)
        return has_letters and value.rstrip("0123456789").lower() not in _COMMON_WORDS
    if _SYMBOLS.isdisjoint(value):
        return has_digits and not all(map(_is_wordlike, _split_parts(value)))
    is_mixed = any(map(str.islower, value)) and any(map(str.isupper, value))
    return has_letters and (is_mixed or (has_digits and not ("@" in value and "." in value)))


def _is_camel_case(value: str) -> bool:
    """Whether most letters of a value belong to pronounceable words, as in a name written in camel case."""
    if value.islower() or value.isupper():
        return True
    word_chars = 0
    starts = (index for index in range(1, len(value)) if _starts_word(value, index))
    for start, end in pairwise([0, *starts, len(value)]):
        word = value[start:end]
        vowels = sum(map(_VOWELS.__contains__, word))
        is_acronym = word.isupper() and 2 <= len(word) <= _ACRONYM_CHARS_MAX
        is_word = len(word) >= _CAMEL_WORD_CHARS_MIN and vowels >= len(word) * _CAMEL_VOWEL_SHARE_MIN
        word_chars += len(word) if is_acronym or is_word else 0
    return word_chars >= _CAMEL_SHARE_MIN * len(value)


def _starts_word(value: str, index: int) -> bool:
    """Whether a new word of a camel-case name starts here: `Name` in `userName`, and in `HTMLName`."""
    if not value[index].isupper():
        return False
    return value[index - 1].islower() or value[index + 1 : index + 2].islower()


def _is_strong(value: str) -> bool:
    """Whether a value has small and capital letters and digits, and is no path."""
    has_digits = not _DIGITS.isdisjoint(value)
    return has_digits and any(map(str.islower, value)) and any(map(str.isupper, value)) and "/" not in value


def _is_address(value: str) -> bool:
    return "://" in value or value[0] in "/.~" or value[1:3] == ":\\"


def _split_parts(value: str) -> Iterator[str]:
    """Split a value into runs of letters and digits, without the names of formats and algorithms."""
    lower = value.lower()
    for word in _WORDS["technical_words"]:
        if word in lower:
            start = lower.index(word)
            value = f"{value[:start]} {value[start + len(word) :]}"
            lower = value.lower()
    start = 0
    for index, char in enumerate(value + " "):
        if not char.isalnum():
            if index > start:
                yield value[start:index]
            start = index + 1


def _is_wordlike(part: str) -> bool:
    """Whether a run of letters and digits could be a word, a number or a name with a number at its end."""
    pairs = list(pairwise(part))
    if part.isalpha():
        humps = sum(a.islower() and b.isupper() for a, b in pairs)
        return humps <= len(part) / 5 or sum(map(_VOWELS.__contains__, part)) >= len(part) * _VOWEL_SHARE_MIN
    changes = sum(a.isdigit() != b.isdigit() for a, b in pairs)
    return changes <= 1 and len(part.rstrip("0123456789")) <= _WORD_CHARS_MAX
