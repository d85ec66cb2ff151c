"""Names and purposes of modules: after their folder, or the subject of their files; as a person wrote them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from holloway.codemap.modules.partition import FilePart, find_package
from holloway.codemap.parse.languages import language_of
from holloway.safety.neutralize import neutralize_text
from holloway.text.sanitize import one_line

if TYPE_CHECKING:
    from holloway.codemap.modules.module import Module


GENERIC = frozenset(
    "app apps cmd code crates internal java js kotlin lib libs main modules packages pkg projects py python rust "
    "scala source sources src ts".split()
)
"""Folder names that say where code is and not what it does."""
MAIN_FOLDERS = frozenset("app lib source sources src".split())
"""Folders with the project's main code, next to its examples and packages."""
NAME_FOLDERS_MAX = 2
PURPOSE_CHARS_MAX = 120
PURPOSE_READ_CHARS_MAX = 8_000
LISTED_MAX = 6
FOLDERS_MIN = 3
FOLDERS_SHARE_MIN = 0.6
"""From this number of folders and this share of files in them on, folders describe more than files."""

_INSTRUCTION_PATTERNS = re.compile(
    r"\b(ignore|disregard|forget|override|bypass)\b.{0,60}\b(instructions?|previous|prior|above|rules?|prompts?)\b"
    r"|\b(system prompt|jailbreak|you (must|should|are|will|need)|as an? (ai|llm|language model|assistant)\b)"
    r"|\b(do not|don't|must not) \w+"
    r"|\b(ai|llm|coding) (agents?|assistants?|models?)\b.{0,20}\b(must|should|shall|:)|\b(attention|important|note)\s*:"
    r"|https?://|\b(curl|wget|sudo|rm -|eval|base64|chmod)\b|\b(always|never|please|make sure|be sure|first,?) \w+",
    re.IGNORECASE,
)
"""Prompt injection patterns: a line that tells its reader what to do is not shown to an agent as a description."""


def assign_names(
    parts: Sequence[FilePart],
    used_names: Collection[str],
    base: str,
    packages: frozenset[str],
    project: str,
) -> list[str]:
    """Return a unique name for each part, different from those in use."""
    parts_per_package = Counter(find_package(part.folder, packages) for part in parts)
    candidate_lists = [
        _candidate_names(
            part.folder, _distinctive_folders(part.folder, base, packages, project, parts_per_package), base
        )
        for part in parts
    ]
    first_counts = Counter(candidates[0] for candidates in candidate_lists)
    relative_folders = [part.folder.removeprefix(f"{base}/") for part in parts]
    plain_counts = Counter(
        relative_folder
        for relative_folder, candidates in zip(relative_folders, candidate_lists, strict=True)
        if relative_folder == candidates[0]
    )
    used = {name.casefold() for name in used_names}
    assigned_names: list[str] = []
    for relative_folder, candidates in zip(relative_folders, candidate_lists, strict=True):
        # If several parts compete for a name, the one in the folder of that name gets it.
        is_own = relative_folder == candidates[0] and plain_counts[relative_folder] == 1
        longer = candidates[1:] if first_counts[candidates[0]] > 1 and not is_own else []
        name = next((candidate for candidate in [*longer, *candidates] if candidate.casefold() not in used), "")
        assigned_names.append(name or _append_number(candidates[0], used))
        used.add(assigned_names[-1].casefold())
    return assigned_names


def _distinctive_folders(
    folder: str, base: str, packages: frozenset[str], project: str, parts_per_package: Mapping[str, int]
) -> list[str]:
    """Return the folders that distinguish a part from the others, outermost first."""
    if folder == base or base.startswith(f"{folder}/") or not folder:
        return _drop_generic(base.split("/"))[-1:] or [project]
    if folder.startswith(f"{base}/"):
        return _drop_generic(folder.removeprefix(f"{base}/").split("/")) or folder.split("/")[-1:]
    package = find_package(folder, packages)
    if not package:
        return _drop_generic(folder.split("/")) or ([project] if folder in MAIN_FOLDERS else folder.split("/")[-1:])
    package_name = package.split("/")[-1:]
    inner_folder = _drop_generic(folder.removeprefix(package).split("/"))[-1:]
    return (
        package_name if parts_per_package[package] == 1 or inner_folder == package_name else package_name + inner_folder
    )


def _drop_generic(folders: Sequence[str]) -> list[str]:
    return [folder for folder in folders if folder and folder not in GENERIC]


def _candidate_names(folder: str, folders: Sequence[str], base: str) -> list[str]:
    """Return names to try, the short one first and the full path last."""
    short = "/".join(folders[-NAME_FOLDERS_MAX:])
    joined = "/".join(folders)
    relative_folder = folder.removeprefix(f"{base}/") if folder.startswith(f"{base}/") else joined
    return list(dict.fromkeys([short, joined, relative_folder, folder or joined]))


def _append_number(name: str, used: Collection[str]) -> str:
    number = 2
    while f"{name}-{number}".casefold() in used:
        number += 1
    return f"{name}-{number}"


def is_description(text: str) -> bool:
    """Whether a text only describes and contains no instructions (prompt injection)."""
    return _INSTRUCTION_PATTERNS.search(text) is None


def add_purposes(modules: Sequence[Module]) -> list[Module]:
    """Return the modules with their purposes; one that a person wrote stays."""
    return [replace(module, purpose=describe_module(module)) for module in modules]


def describe_module(module: Module) -> str:
    """Return the purpose of a module."""
    if module.purpose:
        return one_line(neutralize_text(module.purpose[:PURPOSE_READ_CHARS_MAX]), PURPOSE_CHARS_MAX)
    return describe_by_names(module)


def describe_by_names(module: Module) -> str:
    """Return the names of its folders, or else of its central files."""
    code = [path for path in module.files if language_of(path)]
    folder_counts = Counter(parts[0] for path in code if len(parts := _relative_parts(path, module.folder)) > 1)
    if len(folder_counts) >= FOLDERS_MIN and folder_counts.total() >= FOLDERS_SHARE_MIN * len(code):
        names = sorted(folder_counts, key=lambda name: (-folder_counts[name], name))
    else:
        names = [_descriptive_name(path) for path in code]
    return one_line(
        neutralize_text(", ".join(list(dict.fromkeys(filter(None, names)))[:LISTED_MAX])), PURPOSE_CHARS_MAX
    )


def _relative_parts(path: str, folder: str) -> list[str]:
    return path.removeprefix(f"{folder}/").split("/") if path.startswith(f"{folder}/") else []


def _descriptive_name(path: str) -> str:
    """Return a file's name, or its folder's if the file stands for it; empty if neither says anything."""
    stem = PurePosixPath(path).name.partition(".")[0].strip("_")
    if stem == "index" and path.endswith((".ts", ".tsx", ".js", ".jsx", ".mjs")):
        return PurePosixPath(path).parent.name
    return "" if stem in ("init", "main", "mod", "lib") else stem
