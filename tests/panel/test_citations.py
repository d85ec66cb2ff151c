"""Citations: what becomes a chip, what folds, and what is a dead end."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.requests import Request

from holloway.panel.citations import CHIP_CHARS_MAX, Chip, split_citations
from holloway.panel.page import Page
from holloway.panel.template_environment import get_environment
from tests.panel.views.test_memories import teach

if TYPE_CHECKING:
    from holloway.panel.panel import Panel

TEMPLATE = '{% import "parts/citations.html" as citations with context %}{{ citations.cited(page, text) }}'


def render(panel: Panel, text: str) -> str:
    """Return a text as a page shows it."""
    scope = {"type": "http", "method": "GET", "path": "/sessions/a", "query_string": b"", "headers": []}
    with panel.open_memory(settle=False) as memory:
        page = Page(Request(scope), panel, memory, {})
        return get_environment(page.language).from_string(TEMPLATE).render(page=page, text=text)


def test_a_citation_is_a_chip_with_the_text_of_its_memory(panel: Panel) -> None:
    memory_id = teach(panel, "Refresh tokens are rotated on every use, an old one locks the account")[0]
    with panel.open_memory(settle=False) as memory:
        cited = split_citations(f"Fixed, see [hw:{memory_id}].", memory.get)
    chip = cited.pieces[1]
    assert isinstance(chip, Chip)
    assert (cited.pieces[0], cited.pieces[2]) == ("Fixed, see ", ".")
    assert chip.text.startswith("Refresh tokens are rotated")
    assert len(chip.text) <= CHIP_CHARS_MAX
    assert not chip.is_dead


def test_a_memory_that_ended_or_never_was_is_a_dead_end(panel: Panel) -> None:
    memory_id = teach(panel, "Tokens rotate")[0]
    with panel.open_memory(settle=False) as memory:
        memory.forget([memory_id])
    html = render(panel, f"[hw:{memory_id}] [hw:feed00]")
    assert html.count('class="chip dead"') == 2
    assert "flag" not in html


def test_more_than_five_citations_fold_into_one_line(panel: Panel) -> None:
    ids = teach(panel, *(f"case {number} needs {number * 7919} rows" for number in range(6)))
    html = render(panel, "Done " + " ".join(f"[hw:{memory_id}]" for memory_id in ids) + ".")
    assert "used 6 memories" in html
    assert html.index("Done.") < html.index("<details")
    assert render(panel, " ".join(f"[hw:{memory_id}]" for memory_id in ids[:5])).count('class="chip"') == 5


def test_hostile_text_in_and_around_a_chip_is_text(panel: Panel) -> None:
    memory_id = teach(panel, "<img src=x onerror=alert(1)>")[0]
    html = render(panel, f"<script>alert(1)</script> [hw:{memory_id}] [hw:<b>] [hw:../..]")
    assert "<script" not in html
    assert "<img" not in html
    assert "<b>" not in html


def test_a_short_citation_with_its_reason_is_understood(panel: Panel) -> None:
    memory_id = teach(panel, "Tokens rotate")[0]
    assert 'class="chip"' in render(panel, f"[hw:{memory_id}, gotcha]")
