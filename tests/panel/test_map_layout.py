"""The drawing of the module map: the same for the same graph, on the plane, without overlap."""

from __future__ import annotations

import math
import random

import pytest

from holloway.panel.map_layout import WIDTH, Circle, draw_map
from holloway.service.health import CoverageState
from holloway.service.module_map import MAP_NODES_MAX, LinkKind, MapLink, MapNode, ModuleGraph


def make_graph(count: int, links: int) -> ModuleGraph:
    chance = random.Random(count)
    nodes = [MapNode(f"module-{number}", CoverageState.PARTIAL, chance.randint(1, 60)) for number in range(count)]
    pairs = {(chance.randrange(count), chance.randrange(count)) for _ in range(links)}
    chosen = [MapLink(source, target, LinkKind.IMPORTS, chance.random() + 0.1) for source, target in sorted(pairs)]
    return ModuleGraph(tuple(nodes), tuple(link for link in chosen if link.source != link.target))


def overlap(one: Circle, other: Circle) -> bool:
    return math.hypot(one.x - other.x, one.y - other.y) < one.radius + other.radius


@pytest.mark.parametrize("count", [1, 2, 5, 20, 60])
def test_every_node_is_on_the_plane_and_none_covers_another(count: int) -> None:
    drawing = draw_map(make_graph(count, 3 * count))
    assert len(drawing.circles) == count
    for circle in drawing.circles:
        assert circle.radius <= circle.x <= WIDTH - circle.radius
        assert circle.radius <= circle.y <= drawing.height - circle.radius
    pairs = [(one, other) for one in drawing.circles for other in drawing.circles if one is not other]
    assert not any(overlap(one, other) for one, other in pairs)


def test_the_same_graph_has_the_same_drawing() -> None:
    graph = make_graph(30, 80)
    drawing = draw_map(graph)
    draw_map.cache_clear()
    random.seed(7)
    assert draw_map(graph) == drawing


def test_the_area_of_a_circle_follows_the_number_of_files() -> None:
    nodes = tuple(MapNode(f"m{files}", CoverageState.SHALLOW, files) for files in (9, 36))
    small, large = draw_map(ModuleGraph(nodes, ())).circles
    assert large.radius == pytest.approx(2 * small.radius)


def test_a_line_runs_from_edge_to_edge_and_the_strongest_is_widest() -> None:
    nodes = tuple(MapNode(name, CoverageState.SHALLOW, 4) for name in "abc")
    links = (MapLink(0, 1, LinkKind.IMPORTS, 10.0), MapLink(1, 2, LinkKind.IMPORTS, 1.0))
    drawing = draw_map(ModuleGraph(nodes, links))
    first, second = drawing.lines
    start = drawing.circles[0]
    assert math.hypot(first.x1 - start.x, first.y1 - start.y) == pytest.approx(start.radius, abs=0.2)
    assert first.width > second.width


def test_files_are_labelled_by_their_name_and_long_names_are_cut() -> None:
    nodes = (MapNode("src/auth/model.py", CoverageState.SHALLOW, is_file=True), MapNode("m" * 60, CoverageState.MAPPED))
    file, module = draw_map(ModuleGraph(nodes, ())).circles
    assert file.label == "model.py"
    assert (len(module.label), module.label[-1]) == (26, "…")


def test_the_largest_map_stays_on_its_plane() -> None:
    drawing = draw_map(make_graph(MAP_NODES_MAX, 400))
    assert all(0 <= circle.x <= WIDTH and 0 <= circle.y <= drawing.height for circle in drawing.circles)


def test_an_empty_graph_is_drawn_as_nothing() -> None:
    assert draw_map(ModuleGraph((), ())).circles == ()
