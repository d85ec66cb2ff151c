"""The modules as a person looks at them: a card for each, and the graph of modules with one of them opened."""

from __future__ import annotations

from collections import Counter
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
"""A link of each kind is drawn if it is among that number of strongest links of a node that it joins."""
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
    """Return the graph of these modules, or of the files of the opened one with the modules linked to them."""
    card = next((card for card in cards if card.module.name == opened), None)
    if card is None:
        ordered = sorted(cards, key=lambda card: (-len(card.module.files), card.module.name))
        nodes = [MapNode(card.module.name, card.state, len(card.module.files)) for card in ordered]
        return _limit_graph(nodes, _weigh_module_links(card.module for card in cards))
    other_cards = [other for other in cards if other is not card]
    files = [path for path in card.module.files if is_path(path)]
    weights = _weigh_file_links(
        memory, files, {path: other.module.name for other in other_cards for path in other.module.files}
    )
    linked = {name for pairs in weights.values() for pair in pairs for name in pair}
    nodes = [MapNode(path, card.state, is_file=True) for path in files]
    nodes += [
        MapNode(other.module.name, other.state, len(other.module.files))
        for other in other_cards
        if other.module.name in linked
    ]
    return _limit_graph(nodes, weights)


def _limit_graph(nodes: Sequence[MapNode], weights: Weights) -> ModuleGraph:
    """Return the graph of the first nodes, with the strongest links between them."""
    drawn = nodes[:MAP_NODES_MAX]
    return ModuleGraph(tuple(drawn), tuple(_select_links(drawn, weights)), len(nodes) - len(drawn))


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


def _weigh_file_links(memory: Holloway, files: Sequence[str], module_of: Mapping[str, str]) -> Weights:
    """Return the weights of the links of files: to each other, and by imports to the other modules."""
    weights: Weights = {kind: {} for kind in LinkKind}
    names = {path: path for path in files} | dict(module_of)
    paths = set(files)
    imports = weights[LinkKind.IMPORTS]
    for (source, target), weight in queries.weigh_imports(memory.map.database, files).items():
        if source in names and target in names and not paths.isdisjoint((source, target)):
            pair = names[source], names[target]
            imports[pair] = imports.get(pair, 0.0) + weight
    shared = queries.count_shared_commits(memory.map.database, files)
    weights[LinkKind.COCHANGE] = {
        pair: float(commits) for pair, commits in shared.items() if commits >= COCHANGE_COMMITS_MIN
    }
    return weights


def _select_links(nodes: Sequence[MapNode], weights: Weights) -> list[MapLink]:
    """Return the strongest links of each node; a pair that imports is not linked by co-change too."""
    positions = {node.name: position for position, node in enumerate(nodes)}
    joined: set[frozenset[int]] = set()
    links: list[MapLink] = []
    for kind in LinkKind:
        count: Counter[int] = Counter()
        for (source, target), weight in sorted(weights[kind].items(), key=lambda item: (-item[1], item[0])):
            if source == target or source not in positions or target not in positions:
                continue
            ends = frozenset((positions[source], positions[target]))
            if ends not in joined and any(count[end] < LINKS_PER_NODE for end in ends):
                joined.add(ends)
                count.update(ends)
                links.append(MapLink(positions[source], positions[target], kind, weight))
    return links
