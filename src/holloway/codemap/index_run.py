"""Making the map of a checkout, or bringing it up to the files and to HEAD: one process at a time, others may watch."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import TYPE_CHECKING

from filelock import FileLock, Timeout

from holloway import git
from holloway.codemap import index, queries
from holloway.codemap.health import MapBusy, Mapped
from holloway.codemap.history.git_log import renames_between
from holloway.codemap.history.sync import sync
from holloway.codemap.scip import import_index
from holloway.config import replace_file
from holloway.store import contributions
from holloway.store.filter import Filter

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from holloway.codemap.database import MapDatabase
    from holloway.codemap.modules.user_edits import Edits
    from holloway.store.store import Store

LOCK_WAIT_S = 120
PROGRESS_EVERY_S = 0.5


class IndexRun:
    """One run over a checkout: what is read goes into the map, how far it came into a file beside it."""

    def __init__(self, store: Store, path: Path, progress: Path, database: MapDatabase) -> None:
        self._store = store
        self._root = store.project.root
        self._database = database
        self._progress = progress
        self._lock = FileLock(str(path.with_suffix(".lock")), mode=0o600)

    def run(
        self,
        workers: int,
        only: Iterable[str] | None,
        wait: bool,
        scip: str | None,
        progress: Callable[[str, int, int], None] | None,
    ) -> Mapped:
        """Do it, once whoever is at it has finished; raises MapBusy where that is not waited for, or takes too long."""
        try:
            with self._lock.acquire(timeout=LOCK_WAIT_S if wait else 0):
                try:
                    return self._update(workers, only, scip, progress)
                finally:
                    self._progress.unlink(missing_ok=True)
        except Timeout:
            hint = "Ask again in a moment; the answers before that are those of the last map."
            raise MapBusy(f"Another process is indexing {self._root}.", hint) from None

    def _update(
        self,
        workers: int,
        only: Iterable[str] | None,
        scip: str | None,
        progress: Callable[[str, int, int], None] | None,
    ) -> Mapped:
        started = time.perf_counter()
        database = self._database
        with database.write():
            done = index.index(database, self._root, workers=workers, only=only, progress=self._telling(progress))
            if only is None:
                import_index.bring_in(database, self._root, Path(scip) if scip else None)
            past = sync(database, self._root, now=self._store.clock.now()) if only is None else None
            moves = self._moves(database) if only is None else {}
            edits = contributions.module_edits(self._store.database)
            drawn_for = json.dumps([edits, database.meta("history.tip")])
            moved = bool(done.read or done.removed or (past and (past.added or past.removed)))
            if only is None and (moved or database.meta("drawn_for") != drawn_for):
                if progress:
                    progress("drawing modules", 0, 1)
                self._draw(edits, done.renamed | moves)
                database.note("drawn_for", drawn_for)
        self._follow(done.renamed | moves)
        commits, modules = queries.drawn(database)
        took = time.perf_counter() - started
        counts = (done.files, done.read, done.removed, done.resolved)
        return Mapped(*counts, queries.skipped(database), commits, modules, took)

    def _draw(self, said: list[tuple[str, str, str]], renamed: dict[str, str]) -> None:
        """Draw the modules anew, and look at them for the overview."""
        from holloway.codemap.modules import (  # mostly nothing changed, and who asks waits for this
            module_store,
            overview_builder,
        )

        found = module_store.draw(self._database, self._root, _edits(said), self._store.project.name, renamed)
        overview_builder.look(self._database, self._root, found)

    def _moves(self, database: MapDatabase) -> dict[str, str]:
        """The files that were renamed between the commit of the last index and this one."""
        before, head = database.meta("head"), git.head_commit(str(self._root))
        database.note("head", head)
        return renames_between(self._root, before, head) if before and head and before != head else {}

    def _follow(self, renamed: dict[str, str]) -> None:
        """Memories go with the file that they are about."""
        store = self._store.memories
        for old, new in sorted(renamed.items()):
            if (self._root / old).exists() or not (self._root / new).exists():
                continue
            for memory in store.find(Filter(files=(old,)), limit=-1):
                if old in memory.files:
                    files = tuple(dict.fromkeys(new if path == old else path for path in memory.files))
                    store.change(memory, "moved", f"{old} is now {new}", files=files)

    def _telling(self, progress: Callable[[str, int, int], None] | None) -> Callable[[str, int, int], None]:
        """Tell the caller at every step, and everybody else twice a second."""
        last = 0.0

        def tell(stage: str, done: int, total: int) -> None:
            nonlocal last
            if progress:
                progress(stage, done, total)
            now = time.monotonic()
            if total > 1 and now - last >= PROGRESS_EVERY_S:
                last = now
                said = {"stage": stage, "done": done, "total": total, "at": time.time()}
                replace_file(str(self._progress), json.dumps(said).encode())

        return tell


def _edits(said: list[tuple[str, str, str]]) -> Edits:
    from holloway.codemap.modules.user_edits import Edits  # with what draws

    return Edits(
        names={module: value for kind, module, value in said if kind == "name"},
        files=[(value, module) for kind, module, value in said if kind == "files"],
        purposes={module: value for kind, module, value in said if kind == "purpose"},
        hidden=frozenset(module for kind, module, _ in said if kind == "hidden"),
    )
