"""The baselines: what a good engineer would write in an afternoon."""

from __future__ import annotations

import re
import sys
from collections import defaultdict
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from benchmarks.graph import scripts
from benchmarks.graph.edges import Edges, module_name

if TYPE_CHECKING:
    from collections.abc import Iterator

    from benchmarks.graph.edges import Pair

_PYTHON_IMPORT = re.compile(r"^[ \t]*import[ \t]+([\w., \t]+)", re.MULTILINE)
_PYTHON_FROM = re.compile(r"^[ \t]*from[ \t]+(\.*)([\w.]*)[ \t]+import[ \t]+(\([^)]*\)|[^\n]+)", re.MULTILINE)
_SCRIPT_ENDS = ("", ".ts", ".tsx", ".d.ts", ".js", ".jsx", ".mjs", "/index.ts", "/index.tsx", "/index.js")


def regex_edges(root: Path, files: set[str]) -> Edges:
    """Import statements by pattern, modules by path; an absolute one is the file with the shortest such path."""
    pairs: set[Pair] = set()
    by_end: dict[str, str] = {}
    for path in sorted(files, key=lambda path: (-len(path), path)):
        parts = path.removesuffix(".py").removesuffix("/__init__").split("/")
        by_end |= {"/".join(parts[at:]): path for at in range(len(parts))}
    for path in files:
        text = (root / path).read_text("utf-8", "replace")
        targets = _python_targets(path, text, by_end) if path.endswith(".py") else _script_targets(path, text, files)
        pairs |= {(path, target) for target in targets if target in files and target != path}
    return Edges(pairs, pairs, set(), set())


def _python_targets(path: str, text: str, by_end: dict[str, str]) -> Iterator[str]:
    for (names,) in (match.groups() for match in _PYTHON_IMPORT.finditer(text)):
        for name in names.split(","):
            yield _absolute_target(name.split(" as ")[0].strip().replace(".", "/"), by_end)
    for dots, module, names in _PYTHON_FROM.findall(text):
        base = module.replace(".", "/")
        if dots:
            folder = PurePosixPath(path).parents[min(len(dots), path.count("/") + 1) - 1]
            base = str(folder / base)
        inner = [
            name.split(" as ")[0].strip(" \t\n\\") for name in re.sub(r"#[^\n]*", "", names).strip("()").split(",")
        ]
        look = _relative_target if dots else _absolute_target
        modules = [inner_module for name in inner if (inner_module := look(f"{base}/{name}", by_end))]
        yield from modules
        if len(modules) < len([name for name in inner if name]):
            yield look(base, by_end)


def _relative_target(name: str, by_end: dict[str, str]) -> str:
    return by_end.get(name, "")


def _absolute_target(name: str, by_end: dict[str, str]) -> str:
    return "" if name.split("/")[0] in sys.stdlib_module_names else by_end.get(name, "")


def _script_targets(path: str, text: str, files: set[str]) -> Iterator[str]:
    for statement in scripts.imports(scripts.without_comments(text)):
        if statement[2].startswith("."):
            base = _normal(PurePosixPath(path).parent / statement[2])
            bases = [base, re.sub(r"\.m?js$", "", base)]
            yield next((name for base in bases for end in _SCRIPT_ENDS if (name := base + end) in files), "")


def _normal(path: PurePosixPath) -> str:
    parts: list[str] = []
    for part in path.parts:
        if part == ".." and parts:
            parts.pop()
        elif part not in (".", ".."):
            parts.append(part)
    return "/".join(parts)


_DEFINITION = re.compile(r"^(\s*)(?:async\s+)?(def|class)\s+(\w+)")
_CALL = re.compile(r"(?<![\w@])(\w+)\s*\(|@(\w+)")


def name_matching_edges(root: Path) -> Edges:
    """Every `name(` tied to every function of that name; a class is called for its `__init__`."""
    functions: dict[str, set[str]] = defaultdict(set)
    mentions: list[Pair] = []
    for path in sorted(root.rglob("*.py")):
        module = module_name(path.relative_to(root).as_posix())
        open_definitions: list[tuple[int, str]] = [(-1, module)]
        for line in filter(str.strip, path.read_text("utf-8").splitlines()):
            indent = len(line) - len(line.lstrip())
            while indent <= open_definitions[-1][0]:
                open_definitions.pop()
            caller = open_definitions[-1][1]
            if match := _DEFINITION.match(line):
                qualified = f"{caller}.{match[3]}"
                functions[match[3]] |= {qualified if match[2] == "def" else f"{qualified}.__init__"}
                open_definitions.append((indent, qualified))
            else:
                mentions += [(caller, called or decorator) for called, decorator in _CALL.findall(line)]
    listed_functions = functions["__init__"] | {
        name for names in functions.values() for name in names if "__init__" not in name
    }
    return Edges(
        set(), set(), {(who, callee) for who, name in mentions for callee in functions[name] & listed_functions}, set()
    )
