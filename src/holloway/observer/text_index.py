"""Text index: finds the source of a text that quotes, paraphrases or names what an indexed text says, by digests.

Three kinds of digests are compared, a sentence at a time: shingles (runs of five words) find quotes, stems of content
words find close paraphrases (similarity), and names find what no other text knows: hosts, packages, identifiers.
"""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from itertools import chain, filterfalse, islice
from typing import TYPE_CHECKING, NamedTuple

from holloway.observer import text_digests
from holloway.text.sketch import is_number, split_sentences

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

QUOTED_RUNS_MIN = 2
QUOTED_SHARE_MIN = 0.25
QUOTED_RUNS_SURE = 4
"""A sentence quotes if it shares this many shingles and this share of its own, or eight words in a row."""
SIMILAR_WORDS_MIN = 4
SIMILAR_SHARE_MIN = 0.6
"""A sentence is similar to an indexed one if it shares this number and this share of its content words."""
COMMON_WORD_SENTENCES = 50
"""A word in more sentences than this is too common to compare by."""
DIGESTS_MAX = 200_000
"""Limit of indexed shingles, sentences and names each."""
SENTENCES_CACHED = 1_024


class Sentence(NamedTuple):
    """Digests of one sentence."""

    shingles: tuple[int, ...]
    stems: tuple[int, ...]


@lru_cache(maxsize=SENTENCES_CACHED)
def digest_sentences(text: str) -> tuple[Sentence, ...]:
    """Return the digests of each sentence of a text."""
    return tuple(
        Sentence(text_digests.hash_shingles(sentence), text_digests.hash_stems(sentence))
        for sentence in split_sentences(text_digests.fold_text(text))
    )


def list_names(text: str) -> Iterator[str]:
    """Yield the possible names in a text: hosts, identifiers, longer words, packages that it installs."""
    tokens, packages = text_digests.extract_names(text_digests.fold_text(text))
    return chain(filterfalse(is_number, tokens), packages)


def list_packages(text: str) -> tuple[str, ...]:
    """Return the packages that a text installs."""
    return text_digests.extract_names(text_digests.fold_text(text))[1]


class TextIndex:
    """Digests of texts, each with its source. Past its limits an index only reports that it is full."""

    def __init__(
        self, quoted_share_min: float = QUOTED_SHARE_MIN, quoted_runs_sure: int | None = QUOTED_RUNS_SURE
    ) -> None:
        self._quoted_share_min = quoted_share_min
        self._quoted_runs_sure = quoted_runs_sure
        self._shingles: dict[int, str] = {}
        self._names: dict[str, str] = {}
        self._short_names: dict[str, str] = {}
        """Names of a few letters, which count only as names of packages."""
        self._sentences: list[str] = []
        self._sentences_by_stem: dict[int, list[int]] = {}
        self._queue: list[tuple[str, str]] = []
        """Texts that are indexed when the index is asked: most sessions never ask."""
        self.full_source = ""
        """Source of the text that no longer fitted, or an empty string."""

    def __bool__(self) -> bool:
        return bool(self._queue or self._shingles or self._names or self._sentences)

    def queue_text(self, text: str, source: str) -> None:
        """Index a text at the next lookup."""
        if text:
            self._queue.append((text, source))

    def add_text(self, text: str, source: str, *other_indexes: TextIndex) -> None:
        """Index a text, without what other indexes know already."""
        for index in (self, *other_indexes):
            index._index_queue()
        sentences = digest_sentences(text)
        runs = chain.from_iterable(sentence.shingles for sentence in sentences)
        fresh = dict.fromkeys(
            (run for run in runs if not any(run in index._shingles for index in other_indexes)), source
        )
        for run in islice(fresh, self._count_free(len(self._shingles), len(fresh), source)):
            self._shingles.setdefault(run, source)
        for sentence in sentences:
            if not any(
                index.find_quoted_source(sentence) or index.find_similar_source(sentence) for index in other_indexes
            ):
                self._add_stems(sentence.stems, source)
        short = text_digests.extract_short_tokens(text_digests.fold_text(text))
        self._short_names.update((name, source) for name in short if len(self._short_names) < DIGESTS_MAX)
        self.add_names(
            (name for name in list_names(text) if not any(name in index._names for index in other_indexes)), source
        )

    def add_names(self, names: Iterable[str], source: str) -> None:
        """Index names."""
        fresh = dict.fromkeys(filterfalse(self._names.__contains__, names), source)
        self._names.update(islice(fresh.items(), self._count_free(len(self._names), len(fresh), source)))

    def find_name_source(self, name: str) -> str:
        """Return the source of a name, or an empty string."""
        self._index_queue()
        return self._names.get(name, "")

    def find_package_source(self, name: str) -> str:
        """Return the source of the name of a package, also of a short one, or an empty string."""
        return self.find_name_source(name) or self._short_names.get(name, "")

    def find_quoted_source(self, sentence: Sentence, *other_indexes: TextIndex) -> str:
        """Return the source of the text that a sentence quotes, or an empty string; what other indexes have is none."""
        for index in (self, *other_indexes):
            index._index_queue()
        runs = set(sentence.shingles)
        shared = [
            run
            for run in sentence.shingles
            if run in self._shingles and not any(run in index._shingles for index in other_indexes)
        ]
        count = len(set(shared))
        needed = max(min(QUOTED_RUNS_MIN, len(runs)), self._quoted_share_min * len(runs))
        needed = needed if self._quoted_runs_sure is None else min(needed, self._quoted_runs_sure)
        return self._shingles[shared[0]] if count and count >= needed else ""

    def find_similar_source(self, sentence: Sentence) -> str:
        """Return the source of an indexed sentence with mostly the same words, or an empty string."""
        self._index_queue()
        min_shared = max(SIMILAR_WORDS_MIN, SIMILAR_SHARE_MIN * len(sentence.stems))
        postings = [numbers for stem in sentence.stems if (numbers := self._sentences_by_stem.get(stem))]
        telling = [numbers for numbers in postings if len(numbers) <= COMMON_WORD_SENTENCES]
        if len(telling) < min_shared:
            return ""
        best, shared = max(Counter(chain.from_iterable(telling)).items(), key=lambda item: (item[1], -item[0]))
        return self._sentences[best] if shared >= min_shared else ""

    def _index_queue(self) -> None:
        queue, self._queue = self._queue, []
        for text, source in queue:
            self.add_text(text, source)

    def _add_stems(self, stems: tuple[int, ...], source: str) -> None:
        if len(stems) < SIMILAR_WORDS_MIN or not self._count_free(len(self._sentences), 1, source):
            return
        for stem in stems:
            numbers = self._sentences_by_stem.setdefault(stem, [])
            if len(numbers) <= COMMON_WORD_SENTENCES:
                numbers.append(len(self._sentences))
        self._sentences.append(source)

    def _count_free(self, used: int, wanted: int, source: str) -> int:
        free = max(0, DIGESTS_MAX - used)
        if wanted > free:
            self.full_source = self.full_source or source
        return free
