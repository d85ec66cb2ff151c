"""Index run: creates or updates the map of a checkout under a file lock, and publishes its progress for others."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import TYPE_CHECKING

from filelock import FileLock, Timeout

from holloway import git
from holloway.codemap import index, queries
from holloway.codemap.health import MapBusy, MapUpdate
from holloway.codemap.history.git_log import find_renames
from holloway.codemap.history.sync import sync_history
from holloway.codemap.scip import import_index
from holloway.config import LOCK_WAIT_S, replace_file
from holloway.store import contributions
from holloway.store.filter import Filter

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from holloway.codemap.database import MapDatabase
    from holloway.codemap.modules.module import ModuleEdits
    from holloway.store.store import Store

PROGRESS_EVERY_S = 0.5


class IndexRun:
    """One run over a checkout: writes the map, and its progress to a file that other processes read."""

    def __init__(self, store: Store, path: Path, progress: Path, database: MapDatabase) -> None:
        self._store = store
        self._root = store.project.root
        self._database = database
        self._progress = progress
        self._lock = FileLock(str(path.with_suffix(".lock")), mode=0o600)

    def run_index(
        self,
        workers: int,
        only: Iterable[str] | None,
        wait: bool,
        scip: str | None,
        progress: Callable[[str, int, int], None] | None,
    ) -> MapUpdate:
        """Update the map once no other process is indexing.

        Raises MapBusy if another process is indexing and waiting is off or takes too long.
        """
        try:
            with self._lock.acquire(timeout=LOCK_WAIT_S if wait else 0):
                try:
                    return self._update_map(workers, only, scip, progress)
                finally:
                    self._progress.unlink(missing_ok=True)
        except Timeout:
            hint = "Try again in a moment; until then answers come from the last map."
            raise MapBusy(f"Another process is indexing {self._root}.", hint) from None

    def _update_map(
        self,
        workers: int,
        only: Iterable[str] | None,
        scip: str | None,
        progress: Callable[[str, int, int], None] | None,
    ) -> MapUpdate:
        started = time.perf_counter()
        database = self._database
        with database.write_transaction():
            result = index.update_index(
                database, self._root, workers=workers, only=only, progress=self._build_reporter(progress)
            )
            if only is None:
                import_index.import_scip_index(database, self._root, Path(scip) if scip else None)
            history = sync_history(database, self._root, now=self._store.clock.now()) if only is None else None
            moves = self._find_renames(database) if only is None else {}
            edits = contributions.list_module_edits(self._store.database)
            detection_input = json.dumps([edits, database.get_meta("history.tip")])
            has_changes = bool(result.read or result.removed or (history and (history.added or history.removed)))
            if only is None and (has_changes or database.get_meta("drawn_for") != detection_input):
                if progress:
                    progress("drawing modules", 0, 1)
                self._update_modules(edits, result.renamed | moves)
                database.set_meta("drawn_for", detection_input)
        self._move_memories(result.renamed | moves)
        commits, modules = queries.count_commits_and_modules(database)
        seconds = time.perf_counter() - started
        counts = (result.files, result.read, result.removed, result.resolved)
        return MapUpdate(*counts, queries.count_skipped(database), commits, modules, seconds)

    def _update_modules(self, edit_rows: list[tuple[str, str, str]], renamed: dict[str, str]) -> None:
        """Detect the modules again and rebuild the overview from them."""
        from holloway.codemap.modules import module_store

        modules = module_store.update_modules(
            self._database, self._root, _parse_edits(edit_rows), self._store.project.name, renamed
        )
        module_store.build_overview(self._database, self._root, modules)

    def _find_renames(self, database: MapDatabase) -> dict[str, str]:
        """Return the files that were renamed between the commit of the last index and this one."""
        before, head = database.get_meta("head"), git.head_commit(str(self._root))
        database.set_meta("head", head)
        return find_renames(self._root, before, head) if before and head and before != head else {}

    def _move_memories(self, renamed: dict[str, str]) -> None:
        """Update the paths of memories whose files were renamed."""
        store = self._store.memories
        for old, new in sorted(renamed.items()):
            if (self._root / old).exists() or not (self._root / new).exists():
                continue
            for memory in store.find_memories(Filter(files=(old,)), limit=-1):
                if old in memory.files:
                    files = tuple(dict.fromkeys(new if path == old else path for path in memory.files))
                    store.update_memory(memory, "moved", f"{old} is now {new}", files=files)

    def _build_reporter(self, progress: Callable[[str, int, int], None] | None) -> Callable[[str, int, int], None]:
        """Return a callback that reports every step to the caller, and to the progress file twice a second."""
        last = 0.0

        def report_progress(stage: str, count: int, total: int) -> None:
            nonlocal last
            if progress:
                progress(stage, count, total)
            now = time.monotonic()
            if total > 1 and now - last >= PROGRESS_EVERY_S:
                last = now
                status = {"stage": stage, "done": count, "total": total, "at": time.time()}
                replace_file(str(self._progress), json.dumps(status).encode())

        return report_progress


def _parse_edits(edit_rows: list[tuple[str, str, str]]) -> ModuleEdits:
    from holloway.codemap.modules.module import ModuleEdits  # imported late, with module detection

    return ModuleEdits(
        names={module: value for kind, module, value in edit_rows if kind == "name"},
        files=[(value, module) for kind, module, value in edit_rows if kind == "files"],
        purposes={module: value for kind, module, value in edit_rows if kind == "purpose"},
        hidden=frozenset(module for kind, module, value in edit_rows if kind == "hidden" and value),
    )
