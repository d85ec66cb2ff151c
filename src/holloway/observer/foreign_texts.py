"""The foreign texts of a session, remembered so that later words can be held against them. Nothing of them is kept
but digests, bounded in number.

Four things give words away: they quote (runs of five words), they echo tainted words of the agent, they name what the
session and the project know from nowhere else, or a sentence is made of the words of a foreign one.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from itertools import chain, filterfalse, islice
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from holloway.observer import text_digests
from holloway.observer.statements import WEAK, Sayings
from holloway.observer.text_digests import folded

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
OVERFLOW = "too much was said to tell"

_ODD = re.compile(r"[a-z].*[\d._]|\d.*[a-z]|-.*-")
_NUMBER = re.compile(r"v?\d[\d.,]*[a-z]{0,2}|[0-9a-f-]{6,}")
"""Versions, durations, commits and other digests lead nowhere."""


class Arrival(NamedTuple):
    """A foreign text: where it came from, and how much the session had said and seen before it."""

    source: str
    at: int


class Foreign:
    """What came in from outside, by source, held against what the session had said or seen before.

    Words are judged as of a moment: the number of the saying that they are, or now.
    """

    def __init__(self, known: Callable[[str], bool] | None) -> None:
        self._known = known
        self.sayings = Sayings()
        self._first: int | None = None
        self._first_strong: int | None = None
        self._shingles: dict[int, Arrival] = {}
        self._names: dict[str, Arrival] = {}
        self._sentences: list[Arrival] = []
        self._within: dict[int, list[int]] = {}
        self._strangers: dict[str, bool] = {}
        self._full: Arrival | None = None

    def remember(self, text: str, source: str) -> None:
        """Keep what a foreign text can be known by."""
        plain, arrival = folded(text), self._arrival(source)
        self._keep(self._shingles, text_digests.shingles(plain), arrival)
        self._keep_names(plain, arrival)
        for sentence in text_digests.sentences(plain):
            self._keep_sentence(sentence, arrival)

    def remember_names(self, text: str, source: str) -> None:
        """Keep the names in a text that is neither foreign nor surely the project's; only a word list can tell them."""
        if self._known is not None:
            self._keep_names(folded(text), self._arrival(source))

    def came_before(self, moment: int) -> bool:
        """Whether anything foreign had come in by then."""
        return self._first is not None and self._first <= moment

    def quotes(self, text: str, moment: int) -> str:
        """The source that a text quotes, if any."""
        if not self.came_before(moment):
            return ""
        runs = dict.fromkeys(text_digests.shingles(folded(text)))
        return self._foreign(runs, moment) or self._echoed(runs, moment) or self._overflow(moment)

    def names(self, text: str, moment: int) -> str:
        """The source of something that a text names and that is known from nowhere else, if any."""
        if not self._names:
            return ""
        tokens, taken = (filter(self._names.__contains__, given) for given in text_digests.names(folded(text)))
        given = ((name, self._names[name]) for name in chain(filterfalse(_NUMBER.fullmatch, tokens), taken))
        return next((came.source for name, came in given if came.at <= moment and self._strange(name)), "")

    def resembles(self, text: str, moment: int) -> str:
        """The source of a foreign sentence that a sentence of the text is made of, if any."""
        upto = bisect_right(self._sentences, moment, key=lambda each: each.at)
        if not upto:
            return ""
        return next(filter(None, (self._alike(words, upto) for words in text_digests.sentences(folded(text)))), "")

    def _foreign(self, runs: dict[int, None], moment: int) -> str:
        least = min(SHARED_MIN, len(runs) or 1)
        shared = [run for run in runs if (came := self._shingles.get(run)) and came.at <= moment]
        if len(shared) >= least:
            shared = [run for run in shared if not self.sayings.was_said(run, self._shingles[run].at)]
        return self._shingles[shared[0]].source if len(shared) >= least else ""

    def _echoed(self, runs: dict[int, None], moment: int) -> str:
        if self._first_strong is None or self._first_strong >= moment:
            return ""  # nothing was said yet that could carry taint on
        least = min(ECHOED_MIN, len(runs) or 1)
        echoes = self.sayings.echoes(runs, moment, least)
        shared = [number for run, number in echoes.items() if not self.sayings.was_said(run, self._came(run, number))]
        return self.sayings.source(shared[0]) if len(shared) >= least else ""

    def _came(self, run: int, echoed: int) -> int:
        """When words of the session that echo something foreign were first heard."""
        came = self._shingles.get(run)
        return min(came.at, echoed) if came else echoed

    def _overflow(self, moment: int) -> str:
        if self._full is not None and self._full.at <= moment:
            return self._full.source
        return OVERFLOW if self.sayings.overflowed else ""

    def _arrival(self, source: str) -> Arrival:
        moment = len(self.sayings)
        if self._first is None:
            self._first = moment
        if self._first_strong is None and not source.startswith(WEAK):
            self._first_strong = moment
        return Arrival(source, moment)

    def _strange(self, name: str) -> bool:
        """Whether a foreign name was new to the session, and is neither the project's nor a word; without a word list
        only its form can tell."""
        if name not in self._strangers:
            odd = bool(_ODD.search(name)) if self._known is None else not self._known(name)
            self._strangers[name] = odd and not self.sayings.was_seen(name, self._names[name].at)
        return self._strangers[name]

    def _keep_names(self, plain: str, arrival: Arrival) -> None:
        tokens, taken = text_digests.names(plain)
        self._keep(self._names, chain(filterfalse(_NUMBER.fullmatch, tokens), taken), arrival)

    def _alike(self, words: list[int], upto: int) -> str:
        least = max(ALIKE_WORDS_MIN, ALIKE_SHARE_MIN * len(words))
        found = filter(None, map(self._within.get, words))
        within = [numbers for each in found if (numbers := each[: bisect_left(each, upto)])]
        within = [numbers for numbers in within if len(numbers) <= COMMON_SENTENCES]
        if len(within) < least:
            return ""
        counts = Counter(chain.from_iterable(within))
        best, shared = max(counts.items(), key=lambda each: (each[1], -each[0]))
        return self._sentences[best].source if shared >= least else ""

    def _keep_sentence(self, words: list[int], arrival: Arrival) -> None:
        if len(words) < ALIKE_WORDS_MIN or self._filled(self._sentences, arrival):
            return
        for word in words:
            within = self._within.setdefault(word, [])
            if len(within) <= COMMON_SENTENCES:
                within.append(len(self._sentences))
        self._sentences.append(arrival)

    def _keep(self, kept: dict[Digest, Arrival], new: Iterable[Digest], arrival: Arrival) -> None:
        fresh = dict.fromkeys(filterfalse(kept.__contains__, new), arrival)
        kept.update(islice(fresh.items(), max(0, REMEMBERED_MAX - len(kept))))
        self._filled(kept, arrival)

    def _filled(self, kept: Sized, arrival: Arrival) -> bool:
        if len(kept) >= REMEMBERED_MAX:
            self._full = self._full or arrival
        return len(kept) >= REMEMBERED_MAX
