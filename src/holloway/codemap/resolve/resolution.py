"""Resolutions: the targets and edges that names resolve to, and the cache that answers each question once."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from holloway.codemap.parse.facts import MODULE_SCOPE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    Question = tuple[str, str, int, str]
    """Kind, file, scope and name that are resolved."""
    Answer = Callable[[str, int, str], "Targets"]

TARGETS_MAX = 6
"""Targets that one name may have before it counts as unknown."""
SURE = 0.95
BY_NAME = 0.8
ONE_OF_SEVERAL = 0.7
RESOLUTION_DEPTH_MAX = 30
"""Assignments, returns and re-exports that are followed from one to the next."""
ANSWERS_CACHED_MAX = 30_000
"""Cached answers, kept while other files are resolved: about 10 MB."""

_UNCUT = RESOLUTION_DEPTH_MAX + 1


class Target(NamedTuple):
    """One thing that an expression may refer to."""

    kind: str
    """definition, instance (of a class), super (the bases of a class), module, or package (outside the project)."""
    path: str
    at: int = MODULE_SCOPE


Targets = tuple[Target, ...]


def deduplicate_targets(targets: Iterable[Target]) -> Targets:
    """Deduplicate targets; more than the maximum count as unknown and give none."""
    unique = tuple(targets)
    if len(unique) > 1:
        unique = tuple(dict.fromkeys(unique))
    return unique if len(unique) <= TARGETS_MAX else ()


def follow_targets(targets: Targets, step: Callable[..., Targets], *arguments: str) -> Targets:
    """Apply a step to all targets and combine the results; nearly always there is one target."""
    if len(targets) == 1:
        return step(targets[0], *arguments)
    return deduplicate_targets(result for target in targets for result in step(target, *arguments))


def first_in_project(choices: Iterable[Targets]) -> Targets:
    """Return the first result that is in the project; otherwise the first external one, which may have any member."""
    external: Targets = ()
    for choice in choices:
        if any(target.kind != "package" for target in choice):
            return choice
        external = external or choice
    return external


class Edge(NamedTuple):
    """A dependency from a definition of the file (or the file itself) to a definition, a file or a package."""

    kind: str
    source: int
    path: str
    """The target's file, or the name of an external package."""
    target: int
    is_package: bool
    confidence: float
    line: int
    reverse: bool = False
    """Whether the edge runs the other way: from the target to this file."""


EdgeRow = tuple[str, int, str, int, bool, float, int, bool]
"""An `Edge` as a plain tuple."""


class Resolution(NamedTuple):
    """Everything that resolving one file gave."""

    edges: Sequence[EdgeRow]
    unresolved: list[tuple[str, str, int]]
    consulted: set[str]


class PartialAnswer(NamedTuple):
    """An answer that a cycle or the depth limit cut short."""

    targets: Targets
    consulted: set[str]
    cut: int
    """Stack position of the outermost question that it led back to."""
    position: int
    """Its own stack position: further out there is room for more steps."""


class ResolutionCache:
    """Answers each question once. The answers do not depend on the order of the questions."""

    def __init__(self) -> None:
        self.consulted: set[str] = set()
        """Files consulted for the question that is being answered."""
        self._cached: dict[Question, tuple[Targets, frozenset[str]]] = {}
        self._sets: dict[frozenset[str], frozenset[str]] = {}
        """Deduplicated sets of consulted files: most answers share theirs with others."""
        self._stack: dict[Question, int] = {}
        """Questions that are being answered, each with its position."""
        self._cut = _UNCUT
        """Outermost question that a cycle led back to: answers below it depend on who asked."""
        self._partial: dict[Question, PartialAnswer] = {}
        """Partial answers, reused until the question that they led back to is answered: until then they would be cut
        short again."""
        self._waiting: dict[int, list[Question]] = {}
        """Partial answers to discard, by the stack position whose question must be answered first."""

    @property
    def is_complete(self) -> bool:
        """Whether the current answer was not cut short so far."""
        return self._cut == _UNCUT

    def start_file(self, path: str) -> None:
        """Reset the state for another file, since resolving the previous one may have failed midway."""
        self.consulted = {path}
        self._stack.clear()
        self._partial.clear()
        self._waiting.clear()
        self._cut = _UNCUT
        if len(self._cached) > ANSWERS_CACHED_MAX:
            self._cached.clear()
            self._sets.clear()

    def resolve_once(self, question: Question, answer: Answer) -> Targets:
        """Answer a question and cache the answer; one that was cut short by a cycle is not cached for others."""
        cached = self._cached.get(question)
        if cached is not None:
            self.consulted.update(cached[1])
            return cached[0]
        position = len(self._stack)
        partial = self._partial.get(question) if self._partial else None
        if partial is not None and position >= partial.position:
            self.consulted.update(partial.consulted)
            self._cut = min(self._cut, partial.cut)
            return partial.targets
        if question in self._stack or position >= RESOLUTION_DEPTH_MAX:
            self._cut = min(self._cut, self._stack.get(question, 0))
            return ()
        outer, self.consulted = self.consulted, set()
        before, self._cut = self._cut, _UNCUT
        self._stack[question] = position
        targets = deduplicate_targets(answer(*question[1:]))
        del self._stack[question]
        consulted, self.consulted = self.consulted, outer
        outer |= consulted
        if self._waiting:
            self._discard_partials(position)
        if self._cut >= position:
            self._store_answer(question, targets, consulted)
            self._cut = before
        else:
            self._partial[question] = PartialAnswer(targets, consulted, self._cut, position)
            self._waiting.setdefault(self._cut, []).append(question)
            self._cut = min(before, self._cut)
        return targets

    def _discard_partials(self, position: int) -> None:
        """Discard partial answers that led back to a question that is answered now."""
        for question in self._waiting.pop(position, ()):
            self._partial.pop(question, None)

    def resolve_uncached(self, question: Question, answer: Answer) -> Targets:
        """Answer an outermost question without caching the answer, because nobody will ask it again."""
        if question in self._cached:
            return self.resolve_once(question, answer)
        self._stack[question] = 0
        targets = deduplicate_targets(answer(*question[1:]))
        del self._stack[question]
        self._discard_partials(0)
        self._cut = _UNCUT
        return targets

    def resolve_cached(self, question: Question, answer: Answer) -> Targets:
        """Answer and cache a question that cannot lead back to itself directly and takes no stack position."""
        cached = self._cached.get(question)
        if cached is not None:
            self.consulted.update(cached[1])
            return cached[0]
        outer, self.consulted = self.consulted, set()
        before, self._cut = self._cut, _UNCUT
        targets = answer(*question[1:])
        consulted, self.consulted = self.consulted, outer
        outer |= consulted
        if self.is_complete:
            self._store_answer(question, targets, consulted)
        self._cut = min(before, self._cut)
        return targets

    def _store_answer(self, question: Question, targets: Targets, consulted: set[str]) -> None:
        file_set = frozenset(consulted)
        self._cached[question] = (targets, self._sets.setdefault(file_set, file_set))
