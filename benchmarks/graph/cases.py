"""The programs of PyCG's micro-benchmark, with the calls that their authors wrote down.

A pair (caller, callee) of dotted names; code of a module is called by the module's name, a class stands for its
(inherited) `__init__` and for nothing without one. **Own** pairs have a callee in the case's own files, lambdas
included. **External** ones are scored apart as (caller, package); builtins are counted but not scored.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from benchmarks.graph.edges import module_name

if TYPE_CHECKING:
    from benchmarks.graph.edges import Pair


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
        own_pairs = {pair for pair in pairs if any(pair[1].startswith(f"{module}.") for module in modules)}
        builtin = {pair for pair in pairs if pair[1].startswith("<")}
        external = {(caller, callee.partition(".")[0]) for caller, callee in pairs - own_pairs - builtin}
        cases.append(Case(root.parent.name, root.name, root, own_pairs, external, builtin))
    return cases
