"""Statement log: the texts of a session in order, with a lazy taint check that tells own text from untrusted text.

Whether a statement of the agent is tainted depends on earlier statements, and most are never looked up again. So each
statement is stored with its taint check, which is evaluated on demand as of the moment of the statement.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING

from holloway.observer import text_digests
from holloway.observer.text_digests import fold_text

if TYPE_CHECKING:
    from collections.abc import Iterable

TaintCheck = Callable[[int], str]
"""Returns the taint source of a text as of the given statement number, or an empty string."""
WEAK_SOURCES = ("history:", "output:", "subagent")
"""Weak sources mostly repeat the project's own text: only text that quotes, names or resembles them is tainted."""
RUNS_MAX = 100_000
"""Limit of indexed runs of words, for own and for doubtful statements each. Past it, clean statements are no longer
indexed, so that text counts as untrusted too often; past twice the limit, all text does."""
TAINT_DEPTH_MAX = 16
"""Recursion limit of taint checks that depend on each other; past it all statements are evaluated in order."""


class StatementLog:
    """Texts by number. A tainted text is not the session's own; taint by more than a weak source carries on."""

    def __init__(self) -> None:
        self._texts: list[str] = []
        self._pending_checks: dict[int, TaintCheck] = {}
        self._tainted: dict[int, str] = {}
        self._own_runs = _RunIndex()
        self._doubtful_runs = _RunIndex()
        """Runs of all statements with a taint check, whatever its result."""
        self._not_clean: dict[int, int] = {}
        self._not_carrying: dict[int, int] = {}
        """For each run, the number of doubtful texts, from the first on, that are already known not to match."""
        self._evaluated_count = 0
        self._depth = 0

    def __len__(self) -> int:
        return len(self._texts)

    def add_seen_text(self, text: str, taint_check: TaintCheck | None = None) -> int:
        """Add a tool's input or output and return its number; without a taint check it is clean."""
        number = len(self._texts)
        self._texts.append(text.lower())
        if taint_check is not None:
            self._pending_checks[number] = taint_check
        return number

    def add_statement(self, text: str, taint_check: TaintCheck | None = None) -> int:
        """Add a statement and return its number; without a taint check it is the session's own."""
        number = self.add_seen_text(text, taint_check)
        (self._own_runs if taint_check is None else self._doubtful_runs).add_text(number, text)
        return number

    def find_taint_source(self, number: int) -> str:
        """Return the taint source of a text, or an empty string."""
        if number in self._pending_checks and self._depth > TAINT_DEPTH_MAX:
            while self._evaluated_count < number:
                self._evaluate_taint(self._evaluated_count)
                self._evaluated_count += 1
        return self._evaluate_taint(number)

    def has_own_run(self, run: int, before: int) -> bool:
        """Whether a run of words is the session's own, because an earlier clean statement contains it."""
        self._own_runs.index_until(before, lambda number: False)
        if self._own_runs.has_run(run, before):
            return True
        self._doubtful_runs.index_until(before, self._is_taint_carrier)
        return self._doubtful_runs.find_first(run, before, self._is_clean, self._not_clean) is not None

    def has_clean_name(self, name: str, before: int) -> bool:
        """Whether an earlier clean text contains a name."""
        candidates = (number for number, text in enumerate(self._texts[:before]) if name in text)
        naming = (
            number
            for number in candidates
            if any(name in names for names in text_digests.extract_names(fold_text(self._texts[number])))
        )
        return any(not self.find_taint_source(number) for number in naming)

    def find_echoes(self, runs: Iterable[int], before: int, min_count: int) -> dict[int, int]:
        """Map each of these runs that an earlier tainted statement contains to the first such statement.

        Returns an empty mapping if fewer runs than the minimum can match.
        """
        self._doubtful_runs.index_until(before, self._is_taint_carrier)
        candidates = [run for run in runs if self._doubtful_runs.has_run(run, before)]
        if len(candidates) < min_count:
            return {}
        first = {
            run: self._doubtful_runs.find_first(run, before, self._is_taint_carrier, self._not_carrying)
            for run in candidates
        }
        return {run: number for run, number in first.items() if number is not None}

    @property
    def has_overflowed(self) -> bool:
        """Whether there are more doubtful runs than the index holds."""
        return len(self._doubtful_runs) >= 2 * RUNS_MAX

    def _evaluate_taint(self, number: int) -> str:
        judge = self._pending_checks.get(number)
        if judge is not None:
            self._depth += 1
            source = judge(number)
            self._depth -= 1
            del self._pending_checks[number]
            if source:
                self._tainted[number] = source
        return self._tainted.get(number, "")

    def _is_clean(self, number: int) -> bool:
        return not self.find_taint_source(number)

    def _is_taint_carrier(self, number: int) -> bool:
        source = self.find_taint_source(number)
        return bool(source) and not source.startswith(WEAK_SOURCES)


class _RunIndex:
    """Index of runs of words by text number, built lazily because most texts are never looked up."""

    def __init__(self) -> None:
        self._unread: deque[tuple[int, str]] = deque()
        self._first: dict[int, int] = {}
        self._repeats: dict[int, list[int]] = {}

    def __len__(self) -> int:
        return len(self._first)

    def add_text(self, number: int, text: str) -> None:
        """Queue a text; its number must be greater than all earlier ones."""
        self._unread.append((number, text))

    def index_until(self, before: int, must_index: Callable[[int], bool]) -> None:
        """Index the queued texts before a moment; past the limit only those that must be indexed."""
        while self._unread and self._unread[0][0] < before:
            number, text = self._unread.popleft()
            if len(self._first) < RUNS_MAX or must_index(number):
                self._index_runs(number, set(text_digests.hash_shingles(fold_text(text))))

    def has_run(self, run: int, before: int) -> bool:
        """Whether a text before a moment contains a run of words."""
        return self._first.get(run, before) < before

    def find_first(
        self, run: int, before: int, is_match: Callable[[int], bool], skipped_counts: dict[int, int]
    ) -> int | None:
        """Return the first text before a moment that contains a run and matches, or None.

        The result for a text never changes: the last argument caches how many do not match, so none is checked twice.
        """
        repeats = self._repeats.get(run, ())
        index = skipped_counts.get(run, 0)
        while (
            index <= len(repeats) and (number := repeats[index - 1] if index else self._first.get(run, before)) < before
        ):
            if is_match(number):
                return number
            index += 1
            skipped_counts[run] = index
        return None

    def _index_runs(self, number: int, runs: set[int]) -> None:
        # Pass the dictionary itself: with its keys view, difference() would iterate over all of them.
        new = runs.difference(self._first)
        self._first.update(dict.fromkeys(new, number))
        for run in runs - new:
            self._repeats.setdefault(run, []).append(number)
