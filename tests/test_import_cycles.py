"""No module imports another that imports it back: not at the top, not in a function, not for a type annotation."""

import ast
from collections.abc import Iterable, Iterator, Mapping
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[1] / "src" / "holloway"


def test_the_modules_can_be_read_in_an_order_in_which_no_name_is_ahead_of_its_module() -> None:
    imports = map_imports({_module_name(path): path.read_text("utf-8") for path in SOURCE.rglob("*.py")})
    assert len(imports) > 400
    assert sum(map(len, imports.values())) > 1500
    TopologicalSorter(imports).prepare()


@pytest.mark.parametrize(
    "back",
    [
        "from holloway import first\n",
        "from holloway.first import name\n",
        "import holloway.first\n",
        "def late():\n    from holloway import first\n",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from holloway.first import Name\n",
    ],
)
def test_a_cycle_is_seen_in_every_form_of_import(back: str) -> None:
    imports = map_imports({"holloway": "", "holloway.first": "from holloway import second\n", "holloway.second": back})
    with pytest.raises(CycleError):
        TopologicalSorter(imports).prepare()


def map_imports(sources: Mapping[str, str]) -> dict[str, set[str]]:
    """Return the modules of the package that each module imports."""
    return {name: set(_list_imports(source, sources)) - {name} for name, source in sources.items()}


def _list_imports(source: str, modules: Iterable[str]) -> Iterator[str]:
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in modules)
        elif isinstance(node, ast.ImportFrom):
            names = {f"{node.module}.{alias.name}" for alias in node.names}
            submodules = names.intersection(modules)
            yield from submodules
            if submodules != names and str(node.module) in modules:
                yield str(node.module)


def _module_name(path: Path) -> str:
    parts = path.relative_to(SOURCE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
