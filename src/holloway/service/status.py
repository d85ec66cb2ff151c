"""Status figures of a project's memory."""

from __future__ import annotations

import stat
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from holloway.domain.memory import MemoryType, State
from holloway.domain.ports import format_stamp
from holloway.llm.providers import choose_writer
from holloway.promotion.gates import is_strict
from holloway.promotion.pipeline import STRICT_FACTOR
from holloway.safety.repository_text import admit
from holloway.service.activity_feed import list_activities
from holloway.service.doctor import RECENT_DAYS
from holloway.service.experiment import describe_experiment
from holloway.service.health import measure_health
from holloway.service.project_finder import find_claim
from holloway.service.reader import describe_reader
from holloway.service.share import describe_state
from holloway.store import answer_log, candidates, registry, session_ledger
from holloway.store.database import list_rolling_backups
from holloway.store.filter import Filter
from holloway.store.llm_usage import READER_PURPOSE, LlmUsageLedger
from holloway.store.panel_address import find_panel

if TYPE_CHECKING:
    from pathlib import Path

    from holloway.service.holloway import Holloway


ACTIVITIES_SHOWN = 10
_BECAME = (candidates.PROMOTED, candidates.REINFORCED, candidates.HELD, candidates.DROPPED)


def status(memory: Holloway) -> dict[str, Any]:
    """Return the figures of `holloway status`."""
    count = memory.store.memories.count_memories
    alive = Filter()
    by_type = {str(kind): count(replace(alive, types=(kind,))) for kind in MemoryType}
    newest = next(iter(list_rolling_backups(memory.project.backups_folder)), None)
    return {
        "project": memory.project.name,
        "key": memory.project.key,
        "root": str(memory.project.root),
        "folder": str(memory.project.folder) if memory.project.key else None,
        "unconfirmed": find_claim(str(memory.project.root)) or None,
        "branch": admit("branch", memory.branch),
        "memories": count(alive),
        "by_type": {kind: number for kind, number in by_type.items() if number},
        "by_state": {str(state): number for state in State if (number := count(replace(alive, states=(state,))))},
        "to_review": memory.count_to_review(),
        "forgotten": count(Filter(deleted=True, superseded=True)),
        "user_memories": memory.count_user(),
        "sessions": session_ledger.count_all_sessions(memory.store.database),
        "answers": _answers(memory),
        "observer": _observer(memory),
        "panel": find_panel(str(memory.project.folder)) or None,
        "sharing": _sharing(memory),
        "paused": registry.get_paused_mode(str(memory.home), memory.project.key) or None,
        **_trust(memory),
        **_search(memory),
        "language_model": _language_model(memory),
        "reader": describe_reader(memory.settings, memory.store.database, memory.clock),
        "experiment": describe_experiment(memory.settings),
        **measure_health(memory).to_json(),
        **list_activities(memory, limit=ACTIVITIES_SHOWN).to_json(),
        "bytes": sum(map(_size, memory.project.folder.rglob("*"))),
        "last_backup": newest.name if newest else None,
    }


def _sharing(memory: Holloway) -> dict[str, str] | None:
    """Return where sharing stands; None if nothing was ever shared."""
    state = describe_state(memory.store.database)
    return None if state.word == "off" else {"state": state.word, "detail": state.detail}


def _answers(memory: Holloway) -> dict[str, Any]:
    """Count the recent answers of hooks to agents by outcome: full, shortened or dropped because of a timeout."""
    since = format_stamp(memory.clock.now() - timedelta(days=RECENT_DAYS))
    owed = answer_log.read_answers(str(memory.project.folder), since=since)
    counts = answer_log.count_outcomes(owed)
    latest = owed[-1].session if owed else ""
    return {
        "days": RECENT_DAYS,
        "given": counts.pop(answer_log.ANSWER_FULL),
        "degraded": counts.pop(answer_log.ANSWER_DEGRADED),
        "dropped": counts.pop(answer_log.ANSWER_DROPPED),
        "by_step": counts,
        "last_session": answer_log.count_outcomes([answer for answer in owed if answer.session == latest])
        if latest
        else None,
    }


def _size(path: Path) -> int:
    """Return the size of a file in bytes; 0 if it is missing or not a regular file."""
    try:
        about = path.stat()
    except OSError:
        return 0
    return about.st_size if stat.S_ISREG(about.st_mode) else 0


def _observer(memory: Holloway) -> dict[str, Any]:
    """Return counts of watched events, of signals and their candidates by state, and of people's reviews."""
    database = memory.store.database
    became = candidates.count_by_signal_and_state(database)
    fired = session_ledger.count_fired_signals(database)
    confirmed, rejected = memory.store.memories.count_reviewed()
    strict = is_strict(memory.store)
    return {
        **{state: sum(number for (_, of), number in became.items() if of == state) for state in _BECAME},
        **session_ledger.sum_event_counts(database),
        "signals": {
            name: {"fired": times, **{state: became.get((name, state), 0) for state in _BECAME}}
            for name, times in fired.items()
        },
        "confirmed_by_people": confirmed,
        "rejected_by_people": rejected,
        "rejection_rate": round(rejected / (confirmed + rejected), 3) if confirmed + rejected else None,
        "strict": strict,
        "threshold_factor": STRICT_FACTOR if strict else 1.0,
    }


def _trust(memory: Holloway) -> dict[str, Any]:
    standing = memory.trust.standing()
    return {
        "sessions_watched": standing.regard.sessions,
        "trust_level": standing.level,
        "trust_offer": standing.offer or None,
    }


def _language_model(memory: Holloway) -> dict[str, Any] | None:
    """Return this month's language model usage and its cap; None if no model is configured or was used."""
    month = f"{memory.clock.now():%Y-%m}"
    usages = LlmUsageLedger(memory.store.database, memory.clock).list_by_purpose(month)
    spent = [usage for usage in usages if usage.purpose != READER_PURPOSE]
    if not spent and choose_writer(memory.settings).writer is None:
        return None
    return {
        "month": month,
        "tokens": sum(usage.tokens_in + usage.tokens_out for usage in spent),
        "cap": memory.settings.get_number("llm.monthly_tokens"),
        "calls": [usage._asdict() for usage in spent],
    }


def _search(memory: Holloway) -> dict[str, Any]:
    """Return how search works here: by words always, by meaning if an embedder is configured."""
    embedder = memory.search.choice.embedder
    return {
        "search": "text and meaning" if embedder else "text",
        "model": embedder.model if embedder else None,
        "to_embed": memory.search.to_embed(),
        "search_note": memory.search.choice.reason or None,
    }
