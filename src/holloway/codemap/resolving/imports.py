"""The file behind an import: what each language's module names mean in this project.

Everything here is a function of the project's paths and of a few small manifests, so the same tree gives the same
answers in whatever order it was read.
"""

from __future__ import annotations

import json
import re
import sys
import tomllib
from collections import defaultdict
from posixpath import dirname, join, normpath
from typing import TYPE_CHECKING, Any, NamedTuple

from holloway.codemap.reading.languages import family, language_of
from holloway.codemap.reading.roles import is_test

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

SCRIPT_SUFFIXES = (".ts", ".tsx", ".d.ts", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs", ".json", ".vue", ".svelte")
MANIFESTS = frozenset({"package.json", "tsconfig.json", "jsconfig.json", "go.mod", "Cargo.toml", "deno.json"})
"""Files whose content decides what imports mean: when one changes, everything is resolved again."""

PACKAGE_FAMILIES = frozenset({"go", "java"})
"""Languages in which the files of one folder see each other's names without an import."""

PLACES_KEPT = 20_000
"""Answers that are kept because the same file soon asks again: about 6 MB."""

FACES = {"__init__": "python", "index": "javascript", "mod": "rust", "lib": "rust", "main": "rust"}
"""Files that stand for the folder that they lie in, and the family that reads them so."""

_CRATE_ROOTS = ("src/lib.rs", "src/main.rs", "lib.rs", "main.rs")
_ENTRIES = ("src/index", "index", "src", "lib/index")
_AMBIGUOUS_MAX = 8
_WORD = re.compile(r"\w+")
_GO_MODULE = re.compile(r"^module\s+\"?([^\s\"]+)", re.MULTILINE)
_JSON_COMMENT = re.compile(r"(\"(?:[^\"\\]|\\.)*\")|//[^\n]*|/\*.*?\*/", re.DOTALL)
_TRAILING_COMMA = re.compile(r",(\s*[}\]])")


class Place(NamedTuple):
    """Where an import leads: a file, a directory (its path ends in a slash), or an external package."""

    path: str = ""
    package: str = ""


NOWHERE = Place()


class Importer:
    """Finds the file behind a module name."""

    def __init__(self, paths: Iterable[str], read: Callable[[str], str]) -> None:
        self.paths = frozenset(paths)
        self._read = read
        self.directories: dict[str, list[str]] = defaultdict(list)
        self._by_stem: dict[tuple[str, str], list[str]] = defaultdict(list)
        self._families: dict[str, str] = {}
        self._homes: dict[str, list[str]] = defaultdict(list)
        """For each name of a manifest the folders that hold one, those further out first."""
        for path in sorted(self.paths):
            folder, _, name = path.rpartition("/")
            self.directories[folder].append(path)
            if name in MANIFESTS:
                self._homes[name].append(folder)
            if row := language_of(path):
                self._families[path] = row.family or row.name
                self._by_stem[self._families[path], name.partition(".")[0]].append(path)
        for folders in self._homes.values():
            folders.sort(key=lambda folder: (folder.count("/"), folder))
        faces = ("__init__.py", "__init__.pyi")
        named = (path.rpartition("/") for path in self._by_stem.get(("python", "__init__"), ()))
        self._packages = frozenset(folder for folder, _, name in named if name in faces)
        self._code_in: dict[tuple[str, str, bool], list[str]] = {}
        self._found: dict[tuple[str, str, str], Place] = {}
        self._folders = self._all_folders()
        self._python_roots = self._top_level_python()
        self._go_modules = self._manifests("go.mod", _go_module)
        self._crates = self._manifests("Cargo.toml", _crate_name)
        self._workspaces = self._manifests("package.json", _package_name)
        self._aliases = self._script_aliases()
        self._rules: dict[str, Callable[[str, str], Place]] = {
            "python": self._python,
            "javascript": self._script,
            "go": self._go,
            "rust": self._rust,
            "java": self._java,
            "c": self._include,
            "ruby": self._ruby,
            "php": self._php,
        }

    def find(self, language_family: str, origin: str, module: str) -> Place:
        """The place that `module` names in the file `origin`."""
        key = (language_family, origin, module)
        place = self._found.get(key)
        if place is None:
            rule = self._rules.get(language_family)
            place = rule(origin, module) if rule and module else NOWHERE
            if len(self._found) >= PLACES_KEPT:
                self._found.clear()
            self._found[key] = place
        return place

    def submodule(self, language_family: str, place: Place, name: str) -> Place:
        """The module of that name inside a package, for languages where packages hold modules."""
        if language_family != "python" or not place.path or not name.isidentifier():
            return NOWHERE
        if not place.path.endswith(("/", "/__init__.py", "/__init__.pyi")) and place.path != "__init__.py":
            return NOWHERE
        return self._python_module(join(dirname(place.path), name))

    def of_stem(self, language_family: str, stem: str, origin: str) -> str:
        """The file of that name nearest to another, or nothing where too many carry it."""
        others = [path for path in self._by_stem.get((language_family, stem), ()) if path != origin] if stem else []
        return _nearest(others, origin) if 0 < len(others) <= _AMBIGUOUS_MAX else ""

    def words_for(self, path: str) -> set[str]:
        """For each name by which an import may mean this file, be it there or not, a word of that name."""
        folder = dirname(path)
        stem = _stem(path)
        row = language_of(path)
        language = family(row.name) if row else ""
        names = {stem, *self._script_names(path)}
        if stem in FACES or language in PACKAGE_FAMILIES:
            names.add(folder.rpartition("/")[2])
        if stem == "__init__":
            # What lies in the folder is now inside a package, or no longer.
            names |= {_stem(other) for other in self.directories.get(folder, ())}
            names |= {inner.rpartition("/")[2] for inner in self._folders if inner and dirname(inner) == folder}
        if language == "go":
            names |= {module for module, home in self._go_modules.items() if home == folder}
        if language == "rust":
            names |= {
                crate.replace("-", "_")
                for crate, home in self._crates.items()
                if path in (join(home, root) for root in _CRATE_ROOTS)
            }
        return {max(words, key=lambda word: (len(word), word)) for name in names if (words := words_in(name))}

    def _script_names(self, path: str) -> set[str]:
        """Names for a file that a manifest gives it: aliases, and the face of a workspace."""
        plain = path
        for ending in SCRIPT_SUFFIXES:
            plain = plain.removesuffix(ending)
        bases = {path, plain, *([dirname(path)] if plain.rpartition("/")[2] == "index" else [])}
        names = {
            name
            for name, home in self._workspaces.items()
            if _is_above(home, dirname(path))
            and not bases.isdisjoint(_within(join(home, entry)) for entry in self._workspace_entries(home))
        }
        for folder, patterns in self._aliases:
            for pattern, targets in patterns:
                for target in targets:
                    before, star, after = (_within(join(folder, target)) or "").partition("*")
                    for base in bases:
                        if star and base.startswith(before) and base.endswith(after):
                            names.add(base[len(before) : len(base) - len(after)] or pattern)
                        elif base == before:
                            names.add(pattern)
        return names

    def code_in(self, folder: str, language_family: str, *, tests: bool) -> list[str]:
        """The source files of a family that lie in a folder itself."""
        key = (folder, language_family, tests)
        if key not in self._code_in:
            found = [path for path in self.directories.get(folder, ()) if self._families.get(path) == language_family]
            self._code_in[key] = [path for path in found if tests or not is_test(path)]
        return self._code_in[key]

    def family_of(self, path: str) -> str:
        """The language family of a file; of a directory, the one whose files there are a package, if any is."""
        if not path.endswith("/"):
            return self._families.get(path, "")
        inside = {self._families.get(name, "") for name in self.directories.get(path.rstrip("/"), ())}
        return min(inside & PACKAGE_FAMILIES, default="")

    def _all_folders(self) -> frozenset[str]:
        found = {""}
        for folder in self.directories:
            while folder and folder not in found:
                found.add(folder)
                folder = dirname(folder)
        return frozenset(found)

    def _manifests(self, name: str, reader: Callable[[str], str]) -> dict[str, str]:
        """What each manifest of that name calls its folder: `{name: folder}`."""
        found: dict[str, str] = {}
        for folder in self._homes[name]:
            if called := reader(self._read(join(folder, name))):
                found.setdefault(called, folder)
        return found

    # Python

    def _top_level_python(self) -> dict[str, list[str]]:
        """Top-level names and the folders that they can be imported from, as if each were on the path."""
        roots: dict[str, set[str]] = defaultdict(set)
        for (language, stem), paths in self._by_stem.items():
            if language != "python":
                continue
            for path in paths:
                folder = path.rpartition("/")[0]
                if self._is_package(folder):
                    if stem == "__init__":
                        parent = folder.rpartition("/")[0]
                        if folder and not self._is_package(parent):
                            roots[folder.rpartition("/")[2]].add(parent)
                else:
                    roots[stem].add(folder)
        for folder in self._folders:
            root, _, name = folder.rpartition("/")
            if name and root in ("", "src", "lib") and not self._is_package(root):
                roots[name].add(root)
        return {name: sorted(folders, key=lambda f: (f.count("/") + bool(f), f)) for name, folders in roots.items()}

    def _is_package(self, folder: str) -> bool:
        return folder in self._packages

    def _python(self, origin: str, module: str) -> Place:
        if module.startswith("."):
            rest = module.lstrip(".")
            base = dirname(origin)
            for _ in range(len(module) - len(rest) - 1):
                if not base:
                    return NOWHERE
                base = dirname(base)
            return self._python_module(join(base, rest.replace(".", "/")) if rest else base)
        head = module.partition(".")[0]
        for root in self._roots_of(head, origin):
            place = self._python_module(join(root, module.replace(".", "/")))
            if place.path:
                return place
        return Place(package=head)

    def _roots_of(self, head: str, origin: str) -> list[str]:
        """Folders that hold the name: those above the file first, the nearest before the others."""
        folders = self._python_roots.get(head, [])
        here = dirname(origin)
        if head in sys.stdlib_module_names:
            return [here] if here in folders and not self._is_package(here) else []
        above = [folder for folder in folders if _is_above(folder, here)]
        return sorted(above, key=len, reverse=True) + [folder for folder in folders if folder not in above]

    def _python_module(self, base: str) -> Place:
        for path in (f"{base}/__init__.py" if base else "__init__.py", f"{base}.py", f"{base}.pyi"):
            if path in self.paths:
                return Place(path)
        return Place(base + "/") if base in self._folders and base else NOWHERE

    # JavaScript and TypeScript

    def _script(self, origin: str, module: str) -> Place:
        if module.startswith("."):
            return self._script_file(_within(join(dirname(origin), module)))
        if module.startswith("node:"):
            return Place(package=module)
        for folder, patterns in self._aliases:
            if _is_above(folder, dirname(origin)):
                for target in _expanded(patterns, module):
                    place = self._script_file(_within(join(folder, target)))
                    if place.path:
                        return place
        parts = module.split("/")
        package = "/".join(parts[:2]) if module.startswith("@") else parts[0]
        if package in self._workspaces:
            place = self._workspace_file(self._workspaces[package], module[len(package) + 1 :])
            if place.path:
                return place
        return Place(package=package)

    def _script_file(self, base: str | None) -> Place:
        if base is None:
            return NOWHERE
        stem, dot, suffix = base.rpartition(".")
        if dot and suffix in ("js", "jsx", "mjs", "cjs"):
            # TypeScript writes the name of the compiled file.
            written = {"js": (".ts", ".tsx"), "jsx": (".tsx",), "mjs": (".mts",), "cjs": (".cts",)}[suffix]
            for path in (*(stem + other for other in written), base):
                if path in self.paths:
                    return Place(path)
        if base in self.paths:
            return Place(base)
        for ending in SCRIPT_SUFFIXES:
            if base + ending in self.paths:
                return Place(base + ending)
        for ending in SCRIPT_SUFFIXES:
            if join(base, "index" + ending) in self.paths:
                return Place(join(base, "index" + ending))
        return NOWHERE

    def _workspace_file(self, folder: str, inside: str) -> Place:
        for name in [inside, f"src/{inside}"] if inside else self._workspace_entries(folder):
            place = self._script_file(_within(join(folder, name))) if name else NOWHERE
            if place.path:
                return place
        return NOWHERE

    def _workspace_entries(self, folder: str) -> list[str]:
        return [*_entries(_json(self._read(join(folder, "package.json")))), *_ENTRIES]

    def _script_aliases(self) -> list[tuple[str, list[tuple[str, list[str]]]]]:
        """Path aliases of the nearest tsconfig: (folder, [(pattern, targets)]), the deepest folder first."""
        found: list[tuple[str, list[tuple[str, list[str]]]]] = []
        homes = [(folder, name) for name in ("tsconfig.json", "jsconfig.json") for folder in self._homes[name]]
        for folder, name in sorted(homes, key=lambda home: (-home[0].count("/") - bool(home[0]), home[0])):
            patterns = self._tsconfig(join(folder, name), 0)
            if patterns:
                found.append((folder, patterns))
        return found

    def _tsconfig(self, path: str, depth: int) -> list[tuple[str, list[str]]]:
        data = _json(self._read(path)) if path in self.paths else {}
        options = data.get("compilerOptions")
        options = options if isinstance(options, dict) else {}
        paths = options.get("paths")
        named_base = options.get("baseUrl")
        base = named_base if isinstance(named_base, str) else ""
        patterns: list[tuple[str, list[str]]] = []
        if isinstance(paths, dict):
            for pattern, targets in list(paths.items())[:200]:
                if isinstance(targets, list):
                    named = [join(base, target) for target in targets if isinstance(target, str)][:_AMBIGUOUS_MAX]
                    patterns.append((pattern, named))
        if base:
            patterns.append(("*", [join(base, "*")]))
        parent = data.get("extends")
        if not patterns and isinstance(parent, str) and parent.startswith(".") and depth < 4:
            outer = _within(join(dirname(path), parent))
            for name in (outer, f"{outer}.json"):
                if outer and name in self.paths:
                    up = dirname(str(name))
                    inherited = self._tsconfig(str(name), depth + 1)
                    here = dirname(path)
                    return [(p, [_relative(join(up, target), here) for target in ts]) for p, ts in inherited]
        return patterns

    # Go

    def _go(self, origin: str, module: str) -> Place:
        for name, folder in sorted(self._go_modules.items(), key=lambda item: -len(item[0])):
            if module == name or module.startswith(name + "/"):
                inside = join(folder, module[len(name) + 1 :]).rstrip("/")
                return Place(inside + "/") if inside in self.directories else NOWHERE
        return Place(package=module)

    # Rust

    def _rust(self, origin: str, module: str) -> Place:
        """The file of a module path; what it names inside that file is found by the resolver."""
        parts = module.replace("::", ".").split(".")
        crate, inside = self._crate_of(origin)
        if parts[0] == "crate":
            return self._rust_file(crate, parts[1:])
        if parts[0] in ("self", "super"):
            while parts and parts[0] in ("self", "super"):
                inside = inside[:-1] if parts[0] == "super" else inside
                parts = parts[1:]
            return self._rust_file(crate, [*inside, *parts])
        local = self._rust_file(crate, [*inside, *parts], whole=True)
        if local.path:
            return local
        named = self._crates.get(parts[0]) or self._crates.get(parts[0].replace("_", "-"))
        if named is not None and (root := self._crate_root(named)):
            return self._rust_file(root, parts[1:])
        return Place(package=parts[0])

    def _crate_root(self, folder: str) -> str:
        for name in _CRATE_ROOTS:
            if join(folder, name) in self.paths:
                return join(folder, name)
        return ""

    def _crate_of(self, origin: str) -> tuple[str, list[str]]:
        """The root file of the crate that a file belongs to, and the file's module path in it."""
        folder = dirname(origin)
        while True:
            for name in ("lib.rs", "main.rs"):
                root = join(folder, name)
                if root in self.paths:
                    return root, _rust_module(origin, folder)
            if not folder or join(folder, "Cargo.toml") in self.paths:
                # A test, example or benchmark is a crate of its own.
                return origin, []
            folder = dirname(folder)

    def _rust_file(self, root: str, parts: list[str], whole: bool = False) -> Place:
        """The deepest file on a module path, or only the file of the whole path."""
        folder = dirname(root)
        names = [part for part in parts if part]
        for length in range(len(names), 0, -1):
            base = join(folder, *names[:length])
            for path in (f"{base}.rs", f"{base}/mod.rs"):
                if path in self.paths:
                    return Place(path)
            if whole:
                return NOWHERE
        return NOWHERE if whole else Place(root)

    # Java and Kotlin

    def _java(self, origin: str, module: str) -> Place:
        folder, _, name = module.replace(".", "/").rpartition("/")
        while folder or name:
            near = [path for path in self._by_stem.get(("java", name), ()) if _ends_in(dirname(path), folder)]
            if near:
                return Place(_nearest(near, origin))
            if not name[:1].islower() or not folder:
                folder, _, name = folder.rpartition("/")
                continue
            break
        whole = module.replace(".", "/")
        folders = [path for path in self.directories if _ends_in(path, whole)]
        if folders:
            return Place(_nearest(folders, origin) + "/")
        return Place(package=".".join(module.split(".")[:3]))

    # The rest: names of files

    def _include(self, origin: str, module: str) -> Place:
        beside = _within(join(dirname(origin), module))
        if beside in self.paths:
            return Place(str(beside))
        return self._by_suffix("c", origin, module) or Place(package=module)

    def _ruby(self, origin: str, module: str) -> Place:
        for name in (_within(join(dirname(origin), module)), join("lib", module)):
            for path in (name, f"{name}.rb"):
                if path in self.paths:
                    return Place(str(path))
        named = module if module.endswith(".rb") else module + ".rb"
        return self._by_suffix("ruby", origin, named) or Place(package=module.partition("/")[0])

    def _php(self, origin: str, module: str) -> Place:
        path = module.replace("\\", "/").replace(".php", "").replace(".", "/").strip("/")
        parts = path.split("/")
        for start in range(max(len(parts) - 1, 1)):
            if found := self._by_suffix("php", origin, "/".join(parts[start:]) + ".php"):
                return found
        return Place(package=parts[0])

    def _by_suffix(self, language: str, origin: str, name: str) -> Place | None:
        stem = name.rpartition("/")[2].partition(".")[0]
        near = [path for path in self._by_stem.get((language, stem), ()) if path == name or path.endswith("/" + name)]
        return Place(_nearest(near, origin)) if near else None


def words_in(name: str) -> list[str]:
    """The words of a module's name, as they are kept to find who imports it."""
    return _WORD.findall(name)


def _stem(path: str) -> str:
    return path.rpartition("/")[2].lstrip(".").partition(".")[0]


def _is_above(folder: str, other: str) -> bool:
    return not folder or other == folder or other.startswith(folder + "/")


def _ends_in(path: str, tail: str) -> bool:
    return not tail or path == tail or path.endswith("/" + tail)


def _nearest(paths: list[str], origin: str) -> str:
    """The one that shares most of its folders with the file that asks."""

    def shared(path: str) -> int:
        count = 0
        for one, other in zip(path.split("/"), origin.split("/"), strict=False):
            if one != other:
                break
            count += 1
        return count

    return min(paths, key=lambda path: (-shared(path), len(path), path))


def _within(path: str) -> str | None:
    """The path without dots; None where it leaves the project."""
    plain = normpath(path)
    return None if plain.startswith(("..", "/")) else "" if plain == "." else plain


def _relative(path: str, folder: str) -> str:
    ups = folder.count("/") + 1 if folder else 0
    return "../" * ups + path


def _rust_module(origin: str, folder: str) -> list[str]:
    inside = origin[len(folder) + 1 :] if folder else origin
    names = inside.removesuffix(".rs").split("/")
    return names[:-1] if names[-1] in ("mod", "lib", "main") else names


def _expanded(patterns: list[tuple[str, list[str]]], module: str) -> list[str]:
    found: list[str] = []
    for pattern, targets in patterns:
        before, star, after = pattern.partition("*")
        if star and module.startswith(before) and module.endswith(after) and len(module) >= len(before) + len(after):
            middle = module[len(before) : len(module) - len(after)]
            found += [target.replace("*", middle, 1) for target in targets]
        elif module == pattern:
            found += targets
    return found


def _json(text: str) -> dict[str, Any]:
    """A JSON object, comments and trailing commas allowed; anything else is an empty one."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        try:
            data = json.loads(_TRAILING_COMMA.sub(r"\1", _JSON_COMMENT.sub(lambda m: m.group(1) or "", text)))
        except (ValueError, RecursionError):
            return {}
    return data if isinstance(data, dict) else {}


def _entries(manifest: dict[str, Any]) -> list[str]:
    """Files that a package.json names as its face, sources before what is built from them."""
    named: list[str] = []

    def gather(value: object, depth: int) -> None:
        if isinstance(value, str):
            named.append(value)
        elif isinstance(value, dict) and depth < 4:
            for inner in list(value.values())[:20]:
                gather(inner, depth + 1)

    exports = manifest.get("exports")
    gather(exports.get(".", exports) if isinstance(exports, dict) else exports, 0)
    for key in ("source", "types", "module", "main"):
        gather(manifest.get(key), 0)
    built = [re.sub(r"^(\./)?(dist|build|lib|out)/", "src/", name) for name in named]
    return [re.sub(r"\.(d\.ts|js|mjs|cjs)$", "", name) for name in built] + named


def _package_name(text: str) -> str:
    name = _json(text).get("name")
    return name if isinstance(name, str) else ""


def _go_module(text: str) -> str:
    found = _GO_MODULE.search(text)
    return found.group(1) if found else ""


def _crate_name(text: str) -> str:
    try:
        package = tomllib.loads(text).get("package")
    except (tomllib.TOMLDecodeError, RecursionError):
        return ""
    name = package.get("name") if isinstance(package, dict) else None
    return name if isinstance(name, str) else ""
