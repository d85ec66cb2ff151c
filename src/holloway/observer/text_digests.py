"""Text digests: hashes of word shingles and sentences, and extracted names, to recognise a text that comes again.

ASCII text, nearly all of it, is tokenized with character tables for speed; regular expressions do the same for the
rest.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import accumulate, compress
from operator import sub

from holloway.safety.prompt_injection import fold_characters
from holloway.text.plain_text import to_plain_text

SHINGLE_WORDS = 5
SHORT_CHARS = 3
"""Words up to this length are not content words."""
CONTENT_WORDS_MIN = 2
"""Minimum number of content words in a shingle; "in the root of the" identifies no text."""
STEM_CHARS = 6
DIGEST_NAME_CHARS_MIN = 5
DIGEST_READ_CHARS_MAX = 100_000
DIGESTS_CACHED_MAX = 8
STEM_CACHE_SIZE = 20_000

_SIGN = re.compile(r"[^\w\s\x00-\x7f]")
_WORD = re.compile(r"[\w']+")
_TOKEN = re.compile(rf"[a-z0-9_][\w.+-]{{{DIGEST_NAME_CHARS_MIN - 2},}}\w")
_INSTALLERS = "pip pip3 npm pnpm yarn cargo gem brew apt apt-get uv go composer conda npx uvx bunx docker".split()
_INSTALL_COMMAND = re.compile(
    rf"\b(?:{'|'.join(_INSTALLERS)})\s(?:(?:install|add|i|get|pull|run|dlx|-\S+)\s)*([@\w][\w@./:-]+)"
)
_STOP_WORDS = frozenset(
    "about after again all also although always among and another any are because been before being between both but "
    "can cannot could did does doing done each either else even ever every few first for from get gets give given goes "
    "going had has have having here how however into its just let like look looks made make makes many may might more "
    "most much must need needs never next not now off only onto other others our out over own same see should since "
    "some still such take than that the their them then there these they thing this those through thus too under until "
    "upon use used uses using very via was way well were what when where which while who why will with within without "
    "would yes yet you your actually wait file files code line lines test tests function change changes issue error "
    "user want wants check add added update updated work works working new".split()
)


def _build_char_table(kept_chars: str) -> dict[int, str]:
    """Build a translation table that keeps lower-case word characters and these; all others become spaces."""
    letters = "abcdefghijklmnopqrstuvwxyz0123456789_" + kept_chars
    return {code: char if (char := chr(code)) in letters else " " for code in range(128)}


_WORD_CHARS = _build_char_table("'")
_TOKEN_CHARS = _build_char_table(".+-")
_PART_CHARS = _build_char_table("")


# Cached, because shingles and names of the same text are requested several times in a row.
@lru_cache(maxsize=DIGESTS_CACHED_MAX)
def fold_text(text: str) -> str:
    """Normalise a text for comparison: plain text, in which arrows, dashes and other signs become word separators."""
    plain = fold_characters(to_plain_text(text[:DIGEST_READ_CHARS_MAX]))
    return plain if plain.isascii() else _SIGN.sub("\0", plain)


def _split_words(text: str) -> list[str]:
    """Split a folded text into words; a quote sign belongs to a word only inside of it."""
    words = text.translate(_WORD_CHARS).split() if text.isascii() else _WORD.findall(text)
    return [word.strip("'") for word in words] if "'" in text else words


@lru_cache(maxsize=DIGESTS_CACHED_MAX)
def hash_shingles(text: str) -> tuple[int, ...]:
    """Return the hashes of a folded text's shingles (runs of five words) that have enough content words."""
    words = _split_words(text)
    runs = zip(*(words[at:] for at in range(SHINGLE_WORDS)), strict=False)
    content_counts = list(accumulate(map(SHORT_CHARS.__lt__, map(len, words)), initial=0))
    has_content = map(CONTENT_WORDS_MIN.__le__, map(sub, content_counts[SHINGLE_WORDS:], content_counts))
    return tuple(compress(map(hash, runs), has_content))


@lru_cache(maxsize=DIGESTS_CACHED_MAX)
def extract_names(text: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the possible names in a folded text (hosts, identifiers, longer words), and the packages it installs."""
    return tuple(dict.fromkeys(_extract_tokens(text))), tuple(_extract_packages(text))


def extract_short_tokens(text: str) -> frozenset[str]:
    """Return the tokens in a folded text that are too short for a name, except where one is installed."""
    tokens = text.translate(_TOKEN_CHARS).split() if text.isascii() else re.findall(r"[\w.+-]+", text)
    return frozenset(
        token for token in (token.strip(".+-") for token in tokens) if 1 < len(token) < DIGEST_NAME_CHARS_MIN
    )


def _extract_tokens(text: str) -> list[str]:
    if not text.isascii():
        return _TOKEN.findall(text)
    different = dict.fromkeys(text.translate(_TOKEN_CHARS).split())
    stripped = [token.strip(".+-") for token in different if len(token) >= DIGEST_NAME_CHARS_MIN]
    return [token for token in stripped if len(token) >= DIGEST_NAME_CHARS_MIN]


def _extract_packages(text: str) -> list[str]:
    if text.isascii() and _INSTALLER_WORDS.isdisjoint(text.translate(_PART_CHARS).split()):
        return []
    return [package.rstrip(".-:/") for package in _INSTALL_COMMAND.findall(text)]


_INSTALLER_WORDS = frozenset(name.split("-")[0] for name in _INSTALLERS)


def hash_stems(sentence: str) -> tuple[int, ...]:
    """Return the hashes of the stems of a folded sentence's content words, each once."""
    words = _split_words(sentence)
    return tuple(dict.fromkeys(filter(None, map(_hash_stem, words))))


@lru_cache(maxsize=STEM_CACHE_SIZE)
def _hash_stem(word: str) -> int:
    """Return the hash of a word's stem, or 0 for a stop word."""
    return hash(word[:STEM_CHARS]) if len(word) > SHORT_CHARS and word not in _STOP_WORDS else 0
