"""The programs that benchmarks start in processes of their own are texts, which no type checker reads."""

from __future__ import annotations

import ast
from importlib import import_module

import pytest

from benchmarks import b7_search, b7_store
from benchmarks.mapping import aider, fresh

MODULES = (b7_search, b7_store, aider, fresh)
PROGRAMS = {
    f"{module.__name__}.{name}": text
    for module in MODULES
    for name, text in vars(module).items()
    if isinstance(text, str) and text.startswith("\nimport ")
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_every_name_that_a_program_imports_from_here_exists(name: str) -> None:
    for node in ast.walk(ast.parse(PROGRAMS[name])):
        if isinstance(node, ast.ImportFrom) and str(node.module).startswith(("holloway", "benchmarks")):
            module = import_module(str(node.module))
            assert [alias.name for alias in node.names if not hasattr(module, alias.name)] == []


def test_the_programs_of_all_these_benchmarks_are_found() -> None:
    assert {name.rpartition(".")[0] for name in PROGRAMS} == {module.__name__ for module in MODULES}
