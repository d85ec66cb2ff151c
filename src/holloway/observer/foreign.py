"""The foreign texts of a session, remembered so that later words can be held against them. Nothing of them is kept
but digests, bounded in number.

Four things give words away: they quote (runs of five words), they echo tainted words of the agent, they name what the
session and the project know from nowhere else, or a sentence is made of the words of a foreign one.
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import chain, filterfalse
from typing import TYPE_CHECKING, TypeVar

from holloway.observer import digests
from holloway.observer.digests import folded

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

Digest = TypeVar("Digest", int, str)

SHARED_MIN = 2
ECHOED_MIN = 4
"""Of the agent's tainted words so many runs, eight words in a row: its turns of phrase come back in all it says."""
ALIKE_WORDS_MIN = 4
ALIKE_SHARE_MIN = 0.6
"""A sentence with so many, and this share, of its telling words in one foreign sentence says the same."""
COMMON_SENTENCES = 50
"""A word in more foreign sentences than this tells nothing."""
REMEMBERED_MAX = 100_000
"""Digests of each kind that are kept; past it everything counts as quoted."""

_ODD = re.compile(r"[a-z].*[\d._]|\d.*[a-z]|-.*-")
_NUMBER = re.compile(r"v?\d[\d.,]*[a-z]{0,2}|[0-9a-f-]{6,}")
"""Versions, durations, commits and other digests lead nowhere."""


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
        self._strangers: dict[str, bool] = {}
        self._unread: list[str] = []
        """What the session said before anything foreign came; read only once something does."""
        self._unnamed: list[str] = []
        """What it said and saw before any name had to be told apart."""
        self._full = ""

    def remember(self, text: str, source: str) -> None:
        """Keep what a foreign text can be known by, except what the session said before it."""
        plain = folded(text)
        self._read_up()
        self._keep(self._shingles, (each for each in digests.shingles(plain) if each not in self._own_shingles), source)
        self._keep_names(plain, source)
        for sentence in digests.sentences(plain):
            self._keep_sentence(sentence, source)

    def remember_names(self, text: str, source: str) -> None:
        """Keep the names in a text that is neither foreign nor surely the project's; only a word list can tell them."""
        if self._known is not None:
            self._keep_names(folded(text), source)

    def echo(self, text: str, source: str) -> None:
        """Keep tainted words of the agent, which carry the source on."""
        self._read_up()
        new = (each for each in digests.shingles(folded(text)) if each not in self._own_shingles)
        self._keep(self._echoes, new, source)

    def own(self, text: str) -> None:
        """What the session itself said, and is not foreign when it is read again."""
        if self._shingles or self._echoes:
            self._owns(text)
        else:
            self._unread.append(text)
        self.seen(text)

    def seen(self, text: str) -> None:
        """What clean tools showed: what is named there is known from somewhere else."""
        if self._names:
            self._knows(text)
        else:
            self._unnamed.append(text)

    def _read_up(self) -> None:
        for text in self._unread:
            self._owns(text)
        self._unread.clear()

    def _owns(self, text: str) -> None:
        if len(self._own_shingles) < REMEMBERED_MAX:
            self._own_shingles |= set(digests.shingles(folded(text))).difference(self._shingles)

    def _knows(self, text: str) -> None:
        if len(self._own_names) < REMEMBERED_MAX:
            self._own_names.update(*digests.names(folded(text)))

    def _keep_names(self, plain: str, source: str) -> None:
        for text in self._unnamed:
            self._knows(text)
        self._unnamed.clear()
        tokens, taken = digests.names(plain)
        new = (name for name in (*filterfalse(_NUMBER.fullmatch, tokens), *taken) if name not in self._own_names)
        self._keep(self._names, new, source)

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
        if not self._shingles and not self._echoes:
            return self._full
        found = dict.fromkeys(digests.shingles(folded(text)))
        for kept, least in ((self._shingles, SHARED_MIN), (self._echoes, ECHOED_MIN)):
            shared = list(filter(kept.__contains__, found))
            if len(shared) >= min(least, len(found) or 1):
                return kept[shared[0]]
        return self._full

    def names(self, text: str) -> str:
        """The source of something that a text names and that is known from nowhere else, if any."""
        if not self._names:
            return ""
        tokens, taken = (filter(self._names.__contains__, given) for given in digests.names(folded(text)))
        given = chain(filterfalse(_NUMBER.fullmatch, tokens), taken)
        return next((self._names[name] for name in given if self._strange(name)), "")

    def _strange(self, name: str) -> bool:
        """Whether a name is neither the project's nor a word; without a word list only its form can tell."""
        if name not in self._strangers:
            self._strangers[name] = bool(_ODD.search(name)) if self._known is None else not self._known(name)
        return self._strangers[name]

    def resembles(self, text: str) -> str:
        """The source of a foreign sentence that a sentence of the text is made of, if any."""
        if not self._sentences:
            return ""
        return next(filter(None, map(self._alike, digests.sentences(folded(text)))), "")

    def _alike(self, words: list[int]) -> str:
        least = max(ALIKE_WORDS_MIN, ALIKE_SHARE_MIN * len(words))
        within = [found for word in words if (found := self._within.get(word)) and len(found) <= COMMON_SENTENCES]
        if len(within) < least:
            return ""
        counts = Counter(number for numbers in within for number in numbers)
        best, shared = max(counts.items(), key=lambda each: (each[1], -each[0]))
        return self._sentences[best] if shared >= least else ""

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
