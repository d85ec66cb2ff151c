"""What tells a secret from a placeholder, a word or an expression."""

from __future__ import annotations

from math import log2

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from holloway.safety.rules.rule import Rule

PASSWORD_CHARS_MIN = 6
KEY_CHARS_MIN = 10
_RUN_MIN = 4
_FILLER_SHARE_MAX = 0.4
_NAME_CHARS_MAX = 40

_PLACEHOLDERS = tuple(
    "example placeholder redacted changeme change_me change-me replace_me replaceme replace-me your_ your- yourtoken "
    "yourkey yourpass youraccess insert_ dummy not_real notreal my_secret my-secret mysecret **** ####".split()
)
_TEMPLATES = ("${", "$(", "{{", "}}", "%(", "<%", "#{", "...", "[REDACTED")
_TECHNICAL = tuple(
    "sha256 sha512 sha224 sha384 base64 base62 base58 base32 utf16 oauth2 oauth1 ed25519 x25519 curve25519 secp256k1 "
    "secp256r1 rs256 hs256 es256 aes128 aes192 aes256 pbkdf2 argon2 chacha20 poly1305 pkcs12 uint8 uint16 uint32 uint64 "
    "int16 int32 int64 float32 float64 latin1 iso8859 python2 python3 amd64 arm64 win32 slf4j neo4j log4j".split()
)
_COMMON = frozenset(
    "pass password passwd passphrase pw pwd passwort secret token key apikey user username name test testing tests foo "
    "bar baz qux value val arg args param str string field input data text line item abc abcd xyz xxx demo temp tmp "
    "group section part step level mode type node version page bytes none null true false undefined self this new old".split()
)
# Values that a site hands to everybody who looks at it.
_PUBLIC_NAMES = ("csrf", "xsrf", "public", "pub_", "pub-", "continuation", "nextpage", "next_page", "page_")
_NAME = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-"
_SYMBOLS = frozenset("!@#$%^&*~")
_CUTS = b",;&<>(){}[]|\\`"


def accepted(rule: Rule, data: bytes, begin: int, start: int, end: int) -> int:
    """Where the secret at start ends, or 0 if what the rule's pattern found there is none."""
    if rule.judged == "shape":
        end = end if _random(data[start:end].decode("ascii")) else 0
    elif rule.judged:
        end = 0 if _public(data, begin) else _assigned_end(data, begin, start, end, rule.judged == "key")
    value = data[start:end].decode("ascii")
    return 0 if not value or placeholder(value) or entropy(value) < rule.entropy else end


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


def _public(data: bytes, begin: int) -> bool:
    start = begin
    while start > max(0, begin - _NAME_CHARS_MAX) and data[start - 1] in _NAME:
        start -= 1
    name = data[start:begin].decode("ascii").lower()
    return any(word in name for word in _PUBLIC_NAMES)


def _assigned_end(data: bytes, begin: int, start: int, end: int, key: bool) -> int:
    """The end of an assigned value if it reads like a password (or like a random key), else 0."""
    if data[start - 1] in b"\"'`":
        value = data[start:end].decode("ascii")
        return end if _random(value) or (not key and _password(value)) else 0
    cut = next((at for at in range(start, end) if data[at] in _CUTS), end)
    follower = data[cut : cut + 1]
    value = data[start:cut].decode("ascii").rstrip(".:?")
    spaced = data[start - 1 : start].isspace() and b"=" in data[begin:start]
    if follower in (b"(", b"[", b"{"):
        return 0
    weak = not key and not spaced and follower not in (b",", b")") and _password(value)
    return start + len(value) if weak or _random(value) else 0


def _random(value: str) -> bool:
    """Whether a value reads like something a machine made up."""
    return len(value) >= KEY_CHARS_MIN and not _address(value) and not all(map(_wordlike, _parts(value)))


def _password(value: str) -> bool:
    """Whether a value reads like something a person made up to be secret."""
    if len(value) < PASSWORD_CHARS_MIN or _address(value) or value[0] == "$":
        return False
    digits, letters = any(map(str.isdigit, value)), any(map(str.isalpha, value))
    if value.isalnum():
        return digits and letters and value.rstrip("0123456789").lower() not in _COMMON
    if _SYMBOLS.isdisjoint(value):
        return digits and not all(map(_wordlike, _parts(value)))
    mixed = any(map(str.islower, value)) and any(map(str.isupper, value))
    return letters and (mixed or (digits and "@" not in value))


def _address(value: str) -> bool:
    return "://" in value or value[0] in "/.~" or value[1:3] == ":\\"


def _parts(value: str) -> Iterator[str]:
    lower = value.lower()
    if any(word in lower for word in _TECHNICAL):
        for word in _TECHNICAL:
            lower = lower.replace(word, " ")
        value = lower
    start = 0
    for at, char in enumerate(value + " "):
        if not char.isalnum():
            if at > start:
                yield value[start:at]
            start = at + 1


def _wordlike(part: str) -> bool:
    """Whether a run of letters and digits could be a word, a number or a name with a number at its end."""
    pairs = list(zip(part, part[1:], strict=False))
    if part.isalpha():
        return sum(a.islower() and b.isupper() for a, b in pairs) <= len(part) / 5
    if part.isdigit():
        return True
    return sum(a.isdigit() != b.isdigit() for a, b in pairs) <= 1 and len(part.rstrip("0123456789")) <= 12
