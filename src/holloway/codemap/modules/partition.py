"""Where one part of a codebase ends and the next begins: folders first, and the graph where folders say too little.

Developers draw their architecture in folders, so a folder is the first answer. It is split into its subfolders while
it holds too much of the code; subfolders that are too small stay with their parent; a large flat folder is split along
the communities of its import and co-change graph, if it has any. A package of a monorepo is always a part of its own.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from heapq import heapify, heappop, heappush
from itertools import takewhile

from holloway.codemap.modules.community_detection import communities, modularity
from holloway.codemap.modules.file_affinity import WORD_WEIGHT, by_name

PARTS_FACTOR = 1.8
PARTS_EXPONENT = 0.33
PARTS_MAX = 60
"""A codebase of size s has about 1.8 s^0.33 parts: 7 of size 50, 10 of 200, 19 of 1,200, 40 of 12,000."""
LARGE_SHARE = 2.5
"""A folder is split when it is this many times as large as the average part would be."""
LARGE_MIN = 12.0
FLAT_SHARE = 1.25
"""A folder without subfolders of a size was meant as one: it must be larger than others by this to be split."""
PIECES_SHARE = 2.5
"""The pieces of a flat folder are on average not smaller than a large folder divided by this."""
SMALL_MIN = 2.0
SMALL_ROOTED = 0.2
SMALL_INSIDE = 2.5
"""A folder of a size under 0.2 √s is no part of its own; inside another part, 2.5 times that."""
GROUP_FILES_MIN = 3
"""Right below the package, half that size will do for so many files."""
RESOLUTION = 1.3
MODULARITY_MIN = 0.2
MODULARITY_AT_TOP_MIN = 0.04
"""Communities that are hardly denser than chance are no reason to split a folder, unless it holds nearly everything."""
LINES_PER_SIZE = 100
LINES_COUNTED_MIN = 30
LINES_COUNTED_MAX = 400
TOP_SHARE = 0.6
"""A folder with this share of all code is the package that the others are parts of."""
TREE_DEPTH_MAX = 60

Ties = Mapping[str, Mapping[str, float]]


def size_of(lines: int) -> float:
    """How much a file weighs. A hundred tables of translations are not a hundred files, nor is one huge file all."""
    return min(max(lines, LINES_COUNTED_MIN), LINES_COUNTED_MAX) / LINES_PER_SIZE


@dataclass(frozen=True, slots=True)
class Part:
    """Files that belong together, and the folder that they were found in. A split one shares its folder with others."""

    folder: str
    files: tuple[str, ...]
    split: bool = False


@dataclass(slots=True)
class _Folder:
    path: str
    own: list[str] = field(default_factory=list)
    inner: dict[str, _Folder] = field(default_factory=dict)
    size: float = 0.0
    count: int = 0

    def is_group(self, least: float) -> bool:
        """Whether it is small and still several files that somebody put together."""
        return self.count >= GROUP_FILES_MIN and self.size >= least / 2

    def files(self) -> list[str]:
        found: list[str] = []
        waiting = [self]
        while waiting:
            folder = waiting.pop()
            found += folder.own
            waiting += folder.inner.values()
        return sorted(found)


@dataclass(frozen=True, slots=True)
class Bounds:
    """From which size on a part is too large, and below which too small."""

    large: float
    small: float
    small_at_top: float

    @classmethod
    def of(cls, total: float) -> Bounds:
        """The bounds for a codebase of this size."""
        parts = min(PARTS_FACTOR * max(total, 1.0) ** PARTS_EXPONENT, PARTS_MAX)
        return cls(
            large=max(LARGE_MIN, LARGE_SHARE * total / parts),
            small=SMALL_INSIDE * max(SMALL_MIN, SMALL_ROOTED * total**0.5),
            small_at_top=max(SMALL_MIN, SMALL_ROOTED * total**0.5),
        )


def partition(
    sizes: Mapping[str, float], packages: frozenset[str], links: Mapping[tuple[str, str], float]
) -> list[Part]:
    """The parts of these files. `packages` are folders with a manifest of their own, `links` an undirected graph."""
    if not sizes:
        return []
    total = sum(sizes.values())
    bounds = Bounds.of(total)
    ties = _neighbours(links)
    kept_apart = _with_parents(packages)
    parts: list[Part] = []
    left_over: list[Part] = []
    waiting = [_tree(sizes)]
    while waiting:
        folder = _descended(waiting.pop())
        if folder.size <= bounds.large and not any(inner.path in kept_apart for inner in folder.inner.values()):
            parts.append(Part(folder.path, tuple(folder.files())))
            continue
        is_top = folder.size >= TOP_SHARE * total
        least = (bounds.small_at_top if is_top else bounds.small) if folder.path else SMALL_MIN
        apart = {
            name
            for name, inner in folder.inner.items()
            if inner.size >= least or inner.path in kept_apart or (is_top and inner.is_group(least))
        }
        waiting += [folder.inner[name] for name in sorted(apart)]
        left = [inner for name, inner in sorted(folder.inner.items()) if name not in apart]
        found = _rest(folder, left, sizes, bounds, ties, MODULARITY_AT_TOP_MIN if is_top else MODULARITY_MIN)
        parts += [part for part in found if _size(part, sizes) >= (SMALL_MIN if is_top else bounds.small_at_top)]
        left_over += [part for part in found if part not in parts]
    return _settled(parts, left_over, packages, sizes, ties)


def _neighbours(links: Mapping[tuple[str, str], float]) -> Ties:
    ties: dict[str, dict[str, float]] = defaultdict(dict)
    for (one, other), weight in links.items():
        ties[one][other] = ties[other][one] = weight
    return ties


def _with_parents(folders: frozenset[str]) -> frozenset[str]:
    found = set(folders)
    for folder in folders:
        while (folder := folder.rpartition("/")[0]) and folder not in found:
            found.add(folder)
    return frozenset(found)


def _tree(sizes: Mapping[str, float]) -> _Folder:
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
        folder.own.append(path)
    return root


def _descended(folder: _Folder) -> _Folder:
    """Down through folders that hold nothing but another folder."""
    while not folder.own and len(folder.inner) == 1:
        (folder,) = folder.inner.values()
    return folder


def _rest(
    folder: _Folder, left: Sequence[_Folder], sizes: Mapping[str, float], bounds: Bounds, ties: Ties, least: float
) -> list[Part]:
    """What has no folder of a size for itself: one part, or the communities of its graph where there are any.

    Small subfolders are not torn apart: one moves as a whole.
    """
    atom_of = {path: path for path in folder.own} | {path: inner.path for inner in left for path in inner.files()}
    if not atom_of:
        return []
    whole = Part(folder.path, tuple(sorted(atom_of)))
    size = sum(sizes[path] for path in atom_of)
    if size <= FLAT_SHARE * bounds.large:
        return [whole]
    between = _between(atom_of, ties)
    atom_sizes: dict[str, float] = defaultdict(float)
    for path, atom in atom_of.items():
        atom_sizes[atom] += sizes[path]
    most = round(PIECES_SHARE * size / bounds.large)
    groups = _joined(
        communities(sorted(atom_sizes), between, RESOLUTION), atom_sizes, bounds.small_at_top, most, between
    )
    if len(groups) < 2 or modularity(groups, between) < least:
        return [whole]
    place = {atom: at for at, group in enumerate(groups) for atom in group}
    found: list[list[str]] = [[] for _ in groups]
    for path in whole.files:
        found[place[atom_of[path]]].append(path)
    return [Part(folder.path, tuple(files), split=True) for files in found]


def _between(atom_of: Mapping[str, str], ties: Ties) -> dict[tuple[str, str], float]:
    """The graph of the atoms: what ties their files, and a little for a word that their names share."""
    between: dict[tuple[str, str], float] = defaultdict(float)
    for path, atom in atom_of.items():
        for other, weight in ties.get(path, {}).items():
            if path < other and (its_atom := atom_of.get(other)) and its_atom != atom:
                between[min(atom, its_atom), max(atom, its_atom)] += weight
    named = by_name(sorted(set(atom_of.values())))
    scale = WORD_WEIGHT * sum(between.values()) / len(between) if between else 1.0
    for pair, weight in named.items():
        between[pair] += scale * weight
    return dict(between)


def _joined(
    groups: Sequence[Sequence[str]],
    sizes: Mapping[str, float],
    small: float,
    most: int,
    between: Mapping[tuple[str, str], float],
) -> list[list[str]]:
    """The groups; the smallest are added to the one that they are tied to most, until all are of a size and few."""
    group_of = {atom: at for at, group in enumerate(groups) for atom in group}
    size = [sum(sizes[atom] for atom in group) for group in groups]
    largest = max(range(len(groups)), key=lambda at: (size[at], -at))
    tied: dict[int, dict[int, float]] = defaultdict(lambda: defaultdict(float))
    for (one, other), weight in between.items():
        here, there = group_of[one], group_of[other]
        if here != there:
            tied[here][there] += weight
            tied[there][here] += weight
    joined = {at: list(group) for at, group in enumerate(groups)}
    waiting = [(size[at], at) for at in joined]
    heapify(waiting)
    while len(joined) > 1:
        its_size, at = heappop(waiting)
        if at not in joined or its_size != size[at]:
            continue
        if its_size >= small and len(joined) <= most:
            break
        near = [other for other in tied[at] if other in joined] or [largest]
        into = max(near, key=lambda other: (tied[at].get(other, 0.0), size[other], -other))
        into = into if into != at else next(other for other in joined if other != at)
        joined[into] += joined.pop(at)
        size[into] += its_size
        heappush(waiting, (size[into], into))
        largest = max(largest, into, key=lambda other: size[other] if other in joined else -1.0)
        for third, weight in tied.pop(at).items():
            if third in joined and third != into:
                tied[into][third] += weight
                tied[third][into] += weight
    return [sorted(group) for group in joined.values()]


def _settled(
    parts: Sequence[Part],
    left_over: Sequence[Part],
    packages: frozenset[str],
    sizes: Mapping[str, float],
    ties: Ties,
) -> list[Part]:
    """All parts. What little was left over beside larger ones goes to the one in reach that it is tied to most.

    Files at the root that nothing ties to the code are in no part.
    """
    kept = dict(enumerate(parts))
    size = {at: _size(part, sizes) for at, part in kept.items()}
    for part in sorted(left_over, key=lambda part: (-_size(part, sizes), part.folder)):
        into = _best_tied(part, kept, packages, size, ties)
        if into is not None:
            kept[into] = replace(kept[into], files=tuple(sorted(kept[into].files + part.files)))
        elif part.folder or not kept:
            at = len(kept)
            kept[at], size[at] = part, _size(part, sizes)
    return sorted(kept.values(), key=lambda part: (-len(part.files), part.folder, part.files))


def _size(part: Part, sizes: Mapping[str, float]) -> float:
    return sum(sizes[path] for path in part.files)


def _best_tied(
    part: Part, others: Mapping[int, Part], packages: frozenset[str], size: Mapping[int, float], ties: Ties
) -> int | None:
    """The part of the same package that is tied most to this one, the nearest folder and the largest where none is."""
    scope = package_of(part.folder, packages)
    near = {at: other for at, other in others.items() if package_of(other.folder, packages) == scope}
    owner = {path: at for at, other in near.items() for path in other.files}
    tied: dict[int, float] = defaultdict(float)
    for path in part.files:
        for other, weight in ties.get(path, {}).items():
            if other in owner:
                tied[owner[other]] += weight
    if not near or (not part.folder and not tied):
        return None
    return max(near, key=lambda at: (tied[at], _shared(part.folder, near[at].folder), size[at], -at))


def package_of(folder: str, packages: frozenset[str]) -> str:
    """The innermost package that a folder lies in; empty for the project itself."""
    while folder and folder not in packages:
        folder = folder.rpartition("/")[0]
    return folder


def _shared(one: str, other: str) -> int:
    """How many folders two paths have in common from the root."""
    pairs = zip(one.split("/"), other.split("/"), strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
