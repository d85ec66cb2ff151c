"""Metrics of hook responses, injected memories and prefetched files: cited, acted on, and estimated tokens saved."""

from __future__ import annotations

import math
import re
from collections import Counter
from typing import TYPE_CHECKING, Any

from holloway.domain.memory import RelationType
from holloway.proof.record_fields import ACTED_STEPS
from holloway.proof.work_metrics import DISCOVERY
from holloway.store.candidates import PROMOTED
from holloway.store.session_ledger import REPORTED_USEFUL
from holloway.text import command_compare
from holloway.text.tokens import cited_in
from holloway.text.tools import is_locate

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from holloway.observer.activity import ActivityEntry, SessionActivity
    from holloway.promotion.pipeline import Promotion
    from holloway.proof.session_facts import HookAnswer, InjectedMemory, SessionFacts


LEDGER_STEP_S = 0.001
"""Resolution of the session ledger in seconds: it truncates to milliseconds."""
AFTER_DEEDS = ("tool_result", "step")
"""Injection points right after an action; the injection may have the same timestamp as the action."""

_PATH = re.compile(r"[\w@.+/-]+")


def measure_injected(account: SessionActivity, promotion: Promotion | None, before: SessionFacts) -> dict[str, Any]:
    """Return the metrics of the memories that were injected into a session."""
    acted = {injection.memory for injection in before.shown if is_acted_on(account, injection)}
    cited = {memory for note in account.filter_notes("agent", "thought") for memory in cited_in(note.text)}
    helped = {
        injection.memory
        for injection in before.shown
        if injection.memory in cited or injection.point == REPORTED_USEFUL
    }
    injected = [injection for injection in before.shown if injection.point != REPORTED_USEFUL]
    return {
        "shown": [
            [injection.memory, injection.point, injection.tokens, _seconds_in(account, injection)]
            for injection in injected
        ],
        "injections": dict(Counter(injection.point for injection in injected)),
        "injected_tokens": sum(injection.tokens for injection in injected),
        "cited": sorted(cited),
        "acted_on": sorted(acted),
        "used": sorted(acted | helped),
        "corrected": before.corrected,
        "flagged": before.flagged,
        "contradicted": _find_contradicted(promotion, {injection.memory for injection in injected}),
        "saved_tokens": _estimate_saved_tokens(account, before),
        "graph_boost_rate": None,
        **_measure_prefetch(account, before.prefetched),
    }


def _find_contradicted(promotion: Promotion | None, shown_ids: set[str]) -> list[str] | None:
    """Return the shown memories that a memory learned from the session replaces or conflicts with."""
    if promotion is None:
        return None
    promoted = [candidate for candidate in promotion.candidates if candidate.state == PROMOTED]
    contradicted_ids = {candidate.replaces.id for candidate in promoted if candidate.replaces}
    drafts = [candidate.draft for candidate in promoted if candidate.draft]
    relations = [relation for draft in drafts for relation in draft.relations]
    contradicted_ids |= {relation.memory for relation in relations if relation.type is RelationType.CONFLICTS_WITH}
    return sorted(contradicted_ids & shown_ids)


def _measure_prefetch(account: SessionActivity, prefetched: Mapping[str, int] | None) -> dict[str, Any]:
    if prefetched is None:
        names = ("prefetched", "prefetched_tokens", "prefetched_read_again", "prefetch_hit_rate")
        return dict.fromkeys(names)
    hits = sum(path in account.touched_files for path in prefetched)
    return {
        "prefetched": len(prefetched),
        "prefetched_tokens": sum(prefetched.values()),
        "prefetched_read_again": sum(deed.path in prefetched for deed in account.first_reads),
        "prefetch_hit_rate": round(hits / len(prefetched), 3) if prefetched else None,
    }


