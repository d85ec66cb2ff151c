"""The list of memories that a person browses: filters, ready-made filters, pages, counts, and search in it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import timedelta
from enum import StrEnum
from functools import partial
from typing import TYPE_CHECKING, Any

from holloway.config import SEARCH_RESULTS_MAX
from holloway.domain.memory import MemoryType, Scope, Source, State, Visibility, parse_choice
from holloway.domain.ports import format_stamp
from holloway.errors import InvalidInput
from holloway.safety.repository_text import admit, only_names, only_paths
from holloway.service.results import memory_json, result_json
from holloway.store import memory_list as store_list
from holloway.store import session_ledger
from holloway.store.filter import Filter

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from holloway.domain.memory import Memory
    from holloway.retrieval.recall import RecallResult
    from holloway.service.holloway import Holloway
    from holloway.store.store import Store

ACTIVE_DAYS = 30
"""A memory that a session used within this time is active."""
FADES_WITHIN_DAYS = 14
AGE_DAYS_MAX = 36_500
PAGE_ROWS = 50
AGES_COUNTED_DAYS = (1, 7, 30, 90)


class Preset(StrEnum):
    """The ready-made filters of the list."""

    ACTIVE = "active"
    """Used by a session within thirty days."""
    UNUSED = "unused"
    """Used by no session."""
    CONFLICTING = "conflicting"
    """Contradicts another memory that is in force."""
    WAITING = "waiting"
    """Waits for a person's review."""
    FADING = "fading"
    """Will be set aside within two weeks, because nobody has used it for nearly three half-lives."""


@dataclass(frozen=True, slots=True)
class MemoryQuery:
    """The filters that a person chose; empty fields do not restrict. `user`: the memories of all projects instead."""

    types: tuple[MemoryType, ...] = ()
    states: tuple[State, ...] = ()
    sources: tuple[Source, ...] = ()
    scopes: tuple[Scope, ...] = ()
    visibility: tuple[Visibility, ...] = ()
    modules: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    branches: tuple[str, ...] = ()
    agents: tuple[str, ...] = ()
    authors: tuple[str, ...] = ()
    """Names of people who shared them."""
    ids: tuple[str, ...] = ()
    session: str = ""
    newer_than_days: int = 0
    older_than_days: int = 0
    preset: Preset | None = None
    pinned: bool = False
    muted: bool = False
    shared: bool = False
    """Only memories that are exchanged with others, mine and theirs."""
    forgotten: bool = False
    replaced: bool = False
    """Also memories that another one took the place of."""
    user: bool = False
    told_on: str | None = None
    """Only memories that are told on this branch; None also selects those of other branches."""
    quarantined: bool = True


_CHOICES: dict[str, type[StrEnum]] = {
    "types": MemoryType,
    "states": State,
    "sources": Source,
    "scopes": Scope,
    "visibility": Visibility,
}
_WORD_LISTS = ("modules", "files", "tags", "branches", "agents", "authors", "ids")
_FLAGS = ("pinned", "muted", "shared", "forgotten", "replaced", "user")
_DAYS = ("newer_than_days", "older_than_days")


def parse_query(values: Mapping[str, Sequence[str]]) -> MemoryQuery:
    """Return the query of the lists of words that a form, an address or a command has; other names are ignored.

    Raises InvalidInput for an unknown choice and for an age that is no number of days.
    """

    def get(name: str) -> list[str]:
        return [word for word in values.get(name, ()) if word]

    fields: dict[str, Any] = {
        name: tuple(parse_choice(kind, word) for word in get(name)) for name, kind in _CHOICES.items()
    }
    fields |= {name: tuple(get(name)) for name in _WORD_LISTS}
    fields |= {name: bool(get(name)) for name in _FLAGS}
    fields |= {name: _parse_days(name, get(name)) for name in _DAYS}
    fields["preset"] = next((parse_choice(Preset, word) for word in get("preset")), None)
    fields["session"] = next(iter(get("session")), "")
    return MemoryQuery(**fields)


