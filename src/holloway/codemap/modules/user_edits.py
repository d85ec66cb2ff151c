"""Applies people's edits to detected modules: names, purposes, file assignments and hiding. Edits take precedence."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import translate

from holloway.safety.neutralize import neutral

NAME_CHARS_MAX = 60
PATTERN_CHARS_MAX = 200
PATTERNS_MAX = 200


@dataclass(frozen=True, slots=True)
class Edits:
    """Edits to the detected modules, as plain data. A module is identified by its key or its displayed name."""

    names: Mapping[str, str] = field(default_factory=dict)
    """The name to display instead. Two modules with the same name are merged."""
    files: Sequence[tuple[str, str]] = ()
    """Patterns and the module for matching files: a file, a folder, or a pattern with `*`. The last match wins."""
    purposes: Mapping[str, str] = field(default_factory=dict)
    hidden: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Draft:
    """A module during detection."""

    key: str
    name: str
    folder: str
    files: tuple[str, ...]
    support: bool = False
    hidden: bool = False
    purpose: str = ""
    moved: tuple[tuple[str, str], ...] = ()


def placed(paths: Sequence[str], edits: Edits) -> dict[str, str]:
    """Return the module that people assigned to each file, for files with an assignment."""
    assigned: dict[str, str] = {}
    for pattern, module in edits.files[-PATTERNS_MAX:]:
        if pattern and len(pattern) <= PATTERN_CHARS_MAX and (name := _shown(module)):
            assigned |= dict.fromkeys(_matching(pattern, paths), name)
    return assigned


def _matching(pattern: str, paths: Sequence[str]) -> list[str]:
    if "*" in pattern or "?" in pattern:
        compiled = re.compile(translate(pattern))
        return [path for path in paths if compiled.match(path)]
    folder = pattern.rstrip("/")
    return [path for path in paths if path == folder or path.startswith(f"{folder}/")]


def applied(drafts: Sequence[Draft], edits: Edits, place: Mapping[str, str]) -> list[Draft]:
    """Apply the edits to the drafts. The detected module of a file is recorded, so that an edit can be reverted."""
    renamed = [replace(draft, name=_shown(_edit(edits.names, draft)) or draft.name) for draft in drafts]
    names_by_key = shown_names(renamed)
    detected_keys = {path: draft.key for draft in renamed for path in draft.files}
    module_by_path = {path: draft.name for draft in renamed for path in draft.files}
    for path, module in place.items():
        if path in detected_keys:
            module_by_path[path] = names_by_key.get(module.casefold(), module)
    members: dict[str, list[str]] = {}
    for path, name in module_by_path.items():
        members.setdefault(name, []).append(path)
    first: dict[str, Draft] = {}
    for draft in renamed:
        first.setdefault(draft.name, draft)
    edited = [
        _edited(first.get(name, Draft(name, name, _common_folder(files), ())), files, edits, detected_keys)
        for name, files in members.items()
    ]
    return [draft for draft in edited if draft.files]


def shown_names(drafts: Sequence[Draft]) -> dict[str, str]:
    """Return the displayed names by key and by name, case-insensitively."""
    return {draft.key.casefold(): draft.name for draft in drafts} | {
        draft.name.casefold(): draft.name for draft in drafts
    }


def _edited(draft: Draft, files: Sequence[str], edits: Edits, drawn_in: Mapping[str, str]) -> Draft:
    return replace(
        draft,
        files=tuple(sorted(files)),
        moved=tuple(sorted((path, drawn_in[path]) for path in files if drawn_in[path] != draft.key)),
        purpose=_edit(edits.purposes, draft),
        hidden=draft.key in edits.hidden or draft.name in edits.hidden,
    )


def _edit(edits: Mapping[str, str], draft: Draft) -> str:
    return edits.get(draft.key) or edits.get(draft.name) or ""


def _shown(name: str) -> str:
    """Neutralise and shorten a name for display: people may write anything, an agent reads one short line."""
    return neutral(name[: 4 * NAME_CHARS_MAX])[:NAME_CHARS_MAX].strip()


def _common_folder(files: Sequence[str]) -> str:
    folders = [path.split("/")[:-1] for path in files]
    depth = 0
    while all(len(parts) > depth and parts[depth] == folders[0][depth] for parts in folders):
        depth += 1
    return "/".join(folders[0][:depth])
