"""A session in process: for agents that are written in Python, and for everything that replays a session."""

from __future__ import annotations

import sqlite3
import time
from contextlib import suppress
from threading import Lock
from typing import TYPE_CHECKING, Self, TypeVar

from holloway import git
from holloway.capture import event_subject, tool_events
from holloway.capture.event_filter import EventFilter
from holloway.capture.exclusions import load_exclusions
from holloway.config import SCRATCHPAD_TEXT_CHARS_MAX, replace_file
from holloway.domain import event as events
from holloway.domain import memory_json
from holloway.domain.memory import MemoryType, as_tuple, parse_choice
from holloway.domain.methodology import find_methodology
from holloway.domain.ports import format_stamp
from holloway.domain.work import PHASES_BY_TYPE, Outcome, Phase, SessionType
from holloway.domain.work import SessionSummary as Ledgered
from holloway.errors import HollowayError, InvalidInput
from holloway.extras import find_invocation
from holloway.injection import experiment, session_start, step, tool_result
from holloway.injection import prompt as prompt_point
from holloway.injection.prefetch import PrefetchPlan
from holloway.injection.project_map import ProjectMap
from holloway.injection.roles import RoleContext, show_rendered
from holloway.injection.session_state import new_state
from holloway.observer import checkpoint
from holloway.observer.activity import SessionActivity
from holloway.observer.observer import Observer
from holloway.observer.scratchpad import truncate_middle
from holloway.observer.scratchpad_merge import merge_scratchpads
from holloway.observer.signals.signal import SignalName
from holloway.promotion.pipeline import Promotion
from holloway.proof import session_facts as measured
from holloway.safety import secrets
from holloway.safety.paths import safe_name
from holloway.service.session_context import CitedMessages, SessionReader
from holloway.service.session_learning import Learned, Learning
from holloway.store import lifecycle, told_log
from holloway.store import project as projects
from holloway.text import sanitize

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence
    from pathlib import Path

    from holloway.domain.event import Event
    from holloway.injection.prompt_text import Rendered
    from holloway.observer.carriers import Trust
    from holloway.observer.observer import SessionView
    from holloway.observer.scratchpad import Scratchpad
    from holloway.service.open_project import OpenProject
    from holloway.store.project import Project

Answer = TypeVar("Answer")

EARLY_FROM_SUBTASKS = 5
"""Number of subtasks above which a build is learned from after each validated one."""
ANSWERS_MAX = 10_000
"""Answers to one session that are counted."""


