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
from holloway.observer.statements import WEAK_SOURCES, StatementLog
from holloway.observer.text_digests import fold_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sized

Digest = TypeVar("Digest", int, str)

SHARED_RUNS_MIN = 2
ECHOED_RUNS_MIN = 4
"""Runs of the agent's own tainted text that must be shared, eight words in a row: an agent repeats its phrases."""
SIMILAR_WORDS_MIN = 4
SIMILAR_SHARE_MIN = 0.6
"""A sentence is similar to an untrusted one if it shares this number and this share of its content words."""
COMMON_WORD_SENTENCES = 50
"""A word in more untrusted sentences than this is too common to compare by."""
DIGESTS_MAX = 100_000
"""Limit of stored digests of each kind; once it is reached, every text counts as quoted."""
OVERFLOW = "too much text to compare"

_ODD_NAME = re.compile(r"[a-z].*[\d._]|\d.*[a-z]|-.*-")
_NUMBER = re.compile(r"v?\d[\d.,]*[a-z]{0,2}|[0-9a-f-]{6,}")
"""Versions, durations, commit hashes and other digests are not names."""


class Arrival(NamedTuple):
    """The arrival of an untrusted text: its source, and the number of statements the session had before it."""

    source: str
    at: int


class UntrustedTexts:
    """Index of a session's untrusted texts by source, compared with the session's earlier statements.

    A text is evaluated as of a moment: its statement number, or the current number of statements.
    """

    def __init__(self, is_known_name: Callable[[str], bool] | None) -> None:
        self._is_known_name = is_known_name
        self.statements = StatementLog()
        self._first: int | None = None
        self._first_strong: int | None = None
        self._shingles: dict[int, Arrival] = {}
        self._names: dict[str, Arrival] = {}
        self._sentences: list[Arrival] = []
        self._sentences_by_word: dict[int, list[int]] = {}
        self._unknown_names: dict[str, bool] = {}
        self._overflow_arrival: Arrival | None = None

    def add_text(self, text: str, source: str) -> None:
        """Store the digests of an untrusted text: shingles, names and sentences."""
        plain, arrival = fold_text(text), self._record_arrival(source)
        self._store_digests(self._shingles, text_digests.hash_shingles(plain), arrival)
        self._store_names(plain, arrival)
        for sentence in text_digests.hash_sentences(plain):
            self._store_sentence(sentence, arrival)

    def add_names(self, text: str, source: str) -> None:
        """Store the names in a program's output, which is only partly trusted; needs a word list to recognise them."""
        if self._is_known_name is not None:
            self._store_names(fold_text(text), self._record_arrival(source))

    def has_any_before(self, moment: int) -> bool:
        """Whether any untrusted text arrived by that moment."""
        return self._first is not None and self._first <= moment

    def find_quoted_source(self, text: str, moment: int) -> str:
        """Return the source that a text quotes or echoes, or an empty string."""
        if not self.has_any_before(moment):
            return ""
        runs = dict.fromkeys(text_digests.hash_shingles(fold_text(text)))
        return (
            self._match_quotes(runs, moment) or self._match_echoes(runs, moment) or self._find_overflow_source(moment)
        )

    def find_named_source(self, text: str, moment: int) -> str:
        """Return the source of a name in the text that is known from nowhere else, or an empty string."""
        if not self._names:
            return ""
        tokens, packages = (
            filter(self._names.__contains__, names) for names in text_digests.extract_names(fold_text(text))
        )
        matches = ((name, self._names[name]) for name in chain(filterfalse(_NUMBER.fullmatch, tokens), packages))
        return next(
            (arrival.source for name, arrival in matches if arrival.at <= moment and self._is_unknown_name(name)), ""
        )

    def find_similar_source(self, text: str, moment: int) -> str:
        """Return the source of an untrusted sentence similar to one of the text, or an empty string."""
        sentence_count = bisect_right(self._sentences, moment, key=lambda arrival: arrival.at)
        if not sentence_count:
            return ""
        return next(
            filter(
                None,
                (
                    self._find_similar_sentence(words, sentence_count)
                    for words in text_digests.hash_sentences(fold_text(text))
                ),
            ),
            "",
        )

    def _match_quotes(self, runs: dict[int, None], moment: int) -> str:
        min_shared = min(SHARED_RUNS_MIN, len(runs) or 1)
        shared = [run for run in runs if (arrival := self._shingles.get(run)) and arrival.at <= moment]
        if len(shared) >= min_shared:
            shared = [run for run in shared if not self.statements.has_own_run(run, self._shingles[run].at)]
        return self._shingles[shared[0]].source if len(shared) >= min_shared else ""

    def _match_echoes(self, runs: dict[int, None], moment: int) -> str:
        if self._first_strong is None or self._first_strong >= moment:
            return ""  # no statement so far can carry taint
        min_shared = min(ECHOED_RUNS_MIN, len(runs) or 1)
        echoes = self.statements.find_echoes(runs, moment, min_shared)
        shared = [
            number
            for run, number in echoes.items()
            if not self.statements.has_own_run(run, self._find_first_moment(run, number))
        ]
        return self.statements.find_taint_source(shared[0]) if len(shared) >= min_shared else ""

    def _find_first_moment(self, run: int, echoed: int) -> int:
        """Return the moment at which a run of words first appeared, as untrusted text or as a tainted statement."""
        arrival = self._shingles.get(run)
        return min(arrival.at, echoed) if arrival else echoed

    def _find_overflow_source(self, moment: int) -> str:
        if self._overflow_arrival is not None and self._overflow_arrival.at <= moment:
            return self._overflow_arrival.source
        return OVERFLOW if self.statements.has_overflowed else ""

    def _record_arrival(self, source: str) -> Arrival:
        moment = len(self.statements)
        if self._first is None:
            self._first = moment
        if self._first_strong is None and not source.startswith(WEAK_SOURCES):
            self._first_strong = moment
        return Arrival(source, moment)

    def _is_unknown_name(self, name: str) -> bool:
        """Whether an untrusted name was new to the session and is neither the project's nor a dictionary word.

        Without a word list only the form of the name decides.
        """
        if name not in self._unknown_names:
            odd = bool(_ODD_NAME.search(name)) if self._is_known_name is None else not self._is_known_name(name)
            self._unknown_names[name] = odd and not self.statements.has_clean_name(name, self._names[name].at)
        return self._unknown_names[name]

    def _store_names(self, plain: str, arrival: Arrival) -> None:
        tokens, packages = text_digests.extract_names(plain)
        self._store_digests(self._names, chain(filterfalse(_NUMBER.fullmatch, tokens), packages), arrival)

    def _find_similar_sentence(self, words: list[int], sentence_count: int) -> str:
        min_shared = max(SIMILAR_WORDS_MIN, SIMILAR_SHARE_MIN * len(words))
        postings = filter(None, map(self._sentences_by_word.get, words))
        sentence_numbers = [
            numbers for posting in postings if (numbers := posting[: bisect_left(posting, sentence_count)])
        ]
        sentence_numbers = [numbers for numbers in sentence_numbers if len(numbers) <= COMMON_WORD_SENTENCES]
        if len(sentence_numbers) < min_shared:
            return ""
        counts = Counter(chain.from_iterable(sentence_numbers))
        best, shared = max(counts.items(), key=lambda item: (item[1], -item[0]))
        return self._sentences[best].source if shared >= min_shared else ""

    def _store_sentence(self, words: list[int], arrival: Arrival) -> None:
        if len(words) < SIMILAR_WORDS_MIN or self._check_capacity(self._sentences, arrival):
            return
        for word in words:
            sentence_numbers = self._sentences_by_word.setdefault(word, [])
            if len(sentence_numbers) <= COMMON_WORD_SENTENCES:
                sentence_numbers.append(len(self._sentences))
        self._sentences.append(arrival)

    def _store_digests(self, stored: dict[Digest, Arrival], digests: Iterable[Digest], arrival: Arrival) -> None:
        fresh = dict.fromkeys(filterfalse(stored.__contains__, digests), arrival)
        stored.update(islice(fresh.items(), max(0, DIGESTS_MAX - len(stored))))
        self._check_capacity(stored, arrival)

    def _check_capacity(self, stored: Sized, arrival: Arrival) -> bool:
        if len(stored) >= DIGESTS_MAX:
            self._overflow_arrival = self._overflow_arrival or arrival
        return len(stored) >= DIGESTS_MAX
