"""The modules as a person looks at them: a card for each, and the graph of modules with one of them opened."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from holloway.codemap import queries
from holloway.safety.repository_text import is_path
from holloway.service.health import CoverageState
from holloway.store import observations
from holloway.store.filter import Filter
from holloway.store.memory_list import count_selected

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from holloway.codemap.modules.module import Module
    from holloway.service.holloway import Holloway

MAP_NODES_MAX = 150
LINKS_PER_NODE = 3
"""Links that are drawn for each node on average: the strongest of all."""
COCHANGE_COMMITS_MIN = 2
"""Files that changed together once may have done so by chance."""


class LinkKind(StrEnum):
    """Why two nodes of the map are linked."""

    IMPORTS = "imports"
    COCHANGE = "cochange"


@dataclass(frozen=True, slots=True)
class ModuleCard:
    """A module with how well it is known, and the memories and sessions about it."""

    module: Module
    names: tuple[str, ...]
    """Its name, and the names that it had before edits."""
    state: CoverageState
    memories: int
    sessions: int


@dataclass(frozen=True, slots=True)
class MapNode:
    """A module on the map, or a file of the opened module; a module has its number of files."""

    name: str
    state: CoverageState
    files: int = 1
    is_file: bool = False


@dataclass(frozen=True, slots=True)
class MapLink:
    """A link between two nodes of the map, given by their positions; an import goes from the first to the second."""

    source: int
    target: int
    kind: LinkKind
    weight: float


@dataclass(frozen=True, slots=True)
class ModuleGraph:
    """The nodes and links to draw, and how many nodes were left out because there are too many."""

    nodes: tuple[MapNode, ...]
    links: tuple[MapLink, ...]
    left_out: int = 0


def list_cards(memory: Holloway, *, everything: bool = False) -> list[ModuleCard]:
    """Return a card for each module; hidden and supporting ones only with `everything`."""
    if not memory.map.is_ready:
        return []
    memories = memory.store.memories.count_by_module()
    sessions = observations.count_module_sessions(memory.store.database)
    return [
        ModuleCard(
            module,
            names := list_names(module),
            CoverageState(module.confidence),
            memories.get(module.name, 0)
            if len(names) == 1
            else count_selected(memory.store.database, Filter(modules=names)),
            sum(sessions.get(name, 0) for name in names),
        )
        for module in memory.map.modules()
        if everything or not (module.hidden or module.support)
    ]


def list_names(module: Module) -> tuple[str, ...]:
    """Return the names under which memories and sessions may know a module: its own, and those that it replaced."""
    return tuple(dict.fromkeys((module.name, module.key, *(key for _, key in module.moved))))


def build_graph(memory: Holloway, cards: Sequence[ModuleCard], opened: str = "") -> ModuleGraph:
    """Return the graph of these modules; the files of the opened one stand in its place."""
    shown = sorted(cards, key=lambda card: (card.module.name != opened, -len(card.module.files), card.module.name))
    files = [path for card in shown[:1] if card.module.name == opened for path in card.module.files if is_path(path)]
    others = [card for card in shown if card.module.name != opened]
    state = shown[0].state if shown else CoverageState.UNKNOWN
    all_nodes = [MapNode(path, state, is_file=True) for path in files]
    all_nodes += [MapNode(card.module.name, card.state, len(card.module.files)) for card in others]
    nodes, files = all_nodes[:MAP_NODES_MAX], files[:MAP_NODES_MAX]
    weights = _weigh_module_links(card.module for card in others)
    if files:
        module_of = {path: card.module.name for card in others for path in card.module.files}
        weights = _add_file_links(memory, files, module_of, weights)
    return ModuleGraph(tuple(nodes), tuple(_select_links(nodes, weights)), len(all_nodes) - len(nodes))


Weights = dict[LinkKind, dict[tuple[str, str], float]]


def _weigh_module_links(modules: Iterable[Module]) -> Weights:
    """Return the weight of each link between two modules, by kind."""
    weights: Weights = {kind: {} for kind in LinkKind}
    for module in modules:
        weights[LinkKind.IMPORTS] |= {(module.name, other): weight for other, weight in module.uses}
        for other, weight in module.related:
            low, high = sorted((module.name, other))
            weights[LinkKind.COCHANGE][low, high] = weight
    return weights


def _add_file_links(memory: Holloway, files: Sequence[str], module_of: Mapping[str, str], weights: Weights) -> Weights:
    """Return the weights with the links of files: to each other, and by imports to the other modules."""
    imports, together = dict(weights[LinkKind.IMPORTS]), dict(weights[LinkKind.COCHANGE])
    names = {path: path for path in files} | dict(module_of)
    for (source, target), weight in queries.weigh_imports(memory.map.database, files).items():
        if source in names and target in names:
            pair = names[source], names[target]
            imports[pair] = imports.get(pair, 0.0) + weight
    for pair, commits in queries.count_shared_commits(memory.map.database, files).items():
        if commits >= COCHANGE_COMMITS_MIN:
            together[pair] = float(commits)
    return {LinkKind.IMPORTS: imports, LinkKind.COCHANGE: together}


def _select_links(nodes: Sequence[MapNode], weights: Weights) -> list[MapLink]:
    """Return the strongest links of each kind between nodes; a pair that imports is not linked by co-change too."""
    positions = {node.name: position for position, node in enumerate(nodes)}
    linked: set[frozenset[int]] = set()
    links: list[MapLink] = []
    for kind in LinkKind:
        ranked = sorted(weights[kind].items(), key=lambda item: (-item[1], item[0]))
        selected: list[MapLink] = []
        for (source, target), weight in ranked:
            if source == target or source not in positions or target not in positions:
                continue
            link = MapLink(positions[source], positions[target], kind, weight)
            if frozenset((link.source, link.target)) not in linked:
                linked.add(frozenset((link.source, link.target)))
                selected.append(link)
        links += selected[: LINKS_PER_NODE * len(nodes)]
    return links
