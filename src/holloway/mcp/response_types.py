"""Response types of the MCP tools: few fields, the important ones first. Stored text is neutralised before."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Kind = Literal["gotcha", "decision", "requirement", "preference", "pattern", "module_insight", "dead_end"]
"""Memory types that an agent can record in a sentence; the others are only observed."""
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
class RelationInput:
    """An edge between two locations, each a path or path:symbol."""

    source: str
    kind: Relates
    target: str


@dataclass(frozen=True)
class Hit:
    """A memory in short form."""

    id: str
    type: str
    text: str
    state: str
    confidence: float
    files: tuple[str, ...] = ()


@dataclass(frozen=True)
class SearchResponse:
    """Search results, best first."""

    memories: tuple[Hit, ...] = ()
    note: str = ""


@dataclass(frozen=True)
class FullMemory:
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
class RecordResponse:
    """Result of recording a memory."""

    recorded: bool
    in_session: int = 0
    secrets_cut: tuple[str, ...] = ()
    related: str = ""
    note: str = ""


@dataclass(frozen=True)
class FeedbackResponse:
    """Result of feedback on a memory."""

    outcome: Literal["counted", "disputed", "unchanged"]
    confidence: float | None = None
    note: str = ""


@dataclass(frozen=True)
class FileLocation:
    """A located file, with the reasons for its rank."""

    path: str
    reasons: tuple[str, ...] = ()
    symbols: tuple[str, ...] = ()


@dataclass(frozen=True)
class LocateResponse:
    """Files of a task, with tests and co-changed files."""

    files: tuple[FileLocation, ...] = ()
    tests: tuple[str, ...] = ()
    coupled: tuple[str, ...] = ()
    note: str = ""


@dataclass(frozen=True)
class ReachedLocation:
    """A symbol or file that a change affects, or that it depends on."""

    at: str
    line: int
    depth: int
    via: str


@dataclass(frozen=True)
class ImpactResponse:
    """Effects of a change, nearest first."""

    total: int = 0
    complete: bool = True
    reached: tuple[ReachedLocation, ...] = ()
    tests: tuple[str, ...] = ()
    coupled: tuple[str, ...] = ()
    relations: tuple[str, ...] = ()
    memories: tuple[Hit, ...] = ()
    note: str = ""


@dataclass(frozen=True)
class RecipeItem:
    """Steps by which a task was done here before."""

    id: str
    task: str
    steps: tuple[str, ...]
    state: str
    confidence: float


@dataclass(frozen=True)
class Recipes:
    """Recipes for a task, and the project's build, test and lint commands."""

    recipes: tuple[RecipeItem, ...] = ()
    build: tuple[str, ...] = ()
    test: tuple[str, ...] = ()
    lint: tuple[str, ...] = ()
    note: str = ""


@dataclass(frozen=True)
class ModuleInfo:
    """Current description of a module."""

    name: str
    purpose: str = ""
    core: tuple[str, ...] = ()
    files: int = 0
    note: str = ""


@dataclass(frozen=True)
class Context:
    """Context of a session: the brief, and the number of memories recorded in it."""

    brief: str = ""
    recorded: int = 0
    note: str = ""
