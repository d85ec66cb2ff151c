"""Import statements of JavaScript and TypeScript matched to files: relative paths, tsconfig aliases and workspaces."""

from __future__ import annotations

import re
from posixpath import dirname, join
from typing import TYPE_CHECKING, Any

from holloway.codemap.manifests import parse_json_table
from holloway.codemap.resolve.imports.file_tree import AMBIGUOUS_MAX, NO_TARGET, ImportTarget, is_above, normalise_path

if TYPE_CHECKING:
    from holloway.codemap.resolve.imports.file_tree import FileTree


IMPORT_SUFFIXES = (".ts", ".tsx", ".d.ts", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs", ".json", ".vue", ".svelte")
"""Suffixes that an import may omit, in order of preference."""

_SOURCE_SUFFIXES = {"js": (".ts", ".tsx"), "jsx": (".tsx",), "mjs": (".mts",), "cjs": (".cts",)}
"""Source suffixes of a compiled suffix: TypeScript imports name the compiled file."""
_ENTRIES = ("src/index", "index", "src", "lib/index")
"""Default entry files of a package that declares none."""
_NESTED_MAX = 4
_CONDITIONS_MAX = 20
"""Conditions of `exports` in a package.json that are read."""
SCRIPT_CONFIG_NAMES = ("tsconfig.json", "jsconfig.json")
SCRIPT_PATHS_MAX = 200
EXTENDS_MAX = 4
"""Length of a chain of `extends`."""

Patterns = list[tuple[str, list[str]]]
"""Import patterns such as `@/*`, and the paths that each stands for, such as `src/*`."""
_COMMENT = re.compile(r"(\"(?:[^\"\\]|\\.)*+(?:\"|\\?\Z))|//[^\n]*|/\*.*?(?:\*/|\Z)", re.DOTALL)
"""Unclosed strings and comments match to the end of the text: otherwise the tail would be scanned again from every
quote (quadratic time)."""
_TRAILING_COMMA = re.compile(r",(\s*[}\]])")


class ScriptImports:
    """Resolves relative files, path aliases and workspace packages."""

    def __init__(self, tree: FileTree) -> None:
        self._tree = tree
        self._workspaces = tree.map_manifest_names("package.json", _package_name)
        self._aliases = load_aliases(tree)
        self._entries: dict[str, list[str]] = {}

    def find_target(self, origin: str, module: str) -> ImportTarget:
        """Return the file that a module name refers to, or the package that it begins with."""
        if module.startswith("."):
            return self._find_file(normalise_path(join(dirname(origin), module)))
        if module.startswith("node:"):
            return ImportTarget(package=module)
        for folder, patterns in self._aliases:
            if is_above(folder, dirname(origin)):
                for target in expand_alias(patterns, module):
                    place = self._find_file(normalise_path(join(folder, target)))
                    if place.path:
                        return place
        parts = module.split("/")
        package = "/".join(parts[:2]) if module.startswith("@") else parts[0]
        if package in self._workspaces:
            place = self._find_workspace_file(self._workspaces[package], module[len(package) + 1 :])
            if place.path:
                return place
        return ImportTarget(package=package)

    def names_for(self, path: str) -> set[str]:
        """Return the names that manifests give to a file: aliases, and the package whose entry it is."""
        without_suffix = path
        for ending in IMPORT_SUFFIXES:
            without_suffix = without_suffix.removesuffix(ending)
        bases = {path, without_suffix, *([dirname(path)] if without_suffix.rpartition("/")[2] == "index" else [])}
        names = {
            name
            for name, home in self._workspaces.items()
            if is_above(home, dirname(path))
            and not bases.isdisjoint(normalise_path(join(home, entry)) for entry in self._load_entries(home))
        }
        return names.union(*(find_alias_names(folder, patterns, bases) for folder, patterns in self._aliases))

    def _find_file(self, base: str | None) -> ImportTarget:
        if base is None:
            return NO_TARGET
        stem, dot, suffix = base.rpartition(".")
        source_paths = [stem + other for other in _SOURCE_SUFFIXES.get(suffix, ())] if dot else []
        for path in (*source_paths, base):
            if path in self._tree.paths:
                return ImportTarget(path)
        for start in (base, join(base, "index")):
            for ending in IMPORT_SUFFIXES:
                if start + ending in self._tree.paths:
                    return ImportTarget(start + ending)
        return NO_TARGET

    def _find_workspace_file(self, folder: str, inside: str) -> ImportTarget:
        for name in [inside, f"src/{inside}"] if inside else self._load_entries(folder):
            place = self._find_file(normalise_path(join(folder, name))) if name else NO_TARGET
            if place.path:
                return place
        return NO_TARGET

    def _load_entries(self, folder: str) -> list[str]:
        if folder not in self._entries:
            manifest = parse_json_object(self._tree.read(join(folder, "package.json")))
            self._entries[folder] = [*_list_entries(manifest), *_ENTRIES]
        return self._entries[folder]


def _package_name(text: str) -> str:
    name = parse_json_object(text).get("name")
    return name if isinstance(name, str) else ""


def _list_entries(manifest: dict[str, Any]) -> list[str]:
    """Return the entry files that a package.json names, sources before build output."""
    entry_paths: list[str] = []

    def collect_paths(value: object, depth: int) -> None:
        if isinstance(value, str):
            entry_paths.append(value)
        elif isinstance(value, dict) and depth < _NESTED_MAX:
            for inner in list(value.values())[:_CONDITIONS_MAX]:
                collect_paths(inner, depth + 1)

    exports = manifest.get("exports")
    collect_paths(exports.get(".", exports) if isinstance(exports, dict) else exports, 0)
    for key in ("source", "types", "module", "main"):
        collect_paths(manifest.get(key), 0)
    source_paths = [re.sub(r"^(\./)?(dist|build|lib|out)/", "src/", name) for name in entry_paths]
    return [re.sub(r"\.(d\.ts|js|mjs|cjs)$", "", name) for name in source_paths] + entry_paths


def load_aliases(tree: FileTree) -> list[tuple[str, Patterns]]:
    """Return the folders that have path aliases, deepest first."""
    folders: list[tuple[str, Patterns]] = []
    homes = [(folder, name) for name in SCRIPT_CONFIG_NAMES for folder in tree.manifest_folders[name]]
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
    for pattern, targets in list(paths.items())[:SCRIPT_PATHS_MAX] if isinstance(paths, dict) else ():
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


def parse_json_object(text: str) -> dict[str, Any]:
    """Parse a JSON object that may have comments and trailing commas; anything else gives an empty one."""
    plain = parse_json_table(text)
    return plain or parse_json_table(_TRAILING_COMMA.sub(r"\1", _COMMENT.sub(lambda m: m.group(1) or "", text)))
