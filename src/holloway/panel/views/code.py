"""Code: the files that a task is about, and what a change of a file or symbol affects."""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING, NamedTuple

from holloway.config import TASK_CHARS_MAX
from holloway.errors import InvalidInput
from holloway.panel.page import get_word

if TYPE_CHECKING:
    from collections.abc import Sequence

    from starlette.responses import Response

    from holloway.panel.page import Page
    from holloway.service.code_map import Consequences
    from holloway.service.results import ReachedNode

DEPTHS = (1, 2, 3, 4)
DEPTH = 2


class ReachedFile(NamedTuple):
    """A file that a change reaches: its distance, and the places in it."""

    path: str
    distance: int
    places: Sequence[ReachedNode]


def show_code(page: Page) -> Response:
    """Show the forms, and the answer to a task (`q`) or a place (`place`)."""
    task, place = get_word(page.query, "q")[:TASK_CHARS_MAX], get_word(page.query, "place")
    depth = next((depth for depth in DEPTHS if str(depth) == get_word(page.query, "depth")), DEPTH)
    forward = get_word(page.query, "direction") == "forward"
    error = consequences = located = None
    is_mapped = page.data.is_mapped()
    if is_mapped and place:
        try:
            consequences = page.data.compute_impact(place, depth=depth, forward=forward)
        except InvalidInput as invalid:
            error = invalid
    elif is_mapped and task:
        located = page.data.locate(task)
    paths = [file.path for file in located.files] if located else []
    return page.render(
        "code.html",
        status=HTTPStatus.NOT_FOUND if error else HTTPStatus.OK,
        task=task,
        place=place,
        depth=depth,
        depths=DEPTHS,
        forward=forward,
        is_mapped=is_mapped,
        progress=page.data.get_map_progress(),
        error=error,
        located=located,
        memories=consequences.memories if consequences else page.data.list_memories_of(paths),
        consequences=consequences,
        reached=list_reached(consequences) if consequences else (),
    )


def list_reached(consequences: Consequences) -> list[ReachedFile]:
    """Return the reached files, nearest first, each with its places; uses are listed before plain imports."""
    impact = consequences.impact
    by_path: dict[str, list[ReachedNode]] = {}
    for node in impact.reached:
        by_path.setdefault(node.node.path, []).append(node)
    return [
        ReachedFile(
            path, distance, sorted(by_path.get(path, ()), key=lambda node: (node.via.startswith("imports"), node.line))
        )
        for path, distance in impact.files
    ]
