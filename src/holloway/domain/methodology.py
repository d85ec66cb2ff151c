"""Methodologies: how a way of working maps onto holloway's phases, work units, roles and types of memories."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from holloway.domain.memory import MemoryType
from holloway.domain.work import Phase, WorkUnit
from holloway.errors import InvalidInput

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from holloway.domain.memory_details import WorkState
    from holloway.domain.work import Outcome


@dataclass(frozen=True, slots=True)
class Relay:
    """Who hands memories to whom; no types means all of them."""

    giver: str
    taker: str
    types: frozenset[MemoryType] = frozenset()


@dataclass(frozen=True, slots=True)
class Methodology:
    """How one way of working maps onto holloway's words."""

    id: str
    name: str
    phases: dict[str, Phase]
    levels: tuple[str, ...] = ()
    relays: tuple[Relay, ...] = field(default=())
    types: Mapping[str, MemoryType] = field(default_factory=dict)
    """Types of memories that this methodology adds, each as a kind of one of holloway's own."""
    on_complete: Callable[[WorkUnit, Outcome], None] | None = None
    """Called when a session in a work unit is finished, after it was learned from."""
    relay_text: Callable[[str, str, Sequence[str]], str] | None = None
    """Giver, taker and what is handed over, one line each, in the words of this methodology."""
    work_text: Callable[[WorkState, str], str] | None = None
    """Unfinished work and the usual words for it, in the words of this methodology."""

    @property
    def roles(self) -> frozenset[str]:
        """The roles that hand memories to each other."""
        return frozenset(name for relay in self.relays for name in (relay.giver, relay.taker))

    def relay(self, giver: str, taker: str) -> Relay:
        """Return the relay between two roles; raises InvalidInput if the methodology does not define it."""
        for relay in self.relays:
            if (relay.giver, relay.taker) == (giver, taker):
                return relay
        pairs = ", ".join(f"{relay.giver} to {relay.taker}" for relay in self.relays)
        raise InvalidInput(f"{self.id} hands nothing from {giver!r} to {taker!r}.", f"Known: {pairs or 'none'}.")

    def phase(self, name: str) -> Phase:
        """Return the universal phase of a phase of this methodology; an unknown one counts as exploring."""
        key = name.strip().lower().replace("-", "_").replace(" ", "_")
        if key in set(Phase):
            return Phase(key)
        return self.phases.get(key, Phase.EXPLORE)

    def typed(self, text: str, kind: str) -> tuple[str, str]:
        """Return text and type for a type that the methodology adds; its name becomes part of the text, for search."""
        if kind not in self.types:
            return text, kind
        return f"{kind.replace('_', ' ').capitalize()}: {text}", str(self.types[kind])

    def work_unit(self, *path: str) -> WorkUnit:
        """The unit with these names, outermost first."""
        names = tuple(name for name in path if name)
        if not names:
            raise InvalidInput(
                "A work unit needs at least one name.", f"Levels of {self.id}: {', '.join(self.levels)}."
            )
        titles = (*self.levels, *("part",) * len(names))
        label = " / ".join(f"{title.capitalize()} {name}" for title, name in zip(titles, names, strict=False))
        return WorkUnit(self.id, names, label)


NATIVE = Methodology(
    "native",
    "Specs and subtasks",
    {
        "planning": Phase.DEFINE,
        "spec": Phase.DEFINE,
        "coding": Phase.IMPLEMENT,
        "qa_review": Phase.VALIDATE,
        "qa_fix": Phase.REFINE,
        "debugging": Phase.REFINE,
        "insights": Phase.EXPLORE,
    },
    ("spec", "subtask"),
    (
        Relay("planner", "coder"),
        Relay("coder", "qa_reviewer"),
        Relay("qa_reviewer", "qa_fixer", frozenset({MemoryType.ERROR_PATTERN, MemoryType.REQUIREMENT})),
    ),
)
TDD = Methodology(
    "tdd",
    "Test-driven development",
    {"red": Phase.DEFINE, "green": Phase.IMPLEMENT, "refactor": Phase.REFINE, "review": Phase.VALIDATE},
    ("feature", "test"),
    (Relay("tester", "coder"), Relay("coder", "refactorer")),
)
BMAD = Methodology(
    "bmad",
    "BMAD",
    {
        "analysis": Phase.EXPLORE,
        "analyst": Phase.EXPLORE,
        "pm": Phase.DEFINE,
        "prd": Phase.DEFINE,
        "architect": Phase.DEFINE,
        "architecture": Phase.DEFINE,
        "sm": Phase.DEFINE,
        "story": Phase.DEFINE,
        "dev": Phase.IMPLEMENT,
        "qa": Phase.VALIDATE,
        "retrospective": Phase.REFLECT,
    },
    ("epic", "story", "task"),
    (
        Relay("analyst", "pm"),
        Relay("pm", "architect"),
        Relay("architect", "dev"),
        Relay("dev", "qa"),
        Relay(
            "qa",
            "dev",
            frozenset({MemoryType.ERROR_PATTERN, MemoryType.REQUIREMENT, MemoryType.E2E_OBSERVATION}),
        ),
    ),
)
AGILE = Methodology(
    "agile",
    "Agile sprints",
    {
        "backlog": Phase.EXPLORE,
        "refinement": Phase.DEFINE,
        "sprint_planning": Phase.DEFINE,
        "development": Phase.IMPLEMENT,
        "review": Phase.VALIDATE,
        "sprint_review": Phase.VALIDATE,
        "bugfix": Phase.REFINE,
        "retrospective": Phase.REFLECT,
    },
    ("epic", "story", "task"),
    (
        Relay("product_owner", "developer"),
        Relay("developer", "tester"),
        Relay("tester", "developer", frozenset({MemoryType.ERROR_PATTERN, MemoryType.REQUIREMENT})),
    ),
)
PLAIN = Methodology("plain", "No methodology", {}, ("task",))

_known = {methodology.id: methodology for methodology in (NATIVE, TDD, BMAD, AGILE, PLAIN)}


def find_methodology(name: str) -> Methodology:
    """Return the methodology registered under that name; raises InvalidInput if there is none."""
    if name in _known:
        return _known[name]
    raise InvalidInput(f"There is no methodology {name[:60]!r}.", f"Known: {', '.join(sorted(_known))}.")


def register(new: Methodology) -> None:
    """Register a caller's methodology by its id."""
    if new.id in _known and _known[new.id] != new:
        raise InvalidInput(f"The methodology {new.id!r} exists already.", "Choose another id.")
    _known[new.id] = new
