"""Sessions, work units and phases: how the work that memories come from is divided."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Phase(StrEnum):
    """The six phases that every methodology maps onto."""

    DEFINE = "define"
    IMPLEMENT = "implement"
    VALIDATE = "validate"
    REFINE = "refine"
    EXPLORE = "explore"
    REFLECT = "reflect"


@dataclass(frozen=True, slots=True)
class WorkUnit:
    """A piece of work, named from the outside in: a spec and its subtask, an epic and its story."""

    methodology: str
    path: tuple[str, ...]
    label: str = ""


class SessionType(StrEnum):
    """The purpose of a session."""

    BUILD = "build"
    INSIGHTS = "insights"
    ROADMAP = "roadmap"
    TERMINAL = "terminal"
    CHANGELOG = "changelog"
    SPEC_CREATION = "spec_creation"
    PR_REVIEW = "pr_review"


PHASES_BY_TYPE = {
    SessionType.BUILD: Phase.IMPLEMENT,
    SessionType.INSIGHTS: Phase.EXPLORE,
    SessionType.ROADMAP: Phase.DEFINE,
    SessionType.TERMINAL: Phase.REFINE,
    SessionType.CHANGELOG: Phase.REFLECT,
    SessionType.SPEC_CREATION: Phase.DEFINE,
    SessionType.PR_REVIEW: Phase.VALIDATE,
}
"""The phase of a session of each type, unless its caller names another one."""


class Outcome(StrEnum):
    """How a session ended."""

    SUCCESS = "success"
    PARTIAL = "partial"
    FAILURE = "failure"
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True)
class SessionSummary:
    """A session as the ledger keeps it."""

    id: str
    agent: str
    started_at: str
    last_event_at: str
    ended_at: str = ""
    type: SessionType | None = None
    phase: Phase | None = None
    outcome: Outcome | None = None
    evidence: str = ""
    task: str = ""
    branch: str = ""
    commit: str = ""
    work_unit: WorkUnit | None = None
