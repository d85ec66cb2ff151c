"""Background jobs of a project, in order: each has a condition, does bounded work and reports what it did."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

from holloway import git
from holloway.capture import journal_reader
from holloway.capture.session_files import Unlearned, from_journal, list_ended
from holloway.codemap.health import MapBusy
from holloway.config import READER_IDLE_S, SESSION_SILENCE_S, SYNC_EVERY_S
from holloway.domain.ports import format_stamp, parse_stamp
from holloway.git.transfer import TransferFailed
from holloway.promotion import history_harvest, host_notes_import, synthesis
from holloway.promotion.insight import Reflection
from holloway.service import agent_notes, background_worker, session_reading
from holloway.service.past_sessions import open_session_files
from holloway.service.session_learning import Learning
from holloway.sharing.membership import Membership, SyncBusy
from holloway.store import candidates, learned_files, lifecycle

if TYPE_CHECKING:
    from holloway.capture.journal_reader import Journal
    from holloway.capture.session_files import SessionFiles
    from holloway.service.holloway import Holloway
    from holloway.service.session_learning import Learned

WEEK = timedelta(days=7)
DAY = timedelta(days=1)
EMBED_S = 300.0


@dataclass(frozen=True, slots=True)
class Job:
    """A background job; `do` gets the remaining seconds and returns a report for the log."""

    name: str
    is_due: Callable[[Holloway], bool]
    do: Callable[[Holloway, float], str]


def is_map_missing(memory: Holloway) -> bool:
    """Return whether there is no map yet: learning needs the modules of files, so the map comes first."""
    return memory.project.root.is_dir() and not memory.map.is_ready


def has_folder(memory: Holloway) -> bool:
    """Return whether the project's folder exists; only an index run sees its edits."""
    return memory.project.root.is_dir()


def update_map(memory: Holloway, seconds: float) -> str:
    """Update the map to the files and to HEAD, unless another process does so."""
    try:
        mapped = memory.map.update(wait=False)
    except MapBusy:
        return "somebody else is at it"
    return f"{mapped.read} files read" if mapped.read or mapped.removed else ""


def has_journals(memory: Holloway) -> bool:
    """Return whether there are journals; only reading them tells which sessions are over."""
    return any(memory.project.journal_folder.glob("*.jsonl"))


def learn_ended(memory: Holloway, seconds: float) -> str:
    """Learn from the sessions that are over, the oldest first, and delete their journals."""
    deadline = time.monotonic() + seconds
    files = open_session_files(memory)
    counts: Counter[str] = Counter()
    journals = journal_reader.list_journals(memory.project.journal_folder)
    for journal in list_ended(journals, memory.clock.now().timestamp(), SESSION_SILENCE_S):
        if time.monotonic() > deadline:
            counts["left for the next run"] += 1
        else:
            counts[_learn_journal(memory, files, journal)] += 1
    return ", ".join(f"{number} {outcome}" for outcome, number in counts.items() if outcome)


def _learn_journal(memory: Holloway, files: SessionFiles[Learned], journal: Journal) -> str:
    """Learn from one session's journal, queue the session for the reader and delete the journal; returns the outcome.

    A journal without a transcript stays until the reader is done with it.
    """
    file = from_journal(journal)
    if file is None:
        return ""
    if not files.is_done(file):
        try:
            files.learn(file)
        except Unlearned:
            return "failed"
    elif files.has_failed(file):
        return ""
    if session_reading.queue_session(memory, file) and file.transcript is None:
        return ""
    _delete_journal(journal)
    return "learned"


def _delete_journal(journal: Journal) -> None:
    """Delete a journal that was learned from, unless a hook has written to it meanwhile."""
    try:
        if journal.path.stat().st_mtime == journal.modified_at:
            journal.path.unlink()
    except FileNotFoundError:
        pass


def has_records(memory: Holloway) -> bool:
    """Return whether an MCP server left records behind."""
    return any(memory.project.checkpoints_folder.glob(f"{agent_notes.PREFIX}*.json"))


def learn_records(memory: Holloway, seconds: float) -> str:
    """Learn from records of MCP servers that were killed; running servers are left alone."""
    left = agent_notes.finish_left(memory)
    return f"{left} finished" if left else ""


def is_held(memory: Holloway) -> bool:
    """Return whether candidates are held, and the history or the day has changed since the last look."""
    if memory.store.get_meta("held_seen") == _held_mark(memory):
        return False
    return bool(candidates.list_held_candidates(memory.store.database))


def settle_held(memory: Holloway, seconds: float) -> str:
    """Promote or drop held candidates."""
    decided = Learning(memory.opened).settle_held()
    memory.store.set_meta("held_seen", _held_mark(memory))
    return f"{len(decided)} settled" if decided else ""


def _held_mark(memory: Holloway) -> str:
    return f"{git.head_commit(str(memory.project.root))} {memory.clock.now():%Y-%m-%d}"


def has_moved(memory: Holloway) -> bool:
    """Return whether there are commits that were not checked for reverts yet."""
    head = git.head_commit(str(memory.project.root))
    return bool(head) and head != memory.store.get_meta("undone_seen")


def set_aside_reverted(memory: Holloway, seconds: float) -> str:
    """Set aside memories learned from work that was reverted."""
    reverted_memories = Learning(memory.opened).take_back()
    return f"{len(reverted_memories)} taken back" if reverted_memories else ""


def has_new_commits(memory: Holloway) -> bool:
    """Return whether there are commits whose messages were not read for explanations yet."""
    return history_harvest.has_new_commits(memory.store)


def harvest_history(memory: Holloway, seconds: float) -> str:
    """Read the messages of new commits for explanations."""
    harvest = memory.harvest_history()
    return f"{harvest.added} from {harvest.commits} commits" if harvest.added else ""


