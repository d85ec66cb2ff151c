"""One running panel: its project, policy and clock, and how a request opens the project's memory in its thread."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from holloway.domain.ports import SystemClock
from holloway.panel.access import PanelFolder
from holloway.panel.conversations import Conversations
from holloway.panel.flash import FlashMessages
from holloway.service.holloway import Holloway

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from holloway.domain.ports import Clock
    from holloway.panel.security import Policy
    from holloway.service.results import Project


@dataclass(frozen=True, slots=True)
class Panel:
    """Everything that requests share. It holds no open file: each request opens the memory for itself."""

    project: Project
    home: Path
    policy: Policy
    clock: Clock = field(default_factory=SystemClock)
    flashes: FlashMessages = field(default_factory=FlashMessages)
    conversations: Conversations = field(default_factory=Conversations)

    @property
    def folder(self) -> PanelFolder:
        """The files by which other processes find this panel."""
        return PanelFolder(self.project.folder)

    @contextmanager
    def open_memory(self, *, settle: bool) -> Iterator[Holloway]:
        """Open the memory for the calling thread and close it afterwards; SQLite connections belong to one thread.

        `settle` also applies what hooks and other processes left behind, which writes.
        """
        with Holloway(self.project, self.home, clock=self.clock, settle=settle) as memory:
            yield memory
