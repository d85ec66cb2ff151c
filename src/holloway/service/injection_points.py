"""The points at which a running session is told something: chosen, written into the ledger, and said once."""

from __future__ import annotations

import os
from contextlib import contextmanager
from threading import get_ident, local
from typing import TYPE_CHECKING

from holloway.config import (
    POINT_WAIT_MS,
    PROMPT_MEMORIES_MAX,
    STEPS_WITHOUT_WORD,
    TOOL_RESULT_MEMORIES_MAX,
    trust_override,
)
from holloway.domain import memory_details
from holloway.domain.memory import MemoryType
from holloway.domain.ports import stamp
from holloway.injection import known_facts, prompt, recipe, step, tool_result
from holloway.retrieval.locate import Located
from holloway.store import lookup
from holloway.store.filter import Filter
from holloway.text import failures
from holloway.text.citation import citation

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterator, Sequence

    from holloway.domain.event import Call
    from holloway.domain.memory import Memory
    from holloway.injection.prompt import Said
    from holloway.observer.scratchpad import Scratchpad
    from holloway.service.holloway import Holloway
    from holloway.service.session_context import InPlay

FILE_KINDS = ("read", "edit", "write")
SEARCH_KINDS = ("search", "list")
SHELL_KIND = "shell"
"""Values of `ToolKind`, whose module takes longer to load than a prompt takes to be looked up."""
PROMPT_LOOKED_AT = 3
"""How many times the memories that are wanted are looked at, because errors that a prompt is not about are left out."""
Rows = list[dict[str, object]]


