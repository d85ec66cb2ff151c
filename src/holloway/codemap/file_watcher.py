"""File watcher: reports changes of a project's files as they happen, for long-lived processes."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from holloway.text.file_roles import SKIPPED_FOLDERS

if TYPE_CHECKING:
    from collections.abc import Iterator
    from threading import Event

DEBOUNCE_MS = 500
"""Time over which changes are collected: an editor saves a file in several steps, a checkout changes hundreds."""


def watch_changes(root: Path, stop: Event | None = None) -> Iterator[list[str]]:
    """Yield batches of changed paths, relative to the root; the index decides whether each belongs to the map."""
    from watchfiles import Change, watch  # only long-lived processes watch

    base = root.resolve()
    wanted = partial(_is_wanted, base, Change.deleted)
    for batch in watch(
        base, debounce=DEBOUNCE_MS, step=50, stop_event=stop, watch_filter=wanted, raise_interrupt=False
    ):
        paths = {Path(path).relative_to(base).as_posix() for _, path in batch if Path(path).is_relative_to(base)}
        if paths:
            yield sorted(paths)


def _is_wanted(base: Path, deleted: object, change: object, path: str) -> bool:
    """Whether a change may concern one of the project's files; vendored folders above the root do not count."""
    *folders, name = Path(path).relative_to(base).parts or ("",)
    # A deleted path may have been a file with the name of a build folder; that cannot be checked any more.
    return SKIPPED_FOLDERS.isdisjoint(folders) and (
        name not in SKIPPED_FOLDERS or change == deleted or Path(path).is_file()
    )
