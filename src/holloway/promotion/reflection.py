"""Reflection on modules with a language model, if one is configured; statistics do not wait for it."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from holloway.domain.ports import format_stamp, parse_stamp
from holloway.errors import HollowayError
from holloway.llm.metered_client import meter_writer
from holloway.llm.provider_choice import choose_writer
from holloway.promotion import insight
from holloway.promotion.synthesis import THRESHOLDS
from holloway.store import observations

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holloway.config import Settings
    from holloway.domain.memory import Memory
    from holloway.domain.ports import Writer
    from holloway.promotion.candidate import CodeMapLookup
    from holloway.store.store import Store

MODULES_MAX = 3
"""Modules per run, with one call each."""
AFTER_FAILURE = timedelta(days=1)
PURPOSE = "synthesis"
_FAILED = "synthesis_failed"


class Reflection:
    """Asks a language model to summarise a module's memories, once at each threshold of the synthesis."""

    def __init__(self, store: Store, settings: Settings, writer: Writer | None = None) -> None:
        self.store = store
        self.settings = settings
        self.writer = writer or choose_writer(settings).writer
        self.trouble = ""
        """The error of the last call, if it failed."""

    def due(self) -> list[tuple[str, int]]:
        """Return the modules that have reached a threshold since the last call; empty without a model."""
        if self.writer is None or self._has_failed_lately():
            return []
        due_modules = []
        for module, sessions in observations.count_module_sessions(self.store.database).items():
            reached = max((threshold for threshold in THRESHOLDS if threshold <= sessions), default=0)
            if reached > int(self.store.get_meta(_key(module)) or 0):
                due_modules.append((module, reached))
        return due_modules

    def reflect(self) -> list[Memory]:
        """Reflect on the modules that are due, a few at a time; a failed call is retried a day later."""
        insights: list[Memory] = []
        for module, reached in self.due()[:MODULES_MAX]:
            module_insights = self._ask_model([module])
            if module_insights is None:
                break
            insights += module_insights
            self.store.set_meta(_key(module), str(reached))
        return insights

    def across(self, places: CodeMapLookup) -> list[Memory]:
        """Reflect on the two modules that are most often changed together."""
        chosen = insight.find_module_pair(self.store, places) if self.writer and not self._has_failed_lately() else None
        return (self._ask_model(chosen) or []) if chosen else []

    def _ask_model(self, modules: Sequence[str]) -> list[Memory] | None:
        """Return the memories that one call yielded; None if it failed."""
        if self.writer is None:
            return None
        model = meter_writer(self.store, self.settings, self.writer, PURPOSE)
        try:
            return insight.create_insights(model, self.store, self.store.project.name, modules)
        except HollowayError as error:
            self.trouble = error.message
            self.store.set_meta(_FAILED, format_stamp(self.store.clock.now()))
            return None

    def _has_failed_lately(self) -> bool:
        failed = self.store.get_meta(_FAILED)
        return bool(failed) and timedelta(0) <= self.store.clock.now() - parse_stamp(failed) < AFTER_FAILURE


def _key(module: str) -> str:
    return f"reflected:{module}"
