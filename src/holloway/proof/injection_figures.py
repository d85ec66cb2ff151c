"""Figures of the memories that a session was shown and the files it was handed: what came of them."""

from __future__ import annotations

import math
import re
from collections import Counter
from typing import TYPE_CHECKING, Any

from holloway.domain.memory import RelationType
from holloway.proof.record_fields import ACTED_STEPS
from holloway.proof.work_figures import DISCOVERY
from holloway.store.candidates import PROMOTED
from holloway.store.session_ledger import SAID_TO_HELP
from holloway.text import command_compare
from holloway.text.citation import cited_in
from holloway.text.own_tools import is_locate

if TYPE_CHECKING:
    from collections.abc import Mapping

    from holloway.observer.activity import Account, Deed
    from holloway.promotion.pipeline import Promotion
    from holloway.proof.session_facts import Before, Shown

LEDGER_STEP_S = 0.001
"""Seconds: the ledger of what was shown keeps whole milliseconds, and cuts off the rest."""
AFTER_DEEDS = ("tool_result", "step")
"""Points where a memory comes with what was just done, and may bear its very time."""

_PATH = re.compile(r"[\w@.+/-]+")


def measure_injected(account: Account, promotion: Promotion | None, before: Before) -> dict[str, Any]:
    """Return what the session was shown, and what came of that."""
    acted = {shown.memory for shown in before.shown if acted_on(account, shown)}
    cited = {memory for note in account.said("agent", "thought") for memory in cited_in(note.text)}
    helped = {shown.memory for shown in before.shown if shown.memory in cited or shown.point == SAID_TO_HELP}
    injected = [shown for shown in before.shown if shown.point != SAID_TO_HELP]
    return {
        "shown": [[shown.memory, shown.point, shown.tokens, _seconds_in(account, shown)] for shown in injected],
        "injections": dict(Counter(shown.point for shown in injected)),
        "injected_tokens": sum(shown.tokens for shown in injected),
        "cited": sorted(cited),
        "acted_on": sorted(acted),
        "used": sorted(acted | helped),
        "corrected": before.corrected,
        "flagged": before.flagged,
        "contradicted": _contradicted(promotion, {shown.memory for shown in injected}),
        "saved_tokens": _saved_tokens(account, before),
        "graph_boost_rate": None,
        **_prefetched(account, before.prefetched),
    }


def _contradicted(promotion: Promotion | None, shown: set[str]) -> list[str] | None:
    """Return the shown memories that a memory learned from the session replaces or conflicts with."""
    if promotion is None:
        return None
    kept = [candidate for candidate in promotion.candidates if candidate.state == PROMOTED]
    against = {candidate.replaces.id for candidate in kept if candidate.replaces}
    drafts = [candidate.draft for candidate in kept if candidate.draft]
    relations = [relation for draft in drafts for relation in draft.relations]
    against |= {relation.memory for relation in relations if relation.type is RelationType.CONFLICTS_WITH}
    return sorted(against & shown)


def _prefetched(account: Account, prefetched: Mapping[str, int] | None) -> dict[str, Any]:
    if prefetched is None:
        names = ("prefetched", "prefetched_tokens", "prefetched_read_again", "prefetch_hit_rate")
        return dict.fromkeys(names)
    hits = sum(path in account.touched for path in prefetched)
    return {
        "prefetched": len(prefetched),
        "prefetched_tokens": sum(prefetched.values()),
        "prefetched_read_again": sum(deed.path in prefetched for deed in account.first_reads),
        "prefetch_hit_rate": round(hits / len(prefetched), 3) if prefetched else None,
    }


def _saved_tokens(account: Account, before: Before) -> int | None:
    """Estimate the tokens of searches that were not needed; None where the usual cost of a search is not known."""
    files = unsearched(account, _told(account, before))
    return None if files and not before.search_tokens else round(files * before.search_tokens)


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
    return bool(wanted and command) and (wanted in command or wanted in command_compare.normalise_command(command))


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
        if deed.kind in DISCOVERY:
            searched = True
        elif _first(deed, opened):
            count += told.get(deed.path, math.inf) <= deed.action.at and not searched
            searched = False
            opened.add(deed.path)
    return count


def _first(deed: Deed, opened: set[str]) -> bool:
    return deed.kind in ("read", "edit", "write") and bool(deed.path) and deed.path not in opened
