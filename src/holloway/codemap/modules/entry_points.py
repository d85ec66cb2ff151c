"""Finds the entry points of a project: files that manifests declare, and files that look like a start by their path."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import cast

from holloway.codemap.manifests import (
    Table,
    get_string,
    nested_table,
    parse_json_table,
    parse_toml_table,
    read_text,
)
from holloway.text.file_roles import is_test

MANIFESTS_READ_MAX = 60
ENTRY_TARGETS_MAX = 40
TARGET_CHARS_MAX = 300

_BY_PATH = (
    (re.compile(r"(^|/)__main__\.py\Z"), "python -m"),
    (re.compile(r"(^|/)(manage|wsgi|asgi)\.py\Z"), "application"),
    (re.compile(r"(^|/)(cmd/[^/]+/)?main\.go\Z"), "main"),
    (re.compile(r"(^|/)(src/)?main\.rs\Z|(^|/)src/bin/[^/]+\.rs\Z"), "main"),
    (re.compile(r"(^|/)(Main|Application|[A-Z]\w*Application)\.(java|kt)\Z"), "main"),
    (re.compile(r"(^|/)(Program\.cs|main\.(c|cc|cpp|cxx|py|rb|php|js|ts|tsx|mjs))\Z"), "started"),
    (re.compile(r"^([^/]+/){0,2}(server|cli|app)\.(py|js|ts|tsx|mjs|rb)\Z|^([^/]+/){0,2}bin/[^/]+\Z"), "started"),
    (re.compile(r"(^|/)(urls|routes)\.(py|rb|js|ts|php)\Z|(^|/)(pages|app)/api/.+\.(ts|js)\Z"), "routes"),
)
_ALWAYS = frozenset({"main", "python -m"})
"""Reasons that hold even if another file imports the file."""
_PYTHON_TARGET = re.compile(r"\s*([A-Za-z_][\w.]*)\s*(?::|\Z)")
_SETUP_SCRIPT = re.compile(r"""^[ \t]*["']?([\w.-]+)[ \t]*=[ \t]*([\w.]+):[\w.]+["']?,?[ \t]*$""", re.MULTILINE)
_WHY = re.compile(r"[\w.@/-]{1,40}( [\w.@/-]{1,40})?\Z")
"""Names of commands are shown to agents, so they must have this form."""
_SETUP_NAME = re.compile(r"""^[ \t]*name[ \t]*=[ \t]*["']?([\w.-]+)["']?,?[ \t]*$""", re.MULTILINE)
_BUILT = re.compile(r"^(\./)?(dist|build|lib|out|cjs|esm|es)/((cjs|esm|es|types|src)/)?")
_SUFFIXES = (".ts", ".tsx", ".mts", ".js", ".jsx", ".mjs", ".cjs")


def find_entry_points(
    root: Path, names: Collection[str], imports: Mapping[tuple[str, str], float] | None = None
) -> dict[str, str]:
    """Return the entry points of a project with their reasons. `imports` rules out files that others import."""
    paths = frozenset(names)
    reasons: dict[str, str] = {}
    for name in sorted(paths, key=lambda name: (name.count("/"), name)):
        if not is_test(name) and (reason := reason_by_path(name)):
            reasons[name] = reason
    imported = {
        imported_path
        for importer, imported_path in imports or {}
        if importer != imported_path and not is_test(importer)
    }
    reasons = {name: reason for name, reason in reasons.items() if reason in _ALWAYS or name not in imported}
    return reasons | dict(_read_manifests(root, paths))


def reason_by_path(name: str) -> str:
    """Return the reason why a path looks like an entry point; empty if it does not."""
    return next((reason for pattern, reason in _BY_PATH if pattern.search(name)), "")


def _read_manifests(root: Path, paths: frozenset[str]) -> Iterator[tuple[str, str]]:
    """Yield the entry points that manifests declare; those nearest to the root come last and so take precedence."""
    manifests = sorted(
        (name for name in paths if _file_name(name) in _READERS), key=lambda name: (name.count("/"), name)
    )
    for manifest in reversed(manifests[:MANIFESTS_READ_MAX]):
        folder = manifest.rpartition("/")[0]
        for target, reason in list(_READERS[_file_name(manifest)](read_text(root, manifest)))[:ENTRY_TARGETS_MAX]:
            if len(target) <= TARGET_CHARS_MAX and (path := _resolve_target(target, folder, paths)):
                yield path, reason if _WHY.match(reason) else "command"


def _file_name(name: str) -> str:
    return name.rpartition("/")[2]


def _resolve_target(target: str, folder: str, paths: frozenset[str]) -> str:
    """Return the file that a target names: a dotted Python module, or a path that may point to build output."""
    for candidate in _candidate_paths(target):
        for base in (f"{folder}/", f"{folder}/src/", f"{folder}/lib/"):
            path = (base + candidate).lstrip("/")
            if path in paths:
                return path
    return ""


def _candidate_paths(target: str) -> list[str]:
    path = PurePosixPath(target).as_posix()
    if "/" not in target and not target.endswith((*_SUFFIXES, ".rs", ".go", ".py", ".json")):
        module = target.replace(".", "/")
        return [f"{module}.py", f"{module}/__init__.py", f"{module}/__main__.py", path]
    source = _BUILT.sub("", path)
    stem = source.rpartition(".")[0] if source.endswith((*_SUFFIXES, ".d.ts")) else source
    return [path, *(f"{stem}{suffix}" for suffix in _SUFFIXES), *(f"{stem}/index{suffix}" for suffix in _SUFFIXES)]


def _read_pyproject(source: str) -> Iterator[tuple[str, str]]:
    data = parse_toml_table(source)
    for project in (nested_table(data, "project"), nested_table(data, "tool", "poetry")):
        if name := get_string(project, "name"):
            yield name.replace("-", "_").lower(), "package"
    for keys in (("project", "scripts"), ("project", "gui-scripts"), ("tool", "poetry", "scripts")):
        for name, target in nested_table(data, *keys).items():
            if isinstance(target, str) and (module := _PYTHON_TARGET.match(target)):
                yield module[1], f"command {name}"


def _read_setup(source: str) -> Iterator[tuple[str, str]]:
    if name := _SETUP_NAME.search(source):
        yield name[1].replace("-", "_").lower(), "package"
    if "console_scripts" in source:
        for name, module in _SETUP_SCRIPT.findall(source):
            yield module, f"command {name}"


def _read_package_json(source: str) -> Iterator[tuple[str, str]]:
    data = parse_json_table(source)
    for key in ("main", "module", "source"):
        if target := get_string(data, key):
            yield target, "package"
    exports = data.get("exports")
    root = exports.get(".") if isinstance(exports, dict) else exports
    for target in _collect_strings(root):
        yield target, "package"
    if data.get("name") and not data.get("private") and data.keys().isdisjoint({"main", "module", "source", "exports"}):
        yield "index.js", "package"  # Node.js uses it if none is declared.
    commands = data.get("bin")
    if isinstance(commands, str):
        yield commands, "command"
    for name, path in nested_table(data, "bin").items():
        if isinstance(path, str):
            yield path, f"command {name}"


def _collect_strings(value: object, depth: int = 0) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict) and depth < 4:
        return [
            text_value
            for inner_value in list(cast("Table", value).values())[:8]
            for text_value in _collect_strings(inner_value, depth + 1)
        ]
    return []


def _read_cargo(source: str) -> Iterator[tuple[str, str]]:
    data = parse_toml_table(source)
    yield "src/lib.rs", "crate"
    if path := get_string(nested_table(data, "lib"), "path"):
        yield path, "crate"
    programs = data.get("bin")
    for program in programs[:ENTRY_TARGETS_MAX] if isinstance(programs, list) else []:
        if isinstance(program, dict) and (path := get_string(cast("Table", program), "path")):
            yield path, f"command {get_string(cast('Table', program), 'name')}".rstrip()


_READERS = {
    "pyproject.toml": _read_pyproject,
    "setup.cfg": _read_setup,
    "setup.py": _read_setup,
    "package.json": _read_package_json,
    "Cargo.toml": _read_cargo,
}
