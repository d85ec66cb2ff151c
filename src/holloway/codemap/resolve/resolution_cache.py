"""What was found out before, with the files that were looked at for it; questions that lead back to themselves end."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from holloway.codemap.resolve.targets import few

if TYPE_CHECKING:
    from collections.abc import Callable

    from holloway.codemap.resolve.targets import Targets

    Question = tuple[str, str, int, str]
    """What is asked, of which file, in which scope, of which name."""
    Answer = Callable[[str, int, str], Targets]

DEPTH_MAX = 30
"""Assignments, returns and re-exports that are followed from one to the next."""
ANSWERS_KEPT = 30_000
"""Names whose meaning is kept while other files are resolved: about 10 MB."""

_UNCUT = DEPTH_MAX + 1


class Partial(NamedTuple):
    """An answer that was cut short."""

    targets: Targets
    seen: set[str]
    cut: int
    """The place of the outermost question that it led back to."""
    position: int
    """Its own place: further out there is room for more steps."""


class Answers:
    """Each question is answered once. The answers are the same in whatever order the questions come."""

    def __init__(self) -> None:
        self.seen: set[str] = set()
        """The files that were looked at for what is being found out."""
        self._known: dict[Question, tuple[Targets, frozenset[str]]] = {}
        self._sets: dict[frozenset[str], frozenset[str]] = {}
        """What was looked at, each set once: most answers share theirs with others."""
        self._stack: dict[Question, int] = {}
        """What is being found out, each with its place in the order."""
        self._cut = _UNCUT
        """The outermost question that a broken-off one led back to: what lies between depends on who asked."""
        self._partial: dict[Question, Partial] = {}
        """What was cut short, for as long as what it led back to is being found out: it would be cut short again."""
        self._waiting: dict[int, list[Question]] = {}
        """For each place in the order what goes from there when it has been found out."""

    @property
    def is_whole(self) -> bool:
        """Whether what is being found out was not cut short so far."""
        return self._cut == _UNCUT

    def begin(self, path: str) -> None:
        """Turn to another file. The one before may have been broken off."""
        self.seen = {path}
        self._stack.clear()
        self._partial.clear()
        self._waiting.clear()
        self._cut = _UNCUT
        if len(self._known) > ANSWERS_KEPT:
            self._known.clear()
            self._sets.clear()

    def remembered(self, question: Question, answer: Answer) -> Targets:
        """Find out once, with what was looked at; a result that was cut short by a cycle is not kept for others."""
        known = self._known.get(question)
        if known is not None:
            self.seen.update(known[1])
            return known[0]
        position = len(self._stack)
        partial = self._partial.get(question) if self._partial else None
        if partial is not None and position >= partial.position:
            self.seen.update(partial.seen)
            self._cut = min(self._cut, partial.cut)
            return partial.targets
        if question in self._stack or position >= DEPTH_MAX:
            self._cut = min(self._cut, self._stack.get(question, 0))
            return ()
        outer, self.seen = self.seen, set()
        before, self._cut = self._cut, _UNCUT
        self._stack[question] = position
        targets = few(answer(*question[1:]))
        del self._stack[question]
        found, self.seen = self.seen, outer
        outer |= found
        if self._waiting:
            self._let_go(position)
        if self._cut >= position:
            self._keep(question, targets, found)
            self._cut = before
        else:
            self._partial[question] = Partial(targets, found, self._cut, position)
            self._waiting.setdefault(self._cut, []).append(question)
            self._cut = min(before, self._cut)
        return targets

    def _let_go(self, position: int) -> None:
        """Forget what was cut short because it led back to a question that is answered now."""
        for question in self._waiting.pop(position, ()):
            self._partial.pop(question, None)

    def asked_once(self, question: Question, answer: Answer) -> Targets:
        """The same for the outermost question, where nobody will ask it again."""
        if question in self._known:
            return self.remembered(question, answer)
        self._stack[question] = 0
        targets = few(answer(*question[1:]))
        del self._stack[question]
        self._let_go(0)
        self._cut = _UNCUT
        return targets

    def kept(self, question: Question, answer: Answer) -> Targets:
        """The same for a question that is no step of its own: it cannot lead back to itself but through others."""
        known = self._known.get(question)
        if known is not None:
            self.seen.update(known[1])
            return known[0]
        outer, self.seen = self.seen, set()
        before, self._cut = self._cut, _UNCUT
        targets = answer(*question[1:])
        found, self.seen = self.seen, outer
        outer |= found
        if self.is_whole:
            self._keep(question, targets, found)
        self._cut = min(before, self._cut)
        return targets

    def _keep(self, question: Question, targets: Targets, found: set[str]) -> None:
        seen = frozenset(found)
        self._known[question] = (targets, self._sets.setdefault(seen, seen))
