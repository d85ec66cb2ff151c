"""A session in process: for agents that are written in Python, and for everything that replays one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from holloway.config import replace_file
from holloway.domain import event as events
from holloway.domain.memory import choice
from holloway.domain.session import Outcome, SessionType
from holloway.domain.work import Phase, methodology
from holloway.errors import HollowayError
from holloway.observer.observer import Observer
from holloway.scratchpad import checkpoint
from holloway.scratchpad.merge import merge
from holloway.service.learning import Learned, Learning

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from holloway.domain.event import Event
    from holloway.observer.observer import View
    from holloway.scratchpad.scratchpad import Scratchpad
    from holloway.service.holloway import Holloway

EARLY_FROM_SUBTASKS = 5
"""A build with more subtasks than this is learned from after each one that was validated."""


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
        self.memory = memory
        self.id = session
        self.siblings: list[Session] = []
        self.learned: Learned | None = None
        self._file = checkpoint_file(memory.project.folder, session)
        self._observer = Observer(_restored(self._file))
        if self._observer.pad.start is None:
            root = str(memory.project.root)
            from holloway import git  # asked once a session

            self.observe(
                events.Started(
                    self._now(),
                    session,
                    agent,
                    memory.branch,
                    git.head_commit(root),
                    choice(SessionType, type) if type else None,
                    methodology(way).phase(str(phase)) if phase else None,
                    task,
                    methodology(way).work_unit(*work_unit) if work_unit else None,
                    planned_steps,
                )
            )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *rest: object) -> None:
        if kind is not None:
            self.checkpoint()
        elif self.learned is None:
            self.finish()

    @property
    def pad(self) -> Scratchpad:
        """What is known of the session so far."""
        return self._observer.pad

    def observe(self, event: Event) -> None:
        """Note what happened; a few microseconds, no I/O, and no exception."""
        self._observer.observe(event)

    def record(self, text: str, *, type: str = "", files: Sequence[str] = ()) -> None:  # noqa: A002  (as above)
        """Ask for something to be remembered; it is kept only if the session proves right."""
        self.observe(events.Recorded(self._now(), text, type, tuple(files)))

    def subtask_done(self, name: str, *, validated: bool) -> Learned | None:
        """A part of the work is finished. The state is saved; a long build is learned from as it goes."""
        self.observe(events.SubtaskDone(self._now(), name, validated))
        self.checkpoint()
        if validated and len(self.pad.subtasks) > EARLY_FROM_SUBTASKS:
            return Learning(self.memory).learn(self._whole(), part=True)
        return None

    def view(self) -> View:
        """What siblings may see of this session while it runs."""
        return self._observer.view()

    def checkpoint(self) -> None:
        """Save the state, so that a process that dies loses nothing."""
        self._file.parent.mkdir(mode=0o700, exist_ok=True)
        replace_file(str(self._file), checkpoint.dump(self.pad))

    def finish(
        self, outcome: Outcome | str | None = None, *, qa: Sequence[str] | None = None, qa_passed: bool | None = None
    ) -> Learned:
        """The session is over: judge it, keep what proved right, say what was learned."""
        if qa is not None or qa_passed is not None:
            passed = qa_passed if qa_passed is not None else not qa
            self.observe(events.QaFindings(self._now(), passed, tuple(qa or ())))
        self.observe(events.Ended(self._now(), "finished", choice(Outcome, outcome) if outcome else None))
        self.learned = Learning(self.memory).learn(self._whole())
        self._file.unlink(missing_ok=True)
        return self.learned

    def _whole(self) -> Scratchpad:
        """This session together with those that ran beside it."""
        return merge([self.pad, *(sibling.pad for sibling in self.siblings)]) if self.siblings else self.pad

    def _now(self) -> float:
        return self.memory.clock.now().timestamp()


def checkpoint_file(folder: Path, session: str) -> Path:
    """Where a session's state is saved."""
    kept = "".join(char if char.isascii() and (char.isalnum() or char in "-_") else "_" for char in session[:100])
    return folder / "checkpoints" / f"{kept or 'unknown'}.json"


def _restored(file: Path) -> Scratchpad | None:
    try:
        return checkpoint.load(file.read_bytes())
    except (OSError, HollowayError):
        return None
