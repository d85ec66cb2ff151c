"""Metrics of the work in a session: tool calls, discovery, edits, plan accuracy, checks and errors."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from holloway.observer.signals import error_retry
from holloway.proof.record_fields import EARLY_STEPS
from holloway.text import commands
from holloway.text.tokens import estimate_tokens
from holloway.text.tools import is_search

if TYPE_CHECKING:
    from holloway.observer.activity import SessionActivity
    from holloway.observer.scratchpad import Action, Scratchpad
    from holloway.proof.session_facts import SessionFacts

DISCOVERY = ("search", "list")

_PROGRAMS = ("holloway", "python -m holloway", "python3 -m holloway")
_QUESTIONS = ("recall", "ask", "locate")
_LOST_WITH_EVENTS = (
    "discovery_calls",
    "discovery_calls_early",
    "first_reads",
    "known_files_read_again",
    "known_file_reads",
    "search_tokens",
    "explicit_searches",
)
"""Counts that are unknown when the scratchpad exceeded its budget and evicted events."""


def measure_work(account: SessionActivity, before: SessionFacts) -> dict[str, Any]:
    """Return the metrics of what the agent did."""
    pad = account.pad
    figures = {
        "events": pad.events,
        "failed_events": pad.failed,
        "slow_events": pad.slow,
        "tool_calls": pad.step,
        **_measure_discovery(account, before),
        "steps_to_first_edit": account.successful_edits[0].step if account.successful_edits else None,
        "files_edited": len(account.edited_files),
        "resumed": before.resumed,
        "steps_to_orientation": _steps_to_orientation(account, before),
        "errors": sum(action.ok is False for action in pad.actions),
        "dead_ends_entered": len(before.dead_end_files & set(account.edited_files)),
        "tokens_in": pad.tokens_in or None,
        "tokens_out": pad.tokens_out or None,
        "context_peak": pad.context_peak or None,
        **_measure_plan(pad),
        **_measure_checks(pad),
        **_measure_errors(account, before),
    }
    return figures | dict.fromkeys(_LOST_WITH_EVENTS) if pad.evicted else figures


def search_tokens(account: SessionActivity) -> int:
    """Estimate the tokens of search and listing results; a command that does both has one result."""
    results = {deed.step: deed.action.text for deed in account.filter_kinds(*DISCOVERY)}
    return sum(map(estimate_tokens, results.values()))


def _measure_discovery(account: SessionActivity, before: SessionFacts) -> dict[str, int]:
    calls = [*account.filter_kinds(*DISCOVERY), *account.first_reads]
    return {
        "discovery_calls": len(calls),
        "discovery_calls_early": sum(deed.step <= EARLY_STEPS for deed in calls),
        "first_reads": len(account.first_reads),
        "known_files_read_again": sum(deed.path in before.files for deed in account.first_reads),
        "known_file_reads": sum(deed.path in before.files for deed in account.filter_kinds("read")),
        "search_tokens": search_tokens(account),
        "explicit_searches": sum(map(_is_explicit_search, account.pad.actions)),
    }


def _is_explicit_search(action: Action) -> bool:
    """Return whether an action queries holloway itself, by MCP tool or on the command line."""
    steps = commands.parse_command(action.command) if "holloway" in action.command else ()
    is_command = any(step.program in _PROGRAMS and step.args[:1] and step.args[0] in _QUESTIONS for step in steps)
    return is_command or is_search(action.tool)


def _steps_to_orientation(account: SessionActivity, before: SessionFacts) -> int | None:
    """Return the steps that a resumed session took until its first edit or test run."""
    if not before.resumed:
        return None
    earlier = (action.step for action in account.pad.actions if action.at < before.resumed_at)
    last_before = max(earlier, default=0)
    since = [deed for deed in account.entries if deed.action.at >= before.resumed_at]
    oriented = (deed.step for deed in since if deed.kind == "test" or (deed.is_change and deed.action.ok is not False))
    first = next(oriented, None)
    return None if first is None else first - last_before


def _measure_plan(pad: Scratchpad) -> dict[str, Any]:
    planned_steps = (pad.start.planned_steps if pad.start else 0) or None
    planned, actual = pad.first_plan or None, len(pad.plan) or len(pad.subtasks) or None
    return {
        "planned_steps": planned_steps,
        "planned_subtasks": planned,
        "actual_subtasks": actual,
        "plan_accuracy": _plan_accuracy(planned_steps, pad.step) if planned_steps else _plan_accuracy(planned, actual),
    }


def _plan_accuracy(planned: int | None, actual: int | None) -> float | None:
    if not planned or not actual:
        return None
    return round(min(planned, actual) / max(planned, actual), 3)


def _measure_checks(pad: Scratchpad) -> dict[str, Any]:
    verdicts = pad.qa_verdicts
    return {
        "qa_first_pass": verdicts[0] if verdicts else None,
        "qa_fix_cycles": sum(not passed for passed in verdicts[:-1]) if verdicts else None,
    }


def _measure_errors(account: SessionActivity, before: SessionFacts) -> dict[str, Any]:
    """Return the distinct errors: whether each was known, whether its fix was shown, the steps to its resolution."""
    times = {action.step: action.at for action in account.pad.actions}
    runs: dict[str, tuple[bool, bool, int | None]] = {}
    for error in error_retry.list_session_errors(account.pad.actions):
        end = times[error.resolved_at] if error.resolved_at else math.inf
        is_told = any(injection.fingerprint == error.fingerprint and injection.at <= end for injection in before.shown)
        steps = error.resolved_at - error.failed_at if error.resolved_at else None
        runs.setdefault(error.fingerprint, (error.fingerprint in before.errors, is_told, steps))
    return {
        "errors_known": sum(is_known for is_known, _, _ in runs.values()),
        "errors_told": sum(is_known and is_told for is_known, is_told, _ in runs.values()),
        "error_runs": [list(run) for run in runs.values()],
    }
