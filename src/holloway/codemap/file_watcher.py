"""Changes of a project's files as they happen, for processes that stay."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from holloway.text.file_roles import SKIPPED_FOLDERS

if TYPE_CHECKING:
    from collections.abc import Iterator
    from threading import Event

DEBOUNCE_MS = 500
"""Changes are gathered for so long: an editor saves a file in several steps, a checkout changes hundreds."""


def changes(root: Path, stop: Event | None = None) -> Iterator[list[str]]:
    """Paths that changed, relative to the root, in batches; whether each belongs to the map is for the index to say."""
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
    """Whether a change may be one of the project's files; the project itself may lie anywhere."""
    *folders, name = Path(path).relative_to(base).parts or ("",)
    # Nobody can tell any more whether what is gone was a file that has the name of a built folder.
    return SKIPPED_FOLDERS.isdisjoint(folders) and (
        name not in SKIPPED_FOLDERS or change == deleted or Path(path).is_file()
    )
