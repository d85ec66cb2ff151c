"""B6: how right the edges of the map are, file to file against SCIP indexes and function to function against PyCG's.

python -m benchmarks.b6_graph --graphs DIR --pycg DIR [--json OUT]

File edges. A pair (A, B) of files is wanted under **imports** if an import statement of A names the module B, or names
something that B defines, re-exports followed: `from flask import Flask` wants both `flask/__init__.py` (named) and
`flask/app.py` (defined). It is wanted under **references** if anything at all in A means something that B defines, also
through an inferred type, which no import statement shows. Only files that the index covers count, on both sides.
 - TypeScript: named is each reference to a file's own symbol; defined is each other reference on the lines of an import
   or export statement. What `declare module './x'` adds elsewhere to a module does not count as that module.
 - Python: scip-python gives a relatively imported module a symbol that nothing defines, so what is named follows
   Python's own rules from the syntax tree. Importing `a.b` runs `a/__init__.py` as well: that pair is neither right nor
   wrong, unless a name is taken from there.

Call edges. A pair (caller, callee) of dotted names; code of a module is called by the module's name, a class stands
for its (inherited) `__init__` and for nothing without one. **Own** pairs have a callee in the case's own files,
lambdas included. **External** ones are scored apart as (caller, package); builtins are counted but not scored.
"""

from __future__ import annotations

import argparse
import ast
import json
import random
import re
import shutil
import sqlite3
import sys
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

from benchmarks.report import grid
from holloway.codemap import scip
from holloway.codemap.database import open_map
from holloway.codemap.index import index

SEED = 20260208
RESAMPLES = 1_000
REPOSITORIES = ("flask", "hono")
HOW_TO_MAKE = """B6 needs checkouts of flask and hono with their SCIP indexes beside them (DIR/flask, DIR/flask.scip)
and the micro-benchmark of PyCG. To make them, in an empty DIR:
  npm install --prefix . @sourcegraph/scip-python@0.6.6 @sourcegraph/scip-typescript@0.4.0
  git clone https://github.com/pallets/flask && git clone https://github.com/honojs/hono
  python3 -m venv venv && venv/bin/pip install werkzeug jinja2 itsdangerous click blinker pytest
  echo '{"extraPaths": ["src", "examples/tutorial", "examples/celery/src", "examples/javascript"]}' \\
    > flask/pyrightconfig.json
  (cd flask && PATH=$PWD/../venv/bin:$PATH ../node_modules/.bin/scip-python index . --project-name flask \\
    --project-version HEAD --output ../flask.scip && rm pyrightconfig.json)
  (cd hono && ../node_modules/.bin/scip-typescript index --output ../hono.scip)
  git clone https://github.com/vitsalis/PyCG  # then --pycg PyCG/micro-benchmark
The virtual environment must not hold flask itself, or its tests are tied to that copy."""

Pair = tuple[str, str]


class Edges(NamedTuple):
    """What one side says about a folder: file pairs by import, file pairs by anything, pairs of dotted names."""

    imports: set[Pair]
    references: set[Pair]
    calls: set[Pair]
    external: set[Pair]


class Gold(NamedTuple):
    """What is wanted of a repository. A pair in `neither` is not held against anybody."""

    files: set[str]
    named: set[Pair]
    defined: set[Pair]
    references: set[Pair]
    neither: set[Pair]


class Counts(NamedTuple):
    """What one file or one case brings: pairs found that are right, pairs found, pairs wanted."""

    right: int
    found: int
    wanted: int


class Score(NamedTuple):
    """Precision, recall and F1 over all pairs, with the middle 95 % of F1 when files or cases are drawn anew."""

    precision: float
    recall: float
    f1: float
    low: float
    high: float
    wanted: int

    def row(self) -> list[Any]:
        """The cells of a table."""
        return [self.precision, self.recall, self.f1, f"{self.low:.2f} to {self.high:.2f}", self.wanted]


def score(counts: list[Counts]) -> Score:
    """Micro-averaged, so that a file with many imports counts as many."""
    chance = random.Random(SEED)
    drawn = sorted(_rates(chance.choices(counts, k=len(counts)))[2] for _ in range(RESAMPLES)) if counts else [0.0]
    low, high = drawn[int(0.025 * len(drawn))], drawn[int(0.975 * len(drawn))]
    return Score(*_rates(counts), low, high, sum(one.wanted for one in counts))


