"""JavaScript and TypeScript: relative files, the aliases of a tsconfig, and the packages of a workspace."""

from __future__ import annotations

import re
from posixpath import dirname, join
from typing import TYPE_CHECKING, Any

from holloway.codemap.resolve.imports import tsconfig
from holloway.codemap.resolve.imports.file_tree import is_above, within
from holloway.codemap.resolve.imports.import_target import NOWHERE, Place
from holloway.codemap.resolve.imports.lenient_json import json_object

if TYPE_CHECKING:
    from holloway.codemap.resolve.imports.file_tree import Tree

SUFFIXES = (".ts", ".tsx", ".d.ts", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs", ".json", ".vue", ".svelte")
"""Endings that an import leaves out; of several files the first."""

_WRITTEN = {"js": (".ts", ".tsx"), "jsx": (".tsx",), "mjs": (".mts",), "cjs": (".cts",)}
"""TypeScript names the compiled file: what that was written as."""
_ENTRIES = ("src/index", "index", "src", "lib/index")
"""The face of a package that does not say what it is."""
_NESTED_MAX = 4
_CONDITIONS_MAX = 20
"""Of `exports` in a package.json."""


class ScriptImports:
    """Files, aliases and workspaces."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._workspaces = tree.manifests("package.json", _package_name)
        self._aliases = tsconfig.aliases(tree)
        self._entries: dict[str, list[str]] = {}

    def find(self, origin: str, module: str) -> Place:
        """The file that a module's name stands for, or the package that it begins with."""
        if module.startswith("."):
            return self._file(within(join(dirname(origin), module)))
        if module.startswith("node:"):
            return Place(package=module)
        for folder, patterns in self._aliases:
            if is_above(folder, dirname(origin)):
                for target in tsconfig.expanded(patterns, module):
                    place = self._file(within(join(folder, target)))
                    if place.path:
                        return place
        parts = module.split("/")
        package = "/".join(parts[:2]) if module.startswith("@") else parts[0]
        if package in self._workspaces:
            place = self._workspace_file(self._workspaces[package], module[len(package) + 1 :])
            if place.path:
                return place
        return Place(package=package)

    def names_for(self, path: str) -> set[str]:
        """Names for a file that a manifest gives it: aliases, and the face of a workspace."""
        plain = path
        for ending in SUFFIXES:
            plain = plain.removesuffix(ending)
        bases = {path, plain, *([dirname(path)] if plain.rpartition("/")[2] == "index" else [])}
        names = {
            name
            for name, home in self._workspaces.items()
            if is_above(home, dirname(path))
            and not bases.isdisjoint(within(join(home, entry)) for entry in self._workspace_entries(home))
        }
        return names.union(*(tsconfig.names_by(folder, patterns, bases) for folder, patterns in self._aliases))

    def _file(self, base: str | None) -> Place:
        if base is None:
            return NOWHERE
        stem, dot, suffix = base.rpartition(".")
        written = [stem + other for other in _WRITTEN.get(suffix, ())] if dot else []
        for path in (*written, base):
            if path in self._tree.paths:
                return Place(path)
        for start in (base, join(base, "index")):
            for ending in SUFFIXES:
                if start + ending in self._tree.paths:
                    return Place(start + ending)
        return NOWHERE

    def _workspace_file(self, folder: str, inside: str) -> Place:
        for name in [inside, f"src/{inside}"] if inside else self._workspace_entries(folder):
            place = self._file(within(join(folder, name))) if name else NOWHERE
            if place.path:
                return place
        return NOWHERE

    def _workspace_entries(self, folder: str) -> list[str]:
        if folder not in self._entries:
            manifest = json_object(self._tree.read(join(folder, "package.json")))
            self._entries[folder] = [*_entries(manifest), *_ENTRIES]
        return self._entries[folder]


def _package_name(text: str) -> str:
    name = json_object(text).get("name")
    return name if isinstance(name, str) else ""


def _entries(manifest: dict[str, Any]) -> list[str]:
    """Files that a package.json names as its face, sources before what is built from them."""
    named: list[str] = []

    def gather(value: object, depth: int) -> None:
        if isinstance(value, str):
            named.append(value)
        elif isinstance(value, dict) and depth < _NESTED_MAX:
            for inner in list(value.values())[:_CONDITIONS_MAX]:
                gather(inner, depth + 1)

    exports = manifest.get("exports")
    gather(exports.get(".", exports) if isinstance(exports, dict) else exports, 0)
    for key in ("source", "types", "module", "main"):
        gather(manifest.get(key), 0)
    built = [re.sub(r"^(\./)?(dist|build|lib|out)/", "src/", name) for name in named]
    return [re.sub(r"\.(d\.ts|js|mjs|cjs)$", "", name) for name in built] + named
