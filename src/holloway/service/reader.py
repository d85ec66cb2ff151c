"""The reader as a person controls it: what it costs and sends, which providers there are, on, off, and its figures."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from filelock import FileLock, Timeout

from holloway import config
from holloway.errors import InvalidInput
from holloway.llm.headless_agents import AGENT_KINDS, find_program
from holloway.llm.reader_choice import choose_reader, get_lock_file
from holloway.store import candidates, readings
from holloway.store import project as projects
from holloway.store.candidates import DROPPED, HELD, PROMOTED, REINFORCED
from holloway.store.llm_usage import READER_FAILED, READER_PURPOSE, READER_READ, LlmUsageLedger

if TYPE_CHECKING:
    from holloway.domain.ports import Clock
    from holloway.store.database import Database

OFF = "off"
STOP_WAIT_S = 30.0
"""Longest wait for a running call to end after the reader was turned off."""


class ReaderOffer(NamedTuple):
    """A provider that can be chosen on this machine without further settings."""

    provider: str
    label: str


def list_offers() -> list[ReaderOffer]:
    """Return the agents on this machine that can read sessions."""
    return [ReaderOffer(kind.name, kind.label) for kind in AGENT_KINDS.values() if find_program(kind)]


def describe_consent(settings: config.Settings) -> list[str]:
    """Return in plain words what a reader does, what leaves this machine and what it costs."""
    daily, monthly = (settings.get_number(f"reader.{period}_tokens") for period in ("daily", "monthly"))
    return [
        "A reader is a language model that reads each finished session once and proposes lessons. holloway checks",
        "each lesson against the session before it stores it. Without a reader, holloway learns less.",
        "  sends  a condensed view of the session (prompts, the agent's text, commands, errors, diffs), scanned for",
        "         secrets before it leaves this machine, to the provider that you choose and nowhere else",
        f"  costs  about {config.READER_SESSION_TOKENS:,} tokens for a usual session, several times that for a long",
        f"         one; at most {daily:,} tokens a day and {monthly:,} a month in each project",
        "  ends   at once with `holloway reader off`",
    ]


def was_asked(key: str = "") -> bool:
    """Return whether a person has already chosen a reader or none, for every project or for the one with a key."""
    return load_settings(key).resolve_value("reader.provider")[1] != "default"


def load_settings(key: str = "") -> config.Settings:
    """Return the settings of every project, or of the one with a key."""
    return config.Settings.load_settings(key, config.data_home())


def turn_on(provider: str, options: dict[str, str], key: str = "") -> str:
    """Store the choice of a reader, for every project or for the one with a key.

    `options` are the other settings of the reader by their last word, such as `model`; empty ones reset a setting.
    Returns the reason why it cannot run yet, or an empty string. Raises InvalidInput for an agent that is not there.
    """
    kind = AGENT_KINDS.get(provider)
    if kind is not None and not find_program(kind):
        hint = "Install it, or choose another: `holloway reader status` lists what is here."
        raise InvalidInput(f"`{kind.program}` is not on the PATH, so {kind.label} cannot read sessions.", hint)
    for name, value in {**options, "provider": provider}.items():
        config.change_setting(f"reader.{name}", value, key, config.data_home())
    return choose_reader(load_settings(key)).reason


def turn_off(key: str = "") -> int:
    """Turn the reader off and end its running calls; return how many there were.

    Without a key it is off in every project, also in those with a separate choice.
    """
    home = Path(config.data_home())
    every_project = projects.list_projects(home)
    affected = [project for project in every_project if key in ("", project.key)]
    if not key:
        config.change_setting("reader.provider", OFF, "", str(home))
    for project in affected:
        if key or load_settings(project.key).stored_value("reader.provider") != OFF:
            config.change_setting("reader.provider", OFF, project.key, str(home))
    return sum(_wait_for_end(get_lock_file(project)) for project in affected)


def _wait_for_end(lock_file: str) -> bool:
    """Wait until a running call has noticed that the reader is off; return whether there was one."""
    if not Path(lock_file).exists():
        return False
    lock = FileLock(lock_file, mode=0o600)
    try:
        lock.acquire(timeout=0)
    except Timeout:
        with lock.acquire(timeout=STOP_WAIT_S):
            return True
    lock.release()
    return False


def describe_reader(settings: config.Settings, database: Database | None, clock: Clock) -> dict[str, Any]:
    """Return the reader's figures: provider, model, caps, and what it used, read and failed at in one project."""
    choice = choose_reader(settings)
    provider, origin = settings.resolve_value("reader.provider")
    figures: dict[str, Any] = {
        "provider": provider,
        "from": origin,
        "model": choice.writer.model if choice.writer else None,
        "problem": choice.reason if choice.writer is None and provider != OFF else None,
        "daily_cap": settings.get_number("reader.daily_tokens"),
        "monthly_cap": settings.get_number("reader.monthly_tokens"),
        "tokens_today": 0,
        "tokens_this_month": 0,
        "last_read": None,
        "last_failure": None,
        "waiting": 0,
        "proposals": {},
    }
    if database is not None:
        ledger = LlmUsageLedger(database, clock)
        read, failure = ledger.load_reader_event(READER_READ), ledger.load_reader_event(READER_FAILED)
        figures |= {
            "tokens_today": ledger.total_tokens(f"{clock.now():%Y-%m-%d}", READER_PURPOSE),
            "tokens_this_month": ledger.total_tokens(f"{clock.now():%Y-%m}", READER_PURPOSE),
            "last_read": {"at": read.at, "session": read.text} if read else None,
            "last_failure": {"at": failure.at, "message": failure.text} if failure else None,
            "waiting": len(readings.list_waiting(database)),
            "proposals": _count_proposals(database),
        }
    return figures


def _count_proposals(database: Database) -> dict[str, int]:
    """Count the lessons that readers proposed by what became of them: stored, seen again, held or dropped."""
    counts = candidates.count_by_signal_and_state(database)
    return {state: number for (signal, state), number in counts.items() if signal == candidates.READ_LESSON}


def describe_proposals(figures: dict[str, Any]) -> str:
    """Return in words what became of the proposals and how many sessions wait; empty if there is nothing of either."""
    labels = ((PROMOTED, "stored"), (REINFORCED, "known"), (HELD, "held"), (DROPPED, "refused"))
    proposals = figures["proposals"]
    parts = [f"{proposals[state]:,} {label}" for state, label in labels if proposals.get(state)]
    lessons = f"of {sum(proposals.values()):,} lessons proposed {', '.join(parts)}" if parts else ""
    waiting = f"sessions that wait to be read: {figures['waiting']:,}" if figures["waiting"] else ""
    return "; ".join(filter(None, (lessons, waiting)))


def describe_in_words(figures: dict[str, Any]) -> str:
    """Return the reader's figures in one line."""
    usage = (
        f"{figures['tokens_today']:,} of {figures['daily_cap']:,} tokens today, "
        f"{figures['tokens_this_month']:,} of {figures['monthly_cap']:,} this month"
    )
    if figures["provider"] == OFF:
        return f"off ({usage})" if figures["tokens_this_month"] else "off; `holloway reader on` turns it on"
    name = figures["provider"] + (f" ({figures['model']})" if figures["model"] else "")
    read = figures["last_read"]
    last_text = f"session {read['session']} read {read['at'][:16]}" if read else "no session read yet"
    return f"{name}: {usage}; {last_text}"


def has_failed_last(figures: dict[str, Any]) -> bool:
    """Return whether the reader has failed since it last read a session."""
    failure, read = figures["last_failure"], figures["last_read"]
    return failure is not None and (read is None or failure["at"] > read["at"])
