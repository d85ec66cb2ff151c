"""B6: how right the edges of the map are, file to file against SCIP indexes and function to function against PyCG's.

python -m benchmarks --only b6_graph --graphs DIR --pycg DIR
"""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.graph.cases import cases_of
from benchmarks.graph.gold import gold_of
from benchmarks.graph.mapped import map_of
from benchmarks.graph.scanners import name_matching_edges, regex_edges
from benchmarks.graph.score import Counts, count_pairs, score
from benchmarks.repositories import TABLE
from benchmarks.scoring import SEED

if TYPE_CHECKING:
    from collections.abc import Callable

    from benchmarks.graph.edges import Pair

REPOSITORIES = ("flask", "hono")
PYCG = "8d5dc40837"
"""The commit of PyCG's repository that the figures were measured at."""
HOW_TO_MAKE = f"""B6 needs checkouts of flask and hono with their SCIP indexes beside them (DIR/flask, DIR/flask.scip)
and the micro-benchmark of PyCG. To make them, in an empty DIR:
  npm install --prefix . @sourcegraph/scip-python@0.6.6 @sourcegraph/scip-typescript@0.4.0
  {TABLE["flask"].clone(Path("flask"))}
  {TABLE["hono"].clone(Path("hono"))}
  python3 -m venv venv && venv/bin/pip install werkzeug jinja2 itsdangerous click blinker pytest
  echo '{{"extraPaths": ["src", "examples/tutorial", "examples/celery/src", "examples/javascript"]}}' \\
    > flask/pyrightconfig.json
  (cd flask && PATH=$PWD/../venv/bin:$PATH ../node_modules/.bin/scip-python index . --project-name flask \\
    --project-version HEAD --output ../flask.scip && rm pyrightconfig.json)
  (cd hono && ../node_modules/.bin/scip-typescript index --output ../hono.scip)
  git clone https://github.com/vitsalis/PyCG && git -C PyCG checkout --quiet {PYCG}  # then --pycg PyCG/micro-benchmark
The virtual environment must not hold flask itself, or its tests are tied to that copy."""
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
    "Intervals come from 1,000 bootstrap samples of files or programs.",
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
    """Return the files that have to be made before this can run."""
    needed = [Path(graphs or "DIR", name + end) for name in REPOSITORIES for end in ("", ".scip")]
    needed.append(Path(pycg or "PyCG/micro-benchmark", "snippets"))
    return [str(path) for path in needed if not path.exists()]


def is_test(path: str) -> bool:
    """Whether a file is a test, by its folder or its name."""
    return bool(re.search(r"(^|/)([\w-]+-)?(tests?|__tests__)/|(^|/)(test_|conftest\.)|\.(test|spec)\.", path))


def file_tables(graphs: Path) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """File edges of each repository, without and with its tests."""
    rows, reached, figures = [], [], {}
    for name in REPOSITORIES:
        root = graphs / name
        gold = gold_of(graphs / f"{name}.scip", root)
        sides = {"regex scanner": regex_edges(root, gold.files), "map": map_of(root)}
        for scope in ("without tests", "with tests"):
            files = {path for path in gold.files if scope == "with tests" or not is_test(path)}
            inside = _inside(files)
            named, defined, references = inside(gold.named), inside(gold.defined), inside(gold.references)
            for side, edges in sides.items():
                scanned = inside(edges.imports)
                import_score = score(count_pairs(scanned, named | defined, gold.neither))
                parts = [
                    len(scanned & named) / (len(named) or 1),
                    len(scanned & defined - named) / (len(defined - named) or 1),
                ]
                whole = score(count_pairs(inside(edges.references), references, gold.neither))
                rows.append([name, scope, side, *import_score.row(), *parts])
                reached.append([name, scope, side, *whole.row()])
                figures[f"{name} {scope} {side}"] = {"imports": import_score._asdict(), "references": whole._asdict()}
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


def call_tables(pycg: Path) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Call edges of the micro-benchmark, by category."""
    cases = cases_of(pycg)
    sides = {
        "name matching": [name_matching_edges(case.root) for case in cases],
        "map": [map_of(case.root) for case in cases],
    }
    rows, totals, figures = [], [], {}
    for side, side_edges in sides.items():
        own_counts = [_counts(edges.calls, case.own) for case, edges in zip(cases, side_edges, strict=True)]
        external_counts = [
            _counts(edges.external, case.external) for case, edges in zip(cases, side_edges, strict=True)
        ]
        for target, counts in (("own", own_counts), ("external", external_counts)):
            without_miss = sum(count.right == count.wanted for count in counts)
            without_error = sum(count.right == count.found for count in counts)
            totals.append([side, target, *score(counts).row(), without_miss, without_error])
            figures[f"{side} {target}"] = score(counts)._asdict()
        for category in sorted({case.category for case in cases}):
            part = [count for case, count in zip(cases, own_counts, strict=True) if case.category == category]
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


def _counts(edges: set[Pair], wanted: set[Pair]) -> Counts:
    return Counts(len(edges & wanted), len(edges), len(wanted))
