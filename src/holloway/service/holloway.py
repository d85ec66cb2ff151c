"""The memory of a project, as everything outside the core uses it."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from datetime import timedelta
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from holloway import git
from holloway.codemap.modules.overview import Overview
from holloway.config import WORK_TOLD_DAYS
from holloway.domain import memory_details as typed
from holloway.domain.memory import (
    Draft,
    Memory,
    MemoryType,
    Source,
    State,
    Visibility,
    choice,
    several,
)
from holloway.domain.ports import moment
from holloway.domain.work import Phase
from holloway.errors import HollowayError, InvalidInput
from holloway.injection.session_start import Brief, brief
from holloway.injection.work_state import in_brief
from holloway.retrieval.novelty import closest
from holloway.retrieval.query_intent import understand
from holloway.service.code_map import CodeMap
from holloway.service.corrections import Corrected
from holloway.service.invocation import invocation
from holloway.service.memory_search import Searching
from holloway.service.results import Remembered
from holloway.service.taught_memory import CLOSE_SHOWN, Inferred, against, infer, same
from holloway.store import branches, lookup, session_ledger
from holloway.store import project as projects
from holloway.store.filter import Filter
from holloway.store.memories import HUMAN
from holloway.store.write_gate import admit

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from holloway.domain.session import SessionType
    from holloway.retrieval.recall import Result
    from holloway.service.session import Session

RULES = (MemoryType.DECISION, MemoryType.REQUIREMENT, MemoryType.PREFERENCE)
TRAPS = (MemoryType.GOTCHA, MemoryType.DEAD_END, MemoryType.ERROR_PATTERN)


class Holloway(Corrected):
    """One project's memory, with the user's own beside it. Use it as a context manager, or call `close`."""

    def remember(
        self,
        content: str,
        *,
        type: MemoryType | str | None = None,  # noqa: A002  (the word that every command and field uses)
        files: Sequence[str] | None = None,
        modules: Sequence[str] = (),
        tags: Sequence[str] = (),
        details: Mapping[str, object] | None = None,
        summary: str = "",
        pin: bool = False,
        everywhere: bool = False,
        user: bool = False,
        visibility: Visibility | str = Visibility.PROJECT,
        source: Source = Source.USER_TAUGHT,
        agent: str = "",
        session: str = "",
        where: Path | None = None,
    ) -> Remembered:
        """Teach something. Type, files and module are inferred where they are not given."""
        if user and files:
            raise InvalidInput("What holds in every project is about no file.", "Leave out --file or --user.")
        given = self._existing(files or (), where)
        inferred = Inferred()
        if not user:
            module_of = self.map.module_of
            inferred = infer(content, self.project.root, module_of, has_type=type is not None, files=given)
        memory_type = choice(MemoryType, type) if type is not None else inferred.type or MemoryType.PREFERENCE
        draft = Draft(
            content=content,
            type=memory_type,
            summary=summary,
            details=typed.parse(memory_type, details),
            files=given or inferred.files,
            modules=several("modules", modules) or ((inferred.module,) if inferred.module else ()),
            tags=several("tags", tags),
            visibility=Visibility.PERSONAL if user else choice(Visibility, visibility),
            source=source,
            pinned=pin,
            agent=agent,
            session=session,
        )
        store = self.user if user else self.store
        close = closest(store, content)
        placed = against(draft, close) if user else self._placed(against(draft, close), everywhere=everywhere)
        admitted = admit(placed, "" if user else str(self.project.root))
        twin = same(placed, close)
        added = store.memories.agree(twin, admitted) if twin else store.memories.add(admitted)
        known = added.memory if added.outcome == "reinforced" and source in HUMAN else None
        if known and (type is not None or summary or details):
            said = self.edit(known.id, type=type, summary=summary or None, details=details)[0]
            added = replace(added, memory=said)
        near = tuple(one for one in close if added.memory is None or one.memory.id != added.memory.id)
        return Remembered(added.outcome, added.memory, added.redacted, inferred, near[:CLOSE_SHOWN])

    def _placed(self, draft: Draft, *, everywhere: bool) -> Draft:
        """A draft with the commit and branch that it is taught on; what is about the person holds on all of them."""
        root = str(self.project.root)
        unmerged = branches.note(self.store.database, root)
        apart = everywhere or draft.type is MemoryType.PREFERENCE or self.settings.text("branch_scope") == "everywhere"
        return replace(draft, branch=self.branch, branch_only="" if apart else unmerged, commit=git.head_commit(root))

    def recall(
        self,
        query: str,
        *,
        chosen: Filter | None = None,
        limit: int = 10,
        phase: Phase | str | None = None,
        files: Sequence[str] = (),
    ) -> list[Result]:
        """The memories that answer a question, best first; what is quarantined only if the filter asks for it.

        `files` are in play: memories on them and near them count more. `phase` prefers the types that it needs.
        Each result says in `stages` what every stage made of it.
        """
        wanted = chosen or Filter(quarantined=False, branch=self.branch)
        asked = understand(query, files=tuple(self.path_of(path) for path in several("files", files)))
        return self.searching.ask(self.stores(), asked, wanted, limit, phase=choice(Phase, phase) if phase else None)

    def recall_everywhere(
        self, query: str, *, chosen: Filter | None = None, limit: int = 10
    ) -> tuple[list[Result], list[HollowayError]]:
        """As `recall`, over every project on this machine; a project that cannot be read is told of, not fatal."""
        found, unread = self.recall(query, chosen=chosen, limit=limit), []
        elsewhere = replace(chosen or Filter(quarantined=False), branch="")
        for other in projects.known_projects(self.home):
            if other.key != self.project.key and other.database.exists():
                try:
                    with closing(self._opened(other)) as store:
                        found += self.searching.ask([store], understand(query), elsewhere, limit)
                except HollowayError as error:
                    unread.append(error)
        return sorted(found, key=lambda result: -result.score)[:limit], unread

    @cached_property
    def searching(self) -> Searching:
        """How questions are answered here: what embeds, and what is missing."""
        return Searching(self)

    @cached_property
    def map(self) -> CodeMap:
        """The code map of this checkout."""
        return CodeMap(self)

    def brief(self, *, with_map: bool = True) -> Brief:
        """What an agent reads when its session starts here; without the map and git it is made much faster."""
        here = Filter(quarantined=False, branch=self.branch)
        rules = [
            memory
            for store in self.stores()
            for memory in store.memories.find(replace(here, types=RULES), order="telling")
        ]
        traps = self.store.memories.find(replace(here, types=TRAPS), order="telling")
        return brief(
            self.map.overview() if with_map else Overview(),
            session_ledger.count(self.store.database),
            sorted(filter(_general, rules), key=lambda memory: (not memory.pinned, memory.type, memory.created_at)),
            list(filter(_general, traps)),
            invocation(),
            self.map.progress() if with_map else "",
            self._open_work() if with_map else "",
        )

    def work_state(self) -> Memory | None:
        """The unfinished work of this branch, if it was left within the last month."""
        from holloway.promotion.work_state import state_origin  # asked once a session

        found = self.store.memories.by_origin(state_origin(self.branch))
        if found is None or found.state is State.QUARANTINED:
            return None
        age = self.clock.now() - moment(found.updated_at)
        return found if age <= timedelta(days=WORK_TOLD_DAYS) else None

    def _open_work(self) -> str:
        """That work in a line."""
        state = self.work_state()
        return in_brief(state, self.changes_since(state), self.clock.now()) if state else ""

    def changes_since(self, state: Memory) -> list[str]:
        """The short hashes of the commits on the files of unfinished work since it was left."""
        return git.changes_since(str(self.project.root), state.updated_at, list(state.files)) if state.files else []

    def session(
        self,
        session: str = "",
        *,
        task: str = "",
        agent: str = "",
        type: SessionType | str | None = None,  # noqa: A002  (as above)
        phase: Phase | str | None = None,
        work_unit: Sequence[str] = (),
        way: str = "plain",
        planned_steps: int = 0,
    ) -> Session:
        """Begin to watch an agent's work, or go on with a session by its id.

        `way` names a methodology: it maps the phase, names the levels of the work unit and says who hands what to whom.
        """
        from holloway.service.session import Session  # commands that watch nobody do not load it

        return Session(
            self,
            session or f"{agent or 'agent'}-{self._ids.new()}",
            agent=agent,
            task=task,
            type=type,
            phase=phase,
            work_unit=work_unit,
            way=way,
            planned_steps=planned_steps,
        )

    def shown(self, made: Brief, *, session: str, agent: str, now: str, compacted: bool = False) -> None:
        """Write into the ledgers that a session was given a brief."""
        for store in self.stores():
            own = [memory for memory in made.memories if store.memories.has(memory)]
            lookup.claim(
                store.database.connection,
                own,
                session=session,
                agent=agent,
                point="session_start",
                now=now,
                compacted=compacted,
            )


def _general(memory: Memory) -> bool:
    """Whether a memory belongs into the brief: pinned, or confirmed and not one that its file will bring.

    Rules files are loaded by the agents that they are for; what was read from them serves search and files.
    """
    general = memory.state is State.CONFIRMED and not memory.files and memory.source is not Source.RULES_FILE
    return memory.pinned or general