def _rates(counts: list[Counts]) -> tuple[float, float, float]:
    right, found, wanted = (sum(column) for column in zip(*counts, strict=True)) if counts else (0, 0, 0)
    return right / (found or 1), right / (wanted or 1), 2 * right / (found + wanted or 1)


def counted(found: set[Pair], wanted: set[Pair], neither: Iterable[Pair] = ()) -> list[Counts]:
    """The counts of each source of a pair."""
    found = found - (set(neither) - wanted)
    sources = sorted({source for source, _ in found | wanted})
    sides = [defaultdict[str, set[str]](set) for _ in range(2)]
    for side, pairs in zip(sides, (found, wanted), strict=True):
        for source, target in pairs:
            side[source].add(target)
    return [Counts(len(sides[0][one] & sides[1][one]), len(sides[0][one]), len(sides[1][one])) for one in sources]


# What is wanted.


def gold_of(index: Path, root: Path) -> Gold:
    """The file pairs that an index of this checkout tells."""
    documents = list(scip.read(index))
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
            if scip.symbol_kind_and_name(occurrence.symbol) == ("namespace", PurePosixPath(target).name):
                gold.named.add(pair)
            elif occurrence.line in lines:
                gold.defined.add(pair)
        if is_python:
            _add_python_modules(document.path, text, gold)
    gold.references.update(gold.named, gold.defined)
    return gold


