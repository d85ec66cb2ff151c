"""Drawing of the module map: places the nodes of a graph on a plane, as circles with labels, joined by lines.

igraph computes the places from a fixed start, so the same graph always gives the same drawing.
"""

from __future__ import annotations

import math
from collections import Counter
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holloway.service.module_map import LinkKind, MapNode, ModuleGraph

WIDTH = 960
HEIGHT_MIN, HEIGHT_PER_NODE, HEIGHT_MAX = 260, 26, 1_500
DRAWING_MARGIN = 14
MODULE_RADIUS_MIN, MODULE_RADIUS_MAX, FILE_RADIUS = 15.0, 52.0, 8.0
RADIUS_PER_ROOT = 7.0
"""Growth of a circle's radius with the root of its number of files, so that its area follows the number."""
LABEL_HEIGHT, LABEL_CHAR_WIDTH, LABEL_CHARS_MAX = 17.0, 7.4, 26
LABEL_GAP = 4.0
ROUNDS_MAX = 60
LINE_WIDTH_MAX = 3.5
ARROW_LENGTH = 7.0
ALONE_PER_ROW, ALONE_ROW_HEIGHT = 7, 64
"""Nodes without a link stand in rows below the others."""
DRAWINGS_KEPT = 16


class Circle(NamedTuple):
    """A node on the drawing: the centre and radius of its circle; the label is written below it."""

    node: MapNode
    label: str
    x: float
    y: float
    radius: float

    @property
    def label_y(self) -> float:
        """The base line of the label."""
        return round(self.y + self.radius + LABEL_HEIGHT - LABEL_GAP, 1)


class Line(NamedTuple):
    """A link on the drawing, from the edge of one circle to the edge of another."""

    kind: LinkKind
    x1: float
    y1: float
    x2: float
    y2: float
    width: float


class Drawing(NamedTuple):
    """The map as shapes on a plane of this size."""

    width: int
    height: int
    circles: tuple[Circle, ...]
    lines: tuple[Line, ...]


class _Box:
    """The space that a circle and its label take, which moves while boxes are separated."""

    __slots__ = ("half_width", "radius", "x", "y")

    def __init__(self, x: float, y: float, radius: float, label: str) -> None:
        self.x = x
        self.y = y
        self.radius = radius
        self.half_width = max(radius, len(label) * LABEL_CHAR_WIDTH / 2) + LABEL_GAP

    @property
    def height(self) -> float:
        return 2 * self.radius + LABEL_HEIGHT + LABEL_GAP

    @property
    def middle(self) -> float:
        return self.y + LABEL_HEIGHT / 2


@lru_cache(DRAWINGS_KEPT)
def draw_map(graph: ModuleGraph) -> Drawing:
    """Return the drawing of a graph, the same for the same graph."""
    nodes = graph.nodes
    labels = _label_nodes(nodes)
    height = min(HEIGHT_MAX, HEIGHT_MIN + HEIGHT_PER_NODE * len(nodes))
    radii = [_find_radius(node) for node in nodes]
    places = _place_nodes(graph, height, room=max(radii, default=0.0) + LABEL_HEIGHT + DRAWING_MARGIN)
    boxes = [_Box(x, y, radius, label) for radius, label, (x, y) in zip(radii, labels, places, strict=True)]
    _separate(boxes, height)
    circles = tuple(
        Circle(node, label, round(box.x, 1), round(box.y, 1), round(box.radius, 1))
        for node, label, box in zip(nodes, labels, boxes, strict=True)
    )
    heaviest: dict[LinkKind, float] = {}
    for link in graph.links:
        heaviest[link.kind] = max(link.weight, heaviest.get(link.kind, 0.0))
    lines = (
        _join(link.kind, circles[link.source], circles[link.target], link.weight / heaviest[link.kind])
        for link in graph.links
    )
    return Drawing(WIDTH, height, circles, tuple(line for line in lines if line))


def _find_radius(node: MapNode) -> float:
    if node.is_file:
        return FILE_RADIUS
    return min(MODULE_RADIUS_MAX, max(MODULE_RADIUS_MIN, RADIUS_PER_ROOT * math.sqrt(node.files)))


def _label_nodes(nodes: Sequence[MapNode]) -> list[str]:
    """Return short labels: a module's name, a file's name, with its folder if another file has the same name."""
    names = [node.name.rpartition("/")[2] if node.is_file else node.name for node in nodes]
    count = Counter(names)
    labels = [
        "/".join(node.name.split("/")[-2:]) if count[name] > 1 else name
        for node, name in zip(nodes, names, strict=True)
    ]
    return [label if len(label) <= LABEL_CHARS_MAX else f"{label[: LABEL_CHARS_MAX - 1]}…" for label in labels]


