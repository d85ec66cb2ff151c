"""Events: actions of an agent, its tools and its user, independent of the host.

Every adapter maps into these. Paths are relative to the project; `outside` marks a path outside of it. Times are
seconds since 1970. `actor` tells subagents apart.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from holloway.domain.work import Outcome, Phase, SessionType, WorkUnit


TEAMMATE_PREFIX = "teammate "
"""Beginning of the actor of a statement that another agent of a team sent; its own session is not this one."""


class ToolKind(StrEnum):
    """The kind of action of a tool, independent of the host's name for it."""

    READ = "read"
    EDIT = "edit"
    WRITE = "write"
    SEARCH = "search"
    LIST = "list"
    SHELL = "shell"
    WEB = "web"
    SUBAGENT = "subagent"
    MCP = "mcp"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Started:
    """A session began; what the caller knows of it stands, the rest is inferred."""

    at: float
    session: str
    agent: str = ""
    branch: str = ""
    commit: str = ""
    type: SessionType | None = None
    phase: Phase | None = None
    task: str = ""
    work_unit: WorkUnit | None = None
    planned_steps: int = 0


@dataclass(frozen=True, slots=True)
class Prompt:
    """The user said something."""

    at: float
    text: str


@dataclass(frozen=True, slots=True)
class Call:
    """The agent used a tool. `removed` and `added` are the lines of an edit, as short digests or as they are."""

    at: float
    call: str
    kind: ToolKind
    tool: str = ""
    path: str = ""
    pattern: str = ""
    command: str = ""
    url: str = ""
    removed: tuple[str, ...] = ()
    added: tuple[str, ...] = ()
    outside: bool = False
    actor: str = ""


@dataclass(frozen=True, slots=True)
class Result:
    """The answer of a tool; `files` are those it named, `count` their number if not all are kept."""

    at: float
    call: str
    ok: bool = True
    text: str = ""
    files: tuple[str, ...] = ()
    count: int = 0
    changed_by_user: bool = False
    untracked: bool = False
    applied: tuple[str, ...] = ()
    digests: tuple[int, ...] = ()
    """Sketch of a long result whose whole text is not given."""


@dataclass(frozen=True, slots=True)
class Said:
    """The agent's own words, thought or spoken."""

    at: float
    text: str
    thinking: bool = False
    actor: str = ""


@dataclass(frozen=True, slots=True)
class Summarized:
    """The summary of the conversation so far that the host had a model write, when the context was compacted."""

    at: float
    text: str


@dataclass(frozen=True, slots=True)
class Delivered:
    """The host gave the agent text that no person typed and no tool call returned: a skill, a file, a notification."""

    at: float
    text: str
    path: str = ""
    """The file with this text, relative to the project; empty if there is none."""
    outside: bool = False
    report: bool = False
    """Whether a subagent or a program in the background reports; its own steps may be recorded."""


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens that a model call took; `context` is how full the context was."""

    at: float
    tokens_in: int = 0
    tokens_out: int = 0
    context: int = 0


@dataclass(frozen=True, slots=True)
class PlanItem:
    """One thing to do."""

    text: str
    done: bool = False


@dataclass(frozen=True, slots=True)
class Plan:
    """The agent's plan or to-do list, as it is now; `mode` is set while the agent only plans."""

    at: float
    items: tuple[PlanItem, ...] = ()
    mode: bool = False


@dataclass(frozen=True, slots=True)
class Interrupted:
    """The user stopped the agent."""

    at: float


@dataclass(frozen=True, slots=True)
class Recorded:
    """The agent asked for something to be remembered; it is kept only if the session proves right."""

    at: float
    text: str
    type: str = ""
    files: tuple[str, ...] = ()
    actor: str = ""
    details: str = ""
    """Typed details of the memory, as JSON."""
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SubtaskDone:
    """A part of the work is finished, and whether it was validated."""

    at: float
    name: str
    validated: bool


@dataclass(frozen=True, slots=True)
class QaFindings:
    """The result of a check of the work by its caller."""

    at: float
    passed: bool
    findings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Ended:
    """The session is over; `outcome` only where the caller knows it."""

    at: float
    reason: str = ""
    outcome: Outcome | None = None


Event = (
    Started
    | Prompt
    | Call
    | Result
    | Said
    | Summarized
    | Delivered
    | Usage
    | Plan
    | Interrupted
    | Recorded
    | SubtaskDone
    | QaFindings
    | Ended
)
