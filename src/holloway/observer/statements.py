"""Statement log: the texts of a session in order, with a lazy taint check that tells own text from untrusted text.

Whether a statement of the agent is tainted depends on earlier statements, and most are never looked up again. So each
statement is stored with its taint check, which is evaluated on demand as of the moment of the statement.
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
"""Returns the taint source of a text as of the given statement number, or an empty string."""
WEAK = ("history:", "output:", "subagent")
"""Weak sources mostly repeat the project's own text: only text that quotes, names or resembles them is tainted."""
RUNS_MAX = 100_000
"""Limit of indexed runs of words, for own and for doubtful statements each. Past it, clean statements are no longer
indexed, so that text counts as untrusted too often; past twice the limit, all text does."""
NESTED_MAX = 16
"""Recursion limit of taint checks that depend on each other; past it all statements are evaluated in order."""


class Sayings:
    """Texts by number. A tainted text is not the session's own; taint by more than a weak source carries on."""

    def __init__(self) -> None:
        self._seen: list[str] = []
        self._waiting: dict[int, Judge] = {}
        self._tainted: dict[int, str] = {}
        self._own = _Runs()
        self._doubtful = _Runs()
        """Runs of all statements with a taint check, whatever its result."""
        self._not_clean: dict[int, int] = {}
        self._not_carrying: dict[int, int] = {}
        """For each run, the number of doubtful texts, from the first on, that are already known not to match."""
        self._judged = 0
        self._nested = 0

    def __len__(self) -> int:
        return len(self._seen)

    def saw(self, text: str, judge: Judge | None = None) -> int:
        """Add a tool's input or output and return its number; without a taint check it is clean."""
        number = len(self._seen)
        self._seen.append(text.lower())
        if judge is not None:
            self._waiting[number] = judge
        return number

    def said(self, text: str, judge: Judge | None = None) -> int:
        """Add a statement and return its number; without a taint check it is the session's own."""
        number = self.saw(text, judge)
        (self._own if judge is None else self._doubtful).add(number, text)
        return number

    def source(self, number: int) -> str:
        """Return the taint source of a text, or an empty string."""
        if number in self._waiting and self._nested > NESTED_MAX:
            while self._judged < number:
                self._judge(self._judged)
                self._judged += 1
        return self._judge(number)

    def was_said(self, run: int, before: int) -> bool:
        """Whether a run of words is the session's own, because an earlier clean statement contains it."""
        self._own.read_until(before, lambda number: False)
        if self._own.has(run, before):
            return True
        self._doubtful.read_until(before, self._carries)
        return self._doubtful.first(run, before, self._is_clean, self._not_clean) is not None

    def was_seen(self, name: str, before: int) -> bool:
        """Whether an earlier clean text contains a name."""
        candidates = (number for number, text in enumerate(self._seen[:before]) if name in text)
        naming = (
            number
            for number in candidates
            if any(name in names for names in text_digests.names(folded(self._seen[number])))
        )
        return any(not self.source(number) for number in naming)

    def echoes(self, runs: Iterable[int], before: int, least: int) -> dict[int, int]:
        """Map each of these runs that an earlier tainted statement contains to the first such statement.

        Returns an empty mapping if fewer runs than the minimum can match.
        """
        self._doubtful.read_until(before, self._carries)
        candidates = [run for run in runs if self._doubtful.has(run, before)]
        if len(candidates) < least:
            return {}
        first = {run: self._doubtful.first(run, before, self._carries, self._not_carrying) for run in candidates}
        return {run: number for run, number in first.items() if number is not None}

    @property
    def overflowed(self) -> bool:
        """Whether there are more doubtful runs than the index holds."""
        return len(self._doubtful) >= 2 * RUNS_MAX

    def _judge(self, number: int) -> str:
        judge = self._waiting.get(number)
        if judge is not None:
            self._nested += 1
            source = judge(number)
            self._nested -= 1
            del self._waiting[number]
            if source:
                self._tainted[number] = source
        return self._tainted.get(number, "")

    def _is_clean(self, number: int) -> bool:
        return not self.source(number)

    def _carries(self, number: int) -> bool:
        source = self.source(number)
        return bool(source) and not source.startswith(WEAK)


class _Runs:
    """Index of runs of words by text number, built lazily because most texts are never looked up."""

    def __init__(self) -> None:
        self._unread: deque[tuple[int, str]] = deque()
        self._first: dict[int, int] = {}
        self._again: dict[int, list[int]] = {}

    def __len__(self) -> int:
        return len(self._first)

    def add(self, number: int, text: str) -> None:
        """Queue a text; its number must be greater than all earlier ones."""
        self._unread.append((number, text))

    def read_until(self, before: int, at_any_rate: Callable[[int], bool]) -> None:
        """Index the queued texts before a moment; past the limit only those that must be indexed."""
        while self._unread and self._unread[0][0] < before:
            number, text = self._unread.popleft()
            if len(self._first) < RUNS_MAX or at_any_rate(number):
                self._place(number, set(text_digests.shingles(folded(text))))

    def has(self, run: int, before: int) -> bool:
        """Whether a text before a moment contains a run of words."""
        return self._first.get(run, before) < before

    def first(self, run: int, before: int, wanted: Callable[[int], bool], passed: dict[int, int]) -> int | None:
        """Return the first text before a moment that contains a run and matches, or None.

        The result for a text never changes: the last argument caches how many do not match, so none is checked twice.
        """
        repeats = self._again.get(run, ())
        index = passed.get(run, 0)
        while (
            index <= len(repeats) and (number := repeats[index - 1] if index else self._first.get(run, before)) < before
        ):
            if wanted(number):
                return number
            index += 1
            passed[run] = index
        return None

    def _place(self, number: int, runs: set[int]) -> None:
        # Pass the dictionary itself: with its keys view, difference() would iterate over all of them.
        new = runs.difference(self._first)
        self._first.update(dict.fromkeys(new, number))
        for run in runs - new:
            self._again.setdefault(run, []).append(number)
