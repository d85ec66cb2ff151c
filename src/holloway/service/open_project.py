"""An open project: its stores, clock, settings and code map, as all parts of the service use them."""

from __future__ import annotations

from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from threading import get_ident
from typing import TYPE_CHECKING, Self

from holloway import config, git
from holloway.domain.ports import RandomIds, SystemClock
from holloway.errors import InvalidInput
from holloway.extras import find_invocation
from holloway.injection.project_map import ProjectMap
from holloway.injection.session_start import compose_brief, load_open_work
from holloway.promotion.trust_level import ProjectTrust
from holloway.service.code_map import CodeMap
from holloway.sharing.recorder import Recorder
from holloway.store import branches, first_memories, hook_settings, lifecycle, lookup, privacy, registry, told_texts
from holloway.store import project as projects
from holloway.store.database import BUSY_TIMEOUT_MS
from holloway.store.filter import Filter
from holloway.store.memories import UnknownMemory
from holloway.store.store import Store

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from holloway.domain.memory import Memory
    from holloway.domain.ports import Clock, Ids
    from holloway.injection.session_start import Brief
    from holloway.store.lifecycle import Pruned
    from holloway.store.project import Project


class OpenProject:
    """A project and the user's own store, opened by one thread; `here` opens them again for another."""

    def __init__(
        self,
        project: Project,
        home: Path,
        *,
        clock: Clock | None = None,
        ids: Ids | None = None,
        busy_timeout_ms: int = BUSY_TIMEOUT_MS,
        settle: bool = True,
    ) -> None:
        self.project = project
        self.home = home
        self._thread = get_ident()
        self.clock = clock or SystemClock()
        self.ids = ids or RandomIds()
        self.settings = config.Settings.load_settings(project.key, str(home))
        self._synchronous = self.settings.get_text("synchronous")
        self._busy_timeout_ms = busy_timeout_ms
        self.store = self.open_store(project)
        self.trust = ProjectTrust(self.store, self.settings, home)
        self._user: Store | None = None
        self._at_close: list[Callable[[], None]] = []
        if settle:
            try:
                self.settle()
            except BaseException:
                self.close()
                raise

    def settle(self) -> None:
        """Apply what other processes left behind: uses and texts noted by hooks, merged branches, expired journals."""
        for store in self.stores():
            lifecycle.update_last_used(store.database)
        branches.release_merged_branches(self.store.database, str(self.project.root), self.clock.now())
        privacy.delete_old_journals(self.project, self.clock.now())
        told_texts.collect_told(self.store.database, self.project.folder)
        self.trust.save()
        if self.project.key:
            hook_settings.save_hook_settings(self.project, self.settings)

    def prune(self) -> Pruned:
        """Set aside memories that decayed; remove those whose grace period is over."""
        return lifecycle.prune_stores(self.stores(), self.clock.now())

    def maintain(self) -> None:
        """Do the daily maintenance that a command may do before it exits: drop old texts, back up, free space."""
        told_texts.delete_old_told(self.store.database, self.clock.now())
        for store in self.stores():
            store.backup_if_due()
            store.vacuum_if_due()

    @property
    def user(self) -> Store:
        """The store of the memories that this user has for every project."""
        if self._user is None:
            self._user = self.open_store(projects.get_user_project(self.home))
        return self._user

    def open_store(self, project: Project) -> Store:
        """Open the store of a project with this project's clock and settings; what changes in it is recorded."""
        store = Store(
            project,
            synchronous=self._synchronous,
            busy_timeout_ms=self._busy_timeout_ms,
            clock=self.clock,
            ids=self.ids,
        )
        store.memories.listener = Recorder(store).record_memory
        return store

    def stores(self) -> list[Store]:
        """Return this project's store, and the user's own if it exists."""
        return [self.store, self.user] if projects.get_user_project(self.home).database_path.exists() else [self.store]

    @cached_property
    def map(self) -> CodeMap:
        """The code map of this checkout."""
        return CodeMap(self.store, self.settings)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def close(self) -> None:
        """Close all files, then run the callbacks of `at_close`, the last one first."""
        self.store.close()
        if self._user is not None:
            self._user.close()
        if "map" in self.__dict__:
            self.map.close()
        while self._at_close:
            self._at_close.pop()()

    @contextmanager
    def here(self) -> Iterator[OpenProject]:
        """Return this project for the calling thread: itself, or the same files opened again for another thread."""
        if get_ident() == self._thread:
            yield self
            return
        with OpenProject(
            self.project,
            self.home,
            clock=self.clock,
            ids=self.ids,
            busy_timeout_ms=self._busy_timeout_ms,
            settle=False,
        ) as reopened:
            yield reopened

    def at_close(self, callback: Callable[[], None]) -> None:
        """Register a callback for when this project is closed."""
        self._at_close.append(callback)

    def paused(self, part: str) -> bool:
        """Return whether the person has paused `capture` or `injection`, here or everywhere."""
        return registry.get_paused_mode(str(self.home), self.project.key) in ("all", part)

    @property
    def under_git(self) -> bool:
        """Whether the project is a git repository."""
        return bool(git.find_root(str(self.project.root)))

    @property
    def branch(self) -> str:
        """The branch that is checked out."""
        return git.current_branch(str(self.project.root))

    def memories(self, chosen: Filter | None = None, *, limit: int = 50, user: bool = False) -> list[Memory]:
        """Return memories, newest first."""
        store = self.user if user else self.store
        return store.memories.find_memories(chosen or Filter(), limit)

    def count_user(self) -> int:
        """Return the number of the user's own memories."""
        return sum(store.memories.count_memories(Filter()) for store in self.stores()[1:])

    def get(self, reference: str) -> Memory:
        """Return the memory with this id or unique prefix of one; the user's own store is searched too."""
        return self.find_memory(reference)[1]

    def find_memory(self, reference: str) -> tuple[Store, Memory]:
        """Return a memory and its store; raises UnknownMemory if neither store has it."""
        *leading_stores, last = self.stores()
        for store in leading_stores:
            try:
                return store, store.memories.get_memory(reference)
            except UnknownMemory:
                continue
        return last, last.memories.get_memory(reference)

    def find_living(self, reference: str) -> tuple[Store, Memory]:
        """Return a memory and its store; raises InvalidInput if it was forgotten or replaced."""
        store, memory = self.find_memory(reference)
        if memory.deleted_at:
            raise InvalidInput(f"{memory.id} is forgotten.", f"`holloway restore {memory.id}` brings it back first.")
        if memory.superseded_by:
            hint = f"`holloway show {memory.superseded_by}` shows what holds now."
            raise InvalidInput(f"{memory.id} was replaced by {memory.superseded_by}.", hint)
        return store, memory

    def brief(self, *, with_map: bool = True) -> Brief:
        """Compose the brief that an agent reads when its session starts here; without the map it is much faster."""
        folder, root = str(self.project.folder), str(self.project.root)
        return compose_brief(
            self.store.database.connection,
            ProjectMap(folder, root) if with_map else None,
            root=root,
            branch=self.branch,
            now=self.clock.now(),
            user_store=str(projects.get_user_project(self.home).database_path),
            command=find_invocation(),
        )

    def work_state(self) -> Memory | None:
        """Return the unfinished work of this branch, if it was left within the last month."""
        state = load_open_work(self.store.database.connection, self.branch, self.clock.now())
        return self.store.memories.get_memory(str(state["id"])) if state else None

    def shown(self, brief: Brief, *, session: str, agent: str, now: str, compacted: bool = False) -> None:
        """Record in the ledgers that a session was shown a brief."""
        for store in self.stores():
            stored_ids = [memory for memory in brief.memories if store.memories.has_memory(memory)]
            lookup.claim_injections(
                store.database.connection,
                stored_ids,
                session=session,
                agent=agent,
                point="session_start",
                now=now,
                compacted=compacted,
            )
        if brief.onboards:
            first_memories.mark_told(self.store.database.connection)
