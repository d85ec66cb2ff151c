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
from holloway.service.session_pages import MemoryUse

if TYPE_CHECKING:
    from holloway.panel.locale import PanelLanguage

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
    Source.COLLEAGUE: mark_text("shared by a colleague"),
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
SHARE_STATES = {
    "off": mark_text("off"),
    "synced": mark_text("synced"),
    "pending": mark_text("waiting to be sent"),
    "conflict": mark_text("in conflict"),
    "offline": mark_text("offline"),
    "failing": mark_text("failing"),
    "refused": mark_text("something was refused"),
    "paused": mark_text("paused"),
    "excluded": mark_text("excluded"),
}
STANDINGS = {
    "own": mark_text("this device"),
    "accepted": mark_text("accepted"),
    "unknown": mark_text("not accepted yet"),
    "refused": mark_text("refused"),
}
SHARE_GROUPS = {
    "taught": mark_text("Taught by you, personal until you say otherwise"),
    "rules": mark_text("From rules files"),
    "learned": mark_text("Learned from sessions and commits"),
}
SHARE_CHECKS = {
    "readers": mark_text("Everyone who can read this remote can read what I share."),
    "quotes": mark_text("Prompts, sessions and evidence stay here, except the quotes that I ticked."),
    "copies": mark_text("I can leave, but copies that others fetched stay with them, and a host may keep old objects."),
}
EXCLUSIONS = {
    "excluded": mark_text("You excluded this project from sharing."),
    "client": mark_text("The name of this project or its remote looks like work for a client, so it is excluded."),
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
EDGE_KINDS = {
    "calls": mark_text("calls it"),
    "instantiates": mark_text("creates it"),
    "extends": mark_text("extends it"),
    "implements": mark_text("implements it"),
    "overrides": mark_text("overrides it"),
    "typed_as": mark_text("names it as a type"),
    "imports": mark_text("imports it"),
    "imports_symbol": mark_text("imports the name"),
}
CODE_RELATIONS = {
    "is_impact_of": mark_text("is affected by"),
    "documents": mark_text("documents"),
    "violates": mark_text("breaks a rule of"),
    "supersedes": mark_text("replaces"),
    "is_entrypoint_for": mark_text("is the entry point of"),
    "flows_to": mark_text("passes data to"),
    "handles_errors_from": mark_text("handles the errors of"),
    "owns_data_for": mark_text("owns the data of"),
    "applies_pattern": mark_text("follows the pattern of"),
    "depends_logically": mark_text("depends on"),
}
LOCATE_REASONS = (
    ("speaks of ", mark_text("speaks of %(words)s")),
    ("changed in commits about ", mark_text("changed in commits about %(words)s")),
    ("opened for a task about ", mark_text("opened for a task about %(words)s")),
    ("closest part has ", mark_text("closest part has %(words)s")),
    ("closest in ", mark_text("closest in %(words)s")),
    ("defines ", mark_text("defines %(words)s")),
    ("path has ", mark_text("path has %(words)s")),
    ("named: ", mark_text("named: %(words)s")),
    ("changes with ", mark_text("changes with %(words)s")),
    ("tested by ", mark_text("tested by %(words)s")),
    ("changed recently", mark_text("changed recently")),
    ("opened for a similar task", mark_text("opened for a similar task")),
    ("opened in the latest sessions", mark_text("opened in the latest sessions")),
    ("changed on this branch", mark_text("changed on this branch")),
)
"""How a reason of the search for files begins, and its text; the rest are names and words of the task."""
DROP_REASONS = (
    ("seen in ", mark_text("seen in %(words)s")),
    ("the session was cancelled", mark_text("the session was cancelled")),
    ("the session failed", mark_text("the session failed")),
    ("the session's work is not proved yet", mark_text("the work of the session is not proved yet")),
    ("no later action of the session confirms it", mark_text("no later action of the session confirms it")),
    (
        "sessions that went this way did not succeed often enough",
        mark_text("sessions that went this way did not succeed often enough"),
    ),
    ("it would only say something vague", mark_text("it would only say something vague")),
    ("its files no longer exist", mark_text("its files no longer exist")),
    ("a rules file says it already", mark_text("a rules file says it already")),
    ("a person rejected it", mark_text("a person rejected it")),
    ("it may be pasted", mark_text("it may be pasted: it names a host or a program")),
    ("it tries to instruct an agent", mark_text("it tries to instruct an agent")),
    ("its score is ", mark_text("its score is too low: %(words)s")),
    ("more than ", mark_text("more than %(words)s")),
    ("a part of a longer recipe", mark_text("a part of a longer recipe")),
    ("nobody committed or tested its change in time", mark_text("nobody committed or tested its change in time")),
    ("its change was undone", mark_text("its change was undone")),
    ("it can no longer be stored", mark_text("it can no longer be stored")),
    (
        "it gives an order, addresses a reader or names a host",
        mark_text("it gives an order, addresses a reader or names a host"),
    ),
    ("it names no code of the project", mark_text("it names no code of the project")),
    ("it reports the work of the session", mark_text("it reports the work of the session")),
    ("it cannot be understood alone", mark_text("it cannot be understood alone")),
    ("it states no cause and no constraint", mark_text("it states no cause and no constraint")),
    (
        "it says what its commit changed, or what was wrong before",
        mark_text("it says what its commit changed, or what was wrong before"),
    ),
    (
        "its commit only answers a review or cleans up",
        mark_text("its commit only answers a review or cleans up"),
    ),
    ("its commit is not in the repository", mark_text("its commit is not in the repository")),
)
"""How the reason begins for which a candidate was held or dropped, and its text."""
SIGNAL_NAMES = {
    "file_access": mark_text("file opened often"),
    "co_access": mark_text("files opened together"),
    "error_retry": mark_text("error and fix"),
    "backtrack": mark_text("change taken back"),
    "read_abandon": mark_text("read and left"),
    "repeated_grep": mark_text("repeated search"),
    "sequence": mark_text("repeated sequence"),
    "time_anomaly": mark_text("unusual time"),
    "self_correction": mark_text("the agent corrected itself"),
    "external_reference": mark_text("page outside of the project"),
    "glob_ignore": mark_text("ignored files"),
    "import_chase": mark_text("chain of imports"),
    "test_order": mark_text("order of tests"),
    "config_touch": mark_text("settings changed"),
    "step_overrun": mark_text("more steps than planned"),
    "parallel_conflict": mark_text("conflict of parallel work"),
    "context_token_spike": mark_text("context grew suddenly"),
    "user_correction": mark_text("correction by you"),
    "commit_auto": mark_text("message of a commit"),
    "agent_note": mark_text("note of the agent"),
    "conclusion": mark_text("conclusion of the agent"),
    "user_statement": mark_text("statement of yours"),
    "dead_end": mark_text("dead end"),
    "causal_statement": mark_text("stated cause"),
    "agent_record": mark_text("record of the agent"),
    "qa_finding": mark_text("finding of a check"),
    "read_lesson": mark_text("lesson of the reader"),
}
VOICES = {
    "person": mark_text("you"),
    "pasted by person": mark_text("pasted by you"),
    "agent": mark_text("the agent"),
    "plan accepted by person": mark_text("a plan that you accepted"),
    "answered by person": mark_text("your answer"),
    "sub-agent": mark_text("a subagent"),
    "team-mate": mark_text("a team-mate"),
    "summary": mark_text("a summary"),
    "command": mark_text("a command"),
    "output": mark_text("an output"),
    "edit": mark_text("an edit"),
    "commit": mark_text("a commit"),
}
"""Who or what a quote of a session is from."""
MEMORY_USES = {
    MemoryUse.CITED: mark_text("cited"),
    MemoryUse.ACTED_ON: mark_text("acted on"),
    MemoryUse.REPORTED: mark_text("helped"),
    MemoryUse.CONTRADICTED: mark_text("contradicted"),
    MemoryUse.DISMISSED: mark_text("not used"),
    MemoryUse.UNKNOWN: mark_text("not known yet"),
}
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
REVIEW_REASON_NAMES = {
    ReviewReason.TAINTED: mark_text("learned after content from outside"),
    ReviewReason.GUARDED: mark_text("reads like an instruction to the agent"),
    ReviewReason.IMPORTED: mark_text("imported, and nobody known here wrote it"),
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
    "muted": mark_text("no longer told unasked"),
    "unmuted": mark_text("told again"),
    "related": mark_text("related"),
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
    Preset.CONFLICTING: mark_text("Contradicts another"),
    Preset.FADING: mark_text("Will fade soon"),
}
ACTION_MESSAGES = {
    BulkAction.CONFIRM: mark_text("Confirmed."),
    BulkAction.PIN: mark_text("Pinned: it no longer fades."),
    BulkAction.UNPIN: mark_text("No longer pinned."),
    BulkAction.MUTE: mark_text("Agents are not told it unasked any more. Searches still find it."),
    BulkAction.UNMUTE: mark_text("Agents are told it again."),
    BulkAction.LATER: mark_text("You are asked again tomorrow."),
    BulkAction.FORGET: mark_text("Forgotten. Agents no longer see it."),
}
BULK_MESSAGES = {
    BulkAction.CONFIRM: mark_plural("%(count)s memory confirmed.", "%(count)s memories confirmed."),
    BulkAction.PIN: mark_plural("%(count)s memory pinned.", "%(count)s memories pinned."),
    BulkAction.UNPIN: mark_plural("%(count)s memory unpinned.", "%(count)s memories unpinned."),
    BulkAction.MUTE: mark_plural(
        "%(count)s memory is not told unasked any more.", "%(count)s memories are not told unasked any more."
    ),
    BulkAction.UNMUTE: mark_plural("%(count)s memory is told again.", "%(count)s memories are told again."),
    BulkAction.LATER: mark_plural("%(count)s memory postponed.", "%(count)s memories postponed."),
    BulkAction.FORGET: mark_plural("%(count)s memory forgotten.", "%(count)s memories forgotten."),
}
ACTIONS = {
    BulkAction.CONFIRM: mark_text("Confirm"),
    BulkAction.PIN: mark_text("Pin"),
    BulkAction.UNPIN: mark_text("Unpin"),
    BulkAction.MUTE: mark_text("Never tell agents"),
    BulkAction.UNMUTE: mark_text("Tell agents again"),
    BulkAction.LATER: mark_text("Later"),
    BulkAction.FORGET: mark_text("Forget"),
}
ORDER_NAMES = {
    "newest": mark_text("Newest first"),
    "changed": mark_text("Last changed first"),
    "used": mark_text("Most used first"),
}
SCORE_PART_NAMES = {
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
    ActivityKind.MUTED: mark_text("You muted"),
    ActivityKind.UNMUTED: mark_text("You unmuted"),
    ActivityKind.EXCLUDED: mark_text("You excluded here"),
    ActivityKind.UNDONE: mark_text("You undid a change of"),
}
OUTCOMES = {
    "success": mark_text("succeeded"),
    "failure": mark_text("failed"),
    "partial": mark_text("partly succeeded"),
    "cancelled": mark_text("cancelled"),
}
SESSION_TYPES = {
    "build": mark_text("change of code"),
    "insights": mark_text("questions"),
    "roadmap": mark_text("roadmap"),
    "terminal": mark_text("commands"),
    "changelog": mark_text("changelog"),
    "spec_creation": mark_text("specification"),
    "pr_review": mark_text("code review"),
}
SESSION_VERDICTS = SESSION_TYPES | OUTCOMES
"""The type and the outcome of a session, as its evidence names them."""
PROOF_GROUPS = {"full": mark_text("full"), "passive": mark_text("passive"), "control": mark_text("control")}
PROOF_METRICS = {
    "tool_calls": mark_text("tool calls"),
    "known_files_read_again": mark_text("re-reads of known files"),
    "discovery_calls": mark_text("discovery calls"),
    "steps_until_green": mark_text("steps until an error is gone"),
    "qa_first_pass": mark_text("first check passed"),
    "tokens": mark_text("tokens"),
}
PROOF_VERDICTS = {
    "not enough yet": mark_text("not enough yet"),
    "no difference shown": mark_text("no difference shown"),
    "better": mark_text("better"),
    "worse": mark_text("worse"),
}
VERDICT_CLASSES = {"not enough yet": "quiet", "no difference shown": "same", "better": "better", "worse": "worse"}
PROOF_HARMS = {
    "flagged as wrong": mark_text("flagged as wrong"),
    "contradicted by what the session learned": mark_text("contradicted by what the session learned"),
    "the session failed": mark_text("the session failed"),
}
PROOF_CONDITIONS = {
    "agent": mark_text("the agent"),
    "type": mark_text("the kind of session"),
    "phase": mark_text("the phase"),
    "trust_level": mark_text("the trust level"),
    "methodology": mark_text("the methodology"),
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
SETTING_GROUPS = {
    mark_text("Capture"): {
        "exclude.paths": mark_text("Files that are never captured"),
        "exclude.commands": mark_text("Commands that are never captured"),
        "trusted_sources": mark_text("Sources whose content needs no review"),
        "branch_scope": mark_text("Lessons of an unmerged branch hold on"),
    },
    mark_text("Search by meaning"): {
        "embedding.provider": mark_text("Model"),
        "embedding.model": mark_text("Name of the model, for a server"),
        "embedding.base_url": mark_text("Address of its server"),
        "embedding.key_env": mark_text("Name of the variable with its key"),
    },
    mark_text("Reader of finished sessions"): {
        "reader.provider": mark_text("Model"),
        "reader.key_env": mark_text("Name of the variable with its key"),
        "reader.daily_tokens": mark_text("Tokens a day, at most"),
        "reader.monthly_tokens": mark_text("Tokens a month, at most"),
        "learning.ask_at_stop": mark_text("Ask the agent for its lessons when it stops"),
    },
    mark_text("Answers to questions"): {
        "llm.provider": mark_text("Model"),
        "llm.key_env": mark_text("Name of the variable with its key"),
        "llm.monthly_tokens": mark_text("Tokens a month, at most"),
    },
    mark_text("Links to lines of code"): {
        "panel.editor": mark_text("Editor that they open"),
    },
}
"""Settings that the panel changes, by group, with what they mean; the value of a variable is never shown."""
SETTING_LABELS = {key: label for group in SETTING_GROUPS.values() for key, label in group.items()}
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


def format_age(seconds: float, language: PanelLanguage) -> str:
    """Return an age in its largest unit."""
    for size, limit, texts in _UNITS:
        count = int(seconds // size)
        if 1 <= count < limit:
            return language.texts.ngettext(*texts, count) % {"count": count}
    return language.texts.gettext("just now")


def describe_reason(reason: str, language: PanelLanguage) -> str:
    """Return a reason of the search for files in a language; an unknown one stays as it is."""
    return _translate_start(reason, LOCATE_REASONS, language)


def describe_drop(reason: str, language: PanelLanguage) -> str:
    """Return the reason why a candidate was held or dropped in a language; an unknown one stays as it is."""
    return _translate_start(reason, DROP_REASONS, language)


def _translate_start(text: str, table: tuple[tuple[str, str], ...], language: PanelLanguage) -> str:
    """Translate a text by how it begins; the rest of it is kept where the translation has a place for it."""
    for start, message in table:
        if text.startswith(start):
            translated = language.texts.gettext(message)
            return translated % {"words": text[len(start) :]} if "%(words)s" in translated else translated
    return text


_DURATIONS = (
    (3_600, mark_plural("%(count)s hour", "%(count)s hours")),
    (60, mark_plural("%(count)s minute", "%(count)s minutes")),
    (1, mark_plural("%(count)s second", "%(count)s seconds")),
)
"""Seconds of a unit of time, and the texts for one and for several."""
UNITS_FROM = 2
"""Units from which a larger one is used: 90 minutes, 2 hours."""


def format_duration(seconds: int, language: PanelLanguage) -> str:
    """Return a duration in its largest unit of which there are at least two."""
    units = ((size, texts) for size, texts in _DURATIONS if seconds >= UNITS_FROM * size)
    size, texts = next(units, _DURATIONS[-1])
    count = seconds // size
    return language.texts.ngettext(*texts, count) % {"count": count}
