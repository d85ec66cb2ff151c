"""Paths that people and agents name, as the project names them, and the file they probably meant."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from holloway.codemap.parse.source_files import list_names
from holloway.domain.memory import as_tuple
from holloway.errors import InvalidInput
from holloway.safety import paths

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holloway.store.project import Project


def resolve_path(root: Path, path: str, base_folder: Path | None = None) -> str:
    """Return a path relative to the root: taken from `base_folder` if there is such a file, else from the root."""
    near = paths.resolve_in_project(path, str(root), str(base_folder or root))
    return near if paths.path_exists(near, str(root)) else paths.contained_path(path, str(root)) or near


def existing_files(project: Project, files: Sequence[str], base_folder: Path | None = None) -> tuple[str, ...]:
    """Return files relative to the project; raises InvalidInput, naming the closest one, for a missing file."""
    return tuple(_existing_file(project, path, base_folder) for path in as_tuple("files", files))


def _existing_file(project: Project, reference: str, base_folder: Path | None) -> str:
    path = resolve_path(project.root, reference, base_folder)
    if paths.path_exists(path, str(project.root)):
        return path
    suggestion = closest_path(path, list_names(project.root))
    hint = f"Did you mean {suggestion}?" if suggestion else f"Paths are taken from {base_folder or project.root}."
    raise InvalidInput(f"{reference} does not exist in {project.name}.", hint)


def closest_path(missing_path: str, candidates: Sequence[str]) -> str:
    """Return the most similar path among those with the same file name, or else a similar one; empty without any.

    Similar names are compared without their endings, or every `.py` file would be half similar to every other.
    """
    from difflib import get_close_matches  # only on an error path

    stems = {_stem(path) for path in candidates}
    similar_names = (
        [_stem(missing_path)] if _stem(missing_path) in stems else get_close_matches(_stem(missing_path), stems)
    )
    same_paths = [path for path in candidates if _name(path) == _name(missing_path)]
    similar_paths = same_paths or [path for path in candidates if _stem(path) in similar_names]
    return next(iter(get_close_matches(missing_path, similar_paths, n=1, cutoff=0.0)), "")


def _name(path: str) -> str:
    return path.rpartition("/")[2]


def _stem(path: str) -> str:
    return _name(path).rpartition(".")[0] or _name(path)
