"""File pairs that are wanted, from a SCIP index.

A pair (A, B) of files is wanted under **imports** if an import statement of A names the module B, or names something
that B defines, re-exports followed: `from flask import Flask` wants both `flask/__init__.py` (named) and `flask/app.py`
(defined). It is wanted under **references** if anything at all in A means something that B defines, also through an
inferred type, which no import statement shows. Only files that the index covers count, on both sides.
 - TypeScript: named is each reference to a file's own symbol; defined is each other reference on the lines of an import
   or export statement. What `declare module './x'` adds elsewhere to a module does not count as that module.
 - Python: scip-python gives a relatively imported module a symbol that nothing defines, so what is named follows
   Python's own rules from the syntax tree. Importing `a.b` runs `a/__init__.py` as well: that pair is neither right nor
   wrong, unless a name is taken from there.
"""

from __future__ import annotations

import ast
import sys
from collections import defaultdict
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, NamedTuple

from benchmarks.graph import scripts
from holloway.codemap.scip import documents as naming
from holloway.codemap.scip import documents as scip

if TYPE_CHECKING:
    from collections.abc import Iterator

    from benchmarks.graph.edges import Pair


class Gold(NamedTuple):
    """What is wanted of a repository. A pair in `neither` is not held against anybody."""

    files: set[str]
    named: set[Pair]
    defined: set[Pair]
    references: set[Pair]
    neither: set[Pair]


def gold_of(index: Path, root: Path) -> Gold:
    """The file pairs that an index of this checkout tells."""
    documents = list(scip.read_documents(index))
    files = {document.path for document in documents}
    home = _homes(documents)
    gold = Gold(files, set(), set(), set(), set())
    for document in documents:
        text = (root / document.path).read_text("utf-8", "replace")
        is_python = document.path.endswith(".py")
        lines = _python_import_lines(text) if is_python else _script_import_lines(text)
        for occurrence in document.occurrences:
            target = home.get(occurrence.symbol)
            if target is None or target == document.path:
                continue
            pair = (document.path, target)
            gold.references.add(pair)
            if naming.symbol_kind_and_name(occurrence.symbol) == ("namespace", PurePosixPath(target).name):
                gold.named.add(pair)
            elif occurrence.line in lines:
                gold.defined.add(pair)
        if is_python:
            _add_python_modules(document.path, text, gold)
    gold.references.update(gold.named, gold.defined)
    return gold


def _homes(documents: list[scip.Document]) -> dict[str, str]:
    """The one file that defines each symbol."""
    paths_by_symbol: dict[str, set[str]] = defaultdict(set)
    for document in documents:
        for occurrence in document.occurrences:
            if occurrence.roles & scip.DEFINITION and not occurrence.symbol.startswith("local "):
                paths_by_symbol[occurrence.symbol].add(document.path)
    return {
        symbol: min(paths)
        for symbol, paths in paths_by_symbol.items()
        if len(paths) == 1 and not naming.is_augmentation(symbol)
    }


def _python_imports(text: str) -> list[ast.Import | ast.ImportFrom]:
    return [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Import | ast.ImportFrom)]


def _python_import_lines(text: str) -> set[int]:
    return {line for node in _python_imports(text) for line in range(node.lineno, (node.end_lineno or 0) + 1)}


def _add_python_modules(path: str, text: str, gold: Gold) -> None:
    """The modules that a file's import statements name, by Python's rules."""
    for node in _python_imports(text):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
            whole = {name: module_file(name, path, gold.files) for name in names}
        else:
            base = _absolute(node, path)
            inner = {alias.name: module_file(f"{base}/{alias.name}", path, gold.files) for alias in node.names}
            whole = {f"{base}.{name}": names_inside for name, names_inside in inner.items() if names_inside}
            if len(whole) < len(inner):
                whole[base] = module_file(base, path, gold.files)
        for target in whole.values():
            if target and target != path:
                gold.named.add((path, target))
            for package in _packages_above(target):
                gold.neither.add((path, package))


def _absolute(node: ast.ImportFrom, path: str) -> str:
    """The module that `from … import` names: dotted if absolute, a path from the root with a slash if relative."""
    if not node.level:
        return node.module or ""
    folder = PurePosixPath(path).parents[node.level - 1]
    return f"/{folder.joinpath(*(node.module or '').split('.'))}"


def module_file(name: str, path: str, files: set[str]) -> str:
    """The file of a module as a file sees it: below a folder that is no package itself, the nearest of several."""
    parts = name.replace(".", "/") if not name.startswith("/") else name
    ends = [f"{parts}.py", f"{parts}/__init__.py"] if parts.strip("/.") else [f"{parts}/__init__.py"]
    if name.startswith("/"):
        return next((end for end_parts in ends if (end := str(PurePosixPath(end_parts[1:]))) in files), "")
    if name.replace("/", ".").split(".")[0] in sys.stdlib_module_names:
        return ""
    matching_files = [
        file
        for file in files
        for end in ends
        if (file == end or file.endswith(f"/{end}")) and f"{file.removesuffix(end)}__init__.py" not in files
    ]
    nearness = {file: len(_list_common_folders(file, path)) for file in matching_files}
    best = [file for file in matching_files if nearness[file] == max(nearness.values())]
    return best[0] if len(best) == 1 else ""


def _list_common_folders(path: str, other_path: str) -> list[str]:
    parts = []
    for mine, theirs in zip(PurePosixPath(path).parts[:-1], PurePosixPath(other_path).parts[:-1], strict=False):
        if mine != theirs:
            break
        parts.append(mine)
    return parts


def _packages_above(path: str) -> Iterator[str]:
    module_path = PurePosixPath(path)
    for folder in module_path.parents if module_path.name != "__init__.py" else module_path.parent.parents:
        yield f"{folder}/__init__.py".removeprefix("./")


def _script_import_lines(text: str) -> set[int]:
    plain = scripts.without_comments(text)
    spans = [
        (plain.count("\n", 0, statement.start()), plain.count("\n", 0, statement.end()))
        for statement in scripts.imports(plain)
    ]
    return {line + 1 for start, end in spans for line in range(start, end + 1)}
