"""The foreign texts of a session, remembered so that later words can be held against them. Nothing of them is kept
but digests, bounded in number.

Four things give words away: they quote (runs of five words), they echo tainted words of the agent, they name what the
session and the project know from nowhere else, or a sentence is made of the words of a foreign one.
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import chain, filterfalse
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from holloway.observer import digests
from holloway.observer.digests import folded

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sized

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


class Arrival(NamedTuple):
    """A foreign text: where it came from, and how much the session had said and seen before it."""

    source: str
    said: int = 0
    seen: int = 0


class Foreign:
    """What came in from outside, by source, and what the session had said or seen before.

    What the session said is read only where words are found again that came from outside: then it must be known
    whether they were the session's own before.
    """

    def __init__(self, known: Callable[[str], bool] | None) -> None:
        self._known = known
        self._shingles: dict[int, Arrival] = {}
        self._echoes: dict[int, Arrival] = {}
        self._names: dict[str, Arrival] = {}
        self._sentences: list[str] = []
        self._within: dict[int, list[int]] = {}
        self._said: list[str] = []
        self._seen: list[str] = []
        self._first_said: dict[int, int] = {}
        self._read = 0
        self._strangers: dict[str, bool] = {}
        self._full = ""

    def remember(self, text: str, source: str) -> None:
        """Keep what a foreign text can be known by."""
        plain, arrival = folded(text), self._arrival(source)
        self._keep(self._shingles, digests.shingles(plain), arrival)
        self._keep_names(plain, arrival)
        for sentence in digests.sentences(plain):
            self._keep_sentence(sentence, source)

    def remember_names(self, text: str, source: str) -> None:
        """Keep the names in a text that is neither foreign nor surely the project's; only a word list can tell them."""
        if self._known is not None:
            self._keep_names(folded(text), self._arrival(source))

    def echo(self, text: str, source: str) -> None:
        """Keep tainted words of the agent, which carry the source on."""
        self._keep(self._echoes, digests.shingles(folded(text)), self._arrival(source))

    def own(self, text: str) -> None:
        """What the session itself said, and is not foreign when it is read again."""
        self._said.append(text)
        self._seen.append(text.lower())

    def seen(self, text: str) -> None:
        """What clean tools showed: what is named there is known from somewhere else."""
        self._seen.append(text.lower())

    def absorb(self, other: Foreign) -> None:
        """Take over all that another one remembers."""
        for run, arrival in other._shingles.items():
            if not other._was_said(run, arrival):
                self._keep(self._shingles, [run], Arrival(arrival.source))
        for name, arrival in other._names.items():
            if not other._was_seen(name, arrival):
                self._keep(self._names, [name], Arrival(arrival.source))
        for number, source in enumerate(other._sentences):
            self._keep_sentence([word for word, within in other._within.items() if number in within], source)
        self._full = self._full or other._full

    def quotes(self, text: str) -> str:
        """The source that a text quotes, if any."""
        if not self._shingles and not self._echoes:
            return self._full
        found = dict.fromkeys(digests.shingles(folded(text)))
        for kept, most in ((self._shingles, SHARED_MIN), (self._echoes, ECHOED_MIN)):
            least = min(most, len(found) or 1)
            shared = list(filter(kept.__contains__, found))
            if len(shared) >= least:
                shared = [run for run in shared if not self._was_said(run, kept[run])]
            if len(shared) >= least:
                return kept[shared[0]].source
        return self._full

    def names(self, text: str) -> str:
        """The source of something that a text names and that is known from nowhere else, if any."""
        if not self._names:
            return ""
        tokens, taken = (filter(self._names.__contains__, given) for given in digests.names(folded(text)))
        given = chain(filterfalse(_NUMBER.fullmatch, tokens), taken)
        return next((self._names[name].source for name in given if self._strange(name)), "")

    def _arrival(self, source: str) -> Arrival:
        return Arrival(source, len(self._said), len(self._seen))

    def _strange(self, name: str) -> bool:
        """Whether a foreign name was new to the session, and is neither the project's nor a word; without a word list
        only its form can tell."""
        if name not in self._strangers:
            odd = bool(_ODD.search(name)) if self._known is None else not self._known(name)
            self._strangers[name] = odd and not self._was_seen(name, self._names[name])
        return self._strangers[name]

    def _was_seen(self, name: str, arrival: Arrival) -> bool:
        likely = (text for text in self._seen[: arrival.seen] if name in text)
        return any(name in given for text in likely for given in digests.names(folded(text)))

    def _was_said(self, run: int, arrival: Arrival) -> bool:
        """Whether the session had said these words before they came from outside."""
        for number, text in enumerate(self._said[self._read :], self._read):
            if len(self._first_said) < REMEMBERED_MAX:
                for each in digests.shingles(folded(text)):
                    self._first_said.setdefault(each, number)
        self._read = len(self._said)
        came = min(arrival.said, self._shingles.get(run, arrival).said)
        return self._first_said.get(run, came) < came

    def _keep_names(self, plain: str, arrival: Arrival) -> None:
        tokens, taken = digests.names(plain)
        self._keep(self._names, chain(filterfalse(_NUMBER.fullmatch, tokens), taken), arrival)

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

    def _keep(self, kept: dict[Digest, Arrival], new: Iterable[Digest], arrival: Arrival) -> None:
        for each in new:
            if self._filled(kept, arrival.source):
                return
            kept.setdefault(each, arrival)

    def _filled(self, kept: Sized, source: str) -> bool:
        if len(kept) >= REMEMBERED_MAX:
            self._full = self._full or source
        return len(kept) >= REMEMBERED_MAX
