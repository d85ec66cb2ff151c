"""Partitions a codebase into modules: by folders first, and by graph communities where folders are too coarse.

Developers express their architecture in folders, so a folder is the first choice. It is split into its subfolders while
it holds too much of the code; subfolders that are too small stay with their parent; a large flat folder is split along
the communities of its import and co-change graph, if it has any. A package of a monorepo is always a separate part.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from heapq import heapify, heappop, heappush
from itertools import takewhile

from holloway.codemap.modules.community_detection import (
    WORD_WEIGHT,
    compute_modularity,
    detect_communities,
    link_by_name,
)

PARTS_FACTOR = 1.8
PARTS_EXPONENT = 0.33
PARTS_MAX = 60
"""A codebase of size s has about 1.8 s^0.33 parts: 7 of size 50, 10 of 200, 19 of 1,200, 40 of 12,000."""
LARGE_SHARE = 2.5
"""A folder is split if it is this many times larger than the average part."""
LARGE_MIN = 12.0
FLAT_SHARE = 1.25
"""A folder without sizeable subfolders is meant as a unit: it must exceed the limit by this factor to be split."""
PIECES_SHARE = 2.5
"""The groups of a flat folder are on average not smaller than the size limit divided by this."""
SMALL_MIN = 2.0
SMALL_ROOTED = 0.2
SMALL_INSIDE = 2.5
"""A folder smaller than 0.2 √s is no separate part; inside another part, 2.5 times that."""
GROUP_FILES_MIN = 3
"""Directly below the package, half that size suffices for a folder with this many files."""
RESOLUTION = 1.3
MODULARITY_MIN = 0.2
MODULARITY_AT_TOP_MIN = 0.04
"""Communities that are hardly denser than chance do not split a folder, unless it holds nearly everything."""
LINES_PER_SIZE = 100
SIZE_LINES_MIN = 30
SIZE_LINES_MAX = 400
TOP_SHARE = 0.6
"""A folder with this share of all code is the package that the other parts belong to."""
TREE_DEPTH_MAX = 60

Ties = Mapping[str, Mapping[str, float]]


def size_of(lines: int) -> float:
    """Return the weight of a file by its lines, bounded: long tables and huge files must not dominate."""
    return min(max(lines, SIZE_LINES_MIN), SIZE_LINES_MAX) / LINES_PER_SIZE


@dataclass(frozen=True, slots=True)
class FilePart:
    """Files that belong together, and their folder. A split part shares its folder with others."""

    folder: str
    files: tuple[str, ...]
    split: bool = False


@dataclass(slots=True)
class _Folder:
    path: str
    direct_files: list[str] = field(default_factory=list)
    inner: dict[str, _Folder] = field(default_factory=dict)
    size: float = 0.0
    count: int = 0

    def is_group(self, size_min: float) -> bool:
        """Whether it is small but contains several files that somebody grouped."""
        return self.count >= GROUP_FILES_MIN and self.size >= size_min / 2

    def all_files(self) -> list[str]:
        paths: list[str] = []
        waiting = [self]
        while waiting:
            folder = waiting.pop()
            paths += folder.direct_files
            waiting += folder.inner.values()
        return sorted(paths)


@dataclass(frozen=True, slots=True)
class SizeBounds:
    """Sizes above which a part is too large, and below which it is too small."""

    large: float
    small: float
    small_at_top: float

    @classmethod
    def for_total(cls, total: float) -> SizeBounds:
        """Return the bounds for a codebase of this size."""
        parts = min(PARTS_FACTOR * max(total, 1.0) ** PARTS_EXPONENT, PARTS_MAX)
        return cls(
            large=max(LARGE_MIN, LARGE_SHARE * total / parts),
            small=SMALL_INSIDE * max(SMALL_MIN, SMALL_ROOTED * total**0.5),
            small_at_top=max(SMALL_MIN, SMALL_ROOTED * total**0.5),
        )


def partition_files(
    sizes: Mapping[str, float], packages: frozenset[str], links: Mapping[tuple[str, str], float]
) -> list[FilePart]:
    """Partition these files. `packages` are folders with a manifest, `links` is an undirected graph."""
    if not sizes:
        return []
    total = sum(sizes.values())
    bounds = SizeBounds.for_total(total)
    ties = _build_adjacency(links)
    package_folders = _include_parents(packages)
    parts: list[FilePart] = []
    left_over: list[FilePart] = []
    waiting = [_build_tree(sizes)]
    while waiting:
        folder = _skip_single_folders(waiting.pop())
        if folder.size <= bounds.large and not any(inner.path in package_folders for inner in folder.inner.values()):
            parts.append(FilePart(folder.path, tuple(folder.all_files())))
            continue
        is_top = folder.size >= TOP_SHARE * total
        size_min = (bounds.small_at_top if is_top else bounds.small) if folder.path else SMALL_MIN
        separate = {
            name
            for name, inner in folder.inner.items()
            if inner.size >= size_min or inner.path in package_folders or (is_top and inner.is_group(size_min))
        }
        waiting += [folder.inner[name] for name in sorted(separate)]
        small_folders = [inner for name, inner in sorted(folder.inner.items()) if name not in separate]
        rest_parts = _split_flat_folder(
            folder, small_folders, sizes, bounds, ties, MODULARITY_AT_TOP_MIN if is_top else MODULARITY_MIN
        )
        parts += [
            part for part in rest_parts if _part_size(part, sizes) >= (SMALL_MIN if is_top else bounds.small_at_top)
        ]
        left_over += [part for part in rest_parts if part not in parts]
    return _merge_leftovers(parts, left_over, packages, sizes, ties)


def _build_adjacency(links: Mapping[tuple[str, str], float]) -> Ties:
    ties: dict[str, dict[str, float]] = defaultdict(dict)
    for (source, target), weight in links.items():
        ties[source][target] = ties[target][source] = weight
    return ties


def _include_parents(folders: frozenset[str]) -> frozenset[str]:
    all_folders = set(folders)
    for folder in folders:
        while (folder := folder.rpartition("/")[0]) and folder not in all_folders:
            all_folders.add(folder)
    return frozenset(all_folders)


def _build_tree(sizes: Mapping[str, float]) -> _Folder:
    root = _Folder("")
    for path, size in sorted(sizes.items()):
        folder = root
        folder.size += size
        folder.count += 1
        for name in path.split("/")[:-1][:TREE_DEPTH_MAX]:
            inner_path = f"{folder.path}/{name}".lstrip("/")
            folder = folder.inner.setdefault(name, _Folder(inner_path))
            folder.size += size
            folder.count += 1
        folder.direct_files.append(path)
    return root


def _skip_single_folders(folder: _Folder) -> _Folder:
    """Descend through folders that contain nothing but another folder."""
    while not folder.direct_files and len(folder.inner) == 1:
        (folder,) = folder.inner.values()
    return folder


def _split_flat_folder(
    folder: _Folder,
    left: Sequence[_Folder],
    sizes: Mapping[str, float],
    bounds: SizeBounds,
    ties: Ties,
    modularity_min: float,
) -> list[FilePart]:
    """Return files without a sizeable folder as one part, or split by the communities of their graph if there are any.

    Small subfolders are not split: each moves as a unit.
    """
    atom_of = {path: path for path in folder.direct_files} | {
        path: inner.path for inner in left for path in inner.all_files()
    }
    if not atom_of:
        return []
    single_part = FilePart(folder.path, tuple(sorted(atom_of)))
    size = sum(sizes[path] for path in atom_of)
    if size <= FLAT_SHARE * bounds.large:
        return [single_part]
    between = _link_atoms(atom_of, ties)
    atom_sizes: dict[str, float] = defaultdict(float)
    for path, atom in atom_of.items():
        atom_sizes[atom] += sizes[path]
    groups_max = round(PIECES_SHARE * size / bounds.large)
    groups = _merge_small_groups(
        detect_communities(sorted(atom_sizes), between, RESOLUTION),
        atom_sizes,
        bounds.small_at_top,
        groups_max,
        between,
    )
    if len(groups) < 2 or compute_modularity(groups, between) < modularity_min:
        return [single_part]
    group_of = {atom: index for index, group in enumerate(groups) for atom in group}
    files_by_group: list[list[str]] = [[] for _ in groups]
    for path in single_part.files:
        files_by_group[group_of[atom_of[path]]].append(path)
    return [FilePart(folder.path, tuple(files), split=True) for files in files_by_group]


def _link_atoms(atom_of: Mapping[str, str], ties: Ties) -> dict[tuple[str, str], float]:
    """Return the graph of the units: links between their files, and a little for shared words in their names."""
    between: dict[tuple[str, str], float] = defaultdict(float)
    for path, atom in atom_of.items():
        for other, weight in ties.get(path, {}).items():
            if path < other and (other_atom := atom_of.get(other)) and other_atom != atom:
                between[min(atom, other_atom), max(atom, other_atom)] += weight
    name_links = link_by_name(sorted(set(atom_of.values())))
    scale = WORD_WEIGHT * sum(between.values()) / len(between) if between else 1.0
    for pair, weight in name_links.items():
        between[pair] += scale * weight
    return dict(between)


def _merge_small_groups(
    groups: Sequence[Sequence[str]],
    sizes: Mapping[str, float],
    small: float,
    groups_max: int,
    links: Mapping[tuple[str, str], float],
) -> list[list[str]]:
    """Merge the smallest groups into their closest neighbours, until all are large enough and few enough."""
    group_of = {atom: index for index, group in enumerate(groups) for atom in group}
    size = [sum(sizes[atom] for atom in group) for group in groups]
    largest = max(range(len(groups)), key=lambda index: (size[index], -index))
    weights: dict[int, dict[int, float]] = defaultdict(lambda: defaultdict(float))
    for (source, other), weight in links.items():
        source_group, target_group = group_of[source], group_of[other]
        if source_group != target_group:
            weights[source_group][target_group] += weight
            weights[target_group][source_group] += weight
    joined = {index: list(group) for index, group in enumerate(groups)}
    waiting = [(size[index], index) for index in joined]
    heapify(waiting)
    while len(joined) > 1:
        group_size, index = heappop(waiting)
        if index not in joined or group_size != size[index]:
            continue
        if group_size >= small and len(joined) <= groups_max:
            break
        neighbours = [other for other in weights[index] if other in joined] or [largest]
        target_index = max(
            neighbours, key=lambda neighbour: (weights[index].get(neighbour, 0.0), size[neighbour], -neighbour)
        )
        target_index = target_index if target_index != index else next(other for other in joined if other != index)
        joined[target_index] += joined.pop(index)
        size[target_index] += group_size
        heappush(waiting, (size[target_index], target_index))
        largest = max(largest, target_index, key=lambda other: size[other] if other in joined else -1.0)
        for third, weight in weights.pop(index).items():
            if third in joined and third != target_index:
                weights[target_index][third] += weight
                weights[third][target_index] += weight
    return [sorted(group) for group in joined.values()]


def _merge_leftovers(
    parts: Sequence[FilePart],
    left_over: Sequence[FilePart],
    packages: frozenset[str],
    sizes: Mapping[str, float],
    ties: Ties,
) -> list[FilePart]:
    """Return all parts; small leftovers are merged into the reachable part they are connected to most.

    Files at the root that nothing links to the code are in no part.
    """
    parts_by_index = dict(enumerate(parts))
    size = {index: _part_size(part, sizes) for index, part in parts_by_index.items()}
    for part in sorted(left_over, key=lambda part: (-_part_size(part, sizes), part.folder)):
        target_index = _find_closest_part(part, parts_by_index, packages, size, ties)
        if target_index is not None:
            parts_by_index[target_index] = replace(
                parts_by_index[target_index], files=tuple(sorted(parts_by_index[target_index].files + part.files))
            )
        elif part.folder or not parts_by_index:
            index = len(parts_by_index)
            parts_by_index[index], size[index] = part, _part_size(part, sizes)
    return sorted(parts_by_index.values(), key=lambda part: (-len(part.files), part.folder, part.files))


def _part_size(part: FilePart, sizes: Mapping[str, float]) -> float:
    return sum(sizes[path] for path in part.files)


def _find_closest_part(
    part: FilePart,
    parts_by_index: Mapping[int, FilePart],
    packages: frozenset[str],
    size: Mapping[int, float],
    ties: Ties,
) -> int | None:
    """Return the part of the same package that is connected most to this one; ties go to near and large parts."""
    scope = find_package(part.folder, packages)
    candidates = {
        index: other for index, other in parts_by_index.items() if find_package(other.folder, packages) == scope
    }
    owner = {path: index for index, other in candidates.items() for path in other.files}
    weights: dict[int, float] = defaultdict(float)
    for path in part.files:
        for other, weight in ties.get(path, {}).items():
            if other in owner:
                weights[owner[other]] += weight
    if not candidates or (not part.folder and not weights):
        return None
    return max(
        candidates,
        key=lambda index: (
            weights[index],
            _count_shared_folders(part.folder, candidates[index].folder),
            size[index],
            -index,
        ),
    )


def find_package(folder: str, packages: frozenset[str]) -> str:
    """Return the innermost package that contains a folder; empty for the project itself."""
    while folder and folder not in packages:
        folder = folder.rpartition("/")[0]
    return folder


def _count_shared_folders(path: str, other_path: str) -> int:
    """Return how many leading folders two paths have in common."""
    pairs = zip(path.split("/"), other_path.split("/"), strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
