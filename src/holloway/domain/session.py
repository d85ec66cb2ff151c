"""Sessions: one run of an agent, what kind it was and how it ended."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from holloway.domain.work import Phase, WorkUnit


class SessionType(StrEnum):
    """The purpose of a session."""

    BUILD = "build"
    INSIGHTS = "insights"
    ROADMAP = "roadmap"
    TERMINAL = "terminal"
    CHANGELOG = "changelog"
    SPEC_CREATION = "spec_creation"
    PR_REVIEW = "pr_review"


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
