"""Keeps modules stable between index runs: matches a new partition with the modules that people already know.

A file that had a module keeps it. A new file joins the module of its neighbours; new files that form a separate part
become a new module. Only a codebase that is largely new, or a module that grew far too large, is partitioned again, and
even then names follow the files.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from holloway.codemap.modules.partition import FilePart

REPARTITION_SHARE = 0.3
"""Above this share of new files, the previous modules no longer describe the code."""
NEW_PART_SHARE = 0.6
"""A part with this share of new files is a new module, not a module that grew."""
GROWN_SHARE = 2.0
"""A module that exceeds the size limit by this factor is split again."""
SAME_OVERLAP_MIN = 0.5
"""Minimum overlap, as a share of either's files, at which two modules count as the same."""


@dataclass(frozen=True, slots=True)
class ContinuedPart:
    """A part with the key of its previous module; the key of a new part is empty."""

    key: str
    part: FilePart


def continue_modules(
    parts: Sequence[FilePart], owners: Mapping[str, str], sizes: Mapping[str, float], large: float
) -> list[ContinuedPart]:
    """Match the parts with previous modules. `owners` maps files to the keys of their previous modules."""
    all_paths = [path for part in parts for path in part.files]
    new_paths = {path for path in all_paths if path not in owners}
    if not all_paths or len(new_paths) > REPARTITION_SHARE * len(all_paths):
        return _match_parts(parts, owners)
    grouped: dict[str, list[str]] = defaultdict(list)
    added: list[ContinuedPart] = []
    for path, key in owners.items():
        if path in sizes:
            grouped[key].append(path)
    for part in parts:
        newcomers = [path for path in part.files if path in new_paths]
        if len(newcomers) >= NEW_PART_SHARE * len(part.files):
            added.append(ContinuedPart("", FilePart(part.folder, tuple(newcomers), part.split)))
            continue
        votes_by_folder, part_votes = _count_votes(part, owners)
        for path in newcomers:
            grouped[_most_voted(votes_by_folder.get(_parent_folder(path)) or part_votes)].append(path)
    return [*_split_grown_modules(grouped, parts, sizes, large), *added]


def _count_votes(part: FilePart, owners: Mapping[str, str]) -> tuple[dict[str, Counter[str]], Counter[str]]:
    """Count the previous modules of a part's files, by folder and in total."""
    votes_by_folder: dict[str, Counter[str]] = defaultdict(Counter)
    for path in part.files:
        if path in owners:
            votes_by_folder[_parent_folder(path)][owners[path]] += 1
    return votes_by_folder, sum(votes_by_folder.values(), Counter())


def _most_voted(votes: Counter[str]) -> str:
    return min(votes, key=lambda key: (-votes[key], key))


def _parent_folder(path: str) -> str:
    return path.rpartition("/")[0]


def _split_grown_modules(
    files_by_key: Mapping[str, Sequence[str]], parts: Sequence[FilePart], sizes: Mapping[str, float], large: float
) -> list[ContinuedPart]:
    """Return the modules unchanged, except that one that grew far too large is split by the new partition."""
    part_of = {path: index for index, part in enumerate(parts) for path in part.files}
    drawn: list[ContinuedPart] = []
    for key, files in files_by_key.items():
        groups: dict[int, list[str]] = defaultdict(list)
        if sum(sizes[path] for path in files) > GROWN_SHARE * large:
            for path in files:
                groups[part_of.get(path, -1)].append(path)
        ordered = sorted(groups.items(), key=lambda group: (-len(group[1]), group[1][0])) or [(-1, list(files))]
        for rank, (index, group) in enumerate(ordered):
            group_files = tuple(sorted(group))
            part = FilePart(_find_folder(group_files, parts, part_of), group_files, index >= 0 and parts[index].split)
            drawn.append(ContinuedPart("" if rank else key, part))
    return drawn


def _find_folder(files: Sequence[str], parts: Sequence[FilePart], part_of: Mapping[str, int]) -> str:
    """Return the folder of the part that most of the files are in."""
    votes = Counter(parts[part_of[path]].folder for path in files if path in part_of)
    if not votes:
        return _parent_folder(files[0])
    return _most_voted(votes)


def _match_parts(parts: Sequence[FilePart], owners: Mapping[str, str]) -> list[ContinuedPart]:
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
    return [ContinuedPart(name_of.get(index, ""), part) for index, part in enumerate(parts)]
