"""The record of a session: what it did, in figures. Proof needs history, so every session leaves one."""

from __future__ import annotations

import math
import re
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from holloway.store.sessions import SAID_TO_HELP
from holloway.text import comparing
from holloway.text.citation import cited_in
from holloway.text.served import is_locate
from holloway.text.tokens import estimate

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from holloway.observer.account import Account, Deed
    from holloway.observer.outcome import Judged
    from holloway.observer.signals.signal import Signal
    from holloway.promotion.pipeline import Promotion

ACTED_STEPS = 10
"""A memory whose file or command comes up within so many steps of being shown was acted on."""
LEDGER_STEP_S = 0.001
"""Seconds: the ledger of what was shown keeps whole milliseconds, and cuts off the rest."""
AFTER_DEEDS = ("tool_result", "step")
"""Points where a memory comes with what was just done, and may bear its very time."""

_DISCOVERY = ("search", "list")
_PATH = re.compile(r"[\w@.+/-]+")


@dataclass(frozen=True, slots=True)
class Shown:
    """A memory that the session was shown: where, when, and what it is about."""

    memory: str
    point: str
    at: float
    tokens: int = 0
    files: tuple[str, ...] = ()
    command: str = ""


@dataclass(frozen=True, slots=True)
class Before:
    """What was known before the session began."""

    files: frozenset[str] = frozenset()
    errors: frozenset[str] = frozenset()
    dead_end_files: frozenset[str] = frozenset()
    shown: tuple[Shown, ...] = ()
    corrected: int = 0
    trust_level: int = 1
    prefetched: frozenset[str] = frozenset()
    """Files that were handed over before the agent asked for them."""
    located: Mapping[str, float] = field(default_factory=dict)
    """Files that the agent was sent to with a prompt, and when."""
    search_tokens: float = 0.0
    """Mean tokens that earlier sessions spent on searching for each file they opened."""


def record(
    account: Account, judged: Judged, signals: Sequence[Signal], promotion: Promotion | None, before: Before
) -> dict[str, Any]:
    """All figures of one session."""
    return {
        "agent": account.pad.start.agent if account.pad.start else "",
        "type": str(judged.type),
        "phase": str(judged.phase),
        "outcome": str(judged.outcome),
        "evidence": judged.evidence,
        **_work(account, before),
        **_help(account, before),
        "errors_known": sum(_fingerprint(signal) in before.errors for signal in signals if _fingerprint(signal)),
        "signals": dict(Counter(str(signal.name) for signal in signals)),
        "candidates": _by_signal(promotion),
        "trust_level": before.trust_level,
        "group": "memory",
    }


def _work(account: Account, before: Before) -> dict[str, Any]:
    """What the agent did, and what that took."""
    pad = account.pad
    return {
        "events": pad.events,
        "failed_events": pad.failed,
        "slow_events": pad.slow,
        "tool_calls": len(pad.actions),
        "discovery_calls": len(account.of(*_DISCOVERY)) + len(account.first_reads),
        "first_reads": len(account.first_reads),
        "known_files_read_again": sum(deed.path in before.files for deed in account.first_reads),
        "steps_to_first_edit": account.edits[0].step if account.edits else 0,
        "files_edited": len(account.edited),
        "tokens_in": pad.tokens_in,
        "tokens_out": pad.tokens_out,
        "context_peak": pad.context_peak,
        "search_tokens": search_tokens(account),
        "errors": sum(action.ok is False for action in pad.actions),
        "dead_ends_entered": len(before.dead_end_files & set(account.edited)),
    }


def _help(account: Account, before: Before) -> dict[str, Any]:
    """What it was shown and handed, and what came of that."""
    acted = {shown.memory for shown in before.shown if acted_on(account, shown)}
    cited = {found for note in account.said("agent", "thought") for found in cited_in(note.text)}
    helped = {shown.memory for shown in before.shown if shown.memory in cited or shown.point == SAID_TO_HELP}
    injected = [shown for shown in before.shown if shown.point != SAID_TO_HELP]
    return {
        "shown": [[shown.memory, shown.point, shown.tokens, _seconds_in(account, shown)] for shown in injected],
        "cited": sorted(cited),
        "acted_on": sorted(acted),
        "used": sorted(acted | helped),
        "corrected": before.corrected,
        "saved_tokens": round(unsearched(account, _told(account, before)) * before.search_tokens),
        "prefetched": len(before.prefetched),
        "prefetched_read_again": sum(deed.path in before.prefetched for deed in account.first_reads),
    }


def _seconds_in(account: Account, shown: Shown) -> int:
    """How long after its start a session was shown a memory."""
    start = account.pad.start
    return max(0, round(shown.at - start.at)) if start else 0


def acted_on(account: Account, shown: Shown) -> bool:
    """Whether the session touched the memory's file, or ran its command, soon after it saw the memory."""
    later = [deed for deed in account.deeds if deed.action.at >= _known_from(shown)]
    if not later:
        return False
    end = later[0].step + ACTED_STEPS
    soon = [deed for deed in later if deed.step < end]
    return any(deed.path in shown.files or _runs(deed.action.command, shown.command) for deed in soon)


def _known_from(shown: Shown) -> float:
    """From when on a deed may have come of a memory: what brought it has not."""
    return shown.at + LEDGER_STEP_S if shown.point in AFTER_DEEDS else shown.at


def _runs(command: str, wanted: str) -> bool:
    """Whether a command is the one that a memory speaks of, which keeps it as commands are compared."""
    return bool(wanted and command) and (wanted in command or wanted in comparing.normalised(command))


def search_tokens(account: Account) -> int:
    """About how many tokens the results of searches and listings took; a command that does both has one result."""
    results = {deed.step: deed.action.text for deed in account.of(*_DISCOVERY)}
    return sum(map(estimate, results.values()))


def _told(account: Account, before: Before) -> dict[str, float]:
    """The files that the session was sent to, and when it was first told of each.

    With a prompt, by a memory, or by an answer to its question where the files of a task are.
    """
    told = dict(before.located)
    sent = [(_known_from(shown), shown.files) for shown in before.shown if shown.point != SAID_TO_HELP]
    asked = [action for action in account.pad.actions if is_locate(action.tool)]
    sent += [(action.ended_at or action.at, tuple(_PATH.findall(action.text))) for action in asked]
    for at, paths in sent:
        for path in paths:
            told[path] = min(told.get(path, at), at)
    return told


def unsearched(account: Account, told: Mapping[str, float]) -> int:
    """How many files were opened after the agent was told of them and without a search since the file before."""
    count, searched = 0, False
    opened: set[str] = set()
    for deed in account.deeds:
        if deed.kind in _DISCOVERY:
            searched = True
        elif _first(deed, opened):
            count += told.get(deed.path, math.inf) <= deed.action.at and not searched
            searched = False
            opened.add(deed.path)
    return count


def _first(deed: Deed, opened: set[str]) -> bool:
    return deed.kind in ("read", "edit", "write") and bool(deed.path) and deed.path not in opened


def _fingerprint(signal: Signal) -> str:
    return str(signal.facts.get("fingerprint") or "")


def _by_signal(promotion: Promotion | None) -> Mapping[str, Mapping[str, int]]:
    found: dict[str, Counter[str]] = {}
    for each in promotion.candidates if promotion else ():
        found.setdefault(str(each.signal.name), Counter())[each.state] += 1
    return {name: dict(counter) for name, counter in found.items()}
