"""What a session was for and how it ended, inferred from what it did, with the evidence beside it."""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from holloway.domain.session import Outcome, SessionType
from holloway.domain.work import Phase
from holloway.safety import secrets

if TYPE_CHECKING:
    from holloway.observer.activity import Account

_REVIEW = re.compile(
    r"\b(?:review|code-review)\b.{0,60}\b(?:pr|pull request|merge request|branch|diff|changes?)\b"
    r"|/review\b|gh pr (?:view|diff)"
)
_SPEC = re.compile(r"(?:^|/)(?:specs?|plans?|rfcs?|design|adr|proposals?)/|(?:^|/)(?:PLAN|SPEC|DESIGN)[\w-]*\.md$")
_ROADMAP = re.compile(r"(?:^|/)roadmap[\w-]*\.\w+$", re.IGNORECASE)
_CHANGELOG = re.compile(r"(?:^|/)(?:changelog|changes|history|news|release[-_]?notes)[\w-]*\.\w+$", re.IGNORECASE)
TERMINAL_SHARE = 0.7
"""Share of shell commands from which a session without edits was work in a terminal."""


@dataclass(frozen=True, slots=True)
class Judged:
    """A value, and why."""

    type: SessionType
    phase: Phase
    outcome: Outcome
    evidence: str


def judge(account: Account) -> Judged:
    """Type, phase and outcome of a session; what the caller said stands."""
    kind, why = session_type(account)
    outcome, proof = session_outcome(account)
    start = account.pad.start
    phase = (start.phase if start and start.phase else None) or _PHASES[kind]
    return Judged(kind, phase, outcome, f"{kind}: {why}; {outcome}: {proof}")


_PHASES = {
    SessionType.BUILD: Phase.IMPLEMENT,
    SessionType.INSIGHTS: Phase.EXPLORE,
    SessionType.ROADMAP: Phase.DEFINE,
    SessionType.TERMINAL: Phase.REFINE,
    SessionType.CHANGELOG: Phase.REFLECT,
    SessionType.SPEC_CREATION: Phase.DEFINE,
    SessionType.PR_REVIEW: Phase.VALIDATE,
}


def session_type(account: Account) -> tuple[SessionType, str]:
    """What the session was for."""
    start = account.pad.start
    if start and start.type:
        return start.type, "the caller said so"
    edited = list(account.edited)
    if edited:
        for kind, pattern, name in (
            (SessionType.CHANGELOG, _CHANGELOG, "changelog"),
            (SessionType.ROADMAP, _ROADMAP, "roadmap"),
            (SessionType.SPEC_CREATION, _SPEC, "spec or plan"),
        ):
            if all(pattern.search(path) for path in edited):
                return kind, f"only {name} files were edited"
        return SessionType.BUILD, f"{len(edited)} file{'s' if len(edited) > 1 else ''} edited"
    asked = " ".join(note.text[:500].casefold() for note in account.said("user")[:3])
    commands = " ".join(deed.action.command[:200] for deed in account.deeds[:40])
    if _REVIEW.search(asked) or _REVIEW.search(commands):
        return SessionType.PR_REVIEW, "a review was asked for, and nothing was edited"
    if account.pad.plan_mode:
        return SessionType.SPEC_CREATION, "the agent only planned"
    shells = sum(bool(deed.action.command) and not deed.path and not deed.pattern for deed in account.deeds)
    if account.deeds and shells / len(account.deeds) >= TERMINAL_SHARE:
        return SessionType.TERMINAL, "shell commands, no edits"
    return SessionType.INSIGHTS, "nothing was edited"


def session_outcome(account: Account) -> tuple[Outcome, str]:
    """How it ended: the caller's word, then tests after the last edit, then a commit, then what the user did."""
    pad = account.pad
    if pad.outcome is not None:
        return pad.outcome, "the caller said so"
    if pad.qa_passed is not None:
        return (Outcome.SUCCESS, "QA passed") if pad.qa_passed else (Outcome.FAILURE, "QA failed")
    last_edit = account.edits[-1].step if account.edits else 0
    after = [deed for deed in account.tests if deed.step > last_edit]
    committed = [deed for deed in account.commits if deed.step >= last_edit]
    if after and after[-1].verdict == "red" and not any(deed.step > after[-1].step for deed in account.commits):
        return Outcome.FAILURE, f"the last test run was red ({_short(after[-1].action.command)})"
    if after and after[-1].verdict == "green":
        return Outcome.SUCCESS, f"tests green after the last edit ({_short(after[-1].action.command)})"
    if committed:
        return Outcome.SUCCESS, "the change was committed"
    if _stopped(account):
        return Outcome.CANCELLED, "interrupted, and nothing after it"
    if account.commits:
        return Outcome.PARTIAL, "a part was committed, edits came after it"
    return Outcome.PARTIAL, "it just ended"


def _stopped(account: Account) -> bool:
    """Whether the user's interruption was the last thing that happened."""
    pad = account.pad
    return pad.interrupted_at >= 0 and pad.interrupted_at >= pad.step and not pad.redirected


def _short(command: str) -> str:
    name = secrets.redact(" ".join(command.split()))[0]  # before it is cut: half a secret is not recognised
    return posixpath.basename(name) if len(name) <= 40 and "/" in name and " " not in name else name[:60]
