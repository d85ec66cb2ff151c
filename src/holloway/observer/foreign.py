"""The foreign texts of a session, remembered so that later words can be held against them. Nothing of them is kept
but digests, bounded in number.

Four things give words away: they quote (runs of five words), they echo tainted words of the agent, they name what the
session and the project know from nowhere else, or a sentence is made of the words of a foreign one.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from itertools import accumulate
from typing import TYPE_CHECKING, TypeVar

from holloway.safety.instructing import fold

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

Digest = TypeVar("Digest", int, str)

SHINGLE_WORDS = 5
SHARED_MIN = 2
ECHOED_MIN = 4
"""Of the agent's tainted words so many runs, eight words in a row: its turns of phrase come back in all it says."""
CONTENT_WORDS_MIN = 2
"""Of a run of words so many have four letters or more; "in the root of the" is nobody's."""
ALIKE_WORDS_MIN = 4
ALIKE_SHARE_MIN = 0.6
"""A sentence with so many, and this share, of its telling words in one foreign sentence says the same."""
COMMON_SENTENCES = 50
"""A word in more foreign sentences than this tells nothing."""
STEM_CHARS = 6
NAME_CHARS_MIN = 5
REMEMBERED_MAX = 100_000
"""Digests of each kind that are kept; past it everything counts as quoted."""
READ_CHARS_MAX = 100_000
ASKED_AGAIN = 8

_WORD = re.compile(r"[\w']+")
_SENTENCE = re.compile(r"(?<=[.!?;])\s+|\n+")
_TOKEN = re.compile(r"[a-z0-9_][\w.+-]*\w")
_ODD = re.compile(r"[a-z].*[\d._]|\d.*[a-z]|-.*-")
_NUMBER = re.compile(r"v?\d[\d.,]*[a-z]{0,2}|[0-9a-f-]{6,}")
"""Versions, durations, commits and other digests lead nowhere."""
_TAKEN = re.compile(
    r"\b(?:pip3?|npm|pnpm|yarn|cargo|gem|brew|apt|apt-get|uv|go|composer|conda|npx|uvx|bunx|docker)\s"
    r"(?:(?:install|add|i|get|pull|run|dlx|-\S+)\s)*([@\w][\w@./:-]{3,})"
)
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


