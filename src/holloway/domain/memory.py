"""The data model of a memory: one lesson about a codebase with its provenance (session, commit, files, evidence)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from holloway.errors import InvalidInput

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holloway.domain.memory_details import Details
    from holloway.domain.work import WorkUnit


class MemoryType(StrEnum):
    """The sixteen kinds of memory."""

    GOTCHA = "gotcha"
    DECISION = "decision"
    PREFERENCE = "preference"
    PATTERN = "pattern"
    REQUIREMENT = "requirement"
    ERROR_PATTERN = "error_pattern"
    MODULE_INSIGHT = "module_insight"
    PREFETCH_PATTERN = "prefetch_pattern"
    WORK_STATE = "work_state"
    CAUSAL_DEPENDENCY = "causal_dependency"
    TASK_CALIBRATION = "task_calibration"
    E2E_OBSERVATION = "e2e_observation"
    DEAD_END = "dead_end"
    WORK_UNIT_OUTCOME = "work_unit_outcome"
    WORKFLOW_RECIPE = "workflow_recipe"
    CONTEXT_COST = "context_cost"

    @property
    def label(self) -> str:
        """The name as a person reads it."""
        return self.value.replace("_", " ")


class Source(StrEnum):
    """Who or what said it."""

    USER_TAUGHT = "user_taught"
    USER_CORRECTION = "user_correction"
    AGENT_EXPLICIT = "agent_explicit"
    OBSERVER_INFERRED = "observer_inferred"
    ERROR_FIX = "error_fix"
    QA_AUTO = "qa_auto"
    MCP_AUTO = "mcp_auto"
    COMMIT_AUTO = "commit_auto"
    AGENT_NOTE = "agent_note"
    AGENT_CONCLUDED = "agent_concluded"
    SYNTHESIS = "synthesis"
    RULES_FILE = "rules_file"
    FOREIGN_FILE = "foreign_file"
    COLLEAGUE = "colleague"


class State(StrEnum):
    """How far a memory may be believed. Only a person lifts quarantine."""

    QUARANTINED = "quarantined"
    UNCONFIRMED = "unconfirmed"
    CONFIRMED = "confirmed"
    STALE = "stale"


class Scope(StrEnum):
    """The part of the work that a memory is about."""

    GLOBAL = "global"
    MODULE = "module"
    WORK_UNIT = "work_unit"
    SESSION = "session"


class Visibility(StrEnum):
    """Who may see it."""

    PERSONAL = "personal"
    PROJECT = "project"
    TEAM = "team"
    ORGANISATION = "organisation"


class RelationType(StrEnum):
    """How one memory stands to another memory or to a file."""

    REQUIRED_WITH = "required_with"
    CONFLICTS_WITH = "conflicts_with"
    VALIDATES = "validates"
    SUPERSEDES = "supersedes"
    DERIVED_FROM = "derived_from"
    NAMES = "names"
    """From a memory to code that it names and its file had: `path:symbol` or `path:line of code`."""


class WrongReason(StrEnum):
    """Why a person marks a memory wrong."""

    OUTDATED = "outdated"
    PARTLY = "partly"
    NOT_HERE = "not_here"
    INCORRECT = "incorrect"


class ReviewReason(StrEnum):
    """Why a memory waits for a person."""

    TAINTED = "tainted"
    GUARDED = "guarded"
    IMPORTED = "imported"
    RULE = "rule"
    STALE = "stale"
    INFERRED = "inferred"
    DISPUTED = "disputed"
    STATED = "stated"


Kind = TypeVar("Kind", bound=StrEnum)
Each = TypeVar("Each")
CHOICE_CHARS_MAX = 60
"""Maximum length of a word that names a choice."""


def parse_choice(kind: type[Kind], value: object) -> Kind:
    """Return the enum member for a word; raises InvalidInput, naming the known members, if there is no match."""
    word = str(value)[:CHOICE_CHARS_MAX]
    try:
        return kind(word.strip().lower().replace("-", "_").replace(" ", "_"))
    except ValueError:
        name = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", kind.__name__).lower()
        from difflib import get_close_matches  # only on the error path

        close = get_close_matches(word.lower(), list(kind), n=1)
        suggestion = f"Did you mean {close[0]}? " if close else ""
        raise InvalidInput(f"There is no {name} {word!r}.", f"{suggestion}Known: {', '.join(kind)}.") from None


def as_tuple(name: str, values: Sequence[Each]) -> tuple[Each, ...]:
    """Return a list as a tuple; raises InvalidInput for a string, which type checkers accept as a sequence."""
    if isinstance(values, str):
        excerpt = values[:CHOICE_CHARS_MAX]
        raise InvalidInput(f"{name} cannot be the text {excerpt!r}.", f"It is a list, for example [{excerpt!r}].")
    return tuple(values)


@dataclass(frozen=True, slots=True)
class Relation:
    """An edge from a memory to another memory (by id) or to a file (by path)."""

    type: RelationType
    memory: str = ""
    path: str = ""
    confidence: float = 1.0
    automatic: bool = False


@dataclass(frozen=True, slots=True)
class Draft:
    """A memory to be stored, before it has passed the write gate."""

    content: str
    type: MemoryType = MemoryType.GOTCHA
    summary: str = ""
    details: Details | None = None
    files: tuple[str, ...] = ()
    modules: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    source: Source = Source.USER_TAUGHT
    scope: Scope = Scope.GLOBAL
    visibility: Visibility = Visibility.PROJECT
    chosen: bool = False
    state: State | None = None
    confidence: float | None = None
    review: ReviewReason | None = None
    pinned: bool = False
    session: str = ""
    agent: str = ""
    branch: str = ""
    branch_only: str = ""
    commit: str = ""
    work_unit: WorkUnit | None = None
    methodology: str = ""
    origin: str = ""
    relations: tuple[Relation, ...] = ()
    stated_at: str = ""


@dataclass(frozen=True, slots=True)
class Memory:
    """A memory as the store holds it."""

    id: str
    uid: str
    type: MemoryType
    content: str
    summary: str
    state: State
    confidence: float
    source: Source
    scope: Scope
    visibility: Visibility
    created_at: str
    updated_at: str
    last_used_at: str
    use_count: int = 0
    details: Details | None = None
    files: tuple[str, ...] = ()
    modules: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    relations: tuple[Relation, ...] = ()
    pinned: bool = False
    muted: bool = False
    """Whether agents are never told it unasked; searches still find it."""
    chosen: bool = False
    """Whether a person chose its visibility; only then it may leave this machine."""
    half_life_days: float | None = None
    review: ReviewReason | None = None
    review_after: str = ""
    session: str = ""
    sessions: tuple[str, ...] = ()
    agent: str = ""
    branch: str = ""
    branch_only: str = ""
    commit: str = ""
    work_unit: WorkUnit | None = None
    methodology: str = ""
    origin: str = ""
    stated_at: str = ""
    """When its evidence was stated, if that was before it was stored: the end of a session, the date of a commit."""
    stale_at: str = ""
    superseded_by: str = ""
    deleted_at: str = ""
    deleted_reason: str = ""

    @property
    def is_alive(self) -> bool:
        """Neither forgotten nor replaced."""
        return not self.deleted_at and not self.superseded_by


class Sketch(NamedTuple):
    """A memory without its words. Its files come in no particular order."""

    id: str
    type: MemoryType
    source: Source
    state: State
    confidence: float
    half_life_days: float | None
    pinned: bool
    last_used_at: str
    updated_at: str
    stale_at: str
    commit: str
    files: tuple[str, ...]
