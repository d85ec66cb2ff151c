"""What the tools answer: few fields, the telling ones first. Stored words are made harmless before they get here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Kind = Literal["gotcha", "decision", "requirement", "preference", "pattern", "module_insight", "dead_end"]
"""The types that an agent can tell in a sentence; the others are observed."""
Verdict = Literal["used", "wrong", "outdated"]
Direction = Literal["dependents", "dependencies"]
Relates = Literal[
    "is_impact_of",
    "documents",
    "violates",
    "supersedes",
    "is_entrypoint_for",
    "flows_to",
    "handles_errors_from",
    "owns_data_for",
    "applies_pattern",
    "depends_logically",
]


@dataclass(frozen=True)
class Relation:
    """An edge between two places, each a path or path:symbol."""

    source: str
    kind: Relates
    target: str


@dataclass(frozen=True)
class Hit:
    """A memory on a line."""

    id: str
    type: str
    text: str
    state: str
    confidence: float
    files: tuple[str, ...] = ()


@dataclass(frozen=True)
class Found:
    """Memories that answer a question, best first."""

    memories: tuple[Hit, ...] = ()
    note: str = ""


@dataclass(frozen=True)
class Whole:
    """One memory in full."""

    id: str
    type: str
    text: str
    state: str
    confidence: float
    source: str
    updated: str
    details: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    modules: tuple[str, ...] = ()
    sessions: int = 0
    related: tuple[str, ...] = ()
    replaced_by: str = ""
    note: str = ""


@dataclass(frozen=True)
class Kept:
    """What became of something to remember."""

    recorded: bool
    in_session: int = 0
    secrets_cut: tuple[str, ...] = ()
    related: str = ""
    note: str = ""


@dataclass(frozen=True)
class Judged:
    """What became of a verdict."""

    outcome: Literal["counted", "disputed", "unchanged"]
    confidence: float | None = None
    note: str = ""


@dataclass(frozen=True)
class Place:
    """A file, and why it is one."""

    path: str
    reasons: tuple[str, ...] = ()
    symbols: tuple[str, ...] = ()


@dataclass(frozen=True)
class Places:
    """Where a task happens."""

    files: tuple[Place, ...] = ()
    tests: tuple[str, ...] = ()
    coupled: tuple[str, ...] = ()
    note: str = ""


@dataclass(frozen=True)
class Reached:
    """A place that a change reaches, or that it rests on."""

    at: str
    line: int
    depth: int
    via: str


@dataclass(frozen=True)
class Impact:
    """What a change reaches, nearest first."""

    total: int = 0
    complete: bool = True
    reached: tuple[Reached, ...] = ()
    tests: tuple[str, ...] = ()
    coupled: tuple[str, ...] = ()
    relations: tuple[str, ...] = ()
    memories: tuple[Hit, ...] = ()
    note: str = ""


@dataclass(frozen=True)
class Recipe:
    """How a task was done here before."""

    id: str
    task: str
    steps: tuple[str, ...]
    state: str
    confidence: float


@dataclass(frozen=True)
class Recipes:
    """Recipes for a task, and the project's own commands."""

    recipes: tuple[Recipe, ...] = ()
    build: tuple[str, ...] = ()
    test: tuple[str, ...] = ()
    lint: tuple[str, ...] = ()
    note: str = ""


@dataclass(frozen=True)
class Described:
    """A module as it stands now."""

    name: str
    purpose: str = ""
    core: tuple[str, ...] = ()
    files: int = 0
    note: str = ""


@dataclass(frozen=True)
class Context:
    """What a session starts with."""

    brief: str = ""
    recorded: int = 0
    note: str = ""
