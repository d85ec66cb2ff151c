"""A session in process: for agents that are written in Python, and for everything that replays one."""

from __future__ import annotations

import sqlite3
import time
from contextlib import suppress
from threading import Lock
from typing import TYPE_CHECKING, Self, TypeVar

from holloway import git
from holloway.capture import tool_events
from holloway.config import SCRATCHPAD_TEXT_CHARS_MAX, replace_file
from holloway.domain import event as events
from holloway.domain.memory import ReviewReason, State, choice
from holloway.domain.ports import stamp
from holloway.domain.session import Outcome, SessionType
from holloway.domain.session import Session as Ledgered
from holloway.domain.work import Phase, methodology
from holloway.errors import HollowayError, InvalidInput
from holloway.injection.prefetch import Plan
from holloway.observer import checkpoint
from holloway.observer.observer import Observer
from holloway.observer.scratchpad import ends
from holloway.observer.scratchpad_merge import merge
from holloway.observer.signals.signal import SignalName
from holloway.promotion.pipeline import Promotion
from holloway.proof import session_facts as measured
from holloway.safety import secrets
from holloway.safety.paths import safe_name
from holloway.service.injection_points import Points
from holloway.service.role_context import Gathering
from holloway.service.session_context import InPlay
from holloway.service.session_learning import Learned, Learning
from holloway.text import sanitize

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence
    from pathlib import Path

    from holloway.domain.event import Event
    from holloway.injection.prompt import Said
    from holloway.observer.observer import View
    from holloway.observer.provenance import Trust
    from holloway.observer.scratchpad import Scratchpad
    from holloway.service.holloway import Holloway
    from holloway.store.project import Project

Answer = TypeVar("Answer")

EARLY_FROM_SUBTASKS = 5
"""A build with more subtasks than this is learned from after each one that was validated."""
ANSWERS_MAX = 10_000
"""Answers to one session that are counted."""


