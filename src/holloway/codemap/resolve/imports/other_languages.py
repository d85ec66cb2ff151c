"""Import rules of Go, Java and Kotlin, Rust, C and C++, Ruby and PHP: import paths, packages, crates and includes."""

from __future__ import annotations

import re
from posixpath import dirname, join
from typing import TYPE_CHECKING

from holloway.codemap.manifests import get_string, nested_table, parse_toml_table
from holloway.codemap.resolve.imports.file_tree import NO_TARGET, ImportTarget, ends_in, find_nearest, normalise_path

if TYPE_CHECKING:
    from holloway.codemap.parse.facts import Import
    from holloway.codemap.resolve.imports.file_tree import FileTree

_GO_MODULE = re.compile(r"^module\s+\"?([^\s\"]+)", re.MULTILINE)
_PACKAGE_NAMES = 3
"""Parts that identify an external Java package: `org.junit.jupiter`."""
_CRATE_ROOTS = ("src/lib.rs", "src/main.rs", "lib.rs", "main.rs")


class GoImports:
    """Resolves packages of the modules that go.mod files declare."""

    def __init__(self, tree: FileTree) -> None:
        self._tree = tree
        modules = tree.map_manifest_names("go.mod", _go_module_name)
        self._modules = sorted(modules.items(), key=lambda item: -len(item[0]))
        """Names and folders, longest name first: a module may contain another."""

    def find_target(self, origin: str, module: str) -> ImportTarget:
        """Return the folder of a package: its files form one package."""
        for name, folder in self._modules:
            if module == name or module.startswith(name + "/"):
                package_folder = join(folder, module[len(name) + 1 :]).rstrip("/")
                return ImportTarget(package_folder + "/") if package_folder in self._tree.directories else NO_TARGET
        return ImportTarget(package=module)

    def names_for(self, path: str) -> set[str]:
        """Return the modules whose root package contains a file."""
        return {module for module, home in self._modules if home == dirname(path)}


def _go_module_name(text: str) -> str:
    match = _GO_MODULE.search(text)
    return match.group(1) if match else ""


def go_local_name(module: str) -> str:
    """Return the name that an import binds: the last part of the path that is no version."""
    path = module.rstrip("/")
    last = path.replace(".", "/").rpartition("/")[2]
    is_version = last[:1] == "v" and last[1:].isdigit()
    return path.rpartition("/")[0].rpartition("/")[2] if is_version else last


def find_java_target(tree: FileTree, origin: str, module: str) -> ImportTarget:
    """Return the file of a class, or the folder of a package, below any source root."""
    full_path = module.replace(".", "/")
    folder, _, name = full_path.rpartition("/")
    while folder or name:
        candidates = [path for path in tree.find_by_stem("java", name) if ends_in(dirname(path), folder)]
        if candidates:
            return ImportTarget(find_nearest(candidates, origin))
        if name[:1].islower() and folder:
            break
        folder, _, name = folder.rpartition("/")
    if folders := tree.find_folders(full_path):
        return ImportTarget(find_nearest(folders, origin) + "/")
    return ImportTarget(package=".".join(module.split(".")[:_PACKAGE_NAMES]))


