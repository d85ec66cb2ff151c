"""What a session said and saw, in order, and whose words they are: found out for those that somebody asks about.

Whether words of the agent are tainted depends on words before them, and most are never asked about again. So each
waits with its judge, which says what taints it as of the moment when it was said.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from typing import TYPE_CHECKING

from holloway.observer import digests
from holloway.observer.digests import folded

if TYPE_CHECKING:
    from collections.abc import Iterable

Judge = Callable[[int], str]
"""Says what taints a text, as of the number that it is given."""
WEAK = ("history:", "output:", "subagent")
"""Sources that mostly say what the project itself says: only what quotes, names or resembles them is tainted."""
RUNS_MAX = 100_000
"""Runs of words by which sayings are found again. Past it, clean ones are not looked for any more, so that words count
as foreign too often; past twice as many, everything does."""
NESTED_MAX = 16
"""A saying that rests on a saying that rests on a saying; past it all are judged in their order."""


class Sayings:
    """Texts by their number. A tainted one is nobody's own; one tainted by more than a weak source carries it on."""

    def __init__(self) -> None:
        self._said: dict[int, str] = {}
        self._seen: list[str] = []
        self._waiting: dict[int, Judge] = {}
        self._tainted: dict[int, str] = {}
        self._own: dict[int, int] = {}
        """Runs of words, by the first clean text that has them."""
        self._echoed: dict[int, int] = {}
        """Runs of words, by the first text that has them and carries taint on."""
        self._open: dict[int, list[int]] = {}
        """Runs of words, by the texts that have them and are not judged yet."""
        self._read = 0
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
        self._said[number] = text
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
        self._read_until(before)
        if self._own.get(run, before) >= before:
            self._settle(run, before)
        return self._own.get(run, before) < before

    def was_seen(self, name: str, before: int) -> bool:
        """Whether a name is known from a clean text before."""
        likely = (number for number, text in enumerate(self._seen[:before]) if name in text)
        named = (each for each in likely if any(name in given for given in digests.names(folded(self._seen[each]))))
        return any(not self.source(number) for number in named)

    def echoes(self, runs: Iterable[int], before: int, least: int) -> dict[int, int]:
        """Of these runs, those said in tainted words before, each with the first text that has it.

        None where fewer than the least can be.
        """
        self._read_until(before)
        known = [run for run in runs if run in self._open or run in self._echoed]
        likely = [run for run in known if self._echoed.get(run, before) < before or self._due(run, before)]
        if len(likely) < least:
            return {}
        for run in likely:
            self._settle(run, before)
        return {run: number for run in likely if (number := self._echoed.get(run, before)) < before}

    @property
    def overflowed(self) -> bool:
        """Whether more tainted words were said than are kept in mind."""
        return len(self._own) + len(self._open) >= 2 * RUNS_MAX

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

    def _carries(self, number: int) -> bool:
        source = self.source(number)
        return bool(source) and not source.startswith(WEAK)

    def _due(self, run: int, before: int) -> bool:
        waiting = self._open.get(run, ())
        return len(waiting) > 0 and waiting[0] < before

    def _settle(self, run: int, before: int) -> None:
        """Judge all texts with a run of words up to a moment, in their order: each rests on those before it."""
        waiting = self._open.get(run, [])
        due = waiting[: bisect_left(waiting, before)]
        del waiting[: len(due)]
        for number in due:
            if not self.source(number):
                self._own[run] = min(number, self._own.get(run, number))
            elif self._carries(number):
                self._echoed[run] = min(number, self._echoed.get(run, number))

    def _read_until(self, before: int) -> None:
        while self._read < before:
            number, self._read = self._read, self._read + 1
            if number in self._said and (len(self._own) + len(self._open) < RUNS_MAX or self._carries(number)):
                self._place(number, set(digests.shingles(folded(self._said[number]))))

    def _place(self, number: int, runs: set[int]) -> None:
        # A set is held against a dictionary itself, not against its keys: these would all be gone through.
        if number not in self._waiting and number not in self._tainted:
            self._own.update(dict.fromkeys(runs.difference(self._own), number))
            return
        new = runs.difference(self._open)
        for run in runs - new:
            self._open[run].append(number)
        self._open.update({run: [number] for run in new})
