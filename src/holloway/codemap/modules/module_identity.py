"""Keeps modules stable between index runs: matches a new partition with the modules that people already know.

A file that had a module keeps it. A new file joins the module of its neighbours; new files that form a separate part
become a new module. Only a codebase that is largely new, or a module that grew far too large, is partitioned again, and
even then names follow the files.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from holloway.codemap.modules.partition import Part

REDRAWN_SHARE = 0.3
"""Above this share of new files, the previous modules no longer describe the code."""
NEW_PART_SHARE = 0.6
"""A part with this share of new files is a new module, not a module that grew."""
GROWN_SHARE = 2.0
"""A module that exceeds the size limit by this factor is split again."""
SAME_OVERLAP_MIN = 0.5
"""Minimum overlap, as a share of either's files, at which two modules count as the same."""


@dataclass(frozen=True, slots=True)
class Drawn:
    """A part with the key of its previous module; the key of a new part is empty."""

    key: str
    part: Part


def continued(
    parts: Sequence[Part], owners: Mapping[str, str], sizes: Mapping[str, float], large: float
) -> list[Drawn]:
    """Match the parts with previous modules. `owners` maps files to the keys of their previous modules."""
    all_paths = [path for part in parts for path in part.files]
    new_paths = {path for path in all_paths if path not in owners}
    if not all_paths or len(new_paths) > REDRAWN_SHARE * len(all_paths):
        return _matched(parts, owners)
    grouped: dict[str, list[str]] = defaultdict(list)
    added: list[Drawn] = []
    for path, key in owners.items():
        if path in sizes:
            grouped[key].append(path)
    for part in parts:
        newcomers = [path for path in part.files if path in new_paths]
        if len(newcomers) >= NEW_PART_SHARE * len(part.files):
            added.append(Drawn("", Part(part.folder, tuple(newcomers), part.split)))
            continue
        votes_by_folder, part_votes = _votes(part, owners)
        for path in newcomers:
            grouped[_most(votes_by_folder.get(_folder(path)) or part_votes)].append(path)
    return [*_redrawn(grouped, parts, sizes, large), *added]


def _votes(part: Part, owners: Mapping[str, str]) -> tuple[dict[str, Counter[str]], Counter[str]]:
    """Count the previous modules of a part's files, by folder and in total."""
    votes_by_folder: dict[str, Counter[str]] = defaultdict(Counter)
    for path in part.files:
        if path in owners:
            votes_by_folder[_folder(path)][owners[path]] += 1
    return votes_by_folder, sum(votes_by_folder.values(), Counter())


def _most(votes: Counter[str]) -> str:
    return min(votes, key=lambda key: (-votes[key], key))


def _folder(path: str) -> str:
    return path.rpartition("/")[0]


def _redrawn(
    grouped: Mapping[str, Sequence[str]], parts: Sequence[Part], sizes: Mapping[str, float], large: float
) -> list[Drawn]:
    """Return the modules unchanged, except that one that grew far too large is split by the new partition."""
    part_of = {path: index for index, part in enumerate(parts) for path in part.files}
    drawn: list[Drawn] = []
    for key, files in grouped.items():
        groups: dict[int, list[str]] = defaultdict(list)
        if sum(sizes[path] for path in files) > GROWN_SHARE * large:
            for path in files:
                groups[part_of.get(path, -1)].append(path)
        ordered = sorted(groups.items(), key=lambda group: (-len(group[1]), group[1][0])) or [(-1, list(files))]
        for rank, (index, group) in enumerate(ordered):
            group_files = tuple(sorted(group))
            part = Part(_folder_of(group_files, parts, part_of), group_files, index >= 0 and parts[index].split)
            drawn.append(Drawn("" if rank else key, part))
    return drawn


def _folder_of(files: Sequence[str], parts: Sequence[Part], place: Mapping[str, int]) -> str:
    """Return the folder of the part that most of the files are in."""
    votes = Counter(parts[place[path]].folder for path in files if path in place)
    if not votes:
        return _folder(files[0])
    return _most(votes)


def _matched(parts: Sequence[Part], owners: Mapping[str, str]) -> list[Drawn]:
    """Return the new parts, each with the key of the previous module with the largest overlap, if large enough."""
    size_before = Counter(owners.values())
    overlaps: list[tuple[float, int, str]] = []
    for index, part in enumerate(parts):
        for key, shared in Counter(owners[path] for path in part.files if path in owners).items():
            overlap = max(shared / len(part.files), shared / size_before[key])
            if overlap >= SAME_OVERLAP_MIN:
                overlaps.append((shared / (len(part.files) + size_before[key] - shared), index, key))
    name_of: dict[int, str] = {}
    for _, index, key in sorted(overlaps, key=lambda row: (-row[0], row[1], row[2])):
        if index not in name_of and key not in name_of.values():
            name_of[index] = key
    return [Drawn(name_of.get(index, ""), part) for index, part in enumerate(parts)]
