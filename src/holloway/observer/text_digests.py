"""Text digests: hashes of word shingles and sentences, and extracted names, to recognise a text that comes again.

ASCII text, nearly all of it, is tokenized with character tables for speed; regular expressions do the same for the
rest.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import accumulate, compress
from operator import sub

from holloway.safety.prompt_injection import fold

SHINGLE_WORDS = 5
SHORT_CHARS = 3
"""Words up to this length are not content words."""
CONTENT_WORDS_MIN = 2
"""Minimum number of content words in a shingle; "in the root of the" identifies no text."""
STEM_CHARS = 6
NAME_CHARS_MIN = 5
READ_CHARS_MAX = 100_000
ASKED_AGAIN = 8
STEMS_KEPT = 20_000

_SIGN = re.compile(r"[^\w\s\x00-\x7f]")
_WORD = re.compile(r"[\w']+")
_SENTENCE = re.compile(r"(?<=[.!?;])\s+|\n+")
_STOPS = ".!?;"
_TOKEN = re.compile(rf"[a-z0-9_][\w.+-]{{{NAME_CHARS_MIN - 2},}}\w")
_TAKERS = "pip pip3 npm pnpm yarn cargo gem brew apt apt-get uv go composer conda npx uvx bunx docker".split()
_TAKEN = re.compile(rf"\b(?:{'|'.join(_TAKERS)})\s(?:(?:install|add|i|get|pull|run|dlx|-\S+)\s)*([@\w][\w@./:-]{{3,}})")
_STOP = frozenset(
    "about after again all also although always among and another any are because been before being between both but "
    "can cannot could did does doing done each either else even ever every few first for from get gets give given goes "
    "going had has have having here how however into its just let like look looks made make makes many may might more "
    "most much must need needs never next not now off only onto other others our out over own same see should since "
    "some still such take than that the their them then there these they thing this those through thus too under until "
    "upon use used uses using very via was way well were what when where which while who why will with within without "
    "would yes yet you your actually wait file files code line lines test tests function change changes issue error "
    "user want wants check add added update updated work works working new".split()
)


def _only(kept: str, instead: str = " ") -> dict[int, str]:
    """Build a translation table that keeps lower-case word characters and these; all others are replaced."""
    letters = "abcdefghijklmnopqrstuvwxyz0123456789_" + kept
    return {code: char if (char := chr(code)) in letters else " " if char.isspace() else instead for code in range(128)}


_WORDS_ONLY = _only("'")
_SENTENCES_ONLY = _only(f"'\n{_STOPS}", "\0")
_NO_STOPS = str.maketrans(dict.fromkeys(f"\0{_STOPS}", " "))
_TOKENS_ONLY = _only(".+-")
_PARTS_ONLY = _only("")


# Cached, because shingles and names of the same text are requested several times in a row.
@lru_cache(maxsize=ASKED_AGAIN)
def folded(text: str) -> str:
    """Normalise a text for comparison: arrows, dashes and other non-ASCII signs become word separators."""
    plain = fold(text[:READ_CHARS_MAX])
    return plain if plain.isascii() else _SIGN.sub("\0", plain)


@lru_cache(maxsize=ASKED_AGAIN)
def shingles(text: str) -> tuple[int, ...]:
    """Return the hashes of a folded text's shingles (runs of five words) that have enough content words."""
    words = text.translate(_WORDS_ONLY).split() if text.isascii() else _WORD.findall(text)
    runs = zip(*(words[at:] for at in range(SHINGLE_WORDS)), strict=False)
    content_counts = list(accumulate(map(SHORT_CHARS.__lt__, map(len, words)), initial=0))
    has_content = map(CONTENT_WORDS_MIN.__le__, map(sub, content_counts[SHINGLE_WORDS:], content_counts))
    return tuple(compress(map(hash, runs), has_content))


@lru_cache(maxsize=ASKED_AGAIN)
def names(text: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the possible names in a folded text (hosts, identifiers, longer words), and the packages it installs."""
    return tuple(dict.fromkeys(_tokens(text))), tuple(_taken(text))


def _tokens(text: str) -> list[str]:
    if not text.isascii():
        return _TOKEN.findall(text)
    different = dict.fromkeys(text.translate(_TOKENS_ONLY).split())
    stripped = [token.strip(".+-") for token in different if len(token) >= NAME_CHARS_MIN]
    return [token for token in stripped if len(token) >= NAME_CHARS_MIN]


def _taken(text: str) -> list[str]:
    if text.isascii() and _TAKER_PARTS.isdisjoint(text.translate(_PARTS_ONLY).split()):
        return []
    return [package.rstrip(".-:/") for package in _TAKEN.findall(text)]


_TAKER_PARTS = frozenset(name.split("-")[0] for name in _TAKERS)


def sentences(text: str) -> list[list[int]]:
    """Return the sentences of a folded text, each as hashes of the stems of its content words."""
    if text.isascii():
        text = text.translate(_SENTENCES_ONLY)
        for stop in _STOPS:
            text = text.replace(f"{stop} ", "\n")
        sentence_words = [sentence.split() for sentence in text.translate(_NO_STOPS).split("\n")]
    else:
        sentence_words = [_WORD.findall(sentence) for sentence in _SENTENCE.split(text)]
    return [list(dict.fromkeys(filter(None, map(_stem, words)))) for words in sentence_words]


@lru_cache(maxsize=STEMS_KEPT)
def _stem(word: str) -> int:
    """Return the hash of a word's stem, or 0 for a stop word."""
    return hash(word[:STEM_CHARS]) if len(word) > SHORT_CHARS and word not in _STOP else 0
