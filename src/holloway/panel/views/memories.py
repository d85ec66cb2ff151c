"""Memories: the list with its filters, and the search with the parts of each score."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from holloway.panel import labels
from holloway.panel.locale import mark_text
from holloway.panel.page import get_word
from holloway.service.memory_list import MemoryQuery, parse_query

if TYPE_CHECKING:
    from starlette.responses import Response

    from holloway.panel.page import Page
    from holloway.service.memory_list import Facets


def show_memories(page: Page) -> Response:
    """Show a page of the memories that the filters select, or the search results among them, best first."""
    query, text = parse_query(page.query), get_word(page.query, "q")
    facets = page.data.count_facets(query)
    order, after = get_word(page.query, "order") or "newest", get_word(page.query, "after")
    return page.render(
        "memories.html",
        query=query,
        text=text,
        facets=facets,
        choices=list_choices(facets),
        has_filters=query != MemoryQuery(preset=query.preset),
        results=page.data.search_memories(query, text) if text else None,
        listing=None if text else page.data.list_memories(query, order=order, after=after),
    )


class FilterChoice(NamedTuple):
    """A filter with a fixed list of values: its field, its label, how many memories each value selects, its words."""

    name: str
    label: str
    counts: Mapping[str, int]
    words: Mapping[str, str] = {}


def list_choices(facets: Facets) -> list[FilterChoice]:
    """Return the filters that have something to choose from."""
    choices = [
        FilterChoice("types", mark_text("Type"), facets.types, labels.TYPES),
        FilterChoice("states", mark_text("State"), facets.states, labels.STATES),
        FilterChoice("sources", mark_text("Source"), facets.sources, labels.SOURCES),
        FilterChoice("scopes", mark_text("Scope"), facets.scopes, labels.SCOPES),
        FilterChoice("visibility", mark_text("Visibility"), facets.visibility, labels.VISIBILITIES),
        FilterChoice("modules", mark_text("Module"), facets.modules),
        FilterChoice("branches", mark_text("Branch"), facets.branches),
        FilterChoice("agents", mark_text("Agent"), facets.agents),
        FilterChoice("authors", mark_text("Shared by"), facets.authors),
    ]
    named = [
        choice._replace(counts={value: count for value, count in choice.counts.items() if value}) for choice in choices
    ]
    return [choice for choice in named if choice.counts]
