"""The path aliases of tsconfig.json and jsconfig.json."""

from __future__ import annotations

from posixpath import dirname, join
from typing import TYPE_CHECKING, Any

from holloway.codemap.resolve.imports.file_tree import AMBIGUOUS_MAX, within
from holloway.codemap.resolve.imports.lenient_json import json_object

if TYPE_CHECKING:
    from holloway.codemap.resolve.imports.file_tree import Tree

NAMES = ("tsconfig.json", "jsconfig.json")
PATTERNS_MAX = 200
EXTENDS_MAX = 4
"""Files that one extends after another."""

Patterns = list[tuple[str, list[str]]]
"""What imports may look like, `@/*`, and the paths that it stands for, `src/*`."""


def aliases(tree: Tree) -> list[tuple[str, Patterns]]:
    """The folders that have some, the deepest first."""
    found: list[tuple[str, Patterns]] = []
    homes = [(folder, name) for name in NAMES for folder in tree.homes[name]]
    for folder, name in sorted(homes, key=lambda home: (-home[0].count("/") - bool(home[0]), home[0])):
        patterns = _patterns(tree, join(folder, name), 0)
        if patterns:
            found.append((folder, patterns))
    return found


def expanded(patterns: Patterns, module: str) -> list[str]:
    """The paths that a module's name stands for."""
    found: list[str] = []
    for pattern, targets in patterns:
        before, star, after = pattern.partition("*")
        if star and module.startswith(before) and module.endswith(after) and len(module) >= len(before) + len(after):
            middle = module[len(before) : len(module) - len(after)]
            found += [target.replace("*", middle, 1) for target in targets]
        elif module == pattern:
            found += targets
    return found


def names_by(folder: str, patterns: Patterns, bases: set[str]) -> set[str]:
    """The other way: the names that the patterns give to a file, which is known by these paths."""
    names: set[str] = set()
    for pattern, targets in patterns:
        for target in targets:
            before, star, after = (within(join(folder, target)) or "").partition("*")
            for base in bases:
                if star and base.startswith(before) and base.endswith(after):
                    names.add(base[len(before) : len(base) - len(after)] or pattern)
                elif base == before:
                    names.add(pattern)
    return names


def _patterns(tree: Tree, path: str, depth: int) -> Patterns:
    data = json_object(tree.read(path)) if path in tree.paths else {}
    parent = data.get("extends")
    patterns = _own_patterns(data.get("compilerOptions"))
    if patterns or not isinstance(parent, str) or not parent.startswith(".") or depth >= EXTENDS_MAX:
        return patterns
    here = dirname(path)
    outer = within(join(here, parent))
    for name in (outer, f"{outer}.json") if outer else ():
        tree.decisive.add(name)
        if name in tree.paths:
            inherited = _patterns(tree, name, depth + 1)
            up = dirname(name)
            return [(p, [_relative(join(up, target), here) for target in targets]) for p, targets in inherited]
    return []


def _own_patterns(options: Any) -> Patterns:
    options = options if isinstance(options, dict) else {}
    named = options.get("baseUrl")
    base = named if isinstance(named, str) else ""
    paths = options.get("paths")
    patterns: Patterns = []
    for pattern, targets in list(paths.items())[:PATTERNS_MAX] if isinstance(paths, dict) else ():
        if isinstance(targets, list):
            patterns.append((pattern, [join(base, one) for one in targets if isinstance(one, str)][:AMBIGUOUS_MAX]))
    if base:
        patterns.append(("*", [join(base, "*")]))
    return patterns


def _relative(path: str, folder: str) -> str:
    ups = folder.count("/") + 1 if folder else 0
    return "../" * ups + path
