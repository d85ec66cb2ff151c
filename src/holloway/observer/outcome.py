"""Session classification: infers the type, phase and outcome of a session from its activity, with the evidence."""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from holloway.domain.work import PHASES_BY_TYPE, Outcome, Phase, SessionType
from holloway.safety import secrets

if TYPE_CHECKING:
    from holloway.observer.activity import SessionActivity

_REVIEW_REQUEST = re.compile(
    r"\b(?:review|code-review)\b.{0,60}\b(?:pr|pull request|merge request|branch|diff|changes?)\b"
    r"|/review\b|gh pr (?:view|diff)"
)
_SPEC_PATH = re.compile(r"(?:^|/)(?:specs?|plans?|rfcs?|design|adr|proposals?)/|(?:^|/)(?:PLAN|SPEC|DESIGN)[\w-]*\.md$")
_ROADMAP_PATH = re.compile(r"(?:^|/)roadmap[\w-]*\.\w+$", re.IGNORECASE)
_CHANGELOG_PATH = re.compile(r"(?:^|/)(?:changelog|changes|history|news|release[-_]?notes)[\w-]*\.\w+$", re.IGNORECASE)
TERMINAL_SHARE = 0.7
"""Minimum share of shell commands for a session without edits to count as terminal work."""


@dataclass(frozen=True, slots=True)
class SessionClassification:
    """Type, phase and outcome of a session, with the evidence for them."""

    type: SessionType
    phase: Phase
    outcome: Outcome
    evidence: str


def classify_session(activity: SessionActivity) -> SessionClassification:
    """Classify a session by type, phase and outcome; values from the caller take precedence."""
    kind, why = infer_session_type(activity)
    outcome, proof = infer_outcome(activity)
    start = activity.pad.start
    phase = (start.phase if start and start.phase else None) or PHASES_BY_TYPE[kind]
    return SessionClassification(kind, phase, outcome, f"{kind}: {why}; {outcome}: {proof}")


def infer_session_type(activity: SessionActivity) -> tuple[SessionType, str]:
    """Infer the type of a session from its edits, prompts and commands; returns it with the reason."""
    start = activity.pad.start
    if start and start.type:
        return start.type, "the caller said so"
    edited = list(activity.edited_files)
    if edited:
        for kind, pattern, name in (
            (SessionType.CHANGELOG, _CHANGELOG_PATH, "changelog"),
            (SessionType.ROADMAP, _ROADMAP_PATH, "roadmap"),
            (SessionType.SPEC_CREATION, _SPEC_PATH, "spec or plan"),
        ):
            if all(pattern.search(path) for path in edited):
                return kind, f"only {name} files were edited"
        return SessionType.BUILD, f"{len(edited)} file{'s' if len(edited) > 1 else ''} edited"
    prompts = " ".join(note.text[:500].casefold() for note in activity.filter_notes("user")[:3])
    commands = " ".join(entry.action.command[:200] for entry in activity.entries[:40])
    if _REVIEW_REQUEST.search(prompts) or _REVIEW_REQUEST.search(commands):
        return SessionType.PR_REVIEW, "a review was asked for, and nothing was edited"
    if activity.pad.plan_mode:
        return SessionType.SPEC_CREATION, "the agent only planned"
    shells = sum(bool(entry.action.command) and not entry.path and not entry.pattern for entry in activity.entries)
    if activity.entries and shells / len(activity.entries) >= TERMINAL_SHARE:
        return SessionType.TERMINAL, "shell commands, no edits"
    return SessionType.INSIGHTS, "nothing was edited"


def infer_outcome(activity: SessionActivity) -> tuple[Outcome, str]:
    """Infer the outcome of a session; returns it with the evidence.

    The evidence in order of precedence: the caller, QA, tests after the last edit, a commit, an interruption.
    """
    pad = activity.pad
    if pad.outcome is not None:
        return pad.outcome, "the caller said so"
    if pad.qa_passed is not None:
        return (Outcome.SUCCESS, "QA passed") if pad.qa_passed else (Outcome.FAILURE, "QA failed")
    last_edit = activity.successful_edits[-1].step if activity.successful_edits else 0
    tests_after_edit = [entry for entry in activity.test_runs if entry.step > last_edit]
    commits_after_edit = [entry for entry in activity.successful_commits if entry.step >= last_edit]
    if (
        tests_after_edit
        and tests_after_edit[-1].verdict == "red"
        and not any(entry.step > tests_after_edit[-1].step for entry in activity.successful_commits)
    ):
        return Outcome.FAILURE, f"the last test run was red ({_shorten_command(tests_after_edit[-1].action.command)})"
    if tests_after_edit and tests_after_edit[-1].verdict == "green":
        return (
            Outcome.SUCCESS,
            f"tests green after the last edit ({_shorten_command(tests_after_edit[-1].action.command)})",
        )
    if commits_after_edit:
        return Outcome.SUCCESS, "the change was committed"
    if _is_interrupted(activity):
        return Outcome.CANCELLED, "interrupted, and nothing after it"
    if activity.successful_commits:
        return Outcome.PARTIAL, "a part was committed, edits came after it"
    return Outcome.PARTIAL, "it just ended"


def _is_interrupted(activity: SessionActivity) -> bool:
    """Whether the session ended with an interruption by the user."""
    pad = activity.pad
    return pad.interrupted_at >= 0 and pad.interrupted_at >= pad.step and not pad.redirected


def _shorten_command(command: str) -> str:
    name = secrets.redact_secrets(" ".join(command.split()))[
        0
    ]  # redact before truncating: half a secret is not recognised
    return posixpath.basename(name) if len(name) <= 40 and "/" in name and " " not in name else name[:60]
