"""What takes a while, shown to people at a terminal: above all, bringing the code map up to date."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from holloway.cli.common import opened

if TYPE_CHECKING:
    from collections.abc import Callable

    from holloway.service.holloway import Holloway

STEPS_MIN = 12
"""What has fewer steps is over before a bar could be read."""


def ready(project: str, *, create: bool = False) -> Holloway:
    """The memory of a project with its map brought up to date, however long that takes the first time."""
    memory = opened(project, create=create)
    try:
        if not memory.project.key:
            click.echo("The code is mapped for this answer alone; `holloway init` keeps a map.", err=True)
        with progress_bar(hidden=False) as tell:
            memory.map.update(workers=0, progress=tell)
    except BaseException:
        memory.close()
        raise
    return memory


class progress_bar:  # noqa: N801  (read as a word: `with progress_bar(...)`)
    """A bar for people at a terminal, once something takes longer than a moment; nothing anywhere else."""

    def __init__(self, *, hidden: bool) -> None:
        self._shown = not hidden and sys.stderr.isatty()
        self._bar: Any = None
        self._task: Any = None

    def __enter__(self) -> Callable[[str, int, int], None] | None:
        return self._tell if self._shown else None

    def _tell(self, stage: str, done: int, total: int) -> None:
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
        self._bar.update(self._task, description=stage, completed=done, total=total)

    def __exit__(self, *exception: object) -> None:
        if self._bar is not None:
            self._bar.stop()
