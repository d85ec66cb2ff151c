"""Modules that stay themselves: a new drawing of the map is fitted to the one that people know.

A file that had a module keeps it. A new file joins the module of its neighbours; new files that are a part of their own
become a new module. Only a codebase that is largely new, or a module that grew far too large, is drawn again, and even
then the names go with the files.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from holloway.codemap.modules.partition import Part

REDRAWN_SHARE = 0.3
"""With a larger share of new files, the old drawing is no longer a map of this code."""
NEW_PART_SHARE = 0.6
"""A part with this share of new files is a new module, not a module that grew."""
GROWN_SHARE = 2.0
"""A module this many times larger than what would be split is drawn again."""
SAME_OVERLAP_MIN = 0.5
"""The share of either's files that two modules have in common when they are the same one."""


@dataclass(frozen=True, slots=True)
class Drawn:
    """A part and the name that it had before; an empty one for a new part."""

    key: str
    part: Part


def continued(
    parts: Sequence[Part], owners: Mapping[str, str], sizes: Mapping[str, float], large: float
) -> list[Drawn]:
    """The parts as the modules that they were. `owners` are the names of the modules that files had before."""
    fresh = [path for part in parts for path in part.files]
    new = {path for path in fresh if path not in owners}
    if not fresh or len(new) > REDRAWN_SHARE * len(fresh):
        return _matched(parts, owners)
    grouped: dict[str, list[str]] = defaultdict(list)
    added: list[Drawn] = []
    for path, key in owners.items():
        if path in sizes:
            grouped[key].append(path)
    for part in parts:
        newcomers = [path for path in part.files if path in new]
        if len(newcomers) >= NEW_PART_SHARE * len(part.files):
            added.append(Drawn("", Part(part.folder, tuple(newcomers), part.split)))
            continue
        beside, around = _votes(part, owners)
        for path in newcomers:
            grouped[_most(beside.get(_folder(path)) or around)].append(path)
    return [*_redrawn(grouped, parts, sizes, large), *added]


def _votes(part: Part, owners: Mapping[str, str]) -> tuple[dict[str, Counter[str]], Counter[str]]:
    """The modules of a part's known files, folder by folder and in all."""
    beside: dict[str, Counter[str]] = defaultdict(Counter)
    for path in part.files:
        if path in owners:
            beside[_folder(path)][owners[path]] += 1
    return beside, sum(beside.values(), Counter())


def _most(votes: Counter[str]) -> str:
    return min(votes, key=lambda key: (-votes[key], key))


def _folder(path: str) -> str:
    return path.rpartition("/")[0]


def _redrawn(
    grouped: Mapping[str, Sequence[str]], parts: Sequence[Part], sizes: Mapping[str, float], large: float
) -> list[Drawn]:
    """The modules as they are; one that grew far too large falls apart into what it would be today."""
    place = {path: at for at, part in enumerate(parts) for path in part.files}
    drawn: list[Drawn] = []
    for key, files in grouped.items():
        pieces: dict[int, list[str]] = defaultdict(list)
        if sum(sizes[path] for path in files) > GROWN_SHARE * large:
            for path in files:
                pieces[place.get(path, -1)].append(path)
        ordered = sorted(pieces.items(), key=lambda piece: (-len(piece[1]), piece[1][0])) or [(-1, list(files))]
        for nth, (at, piece) in enumerate(ordered):
            kept = tuple(sorted(piece))
            part = Part(_folder_of(kept, parts, place), kept, at >= 0 and parts[at].split)
            drawn.append(Drawn("" if nth else key, part))
    return drawn


def _folder_of(files: Sequence[str], parts: Sequence[Part], place: Mapping[str, int]) -> str:
    """The folder of the part that most of the files are in today."""
    votes = Counter(parts[place[path]].folder for path in files if path in place)
    if not votes:
        return _folder(files[0])
    return _most(votes)


def _matched(parts: Sequence[Part], owners: Mapping[str, str]) -> list[Drawn]:
    """The new parts, each with the name of the old module that it shares the most with, if they share enough."""
    size_before = Counter(owners.values())
    overlaps: list[tuple[float, int, str]] = []
    for at, part in enumerate(parts):
        for key, shared in Counter(owners[path] for path in part.files if path in owners).items():
            overlap = max(shared / len(part.files), shared / size_before[key])
            if overlap >= SAME_OVERLAP_MIN:
                overlaps.append((shared / (len(part.files) + size_before[key] - shared), at, key))
    name_of: dict[int, str] = {}
    for _, at, key in sorted(overlaps, key=lambda row: (-row[0], row[1], row[2])):
        if at not in name_of and key not in name_of.values():
            name_of[at] = key
    return [Drawn(name_of.get(at, ""), part) for at, part in enumerate(parts)]
