"""Signal definitions: the score, target memory types and minimum number of sessions of each signal."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

from holloway.domain.memory import MemoryType, Source

if TYPE_CHECKING:
    from collections.abc import Mapping

T = MemoryType


class SignalName(StrEnum):
    """Names of the seventeen observed signals, and of explicit statements by people, agents and commits."""

    FILE_ACCESS = "file_access"
    CO_ACCESS = "co_access"
    ERROR_RETRY = "error_retry"
    BACKTRACK = "backtrack"
    READ_ABANDON = "read_abandon"
    REPEATED_GREP = "repeated_grep"
    SEQUENCE = "sequence"
    TIME_ANOMALY = "time_anomaly"
    SELF_CORRECTION = "self_correction"
    EXTERNAL_REFERENCE = "external_reference"
    GLOB_IGNORE = "glob_ignore"
    IMPORT_CHASE = "import_chase"
    TEST_ORDER = "test_order"
    CONFIG_TOUCH = "config_touch"
    STEP_OVERRUN = "step_overrun"
    PARALLEL_CONFLICT = "parallel_conflict"
    CONTEXT_TOKEN_SPIKE = "context_token_spike"  # noqa: S105  (a signal's name)
    USER_CORRECTION = "user_correction"
    COMMIT_AUTO = "commit_auto"
    AGENT_NOTE = "agent_note"
    CONCLUSION = "conclusion"
    USER_STATEMENT = "user_statement"
    DEAD_END = "dead_end"
    CAUSAL_STATEMENT = "causal_statement"
    AGENT_RECORD = "agent_record"
    QA_FINDING = "qa_finding"
    E2E = "e2e"
    READ_LESSON = "read_lesson"


class SignalSpec(NamedTuple):
    """Design values of a signal."""

    score: float
    types: tuple[MemoryType, ...]
    min_sessions: int
    source: Source = Source.OBSERVER_INFERRED
    self_validating: bool = False
    confidence: float | None = None
    """Initial confidence, if it is not that of the source."""


WRITTEN = frozenset(
    {
        SignalName.USER_CORRECTION,
        SignalName.AGENT_RECORD,
        SignalName.COMMIT_AUTO,
        SignalName.AGENT_NOTE,
        SignalName.CONCLUSION,
        SignalName.USER_STATEMENT,
    }
)
"""Signals of what somebody wrote down: every type of session teaches by them, up to one limit for all types."""

SIGNALS: dict[SignalName, SignalSpec] = {
    SignalName.CO_ACCESS: SignalSpec(0.91, (T.CAUSAL_DEPENDENCY, T.PREFETCH_PATTERN), 3),
    SignalName.SELF_CORRECTION: SignalSpec(0.88, (T.GOTCHA, T.MODULE_INSIGHT), 1),
    SignalName.ERROR_RETRY: SignalSpec(0.85, (T.ERROR_PATTERN, T.GOTCHA), 1, Source.ERROR_FIX, self_validating=True),
    SignalName.PARALLEL_CONFLICT: SignalSpec(0.82, (T.GOTCHA,), 1),
    SignalName.READ_ABANDON: SignalSpec(0.79, (T.GOTCHA,), 3),
    SignalName.REPEATED_GREP: SignalSpec(0.76, (T.MODULE_INSIGHT, T.GOTCHA), 2),
    SignalName.TEST_ORDER: SignalSpec(0.74, (T.TASK_CALIBRATION,), 3),
    SignalName.SEQUENCE: SignalSpec(0.73, (T.WORKFLOW_RECIPE,), 3),
    SignalName.FILE_ACCESS: SignalSpec(0.72, (T.PREFETCH_PATTERN,), 3),
    SignalName.STEP_OVERRUN: SignalSpec(0.71, (T.TASK_CALIBRATION,), 3),
    SignalName.BACKTRACK: SignalSpec(0.68, (T.GOTCHA,), 2),
    SignalName.CONFIG_TOUCH: SignalSpec(0.66, (T.CAUSAL_DEPENDENCY,), 2),
    SignalName.GLOB_IGNORE: SignalSpec(0.64, (T.GOTCHA,), 2),
    SignalName.CONTEXT_TOKEN_SPIKE: SignalSpec(0.63, (T.CONTEXT_COST,), 3),
    SignalName.EXTERNAL_REFERENCE: SignalSpec(0.61, (T.MODULE_INSIGHT,), 3),
    SignalName.IMPORT_CHASE: SignalSpec(0.52, (T.CAUSAL_DEPENDENCY,), 4),
    SignalName.TIME_ANOMALY: SignalSpec(0.48, (T.GOTCHA,), 3),
    SignalName.USER_CORRECTION: SignalSpec(
        0.90, (T.PREFERENCE, T.REQUIREMENT, T.GOTCHA), 1, Source.USER_CORRECTION, self_validating=True
    ),
    SignalName.COMMIT_AUTO: SignalSpec(0.80, (T.DECISION,), 1, Source.COMMIT_AUTO),
    SignalName.AGENT_NOTE: SignalSpec(0.80, (T.GOTCHA,), 1, Source.AGENT_NOTE),
    SignalName.CONCLUSION: SignalSpec(0.80, (T.GOTCHA,), 1, Source.AGENT_CONCLUDED),
    SignalName.USER_STATEMENT: SignalSpec(0.80, (T.PREFERENCE,), 1, Source.USER_CORRECTION, confidence=0.60),
    SignalName.DEAD_END: SignalSpec(0.80, (T.DEAD_END,), 1),
    SignalName.CAUSAL_STATEMENT: SignalSpec(0.80, (T.CAUSAL_DEPENDENCY,), 1),
    SignalName.AGENT_RECORD: SignalSpec(0.85, tuple(MemoryType), 1, Source.AGENT_EXPLICIT),
    SignalName.QA_FINDING: SignalSpec(0.80, (T.ERROR_PATTERN, T.REQUIREMENT, T.GOTCHA), 1, Source.QA_AUTO),
    SignalName.E2E: SignalSpec(0.75, (T.E2E_OBSERVATION,), 1, Source.MCP_AUTO),
    SignalName.READ_LESSON: SignalSpec(0.80, tuple(MemoryType), 1, Source.AGENT_CONCLUDED),
}
"""Score, target types and minimum sessions. A self-validating signal is proved within its own session."""


@dataclass(frozen=True, slots=True)
class Signal:
    """One observation in one session. Signals of equal name and `key` are the same observation in different sessions.

    `quotes` holds text that holloway did not write (from an agent, a tool, a page): only quotes can carry taint.
    """

    name: SignalName
    key: str
    step: int = 0
    files: tuple[str, ...] = ()
    facts: Mapping[str, object] = field(default_factory=dict)
    quotes: tuple[str, ...] = ()
    type: MemoryType | None = None
    actor: str = ""
    actors: int = 1
    taint: str = ""