def _homes(documents: list[scip.Document]) -> dict[str, str]:
    """The one file that defines each symbol."""
    found: dict[str, set[str]] = defaultdict(set)
    for document in documents:
        for occurrence in document.occurrences:
            if occurrence.roles & scip.DEFINITION and not occurrence.symbol.startswith("local "):
                found[occurrence.symbol].add(document.path)
    return {
        symbol: min(paths) for symbol, paths in found.items() if len(paths) == 1 and not scip.is_augmentation(symbol)
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
            whole = {f"{base}.{name}": found for name, found in inner.items() if found}
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
        return next((end for one in ends if (end := str(PurePosixPath(one[1:]))) in files), "")
    if name.replace("/", ".").split(".")[0] in sys.stdlib_module_names:
        return ""
    found = [
        one
        for one in files
        for end in ends
        if (one == end or one.endswith(f"/{end}")) and f"{one.removesuffix(end)}__init__.py" not in files
    ]
    nearness = {one: len(_shared(one, path)) for one in found}
    best = [one for one in found if nearness[one] == max(nearness.values())]
    return best[0] if len(best) == 1 else ""


def _shared(one: str, other: str) -> list[str]:
    parts = []
    for mine, theirs in zip(PurePosixPath(one).parts[:-1], PurePosixPath(other).parts[:-1], strict=False):
        if mine != theirs:
            break
        parts.append(mine)
    return parts


def _packages_above(path: str) -> Iterator[str]:
    own = PurePosixPath(path)
    for folder in own.parents if own.name != "__init__.py" else own.parent.parents:
        yield f"{folder}/__init__.py".removeprefix("./")


_COMMENT = re.compile(r"""('(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`)|/\*.*?\*/|//[^\n]*""", re.DOTALL)
_SCRIPT_IMPORT = re.compile(
    r"""^[ \t]*(?:(?:import|export)\b[\w$*{},\s]*?\bfrom\s*|import\s*)(['"])([^'"\n]+)\1""", re.MULTILINE
)


def _script_import_lines(text: str) -> set[int]:
    plain = _without_comments(text)
    spans = [(plain.count("\n", 0, one.start()), plain.count("\n", 0, one.end())) for one in _script_imports(plain)]
    return {line + 1 for start, end in spans for line in range(start, end + 1)}


def _script_imports(text: str) -> Iterator[re.Match[str]]:
    return _SCRIPT_IMPORT.finditer(text)


def _without_comments(text: str) -> str:
    return _COMMENT.sub(lambda found: found[1] or "\n" * found[0].count("\n"), text)


# The baselines: what a good engineer would write in an afternoon.

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
    for (names,) in (found.groups() for found in _PYTHON_IMPORT.finditer(text)):
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
        modules = [found for name in inner if (found := look(f"{base}/{name}", by_end))]
        yield from modules
        if len(modules) < len([name for name in inner if name]):
            yield look(base, by_end)


def _relative_target(name: str, by_end: dict[str, str]) -> str:
    return by_end.get(name, "")


def _absolute_target(name: str, by_end: dict[str, str]) -> str:
    return "" if name.split("/")[0] in sys.stdlib_module_names else by_end.get(name, "")


def _script_targets(path: str, text: str, files: set[str]) -> Iterator[str]:
    for found in _script_imports(_without_comments(text)):
        if found[2].startswith("."):
            base = _normal(PurePosixPath(path).parent / found[2])
            bases = [base, re.sub(r"\.m?js$", "", base)]
            yield next((name for one in bases for end in _SCRIPT_ENDS if (name := one + end) in files), "")


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
            if found := _DEFINITION.match(line):
                qualified = f"{caller}.{found[3]}"
                functions[found[3]] |= {qualified if found[2] == "def" else f"{qualified}.__init__"}
                open_definitions.append((indent, qualified))
            else:
                mentions += [(caller, called or decorator) for called, decorator in _CALL.findall(line)]
    known = functions["__init__"] | {name for names in functions.values() for name in names if "__init__" not in name}
    return Edges(set(), set(), {(who, callee) for who, name in mentions for callee in functions[name] & known}, set())


def module_name(path: str) -> str:
    """The dotted name of a module, as PyCG writes it."""
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


# The map, as any program would read it.

IMPORT_KINDS = frozenset({"imports", "imports_symbol"})
REFERENCE_KINDS = IMPORT_KINDS | frozenset("exports calls instantiates extends implements overrides typed_as".split())
CALL_KINDS = frozenset({"calls", "instantiates"})
_EDGES = """
SELECT e.kind, e.source, e.target, a.path, b.path, t.name
FROM edges e
JOIN nodes s ON s.id = e.source JOIN nodes t ON t.id = e.target
JOIN files a ON a.id = s.file LEFT JOIN files b ON b.id = t.file
WHERE e.origin = 'ast'
"""
_NODES = "SELECT n.id, n.kind, n.name, n.qualified, n.parent, f.path FROM nodes n JOIN files f ON f.id = n.file"


def make_map(root: Path, database: Path) -> None:
    """Index a folder into a map of its own."""
    with_map = open_map(database)
    index(with_map, root, workers=1)
    with_map.close()


def map_edges(database: Path) -> Edges:
    """What the map in a file says, from its syntax trees alone: an imported SCIP index would be judged by itself."""
    connection = sqlite3.connect(f"file:{database}?mode=ro", uri=True)
    rows = connection.execute(_EDGES).fetchall()
    nodes = {row[0]: row[1:] for row in connection.execute(_NODES)}
    connection.close()
    makers = _makers(nodes, [(source, target) for kind, source, target, *_ in rows if kind == "extends"])
    edges = Edges(set(), set(), set(), set())
    for kind, source, target, path, target_path, name in rows:
        if kind == "calls_external":
            edges.external.add((_dotted(nodes[source]), name))
        if target_path is None:
            continue
        if path != target_path and kind in IMPORT_KINDS:
            edges.imports.add((path, target_path))
        if path != target_path and kind in REFERENCE_KINDS:
            edges.references.add((path, target_path))
        if kind in CALL_KINDS and (called := makers.get(target, target)):
            edges.calls.add((_dotted(nodes[source]), _dotted(nodes[called])))
    return edges


def _makers(nodes: dict[int, Any], extends: list[tuple[int, int]]) -> dict[int, int]:
    """For each class its own or inherited `__init__`; 0 for one that has none."""
    own = {parent: node for node, (_, name, _, parent, _) in nodes.items() if name == "__init__"}
    bases: dict[int, list[int]] = defaultdict(list)
    for source, target in extends:
        bases[source].append(target)
    found: dict[int, int] = {}
    for node in (node for node, (kind, *_) in nodes.items() if kind == "class"):
        line, seen = [node], {node}
        while line and line[0] not in own:
            line += [base for base in bases[line.pop(0)] if base not in seen]
            seen.update(line)
        found[node] = own[line[0]] if line else 0
    return found


def _dotted(node: Any) -> str:
    kind, _, qualified, _, path = node
    return module_name(path) if kind == "file" else f"{module_name(path)}.{qualified}"


# The two measurements.


class Case(NamedTuple):
    """One program of the micro-benchmark."""

    category: str
    name: str
    root: Path
    own: set[Pair]
    external: set[Pair]
    builtin: set[Pair]


def cases_of(folder: Path) -> list[Case]:
    """All programs, with what they call."""
    cases = []
    for listed in sorted((folder / "snippets").glob("*/*/callgraph.json")):
        root = listed.parent
        modules = {module_name(path.relative_to(root).as_posix()) for path in root.rglob("*.py")}
        graph: dict[str, list[str]] = json.loads(listed.read_text("utf-8"))
        pairs = {(caller, callee) for caller, callees in graph.items() for callee in callees}
        own = {pair for pair in pairs if any(pair[1].startswith(f"{module}.") for module in modules)}
        builtin = {pair for pair in pairs if pair[1].startswith("<")}
        external = {(caller, callee.partition(".")[0]) for caller, callee in pairs - own - builtin}
        cases.append(Case(root.parent.name, root.name, root, own, external, builtin))
    return cases


def is_test(path: str) -> bool:
    """Whether a file is a test, by its folder or its name."""
    return bool(re.search(r"(^|/)([\w-]+-)?(tests?|__tests__)/|(^|/)(test_|conftest\.)|\.(test|spec)\.", path))


def file_tables(graphs: Path) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """File edges of each repository, without and with its tests."""
    rows, reached, figures = [], [], {}
    for name in REPOSITORIES:
        root = graphs / name
        gold = gold_of(graphs / f"{name}.scip", root)
        sides = {"regex scanner": regex_edges(root, gold.files), "map": _map_of(root)}
        for scope in ("without tests", "with tests"):
            files = {path for path in gold.files if scope == "with tests" or not is_test(path)}
            inside = _inside(files)
            named, defined, references = inside(gold.named), inside(gold.defined), inside(gold.references)
            for side, edges in sides.items():
                found = inside(edges.imports)
                one = score(counted(found, named | defined, gold.neither))
                parts = [
                    len(found & named) / (len(named) or 1),
                    len(found & defined - named) / (len(defined - named) or 1),
                ]
                whole = score(counted(inside(edges.references), references, gold.neither))
                rows.append([name, scope, side, *one.row(), *parts])
                reached.append([name, scope, side, *whole.row()])
                figures[f"{name} {scope} {side}"] = {"imports": one._asdict(), "references": whole._asdict()}
    columns = ["repository", "scope", "side", "precision", "recall", "F1", "F1, 95 % interval", "wanted"]
    rows, reached = rows + _means(rows), reached + _means(reached)
    return [
        {"title": "File edges: imports", "columns": [*columns, "recall, named", "recall, defined only"], "rows": rows},
        {"title": "File edges: all references", "columns": columns, "rows": reached},
    ], figures


def _means(rows: list[list[Any]]) -> list[list[Any]]:
    """The repositories' mean for each scope and side."""
    groups: dict[tuple[str, str], list[list[Any]]] = defaultdict(list)
    for row in rows:
        groups[row[1], row[2]].append(row)
    return [
        ["mean", *key, *(sum(column) / len(column) for column in list(zip(*group, strict=True))[3:6]), "", None]
        + [sum(column) / len(column) for column in list(zip(*group, strict=True))[8:]]
        for key, group in groups.items()
    ]


def _inside(files: set[str]) -> Callable[[set[Pair]], set[Pair]]:
    return lambda pairs: {pair for pair in pairs if pair[0] in files and pair[1] in files}


def _map_of(root: Path) -> Edges:
    """The map of a copy without git's folder and without any index that could lie in it."""
    with tempfile.TemporaryDirectory() as folder:
        copy, database = Path(folder, root.name), Path(folder, "map.db")
        shutil.copytree(root, copy, ignore=shutil.ignore_patterns(".git", "node_modules", "*.scip", "callgraph.json"))
        make_map(copy, database)
        return map_edges(database)


def call_tables(pycg: Path) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Call edges of the micro-benchmark, by category."""
    cases = cases_of(pycg)
    sides = {
        "name matching": [name_matching_edges(case.root) for case in cases],
        "map": [_map_of(case.root) for case in cases],
    }
    rows, totals, figures = [], [], {}
    for side, found in sides.items():
        own = [_counts(edges.calls, case.own) for case, edges in zip(cases, found, strict=True)]
        external = [_counts(edges.external, case.external) for case, edges in zip(cases, found, strict=True)]
        for what, counts in (("own", own), ("external", external)):
            without_miss = sum(one.right == one.wanted for one in counts)
            without_error = sum(one.right == one.found for one in counts)
            totals.append([side, what, *score(counts).row(), without_miss, without_error])
            figures[f"{side} {what}"] = score(counts)._asdict()
        for category in sorted({case.category for case in cases}):
            part = [one for case, one in zip(cases, own, strict=True) if case.category == category]
            rows.append([category, side, *score(part).row(), len(part)])
    rows.sort(key=lambda row: row[0])
    columns = ["precision", "recall", "F1", "F1, 95 % interval", "wanted"]
    more = ["cases without a miss", "cases without an error"]
    counts_of = [["programs", len(cases)], ["pairs to builtins, not scored", sum(len(case.builtin) for case in cases)]]
    return [
        {"title": "Call edges", "columns": ["side", "callees", *columns, *more], "rows": totals},
        {
            "title": "Call edges by category, own callees",
            "columns": ["category", "side", *columns, "cases"],
            "rows": rows,
        },
        {"title": "What the call edges were measured on", "columns": ["figure", "count"], "rows": counts_of},
    ], figures


def _counts(found: set[Pair], wanted: set[Pair]) -> Counts:
    return Counts(len(found & wanted), len(found), len(wanted))


HOW = [
    "File edges, imports: a pair of files is wanted if an import statement of the first names the second, or names "
    "something that the second defines, re-exports followed. `from flask import Flask` wants flask/__init__.py (named) "
    "and flask/app.py (defined). That Python runs the packages above an imported module as well is neither right nor "
    "wrong.",
    "File edges, all references: a pair is wanted if anything in the first means something that the second defines, "
    "also through an inferred type that no import statement shows. The map is judged by all of its edges, the scanner "
    "by its imports.",
    "The truth is a SCIP index (scip-python 0.6.6, scip-typescript 0.4.0) of the same checkout; only files that it "
    "covers count. scip-python does not tie relatively imported modules to their files: what is named follows Python's "
    "rules. What `declare module` adds to a module of TypeScript does not count as that module.",
    "The regex scanner matches import statements by pattern and finds modules by path, absolute ones by the shortest "
    "path that ends so, without the standard library's names.",
    "Call edges: PyCG's micro-benchmark, pairs of caller and callee; the caller of code outside of functions is the "
    "module, a class stands for its `__init__`. Own callees lie in the program's files, lambdas included; external "
    "ones count as their package. Name matching ties every `name(` to every function of that name.",
    "Intervals draw files, or programs, anew 1,000 times.",
]


def run(graphs: Path, pycg: Path) -> dict[str, Any]:
    """Every figure."""
    files, file_figures = file_tables(graphs)
    calls, call_figures = call_tables(pycg)
    return {
        "title": "B6: the code graph",
        "question": "How many of the map's edges are right, and how many are missing?",
        "how": HOW,
        "seed": SEED,
        "targets": [],
        "tables": [*files, *calls],
        "figures": {"files": file_figures, "calls": call_figures},
    }


def missing(graphs: Path | None, pycg: Path | None) -> list[str]:
    """What has to be made before this can run."""
    needed = [Path(graphs or "DIR", name + end) for name in REPOSITORIES for end in ("", ".scip")]
    needed.append(Path(pycg or "PyCG/micro-benchmark", "snippets"))
    return [str(path) for path in needed if not path.exists()]


def main() -> None:
    """Measure and print; write JSON if asked to."""
    parser = argparse.ArgumentParser(description="Measure the edges of the map.")
    parser.add_argument("--graphs", type=Path, help="folder with the checkouts and their SCIP indexes")
    parser.add_argument("--pycg", type=Path, help="PyCG's micro-benchmark folder")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    if absent := missing(options.graphs, options.pycg):
        raise SystemExit(f"Not here: {', '.join(absent)}.\n{HOW_TO_MAKE}")
    result = run(options.graphs, options.pycg)
    for table in result["tables"]:
        print(f"{table['title']}\n\n{grid(table['columns'], table['rows'])}\n")
    if options.json:
        options.json.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
