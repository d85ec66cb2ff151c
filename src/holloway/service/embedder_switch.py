"""Switching the embedding model: the choice is checked first, the worker embeds again, and a person may stop it."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from holloway import config
from holloway.domain.codec import encode
from holloway.embeddings.backfill import PROBE_TEXT, MemoryTexts
from holloway.embeddings.provider_choice import choose_embedder
from holloway.errors import HollowayError, InvalidInput
from holloway.service import background_worker
from holloway.service.memory_search import STOP_FILE_NAME
from holloway.store.filter import Filter
from holloway.store.vectors import VectorStore

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from holloway.domain.ports import Embedder
    from holloway.service.holloway import Holloway
    from holloway.store.store import Store

SWITCHED_SETTINGS = ("provider", "model", "base_url", "key_env", "dims")
"""The settings of an embedder, by their last word."""
_BEFORE = "embedding_before"


@dataclass(frozen=True, slots=True)
class EmbeddingProgress:
    """How far the memories of a project have vectors of the chosen model."""

    provider: str
    model: str
    """Empty if search goes by words only."""
    total: int
    embedded: int
    running: bool
    """Whether the worker runs now."""
    previous: str
    """The provider before the switch that can be stopped; empty if there is none."""
    problem: str
    """Why nothing can be embedded; empty if it can."""

    @property
    def waiting(self) -> int:
        """Memories without a vector of the chosen model."""
        return self.total - self.embedded

    def to_json(self) -> dict[str, Any]:
        """Return the progress as JSON fields."""
        return {**encode(self), "waiting": self.waiting}


def measure_embedding(memory: Holloway) -> EmbeddingProgress:
    """Return how far the memories have vectors of the model that the settings choose now."""
    settings = memory.settings.reload()
    choice = choose_embedder(settings)
    total = sum(store.memories.count_memories(Filter()) for store in memory.stores()) if choice.embedder else 0
    waiting = sum(_count_missing(store, choice.embedder) for store in memory.stores()) if choice.embedder else 0
    before = _load_before(memory)
    return EmbeddingProgress(
        settings.get_text("embedding.provider"),
        choice.embedder.model if choice.embedder else "",
        total,
        max(0, total - waiting),
        background_worker.is_running(str(memory.project.folder)),
        str(before["provider"]) if before and waiting else "",
        choice.reason,
    )


def _count_missing(store: Store, embedder: Embedder) -> int:
    return MemoryTexts(VectorStore(store.database, store.memories, store.clock), embedder.model).count_missing()


def switch_embedder(memory: Holloway, provider: str, options: Mapping[str, str] | None = None) -> EmbeddingProgress:
    """Choose another embedder for this project and start the worker, which embeds the memories with it.

    `options` are its other settings by their last word (model, base_url, key_env, dims); those left out are reset. The
    model is asked for one vector first; if it has none, nothing is changed. Old vectors stay, so that stopping costs
    nothing. Raises InvalidInput for an unknown provider, a choice that cannot run, and one that an environment variable
    decides.
    """
    values = {"provider": provider, **{name: value for name, value in (options or {}).items() if value}}
    if unknown := [name for name in values if name not in SWITCHED_SETTINGS]:
        raise InvalidInput(f"{unknown[0]!r} is no setting of an embedder.", f"Known: {', '.join(SWITCHED_SETTINGS)}.")
    settings = memory.settings.reload()
    entries = {name: config.find_setting(f"embedding.{name}") for name in SWITCHED_SETTINGS}
    for name, value in values.items():
        variable = entries[name].environment_variable
        if settings.resolve_value(entries[name].key)[1] == variable:
            raise InvalidInput(f"{variable} decides that.", "Unset it first; nothing was changed.")
        entries[name].parse_value(value, "")
    chosen = {name: values.get(name, str(entry.default)) for name, entry in entries.items()}
    before = {name: settings.stored_value(f"embedding.{name}") for name in SWITCHED_SETTINGS}
    _store_settings(memory, chosen)
    try:
        _check_embedder(memory)
    except HollowayError:
        _store_settings(memory, before)
        raise
    memory.store.set_meta(_BEFORE, json.dumps(before))
    _get_stop_file(memory).unlink(missing_ok=True)
    background_worker.start(str(memory.project.folder), str(memory.project.root))
    return measure_embedding(memory)


def _check_embedder(memory: Holloway) -> None:
    """Raise unless the chosen embedder is off or embeds a text."""
    settings = memory.settings.reload()
    if settings.get_text("embedding.provider") == "off":
        return
    choice = choose_embedder(settings)
    if choice.embedder is None:
        raise InvalidInput(choice.reason, "Nothing was changed.")
    choice.embedder.embed([PROBE_TEXT])


def stop_switch(memory: Holloway) -> EmbeddingProgress:
    """Stop embedding with the new model and go back to the one before, whose vectors are still there.

    Raises InvalidInput if no switch is under way.
    """
    progress, before = measure_embedding(memory), _load_before(memory)
    if not progress.previous or before is None:
        raise InvalidInput("No switch of the embedder is under way.", "`holloway embedder use NAME` begins one.")
    config.replace_file(str(_get_stop_file(memory)), progress.model.encode())
    _store_settings(memory, before)
    memory.store.set_meta(_BEFORE, "")
    return measure_embedding(memory)


def _store_settings(memory: Holloway, values: Mapping[str, str]) -> None:
    for name, value in values.items():
        config.change_setting(f"embedding.{name}", value, memory.project.key, str(memory.home))


def _load_before(memory: Holloway) -> dict[str, str] | None:
    """Return the settings before the latest switch; None without one."""
    with suppress(ValueError):
        before = json.loads(memory.store.get_meta(_BEFORE) or "null")
        if isinstance(before, dict) and set(before) == set(SWITCHED_SETTINGS):
            return {name: str(value) for name, value in before.items()}
    return None


def _get_stop_file(memory: Holloway) -> Path:
    return memory.project.folder / STOP_FILE_NAME
