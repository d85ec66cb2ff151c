"""Modules of the codebase, and the edits that people make to detected ones: names, purposes, files and hiding."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import translate

from holloway.safety.neutralize import neutralize_text

MODULE_NAME_CHARS_MAX = 60
EDIT_PATTERN_CHARS_MAX = 200
EDIT_PATTERNS_MAX = 200


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file of the project: `role` is `source`, `test`, or another role."""

    path: str
    role: str
    language: str
    lines: int


@dataclass(frozen=True, slots=True)
class Module:
    """A module of the codebase. All lists have the most important items first."""

    name: str
    key: str
    """The name that it was detected with; edits refer to it, and it stays when another name is shown."""
    folder: str
    files: tuple[str, ...]
    core: tuple[str, ...]
    entries: tuple[str, ...] = ()
    flows: tuple[str, ...] = ()
    """Call flows from here, from module to module."""
    tests: tuple[str, ...] = ()
    uses: tuple[tuple[str, float], ...] = ()
    """Modules that it imports from, with weights."""
    related: tuple[tuple[str, float], ...] = ()
    """Modules that often change together with it, with weights."""
    packages: tuple[str, ...] = ()
    purpose: str = ""
    support: bool = False
    """Whether it is supporting code, such as examples, benchmarks and docs, and no part of the product."""
    hidden: bool = False
    confidence: str = "shallow"
    moved: tuple[tuple[str, str], ...] = ()
    """Files that people moved here, and the keys of the modules that they were detected in."""


@dataclass(frozen=True, slots=True)
class ModuleEdits:
    """Edits to the detected modules, as plain data. A module is identified by its key or its displayed name."""

    names: Mapping[str, str] = field(default_factory=dict)
    """The name to display instead. Two modules with the same name are merged."""
    files: Sequence[tuple[str, str]] = ()
    """Patterns and the module for matching files: a file, a folder, or a pattern with `*`. The last match wins."""
    purposes: Mapping[str, str] = field(default_factory=dict)
    hidden: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class ModuleDraft:
    """A module during detection."""

    key: str
    name: str
    folder: str
    files: tuple[str, ...]
    support: bool = False
    hidden: bool = False
    purpose: str = ""
    moved: tuple[tuple[str, str], ...] = ()


def assign_files(paths: Sequence[str], edits: ModuleEdits) -> dict[str, str]:
    """Return the module that people assigned to each file, for files with an assignment."""
    assigned: dict[str, str] = {}
    for pattern, module in edits.files[-EDIT_PATTERNS_MAX:]:
        if pattern and len(pattern) <= EDIT_PATTERN_CHARS_MAX and (name := _display_name(module)):
            assigned |= dict.fromkeys(_match_paths(pattern, paths), name)
    return assigned


def _match_paths(pattern: str, paths: Sequence[str]) -> list[str]:
    if "*" in pattern or "?" in pattern:
        compiled = re.compile(translate(pattern))
        return [path for path in paths if compiled.match(path)]
    folder = pattern.rstrip("/")
    return [path for path in paths if path == folder or path.startswith(f"{folder}/")]


def apply_edits(drafts: Sequence[ModuleDraft], edits: ModuleEdits, assigned: Mapping[str, str]) -> list[ModuleDraft]:
    """Apply the edits to the drafts. The detected module of a file is recorded, so that an edit can be reverted."""
    renamed = [replace(draft, name=_display_name(_find_edit(edits.names, draft)) or draft.name) for draft in drafts]
    names_by_key = map_display_names(renamed)
    detected_keys = {path: draft.key for draft in renamed for path in draft.files}
    module_by_path = {path: draft.name for draft in renamed for path in draft.files}
    for path, module in assigned.items():
        if path in detected_keys:
            module_by_path[path] = names_by_key.get(module.casefold(), module)
    members: dict[str, list[str]] = {}
    for path, name in module_by_path.items():
        members.setdefault(name, []).append(path)
    first: dict[str, ModuleDraft] = {}
    for draft in renamed:
        first.setdefault(draft.name, draft)
    edited = [
        _edit_draft(
            first.get(name, ModuleDraft(name, name, _find_common_folder(files), ())), files, edits, detected_keys
        )
        for name, files in members.items()
    ]
    return [draft for draft in edited if draft.files]


def map_display_names(drafts: Sequence[ModuleDraft]) -> dict[str, str]:
    """Return the displayed names by key and by name, case-insensitively."""
    return {draft.key.casefold(): draft.name for draft in drafts} | {
        draft.name.casefold(): draft.name for draft in drafts
    }


def _edit_draft(
    draft: ModuleDraft, files: Sequence[str], edits: ModuleEdits, detected_keys: Mapping[str, str]
) -> ModuleDraft:
    return replace(
        draft,
        files=tuple(sorted(files)),
        moved=tuple(sorted((path, detected_keys[path]) for path in files if detected_keys[path] != draft.key)),
        purpose=_find_edit(edits.purposes, draft),
        hidden=draft.key in edits.hidden or draft.name in edits.hidden,
    )


def _find_edit(edits: Mapping[str, str], draft: ModuleDraft) -> str:
    return edits.get(draft.key) or edits.get(draft.name) or ""


def _display_name(name: str) -> str:
    """Neutralise and shorten a name for display: people may write anything, an agent reads one short line."""
    return neutralize_text(name[: 4 * MODULE_NAME_CHARS_MAX])[:MODULE_NAME_CHARS_MAX].strip()


def _find_common_folder(files: Sequence[str]) -> str:
    folders = [path.split("/")[:-1] for path in files]
    depth = 0
    while all(len(parts) > depth and parts[depth] == folders[0][depth] for parts in folders):
        depth += 1
    return "/".join(folders[0][:depth])
