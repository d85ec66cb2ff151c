"""Words for what the store names with a code: types, states, sources, reasons, ages and numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holloway.domain import memory_json
from holloway.domain.memory import MemoryType, RelationType, ReviewReason, Scope, Source, State, Visibility, WrongReason
from holloway.panel.locale import mark_plural, mark_text
from holloway.service.activity_feed import ActivityKind
from holloway.service.bulk_actions import BulkAction
from holloway.service.health import CoverageState
from holloway.service.memory_card import FileState
from holloway.service.memory_list import Preset

if TYPE_CHECKING:
    from holloway.panel.locale import Language

TYPES: dict[str, str] = {
    MemoryType.GOTCHA: mark_text("gotcha"),
    MemoryType.DECISION: mark_text("decision"),
    MemoryType.PREFERENCE: mark_text("preference"),
    MemoryType.PATTERN: mark_text("pattern"),
    MemoryType.REQUIREMENT: mark_text("requirement"),
    MemoryType.ERROR_PATTERN: mark_text("error and fix"),
    MemoryType.MODULE_INSIGHT: mark_text("module insight"),
    MemoryType.PREFETCH_PATTERN: mark_text("files read together"),
    MemoryType.WORK_STATE: mark_text("unfinished work"),
    MemoryType.CAUSAL_DEPENDENCY: mark_text("dependency"),
    MemoryType.TASK_CALIBRATION: mark_text("effort of a task"),
    MemoryType.E2E_OBSERVATION: mark_text("end-to-end observation"),
    MemoryType.DEAD_END: mark_text("dead end"),
    MemoryType.WORK_UNIT_OUTCOME: mark_text("outcome of work"),
    MemoryType.WORKFLOW_RECIPE: mark_text("recipe"),
    MemoryType.CONTEXT_COST: mark_text("cost of context"),
}
TAUGHT_TYPES = {kind: TYPES[kind] for kind in MemoryType if kind not in memory_json.NEEDED}
"""The types that a sentence alone can have."""
STATES: dict[str, str] = {
    State.CONFIRMED: mark_text("confirmed"),
    State.UNCONFIRMED: mark_text("unconfirmed"),
    State.QUARANTINED: mark_text("quarantined"),
    State.STALE: mark_text("stale"),
}
SOURCES: dict[str, str] = {
    Source.USER_TAUGHT: mark_text("taught by you"),
    Source.USER_CORRECTION: mark_text("from a correction by you"),
    Source.AGENT_EXPLICIT: mark_text("recorded by an agent"),
    Source.OBSERVER_INFERRED: mark_text("inferred from what agents did"),
    Source.ERROR_FIX: mark_text("from an error and its observed fix"),
    Source.QA_AUTO: mark_text("from a check of finished work"),
    Source.MCP_AUTO: mark_text("recorded over MCP"),
    Source.COMMIT_AUTO: mark_text("from a commit"),
    Source.AGENT_NOTE: mark_text("noted by an agent"),
    Source.AGENT_CONCLUDED: mark_text("concluded by an agent"),
    Source.SYNTHESIS: mark_text("synthesised from several sessions"),
    Source.RULES_FILE: mark_text("read from a rules file"),
    Source.FOREIGN_FILE: mark_text("imported from a file of unknown origin"),
}
SCOPES: dict[str, str] = {
    Scope.GLOBAL: mark_text("whole project"),
    Scope.MODULE: mark_text("module"),
    Scope.WORK_UNIT: mark_text("work unit"),
    Scope.SESSION: mark_text("session"),
}
VISIBILITIES: dict[str, str] = {
    Visibility.PERSONAL: mark_text("only you"),
    Visibility.PROJECT: mark_text("this project"),
    Visibility.TEAM: mark_text("your team"),
    Visibility.ORGANISATION: mark_text("your organisation"),
}
RELATIONS = {
    RelationType.REQUIRED_WITH: mark_text("needed together with"),
    RelationType.CONFLICTS_WITH: mark_text("conflicts with"),
    RelationType.VALIDATES: mark_text("is evidence for"),
    RelationType.SUPERSEDES: mark_text("replaces"),
    RelationType.DERIVED_FROM: mark_text("was derived from"),
    RelationType.NAMES: mark_text("names"),
}
RELATIONS_IN = {
    RelationType.REQUIRED_WITH: mark_text("needed by"),
    RelationType.CONFLICTS_WITH: mark_text("conflicts with"),
    RelationType.VALIDATES: mark_text("evidence for it:"),
    RelationType.SUPERSEDES: mark_text("replaced by"),
    RelationType.DERIVED_FROM: mark_text("origin of"),
    RelationType.NAMES: mark_text("named by"),
}
FILE_STATES = {FileState.REWRITTEN: mark_text("rewritten"), FileState.GONE: mark_text("gone")}
WRONG_REASONS = {
    WrongReason.OUTDATED: mark_text("Outdated"),
    WrongReason.PARTLY: mark_text("Partly wrong"),
    WrongReason.NOT_HERE: mark_text("Does not apply here"),
    WrongReason.INCORRECT: mark_text("Incorrect"),
}
WRONG_EFFECTS = {
    WrongReason.OUTDATED: mark_text(
        "It was true once. It is set aside at once; if you give the text that holds now, that replaces it."
    ),
    WrongReason.PARTLY: mark_text(
        "Change the text. It stays in place with its history, and the difference is kept there."
    ),
    WrongReason.NOT_HERE: mark_text(
        "Agents no longer see it in this project. A memory of all your projects stays in the others."
    ),
    WrongReason.INCORRECT: mark_text(
        "It was never true. It is set aside at once and not learned again. Say what is right, or that you don't know."
    ),
}
REVIEW_REASONS = {
    ReviewReason.TAINTED: mark_text("learned after content from outside"),
    ReviewReason.GUARDED: mark_text("reads like an instruction to the agent"),
    ReviewReason.IMPORTED: mark_text("imported from a file"),
    ReviewReason.RULE: mark_text("read from a rules file"),
    ReviewReason.STALE: mark_text("its code changed"),
    ReviewReason.INFERRED: mark_text("inferred, not seen"),
    ReviewReason.DISPUTED: mark_text("called wrong by an agent or a correction"),
    ReviewReason.STATED: mark_text("a statement of yours"),
}
HISTORY = {
    "created": mark_text("created"),
    "confirmed": mark_text("confirmed"),
    "edited": mark_text("edited"),
    "reinforced": mark_text("agreed with"),
    "agreed": mark_text("said again in other words"),
    "pinned": mark_text("pinned"),
    "unpinned": mark_text("unpinned"),
    "wrong": mark_text("flagged wrong"),
    "forgotten": mark_text("forgotten"),
    "restored": mark_text("restored"),
    "withdrawn": mark_text("withdrawn"),
    "postponed": mark_text("review postponed"),
    "disputed": mark_text("disputed"),
    "stale": mark_text("marked stale"),
    "replaced": mark_text("replaced"),
    "excluded": mark_text("excluded from a project"),
    "undone": mark_text("action undone"),
}
POINTS = {
    "session_start": mark_text("at the start of a session"),
    "prompt": mark_text("with a prompt"),
    "tool_result": mark_text("with the result of a tool"),
    "step": mark_text("between two steps"),
    "asked": mark_text("the agent reported that it helped"),
    "host": mark_text("the agent has it from its rules file"),
}
PRESETS = {
    Preset.ACTIVE: mark_text("Used in 30 days"),
    Preset.UNUSED: mark_text("Never used"),
    Preset.WAITING: mark_text("Waits for review"),
    Preset.FADING: mark_text("Will fade soon"),
}
DONE = {
    BulkAction.CONFIRM: mark_text("Confirmed."),
    BulkAction.PIN: mark_text("Pinned: it no longer fades."),
    BulkAction.UNPIN: mark_text("No longer pinned."),
    BulkAction.LATER: mark_text("You are asked again tomorrow."),
    BulkAction.FORGET: mark_text("Forgotten. Agents no longer see it."),
}
DONE_ALL = {
    BulkAction.CONFIRM: mark_plural("%(count)s memory confirmed.", "%(count)s memories confirmed."),
    BulkAction.PIN: mark_plural("%(count)s memory pinned.", "%(count)s memories pinned."),
    BulkAction.UNPIN: mark_plural("%(count)s memory unpinned.", "%(count)s memories unpinned."),
    BulkAction.LATER: mark_plural("%(count)s memory postponed.", "%(count)s memories postponed."),
    BulkAction.FORGET: mark_plural("%(count)s memory forgotten.", "%(count)s memories forgotten."),
}
ACTIONS = {
    BulkAction.CONFIRM: mark_text("Confirm"),
    BulkAction.PIN: mark_text("Pin"),
    BulkAction.UNPIN: mark_text("Unpin"),
    BulkAction.LATER: mark_text("Later"),
    BulkAction.FORGET: mark_text("Forget"),
}
ORDERS = {
    "newest": mark_text("Newest first"),
    "changed": mark_text("Last changed first"),
    "used": mark_text("Most used first"),
}
SCORE_PARTS = {
    "text": mark_text("words"),
    "dense": mark_text("meaning"),
    "graph": mark_text("files in use"),
    "fused": mark_text("together"),
    "neighbourhood": mark_text("with its neighbours"),
    "trust": mark_text("source"),
    "recency": mark_text("age"),
    "confidence": mark_text("confidence"),
    "staleness": mark_text("changes of its code"),
    "phase": mark_text("phase of work"),
    "reranked": mark_text("reranking"),
}

COVERAGE = {
    CoverageState.MAPPED: mark_text("mapped"),
    CoverageState.PARTIAL: mark_text("partial"),
    CoverageState.SHALLOW: mark_text("shallow"),
    CoverageState.UNKNOWN: mark_text("unknown"),
}
ACTIVITIES = {
    ActivityKind.SESSION: mark_text("Session"),
    ActivityKind.TAUGHT: mark_text("You taught"),
    ActivityKind.CONFIRMED: mark_text("You confirmed"),
    ActivityKind.EDITED: mark_text("You edited"),
    ActivityKind.WRONG: mark_text("You flagged as wrong"),
    ActivityKind.FORGOTTEN: mark_text("You forgot"),
    ActivityKind.RESTORED: mark_text("You restored"),
    ActivityKind.PINNED: mark_text("You pinned"),
    ActivityKind.UNPINNED: mark_text("You unpinned"),
    ActivityKind.EXCLUDED: mark_text("You excluded here"),
    ActivityKind.UNDONE: mark_text("You undid a change of"),
}
OUTCOMES = {
    "success": mark_text("succeeded"),
    "failure": mark_text("failed"),
    "abandoned": mark_text("abandoned"),
    "unknown": mark_text("outcome unknown"),
}
LEVELS = {
    1: mark_text("Cautious"),
    2: mark_text("Standard"),
    3: mark_text("Confident"),
    4: mark_text("Autonomous"),
}
LEVEL_EFFECTS = {
    1: mark_text("Agents are shown only what you taught or confirmed, and errors with an observed fix."),
    2: mark_text("Agents are shown every memory above the threshold. You confirm new ones after each session."),
    3: mark_text("Agents are shown every memory above the threshold. The review lists only what needs a decision."),
    4: mark_text("Agents are shown every memory above the threshold. There are no summaries; you look when you want."),
}
SETTINGS = {
    "branch_scope": mark_text("What was learned on an unmerged branch holds"),
    "trusted_sources": mark_text("Trusted sources: what quotes them needs no review"),
    "exclude.paths": mark_text("Files that are never captured"),
    "exclude.commands": mark_text("Commands that are never captured"),
    "embedding.provider": mark_text("Search by meaning: model"),
    "embedding.base_url": mark_text("Address of its server"),
    "embedding.key_env": mark_text("Variable that holds its key"),
    "llm.provider": mark_text("Language model for questions"),
    "llm.key_env": mark_text("Variable that holds its key"),
    "llm.monthly_tokens": mark_text("Its tokens in a month, at most"),
    "reader.provider": mark_text("Reader of finished sessions"),
    "reader.key_env": mark_text("Variable that holds its key"),
    "reader.daily_tokens": mark_text("Its tokens in a day, at most"),
    "reader.monthly_tokens": mark_text("Its tokens in a month, at most"),
    "learning.ask_at_stop": mark_text("Ask the agent for its lessons when it stops"),
}
"""Settings that the panel changes, with what they mean; the value of a variable is never shown."""
EXPORTS = {
    "json": mark_text("JSON, complete"),
    "markdown": mark_text("Markdown, to read"),
    "claude": mark_text("Block for CLAUDE.md"),
    "archive": mark_text("Archive, to restore elsewhere"),
}
VERDICTS = {"ok": mark_text("ok"), "warning": mark_text("warning"), "failure": mark_text("failure")}

_UNITS = (
    (60, 60, mark_plural("%(count)s minute ago", "%(count)s minutes ago")),
    (3_600, 24, mark_plural("%(count)s hour ago", "%(count)s hours ago")),
    (86_400, 31, mark_plural("%(count)s day ago", "%(count)s days ago")),
    (2_629_800, 12, mark_plural("%(count)s month ago", "%(count)s months ago")),
    (31_557_600, 10_000, mark_plural("%(count)s year ago", "%(count)s years ago")),
)
"""Seconds of a unit of time, the count from which the next unit is used, and the texts for one and for several."""


def format_age(seconds: float, language: Language) -> str:
    """Return an age in its largest unit."""
    for size, limit, texts in _UNITS:
        count = int(seconds // size)
        if 1 <= count < limit:
            return language.texts.ngettext(*texts, count) % {"count": count}
    return language.texts.gettext("just now")