class Session:
    """Watches one agent's work and learns from it at the end. Use it as a context manager, or call `finish`.

    A session that is left by an exception is checkpointed, not learned from: opened again by its id, it continues.
    """

    def __init__(
        self,
        memory: OpenProject,
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
        self.reader = SessionReader(memory, session, agent)
        self.failed = 0
        """Injections that were dropped because the store could not be read or written."""
        self.located: dict[str, float] = {}
        """The files that prompts pointed the agent to, and when each was first named."""
        self._way = find_methodology(way)
        self._map = ProjectMap(self.reader.folder, self.reader.root)
        self._state = new_state()
        self._activity = step.StepActivity(self.reader.root)
        self._messages = CitedMessages()
        self._fetched: dict[str, int] = {}
        self._answers: list[measured.HookAnswer] = []
        self._resumed_at: float | None = None
        self._calls = 0
        self._lock = Lock()
        self._file = checkpoint_file(memory.project, session)
        self._observer = Observer(_restored(self._file))
        self._filter = EventFilter(load_exclusions(str(memory.project.folder)))
        self._group = experiment.assign_session(self.reader.folder, session, work_unit)
        if self._observer.pad.start is not None:
            self._resumed_at = self.now()
            self._calls = self._observer.pad.step  # call numbers from before the interruption are not reused
        else:
            kind = parse_choice(SessionType, type) if type else None
            part = self._way.phase(str(phase)) if phase else None
            unit = self._way.work_unit(*map(_safe, work_unit)) if work_unit else None
            revision = memory.branch, git.head_commit(str(memory.project.root))
            self.observe(events.Started(self.now(), session, agent, *revision, kind, part, task, unit, planned_steps))
        begun = self._observer.pad.start
        self.reader.phase = str(_choose_phase(begun) or "")
        if task:
            self._answer(lambda: prompt_point.follow_task(self.reader, self._state, task), None)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *exception_details: object) -> None:
        if kind is not None:
            self.checkpoint()
        elif self.learned is None:
            self.finish()
        self.reader.close()

    @property
    def memory(self) -> OpenProject:
        """The memory of the project, opened for the calling thread."""
        return self.reader.memory

    @property
    def pad(self) -> Scratchpad:
        """The log of the session so far."""
        return self._observer.pad

    def observe(self, event: Event) -> None:
        """Log an event, in less than a millisecond and without an exception; nothing while capture is paused."""
        if self.reader.is_paused("capture"):
            return
        with self._lock:
            if (admitted_event := self._filter.admit(event)) is not None:
                self._observer.observe_event(admitted_event)

    def record(
        self,
        text: str,
        *,
        type: str = "",  # noqa: A002  (as above)
        files: Sequence[str] = (),
        details: Mapping[str, object] | None = None,
        tags: Sequence[str] = (),
    ) -> None:
        """Record a note of the agent; it becomes a memory only if the session succeeds.

        `type` is one of holloway's or one that the methodology adds, `details` are the fields of that type. Raises
        InvalidInput for a field that the type does not have.
        """
        note, kind = self._way.typed(text, type)
        fields = memory_json.merge_record_details({"details": dict(details or {})})
        if fields:
            own_fields = memory_json.split_record_relations(fields)[0]
            memory_json.parse_details(parse_choice(MemoryType, kind or MemoryType.GOTCHA), own_fields)
        stored_details = memory_json.dump_record_details({"details": fields})
        self.observe(events.Recorded(self.now(), note, kind, tuple(files), "", stored_details, as_tuple("tags", tags)))

    def subtask_done(self, name: str, *, validated: bool) -> Learned | None:
        """Record that a part of the work is finished, and save it; a validated part of a long build is learned from."""
        self.observe(events.SubtaskDone(self.now(), name, validated))
        self.checkpoint()
        if validated and len(self.pad.subtasks) > EARLY_FROM_SUBTASKS:
            with self.reader.visit():
                return self._learned(part=True)
        return None

    def view(self) -> SessionView:
        """Return the view of this session that siblings may read while it runs."""
        return self._observer.build_view()

    def checkpoint(self) -> None:
        """Save the state, so that a process that dies loses nothing."""
        if self.pad.start is None:
            return
        self._file.parent.mkdir(mode=0o700, exist_ok=True)
        with self._lock:  # tools that run in threads are noted meanwhile
            replace_file(str(self._file), checkpoint.dump_scratchpad(self.pad))

    def finish(
        self, outcome: Outcome | str | None = None, *, qa: Sequence[str] | None = None, qa_passed: bool | None = None
    ) -> Learned:
        """End the session: judge it, promote what was proved, and return what was learned."""
        if qa is not None or qa_passed is not None:
            passed = qa_passed if qa_passed is not None else not qa
            self.observe(events.QaFindings(self.now(), passed, tuple(qa or ())))
        self.observe(events.Ended(self.now(), "finished", parse_choice(Outcome, outcome) if outcome else None))
        if self.pad.start is None:
            self.learned = Learned(self._unseen(), Promotion(()), {}, again=True)
            return self.learned
        with suppress(OSError, HollowayError):  # A session that cannot be saved can still be learned from.
            self.checkpoint()  # It must survive a store that is locked or full while learning.
        with self.reader.visit():
            self.learned = self._learned()
            self._file.unlink(missing_ok=True)
            lifecycle.mark_stale(self.memory.store, self.reader.missing)
        unit, ended = self.learned.session.work_unit, self.learned.session.outcome
        if self._way.on_complete and unit and ended:
            self._way.on_complete(unit, ended)
        self.reader.close()  # in this thread: a connection cannot be closed from another one
        return self.learned

    def brief(self) -> str:
        """Return the text for the session's start: the project on a page, open work, rules, gotchas."""
        return self._answer(self._inject_brief, "", session_start.SESSION_START_POINT)

    def _inject_brief(self) -> str:
        user_store = str(projects.get_user_project(self.memory.home).database_path)
        return session_start.inject(self.reader, self._map, user_store=user_store, command=find_invocation()).text

    def context_for(self, prompt: str) -> str:
        """Return the text for a prompt: files with reasons, tests, gotchas, dead ends, a recipe; often empty."""
        return self._answer(lambda: self._inject_prompt(prompt), "", prompt_point.PROMPT_POINT)

    def _inject_prompt(self, prompt: str) -> str:
        rendered = prompt_point.inject(self.reader, self._map, self._state, prompt)
        if rendered is None:
            return ""
        self.located = dict.fromkeys(rendered.files, self.now()) | self.located
        return rendered.text

    def augment(self, tool: str, args: Mapping[str, object], result: object, *, ok: bool = True) -> str:
        """Return the text for a tool's result: memories about its files, its failure or its search."""
        return self._inject_tool_result(_tool_event(tool, args, _text(result), ok=ok))

    def _inject_tool_result(self, event: dict[str, object]) -> str:
        subject = event_subject.find_subject(event, self.reader.root)
        return self._answer(lambda: tool_result.inject(self.reader, subject), "", tool_result.TOOL_RESULT_POINT)

    def used(self, tool: str, args: Mapping[str, object], result: object, *, ok: bool = True, call: str = "") -> str:
        """Log that a tool was used, with its result, and return what `augment` returns."""
        output = _text(result)
        with self._lock:
            self._calls += 1
            call = call or f"{self.id}:{self._calls}"
        calls = tool_events.build_calls(tool, args, at=self.now(), call_id=call, root=self.reader.root)
        files = tool_events.files_in(output, calls[0], self.reader.root)
        answer = events.Result(
            calls[0].at, call, ok, truncate_middle(output, SCRATCHPAD_TEXT_CHARS_MAX), files, len(files)
        )
        for use in calls:
            self.observe(use)
        for result_event in tool_events.build_results(answer, len(calls)):
            self.observe(result_event)
        tool_event = _tool_event(tool, args, output, ok=ok)
        with self._lock:
            self._activity.add_call(tool_event)
        return self._inject_tool_result(tool_event)

    def before_step(self, messages: Sequence[object] = ()) -> str:
        """Return the text between two steps, within its budget; rarely any. Memories cited in messages are left out."""
        return self._answer(lambda: self._inject_step(messages), "", step.STEP_POINT)

    def _inject_step(self, messages: Sequence[object]) -> str:
        self._messages.read(messages)
        has_records = self.pad.count_notes("record") > 0
        notes = [note.text for note in self.pad.notes if note.voice == "record"] if has_records else []
        text = step.inject(self.reader, self._state, self._activity, notes=notes, cited=self._messages.ids)
        self._activity = step.StepActivity(self.reader.root)
        return text

    def compacted(self) -> None:
        """Allow everything to be shown again, because the agent's context was compacted."""
        self._answer(self.reader.forget_shown, None)
        self._messages.forget()
        self._state["notes"] = 0

    def search_first(self, pattern: str) -> str | None:
        """Return the answer to a search before it is run, if a memory has it and the code still confirms it."""
        subject = event_subject.Subject([], "", pattern)
        return self._answer(lambda: tool_result.inject(self.reader, subject), "", tool_result.TOOL_RESULT_POINT) or None

    def step_limit(self, base: int) -> int:
        """Return how many steps to allow: as many more as work here took, at most twice and 500."""
        if self._is_withheld("step_limit"):
            return base
        return self._answer_in_full(lambda: self._role_context().limit_steps(base), base)

    def prefetch(self, module_or_files: str | Sequence[str] = (), *, skip: Collection[str] = ()) -> PrefetchPlan:
        """Choose files to hand over at the start, for a module, for files or for the task, except those to skip."""
        if self._is_withheld("prefetch"):
            return PrefetchPlan()
        plan = self._answer_in_full(lambda: self._plan(module_or_files, skip), PrefetchPlan())
        self._fetched |= {file.path: file.tokens for file in plan.files}
        return plan

    def _plan(self, module_or_files: str | Sequence[str], skip: Collection[str]) -> PrefetchPlan:
        if isinstance(module_or_files, str):
            return self._role_context(modules=[module_or_files] if module_or_files else []).plan_prefetch(skip)
        return self._role_context(list(module_or_files)).plan_prefetch(skip)

    def planner_context(self) -> str:
        """Return the text for a planner: calibration, constraints, scope, recipes, rules, outcomes."""
        return self._show_role(lambda: self._role_context().render_planner(), "planner")

    def spec_context(self) -> str:
        """Return the text for the author of a specification: requirements, decisions, preferences, patterns."""
        return self._show_role(lambda: self._role_context().render_spec(), "spec")

    def qa_context(self, files: Sequence[str] = ()) -> str:
        """Return the text for a check of the changes: known failures, observations in the application, requirements."""
        changed = list(files) or sorted(SessionActivity(self.pad).edited_files)
        return self._show_role(lambda: self._role_context(changed).render_qa(), "qa")

    def recovery_context(self) -> str:
        """Return the text for a second attempt: the first one, its dead ends, the unfinished work."""
        unit = self.pad.start.work_unit if self.pad.start else None
        return self._show_role(lambda: self._role_context().render_recovery(unit, self._way), "recovery")

    def relay(self, giver: str, taker: str) -> str:
        """Return what one role hands to the next, of the types that the methodology names, with siblings' notes."""
        unit = self.pad.start.work_unit if self.pad.start else None
        givers = [sibling for sibling in self.siblings if sibling.reader.agent == giver]

        def render() -> Rendered:
            trust = Learning(self.memory).trust()
            notes = [note for sibling in givers for note in sibling.own_notes(trust)]
            return self._role_context().render_relay(giver, taker, unit, self._way, notes)

        return self._show_role(render, "relay")

    def own_notes(self, trust: Trust) -> list[tuple[str, str]]:
        """List the notes that the agent recorded, with their types, without tainted ones."""
        signals = [signal for signal in self._observer.detect_signals(trust) if signal.name is SignalName.AGENT_RECORD]
        return [(str(signal.type), str(signal.facts["text"])) for signal in signals if not signal.taint]

    def resume(self) -> str:
        """Return the unfinished work of this branch, its age and the commits since; empty without any."""
        if self._is_withheld("resume"):
            return ""
        text = self._answer_in_full(lambda: self._role_context().render_resume(self._way)[0], "", "resume")
        if text:
            self._resumed_at = self.now()
        return text

    def _show_role(self, render: Callable[[], Rendered], point: str) -> str:
        return self._answer_in_full(lambda: show_rendered(self.reader, render(), point), "", point)

    def _is_withheld(self, point: str) -> bool:
        """Return whether the agent gets nothing at a point: the person paused it, or its experiment group has none."""
        return experiment.is_withheld(self._group, point) or self.reader.is_paused("injection")

    def _answer(self, ask: Callable[[], Answer], fallback: Answer, point: str = "") -> Answer:
        """Return an injection, or the fallback if the store is locked, damaged or missing: the agent goes on.

        With a `point`, the answer and its time are counted, and a group of an experiment may get the fallback.
        """
        if point and experiment.is_withheld(self._group, point):
            return fallback
        began = time.perf_counter()
        try:
            answer = ask()
            outcome = "full" if answer else "empty"
        except InvalidInput:
            raise
        except (sqlite3.Error, HollowayError):
            self.failed += 1
            answer, outcome = fallback, "dropped"
        if point and answer and isinstance(answer, str) and not self.reader.is_paused("capture"):
            with suppress(OSError):  # a full disk does not keep the agent from its answer
                at = format_stamp(self.memory.clock.now())
                told_log.append_told(self.reader.folder, at=at, session=self.id, point=point, text=answer)
        if point and len(self._answers) < ANSWERS_MAX:
            self._answers.append(measured.HookAnswer(point, outcome, "", (time.perf_counter() - began) * 1_000))
        return answer

    def _answer_in_full(self, ask: Callable[[], Answer], fallback: Answer, point: str = "") -> Answer:
        """As `_answer`, for injections that need the full memory, opened for this thread."""

        def ask_in_full() -> Answer:
            with self.reader.visit():
                return ask()

        return self._answer(ask_in_full, fallback, point)

    def _role_context(self, files: Sequence[str] = (), modules: Sequence[str] = ()) -> RoleContext:
        task = self.pad.start.task if self.pad.start else ""
        now = self.memory.clock.now()
        return RoleContext(self.memory.store, self.reader, self._map, now, task, files, modules)

    def _unseen(self) -> Ledgered:
        """Return the ledger entry of a session of which nothing was captured, because the project was paused."""
        at = format_stamp(self.memory.clock.now())
        return Ledgered(self.id, self.reader.agent, at, at)

    def _learned(self, *, part: bool = False) -> Learned:
        return Learning(self.memory).learn(self._whole(), part=part, before=self._before())

    def _before(self) -> measured.SessionFacts:
        """Return the facts about this session and its siblings that no event has."""
        together = (*self.siblings, self)
        return measured.SessionFacts(
            group=self._group or experiment.FULL,
            is_randomised=self._group is not None,
            methodology=self._way.id,
            role=self.reader.agent if self.reader.agent in self._way.roles else None,
            located={path: at for session in together for path, at in session.located.items()},
            prefetched={path: tokens for session in together for path, tokens in session._fetched.items()},
            resumed=self._resumed_at is not None,
            resumed_at=self._resumed_at or 0.0,
            answers=tuple(answer for session in together for answer in session._answers),
        )

    def _whole(self) -> Scratchpad:
        """Return the log of this session, merged with those of its siblings."""
        return merge_scratchpads([self.pad, *(sibling.pad for sibling in self.siblings)]) if self.siblings else self.pad

    def now(self) -> float:
        """Return the time by the memory's clock, as events carry it."""
        return self.memory.clock.now().timestamp()


def checkpoint_file(project: Project, session: str) -> Path:
    """Return the file that a session's state is saved in."""
    return project.checkpoints_folder / f"{safe_name(session)}.json"


def _choose_phase(start: events.Started | None) -> Phase | None:
    """Return the phase of a session as its caller named it, or as its type implies; None if neither was named."""
    if start is None:
        return None
    return start.phase or (PHASES_BY_TYPE[start.type] if start.type else None)


def _safe(name: str) -> str:
    return secrets.redact_secrets(sanitize.clean_text(name))[0]


def _tool_event(tool: str, args: Mapping[str, object], output: str, *, ok: bool) -> dict[str, object]:
    """Return the use of a tool in the form of a hook event."""
    name = "PostToolUse" if ok else event_subject.FAILED_EVENT
    return {"hook_event_name": name, "tool_name": tool, "tool_input": dict(args), "tool_response": output}


def _text(result: object) -> str:
    """Return a tool's result as the agent reads it."""
    return result if isinstance(result, str) else str(result)


def _restored(file: Path) -> Scratchpad | None:
    try:
        return checkpoint.load_scratchpad(file.read_bytes())
    except (OSError, HollowayError):
        return None
