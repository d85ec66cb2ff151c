"""Sketches: a few digests of each sentence of a text, by which a later quote of it is recognised but nothing is read.

A digest is the hash of a shingle, five words in a row. Of each sentence the smallest digests are kept, so that a
quote of the sentence repeats all of them. The hook process may import this module: it loads nothing but `re`.
"""

from __future__ import annotations

import re

from holloway.text.plain_text import to_plain_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container

SKETCH_SHINGLE_WORDS = 5
SKETCH_DIGESTS = 3
"""Digests that are kept of a sentence of text that is recorded, too."""
SKETCH_DIGESTS_ALONE = 12
"""Digests that are kept of a sentence of which nothing else is recorded: they find a part of it, too."""
SKETCH_CONTENT_WORDS_MIN = 4
"""Minimum number of words of more than three letters in a sentence that is worth recognising."""
SKETCH_HITS_MIN = 2
"""Digests that a sentence must share with a sketch to count as a quote."""
SKETCH_READ_CHARS_MAX = 128 * 1024
"""Length of a text that is read, half of it at its beginning and half at its end."""

_WORD = re.compile(r"[^\W_][\w']*")
_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n\s*\n|\n(?=\s*(?:[-*#>|]|\d+[.)]))")
_LINE_WORDS_MAX = 60
"""A longer sentence is a table, a log or code: each of its lines is compared alone."""
_TOKEN = re.compile(r"[a-z0-9_][\w.+-]{3,80}")
_ODD_NAME = re.compile(r"[a-z].*[\d._]|\d.*[a-z]|-.*-")
_NUMBER = re.compile(r"v?\d[\d.,]*[a-z]{0,2}|[0-9a-f-]{6,}")
"""Versions, durations, commit hashes and other digests are not names."""


def sketch_text(text: str, limit: int, per_sentence: int = SKETCH_DIGESTS) -> list[int]:
    """Return the sketch of a text: the smallest digests of each of its sentences, up to a number of digests.

    Of a text with many sentences fewer of each are kept, so that its end is recognised like its beginning. A sentence
    that is repeated counts once.
    """
    different = dict.fromkeys(sentence.strip() for sentence in _split_plain(text))
    sentences = [digests for sentence in different if (digests := digest_sentence(sentence))]
    share = max(SKETCH_HITS_MIN, min(per_sentence, limit // max(1, len(sentences))))
    return list(dict.fromkeys(digest for digests in sentences for digest in sorted(set(digests))[:share]))[:limit]


def sketch_names(text: str, limit: int) -> list[int]:
    """Return the digests of names in a text that no word looks like: hosts, identifiers, packages."""
    tokens = (token.strip(".+-") for token in _TOKEN.findall(to_plain_text(_cut_middle(text)).lower()))
    return [digest_name(name) for name in list(dict.fromkeys(filter(is_odd_name, tokens)))[:limit]]


def is_odd_name(name: str) -> bool:
    """Whether a token is no word by its form: it has a digit, a dot, an underscore or two hyphens, and is no number."""
    return bool(_ODD_NAME.search(name)) and not is_number(name)


def is_number(token: str) -> bool:
    """Whether a token is a version, a duration, a commit hash or another digest."""
    return _NUMBER.fullmatch(token) is not None


def digest_sentence(sentence: str) -> list[int]:
    """Return the digests of all shingles of a sentence; none if it has too few content words."""
    from _blake2 import blake2b  # the module behind hashlib, which would load much more

    words = _WORD.findall(to_plain_text(sentence).lower())
    if sum(len(word) > 3 for word in words) < SKETCH_CONTENT_WORDS_MIN:
        return []
    runs = (words[at : at + SKETCH_SHINGLE_WORDS] for at in range(max(1, len(words) - SKETCH_SHINGLE_WORDS + 1)))
    encoded = (" ".join(run).encode("utf-8", "replace") for run in runs)
    return [int.from_bytes(blake2b(run, digest_size=8).digest(), "big") >> 1 for run in encoded]


def digest_name(name: str) -> int:
    """Return the digest of a name, which no shingle has."""
    from _blake2 import blake2b

    return int.from_bytes(blake2b(name.encode("utf-8", "replace"), digest_size=8, person=b"name").digest(), "big") >> 1


def is_sketched(sentence: str, digests: Container[int]) -> bool:
    """Whether a sentence quotes a text whose sketch has these digests."""
    return sum(digest in digests for digest in set(digest_sentence(sentence))) >= SKETCH_HITS_MIN


def split_sentences(text: str) -> list[str]:
    """Split a text into sentences; a line break ends one only before a list item or an empty line."""
    return [line for sentence in _SENTENCE.split(text) for line in _split_long(sentence) if line.strip()]


def _split_long(sentence: str) -> list[str]:
    return sentence.splitlines() if sentence.count(" ") > _LINE_WORDS_MAX else [sentence]


def _split_plain(text: str) -> list[str]:
    return split_sentences(to_plain_text(_cut_middle(text)))


def _cut_middle(text: str) -> str:
    half = SKETCH_READ_CHARS_MAX // 2
    return text if len(text) <= SKETCH_READ_CHARS_MAX else f"{text[:half]}\n\n{text[-half:]}"
