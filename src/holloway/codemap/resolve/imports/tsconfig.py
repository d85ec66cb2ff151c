"""Reads the path aliases of tsconfig.json and jsconfig.json, including inherited ones."""

from __future__ import annotations

from posixpath import dirname, join
from typing import TYPE_CHECKING, Any

from holloway.codemap.resolve.imports.file_tree import AMBIGUOUS_MAX, normalise_path
from holloway.codemap.resolve.imports.lenient_json import parse_json_object

if TYPE_CHECKING:
    from holloway.codemap.resolve.imports.file_tree import FileTree

NAMES = ("tsconfig.json", "jsconfig.json")
PATTERNS_MAX = 200
EXTENDS_MAX = 4
"""Length of a chain of `extends`."""

Patterns = list[tuple[str, list[str]]]
"""Import patterns such as `@/*`, and the paths that each stands for, such as `src/*`."""


def load_aliases(tree: FileTree) -> list[tuple[str, Patterns]]:
    """Return the folders that have path aliases, deepest first."""
    folders: list[tuple[str, Patterns]] = []
    homes = [(folder, name) for name in NAMES for folder in tree.manifest_folders[name]]
    for folder, name in sorted(homes, key=lambda home: (-home[0].count("/") - bool(home[0]), home[0])):
        patterns = _load_patterns(tree, join(folder, name), 0)
        if patterns:
            folders.append((folder, patterns))
    return folders


def expand_alias(patterns: Patterns, module: str) -> list[str]:
    """Return the paths that a module name stands for."""
    paths: list[str] = []
    for pattern, targets in patterns:
        before, star, after = pattern.partition("*")
        if star and module.startswith(before) and module.endswith(after) and len(module) >= len(before) + len(after):
            middle = module[len(before) : len(module) - len(after)]
            paths += [target.replace("*", middle, 1) for target in targets]
        elif module == pattern:
            paths += targets
    return paths


def find_alias_names(folder: str, patterns: Patterns, bases: set[str]) -> set[str]:
    """Return the names that the patterns give to a file with these paths (the reverse direction)."""
    names: set[str] = set()
    for pattern, targets in patterns:
        for target in targets:
            before, star, after = (normalise_path(join(folder, target)) or "").partition("*")
            for base in bases:
                if star and base.startswith(before) and base.endswith(after):
                    names.add(base[len(before) : len(base) - len(after)] or pattern)
                elif base == before:
                    names.add(pattern)
    return names


def _load_patterns(tree: FileTree, path: str, depth: int) -> Patterns:
    data = parse_json_object(tree.read(path)) if path in tree.paths else {}
    parent = data.get("extends")
    patterns = _parse_patterns(data.get("compilerOptions"))
    if patterns or not isinstance(parent, str) or not parent.startswith(".") or depth >= EXTENDS_MAX:
        return patterns
    folder = dirname(path)
    parent_path = normalise_path(join(folder, parent))
    for name in (parent_path, f"{parent_path}.json") if parent_path else ():
        tree.referenced_manifests.add(name)
        if name in tree.paths:
            inherited = _load_patterns(tree, name, depth + 1)
            parent_folder = dirname(name)
            return [
                (pattern, [_to_relative(join(parent_folder, target), folder) for target in targets])
                for pattern, targets in inherited
            ]
    return []


def _parse_patterns(options: Any) -> Patterns:
    options = options if isinstance(options, dict) else {}
    base_url = options.get("baseUrl")
    base = base_url if isinstance(base_url, str) else ""
    paths = options.get("paths")
    patterns: Patterns = []
    for pattern, targets in list(paths.items())[:PATTERNS_MAX] if isinstance(paths, dict) else ():
        if isinstance(targets, list):
            patterns.append(
                (pattern, [join(base, target) for target in targets if isinstance(target, str)][:AMBIGUOUS_MAX])
            )
    if base:
        patterns.append(("*", [join(base, "*")]))
    return patterns


def _to_relative(path: str, folder: str) -> str:
    ups = folder.count("/") + 1 if folder else 0
    return "../" * ups + path
