"""Untrusted texts of a session: stores their digests, bounded in number, and matches later text against them.

A text is traced to an untrusted source in four ways: it quotes it (shingles of five words), it echoes tainted text of
the agent, it names something that neither the session nor the project knows from elsewhere, or one of its sentences
shares most of its words with an untrusted sentence (similarity).
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
"""Runs of the agent's own tainted text that must be shared, eight words in a row: an agent repeats its phrases."""
ALIKE_WORDS_MIN = 4
ALIKE_SHARE_MIN = 0.6
"""A sentence is similar to an untrusted one if it shares this number and this share of its content words."""
COMMON_SENTENCES = 50
"""A word in more untrusted sentences than this is too common to compare by."""
REMEMBERED_MAX = 100_000
"""Limit of stored digests of each kind; once it is reached, every text counts as quoted."""
OVERFLOW = "too much text to compare"

_ODD = re.compile(r"[a-z].*[\d._]|\d.*[a-z]|-.*-")
_NUMBER = re.compile(r"v?\d[\d.,]*[a-z]{0,2}|[0-9a-f-]{6,}")
"""Versions, durations, commit hashes and other digests are not names."""


class Arrival(NamedTuple):
    """The arrival of an untrusted text: its source, and the number of statements the session had before it."""

    source: str
    at: int


class Foreign:
    """Index of a session's untrusted texts by source, compared with the session's earlier statements.

    A text is evaluated as of a moment: its statement number, or the current number of statements.
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
        """Store the digests of an untrusted text: shingles, names and sentences."""
        plain, arrival = folded(text), self._arrival(source)
        self._keep(self._shingles, text_digests.shingles(plain), arrival)
        self._keep_names(plain, arrival)
        for sentence in text_digests.sentences(plain):
            self._keep_sentence(sentence, arrival)

    def remember_names(self, text: str, source: str) -> None:
        """Store the names in a program's output, which is only partly trusted; needs a word list to recognise them."""
        if self._known is not None:
            self._keep_names(folded(text), self._arrival(source))

    def came_before(self, moment: int) -> bool:
        """Whether any untrusted text arrived by that moment."""
        return self._first is not None and self._first <= moment

    def quotes(self, text: str, moment: int) -> str:
        """Return the source that a text quotes or echoes, or an empty string."""
        if not self.came_before(moment):
            return ""
        runs = dict.fromkeys(text_digests.shingles(folded(text)))
        return self._foreign(runs, moment) or self._echoed(runs, moment) or self._overflow(moment)

    def names(self, text: str, moment: int) -> str:
        """Return the source of a name in the text that is known from nowhere else, or an empty string."""
        if not self._names:
            return ""
        tokens, packages = (filter(self._names.__contains__, names) for names in text_digests.names(folded(text)))
        matches = ((name, self._names[name]) for name in chain(filterfalse(_NUMBER.fullmatch, tokens), packages))
        return next((arrival.source for name, arrival in matches if arrival.at <= moment and self._strange(name)), "")

    def resembles(self, text: str, moment: int) -> str:
        """Return the source of an untrusted sentence similar to one of the text, or an empty string."""
        sentence_count = bisect_right(self._sentences, moment, key=lambda arrival: arrival.at)
        if not sentence_count:
            return ""
        return next(
            filter(None, (self._alike(words, sentence_count) for words in text_digests.sentences(folded(text)))), ""
        )

    def _foreign(self, runs: dict[int, None], moment: int) -> str:
        min_shared = min(SHARED_MIN, len(runs) or 1)
        shared = [run for run in runs if (arrival := self._shingles.get(run)) and arrival.at <= moment]
        if len(shared) >= min_shared:
            shared = [run for run in shared if not self.sayings.was_said(run, self._shingles[run].at)]
        return self._shingles[shared[0]].source if len(shared) >= min_shared else ""

    def _echoed(self, runs: dict[int, None], moment: int) -> str:
        if self._first_strong is None or self._first_strong >= moment:
            return ""  # no statement so far can carry taint
        min_shared = min(ECHOED_MIN, len(runs) or 1)
        echoes = self.sayings.echoes(runs, moment, min_shared)
        shared = [number for run, number in echoes.items() if not self.sayings.was_said(run, self._came(run, number))]
        return self.sayings.source(shared[0]) if len(shared) >= min_shared else ""

    def _came(self, run: int, echoed: int) -> int:
        """Return the moment at which a run of words first appeared, as untrusted text or as a tainted statement."""
        arrival = self._shingles.get(run)
        return min(arrival.at, echoed) if arrival else echoed

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
        """Whether an untrusted name was new to the session and is neither the project's nor a dictionary word.

        Without a word list only the form of the name decides.
        """
        if name not in self._strangers:
            odd = bool(_ODD.search(name)) if self._known is None else not self._known(name)
            self._strangers[name] = odd and not self.sayings.was_seen(name, self._names[name].at)
        return self._strangers[name]

    def _keep_names(self, plain: str, arrival: Arrival) -> None:
        tokens, packages = text_digests.names(plain)
        self._keep(self._names, chain(filterfalse(_NUMBER.fullmatch, tokens), packages), arrival)

    def _alike(self, words: list[int], upto: int) -> str:
        min_shared = max(ALIKE_WORDS_MIN, ALIKE_SHARE_MIN * len(words))
        postings = filter(None, map(self._within.get, words))
        sentence_numbers = [numbers for posting in postings if (numbers := posting[: bisect_left(posting, upto)])]
        sentence_numbers = [numbers for numbers in sentence_numbers if len(numbers) <= COMMON_SENTENCES]
        if len(sentence_numbers) < min_shared:
            return ""
        counts = Counter(chain.from_iterable(sentence_numbers))
        best, shared = max(counts.items(), key=lambda item: (item[1], -item[0]))
        return self._sentences[best].source if shared >= min_shared else ""

    def _keep_sentence(self, words: list[int], arrival: Arrival) -> None:
        if len(words) < ALIKE_WORDS_MIN or self._filled(self._sentences, arrival):
            return
        for word in words:
            sentence_numbers = self._within.setdefault(word, [])
            if len(sentence_numbers) <= COMMON_SENTENCES:
                sentence_numbers.append(len(self._sentences))
        self._sentences.append(arrival)

    def _keep(self, kept: dict[Digest, Arrival], new: Iterable[Digest], arrival: Arrival) -> None:
        fresh = dict.fromkeys(filterfalse(kept.__contains__, new), arrival)
        kept.update(islice(fresh.items(), max(0, REMEMBERED_MAX - len(kept))))
        self._filled(kept, arrival)

    def _filled(self, kept: Sized, arrival: Arrival) -> bool:
        if len(kept) >= REMEMBERED_MAX:
            self._full = self._full or arrival
        return len(kept) >= REMEMBERED_MAX
