"""What a session said and saw, in order, and whose words they are: found out for those that somebody asks about.

Whether words of the agent are tainted depends on words before them, and most are never asked about again. So each
waits with its judge, which says what taints it as of the moment when it was said.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING

from holloway.observer import text_digests
from holloway.observer.text_digests import folded

if TYPE_CHECKING:
    from collections.abc import Iterable

Judge = Callable[[int], str]
"""Says what taints a text, as of the number that it is given."""
WEAK = ("history:", "output:", "subagent")
"""Sources that mostly say what the project itself says: only what quotes, names or resembles them is tainted."""
RUNS_MAX = 100_000
"""Runs of words by which sayings are found again, those of own words and those of doubtful ones. Past it, clean ones
are not looked for any more, so that words count as foreign too often; past twice as many, everything does."""
NESTED_MAX = 16
"""A saying that rests on a saying that rests on a saying; past it all are judged in their order."""


class Sayings:
    """Texts by their number. A tainted one is nobody's own; one tainted by more than a weak source carries it on."""

    def __init__(self) -> None:
        self._seen: list[str] = []
        self._waiting: dict[int, Judge] = {}
        self._tainted: dict[int, str] = {}
        self._own = _Runs()
        self._doubtful = _Runs()
        """What was said with a judge, whatever came of it."""
        self._not_clean: dict[int, int] = {}
        self._not_carrying: dict[int, int] = {}
        """How many doubtful texts with a run of words, from the first one on, are known to be no such ones."""
        self._judged = 0
        self._nested = 0

    def __len__(self) -> int:
        return len(self._seen)

    def saw(self, text: str, judge: Judge | None = None) -> int:
        """Take in what a tool showed or was given; without a judge it is clean."""
        number = len(self._seen)
        self._seen.append(text.lower())
        if judge is not None:
            self._waiting[number] = judge
        return number

    def said(self, text: str, judge: Judge | None = None) -> int:
        """Take in words; without a judge they are the session's own."""
        number = self.saw(text, judge)
        (self._own if judge is None else self._doubtful).add(number, text)
        return number

    def source(self, number: int) -> str:
        """What taints a text, if anything does."""
        if number in self._waiting and self._nested > NESTED_MAX:
            while self._judged < number:
                self._judge(self._judged)
                self._judged += 1
        return self._judge(number)

    def was_said(self, run: int, before: int) -> bool:
        """Whether a run of words is the session's own, because it had said it before."""
        self._own.read_until(before, lambda number: False)
        if self._own.has(run, before):
            return True
        self._doubtful.read_until(before, self._carries)
        return self._doubtful.first(run, before, self._is_clean, self._not_clean) is not None

    def was_seen(self, name: str, before: int) -> bool:
        """Whether a name is known from a clean text before."""
        likely = (number for number, text in enumerate(self._seen[:before]) if name in text)
        named = (
            each for each in likely if any(name in given for given in text_digests.names(folded(self._seen[each])))
        )
        return any(not self.source(number) for number in named)

    def echoes(self, runs: Iterable[int], before: int, least: int) -> dict[int, int]:
        """Of these runs, those said in tainted words before, each with the first text that has it.

        None where fewer than the least can be.
        """
        self._doubtful.read_until(before, self._carries)
        likely = [run for run in runs if self._doubtful.has(run, before)]
        if len(likely) < least:
            return {}
        first = {run: self._doubtful.first(run, before, self._carries, self._not_carrying) for run in likely}
        return {run: number for run, number in first.items() if number is not None}

    @property
    def overflowed(self) -> bool:
        """Whether more tainted words were said than are kept in mind."""
        return len(self._doubtful) >= 2 * RUNS_MAX

    def _judge(self, number: int) -> str:
        judge = self._waiting.get(number)
        if judge is not None:
            self._nested += 1
            found = judge(number)
            self._nested -= 1
            del self._waiting[number]
            if found:
                self._tainted[number] = found
        return self._tainted.get(number, "")

    def _is_clean(self, number: int) -> bool:
        return not self.source(number)

    def _carries(self, number: int) -> bool:
        source = self.source(number)
        return bool(source) and not source.startswith(WEAK)


class _Runs:
    """Runs of words by the texts that have them. Most are never asked about, so texts are read only when one is."""

    def __init__(self) -> None:
        self._unread: deque[tuple[int, str]] = deque()
        self._first: dict[int, int] = {}
        self._again: dict[int, list[int]] = {}

    def __len__(self) -> int:
        return len(self._first)

    def add(self, number: int, text: str) -> None:
        """A text that comes after all others."""
        self._unread.append((number, text))

    def read_until(self, before: int, at_any_rate: Callable[[int], bool]) -> None:
        """Read the texts before a moment; past the bound only those that must be known at any rate."""
        while self._unread and self._unread[0][0] < before:
            number, text = self._unread.popleft()
            if len(self._first) < RUNS_MAX or at_any_rate(number):
                self._place(number, set(text_digests.shingles(folded(text))))

    def has(self, run: int, before: int) -> bool:
        """Whether a text before a moment has a run of words."""
        return self._first.get(run, before) < before

    def first(self, run: int, before: int, wanted: Callable[[int], bool], passed: dict[int, int]) -> int | None:
        """The first text with a run, before a moment, that is wanted.

        What was found out of a text holds for good: `passed` keeps how many are not wanted, and none is asked twice.
        """
        again = self._again.get(run, ())
        at = passed.get(run, 0)
        while at <= len(again) and (number := again[at - 1] if at else self._first.get(run, before)) < before:
            if wanted(number):
                return number
            at += 1
            passed[run] = at
        return None

    def _place(self, number: int, runs: set[int]) -> None:
        # A set is held against a dictionary itself, not against its keys: these would all be gone through.
        new = runs.difference(self._first)
        self._first.update(dict.fromkeys(new, number))
        for run in runs - new:
            self._again.setdefault(run, []).append(number)
