"""What tells a secret from a placeholder, a word or an expression."""

from __future__ import annotations

from itertools import pairwise
from math import log2

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from holloway.safety.rules.rule import Rule

PASSWORD_CHARS_MIN = 6
KEY_CHARS_MIN = 10
_RUN_MIN = 4
_FILLER_SHARE_MAX = 0.6
_NAME_CHARS_MAX = 40
_WORD_CHARS_MAX = 12

_PLACEHOLDERS = tuple(
    "example placeholder redacted changeme change_me change-me replace_me replaceme replace-me your_ your- yourtoken "
    "yourkey yourpass youraccess insert_ dummy not_real notreal my_secret my-secret mysecret **** ####".split()
)
_TEMPLATES = ("${", "$(", "{{", "}}", "%(", "<%", "#{", "...", "[REDACTED")
_TECHNICAL = tuple(
    "sha256 sha512 sha224 sha384 base64 base62 base58 base32 utf16 oauth2 oauth1 ed25519 x25519 curve25519 secp256k1 "
    "secp256r1 rs256 hs256 es256 aes128 aes192 aes256 pbkdf2 argon2 chacha20 poly1305 pkcs12 uint8 uint16 uint32 "
    "uint64 int16 int32 int64 float32 float64 latin1 iso8859 python2 python3 amd64 arm64 win32 slf4j neo4j log4j "
    "asn1".split()
)
_COMMON = frozenset(
    "pass password passwd passphrase pw pwd passwort secret token key apikey user username name test testing tests foo "
    "bar baz qux value val arg args param str string field input data text line item abc abcd xyz xxx demo temp tmp "
    "group section part step level mode type node version page bytes none null true false undefined self this new "
    "old".split()
)
# Values that a site hands to everybody who looks at it.
_PUBLIC_NAMES = ("csrf", "xsrf", "public", "pub_", "pub-", "continuation", "nextpage", "next_page", "page_")
_QUOTES = "\"'`"
_CUTS = frozenset(",;&<>(){}[]|\\`")
_SYMBOLS = frozenset("!@#$%^&*~")
_DIGITS = frozenset("0123456789")
_TELLING = _SYMBOLS | _DIGITS
_VOWELS = frozenset("aeiouAEIOU")
_VOWEL_SHARE_MIN = 0.25


def accepted(rule: Rule, text: str, begin: int, start: int, end: int) -> int:
    """Where the secret at start ends, or 0 if what the rule's pattern found there is none."""
    assigned = rule.judged in ("key", "password")
    value = text[start:end]
    if rule.judged == "shape":
        end = end if _random(value) else 0
    elif rule.judged == "address":
        end = end if _unusual(value) else 0
    elif assigned:
        end = 0 if _public(text, begin) else _assigned_end(text, begin, start, end, rule.judged == "key")
    value = text[start:end]
    if not value or placeholder(value) or entropy(value) < rule.entropy:
        return 0
    return _whole(text, end) if assigned else end


def entropy(value: str) -> float:
    """Shannon entropy in bits per character."""
    size = len(value)
    shares = [value.count(char) / size for char in set(value)]
    return -sum(share * log2(share) for share in shares)


def placeholder(value: str) -> bool:
    """Whether a value is a template, an example or filler such as `xxxx` and `12345678`."""
    lower = value.lower()
    return (
        any(word in lower for word in _PLACEHOLDERS)
        or any(part in value for part in _TEMPLATES)
        or filler(value) >= _FILLER_SHARE_MAX
    )


def filler(value: str) -> float:
    """The share of a value that lies in runs of one character or of consecutive ones."""
    inside = start = 0
    step = None
    for at in range(1, len(value) + 1):
        now = ord(value[at]) - ord(value[at - 1]) if at < len(value) else None
        if now == step and now in (0, 1, -1):
            continue
        if step in (0, 1, -1) and at - start >= _RUN_MIN:
            inside += at - start
        start, step = at - 1, now
    return inside / len(value) if value else 0.0


def _public(text: str, begin: int) -> bool:
    start = begin
    while start > max(0, begin - _NAME_CHARS_MAX) and (text[start - 1].isalnum() or text[start - 1] in "_.-"):
        start -= 1
    name = text[start:begin].lower()
    return any(word in name for word in _PUBLIC_NAMES)


def _assigned_end(text: str, begin: int, start: int, end: int, key: bool) -> int:
    """The end of an assigned value if it reads like a password (or like a random key), else 0."""
    if _plain(text[start:end]):
        return 0
    if text[start - 1] in _QUOTES:
        value = text[start:end].rstrip("\\")
        return start + len(value) if _random(value) or (not key and _password(value)) else 0
    cut = next((at for at in range(start, end) if text[at] in _CUTS), end)
    follower = text[cut : cut + 1]
    value = text[start:cut].rstrip(".:?")
    if not value or follower in ("(", "[", "{"):
        return 0
    code = follower in (",", ")") or (text[start - 1].isspace() and "=" in text[begin:start])
    found = _random(value) or (not key and not code and _password(value))
    return start + len(value) if found else 0


def _plain(value: str) -> bool:
    """Whether a value has letters of one case and nothing that a password would have."""
    return _TELLING.isdisjoint(value) and (value.islower() or value.isupper())


def _whole(text: str, end: int) -> int:
    """The end of a value that may go on where its pattern's limit on length cut it."""
    while end < len(text) and (text[end].isalnum() or text[end] in "_+/=-"):
        end += 1
    return end


def _random(value: str) -> bool:
    """Whether a value reads like something a machine made up."""
    return len(value) >= KEY_CHARS_MIN and not _address(value) and not all(map(_wordlike, _parts(value)))


def _unusual(value: str) -> bool:
    """Whether the password in an address is more than a word that stands for one."""
    words = {part.rstrip("0123456789").lower() for part in _parts(value)}
    return value[0] not in "$<{%*" and not words <= _COMMON and not value.isupper()


def _password(value: str) -> bool:
    """Whether a value reads like something a person made up to be secret."""
    if len(value) < PASSWORD_CHARS_MIN or _address(value) or value[0] == "$":
        return False
    digits, letters = not _DIGITS.isdisjoint(value), any(map(str.isalpha, value))
    if value.isalnum():
        return digits and letters and value.rstrip("0123456789").lower() not in _COMMON
    if _SYMBOLS.isdisjoint(value):
        return digits and not all(map(_wordlike, _parts(value)))
    mixed = any(map(str.islower, value)) and any(map(str.isupper, value))
    return letters and (mixed or (digits and not ("@" in value and "." in value)))


def _address(value: str) -> bool:
    return "://" in value or value[0] in "/.~" or value[1:3] == ":\\"


def _parts(value: str) -> Iterator[str]:
    lower = value.lower()
    for word in _TECHNICAL:
        if word in lower:
            at = lower.index(word)
            value = f"{value[:at]} {value[at + len(word) :]}"
            lower = value.lower()
    start = 0
    for at, char in enumerate(value + " "):
        if not char.isalnum():
            if at > start:
                yield value[start:at]
            start = at + 1


def _wordlike(part: str) -> bool:
    """Whether a run of letters and digits could be a word, a number or a name with a number at its end."""
    pairs = list(pairwise(part))
    if part.isalpha():
        humps = sum(a.islower() and b.isupper() for a, b in pairs)
        return humps <= len(part) / 5 or sum(map(_VOWELS.__contains__, part)) >= len(part) * _VOWEL_SHARE_MIN
    if part.isdigit():
        return True
    return sum(a.isdigit() != b.isdigit() for a, b in pairs) <= 1 and len(part.rstrip("0123456789")) <= _WORD_CHARS_MAX
