"""Looking at modules with a language model, where one is configured; statistics do not wait for it."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from holloway.domain.ports import moment, stamp
from holloway.errors import HollowayError
from holloway.llm.metered_client import meter_writer
from holloway.llm.provider_choice import choose
from holloway.promotion import insight
from holloway.promotion.synthesis import THRESHOLDS
from holloway.store import observations

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holloway.domain.memory import Memory
    from holloway.domain.ports import Writer
    from holloway.promotion.candidate import Places
    from holloway.service.holloway import Holloway

MODULES_MAX = 3
"""Modules that are looked at in one run, with one call each."""
AFTER_FAILURE = timedelta(days=1)
PURPOSE = "synthesis"
_FAILED = "synthesis_failed"


class Reflecting:
    """Asks what a module's memories add up to, once at each of the counts at which statistics look at it."""

    def __init__(self, memory: Holloway, writer: Writer | None = None) -> None:
        self.memory = memory
        self.store = memory.store
        self.writer = writer or choose(memory.settings).writer
        self.trouble = ""
        """What went wrong in the last call, if something did."""

    def due(self) -> list[tuple[str, int]]:
        """The modules that have reached a count at which no model was asked yet; none where there is no model."""
        if self.writer is None or self._failed_lately():
            return []
        found = []
        for module, sessions in observations.modules(self.store.database).items():
            reached = max((threshold for threshold in THRESHOLDS if threshold <= sessions), default=0)
            if reached > int(self.store.noted(_key(module)) or 0):
                found.append((module, reached))
        return found

    def reflect(self) -> list[Memory]:
        """Look at what is due, a few modules at a time; what went wrong is tried again a day later."""
        kept: list[Memory] = []
        for module, reached in self.due()[:MODULES_MAX]:
            found = self._asked([module])
            if found is None:
                break
            kept += found
            self.store.note(_key(module), str(reached))
        return kept

    def across(self, places: Places) -> list[Memory]:
        """Look at the two modules that are worked in together most."""
        chosen = insight.pair(self.store, places) if self.writer and not self._failed_lately() else None
        return (self._asked(chosen) or []) if chosen else []

    def _asked(self, modules: Sequence[str]) -> list[Memory] | None:
        """What one call yielded; None where it failed."""
        if self.writer is None:
            return None
        model = meter_writer(self.memory.store, self.memory.settings, self.writer, PURPOSE)
        try:
            return insight.insights(model, self.store, self.memory.project.name, modules)
        except HollowayError as error:
            self.trouble = error.message
            self.store.note(_FAILED, stamp(self.memory.clock.now()))
            return None

    def _failed_lately(self) -> bool:
        failed = self.store.noted(_FAILED)
        return bool(failed) and timedelta(0) <= self.memory.clock.now() - moment(failed) < AFTER_FAILURE


def _key(module: str) -> str:
    return f"reflected:{module}"