def _parse_days(name: str, words: Sequence[str]) -> int:
    if not words:
        return 0
    word = words[0].strip()
    if not (word.isascii() and word.isdigit() and int(word[:10]) <= AGE_DAYS_MAX):
        raise InvalidInput(f"{name} cannot be {word[:40]!r}.", f"It takes a number of days up to {AGE_DAYS_MAX:,}.")
    return int(word)


def build_filter(memory: Holloway, query: MemoryQuery) -> Filter:
    """Return the filter of the store for a query."""
    now = memory.clock.now()

    def days_ago(days: int) -> str:
        return format_stamp(now - timedelta(days=days)) if days else ""

    chosen = Filter(
        types=query.types,
        states=query.states,
        sources=query.sources,
        scopes=query.scopes,
        visibility=query.visibility,
        modules=query.modules,
        files=tuple(memory.path_of(path) for path in query.files),
        tags=query.tags,
        learned_on=query.branches,
        agents=query.agents,
        authors=query.authors,
        shared=query.shared,
        ids=query.ids or None,
        session=query.session,
        created_from=days_ago(query.newer_than_days),
        created_before=days_ago(query.older_than_days),
        pinned=query.pinned,
        muted=query.muted,
        branch=query.told_on,
        quarantined=query.quarantined,
        deleted=query.forgotten,
        superseded=query.replaced or query.forgotten,
    )
    return _apply_preset(memory, chosen, query.preset) if query.preset else chosen


def _apply_preset(memory: Holloway, chosen: Filter, preset: Preset) -> Filter:
    now = memory.clock.now()
    if preset is Preset.ACTIVE:
        active = list_active(memory)
        return replace(chosen, ids=active if chosen.ids is None else tuple(set(active) & set(chosen.ids)))
    if preset is Preset.UNUSED:
        return replace(chosen, unused=True)
    if preset is Preset.CONFLICTING:
        return replace(chosen, conflicting=True)
    if preset is Preset.WAITING:
        return replace(chosen, to_review=True, due=format_stamp(now))
    return replace(chosen, fades_by=format_stamp(now + timedelta(days=FADES_WITHIN_DAYS)))


def list_active(memory: Holloway) -> tuple[str, ...]:
    """Return the ids of the memories that sessions used within thirty days."""
    since = format_stamp(memory.clock.now() - timedelta(days=ACTIVE_DAYS))
    return tuple(sorted(session_ledger.list_used_since(memory.store.database, since)))


@dataclass(frozen=True, slots=True)
class MemoryPage:
    """One page of the list, how many memories the query selects, and the key of the page after it or an empty one."""

    memories: tuple[Memory, ...]
    total: int
    next_key: str = ""

    def to_json(self, now: datetime) -> dict[str, Any]:
        """Return the page as JSON fields."""
        results = [memory_json(listed, now) for listed in self.memories]
        return {"results": results, "total": self.total, "next_key": self.next_key}


def list_memories(
    memory: Holloway, query: MemoryQuery, *, order: str = "newest", after: str = "", limit: int = PAGE_ROWS
) -> MemoryPage:
    """Return one page of the memories that a query selects: `newest`, `changed` or most `used` first.

    `after` is the key that the page before it had. Raises InvalidInput for an unknown order or key.
    """
    store, chosen = _get_store(memory, query), build_filter(memory, query)
    with store.database.read_snapshot():
        page = store_list.list_page(store, chosen, order, after, limit)
        return MemoryPage(page.memories, store_list.count_selected(store.database, chosen), page.next_key)