def _place_nodes(graph: ModuleGraph, height: int, room: float) -> list[tuple[float, float]]:
    """Return a place for each node: linked ones near each other over the plane, those without a link in rows below."""
    linked = sorted({end for link in graph.links for end in (link.source, link.target)})
    alone = [position for position in range(len(graph.nodes)) if position not in set(linked)]
    rows = -(-len(alone) // ALONE_PER_ROW)
    places = dict(zip(linked, _place_linked(graph, linked, height - rows * ALONE_ROW_HEIGHT, room), strict=True))
    for index, position in enumerate(alone):
        row, column = divmod(index, ALONE_PER_ROW)
        in_row = min(ALONE_PER_ROW, len(alone) - row * ALONE_PER_ROW)
        x = WIDTH * (column + 0.5) / in_row
        places[position] = (x, height - (rows - row - 0.5) * ALONE_ROW_HEIGHT)
    return [places[position] for position in range(len(graph.nodes))]


def _place_linked(graph: ModuleGraph, linked: Sequence[int], height: int, room: float) -> list[tuple[float, float]]:
    """Return a place for each node that has a link."""
    if not linked:
        return []
    import igraph  # type: ignore[import-untyped]  # takes 50 ms, and one page needs it

    index_of = {position: index for index, position in enumerate(linked)}
    drawn: Any = igraph.Graph(len(linked), [(index_of[link.source], index_of[link.target]) for link in graph.links])
    turns = (2 * math.pi * index / len(linked) for index in range(len(linked)))
    places = drawn.layout_kamada_kawai(seed=[(math.cos(turn), math.sin(turn)) for turn in turns])
    across, down = [place[0] for place in places], [place[1] for place in places]
    return list(zip(_spread(across, WIDTH, room), _spread(down, height, room), strict=True))


def _spread(values: Sequence[float], size: float, room: float) -> list[float]:
    """Return values moved and scaled to fill a length, with some room at both ends."""
    if not values:
        return []
    low, high = min(values), max(values)
    if high - low < 1e-6:
        return [size / 2] * len(values)
    return [room + (value - low) / (high - low) * (size - 2 * room) for value in values]


def _separate(boxes: Sequence[_Box], height: float) -> None:
    """Push boxes that overlap apart, and all of them back onto the plane."""
    for _ in range(ROUNDS_MAX):
        has_moved = False
        for position, box in enumerate(boxes):
            for other in boxes[position + 1 :]:
                has_moved |= _push_apart(box, other)
        for box in boxes:
            box.x = min(max(box.x, DRAWING_MARGIN + box.half_width), WIDTH - DRAWING_MARGIN - box.half_width)
            box.y = min(max(box.y, DRAWING_MARGIN + box.radius), height - DRAWING_MARGIN - box.radius - LABEL_HEIGHT)
        if not has_moved:
            return


def _push_apart(box: _Box, other: _Box) -> bool:
    """Move two boxes apart along the axis on which they overlap less; returns whether they overlapped."""
    apart_x, apart_y = other.x - box.x, other.middle - box.middle
    overlap_x = box.half_width + other.half_width - abs(apart_x)
    overlap_y = (box.height + other.height) / 2 - abs(apart_y)
    if overlap_x <= 0 or overlap_y <= 0:
        return False
    if overlap_x < overlap_y:
        step = math.copysign(overlap_x / 2 + 0.5, apart_x)
        box.x, other.x = box.x - step, other.x + step
    else:
        step = math.copysign(overlap_y / 2 + 0.5, apart_y)
        box.y, other.y = box.y - step, other.y + step
    return True


def _join(kind: LinkKind, source: Circle, target: Circle, share: float) -> Line | None:
    """Return the line between the edges of two circles; None if they touch."""
    across, down = target.x - source.x, target.y - source.y
    length = math.hypot(across, down)
    end = target.radius + ARROW_LENGTH
    if length <= source.radius + end:
        return None
    across, down = across / length, down / length
    return Line(
        kind,
        round(source.x + across * source.radius, 1),
        round(source.y + down * source.radius, 1),
        round(target.x - across * end, 1),
        round(target.y - down * end, 1),
        round(1 + (LINE_WIDTH_MAX - 1) * share, 1),
    )
