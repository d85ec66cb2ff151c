"""Partitions a codebase into modules by its folders: its packages, and else what lies below the folder with most code.

Developers express their architecture in folders. A package of a monorepo is a module; code outside of packages is
divided by the first folder below the base folder, which most of the code has in common.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

LINES_PER_SIZE = 100
SIZE_LINES_MIN = 30
SIZE_LINES_MAX = 400
BASE_SHARE = 0.6
"""Share of the code from which on a folder is the base that the others are divided below."""
BASE_STAYS_SHARE = 0.45
BASE_MOVES_SHARE = 0.75
"""Share that a base needs to stay what it was, and that a folder inside it needs to replace it whatever was."""
ROOT_SHARE_MIN = 0.05
"""Files at the root with a smaller share of the code are no module: they configure or start the others."""


def size_of(lines: int) -> float:
    """Return the weight of a file by its lines, bounded: long tables and huge files must not dominate."""
    return min(max(lines, SIZE_LINES_MIN), SIZE_LINES_MAX) / LINES_PER_SIZE


@dataclass(frozen=True, slots=True)
class FilePart:
    """Files that belong together, and their folder."""

    folder: str
    files: tuple[str, ...]


def partition_files(sizes: Mapping[str, float], packages: frozenset[str], base: str) -> list[FilePart]:
    """Partition these files, the largest part first. `packages` are folders with a manifest."""
    owners = {path: find_package(path.rpartition("/")[0], packages) for path in sizes}
    is_monorepo = len(set(owners.values())) > 1
    files_by_folder: dict[str, list[str]] = defaultdict(list)
    for path in sorted(sizes):
        files_by_folder[(owners[path] if is_monorepo else "") or _find_area(path, base)].append(path)
    root_size = sum(sizes[path] for path in files_by_folder.get("", ()))
    if len(files_by_folder) > 1 and root_size < ROOT_SHARE_MIN * sum(sizes.values()):
        files_by_folder.pop("", None)
    parts = [FilePart(folder, tuple(files)) for folder, files in files_by_folder.items()]
    return sorted(parts, key=lambda part: (-len(part.files), part.folder))


def _find_area(path: str, base: str) -> str:
    """Return the first folder on the way to a file that does not contain the base; without one, the file's folder."""
    folders = path.split("/")[:-1]
    for depth in range(1, len(folders) + 1):
        folder = "/".join(folders[:depth])
        if not f"{base}/".startswith(f"{folder}/"):
            return folder
    return "/".join(folders)


def find_base(sizes: Mapping[str, float], packages: frozenset[str], previous: Collection[str] = ()) -> str:
    """Return the deepest folder with most of the code, or one that keeps more of the previous modules' folders.

    A folder without folders is divided no further, so its parent is the base, and it is named like those beside it.
    """
    total = sum(sizes.values())
    weights: dict[str, float] = defaultdict(float, {"": total})
    for path, size in sizes.items():
        folder = path
        while folder := folder.rpartition("/")[0]:
            weights[folder] += size
    base = max((folder for folder in weights if weights[folder] >= BASE_SHARE * total), key=_sort_by_depth, default="")
    moved = max((folder for folder in weights if weights[folder] >= BASE_MOVES_SHARE * total), key=_sort_by_depth)
    candidates = [
        folder
        for folder in weights
        if weights[folder] >= BASE_STAYS_SHARE * total and f"{folder}/".lstrip("/").startswith(f"{moved}/".lstrip("/"))
    ]

    def count_previous(folder: str) -> int:
        return len({part.folder for part in partition_files(sizes, packages, folder)}.intersection(previous))

    if previous:
        base = max(candidates, key=lambda folder: (count_previous(folder), folder == base))
    is_flat = not any("/" in path.removeprefix(f"{base}/") for path in sizes if path.startswith(f"{base}/"))
    return base.rpartition("/")[0] if is_flat else base


def _sort_by_depth(folder: str) -> tuple[int, str]:
    return folder.count("/") + bool(folder), folder


def find_package(folder: str, packages: frozenset[str]) -> str:
    """Return the innermost package that contains a folder; empty for the project itself."""
    while folder and folder not in packages:
        folder = folder.rpartition("/")[0]
    return folder
