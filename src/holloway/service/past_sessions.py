"""The sessions that agents have left on this machine before anybody watched: learned from in their order, once."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from holloway.capture import claude_code, codex, transcripts
from holloway.service import session_files
from holloway.service.session_files import Sources, Unlearned
from holloway.service.session_learning import Learning
from holloway.store import candidates
from holloway.store.candidates import HELD, PROMOTED, REINFORCED

if TYPE_CHECKING:
    from collections.abc import Callable

    from holloway.capture.transcripts import Transcript
    from holloway.service.holloway import Holloway
    from holloway.service.session_learning import Learned

AGENTS = (claude_code.AGENT, codex.AGENT)


@dataclass(frozen=True, slots=True)
class Found:
    """The sessions on this machine: those to learn from, and how many are known as they are or still go on."""

    sessions: tuple[Transcript, ...]
    beside: tuple[Transcript, ...]
    """All of them; one may repeat the beginning of another."""
    known: int = 0
    running: int = 0


@dataclass(slots=True)
class Past:
    """What came of learning from them."""

    read: int = 0
    failed: list[str] = field(default_factory=list)
    kept: set[str] = field(default_factory=set)
    """Memories that were made or agreed with."""
    to_review: int = 0
    held: int = 0
    interrupted: bool = False


def find(memory: Holloway, *, since: float = 0.0, agent: str = "", home: Path | None = None) -> Found:
    """The sessions of this project that agents left here, in any of its working trees, the oldest first."""
    listed = transcripts.found(memory.project.root, home)
    chosen = (each for each in listed if each.started_at >= since and (not agent or each.agent == agent))
    # Of sessions that share their beginning, the one that ended first is the one whose it is.
    wanted = sorted(chosen, key=lambda each: (each.started_at, each.modified_at, str(each.path)))
    known = Sources(memory, wanted)
    running = {each.session for each in session_files.running(memory)}  # the worker learns from them when they are over
    fresh = [each for each in wanted if not known.is_done(session_files.of_transcript(each))]
    due = tuple(each for each in fresh if each.session not in running)
    return Found(due, tuple(wanted), len(wanted) - len(fresh), len(fresh) - len(due))


def learn(memory: Holloway, found: Found, progress: Callable[[str, int, int], None] | None = None) -> Past:
    """Learn from sessions, one after the other. What was done when somebody interrupts stays done."""
    told, done = Sources(memory, found.beside), Past()
    learned: list[str] = []
    try:
        for place, each in enumerate(found.sessions):
            if progress:
                progress("learning", place, len(found.sessions))
            try:
                _count(done, learned, told.learn(session_files.of_transcript(each), settle=False))
            except Unlearned as error:
                done.failed.append(error.message)
            done.read += 1
        _settle(memory, done)
    except KeyboardInterrupt:
        done.interrupted = True
    _sum_up(memory, done, learned)
    return done


def _count(done: Past, learned: list[str], one: Learned | None) -> None:
    if one is None:
        return
    learned.append(one.session.id)
    done.kept |= {each.memory for state in (PROMOTED, REINFORCED) for each in one.promotion.of(state) if each.memory}
    done.kept |= {memory.id for found in one.synthesised for memory in found.memories}


def _settle(memory: Holloway, done: Past) -> None:
    """What waits is looked at once, after all of them."""
    learning = Learning(memory)
    learning.take_back()
    done.kept |= {each.memory for each in learning.settle_held() if each.memory}


def _sum_up(memory: Holloway, done: Past, learned: list[str]) -> None:
    database, store = memory.store.database, memory.store.memories
    done.kept = {each for each in done.kept if store.has(each) and store.get(each).alive}
    done.to_review = sum(1 for each in done.kept if store.get(each).review)
    kept = (each for session in learned for each in candidates.of_session(database, session))
    done.held = sum(1 for each in kept if each.state == HELD)