def _estimate_saved_tokens(account: SessionActivity, before: SessionFacts) -> int | None:
    """Estimate the tokens saved by searches that were not needed; None if the usual cost of a search is unknown."""
    files = count_unsearched(account, _files_told(account, before))
    return None if files and not before.search_tokens else round(files * before.search_tokens)


def _seconds_in(account: SessionActivity, injection: InjectedMemory) -> int:
    """Return the seconds from the start of the session to an injection."""
    start = account.pad.start
    return max(0, round(injection.at - start.at)) if start else 0


def is_acted_on(account: SessionActivity, injection: InjectedMemory) -> bool:
    """Return whether the session touched the memory's file, or ran its command, soon after the injection."""
    later = [deed for deed in account.entries if deed.action.at >= _effective_from(injection)]
    if not later:
        return False
    end = later[0].step + ACTED_STEPS
    soon = [deed for deed in later if deed.step < end]
    return any(deed.path in injection.files or _runs_command(deed.action.command, injection.command) for deed in soon)


def _effective_from(injection: InjectedMemory) -> float:
    """Return the time from which an action may follow from a memory; the action that triggered it may not."""
    return injection.at + LEDGER_STEP_S if injection.point in AFTER_DEEDS else injection.at


def _runs_command(command: str, wanted: str) -> bool:
    """Return whether a command is the memory's command, which is stored in normalised form."""
    return bool(wanted and command) and (wanted in command or wanted in command_compare.normalise_command(command))


def _files_told(account: SessionActivity, before: SessionFacts) -> dict[str, float]:
    """Return the files that the session was pointed to, with the time it first learned of each.

    Sources are context shown with a prompt, memories, and responses of `locate`.
    """
    first_told = dict(before.located)
    sent = [
        (_effective_from(injection), injection.files)
        for injection in before.shown
        if injection.point != REPORTED_USEFUL
    ]
    locate_calls = [action for action in account.pad.actions if is_locate(action.tool)]
    sent += [(action.ended_at or action.at, tuple(_PATH.findall(action.text))) for action in locate_calls]
    for at, paths in sent:
        for path in paths:
            first_told[path] = min(first_told.get(path, at), at)
    return first_told


def count_unsearched(account: SessionActivity, told_at: Mapping[str, float]) -> int:
    """Count files that were opened after the agent was pointed to them, without a search since the previous file."""
    count, searched = 0, False
    opened: set[str] = set()
    for deed in account.entries:
        if deed.kind in DISCOVERY:
            searched = True
        elif _is_first_open(deed, opened):
            count += told_at.get(deed.path, math.inf) <= deed.action.at and not searched
            searched = False
            opened.add(deed.path)
    return count


def _is_first_open(deed: ActivityEntry, opened: set[str]) -> bool:
    return deed.kind in ("read", "edit", "write") and bool(deed.path) and deed.path not in opened


def measure_answers(answers: Sequence[HookAnswer] | None) -> dict[str, Any]:
    """Return the metrics of these answers; all are None if answers were not counted."""
    if answers is None:
        names = ("answers", "answers_dropped", "answers_degraded", "answer_ms_p50", "answer_ms_p95")
        return dict.fromkeys(names)
    outcomes: dict[str, Counter[str]] = {}
    for answer in answers:
        outcomes.setdefault(answer.point, Counter())[answer.outcome] += 1
    times = sorted(answer.milliseconds for answer in answers)
    return {
        "answers": {point: dict(counted) for point, counted in outcomes.items()},
        "answers_dropped": sum(answer.outcome == "dropped" for answer in answers),
        "answers_degraded": dict(Counter(answer.degraded_step for answer in answers if answer.outcome == "degraded")),
        "answer_ms_p50": _compute_percentile(times, 0.50),
        "answer_ms_p95": _compute_percentile(times, 0.95),
    }


def _compute_percentile(times: list[float], share: float) -> float | None:
    """Return the smallest time that this share of the times, which are sorted, does not exceed."""
    return round(times[math.ceil(share * len(times)) - 1], 3) if times else None