def has_changed_notes(memory: Holloway) -> bool:
    """Return whether a host's notes about the project have changed."""
    return host_notes_import.has_changed_notes(memory.store)


def import_notes(memory: Holloway, seconds: float) -> str:
    """Import new notes of hosts for review."""
    imported = memory.import_host_notes()
    return f"{imported.added} for review" if imported.added else ""


def has_unembedded(memory: Holloway) -> bool:
    """Return whether memories lack vectors."""
    return memory.search.to_embed() > 0


def embed_memories(memory: Holloway, seconds: float) -> str:
    """Compute missing vectors."""
    return f"{memory.search.embed_waiting(min(seconds, EMBED_S))} embedded"


def has_reached_a_count(memory: Holloway) -> bool:
    """Return whether a module has reached a session count at which a configured language model is asked about it."""
    return bool(Reflection(memory.store, memory.settings).due())


def reflect_on_modules(memory: Holloway, seconds: float) -> str:
    """Ask the model what the memories of such modules add up to."""
    reflection = Reflection(memory.store, memory.settings)
    memories = reflection.reflect()
    return f"{len(memories)} found" if memories else reflection.trouble


def is_week_over(memory: Holloway) -> bool:
    """Return whether a week has passed since the last look at pairs of modules."""
    return _has_passed(memory, "weekly_seen", WEEK)


def look_across(memory: Holloway, seconds: float) -> str:
    """Look at pairs of modules that are worked in together."""
    places = Learning(memory.opened).places
    insights = [
        *synthesis.synthesise_module_pairs(memory.store, places),
        *Reflection(memory.store, memory.settings).across(places),
    ]
    memory.store.set_meta("weekly_seen", format_stamp(memory.clock.now()))
    return f"{len(insights)} found" if insights else ""


def is_day_over(memory: Holloway) -> bool:
    """Return whether a day has passed since the last backup and pruning."""
    return _has_passed(memory, "daily_seen", DAY)


def clean_up(memory: Holloway, seconds: float) -> str:
    """Prune memories, drop records of missing session files, back up the database."""
    pruned = memory.prune()
    learned_files.delete_missing_files(memory.store.database)
    memory.maintain()
    memory.store.set_meta("daily_seen", format_stamp(memory.clock.now()))
    pruned_count = len(pruned.faded) + len(pruned.removed)
    return f"{pruned_count} pruned, backed up" if pruned_count else "backed up"


def mark_stale(memory: Holloway, seconds: float) -> str:
    """Mark memories whose file is gone, or the code that they name, for review."""
    marked = lifecycle.mark_missing_code(memory.store, seconds)
    return f"{len(marked)} marked stale" if marked else ""


def has_sessions_to_read(memory: Holloway) -> bool:
    """Return whether sessions wait for the reader."""
    return session_reading.has_waiting(memory)


def read_sessions(memory: Holloway, seconds: float) -> str:
    """Have the chosen language model read sessions, and store the lessons that pass the checks.

    While an agent is at work, another worker is started that waits until it may be done.
    """
    result = session_reading.read_sessions(memory, Learning(memory.opened), seconds)
    if result.must_wait:
        background_worker.start_later(str(memory.project.folder), str(memory.project.root), READER_IDLE_S + 1)
    return result.describe()


def is_sync_due(memory: Holloway) -> bool:
    """Return whether memories are shared and the last exchange is long enough ago."""
    return any(Membership(store, is_user=store is not memory.store).is_due(SYNC_EVERY_S) for store in memory.stores())


def synchronize(memory: Holloway, seconds: float) -> str:
    """Exchange shared memories with their remote; being offline is normal and no failure."""
    reports: list[str] = []
    for store in memory.stores():
        membership = Membership(store, is_user=store is not memory.store)
        if membership.is_due(SYNC_EVERY_S):
            try:
                report = membership.synchronize(wait_s=0)
                reports.append(f"{report.sent} sent, {report.received} received")
            except SyncBusy:
                reports.append("somebody else is at it")
            except TransferFailed as error:
                if not error.is_offline:
                    raise
                reports.append("offline")
    return "; ".join(reports)


def is_always_due(memory: Holloway) -> bool:
    """Return True, for a job that costs less than finding out whether it is due."""
    return True


def settle_store(memory: Holloway, seconds: float) -> str:
    """Count uses, release memories of merged branches, drop expired journals."""
    memory.settle()
    return ""


JOBS = (
    Job("map", is_map_missing, update_map),
    Job("learn", has_journals, learn_ended),
    Job("records", has_records, learn_records),
    Job("settle", is_always_due, settle_store),
    Job("held", is_held, settle_held),
    Job("undone", has_moved, set_aside_reverted),
    Job("stale", has_folder, mark_stale),
    Job("map", has_folder, update_map),
    Job("history", has_new_commits, harvest_history),
    Job("notes", has_changed_notes, import_notes),
    Job("embed", has_unembedded, embed_memories),
    Job("synthesis", has_reached_a_count, reflect_on_modules),
    Job("weekly", is_week_over, look_across),
    Job("daily", is_day_over, clean_up),
    Job("share", is_sync_due, synchronize),
    Job("reader", has_sessions_to_read, read_sessions),
)
"""All jobs, in the order in which they run."""


def _has_passed(memory: Holloway, key: str, time_between: timedelta) -> bool:
    """Return whether a job was last done at least that long ago; a time in the future comes from a wrong clock."""
    last_run_at = memory.store.get_meta(key)
    return not last_run_at or not timedelta(0) <= memory.clock.now() - parse_stamp(last_run_at) < time_between
