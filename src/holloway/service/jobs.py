"""What is due in a project, in order: each chore has a condition, does a bounded amount of work, says what it did."""

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
from holloway.config import SESSION_SILENCE_S
from holloway.domain.ports import moment, stamp
from holloway.promotion import synthesis
from holloway.promotion.reflection import Reflection
from holloway.service import agent_notes
from holloway.service.past_sessions import open_session_files
from holloway.service.session_learning import Learning
from holloway.store import candidates, learned_files

if TYPE_CHECKING:
    from holloway.capture.journal_reader import Journal
    from holloway.capture.session_files import SessionFiles
    from holloway.service.holloway import Holloway
    from holloway.service.session_learning import Learned

WEEK = timedelta(days=7)
DAY = timedelta(days=1)
EMBED_S = 300.0


@dataclass(frozen=True, slots=True)
class Chore:
    """Something to do when it is due; `do` is given the seconds that are left, and says what it did."""

    name: str
    is_due: Callable[[Holloway], bool]
    do: Callable[[Holloway, float], str]


def is_map_missing(memory: Holloway) -> bool:
    """Whether there is no map yet: sessions are told by the modules they worked in, so it comes first."""
    return memory.project.root.is_dir() and not memory.map.is_ready


def is_here(memory: Holloway) -> bool:
    """Whether the project's folder is there; its edits are seen by looking only."""
    return memory.project.root.is_dir()


def bring_map(memory: Holloway, seconds: float) -> str:
    """Bring the map up to the files and to HEAD, unless somebody is at it."""
    try:
        done = memory.map.update(wait=False)
    except MapBusy:
        return "somebody else is at it"
    return f"{done.read} files read" if done.read or done.removed else ""


def has_journals(memory: Holloway) -> bool:
    """Whether there are journals at all; which of them are over is seen by reading them."""
    return any(memory.project.journal.glob("*.jsonl"))


def learn_ended(memory: Holloway, seconds: float) -> str:
    """Learn from the sessions that are over, the oldest first, and delete their journals."""
    deadline = time.monotonic() + seconds
    files = open_session_files(memory)
    counts: Counter[str] = Counter()
    journals = journal_reader.sessions(memory.project.journal)
    for journal in list_ended(journals, memory.clock.now().timestamp(), SESSION_SILENCE_S):
        if time.monotonic() > deadline:
            counts["left for the next run"] += 1
        else:
            counts[_learn_journal(files, journal)] += 1
    return ", ".join(f"{number} {outcome}" for outcome, number in counts.items() if outcome)


def _learn_journal(files: SessionFiles[Learned], journal: Journal) -> str:
    """Learn from one session's journal and delete it; returns the outcome in a word."""
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
    """Whether an MCP server left records behind."""
    return any(memory.project.checkpoints.glob(f"{agent_notes.PREFIX}*.json"))


def learn_records(memory: Holloway, seconds: float) -> str:
    """Learn from MCP servers that were killed before they could finish; those that run are left alone."""
    left = agent_notes.finish_left(memory)
    return f"{left} finished" if left else ""


def is_held(memory: Holloway) -> bool:
    """Whether something waits for its work to prove right, and the history or the day changed since the last look."""
    if memory.store.noted("held_seen") == _held_mark(memory):
        return False
    return bool(candidates.held(memory.store.database))


def settle_held(memory: Holloway, seconds: float) -> str:
    """Release or drop what waits."""
    decided = Learning(memory).settle_held()
    memory.store.note("held_seen", _held_mark(memory))
    return f"{len(decided)} settled" if decided else ""


def _held_mark(memory: Holloway) -> str:
    return f"{git.head_commit(str(memory.project.root))} {memory.clock.now():%Y-%m-%d}"


def has_moved(memory: Holloway) -> bool:
    """Whether there are commits that nobody has looked at for what they undo."""
    head = git.head_commit(str(memory.project.root))
    return bool(head) and head != memory.store.noted("undone_seen")


def take_back(memory: Holloway, seconds: float) -> str:
    """Set aside what was learned from work that was undone."""
    taken = Learning(memory).take_back()
    return f"{len(taken)} taken back" if taken else ""


def has_unembedded(memory: Holloway) -> bool:
    """Whether memories wait for their vectors."""
    return memory.search.to_embed() > 0


def embed(memory: Holloway, seconds: float) -> str:
    """Give memories their vectors."""
    return f"{memory.search.embed_waiting(min(seconds, EMBED_S))} embedded"


def has_reached_a_count(memory: Holloway) -> bool:
    """Whether a module was worked in so often that a language model is asked about it, where one is configured."""
    return bool(Reflection(memory.store, memory.settings).due())


def reflect(memory: Holloway, seconds: float) -> str:
    """Ask what the memories of such modules add up to."""
    reflecting = Reflection(memory.store, memory.settings)
    found = reflecting.reflect()
    return f"{len(found)} found" if found else reflecting.trouble


def is_week_over(memory: Holloway) -> bool:
    """Whether a week has passed since pairs of modules were last looked at."""
    return _passed(memory, "weekly_seen", WEEK)


def look_across(memory: Holloway, seconds: float) -> str:
    """Look at pairs of modules that are worked in together."""
    places = Learning(memory).places
    found = [*synthesis.weekly(memory.store, places), *Reflection(memory.store, memory.settings).across(places)]
    memory.store.note("weekly_seen", stamp(memory.clock.now()))
    return f"{len(found)} found" if found else ""


def is_day_over(memory: Holloway) -> bool:
    """Whether a day has passed since the last backup and pruning."""
    return _passed(memory, "daily_seen", DAY)


def clean_up(memory: Holloway, seconds: float) -> str:
    """Set aside what faded, forget files that are gone, copy the database."""
    pruned = memory.prune()
    learned_files.drop_missing(memory.store.database)
    memory.maintain()
    memory.store.note("daily_seen", stamp(memory.clock.now()))
    gone = len(pruned.faded) + len(pruned.removed)
    return f"{gone} pruned, backed up" if gone else "backed up"


def always(memory: Holloway) -> bool:
    """For what costs less than finding out whether it is due."""
    return True


def settle(memory: Holloway, seconds: float) -> str:
    """Count uses, release what was learned on merged branches, drop journals that are too old."""
    memory.settle()
    return ""


CHORES = (
    Chore("map", is_map_missing, bring_map),
    Chore("learn", has_journals, learn_ended),
    Chore("records", has_records, learn_records),
    Chore("settle", always, settle),
    Chore("held", is_held, settle_held),
    Chore("undone", has_moved, take_back),
    Chore("map", is_here, bring_map),
    Chore("embed", has_unembedded, embed),
    Chore("synthesis", has_reached_a_count, reflect),
    Chore("weekly", is_week_over, look_across),
    Chore("daily", is_day_over, clean_up),
)
"""All chores, in the order in which they are done."""


def _passed(memory: Holloway, key: str, time_between: timedelta) -> bool:
    """Whether so much time has passed since a chore was done; a note from the future is that of a wrong clock."""
    seen = memory.store.noted(key)
    return not seen or not timedelta(0) <= memory.clock.now() - moment(seen) < time_between
