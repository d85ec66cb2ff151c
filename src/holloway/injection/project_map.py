"""The code map of a checkout as injection reads it: opened for one question, closed again. Imports when asked."""

from __future__ import annotations

import os
import time

from holloway import fast_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3
    from datetime import datetime

    from holloway.codemap.modules.overview import Overview
    from holloway.retrieval.locate import LocateResult

PROGRESS_STALE_S = 30
"""An index run that has not reported for this long is taken for dead."""
_STAGES = {"reading": (0.0, 0.6), "resolving": (0.6, 0.3)}
"""Start of each stage of an index run, and its share of the full run."""
_LAST_STAGE = (0.9, 0.1)


class ProjectMap:
    """The map of one checkout, stored in the data folder of the project. A plain class, as hooks need."""

    def __init__(self, folder: str, root: str) -> None:
        from holloway.codemap.database import map_name

        self.root = root
        self.path = os.path.join(folder, map_name(root))

    def locate(self, connection: sqlite3.Connection, task: str, now: datetime, limit: int = 10) -> LocateResult | None:
        """Locate the files of a task; None if there is no map. `connection` leads to the store with past sessions.

        The map is that of the last index: files that were moved, deleted or left on another branch since are dropped.
        """
        if not os.path.exists(self.path):
            return None
        from holloway.codemap.database import MapDatabase
        from holloway.retrieval.locate import locate_in_checkout

        database = MapDatabase(self.path)
        try:
            if not database.is_current or not database.get_meta("indexed_ns"):
                return None
            return _drop_missing_files(
                locate_in_checkout(database, connection, self.root, task, limit=limit, now=now), self.root
            )
        finally:
            database.close()

    def find_modules(self, paths: list[str]) -> list[str]:
        """Find the module of each file, as of the last index; an empty name if it is unknown."""
        from holloway.codemap import queries
        from holloway.codemap.database import MapDatabase

        if not paths or not os.path.exists(self.path):
            return [""] * len(paths)
        database = MapDatabase(self.path)
        try:
            is_ready = database.is_current and database.get_meta("indexed_ns")
            return [queries.find_module(database, path) if is_ready else "" for path in paths]
        finally:
            database.close()

    def load_overview(self, connection: sqlite3.Connection) -> Overview:
        """Load the page about the codebase, as of the last index; empty without an index.

        Its commands are called as in the sessions in which they passed. `connection` leads to the store with those.
        """
        from dataclasses import replace
        from pathlib import Path

        from holloway.codemap.modules import overview

        loaded = overview.load_overview(Path(self.path)) or overview.Overview()
        declared = (loaded.build, loaded.test, loaded.lint)
        build, test, lint = (adopt_usual_calls(connection, commands) for commands in declared)
        return replace(loaded, build=build, test=test, lint=lint)

    def read_progress(self) -> str:
        """Return how far another process has come with the map, such as `40 %`; empty if none is running."""
        return read_progress(os.path.splitext(self.path)[0] + ".progress")


def _drop_missing_files(located: LocateResult, root: str) -> LocateResult:
    """Return the result without files that the checkout does not have."""
    from dataclasses import replace

    from holloway.safety.paths import path_exists

    return replace(
        located,
        files=tuple(file for file in located.files if path_exists(file.path, root)),
        tests=tuple(file for file in located.tests if path_exists(file.path, root)),
        coupled=tuple(
            file for file in located.coupled if path_exists(file.path, root) and path_exists(file.other, root)
        ),
    )


def adopt_usual_calls(connection: sqlite3.Connection, commands: tuple[str, ...]) -> tuple[str, ...]:
    """Return commands with the runner that worked in past sessions: `uv run pytest` for the manifest's `pytest`."""
    from holloway.store.lookup import find_usual_call
    from holloway.text.command_compare import fold_program, main_step

    adopted: dict[str, None] = {}
    for command in commands:
        step = main_step(command)
        call = find_usual_call(connection, fold_program(step.program)) if step else ""
        adopted[command.replace(step.call, call, 1) if step and call else command] = None
    return tuple(adopted)


def read_progress(path: str) -> str:
    """Return the progress that an index run wrote into this file, as a person reads it; empty if none is running."""
    try:
        with open(path, encoding="utf-8") as file:
            report = fast_json.load(file)
        if time.time() - float(report["at"]) > PROGRESS_STALE_S:
            return ""
        fraction = int(report["done"]) / max(int(report["total"]), 1)
        begin, share = _STAGES.get(str(report["stage"]), _LAST_STAGE)
    except (OSError, ValueError, KeyError, TypeError):
        return ""
    return f"{round(100 * (begin + fraction * share))} %"
