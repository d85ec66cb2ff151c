"""Scope of a rule: the folders and files that its globs match, or a note if no folder can express it."""

from __future__ import annotations

import re
from pathlib import Path

from holloway.safety import paths

_BRACES = re.compile(r"\{([^{}]{0,200})\}")
_EVERYWHERE = frozenset({"*", "**", "**/*", "**/**", "/", ".", "./**"})
_ALTERNATIVES_MAX = 20


def resolve_scope_files(globs: tuple[str, ...], folder: str, root: Path) -> tuple[str, ...]:
    """Return the folders and files that a rule applies to; empty if it applies everywhere or has no fixed place."""
    prefixes = [_get_static_prefix(f"{folder}/{glob}" if folder else glob) for glob in _expand_braces(globs)]
    if not prefixes and folder:
        prefixes = [folder]
    inside = [paths.contained_path(place, str(root)) if place else "" for place in prefixes]
    existing = [place for place in inside if place and place != "." and (root / place).exists()]
    return tuple(dict.fromkeys(existing)) if len(existing) == len(prefixes) else ()


def describe_scope(globs: tuple[str, ...]) -> str:
    """Return the note for a rule that applies only to some files; empty if it applies to all."""
    narrow = [glob for glob in globs if glob not in _EVERYWHERE]
    glob_list = ", ".join(f"`{glob}`" for glob in narrow[:6])
    return f" (applies to {glob_list})" if narrow and len(narrow) == len(globs) else ""


def _expand_braces(globs: tuple[str, ...]) -> list[str]:
    """Expand the braces of globs, up to a limit."""
    expanded: list[str] = []
    for glob in globs:
        match = _BRACES.search(glob)
        ends = match[1].split(",") if match else []
        expanded += [glob[: match.start()] + end.strip() + glob[match.end() :] for end in ends] if match else [glob]
    return expanded[:_ALTERNATIVES_MAX]


def _get_static_prefix(glob: str) -> str:
    """Return the part of a glob before its first wildcard: a file, or the folder in which it matches."""
    prefix_parts = []
    for part in glob.removeprefix("./").lstrip("/").split("/"):
        if set(part) & set("*?[]{}!"):
            break
        prefix_parts.append(part)
    return "/".join(prefix_parts)