class RustImports:
    """Resolves modules of the crates that Cargo.toml files declare."""

    def __init__(self, tree: FileTree) -> None:
        self._tree = tree
        self._crates = tree.map_manifest_names("Cargo.toml", _crate_name)

    def find_target(self, origin: str, module: str) -> ImportTarget:
        """Return the file of a module path; the part of the path inside that file is resolved separately."""
        parts = module.replace("::", ".").split(".")
        crate, module_path = self._find_crate(origin)
        if parts[0] == "crate":
            return self._find_file(crate, parts[1:])
        if parts[0] in ("self", "super"):
            while parts and parts[0] in ("self", "super"):
                module_path = module_path[:-1] if parts[0] == "super" else module_path
                parts = parts[1:]
            return self._find_file(crate, [*module_path, *parts])
        local = self._find_file(crate, [*module_path, *parts], is_exact=True)
        if local.path:
            return local
        crate_folder = self._crates.get(parts[0]) or self._crates.get(parts[0].replace("_", "-"))
        if crate_folder is not None and (root := self._find_crate_root(crate_folder)):
            return self._find_file(root, parts[1:])
        return ImportTarget(package=parts[0])

    def names_for(self, path: str) -> set[str]:
        """Return the crates whose root a file may be."""
        return {
            crate.replace("-", "_")
            for crate, home in self._crates.items()
            if path in (join(home, root) for root in _CRATE_ROOTS)
        }

    def _find_crate_root(self, folder: str) -> str:
        for name in _CRATE_ROOTS:
            if join(folder, name) in self._tree.paths:
                return join(folder, name)
        return ""

    def _find_crate(self, origin: str) -> tuple[str, list[str]]:
        """Return the root file of the crate that a file belongs to, and the file's module path in it."""
        folder = dirname(origin)
        while True:
            roots = [join(folder, name) for name in ("lib.rs", "main.rs")]
            root = origin if origin in roots else next((root for root in roots if root in self._tree.paths), "")
            if root:
                return root, _module_path(origin, folder)
            if not folder or ends_in(folder, "src/bin") or join(folder, "Cargo.toml") in self._tree.paths:
                # An additional binary, a test, an example or a benchmark is a separate crate.
                return origin, []
            folder = dirname(folder)

    def _find_file(self, root: str, parts: list[str], is_exact: bool = False) -> ImportTarget:
        """Return the deepest file on a module path, or only the file of the complete path."""
        folder = dirname(root)
        names = [part for part in parts if part]
        for length in range(len(names), 0, -1):
            base = join(folder, *names[:length])
            for path in (f"{base}.rs", f"{base}/mod.rs"):
                if path in self._tree.paths:
                    return ImportTarget(path)
            if is_exact:
                return NO_TARGET
        return NO_TARGET if is_exact else ImportTarget(root)


def rust_module(item: Import) -> str:
    """Return the module path of an import as seen from its file: `super` of an inline module is the file."""
    head, _, tail = item.module.partition(".")
    if head != "super" or item.scope < 0:
        return item.module
    return f"self.{tail}" if tail else "self"


def rust_inner_item(path: str, item: Import) -> str:
    """Return the inline module or type in the file that an import's path ends with; empty if it ends with the file."""
    *_, outer, inner = ("", *item.module.split("."))
    is_file = f"/{path}".endswith((f"/{inner}.rs", f"/{inner}/mod.rs")) and outer != inner
    return "" if is_file or inner in ("crate", "self", "super") else inner


def _module_path(origin: str, folder: str) -> list[str]:
    below = origin[len(folder) + 1 :] if folder else origin
    names = below.removesuffix(".rs").split("/")
    return names[:-1] if names[-1] in ("mod", "lib", "main") else names


def _crate_name(text: str) -> str:
    return get_string(nested_table(parse_toml_table(text), "package"), "name")


def find_c_target(tree: FileTree, origin: str, module: str) -> ImportTarget:
    """Return the included file."""
    sibling = normalise_path(join(dirname(origin), module))
    if sibling in tree.paths:
        return ImportTarget(str(sibling))
    named = tree.nearest_by_suffix("c", module, origin)
    return ImportTarget(named) if named else ImportTarget(package=module)


def find_ruby_target(tree: FileTree, origin: str, module: str) -> ImportTarget:
    """Return the required file, with or without its suffix; it may also be below `lib`."""
    for name in (normalise_path(join(dirname(origin), module)), join("lib", module)):
        for path in (name, f"{name}.rb"):
            if path in tree.paths:
                return ImportTarget(str(path))
    named = tree.nearest_by_suffix("ruby", module if module.endswith(".rb") else module + ".rb", origin)
    return ImportTarget(named) if named else ImportTarget(package=module.partition("/")[0])


def find_php_target(tree: FileTree, origin: str, module: str) -> ImportTarget:
    """Return the file whose path ends like the name, ignoring leading parts that match no folder."""
    path = module.replace("\\", "/").replace(".php", "").replace(".", "/").strip("/")
    parts = path.split("/")
    for start in range(max(len(parts) - 1, 1)):
        if matching_path := tree.nearest_by_suffix("php", "/".join(parts[start:]) + ".php", origin):
            return ImportTarget(matching_path)
    return ImportTarget(package=parts[0])
