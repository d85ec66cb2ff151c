"""Progress bar for long-running steps, and opening a project with an up-to-date code map."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from holloway.cli.common import open_memory

if TYPE_CHECKING:
    from collections.abc import Callable

    from holloway.service.holloway import Holloway

STEPS_MIN = 12
"""Stages with fewer steps show no bar: they end before one could be read."""


def open_mapped_memory(project: str, *, create: bool = False) -> Holloway:
    """Open the memory of a project and update its code map first, however long that takes."""
    memory = open_memory(project, create=create)
    try:
        if not memory.project.key:
            click.echo("This code map is temporary; `holloway init` stores one.", err=True)
        with ProgressBar(hidden=False) as tell:
            memory.map.update(workers=0, progress=tell)
    except BaseException:
        memory.close()
        raise
    return memory


class ProgressBar:
    """Context manager that yields a progress callback drawing a bar on a terminal, and None elsewhere."""

    def __init__(self, *, hidden: bool) -> None:
        self._shown = not hidden and sys.stderr.isatty()
        self._bar: Any = None
        self._task: Any = None

    def __enter__(self) -> Callable[[str, int, int], None] | None:
        return self._update_bar if self._shown else None

    def _update_bar(self, stage: str, completed: int, total: int) -> None:
        if total < STEPS_MIN and self._bar is None:
            return
        if self._bar is None:
            from rich.console import Console
            from rich.progress import BarColumn, Progress, TextColumn

            self._bar = Progress(
                TextColumn("{task.description:>16}"),
                BarColumn(),
                TextColumn("{task.percentage:>3.0f} %"),
                console=Console(stderr=True),
                transient=True,
            )
            self._bar.start()
            self._task = self._bar.add_task(stage, total=total)
        self._bar.update(self._task, description=stage, completed=completed, total=total)

    def __exit__(self, *exception: object) -> None:
        if self._bar is not None:
            self._bar.stop()