class Points:
    """Speaks to one session, also from threads of its framework: a connection belongs to the thread that opened it.

    A session that has `begun` was asked for something before: its next prompt need not name where the work is.
    """

    def __init__(self, memory: Holloway, session: str, agent: str, *, begun: bool = False) -> None:
        self._memory = memory
        self._visitor = local()
        self.session = session
        self.agent = agent
        self.root = str(memory.project.root)
        self._flags = [str(folder / "paused") for folder in (memory.home, memory.project.folder)]
        self.gone: list[str] = []
        """Memories that were withheld because a file that they name is not there."""
        self.located: dict[str, float] = {}
        """The files that the agent was sent to with a prompt, and when it was first told of each."""
        self._begun = begun
        self._thread = get_ident()
        self._connection: sqlite3.Connection | None = None
        memory.at_close(self.close)
        self._steps = 0
        self._spent = 0.0
        self._recipe: Memory | None = None
        self._steps_told: set[int] = set()

    @property
    def memory(self) -> Holloway:
        """The memory, as this thread may use it."""
        visited: Holloway = getattr(self._visitor, "memory", self._memory)
        return visited

    @contextmanager
    def visit(self) -> Iterator[None]:
        """Within, the whole memory may be asked, whichever thread does so."""
        if hasattr(self._visitor, "memory"):
            yield
            return
        with self._memory.here() as self._visitor.memory:
            try:
                yield
            finally:
                del self._visitor.memory

    def paused(self, what: str) -> bool:
        """Whether `capture` or `injection` is paused now; asked at every event, so the usual case is two looks."""
        if not any(map(os.path.exists, self._flags)):
            return False
        return self.memory.paused(what)

    @contextmanager
    def reading(self, *, asked: bool = False) -> Iterator[tuple[sqlite3.Connection, lookup.Shown] | None]:
        """The store and to whom its memories are shown; nothing where there is none or injection is paused."""
        if self.paused("injection"):
            yield None
            return
        own = get_ident() == self._thread
        connection = self._connection if own else None
        connection = connection or lookup.open_store(str(self.memory.project.database), POINT_WAIT_MS)
        if own:
            self._connection = connection
        try:
            yield (connection, self._shown(connection, asked)) if connection else None
        finally:
            if connection and not own:
                connection.close()

    def close(self) -> None:
        """Let go of the store; a later word opens it again."""
        if self._connection is not None and get_ident() == self._thread:
            self._connection.close()
            self._connection = None

    def _shown(self, connection: sqlite3.Connection, asked: bool) -> lookup.Shown:
        return lookup.Shown(
            session=self.session,
            context=lookup.context_of(connection, self.session),
            branch=self.memory.branch,
            now=self._now(),
            level=trust_override() or lookup.trust_level(connection),
            asked=asked,
        )

    def on_tool(self, calls: Sequence[Call], output: str, *, ok: bool) -> str:
        """With a tool's result: traps of its files, the fix of its failure, the answer to its search.

        One use of a tool is one call, or one for each file of a patch.
        """
        call, limit = calls[0], TOOL_RESULT_MEMORIES_MAX
        if files := [each.path for each in calls if each.kind in FILE_KINDS and each.path and not each.outside]:
            return self._with_result(
                lambda store, to: known_facts.on_files(store, files, to, self.root, limit, self.gone)
            )
        if call.kind == SHELL_KIND and failures.failed(output, not ok, call.command):
            return self._with_result(
                lambda store, to: known_facts.on_failure(store, output, to, self.root, limit, self.gone)
            )
        if call.kind in SEARCH_KINDS and call.pattern:
            return self.on_search(call.pattern)
        return ""

    def on_search(self, pattern: str) -> str:
        """The answer to a search, where it is known and still true."""
        return self._with_result(lambda store, to: known_facts.on_search(store, pattern, to, self.root, 1, self.gone))

    def _with_result(self, find: Callable[[sqlite3.Connection, lookup.Shown], Rows]) -> str:
        with self.reading() as reader:
            if reader is None or not (rows := find(*reader)):
                return ""
            won = self._claim(reader[0], tool_result.render(rows)[1], "tool_result")
            return tool_result.render([row for row in rows if row["id"] in won])[0]

    def on_step(self, pad: Scratchpad, play: InPlay, messages: Sequence[object]) -> str:
        """Between two steps."""
        self._steps += 1
        play.take_in(pad)
        play.read(messages)
        state = step.State(
            step=self._steps,
            spent=self._spent,
            files=tuple(play.files),
            notes=play.new_notes(pad),
            searches=tuple(play.searches),
            due=self._due(play),
            seen=play.seen,
        )
        if not (state.files or state.notes or state.searches or state.due):
            return ""
        kind, text = self._decided(state)
        if self._steps > STEPS_WITHOUT_WORD:
            play.asked(files=kind != "traps", searches=kind not in ("traps", "notes"))
        if kind == "notes":
            play.notes_told(pad)
        elif kind == "recipe":
            self._steps_told.add(self._next(play))
        self._spent += step.cost(text)
        return text

    def _decided(self, state: step.State) -> tuple[str, str]:
        with self.reading() as reader:
            if reader is None:
                return "", ""
            kind, text, ids = step.decide(reader[0], state, reader[1], self.root, self.gone)
            if ids and self._claim(reader[0], ids, "step") != ids:
                # Another agent of this session was told some of it in this very moment.
                kind, text, ids = step.decide(reader[0], state, reader[1], self.root, self.gone)
                self._claim(reader[0], ids, "step")
            return kind, text

    def _due(self, play: InPlay) -> str:
        """The next step of the recipe in use, once the one before it is done."""
        number = self._next(play)
        if not number or number in self._steps_told or self._recipe is None or not self._may_say(self._recipe):
            return ""
        task, steps = _steps_of(self._recipe)
        return recipe.next_line(task, steps, number, citation(self._recipe.id))

    def _may_say(self, memory: Memory) -> bool:
        """Whether a memory may be said unasked at this trust level, also if it was said before."""
        with self.reading() as reader:
            return reader is not None and lookup.allowed(reader[0], memory.id, reader[1])

    def _next(self, play: InPlay) -> int:
        """The number of the step that comes next; 0 before the first is done and after the last."""
        if self._recipe is None:
            return 0
        steps = _steps_of(self._recipe)[1]
        reached = recipe.done(steps, play.edited, list(play.commands))
        return reached + 1 if 0 < reached < len(steps) else 0

    def on_prompt(self, text: str, offer: Callable[[str, str], None] = lambda step, said: None) -> str:
        """With a prompt: where the task happens and what is known there.

        `offer` is given each step of the answer as soon as it is there, for a caller who may run out of time.
        """
        begins, self._begun = not self._begun, True
        is_found = (begins or prompt.is_task(text)) and self.memory.map.is_ready
        located = self.memory.map.locate(text) if is_found else Located()
        files = prompt.good(located, text, begins=begins)
        paths = [file.path for file in files]
        if files:
            offer("files", prompt.render(files, located, (), task=text).text)
        self.follow(text)
        with self.reading(asked=True) as reader:
            if reader is None:
                return ""
            store, to = reader
            rows = (
                known_facts.on_files(store, paths, to, self.root, PROMPT_LOOKED_AT * PROMPT_MEMORIES_MAX, self.gone)
                if paths
                else []
            )
            rows = prompt.fitting(rows, text)
            rows += self._dead_ends(reader, text, {str(row["id"]) for row in rows})
            rows = rows[:PROMPT_MEMORIES_MAX]
            fitting = self._recipe if self._recipe and self._standing(reader, [self._recipe]) else None
            command = next(iter(self.memory.map.overview().test), "")
            said = prompt.render(files, located, rows, task=text, recipe=fitting, test_command=command)
            won = self._claim(store, list(said.memories), "prompt")
            if len(won) < len(said.memories):
                rows = [row for row in rows if row["id"] in won]
                said = prompt.render(files, located, rows, task=text, recipe=fitting, test_command=command)
            offer("whole", said.text)
            now = self.memory.clock.now().timestamp()
            self.located = dict.fromkeys(said.files, now) | self.located
            return said.text

    @property
    def recipe(self) -> str:
        """The id of the recipe in use, if there is one."""
        return self._recipe.id if self._recipe else ""

    def follow(self, task: str) -> None:
        """Use the recipe that fits a task, if there is one."""
        recipes = self.memory.store.memories.find(self._here(MemoryType.WORKFLOW_RECIPE), order="telling")
        fitting = [each for each in recipes if _steps_of(each)[1] and recipe.fits(_steps_of(each)[0], task)]
        self._recipe = next(iter(fitting), self._recipe)

    def _dead_ends(self, reader: tuple[sqlite3.Connection, lookup.Shown], task: str, told: set[str]) -> Rows:
        """Dead ends of work like this one, whatever file they were met in."""
        from holloway.injection.relevance import work  # only where a prompt came

        asked = work((), (), task)
        found = self.memory.store.memories.find(self._here(MemoryType.DEAD_END), order="telling")
        ids = [each.id for each in found if each.id not in told and asked.concerns(each)]
        return known_facts.these(reader[0], ids, reader[1], self.root, PROMPT_MEMORIES_MAX, self.gone)

    def said(self, said: Said, point: str) -> str:
        """A text that was made elsewhere, once its memories are in the ledger."""
        with self.reading(asked=True) as reader:
            if reader is None:
                return ""
            self._claim(reader[0], list(said.memories), point)
            return said.text

    def standing(self, memories: Sequence[Memory]) -> list[Memory]:
        """Those of these memories that may be shown when somebody asks, and whose files are there."""
        with self.reading(asked=True) as reader:
            return self._standing(reader, memories) if reader else []

    def _standing(self, reader: tuple[sqlite3.Connection, lookup.Shown], memories: Sequence[Memory]) -> list[Memory]:
        ids = [memory.id for memory in memories]
        kept = {row["id"] for row in known_facts.these(reader[0], ids, reader[1], self.root, len(ids), self.gone)}
        return [memory for memory in memories if memory.id in kept]

    def compacted(self) -> None:
        """The host cut the context: what was shown before is forgotten and may be shown again."""
        with self.reading() as reader:
            if reader:
                now = self._now()
                lookup.claim(reader[0], [], session=self.session, agent=self.agent, point="", now=now, compacted=True)

    def _claim(self, connection: sqlite3.Connection, ids: list[str], point: str) -> list[str]:
        if not ids:
            return []
        return lookup.claim(connection, ids, session=self.session, agent=self.agent, point=point, now=self._now())

    def _here(self, *types: MemoryType) -> Filter:
        return Filter(types=types, quarantined=False, branch=self.memory.branch)

    def _now(self) -> str:
        return stamp(self.memory.clock.now())


def _steps_of(memory: Memory) -> tuple[str, list[recipe.Step]]:
    """A recipe's task and its steps."""
    return recipe.steps_in(memory_details.plain(memory.details) if memory.details else {})