@dataclass(frozen=True, slots=True)
class Facets:
    """How many memories each choice of a filter would select, most frequent first.

    The counts of one facet leave out its own choice. `ages` counts the memories younger than that many days.
    """

    types: Mapping[str, int] = field(default_factory=dict)
    states: Mapping[str, int] = field(default_factory=dict)
    sources: Mapping[str, int] = field(default_factory=dict)
    scopes: Mapping[str, int] = field(default_factory=dict)
    visibility: Mapping[str, int] = field(default_factory=dict)
    agents: Mapping[str, int] = field(default_factory=dict)
    authors: Mapping[str, int] = field(default_factory=dict)
    """People who shared memories with the person here."""
    branches: Mapping[str, int] = field(default_factory=dict)
    modules: Mapping[str, int] = field(default_factory=dict)
    files: Mapping[str, int] = field(default_factory=dict)
    ages: Mapping[int, int] = field(default_factory=dict)
    presets: Mapping[str, int] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """Return the counts as JSON fields, without the names that the output gate withholds."""
        names = {name: dict(getattr(self, name)) for name in self.__slots__}
        admitted_branches = {admit("branch", name) or "": number for name, number in self.branches.items()}
        return names | {
            "branches": admitted_branches,
            "modules": {name: self.modules[name] for name in only_names(self.modules)},
            "files": {path: self.files[path] for path in only_paths(self.files)},
            "ages": {str(days): number for days, number in self.ages.items()},
        }


def count_facets(memory: Holloway, query: MemoryQuery, *, with_files: bool = True) -> Facets:
    """Count the memories by every facet, among those that a query selects; counting the files takes the longest."""
    store, chosen = _get_store(memory, query), build_filter(memory, query)
    database, now = store.database, memory.clock.now()
    count = partial(store_list.count_selected, database)
    without_age = replace(chosen, created_from="", created_before="")
    without_preset = build_filter(memory, replace(query, preset=None))
    with database.read_snapshot():
        columns = store_list.count_facets(database, chosen)
        return Facets(
            branches=columns.pop("learned_on"),
            authors=store_list.count_authors(database, replace(chosen, authors=())),
            modules=store_list.count_names(database, replace(chosen, modules=()), "memory_modules", "module"),
            files=store_list.count_names(database, replace(chosen, files=()), "memory_files", "path")
            if with_files
            else {},
            ages={
                days: count(replace(without_age, created_from=format_stamp(now - timedelta(days=days))))
                for days in AGES_COUNTED_DAYS
            },
            presets={str(preset): count(_apply_preset(memory, without_preset, preset)) for preset in Preset},
            **columns,
        )


def _get_store(memory: Holloway, query: MemoryQuery) -> Store:
    return memory.user if query.user else memory.store


SCORE_PARTS = {
    "text": "words",
    "dense": "meaning",
    "graph": "files",
    "fused": "together",
    "neighbourhood": "neighbours",
    "trust": "source",
    "recency": "age",
    "confidence": "confidence",
    "staleness": "changed code",
    "phase": "phase of work",
    "reranked": "reranking",
}
"""Stages of a search, each with the word for it."""
_FACTORS = frozenset(["trust", "recency", "confidence", "staleness", "phase"])


@dataclass(frozen=True, slots=True)
class ScorePart:
    """The score that one stage of a search gave a memory; a factor multiplies the score before it."""

    stage: str
    label: str
    value: float
    is_factor: bool


@dataclass(frozen=True, slots=True)
class SearchHit:
    """A result of a search, with the parts of its score in their order."""

    result: RecallResult
    parts: tuple[ScorePart, ...]

    def to_json(self, now: datetime) -> dict[str, Any]:
        """Return the result as JSON fields."""
        return result_json(self.result, now)


@dataclass(frozen=True, slots=True)
class SearchPage:
    """The results of a search, best first, and the stages that did not run with the reasons."""

    hits: tuple[SearchHit, ...]
    degraded: Mapping[str, str]


def search_memories(memory: Holloway, query: MemoryQuery, text: str, *, limit: int = PAGE_ROWS) -> SearchPage:
    """Return the memories that a query selects and that answer a question, best first.

    Raises InvalidInput for an empty question.
    """
    chosen = build_filter(memory, query)
    results = memory.recall(text, chosen=chosen, limit=max(1, min(limit, SEARCH_RESULTS_MAX)))
    hits = [SearchHit(result, explain_score(result)) for result in results]
    return SearchPage(tuple(hits), dict(memory.search.degraded))


def explain_score(result: RecallResult) -> tuple[ScorePart, ...]:
    """Return the parts of a result's score, in the order of the stages."""
    return tuple(
        ScorePart(stage, SCORE_PARTS.get(stage, stage), round(value, 4), stage in _FACTORS)
        for stage, value in result.stages.items()
    )
