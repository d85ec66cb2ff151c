"""The interface through which pages read and change a project: list, filter, search, get, history, act, feed.

It is all that pages know of the store, so that a team server can serve the same pages from another one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from holloway.domain import confidence, memory_json
from holloway.panel.editor_link import make_editor_link
from holloway.service import memory_card, memory_list, module_map

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from holloway.domain.memory import Memory, WrongReason
    from holloway.service.holloway import Holloway
    from holloway.service.memory_card import MemoryCard
    from holloway.service.memory_editor import Provenance
    from holloway.service.code_map import Consequences
    from holloway.service.memory_list import Facets, MemoryPage, MemoryQuery, SearchPage
    from holloway.service.module_map import ModuleCard, ModuleGraph
    from holloway.service.results import LocateResult, Module, Overview

MEMORIES_OF_FILES = 8


class Quote(NamedTuple):
    """Words of a session on which a memory rests, and who said them."""

    text: str
    voice: str
    source: str


class ProjectData:
    """Reads and changes one project for the pages; the open memory belongs to the thread of the request."""

    def __init__(self, memory: Holloway) -> None:
        self._memory = memory

    def list_memories(self, query: MemoryQuery, *, order: str, after: str) -> MemoryPage:
        """Return a page of the memories that a query selects."""
        return memory_list.list_memories(self._memory, query, order=order, after=after)

    def count_facets(self, query: MemoryQuery) -> Facets:
        """Return how many memories each choice of a filter would select."""
        return memory_list.count_facets(self._memory, query)

    def search_memories(self, query: MemoryQuery, text: str) -> SearchPage:
        """Return the memories that a query selects and that answer a question, best first."""
        return memory_list.search_memories(self._memory, query, text)

    def compute_confidence(self, memory: Memory) -> float:
        """Return the confidence of a memory today."""
        return confidence.current_confidence(memory, self._memory.clock.now())

    def get_card(self, reference: str) -> MemoryCard:
        """Return a memory with its evidence, history and relations. Raises UnknownMemory if there is none."""
        return memory_card.build_card(self._memory, reference)

    def confirm(self, reference: str) -> Memory:
        """Confirm a memory."""
        return self._memory.confirm(reference)

    def pin(self, reference: str, *, on: bool) -> Memory:
        """Pin or unpin a memory."""
        return self._memory.pin(reference, on=on)

    def edit(self, reference: str, *, content: str | None, type: str | None, visibility: str | None) -> Memory:  # noqa: A002
        """Change a memory; None leaves a field as it is."""
        return self._memory.edit(reference, content=content, type=type, visibility=visibility)[0]

    def forget(self, reference: str, *, hard: bool = False) -> None:
        """Forget a memory, recoverable for thirty days, or for good."""
        self._memory.forget([reference], hard=hard)

    def restore(self, reference: str) -> Memory:
        """Restore a memory that was forgotten or judged wrong."""
        return self._memory.restore(reference)

    def flag_wrong(self, reference: str, reason: WrongReason, *, note: str, instead: str) -> Memory:
        """End a wrong memory with the effect of a reason; returns the memory that holds now, or the old one."""
        return self._memory.wrong(reference, reason, note=note, instead=instead)

    def list_modules(self) -> list[ModuleCard]:
        """Return a card for each module, hidden and supporting ones too; empty without a map."""
        return module_map.list_cards(self._memory, everything=True)

    def build_module_graph(self, cards: Sequence[ModuleCard], opened: str) -> ModuleGraph:
        """Return the graph of these modules, with one of them opened into its files."""
        return module_map.build_graph(self._memory, cards, opened)

    def get_module(self, name: str) -> Module:
        """Return a module by name. Raises InvalidInput if there is none."""
        return self._memory.map.module(name)

    def get_overview(self) -> Overview:
        """Return the overview of the code with its commands."""
        return self._memory.map.overview()

    def get_map_progress(self) -> str:
        """Return the progress of the process that maps the code; empty if none does."""
        return self._memory.map.progress()

    def edit_module(
        self, name: str, *, rename: str = "", purpose: str = "", add: Sequence[str] = (), hide: bool | None = None
    ) -> None:
        """Keep a person's edits of a module; renaming one to another's name merges them."""
        self._memory.map.edit_module(name, rename=rename, purpose=purpose, add=add, hide=hide)

    def reset_module(self, name: str) -> None:
        """Remove all edits of a module."""
        self._memory.map.reset_module(name)

    def locate(self, task: str, *, known: Sequence[str] = ()) -> LocateResult:
        """Return the files that a task is about, with reasons."""
        return self._memory.map.locate(task, known=known)

    def compute_impact(self, place: str, *, depth: int, forward: bool) -> Consequences:
        """Return what a change of a file or symbol affects. Raises InvalidInput if it is not in the map."""
        return self._memory.map.impact(place, depth=depth, forward=forward)

    def list_memories_of(self, paths: Sequence[str]) -> tuple[Memory, ...]:
        """Return some memories about any of these files, newest first."""
        if not paths:
            return ()
        query = memory_list.MemoryQuery(files=tuple(paths))
        return memory_list.list_memories(self._memory, query, limit=MEMORIES_OF_FILES).memories

    def is_mapped(self) -> bool:
        """Return whether there is a map of the code."""
        return self._memory.map.is_ready

    def link_editor(self, path: str, line: int = 0) -> str:
        """Return the address that opens a line in the person's editor; empty if they use none."""
        return make_editor_link(self._memory.settings.get_text("panel.editor"), self._memory.project.root, path, line)


def list_quotes(provenance: Provenance) -> list[Quote]:
    """Return the quotes of the sessions that a memory was learned from."""
    return [
        Quote(str(quote["text"]), str(quote["voice"]), str(quote["source"]))
        for sighting in provenance.seen
        for quote in _as_list(sighting.draft.get("quotes"))
    ]


def list_details(memory: Memory) -> list[tuple[str, str]]:
    """Return every value of a memory's details with its name."""
    return list(_flatten_details(memory_json.shown_details(memory.details)))


def _as_list(value: object) -> list[dict[str, object]]:
    return value if isinstance(value, list) else []


def _flatten_details(details: object, name: str = "") -> Iterator[tuple[str, str]]:
    if isinstance(details, dict):
        for key, value in details.items():
            yield from _flatten_details(value, str(key).replace("_", " "))
    elif isinstance(details, list):
        for value in details:
            yield from _flatten_details(value, name)
    elif details not in (None, ""):
        yield name, str(details)
