"""A project's memory held open: its stores, where it is, and how one memory of it is found."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from threading import get_ident
from typing import TYPE_CHECKING, Self

from holloway import config, git
from holloway.codemap.parse.source_files import names
from holloway.domain.memory import several
from holloway.domain.ports import RandomIds, SystemClock
from holloway.errors import InvalidInput
from holloway.safety import paths
from holloway.service import trust
from holloway.store import branches, lifecycle, privacy, registry, vectors
from holloway.store import project as projects
from holloway.store.database import BUSY_TIMEOUT_MS
from holloway.store.filter import Filter
from holloway.store.lifecycle import Pruned
from holloway.store.memories import Unknown
from holloway.store.store import Store

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from holloway.domain.memory import Memory
    from holloway.domain.ports import Clock, Ids
    from holloway.store.project import Project


class Opened:
    """One project's stores, with the user's own beside them. Use it as a context manager, or call `close`."""

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
        self._ids = ids or RandomIds()
        self.settings = config.Settings.load(project.key, str(home))
        self._synchronous = self.settings.text("synchronous")
        self._busy_timeout_ms = busy_timeout_ms
        self.store = self._opened(project)
        self._user: Store | None = None
        self._at_close: list[Callable[[], None]] = []
        if settle:
            try:
                self.settle()
            except BaseException:
                self.close()
                raise

    def settle(self) -> None:
        """Bring what others left behind up to date: what hooks have shown, branches that were merged."""
        for store in self.stores():
            lifecycle.freshen(store.database)
        branches.release_merged(self.store.database, str(self.project.root), self.clock.now())
        privacy.drop_old_journals(self.project, self.clock.now())
        trust.keep(self.store, self.settings)

    def prune(self) -> Pruned:
        """Set aside what faded; remove what is past its grace."""
        done = [lifecycle.prune(store.database, self.clock.now()) for store in self.stores()]
        for store, pruned in zip(self.stores(), done, strict=True):
            if pruned.removed:
                vectors.purge(store.project.folder)
        return Pruned(tuple(i for each in done for i in each.faded), tuple(i for each in done for i in each.removed))

    def maintain(self) -> None:
        """The daily chores that a command may do on its way out: a backup, and space given back."""
        for store in self.stores():
            store.backup_if_due()
            store.vacuum_if_due()

    @property
    def user(self) -> Store:
        """The store of what holds in every project of this user."""
        if self._user is None:
            self._user = self._opened(projects.user_project(self.home))
        return self._user

    def _opened(self, project: Project) -> Store:
        return Store(
            project,
            synchronous=self._synchronous,
            busy_timeout_ms=self._busy_timeout_ms,
            clock=self.clock,
            ids=self._ids,
        )

    def stores(self) -> list[Store]:
        """This project's store, and the user's own where there is one."""
        return [self.store, self.user] if projects.user_project(self.home).database.exists() else [self.store]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the files."""
        self.store.close()
        if self._user is not None:
            self._user.close()
        while self._at_close:
            self._at_close.pop()()

    @contextmanager
    def here(self) -> Iterator[Self]:
        """This memory for the thread that asks: itself, or for another than opened it, the same files once more."""
        if get_ident() == self._thread:
            yield self
            return
        wait = self._busy_timeout_ms
        with type(self)(
            self.project, self.home, clock=self.clock, ids=self._ids, busy_timeout_ms=wait, settle=False
        ) as beside:
            yield beside

    def at_close(self, chore: Callable[[], None]) -> None:
        """Have something done when this memory is closed."""
        self._at_close.append(chore)

    def paused(self, what: str) -> bool:
        """Whether the person has paused `capture` or `injection`, here or everywhere."""
        return registry.paused(str(self.home), self.project.key) in ("all", what)

    @property
    def under_git(self) -> bool:
        """Whether the project is a git repository."""
        return bool(git.find_root(str(self.project.root)))

    @property
    def branch(self) -> str:
        """The branch that is checked out."""
        return git.branch(str(self.project.root))

    def _existing(self, files: Sequence[str], where: Path | None = None) -> tuple[str, ...]:
        """The files relative to the project; one that is not there is an error that names the closest."""
        return tuple(self._existing_file(path, where) for path in several("files", files))

    def _existing_file(self, given: str, where: Path | None) -> str:
        path = self.path_of(given, where)
        if paths.is_there(path, str(self.project.root)):
            return path
        from holloway.service.suggestions import closest_path  # only on the error path

        close = closest_path(path, names(self.project.root))
        hint = f"Did you mean {close}?" if close else f"Paths are taken from {where or self.project.root}."
        raise InvalidInput(f"{given} does not exist in {self.project.name}.", hint)

    def path_of(self, given: str, where: Path | None = None) -> str:
        """A path as the project names it: from where the caller stands if there is such a file, else from the root."""
        root = str(self.project.root)
        near = paths.relative(given, root, str(where or root))
        return near if paths.is_there(near, root) else paths.contained(given, root) or near

    def memories(self, chosen: Filter | None = None, *, limit: int = 50, user: bool = False) -> list[Memory]:
        """Memories, newest first."""
        store = self.user if user else self.store
        return store.memories.find(chosen or Filter(), limit)

    def count_user(self) -> int:
        """How many memories of the user's own there are."""
        return sum(store.memories.count(Filter()) for store in self.stores()[1:])

    def get(self, reference: str) -> Memory:
        """The memory with that id, or a unique beginning of it; the user's own store is searched too."""
        return self._located(reference)[1]

    def _located(self, reference: str) -> tuple[Store, Memory]:
        *others, last = self.stores()
        for store in others:
            try:
                return store, store.memories.get(reference)
            except Unknown:
                continue
        return last, last.memories.get(reference)

    def _living(self, reference: str) -> tuple[Store, Memory]:
        """As `_located`, for what only makes sense while the memory holds."""
        store, memory = self._located(reference)
        if memory.deleted_at:
            raise InvalidInput(f"{memory.id} is forgotten.", f"`holloway restore {memory.id}` brings it back first.")
        if memory.superseded_by:
            hint = f"`holloway show {memory.superseded_by}` shows what holds now."
            raise InvalidInput(f"{memory.id} was replaced by {memory.superseded_by}.", hint)
        return store, memory
