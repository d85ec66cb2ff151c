"""Index run: creates or updates the map of a checkout under a file lock, and publishes its progress for others."""

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
    """One run over a checkout: writes the map, and its progress to a file that other processes read."""

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
        """Update the map once no other process is indexing.

        Raises MapBusy if another process is indexing and waiting is off or takes too long.
        """
        try:
            with self._lock.acquire(timeout=LOCK_WAIT_S if wait else 0):
                try:
                    return self._update(workers, only, scip, progress)
                finally:
                    self._progress.unlink(missing_ok=True)
        except Timeout:
            hint = "Try again in a moment; until then answers come from the last map."
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
            result = index.index(database, self._root, workers=workers, only=only, progress=self._telling(progress))
            if only is None:
                import_index.bring_in(database, self._root, Path(scip) if scip else None)
            history = sync(database, self._root, now=self._store.clock.now()) if only is None else None
            moves = self._moves(database) if only is None else {}
            edits = contributions.module_edits(self._store.database)
            detection_input = json.dumps([edits, database.meta("history.tip")])
            has_changes = bool(result.read or result.removed or (history and (history.added or history.removed)))
            if only is None and (has_changes or database.meta("drawn_for") != detection_input):
                if progress:
                    progress("drawing modules", 0, 1)
                self._draw(edits, result.renamed | moves)
                database.note("drawn_for", detection_input)
        self._follow(result.renamed | moves)
        commits, modules = queries.drawn(database)
        seconds = time.perf_counter() - started
        counts = (result.files, result.read, result.removed, result.resolved)
        return Mapped(*counts, queries.skipped(database), commits, modules, seconds)

    def _draw(self, said: list[tuple[str, str, str]], renamed: dict[str, str]) -> None:
        """Detect the modules again and rebuild the overview from them."""
        from holloway.codemap.modules import (  # imported late: usually nothing changed, and callers wait
            module_store,
            overview_builder,
        )

        modules = module_store.draw(self._database, self._root, _edits(said), self._store.project.name, renamed)
        overview_builder.look(self._database, self._root, modules)

    def _moves(self, database: MapDatabase) -> dict[str, str]:
        """Return the files that were renamed between the commit of the last index and this one."""
        before, head = database.meta("head"), git.head_commit(str(self._root))
        database.note("head", head)
        return renames_between(self._root, before, head) if before and head and before != head else {}

    def _follow(self, renamed: dict[str, str]) -> None:
        """Update the paths of memories whose files were renamed."""
        store = self._store.memories
        for old, new in sorted(renamed.items()):
            if (self._root / old).exists() or not (self._root / new).exists():
                continue
            for memory in store.find(Filter(files=(old,)), limit=-1):
                if old in memory.files:
                    files = tuple(dict.fromkeys(new if path == old else path for path in memory.files))
                    store.change(memory, "moved", f"{old} is now {new}", files=files)

    def _telling(self, progress: Callable[[str, int, int], None] | None) -> Callable[[str, int, int], None]:
        """Return a callback that reports every step to the caller, and to the progress file twice a second."""
        last = 0.0

        def tell(stage: str, done: int, total: int) -> None:
            nonlocal last
            if progress:
                progress(stage, done, total)
            now = time.monotonic()
            if total > 1 and now - last >= PROGRESS_EVERY_S:
                last = now
                status = {"stage": stage, "done": done, "total": total, "at": time.time()}
                replace_file(str(self._progress), json.dumps(status).encode())

        return tell


def _edits(said: list[tuple[str, str, str]]) -> Edits:
    from holloway.codemap.modules.user_edits import Edits  # imported late, with module detection

    return Edits(
        names={module: value for kind, module, value in said if kind == "name"},
        files=[(value, module) for kind, module, value in said if kind == "files"],
        purposes={module: value for kind, module, value in said if kind == "purpose"},
        hidden=frozenset(module for kind, module, _ in said if kind == "hidden"),
    )