class Foreign:
    """What came in from outside, by source, and what the session had said or seen before."""

    def __init__(self, known: Callable[[str], bool] | None) -> None:
        self._known = known
        self._shingles: dict[int, str] = {}
        self._echoes: dict[int, str] = {}
        self._names: dict[str, str] = {}
        self._sentences: list[str] = []
        self._within: dict[int, list[int]] = {}
        self._own_shingles: set[int] = set()
        self._own_names: set[str] = set()
        self._full = ""

    def remember(self, text: str, source: str) -> None:
        """Keep what a foreign text can be known by, except what the session said before it."""
        folded = _folded(text)
        self._keep(self._shingles, (each for each in _shingles(folded) if each not in self._own_shingles), source)
        self._keep(self._names, (each for each in _names(folded) if each not in self._own_names), source)
        for sentence in _SENTENCE.split(folded):
            self._keep_sentence(_telling(sentence), source)

    def remember_names(self, text: str, source: str) -> None:
        """Keep the names in a text that is neither foreign nor surely the project's; only a word list can tell them."""
        if self._known is not None:
            new = (each for each in _names(_folded(text)) if each not in self._own_names)
            self._keep(self._names, new, source)

    def echo(self, text: str, source: str) -> None:
        """Keep tainted words of the agent, which carry the source on."""
        new = (each for each in _shingles(_folded(text)) if each not in self._own_shingles)
        self._keep(self._echoes, new, source)

    def own(self, text: str) -> None:
        """What the session itself said, and is not foreign when it is read again."""
        folded = _folded(text)
        if len(self._own_shingles) < REMEMBERED_MAX:
            self._own_shingles.update(each for each in _shingles(folded) if each not in self._shingles)
        self._knows(folded)

    def seen(self, text: str) -> None:
        """What clean tools showed: what is named there is known from somewhere else."""
        self._knows(_folded(text))

    def absorb(self, other: Foreign) -> None:
        """Take over all that another one remembers."""
        for source in dict.fromkeys([*other._shingles.values(), *other._names.values()]):
            self._keep(self._shingles, (each for each, of in other._shingles.items() if of == source), source)
            self._keep(self._names, (each for each, of in other._names.items() if of == source), source)
        for number, source in enumerate(other._sentences):
            self._keep_sentence([word for word, within in other._within.items() if number in within], source)
        self._full = self._full or other._full

    def quotes(self, text: str) -> str:
        """The source that a text quotes, if any."""
        found = dict.fromkeys(_shingles(_folded(text)))
        for kept, least in ((self._shingles, SHARED_MIN), (self._echoes, ECHOED_MIN)):
            shared = [each for each in found if each in kept]
            if len(shared) >= min(least, len(found) or 1):
                return kept[shared[0]]
        return self._full

    def names(self, text: str) -> str:
        """The source of something that a text names and that is known from nowhere else, if any."""
        given = (name for name in _names(_folded(text)) if name in self._names and self._strange(name))
        return next((self._names[name] for name in given), "")

    def _strange(self, name: str) -> bool:
        """Whether a name is neither the project's nor a word; without a word list only its form can tell."""
        return bool(_ODD.search(name)) if self._known is None else not self._known(name)

    def resembles(self, text: str) -> str:
        """The source of a foreign sentence that a sentence of the text is made of, if any."""
        return next(filter(None, (self._alike(_telling(each)) for each in _SENTENCE.split(_folded(text)))), "")

    def _alike(self, words: list[int]) -> str:
        if len(words) < ALIKE_WORDS_MIN:
            return ""
        within = [self._within.get(word, ()) for word in words]
        counts = Counter(number for numbers in within if len(numbers) <= COMMON_SENTENCES for number in numbers)
        best, shared = max(counts.items(), key=lambda each: (each[1], -each[0]), default=(0, 0))
        return self._sentences[best] if shared >= max(ALIKE_WORDS_MIN, ALIKE_SHARE_MIN * len(words)) else ""

    def _knows(self, folded: str) -> None:
        if len(self._own_names) < REMEMBERED_MAX:
            self._own_names.update(each for each in _names(folded) if each not in self._names)

    def _keep_sentence(self, words: list[int], source: str) -> None:
        if len(words) < ALIKE_WORDS_MIN or self._filled(self._sentences, source):
            return
        for word in words:
            within = self._within.setdefault(word, [])
            if len(within) <= COMMON_SENTENCES:
                within.append(len(self._sentences))
        self._sentences.append(source)

    def _keep(self, kept: dict[Digest, str], new: Iterable[Digest], source: str) -> None:
        for each in new:
            if self._filled(kept, source):
                return
            kept.setdefault(each, source)

    def _filled(self, kept: dict[int, str] | dict[str, str] | list[str], source: str) -> bool:
        if len(kept) >= REMEMBERED_MAX:
            self._full = self._full or source
        return len(kept) >= REMEMBERED_MAX


# The same text is asked for its runs and names several times in a row.
@lru_cache(maxsize=ASKED_AGAIN)
def _folded(text: str) -> str:
    return fold(text[:READ_CHARS_MAX])


@lru_cache(maxsize=ASKED_AGAIN)
def _shingles(folded: str) -> tuple[int, ...]:
    words = _WORD.findall(folded)
    telling = [0, *accumulate(len(word) > 3 for word in words)]
    starts = range(len(words) - SHINGLE_WORDS + 1)
    chosen = (at for at in starts if telling[at + SHINGLE_WORDS] - telling[at] >= CONTENT_WORDS_MIN)
    return tuple(hash(tuple(words[at : at + SHINGLE_WORDS])) for at in chosen)


@lru_cache(maxsize=ASKED_AGAIN)
def _names(folded: str) -> tuple[str, ...]:
    """Hosts, packages, variables, identifiers, and words of some length, which may be names."""
    tokens = dict.fromkeys(token for token in _TOKEN.findall(folded) if len(token) >= NAME_CHARS_MIN)
    taken = (found.rstrip(".-:/") for found in _TAKEN.findall(folded))
    return (*(token for token in tokens if not _NUMBER.fullmatch(token)), *taken)


def _telling(sentence: str) -> list[int]:
    words = dict.fromkeys(word for word in _WORD.findall(sentence) if len(word) > 3 and word not in _STOP)
    return list(dict.fromkeys(hash(word[:STEM_CHARS]) for word in words))
