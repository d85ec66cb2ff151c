"""Typed details: what a memory of some type says beyond its sentence."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum


class E2EKind(StrEnum):
    """Subject of an observation in a running application."""

    PRECONDITION = "precondition"
    TEST_SEQUENCE = "test_sequence"
    TIMING = "timing"
    MCP_GOTCHA = "mcp_gotcha"
    UI_BEHAVIOR = "ui_behavior"


@dataclass(frozen=True, slots=True)
class Decision:
    """Why something was chosen, and over what."""

    reason: str
    alternatives: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ErrorFix:
    """An error and what made it go away."""

    error: str
    fix: str
    command: str = ""
    fingerprint: str = ""


@dataclass(frozen=True, slots=True)
class DeadEnd:
    """An approach that was followed and left."""

    approach: str
    reason: str
    alternative: str = ""
    task: str = ""


@dataclass(frozen=True, slots=True)
class RecipeStep:
    """One step of a recipe."""

    description: str
    file: str = ""
    line: int | None = None


@dataclass(frozen=True, slots=True)
class Recipe:
    """How a recurring task is done here, step by step."""

    task: str
    steps: tuple[RecipeStep, ...]
    success_count: int = 0
    last_validated_at: str = ""


@dataclass(frozen=True, slots=True)
class Prefetch:
    """Files that sessions in a module read: always (over 80 %) and often (over 50 %)."""

    module: str
    always: tuple[str, ...] = ()
    frequent: tuple[str, ...] = ()
    sessions: int = 0


@dataclass(frozen=True, slots=True)
class CausalDependency:
    """When one file changes, another must too."""

    when: str
    then: str
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Calibration:
    """Steps that tasks in a module really took, against the plan."""

    module: str
    actual_steps: float
    planned_steps: float
    samples: int
    methodology: str = "plain"

    @property
    def ratio(self) -> float:
        """How many times the planned steps were needed."""
        return self.actual_steps / self.planned_steps if self.planned_steps else 1.0


@dataclass(frozen=True, slots=True)
class ContextCost:
    """Tokens that a session in a module uses."""

    module: str
    mean_tokens: float
    p90_tokens: float
    samples: int


@dataclass(frozen=True, slots=True)
class E2EObservation:
    """A fact seen in the running application."""

    kind: E2EKind
    tool: str = ""
    app_state: str = ""


@dataclass(frozen=True, slots=True)
class WorkState:
    """State of unfinished work."""

    task: str
    done: tuple[str, ...] = ()
    open: tuple[str, ...] = ()
    uncommitted: tuple[str, ...] = ()
    last_failure: str = ""
    next_step: str = ""


@dataclass(frozen=True, slots=True)
class WorkUnitOutcome:
    """How a work unit ended."""

    succeeded: bool
    files: tuple[str, ...] = ()
    decisions: tuple[str, ...] = ()
    steps: int = 0
    retries: int = 0
    tokens: int | None = None
    failure: str = ""


Details = (
    Decision
    | ErrorFix
    | DeadEnd
    | Recipe
    | Prefetch
    | CausalDependency
    | Calibration
    | ContextCost
    | E2EObservation
    | WorkState
    | WorkUnitOutcome
)


def without_quotes(state: WorkState) -> WorkState:
    """Unfinished work without its plan, failure and next step, which may quote a page or a tool."""
    return replace(state, done=(), open=(), last_failure="", next_step="")


def details_summary(details: object, content: str = "") -> str:
    """Return the addition of the details to a one-line view of a text: a reason, an alternative or a fix it lacks."""
    if isinstance(details, DeadEnd):
        return details.reason + (f"; instead: {details.alternative}" if details.alternative else "")
    if isinstance(details, ErrorFix):
        return "" if details.fix in content else f"fix: {details.fix}"
    return details.reason if isinstance(details, Decision | CausalDependency) else ""
