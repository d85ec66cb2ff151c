"""What people say about the modules: names, purposes, which file belongs where, what is not to be shown. They win."""

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
    """Changes to the drawn modules, as plain data. A module is named by its key or by the name that is shown."""

    names: Mapping[str, str] = field(default_factory=dict)
    """The name to show instead. Two modules with one name become one."""
    files: Sequence[tuple[str, str]] = ()
    """Patterns and the module for what matches: a file, a folder, or a pattern with `*`. The last that matches wins."""
    purposes: Mapping[str, str] = field(default_factory=dict)
    hidden: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Draft:
    """A module in the making: what it was drawn as, and what is known of it."""

    key: str
    name: str
    folder: str
    files: tuple[str, ...]
    support: bool = False
    hidden: bool = False
    purpose: str = ""
    moved: tuple[tuple[str, str], ...] = ()


def placed(paths: Sequence[str], edits: Edits) -> dict[str, str]:
    """The module that people gave for a file, for the files where they did."""
    found: dict[str, str] = {}
    for pattern, module in edits.files[-PATTERNS_MAX:]:
        if pattern and len(pattern) <= PATTERN_CHARS_MAX and (name := _shown(module)):
            found |= dict.fromkeys(_matching(pattern, paths), name)
    return found


def _matching(pattern: str, paths: Sequence[str]) -> list[str]:
    if "*" in pattern or "?" in pattern:
        compiled = re.compile(translate(pattern))
        return [path for path in paths if compiled.match(path)]
    folder = pattern.rstrip("/")
    return [path for path in paths if path == folder or path.startswith(f"{folder}/")]


def applied(drafts: Sequence[Draft], edits: Edits, place: Mapping[str, str]) -> list[Draft]:
    """The drafts as people want them. Where a file was drawn is kept, so that an edit can be taken back."""
    renamed = [replace(draft, name=_shown(_edit(edits.names, draft)) or draft.name) for draft in drafts]
    known = shown_names(renamed)
    drawn_in = {path: draft.key for draft in renamed for path in draft.files}
    shown = {path: draft.name for draft in renamed for path in draft.files}
    for path, module in place.items():
        if path in drawn_in:
            shown[path] = known.get(module.casefold(), module)
    members: dict[str, list[str]] = {}
    for path, name in shown.items():
        members.setdefault(name, []).append(path)
    first: dict[str, Draft] = {}
    for draft in renamed:
        first.setdefault(draft.name, draft)
    found = [
        _edited(first.get(name, Draft(name, name, _common_folder(files), ())), files, edits, drawn_in)
        for name, files in members.items()
    ]
    return [draft for draft in found if draft.files]


def shown_names(drafts: Sequence[Draft]) -> dict[str, str]:
    """The names that are shown, by key and by name, in whatever case people write them."""
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
    """A name as it is shown: people may give any, an agent reads one short line."""
    return neutral(name[: 4 * NAME_CHARS_MAX])[:NAME_CHARS_MAX].strip()


def _common_folder(files: Sequence[str]) -> str:
    folders = [path.split("/")[:-1] for path in files]
    shared = 0
    while all(len(each) > shared and each[shared] == folders[0][shared] for each in folders):
        shared += 1
    return "/".join(folders[0][:shared])