class Session:
    """Watches one agent's work and learns from it at the end. Use it as a context manager, or call `finish`.

    A session that is left by an exception is checkpointed, not learned from: opened again by its id, it goes on.
    """

    def __init__(
        self,
        memory: Holloway,
        session: str,
        *,
        agent: str = "",
        task: str = "",
        type: SessionType | str | None = None,  # noqa: A002  (the word that every command and field uses)
        phase: Phase | str | None = None,
        work_unit: Sequence[str] = (),
        way: str = "plain",
        planned_steps: int = 0,
    ) -> None:
        self.id = session
        self.siblings: list[Session] = []
        self.learned: Learned | None = None
        self.points = Points(memory, session, agent)
        self.failed = 0
        """How often the store could not be asked: the agent went on without our word."""
        self._way = methodology(way)
        self._play = InPlay()
        self._fetched: dict[str, int] = {}
        self._answers: list[measured.Answer] = []
        self._resumed_at: float | None = None
        self._calls = 0
        self._lock = Lock()
        self._file = checkpoint_file(memory.project, session)
        self._observer = Observer(_restored(self._file))
        if self._observer.pad.start is not None:
            self._resumed_at = self.now()
            self._calls = self._observer.pad.step  # a number that was given before the break is not given again
        else:
            kind = choice(SessionType, type) if type else None
            part = self._way.phase(str(phase)) if phase else None
            unit = self._way.work_unit(*map(_safe, work_unit)) if work_unit else None
            place = memory.branch, git.head_commit(str(memory.project.root))
            self.observe(events.Started(self.now(), session, agent, *place, kind, part, task, unit, planned_steps))
        if task:
            self._looked_up(lambda: self.points.follow(task), None)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *rest: object) -> None:
        if kind is not None:
            self.checkpoint()
        elif self.learned is None:
            self.finish()
        self.points.close()

    @property
    def memory(self) -> Holloway:
        """The memory that it is part of, as this thread may use it."""
        return self.points.memory

    @property
    def pad(self) -> Scratchpad:
        """What is known of the session so far."""
        return self._observer.pad

    def observe(self, event: Event) -> None:
        """Note what happened; a few microseconds and no exception. Nothing is noted while capture is paused."""
        if not self.points.paused("capture"):
            with self._lock:
                self._observer.observe(event)

    def record(self, text: str, *, type: str = "", files: Sequence[str] = ()) -> None:  # noqa: A002  (as above)
        """Ask for something to be remembered; it is kept only if the session proves right.

        `type` is one of holloway's or one that the methodology adds.
        """
        said, kind = self._way.typed(text, type)
        self.observe(events.Recorded(self.now(), said, kind, tuple(files)))

    def subtask_done(self, name: str, *, validated: bool) -> Learned | None:
        """A part of the work is finished. The state is saved; a long build is learned from as it goes."""
        self.observe(events.SubtaskDone(self.now(), name, validated))
        self.checkpoint()
        if validated and len(self.pad.subtasks) > EARLY_FROM_SUBTASKS:
            with self.points.visit():
                return self._learned(part=True)
        return None

    def view(self) -> View:
        """What siblings may see of this session while it runs."""
        return self._observer.view()

    def checkpoint(self) -> None:
        """Save the state, so that a process that dies loses nothing."""
        if self.pad.start is None:
            return
        self._file.parent.mkdir(mode=0o700, exist_ok=True)
        with self._lock:  # tools that run in threads are noted meanwhile
            replace_file(str(self._file), checkpoint.dump(self.pad))

    def finish(
        self, outcome: Outcome | str | None = None, *, qa: Sequence[str] | None = None, qa_passed: bool | None = None
    ) -> Learned:
        """The session is over: judge it, keep what proved right, say what was learned."""
        if qa is not None or qa_passed is not None:
            passed = qa_passed if qa_passed is not None else not qa
            self.observe(events.QaFindings(self.now(), passed, tuple(qa or ())))
        self.observe(events.Ended(self.now(), "finished", choice(Outcome, outcome) if outcome else None))
        if self.pad.start is None:
            self.learned = Learned(self._unseen(), Promotion(()), {}, again=True)
            return self.learned
        with suppress(OSError, HollowayError):  # What cannot be saved can still be learned from.
            self.checkpoint()  # Until it is, it must not be lost with a store that is locked or full.
        with self.points.visit():
            self.learned = self._learned()
            self._file.unlink(missing_ok=True)
            self._mark_gone()
        unit, ended = self.learned.session.work_unit, self.learned.session.outcome
        if self._way.on_complete and unit and ended:
            self._way.on_complete(unit, ended)
        self.points.close()  # in this thread, since the memory may be closed in another, which cannot
        return self.learned

    def brief(self) -> str:
        """Point 1, when the session starts: the project on a page, open work, rules, traps."""
        return "" if self.points.paused("injection") else self._looked_up(self._brief, "", "session_start")

    def _brief(self) -> str:
        made, now = self.memory.brief(), stamp(self.memory.clock.now())
        self.memory.shown(made, session=self.id, agent=self.points.agent, now=now)
        return made.text

    def context_for(self, prompt: str) -> str:
        """Point 2, with a prompt: files with their reasons, tests, traps, dead ends, a recipe; often nothing."""
        return self._looked_up(lambda: self.points.on_prompt(prompt), "", "prompt")

    def augment(self, tool: str, args: Mapping[str, object], result: object, *, ok: bool = True) -> str:
        """Point 3, with a tool's result: what is known of its files, its failure or its search."""

        def ask() -> str:
            return self.points.on_tool(self._calls_of(tool, args, ""), _text(result), ok=ok)

        return self._asked(ask, "", "tool_result")

    def used(self, tool: str, args: Mapping[str, object], result: object, *, ok: bool = True, call: str = "") -> str:
        """Note that a tool was used and what came of it, and say what `augment` says."""
        output = _text(result)
        with self._lock:
            self._calls += 1
            call = call or f"{self.id}:{self._calls}"
        made = self._calls_of(tool, args, call)
        files = tool_events.files_in(output, made[0], str(self.memory.project.root))
        answer = events.Result(made[0].at, call, ok, ends(output, SCRATCHPAD_TEXT_CHARS_MAX), files, len(files))
        for use in made:
            self.observe(use)
        for each in tool_events.results(answer, len(made)):
            self.observe(each)
        return self._asked(lambda: self.points.on_tool(made, output, ok=ok), "", "tool_result")

    def before_step(self, messages: Sequence[object] = ()) -> str:
        """Point 4, between two steps: rarely anything, within its budget. What the messages cite is not repeated."""
        return self._asked(lambda: self.points.on_step(self.pad, self._play, messages), "", "step")

    def compacted(self) -> None:
        """The agent's context was cut: what it was told before may be told again."""
        self._asked(self.points.compacted, None)
        self._play.forgotten()

    def search_first(self, pattern: str) -> str | None:
        """The answer to a search before it is run, where it is known and still true."""
        return self._asked(lambda: self.points.on_search(pattern), "", "tool_result") or None

    def step_limit(self, base: int) -> int:
        """How many steps to allow: as many more as work here took, at most twice and 500."""
        if self.points.paused("injection"):
            return base
        return self._looked_up(lambda: self._gathering().step_limit(base), base)

    def prefetch(self, what: str | Sequence[str] = (), *, skip: Collection[str] = ()) -> Plan:
        """Files to hand over at the start, for a module, for files or for the task; what to skip is in the prompt."""
        if self.points.paused("injection"):
            return Plan()
        plan = self._looked_up(lambda: self._plan(what, skip), Plan())
        self._fetched |= {file.path: file.tokens for file in plan.files}
        return plan

    def _plan(self, what: str | Sequence[str], skip: Collection[str]) -> Plan:
        gathering = self._gathering()
        if isinstance(what, str) and what:
            gathering.modules = [what]
        elif what:
            gathering = self._gathering(list(what))
        return gathering.prefetch(skip)

    def planner_context(self) -> str:
        """For a planner: calibration, constraints, scope, recipes, rules, outcomes."""
        return self._context(lambda: self._gathering().planner(), "planner")

    def spec_context(self) -> str:
        """For whoever writes a specification: requirements, decisions, preferences, patterns."""
        return self._context(lambda: self._gathering().spec(), "spec")

    def qa_context(self, files: Sequence[str] = ()) -> str:
        """For a check of what was changed: known failures, what was seen in the application, requirements."""
        self._play.take_in(self.pad)
        about = list(files) or sorted(self._play.edited)
        return self._context(lambda: self._gathering(about).qa(), "qa")

    def recovery_context(self) -> str:
        """For a second attempt: the first one, its dead ends, where the work stands."""
        unit = self.pad.start.work_unit if self.pad.start else None
        return self._context(lambda: self._gathering().recovery(unit, self._way), "recovery")

    def relay(self, giver: str, taker: str) -> str:
        """What one role hands to the next, of the types that the methodology names; siblings' notes are among it."""
        unit = self.pad.start.work_unit if self.pad.start else None
        givers = [sibling for sibling in self.siblings if sibling.points.agent == giver]

        def handed_over() -> Said:
            trust = Learning(self.memory).trust()
            notes = [note for sibling in givers for note in sibling.own_notes(trust)]
            return self._gathering().relay(giver, taker, unit, self._way, notes)

        return self._context(handed_over, "relay")

    def own_notes(self, trust: Trust) -> list[tuple[str, str]]:
        """What the agent asked to be remembered, with its type; not what may come from outside of the project."""
        signals = [each for each in self._observer.signals(trust) if each.name is SignalName.AGENT_RECORD]
        return [(str(each.type), str(each.facts["text"])) for each in signals if not each.taint]

    def resume(self) -> str:
        """Where unfinished work of this branch stands, how old that is, and what changed since; empty if none is."""
        if self.points.paused("injection"):
            return ""
        text = self._looked_up(lambda: self._gathering().resume(self._way), "", "resume")
        if text:
            self._resumed_at = self.now()
        return text

    def _context(self, gather: Callable[[], Said], point: str) -> str:
        return self._looked_up(lambda: self.points.said(gather(), point), "", point)

    def _asked(self, ask: Callable[[], Answer], otherwise: Answer, point: str = "") -> Answer:
        """What the store says. One that is locked, damaged or gone leaves the agent without our word, not its own.

        With a `point`, the answer and its time are counted.
        """
        began = time.perf_counter()
        try:
            answer = ask()
            outcome = "full" if answer else "empty"
        except InvalidInput:
            raise
        except (sqlite3.Error, HollowayError):
            self.failed += 1
            answer, outcome = otherwise, "dropped"
        if point and len(self._answers) < ANSWERS_MAX:
            self._answers.append(measured.Answer(point, outcome, "", (time.perf_counter() - began) * 1_000))
        return answer

    def _looked_up(self, ask: Callable[[], Answer], otherwise: Answer, point: str = "") -> Answer:
        """As `_asked`, for what takes more than the hook's lookup: the whole memory, opened for this thread."""

        def visiting() -> Answer:
            with self.points.visit():
                return ask()

        return self._asked(visiting, otherwise, point)

    def _gathering(self, files: Sequence[str] = ()) -> Gathering:
        task = self.pad.start.task if self.pad.start else ""
        return Gathering(self.memory, self.points, task, files)

    def _calls_of(self, tool: str, args: Mapping[str, object], call: str) -> list[events.Call]:
        """The use of a tool as events: one, or one for each file that a patch changes."""
        return tool_events.calls(tool, args, at=self.now(), call_id=call, root=str(self.memory.project.root))

    def _unseen(self) -> Ledgered:
        """A session of which nothing was captured, because the project was paused."""
        at = stamp(self.memory.clock.now())
        return Ledgered(self.id, self.points.agent, at, at)

    def _mark_gone(self) -> None:
        """What was withheld because a file that it names is gone waits for a person."""
        store = self.memory.store.memories
        for reference in filter(store.has, dict.fromkeys(self.points.gone)):
            memory = store.get(reference)
            if memory.alive and not memory.stale_at:
                now = stamp(self.memory.clock.now())
                fields = {"state": State.STALE, "stale_at": now, "review": ReviewReason.STALE}
                store.change(memory, "stale", "a file it names is gone", **fields)

    def _learned(self, *, part: bool = False) -> Learned:
        return Learning(self.memory).learn(self._whole(), part=part, before=self._before())

    def _before(self) -> measured.Before:
        """What this session and those that ran beside it know of themselves, and no event tells."""
        together = (*self.siblings, self)
        return measured.Before(
            group=measured.FULL,
            methodology=self._way.id,
            role=self.points.agent if self.points.agent in self._way.roles else None,
            located={path: at for session in together for path, at in session.points.located.items()},
            prefetched={path: tokens for session in together for path, tokens in session._fetched.items()},
            resumed=self._resumed_at is not None,
            resumed_at=self._resumed_at or 0.0,
            answers=tuple(answer for session in together for answer in session._answers),
        )

    def _whole(self) -> Scratchpad:
        """This session together with those that ran beside it."""
        return merge([self.pad, *(sibling.pad for sibling in self.siblings)]) if self.siblings else self.pad

    def now(self) -> float:
        """The time by the memory's clock, as events carry it."""
        return self.memory.clock.now().timestamp()


def checkpoint_file(project: Project, session: str) -> Path:
    """Where a session's state is saved."""
    return project.checkpoints / f"{safe_name(session)}.json"


def _safe(name: str) -> str:
    return secrets.redact(sanitize.clean(name))[0]


def _text(result: object) -> str:
    """A tool's result as the agent reads it."""
    return result if isinstance(result, str) else str(result)


def _restored(file: Path) -> Scratchpad | None:
    try:
        return checkpoint.load(file.read_bytes())
    except (OSError, HollowayError):
        return None
